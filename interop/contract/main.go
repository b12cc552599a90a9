// Command contract holds svc to its published contract with a JSON Schema
// validator that knows nothing of svc: for requests by the thousand, some right
// and some damaged in their path, query, headers, cookies or body, the validator
// accepts each part if and only if the server has no violation of it, by the OpenAPI
// 3.0.3 document and by the 3.1 document, and every answer is what the document says,
// its headers too; the events of streams are what the 3.2 document says; the same for calls by JSON-RPC and the JSON
// Schema 2020-12 of descriptors. Where the two cannot agree, the reason is in
// the table of differences.go; anything else is a failure.
//
//	go run .              a short run, always the same
//	go run . -n 1000000   the long one
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

func main() {
	n := flag.Int("n", 60000, "how many requests to send")
	seed := flag.Uint64("seed", 1, "of the generator")
	flag.Parse()
	if writePairs(*seed) {
		return
	}
	failed := false
	for _, subject := range []struct {
		name    string
		service *svc.Service
		watched bool // by observe
	}{
		{"kitchen sink", kitchen.ObservedSink(false, observe), true},
		{"kitchen sink, strict", kitchen.ObservedSink(true, observe), true},
		{"two services joined", kitchen.Both(), false},
		{"types that write their own JSON", newCustom(), false},
		{"streams", newStreams(), false},
		{"forms", newForms(), false},
	} {
		t := run(subject.service, *n/3+1, *seed)
		fmt.Printf("\n%s:\n", subject.name)
		if subject.watched && t.seen != t.bodies {
			fmt.Printf("  OBSERVED %d of %d\n", t.seen, t.bodies)
			failed = true
		}
		failed = t.print() || failed
		if len(loadCalls(subject.service)) == 0 {
			continue
		}
		calls := runCalls(subject.service, *n/12+1, *seed)
		fmt.Printf("%s, by JSON-RPC and JSON Schema 2020-12:\n", subject.name)
		failed = calls.print() || failed
	}
	if failed {
		os.Exit(1)
	}
}

// sources are where a parameter can be.
var sources = [...]string{"path", "query", "header", "cookie", inForm}

// A tally counts what came out.
type tally struct {
	bodies      int
	accepted    int
	answers     int
	seen        int // calls that were observed
	agree       int // by JSON-RPC
	byDialect   [2]struct{ agree, differ int }
	sources     [len(sources)]struct{ taken, refused, absent int } // parameters
	differences [len(differences)]int
	failures    []string
}

func (t *tally) add(o *tally) {
	t.bodies += o.bodies
	t.accepted += o.accepted
	t.answers += o.answers
	t.seen += o.seen
	for i := range t.sources {
		t.sources[i].taken += o.sources[i].taken
		t.sources[i].refused += o.sources[i].refused
		t.sources[i].absent += o.sources[i].absent
	}
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
	fmt.Printf("  %d requests, of which the server took %d; %d answers validated\n", t.bodies, t.accepted, t.answers)
	if t.seen > 0 {
		fmt.Printf("  %d observed\n", t.seen)
	}
	if t.agree > 0 {
		fmt.Printf("  agree on %d, listed differences %d\n", t.agree, t.bodies-t.agree-len(t.failures))
	}
	for i, d := range dialects {
		if t.agree > 0 {
			break
		}
		fmt.Printf("  OpenAPI %s: agree on %d, listed differences %d\n", d.version, t.byDialect[i].agree, t.byDialect[i].differ)
	}
	for i, n := range t.sources {
		if n.taken+n.refused > 0 {
			fmt.Printf("  values in the %s: %d taken, %d refused, %d left out\n", sources[i], n.taken, n.refused, n.absent)
		}
	}
	for i, d := range differences {
		if t.differences[i] > 0 {
			fmt.Printf("  %8d  %s\n", t.differences[i], d.what)
		}
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

// run sends n requests to the operations of s in turn, from two goroutines.
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
			handler := withScope(s.REST())
			for i := range n / 2 {
				t.send(g, handler, operations[i%len(operations)])
			}
			mu.Lock()
			total.add(t)
			mu.Unlock()
		}()
	}
	wg.Wait()
	return &total
}

// send sends one request and compares what everyone says of it.
func (t *tally) send(g *generator, h http.Handler, o *operation) {
	params, body, contentType := g.params(o), "", ""
	switch {
	case o.schema != nil:
		body, contentType = g.body(o), "application/json"
	case o.form != "":
		body, contentType = g.formBody(o, params)
	}
	r := g.request(o, params, body, contentType)
	request := fmt.Sprintf("%s %s %q %s", r.Method, r.URL, r.Header, body)
	var seen []svc.Code
	r = r.WithContext(context.WithValue(r.Context(), seenKey{}, &seen))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	t.bodies++
	if err := checkSeen(seen, w); err != nil {
		t.failures = append(t.failures, fmt.Sprintf("%s gets %d: %v", request, w.Code, err))
	}
	t.seen += len(seen)
	violations := violationsOf(w.Body.Bytes())
	refused := w.Code == http.StatusBadRequest
	if !refused {
		t.accepted++
	}
	if refused != (len(violations) > 0) || !refused && w.Code != o.status && w.Code != http.StatusNotModified && w.Code != others[o.method+" "+o.path] {
		t.failures = append(t.failures, fmt.Sprintf("%s gets %d %s", request, w.Code, w.Body))
	}
	for _, s := range params {
		n := &t.sources[slices.Index(sources[:], s.in)]
		switch {
		case len(s.texts) == 0:
			n.absent++
		case len(s.param.violations(violations)) > 0:
			n.refused++
		default:
			n.taken++
		}
	}
	for i := range dialects {
		before := len(t.failures)
		rows, wrong := o.compareRequest(i, params, body, violations)
		if wrong != "" {
			t.failures = append(t.failures, fmt.Sprintf("%s, OpenAPI %s: server %d %s, %s", request, dialects[i].version, w.Code, w.Body, wrong))
		}
		if len(rows) > 0 || len(t.failures) > before {
			t.byDialect[i].differ++
		} else {
			t.byDialect[i].agree++
		}
		more, err := o.checkAnswer(i, w)
		if err != nil {
			t.failures = append(t.failures, fmt.Sprintf("%s, OpenAPI %s: the answer %d %q %s is wrong: %v", request, dialects[i].version, w.Code, w.Header(), w.Body, err))
		}
		for _, row := range append(rows, more...) {
			t.differences[row]++
		}
	}
	t.answers++
	t.failures = slices.Clip(t.failures[:min(len(t.failures), 100)])
}

type seenKey struct{}

// observe notes the code of a call in the list that its request brought along.
func observe(ctx context.Context, o svc.Observation) {
	code := svc.CodeOK
	if o.Err != nil {
		code = svc.CodeOf(o.Err)
	}
	info, _ := svc.InfoFrom(ctx)
	if seen, ok := info.Request.Context().Value(seenKey{}).(*[]svc.Code); ok {
		*seen = append(*seen, code)
	}
}

// checkSeen compares the code that was observed, if any was, with the answer.
func checkSeen(seen []svc.Code, w *httptest.ResponseRecorder) error {
	if len(seen) == 0 { // of a service that nobody observes, or main finds that they are too few
		return nil
	}
	var answer struct{ Error struct{ Code svc.Code } }
	if w.Code >= 400 {
		json.Unmarshal(w.Body.Bytes(), &answer)
	} else {
		answer.Error.Code = svc.CodeOK
	}
	if len(seen) != 1 || seen[0] != answer.Error.Code {
		return fmt.Errorf("observed %v, answered %s", seen, answer.Error.Code)
	}
	return nil
}

// others are the statuses of methods that refuse what the documents allow.
var others = map[string]int{
	"GET /sinks/{id}":        http.StatusNotFound,
	"GET /sinks/{id}/follow": http.StatusNotFound,
	"PUT /tools/{name}":      http.StatusPreconditionFailed,
}

// most is how many violations an answer has at most.
const most = 32

// compareRequest compares the document's word on each part of a request with the
// server's. It returns the rows of the differences, and what is in no row.
func (o *operation) compareRequest(dialect int, params []sent, body string, violations []violation) (rows []int, wrong string) {
	if len(violations) == most {
		return nil, "" // of which nothing says which parts are not among them
	}
	for _, s := range params {
		more, ok := s.compareParam(dialect, s.violations(violations))
		if rows = append(rows, more...); !ok {
			wrong += fmt.Sprintf("the %s %s is %.100q; ", s.in, s.name, s.texts)
		}
	}
	if o.schema == nil {
		return rows, wrong
	}
	of := slices.DeleteFunc(slices.Clone(violations), func(v violation) bool { return v.In != "body" })
	value := parse(body)
	more, ok := o.compare(dialect, value, of)
	if rows = append(rows, more...); !ok {
		wrong += fmt.Sprintf("validator %v", o.body[dialect].Validate(value))
	}
	return rows, wrong
}
