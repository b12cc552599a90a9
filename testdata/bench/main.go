// Bench compares svc with the handwritten handler of its benchmarks.
//
// Usage, from the root of the repository:
//
//	go run -C testdata/bench . [-n 6] [-bench '^BenchmarkREST$'] [-benchtime 300ms]
//
// It builds the tests once, runs every benchmark n times in turn, each run with
// -count=1, and prints the medians and their ratios to the first side of every
// workload. Turns matter: a machine's speed drifts by more than the differences
// of interest, and ten runs of one side followed by ten of the other measure
// the drift.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	n := flag.Int("n", 6, "how often to run every benchmark")
	bench := flag.String("bench", "^BenchmarkREST$", "which benchmarks, as for go test -bench")
	benchtime := flag.String("benchtime", "300ms", "how long each run, as for go test -benchtime")
	root := flag.String("root", filepath.Join("..", "..", "internal", "blackbox"), "the package to measure")
	flag.Parse()
	if err := run(*root, *n, *bench, *benchtime); err != nil {
		log.Fatal(err)
	}
}

func run(root string, n int, bench, benchtime string) error {
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "svc.test")
	if out, err := output(root, "go", "test", "-c", "-o", binary, "."); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var r results
	for i := range n {
		fmt.Fprintf(os.Stderr, "bench: run %d of %d\n", i+1, n)
		out, err := output(root, binary, "-test.run=^$", "-test.bench="+bench, "-test.benchtime="+benchtime, "-test.count=1", "-test.benchmem")
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		r.add(out)
	}
	if len(r.rows) == 0 {
		return fmt.Errorf("no benchmark matches %s", bench)
	}
	return r.print(os.Stdout)
}

func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// results holds what was measured, in the order in which it was first seen.
type results struct{ rows []*row }

// A row is one workload: BenchmarkREST/create.
type row struct {
	name  string
	sides []*side
}

// A side is one way to serve a workload, with one sample a run.
type side struct {
	name               string
	ns, memory, allocs []float64
}

// add takes the output of one run. A line that is a result looks like
//
//	BenchmarkREST/create/direct-2   406275   2866 ns/op   1688 B/op   26 allocs/op
func (r *results) add(out string) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		s := r.side(fields[0])
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				continue
			}
			switch fields[i+1] {
			case "ns/op":
				s.ns = append(s.ns, v)
			case "B/op":
				s.memory = append(s.memory, v)
			case "allocs/op":
				s.allocs = append(s.allocs, v)
			}
		}
	}
}

// side finds or makes the side that a benchmark's full name stands for.
func (r *results) side(full string) *side {
	workload, name := "", full
	if i := strings.LastIndex(full, "/"); i >= 0 {
		workload, name = full[:i], full[i+1:]
	}
	if i := strings.LastIndex(name, "-"); i >= 0 && strings.Trim(name[i:], "-0123456789") == "" {
		name = name[:i] // GOMAXPROCS, which is left out where it is 1
	}
	i := slices.IndexFunc(r.rows, func(x *row) bool { return x.name == workload })
	if i < 0 {
		i = len(r.rows)
		r.rows = append(r.rows, &row{name: workload})
	}
	x := r.rows[i]
	j := slices.IndexFunc(x.sides, func(s *side) bool { return s.name == name })
	if j < 0 {
		j = len(x.sides)
		x.sides = append(x.sides, &side{name: name})
	}
	return x.sides[j]
}

// print writes one line a side. The ratio is that of the medians; the range
// beside it is that of the single runs, each with its neighbour in time.
func (r *results) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "workload\tside\tns/op\tB/op\tallocs/op\tratio\tlowest\thighest\t")
	for _, x := range r.rows {
		base := x.sides[0]
		for _, s := range x.sides {
			low, high := extremes(s.ns, base.ns)
			fmt.Fprintf(t, "%s\t%s\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t\n", x.name, s.name,
				median(s.ns), median(s.memory), median(s.allocs), median(s.ns)/median(base.ns), low, high)
		}
	}
	return t.Flush()
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	m := len(v) / 2
	if len(v)%2 == 0 {
		return (v[m-1] + v[m]) / 2
	}
	return v[m]
}

// extremes returns the lowest and the highest of the runs' own ratios.
func extremes(v, base []float64) (low, high float64) {
	for i := range min(len(v), len(base)) {
		ratio := v[i] / base[i]
		if i == 0 || ratio < low {
			low = ratio
		}
		high = max(high, ratio)
	}
	return low, high
}
