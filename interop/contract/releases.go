package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"example.com/svc"
)

// This file holds svc to what it says of releases, with the made-up services of types.go:
// each witness of a break is sent to both versions, and the released one takes it and the
// other refuses it; and where there is no break, what the released version takes the
// other takes as well. releases_run.go has the services.

var (
	makePairs = flag.String("make", "", "write made-up services to this folder, and do nothing else")
	groups    = flag.Int("groups", 1, "how many services to make up")
	methods   = flag.Int("methods", 40, "and methods of each")
	versions  = flag.Int("versions", 5, "and versions of each")
	verbose   = flag.Bool("v", false, "show what is not sure")
	values    = flag.Int("values", 40000, "how many values to try on pairs of versions without breaks")
)

// A pairTally counts what came out.
type pairTally struct {
	pairs, broken, breaks, witnesses, unsure int
	sent, restSent, notSent, asText          int // witnesses over JSON-RPC, over REST, and not over REST
	values, restValues                       int
	why                                      map[string]int
	failures                                 []string
}

// checkPairs compares each version of each service with each other one.
func checkPairs(services [][]func() *svc.Service, values int, seed uint64) bool {
	total := pairTally{why: make(map[string]int)}
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan func(*pairTally))
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for f := range work {
				t := pairTally{why: make(map[string]int)}
				f(&t)
				mu.Lock()
				total.add(&t)
				mu.Unlock()
			}
		}()
	}
	n := 0
	for _, versions := range services {
		n += len(versions) * (len(versions) - 1)
	}
	for g, versions := range services {
		built := make([]*svc.Service, len(versions))
		for v, build := range versions {
			built[v] = build()
		}
		for i, old := range built {
			for j, now := range built {
				if i != j {
					work <- func(t *pairTally) {
						t.check(old, now, values/n+1, &generator{Rand: rand.New(rand.NewPCG(seed, uint64(g*10000+i*100+j)))})
					}
				}
			}
		}
	}
	close(work)
	wg.Wait()
	return total.print()
}

func (t *pairTally) add(o *pairTally) {
	t.pairs += o.pairs
	t.broken += o.broken
	t.breaks += o.breaks
	t.witnesses += o.witnesses
	t.unsure += o.unsure
	t.sent += o.sent
	t.restSent += o.restSent
	t.notSent += o.notSent
	t.asText += o.asText
	t.values += o.values
	t.restValues += o.restValues
	for why, n := range o.why {
		t.why[why] += n
	}
	t.failures = append(t.failures, o.failures[:min(len(o.failures), 20)]...)
}

// print reports, and says whether something is wrong.
func (t *pairTally) print() bool {
	fmt.Printf("\nreleases: %d pairs of types, %d of them with breaks: %d breaks, %d witnesses\n", t.pairs, t.broken, t.breaks, t.witnesses)
	fmt.Printf("  witnesses taken by the released service and refused by the other: %d over JSON-RPC, %d over REST; %d that REST cannot carry, and %d parameters that are other JSON and the same text\n", t.sent, t.restSent, t.notSent, t.asText)
	fmt.Printf("  values on pairs without breaks, taken by both: %d over JSON-RPC, %d over REST\n", t.values, t.restValues)
	var reasons []string
	for why := range t.why {
		reasons = append(reasons, why)
	}
	slices.SortFunc(reasons, func(a, b string) int { return t.why[b] - t.why[a] })
	for _, why := range reasons[:min(len(reasons), 40)] {
		fmt.Printf("  %8d  %s\n", t.why[why], why)
	}
	for _, f := range t.failures[:min(len(t.failures), 12)] {
		fmt.Printf("  WRONG: %.1500s\n", f)
	}
	fmt.Printf("  %d exceptions\n", len(t.failures))
	return len(t.failures) > 0 || t.witnesses == 0 || t.values == 0
}

// released is the part of a contract that tells how to send an input over REST.
type released struct{ Methods []*releasedMethod }

type releasedMethod struct {
	Method     string
	HTTP       string
	Transports []svc.Transport
	MaxBody    int // 0 for the usual one
	Input      struct{ Fields []inputField }
}

// check compares two versions of a service.
func (t *pairTally) check(old, now *svc.Service, values int, g *generator) {
	text := old.Contract()
	breaks, err := now.Breaks(text)
	if err != nil {
		t.failures = append(t.failures, err.Error())
		return
	}
	byMethod := make(map[string][]svc.Break)
	for _, b := range breaks {
		byMethod[b.Method] = append(byMethod[b.Method], b)
		why, _, _ := strings.Cut(b.Reason, ",")
		if i := strings.Index(why, " is "); i > 0 {
			why = why[:i]
		}
		t.why[why]++
	}
	var contract released
	if err := json.Unmarshal(text, &contract); err != nil {
		panic(err)
	}
	calls := make(map[string]*call)
	for _, c := range loadCalls(old) {
		calls[c.name] = c
	}
	send := sender{old.RPC(), now.RPC(), old.REST(), now.REST(), http.NewServeMux(), http.NewServeMux()}
	old.Mount(send.oldMux)
	now.Mount(send.nowMux)
	for _, m := range contract.Methods {
		t.pairs++
		if len(byMethod[m.Method]) > 0 {
			t.broken++
		}
		t.breaks += len(byMethod[m.Method])
		moved := slices.ContainsFunc(byMethod[m.Method], func(b svc.Break) bool { return strings.HasPrefix(b.Reason, "comes from") })
		for _, b := range byMethod[m.Method] {
			if b.Witness == nil {
				if strings.HasPrefix(b.Reason, "cannot tell") {
					if *verbose {
						fmt.Println(b)
					}
					t.unsure++
				}
				continue
			}
			t.witnesses++
			t.checkWitness(&send, m, b, moved)
		}
		if len(byMethod[m.Method]) == 0 {
			for range values/len(contract.Methods) + 1 {
				t.checkValue(&send, g, calls[m.Method], m.HTTP, m.Transports, m.Input.Fields)
			}
		}
	}
}

type sender struct {
	oldRPC, nowRPC, oldREST, nowREST http.Handler
	oldMux, nowMux                   *http.ServeMux // which tell routes
}

// reached reports whether a request had a route in the released version.
func (s *sender) reached(r *http.Request, route string) bool {
	_, was := s.oldMux.Handler(r)
	return was == route
}

// reachesOther reports whether a request that had a route has another one in the new version.
func (s *sender) reachesOther(r *http.Request, route string) bool {
	_, was := s.oldMux.Handler(r)
	_, is := s.nowMux.Handler(r)
	return was == route && is != was
}

// An inputField is a field of an input in a contract.
type inputField struct {
	Field, From string
	RestOnly    bool
}

// takesRPC reports whether a service takes an input over JSON-RPC.
func takesRPC(h http.Handler, method, params string) bool {
	r := httptest.NewRequest("POST", "/", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var answer struct{ Error *struct{ Code int } }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		panic(err)
	}
	return answer.Error == nil
}

// request returns what makes the request of an input over REST, as a client of the
// released version does, or nil if HTTP cannot carry it. A svc.Body has that length. A JSON
// body has at most so many bytes, if most is not 0.
func request(route string, fields []inputField, input string, length, most int) func() *http.Request {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(input), &members) != nil {
		return nil
	}
	method, path, _ := strings.Cut(route, " ")
	query, header, body, hasBody := url.Values{}, http.Header{}, map[string]json.RawMessage{}, false
	header.Set("Content-Type", "application/json")
	for name, value := range members { // which no field has
		switch {
		case slices.ContainsFunc(fields, func(f inputField) bool { return f.Field == name }):
		case slices.ContainsFunc(fields, func(f inputField) bool { return f.From == "" }):
			body[name] = value
		default: // which Strict refuses as well
			query.Set(name, string(value))
		}
	}
	for _, f := range fields {
		place, name, _ := strings.Cut(f.From, " ")
		hasBody = hasBody || place == ""
		value, given := members[f.Field]
		if !given {
			if place == "path" {
				return nil
			}
			continue
		}
		texts, ok := textsOf(value)
		switch {
		case place == "":
			body[f.Field] = value
			continue
		case !ok || place != "query" && len(texts) != 1 || len(texts) == 0:
			return nil
		case place == "path":
			if texts[0] == "" || texts[0] == "." || texts[0] == ".." {
				return nil
			}
			path = path[:strings.Index(path, "{")] + url.PathEscape(texts[0])
		case f.From == "the body":
			header.Set("Content-Type", texts[0])
		case place == "query":
			query[name] = texts
		case strings.ContainsFunc(texts[0], func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`",;\`, r) }):
			return nil
		case place == "header":
			header.Set(name, texts[0])
		case place == "cookie":
			header.Add("Cookie", name+"="+texts[0])
		}
	}
	text := ""
	if hasBody {
		b, _ := json.Marshal(body)
		text = string(b)
	}
	if most > 0 && len(text) > most {
		return nil
	}
	return func() *http.Request {
		text := text + strings.Repeat("x", length) + strings.Repeat(" ", len(input)-len(strings.TrimRight(input, " ")))
		r := httptest.NewRequest(method, path+"?"+query.Encode(), strings.NewReader(text))
		for name, values := range header {
			r.Header[name] = values
		}
		return r
	}
}

// textsOf returns the texts of a parameter.
func textsOf(value json.RawMessage) (texts []string, ok bool) {
	var list []json.RawMessage
	if value[0] != '[' {
		list = []json.RawMessage{value}
	} else if json.Unmarshal(value, &list) != nil {
		return nil, false
	}
	for _, v := range list {
		text := string(v)
		switch v[0] {
		case 'n', '{', '[':
			return nil, false
		case '"':
			json.Unmarshal(v, &text)
		}
		texts = append(texts, text)
	}
	return texts, true
}

func takesREST(h http.Handler, r *http.Request) bool {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code < 300
}

// checkWitness sends a witness to both versions.
func (t *pairTally) checkWitness(send *sender, m *releasedMethod, b svc.Break, moved bool) {
	method, route, transports, fields := m.Method, m.HTTP, m.Transports, m.Input.Fields
	input := string(b.Witness)
	if strings.Contains(b.Reason, " calls ") {
		make := request(route, fields, input, 0, 0)
		t.restSent++
		if make == nil || !takesREST(send.oldREST, make()) || !send.reachesOther(make(), route) {
			t.failures = append(t.failures, fmt.Sprintf("%s: the release refuses it, or it has the same route", b))
		}
		return
	}
	restOnly := b.Reason == "needs a JSON body over REST, needed none"
	for _, f := range fields {
		restOnly = restOnly || f.RestOnly && strings.HasPrefix(b.Place, "input /"+f.Field)
	}
	fail := func(over string, took, takes bool) {
		t.failures = append(t.failures, fmt.Sprintf("%s over %s: taken %t, now %t", b, over, took, takes))
	}
	if slices.Contains(transports, svc.TransportRPC) && !restOnly && !strings.HasPrefix(b.Reason, "MaxBody is ") { // which is of REST here
		t.sent++
		if took, takes := takesRPC(send.oldRPC, method, input), takesRPC(send.nowRPC, method, input); !took || takes {
			fail("JSON-RPC", took, takes)
		}
	}
	if !slices.Contains(transports, svc.TransportREST) || moved {
		return
	}
	length := 0
	if _, text, ok := strings.Cut(b.Reason, ": a body of "); ok {
		fmt.Sscan(text, &length)
	}
	make := request(route, fields, input, length, m.MaxBody)
	unknown := strings.Contains(b.Reason, "unknown names are refused now")
	switch {
	case unknown && len(transports) > 1 && !slices.ContainsFunc(fields, func(f inputField) bool { return f.From == "" }):
		return
	case unknown && make != nil && len(transports) > 1 && takesREST(send.nowREST, make()): // it reads no body any more
		return
	case make == nil && len(transports) > 1 && !restOnly:
		t.notSent++
		return
	case make == nil:
		t.failures = append(t.failures, fmt.Sprintf("%s cannot be sent over REST", b))
		return
	}
	if isText := slices.ContainsFunc(fields, func(f inputField) bool { return f.From != "" && strings.HasPrefix(b.Place+"/", "input /"+f.Field+"/") }) && strings.HasPrefix(b.Reason, "is "); isText && len(transports) > 1 && takesREST(send.nowREST, make()) {
		t.asText++ // JSON-RPC has refused it
		return
	}
	if !send.reached(make(), route) { // another method of the release got such requests
		t.notSent++
		return
	}
	t.restSent++
	if send.reachesOther(make(), route) { // which may take it; that is another break
		return
	}
	if took, takes := send.reached(make(), route) && takesREST(send.oldREST, make()), takesREST(send.nowREST, make()); !took || takes {
		fail("REST", took, takes)
	}
}

// checkValue sends a value that is made up to both versions, of a method without breaks.
func (t *pairTally) checkValue(send *sender, g *generator, c *call, route string, transports []svc.Transport, fields []inputField) {
	if c == nil { // without an input
		return
	}
	g.document, g.wrongs = c.schema, [...]float64{0, 0, 0.01, 0.04}[g.IntN(4)]
	input := g.value(c.schema, "", 0)
	if input == "" || input[0] != '{' {
		return
	}
	if slices.Contains(transports, svc.TransportRPC) && takesRPC(send.oldRPC, c.name, input) {
		t.values++
		if !takesRPC(send.nowRPC, c.name, input) {
			t.failures = append(t.failures, fmt.Sprintf("%s has no break, and JSON-RPC refuses %s", c.name, input))
		}
	}
	if make := request(route, fields, input, 0, 0); slices.Contains(transports, svc.TransportREST) && make != nil && send.reached(make(), route) && takesREST(send.oldREST, make()) {
		t.restValues++
		if !takesREST(send.nowREST, make()) || send.reachesOther(make(), route) {
			t.failures = append(t.failures, fmt.Sprintf("%s has no break, and REST refuses %s, or gives it to another method", c.name, input))
		}
	}
}

// writePairs writes made-up services if that is asked for.
func writePairs(seed uint64) bool {
	if *makePairs == "" {
		return false
	}
	if err := makeServices(*makePairs, *groups, *methods, *versions, seed); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return true
}
