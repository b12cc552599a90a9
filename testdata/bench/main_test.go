package main

import (
	"strings"
	"testing"
)

func TestResults(t *testing.T) {
	var r results
	for _, out := range []string{
		"goos: linux\nBenchmarkREST/get/handwritten-2 100 1000 ns/op 96 B/op 10 allocs/op\nBenchmarkREST/get/direct-2 100 500 ns/op 0 B/op 0 allocs/op\nPASS\n",
		"BenchmarkREST/get/handwritten-2 100 3000 ns/op 96 B/op 10 allocs/op\nBenchmarkREST/get/direct-2 100 600.5 ns/op 0 B/op 0 allocs/op\n",
		"BenchmarkREST/get/handwritten 100 1200 ns/op 98 B/op 10 allocs/op\nBenchmarkREST/get/direct 100 300 ns/op 0 B/op 0 allocs/op\n",
	} {
		r.add(out)
	}
	var b strings.Builder
	if err := r.print(&b); err != nil {
		t.Fatal(err)
	}
	want := `
workload side ns/op B/op allocs/op ratio lowest highest
BenchmarkREST/get handwritten 1200 96 10 1.00 1.00 1.00
BenchmarkREST/get direct 500 0 0 0.42 0.20 0.50
`
	var got strings.Builder
	got.WriteString("\n")
	for line := range strings.Lines(b.String()) {
		got.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	if got.String() != want {
		t.Errorf("got %s\nwant %s", got.String(), want)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		v    []float64
		want float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{9, 1}, 5},
		{[]float64{9, 1, 2}, 2},
	} {
		if got := median(test.v); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.v, got, test.want)
		}
	}
}
