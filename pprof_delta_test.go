package svc

import (
	"bytes"
	"compress/gzip"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
)

// pprofTaken returns a profile of this process.
func pprofTaken(t testing.TB, name string) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// pprofSums returns the values of a profile's samples by the name of the
// outermost function but runtime.goexit, read in the plainest way.
func pprofSums(t testing.TB, profile []byte) map[string][]int64 {
	t.Helper()
	fields, err := gunzipProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	names, frames := map[uint64]uint64{}, map[uint64]uint64{} // function to text, location to function
	for _, f := range fields {
		switch f.field {
		case profileString:
			texts = append(texts, string(f.bytes))
		case profileFunction:
			names[pprofNumber(t, f.bytes, 1)] = pprofNumber(t, f.bytes, 2)
		case profileLocation:
			for _, line := range pprofField(t, f.bytes, 4) { // the last is the outermost of inlined calls
				frames[pprofNumber(t, f.bytes, 1)] = pprofNumber(t, line.bytes, 1)
			}
		}
	}
	sums := map[string][]int64{}
	for _, f := range fields {
		if f.field != profileSample {
			continue
		}
		name, at := "", pprofNumbers(t, f.bytes, 1)
		for _, id := range slices.Backward(at) {
			if name = texts[names[frames[id]]]; name != "runtime.goexit" {
				break
			}
		}
		for i, v := range pprofNumbers(t, f.bytes, 2) {
			if i == len(sums[name]) {
				sums[name] = append(sums[name], 0)
			}
			sums[name][i] += int64(v)
		}
	}
	return sums
}

func pprofField(t testing.TB, message []byte, field int) []protoField {
	t.Helper()
	fields, err := protoFields(message)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(fields, func(f protoField) bool { return f.field != field })
}

func pprofNumbers(t testing.TB, message []byte, field int) (all []uint64) {
	t.Helper()
	for _, f := range pprofField(t, message, field) {
		numbers, err := protoNumbers(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, numbers...)
	}
	return all
}

func pprofNumber(t testing.TB, message []byte, field int) uint64 {
	t.Helper()
	for _, n := range pprofNumbers(t, message, field) {
		return n
	}
	return 0 // what is 0 is left out
}

// pprofWait is what the goroutines of a test run, to be found by name.
func pprofWait(ready, done *sync.WaitGroup, end chan struct{}) {
	ready.Done()
	<-end
	done.Done()
}

func pprofWaitOther(ready, done *sync.WaitGroup, end chan struct{}) {
	ready.Done()
	<-end
	done.Done()
}

// pprofStart starts n goroutines and returns when they wait.
func pprofStart(n int, f func(ready, done *sync.WaitGroup, end chan struct{})) (stop func()) {
	var ready, done sync.WaitGroup
	ready.Add(n)
	done.Add(n)
	end := make(chan struct{})
	for range n {
		go f(&ready, &done, end)
	}
	ready.Wait()
	return func() {
		close(end)
		done.Wait()
	}
}

// Verify that a delta counts what came and what went, including stacks that
// only the profile before has.
func TestProfileDelta(t *testing.T) {
	stopOther := pprofStart(3, pprofWaitOther)
	stopEarly := pprofStart(2, pprofWait)
	before := pprofTaken(t, "goroutine")
	stopOther()
	stopLate := pprofStart(5, pprofWait)
	after := pprofTaken(t, "goroutine")
	stopEarly()
	stopLate()
	var delta bytes.Buffer
	if err := writeProfileDelta(&delta, before, after); err != nil {
		t.Fatal(err)
	}
	sums := pprofSums(t, delta.Bytes())
	for name, want := range map[string]int64{"pprofWait": 5, "pprofWaitOther": -3} {
		if got := sums["example.com/svc."+name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %d; all: %v", name, got, want, sums)
		}
	}
}

// Verify the laws of subtraction: p less p is nothing, and for what is in the
// profiles, before plus delta is after.
func TestProfileDeltaAddsUp(t *testing.T) {
	for _, name := range []string{"allocs", "goroutine", "heap", "threadcreate"} {
		before := pprofTaken(t, name)
		grown := strings.Repeat("allocated in between", 1<<16)
		after := pprofTaken(t, name)
		var none, delta bytes.Buffer
		if err := writeProfileDelta(&none, after, after); err != nil {
			t.Fatal(err)
		}
		if sums := pprofSums(t, none.Bytes()); len(sums) != 0 {
			t.Errorf("%s less itself is %v", name, sums)
		}
		if err := writeProfileDelta(&delta, before, after); err != nil {
			t.Fatal(err)
		}
		old, changed := pprofSums(t, before), pprofSums(t, delta.Bytes())
		for function, want := range pprofSums(t, after) {
			for i := range want {
				sum := int64(0)
				if i < len(old[function]) {
					sum += old[function][i]
				}
				if i < len(changed[function]) {
					sum += changed[function][i]
				}
				if sum != want[i] {
					t.Errorf("%s of %s, value %d: %v + %v, want %v", name, function, i, old[function], changed[function], want)
				}
			}
		}
		_ = grown
	}
}

func pprofZip(message []byte) []byte {
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	zw.Write(message)
	zw.Close()
	return buf.Bytes()
}

func TestProfileDeltaRefuses(t *testing.T) {
	good := pprofTaken(t, "threadcreate")
	for name, bad := range map[string][]byte{
		"empty":               {},
		"not gzip":            []byte("profile"),
		"cut gzip":            good[:len(good)/2],
		"unfinished tag":      pprofZip([]byte{0x80}),
		"unfinished number":   pprofZip([]byte{0x08, 0x80}),
		"field 0":             pprofZip([]byte{0x00, 0x01}),
		"bytes past the end":  pprofZip([]byte{0x12, 0x05, 'a'}),
		"a length of 2^63":    pprofZip([]byte{0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}),
		"fixed64":             pprofZip([]byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8}),
		"group":               pprofZip([]byte{0x0b, 0x0c}),
		"broken sample":       pprofZip([]byte{0x12, 0x01, 0x80}),
		"broken packed value": pprofZip([]byte{0x12, 0x03, 0x12, 0x01, 0x80}),
		"broken label":        pprofZip([]byte{0x12, 0x03, 0x1a, 0x01, 0x80}),
	} {
		if err := writeProfileDelta(new(bytes.Buffer), bad, good); err == nil {
			t.Errorf("%s before: no error", name)
		}
		if err := writeProfileDelta(new(bytes.Buffer), good, bad); err == nil {
			t.Errorf("%s after: no error", name)
		}
	}
}

// Verify that no two messages make a delta panic, and that a profile less
// itself has no samples.
func FuzzProfileDelta(f *testing.F) {
	for _, name := range []string{"goroutine", "threadcreate"} {
		fields, err := gunzipProfile(pprofTaken(f, name))
		if err != nil {
			f.Fatal(err)
		}
		var message []byte
		for _, field := range fields {
			if field.bytes != nil {
				message = appendProtoBytes(message, field.field, field.bytes)
			}
		}
		f.Add(message, message)
	}
	f.Add([]byte{0x12, 0x02, 0x10, 0x01}, []byte{0x12, 0x04, 0x10, 0x01, 0x08, 0x07})
	f.Fuzz(func(t *testing.T, before, after []byte) {
		before, after = pprofZip(before), pprofZip(after)
		writeProfileDelta(new(bytes.Buffer), before, after)
		var none bytes.Buffer
		if writeProfileDelta(&none, after, after) != nil {
			return
		}
		fields, err := gunzipProfile(none.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fields {
			if field.field == profileSample {
				t.Errorf("a profile less itself has the sample %v", field.bytes)
			}
		}
	})
}
