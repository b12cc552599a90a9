// Command contract holds svc to its published contract with a JSON Schema
// validator that knows nothing of svc: for bodies by the thousand, some right
// and some damaged, the validator accepts if and only if the server does not
// answer 400, by the OpenAPI 3.0.3 document and by the 3.1 document, and every
// answer is what the document says; the same for calls by JSON-RPC and the JSON
// Schema 2020-12 of descriptors. Where the two cannot agree, the reason is in
// the table of differences.go; anything else is a failure.
//
//	go run .              a short run, always the same
//	go run . -n 1000000   the long one
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

func main() {
	n := flag.Int("n", 60000, "how many bodies to send")
	seed := flag.Uint64("seed", 1, "of the generator")
	flag.Parse()
	failed := false
	for _, subject := range []struct {
		name    string
		service *svc.Service
	}{
		{"kitchen sink", kitchen.Sink(false)},
		{"kitchen sink, strict", kitchen.Sink(true)},
		{"two services joined", kitchen.Both()},
		{"types that write their own JSON", newCustom()},
	} {
		t := run(subject.service, *n/3+1, *seed)
		fmt.Printf("\n%s:\n", subject.name)
		failed = t.print() || failed
		calls := runCalls(subject.service, *n/12+1, *seed)
		fmt.Printf("%s, by JSON-RPC and JSON Schema 2020-12:\n", subject.name)
		failed = calls.print() || failed
	}
	if failed {
		os.Exit(1)
	}
}

// A tally counts what came out.
type tally struct {
	bodies      int
	accepted    int
	answers     int
	agree       int // by JSON-RPC
	byDialect   [2]struct{ agree, differ int }
	differences [len(differences)]int
	failures    []string
}

func (t *tally) add(o *tally) {
	t.bodies += o.bodies
	t.accepted += o.accepted
	t.answers += o.answers
	for i := range t.byDialect {
		t.byDialect[i].agree += o.byDialect[i].agree
		t.byDialect[i].differ += o.byDialect[i].differ
	}
	for i := range t.differences {
		t.differences[i] += o.differences[i]
	}
	t.failures = append(t.failures, o.failures...)
}

// print reports, and says whether something is wrong.
func (t *tally) print() bool {
	fmt.Printf("  %d bodies, of which the server took %d; %d answers validated\n", t.bodies, t.accepted, t.answers)
	if t.agree > 0 {
		fmt.Printf("  agree on %d, listed differences %d\n", t.agree, t.bodies-t.agree-len(t.failures))
	}
	for i, d := range dialects {
		if t.agree > 0 {
			break
		}
		fmt.Printf("  OpenAPI %s: agree on %d, listed differences %d\n", d.version, t.byDialect[i].agree, t.byDialect[i].differ)
	}
	for i, d := range differences {
		fmt.Printf("  %8d  %s\n", t.differences[i], d.what)
	}
	for _, f := range t.failures[:min(len(t.failures), 4)] {
		fmt.Printf("  UNLISTED: %.1500s\n", f)
	}
	fmt.Printf("  %d unlisted differences\n", len(t.failures))
	if low := t.bodies / 5; t.accepted < low || t.bodies-t.accepted < low {
		fmt.Println("  TOO ONE-SIDED: the generator does not test both answers")
		return true
	}
	return len(t.failures) > 0
}

// run sends n bodies to the operations of s in turn, from two goroutines.
func run(s *svc.Service, n int, seed uint64) *tally {
	operations := load(s)
	var total tally
	var wg sync.WaitGroup
	var mu sync.Mutex
	for worker := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			t := &tally{}
			g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(worker)))}
			handler := s.REST()
			for i := range n / 2 {
				o := operations[i%len(operations)]
				t.send(handler, o, g.body(o))
			}
			mu.Lock()
			total.add(t)
			mu.Unlock()
		}()
	}
	wg.Wait()
	return &total
}

// send sends one body and compares what everyone says of it.
func (t *tally) send(h http.Handler, o *operation, body string) {
	r := httptest.NewRequest(o.method, o.url, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	t.bodies++
	accepted := w.Code != http.StatusBadRequest
	if accepted {
		t.accepted++
		if w.Code != o.status {
			t.failures = append(t.failures, fmt.Sprintf("%s %s: %s gets %d %s", o.method, o.url, body, w.Code, w.Body))
		}
	}
	value := parse(body)
	for i := range dialects {
		rows, ok := o.compare(i, value, accepted, w.Body.Bytes())
		if len(rows) > 0 || !ok {
			t.byDialect[i].differ++
		} else {
			t.byDialect[i].agree++
		}
		for _, row := range rows {
			t.differences[row]++
		}
		if !ok {
			t.failures = append(t.failures, fmt.Sprintf("%s %s, OpenAPI %s: server %d %s, validator %v, body %s",
				o.method, o.url, dialects[i].version, w.Code, w.Body, o.body[i].Validate(value), body))
		}
		rows, wrong := o.checkAnswer(i, w.Code, w.Body.Bytes())
		for _, row := range rows {
			t.differences[row]++
		}
		if wrong == nil && accepted {
			wrong = o.checkHeaders(i, w.Header())
		}
		if wrong != nil {
			t.failures = append(t.failures, fmt.Sprintf("%s %s, OpenAPI %s: the answer %s is wrong: %v", o.method, o.url, dialects[i].version, w.Body, wrong))
		}
	}
	t.answers++
	t.failures = slices.Clip(t.failures[:min(len(t.failures), 100)])
}
