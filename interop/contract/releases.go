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
	alone                                    int // witnesses beside which no value was made up
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
	t.alone += o.alone
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
	fmt.Printf("  witnesses taken by the released service and refused by the other: %d over JSON-RPC, %d over REST; %d that REST cannot carry, %d parameters that are other JSON and the same text, and %d beside which nothing was made up\n", t.sent, t.restSent, t.notSent, t.asText, t.alone)
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
			t.checkWitness(&send, m, b, func(takes func(string) bool) string { return g.inputWith(calls[m.Method], b, takes) }, moved)
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

// inputWith makes up an input with the witness of a break at its place that the release takes, or
// returns "" if no try was one.
func (g *generator) inputWith(c *call, b svc.Break, takes func(string) bool) string {
	path := strings.TrimPrefix(strings.TrimPrefix(b.Place, "input"), " /")
	if c == nil {
		return ""
	}
	for range 200 {
		g.document, g.wrongs = c.schema, 0
		var input any
		if json.Unmarshal([]byte(g.value(c.schema, "", 0)), &input) != nil {
			continue
		}
		input, ok := put(input, strings.Split(path, "/"), b.Witness, strings.HasPrefix(b.Reason, "there are names"))
		text, err := json.Marshal(input)
		if !ok || err != nil {
			continue
		}
		if takes(string(text)) {
			return string(text)
		}
	}
	return ""
}

// put puts a witness at a path, in which * is any item or member, into a value. If it is a name, a
// member gets it.
func put(v any, path []string, witness json.RawMessage, isName bool) (any, bool) {
	if len(path) == 0 {
		return witness, true
	}
	switch x := v.(type) {
	case map[string]any:
		name := path[0]
		if name == "*" {
			for name = range x { // any
			}
		}
		if name == "*" {
			return nil, false
		}
		if isName && len(path) == 1 {
			var text string
			json.Unmarshal(witness, &text)
			x[text] = x[name]
			return x, true
		}
		part, ok := put(x[name], path[1:], witness, isName)
		x[name] = part
		return x, ok
	case []any:
		if path[0] != "*" || len(x) == 0 {
			return nil, false
		}
		part, ok := put(x[0], path[1:], witness, isName)
		x[0] = part
		return x, ok
	}
	return nil, false
}

// checkWitness sends inputs with a witness at its place, which the released version takes, to the other
// version. find returns an input that a function takes, or "".
func (t *pairTally) checkWitness(send *sender, m *releasedMethod, b svc.Break, find func(takes func(string) bool) string, moved bool) {
	method, route, transports, fields := m.Method, m.HTTP, m.Transports, m.Input.Fields
	length, restOnly := 0, false
	if _, text, ok := strings.Cut(b.Reason, ": a body of "); ok {
		fmt.Sscan(text, &length)
	}
	for _, f := range fields {
		restOnly = restOnly || f.RestOnly && strings.HasPrefix(b.Place, "input /"+f.Field)
	}
	isTaken := strings.Contains(b.Reason, " calls ")
	if slices.Contains(transports, svc.TransportRPC) && !restOnly && !isTaken {
		input := find(func(input string) bool { return takesRPC(send.oldRPC, method, input) })
		if input == "" {
			t.alone++
		} else if t.sent++; takesRPC(send.nowRPC, method, input) {
			t.failures = append(t.failures, fmt.Sprintf("%s: JSON-RPC takes %s", b, input))
		}
	}
	if !slices.Contains(transports, svc.TransportREST) || moved {
		return
	}
	var make func() *http.Request
	input := find(func(input string) bool {
		make = request(route, fields, input, length, m.MaxBody)
		return make != nil && send.reached(make(), route) && takesREST(send.oldREST, make())
	})
	isText := strings.HasPrefix(b.Reason, "is ") && slices.ContainsFunc(fields,
		func(f inputField) bool { return f.From != "" && strings.HasPrefix(b.Place+"/", "input /"+f.Field+"/") })
	switch {
	case input == "" && (len(transports) == 1 || isTaken || restOnly):
		t.alone++
	case input == "":
		t.notSent++
	case isTaken:
		if t.restSent++; !send.reachesOther(make(), route) {
			t.failures = append(t.failures, fmt.Sprintf("%s: %s has the same route", b, input))
		}
	case send.reachesOther(make(), route): // which may take it; that is another break
		t.notSent++
	case !takesREST(send.nowREST, make()):
		t.restSent++
	case isText && len(transports) > 1:
		t.asText++ // JSON-RPC has refused it
	default:
		t.failures = append(t.failures, fmt.Sprintf("%s: REST takes %s", b, input))
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
