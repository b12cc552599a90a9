package svc

// This file makes the values that tell two plans apart. In this order: probes of objects,
// maps, lists and scalars; short values; numbers and texts; the search for texts of patterns.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A probe is JSON that one plan takes and another may refuse, because of what is at a place.
type probe struct{ at, text string }

// A prober makes the probes of an input or an output.
type prober struct {
	from, to *replica // what is sent, and what has to take it
	restOnly bool     // the sender has no other transport
	compared map[[2]string]bool
	doubts   []Break // what probes do not decide
	remarks  []Break // what no probe shows
}

// newProber returns a prober of values that one replica has and another has to take.
func newProber(from, to *replica) *prober {
	return &prober{from: from, to: to, compared: make(map[[2]string]bool)}
}

// remark adds a break that refuses nothing.
func (p *prober) remark(at, format string, args ...any) {
	p.remarks = append(p.remarks, Break{At: p.place(at), Why: fmt.Sprintf(format, args...)})
}

// isRequired reports whether a member must be there, or is always there.
func (p *prober) isRequired(f *contractPlan) bool {
	return f != nil && !f.Optional && (f.Default == nil || p.from.outputs)
}

// probes returns the probes of values of a that b has to take. Objects that contain
// themselves end by induction: a pair that is being compared is taken to be fine inside.
func (p *prober) probes(a, b *contractPlan, at string) (list []probe) {
	if a.Null && !b.Null && p.to.refuses(b, "null") != nil {
		list = append(list, probe{at, "null"})
	}
	members := p.from.fieldsOf(a)
	if a.Object+b.Object != "" && b.Kind != "any" {
		pair := [2]string{a.identity(), b.identity()}
		if p.compared[pair] {
			return list
		}
		p.compared[pair] = true
	}
	switch {
	case b.Kind == "any":
		return list
	case a.Kind == "object" && b.Kind == "object":
		return append(list, p.unionProbes(p.from.objectOf(a), p.to.objectOf(b), at)...)
	case a.Kind == "object" && b.Kind == "map":
		return append(list, p.objectProbes(members, namedLike(members, b.Of), at)...)
	case a.Kind == "map" && b.Kind == "object":
		if members = p.to.fieldsOf(b); !p.from.outputs {
			p.remark(at, "is %s, was %s: unknown names are ignored", describePlan(b), describePlan(a))
		}
		other := *a.Of
		other.Name, other.From, other.Optional = unnamed(members), "*", true
		like := append(namedLike(members, a.Of), &other)
		return append(list, p.objectProbes(like, members, at)...) // the last stands for all other names
	case a.Kind == "map" && b.Kind == "map":
		return append(list, p.mapProbes(a, b, at)...)
	case a.Kind == "list" && b.Kind == "list":
		return append(list, p.listProbes(a, b, at)...)
	case a.isComposite():
		bare := *a
		if bare.Null = false; a.Kind == "list" && a.From != "" { // one value may be that of a parameter that is no list
			return append(list, probe{at, arrayOf("", p.elements(&bare, nil, 2)...)})
		}
		return append(list, probe{at, p.sample(&bare, nil)})
	}
	return append(list, p.scalarProbes(a, b, at)...)
}

// unionProbes is probes for objects, of which each alternative is compared with the same
// one of the other.
func (p *prober) unionProbes(a, b *contractType, at string) (list []probe) {
	if a.Union == nil && b.Union == nil {
		return p.objectProbes(a.Fields, b.Fields, at)
	}
	for _, x := range a.alternatives() {
		known := false
		for _, y := range b.alternatives() {
			if x.Name == y.Name || a.Union == nil || b.Union == nil {
				known = true
				list = append(list, p.objectProbes(x.Fields, y.Fields, at)...)
			}
		}
		if !known {
			list = append(list, probe{at + "/" + a.Fields[0].Name, p.with(x.Fields, b.Fields, "", "")})
		}
	}
	return list
}

// alternatives returns the alternatives of a union, each with the discriminator that it
// has, or t alone.
func (t *contractType) alternatives() (list []*contractType) {
	for _, a := range t.Union {
		own := *a.Fields[0]
		own.Rules = map[string]json.RawMessage{"enum": json.RawMessage("[" + string(appendQuoted(nil, a.Name)) + "]")}
		list = append(list, &contractType{Name: a.Name, Fields: append([]*contractPlan{&own}, a.Fields[1:]...)})
	}
	if t.Union == nil {
		list = []*contractType{t}
	}
	return list
}

// identity returns the name of an object, or all that there is to say of another value.
func (p *contractPlan) identity() string {
	if p.Object != "" {
		return p.Object
	}
	bare := *p
	bare.Name, bare.From, bare.Optional, bare.Default = "", "", false, nil
	return string(encodeDocument(&bare))
}

// isComposite reports whether there are values in a value.
func (p *contractPlan) isComposite() bool {
	return p.Kind == "object" || p.Kind == "map" || p.Kind == "list"
}

// namedLike returns optional fields with one plan and the names of others.
func namedLike(fields []*contractPlan, like *contractPlan) (list []*contractPlan) {
	for _, f := range fields {
		named := *like
		named.Name, named.Optional = f.Name, true
		list = append(list, &named)
	}
	return list
}

// objectProbes is probes for the members of objects.
func (p *prober) objectProbes(a, b []*contractPlan, at string) (list []probe) {
	if slices.ContainsFunc(b, func(g *contractPlan) bool { return p.isRequired(g) && !p.isRequired(fieldNamed(a, g.Name)) }) {
		list = append(list, probe{at, p.with(a, b, "", "")})
	}
	for _, f := range a {
		g, in := fieldNamed(b, f.Name), at+"/"+f.Name
		switch {
		case g == nil && !p.to.decoders.strict && (p.from.outputs || f.From == "*"): // nobody minds
		case g == nil && !p.to.decoders.strict:
			p.remark(in, "is gone: it is ignored now")
		case g == nil:
			list = append(list, probe{in, p.with(a, b, f.Name, p.sampleField(f, nil))})
		default:
			if !p.from.outputs && !p.isRequired(f) && !p.isRequired(g) && !sameLiteral(string(f.Default), string(g.Default)) {
				p.remark(in, "default is %s, was %s", cmp.Or(string(g.Default), "none"), cmp.Or(string(f.Default), "none"))
			}
			inside := slices.DeleteFunc(p.probes(f, g, in), func(one probe) bool { return !p.canSend(f, one.text) })
			for _, one := range inside {
				list = append(list, probe{one.at, p.with(a, b, f.Name, one.text)})
			}
		}
	}
	return list
}

// with returns a short object of a with one more member, or with another value of it.
func (p *prober) with(a, b []*contractPlan, name, text string) string {
	m := openMembers(nil)
	for _, f := range a {
		if f.Name != name && p.isRequired(f) {
			m.addRaw(f.Name, p.sampleField(f, fieldNamed(b, f.Name)))
		}
	}
	if text != "" {
		m.addRaw(name, text)
	}
	return string(m.close())
}

// sameLiteral reports whether two texts of JSON are one value, to which 1 and 1.0 are.
func sameLiteral(a, b string) bool {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return a == b || okX && okY && x.Cmp(y) == 0
}

// canSend reports whether a client can send JSON as the value of a field: over REST alone
// there is no null, no empty list, no empty segment of a path, and not every header.
func (p *prober) canSend(f *contractPlan, text string) bool {
	source, name, _ := strings.Cut(f.From, " ")
	plain := textOr(json.RawMessage(text))
	switch {
	case source == "" || p.from.outputs || !p.restOnly && !f.RESTOnly:
		return true
	case source == inPath:
		return text != "null" && plain != "" && plain != "." && plain != ".."
	case source == inQuery:
		return text != "[]" && !strings.Contains(text, "null")
	}
	return text != "null" && (plain != "" || name != lastEventID) && !strings.ContainsFunc(plain, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`",;\`, r) })
}

// mapProbes is probes for maps.
func (p *prober) mapProbes(a, b *contractPlan, at string) (list []probe) {
	with := func(key, text string) string { return `{"` + strings.Trim(key, `"`) + `":` + text + "}" }
	for _, one := range p.probes(a.Of, b.Of, at+"/*") {
		list = append(list, probe{one.at, with(p.sample(a.Keys, b.Keys), one.text)})
	}
	for _, one := range p.scalarProbes(a.Keys, b.Keys, at+"/*") {
		list = append(list, probe{one.at, with(one.text, p.sample(a.Of, b.Of))})
	}
	return list
}

// listProbes is probes for lists: one element that b may refuse, lengths that it refuses,
// and one element twice.
func (p *prober) listProbes(a, b *contractPlan, at string) (list []probe) {
	least, most := a.counts("Items")
	low, high := b.counts("Items")
	var inside []probe
	if most > 0 {
		inside = p.probes(a.Of, b.Of, at+"/*")
	}
	for _, one := range inside {
		others := slices.DeleteFunc(p.elements(a, b, least+1), func(text string) bool { return text == one.text && a.Rules["uniqueItems"] != nil })
		list = append(list, probe{one.at, arrayOf(one.text, others[:max(least, 1)-1]...)})
	}
	for _, n := range []int{low - 1, high + 1} {
		if n = max(n, least); n <= most && n <= maxProbe && (n < low || n > high) {
			list = append(list, probe{at, arrayOf("", p.elements(a, b, n)...)})
		}
	}
	if b.Rules["uniqueItems"] != nil && a.Rules["uniqueItems"] == nil && most > 1 {
		list = append(list, probe{at, arrayOf("", slices.Repeat(p.elements(a, b, 1), max(least, 2))...)})
	}
	return list
}

// maxProbe is the greatest length of a list or text that is tried. Longer ones need not fit
// into a request (DefaultMaxBody).
const maxProbe = DefaultMaxBody / 8

// arrayOf returns a JSON array. An empty first element is left out.
func arrayOf(first string, others ...string) string {
	if first != "" {
		others = append([]string{first}, others...)
	}
	return "[" + strings.Join(others, ",") + "]"
}

// counts returns the least and the greatest length of values, by the rules about Length
// or Items.
func (p *contractPlan) counts(of string) (least, most int) {
	most = math.MaxInt - 1
	if p == nil {
		return 0, most
	}
	if p.Length != nil {
		return *p.Length, *p.Length
	}
	least, _ = strconv.Atoi(p.rule("min" + of))
	if text := p.rule("max" + of); text != "" {
		most, _ = strconv.Atoi(text)
	}
	return least, most
}

// elements returns n elements of a list, different ones if they have to be.
func (p *prober) elements(a, b *contractPlan, n int) []string {
	if n == 0 {
		return nil // a sample may have no end
	}
	if a.Rules["uniqueItems"] == nil {
		return slices.Repeat([]string{p.sample(a.Of, b.element())}, n)
	}
	list := p.scalars(a.Of, b.element(), n)
	for len(list) < n { // there are no more, as the plan will say
		list = append(list, "null")
	}
	return list[:n]
}

// sample returns a short value of a, which b takes too if there is such a value.
func (p *prober) sample(a, b *contractPlan) string {
	switch {
	case a.Null && a.isComposite() && (b == nil || p.to.refuses(b, "null") == nil):
		return "null" // which ends a type that contains itself
	case a.Kind == "object":
		return p.with(p.from.objectOf(a).alternatives()[0].Fields, p.to.fieldsOf(b), "", "")
	case a.Kind == "map":
		return "{}"
	case a.Kind == "list":
		least, most := a.counts("Items")
		low, _ := b.counts("Items")
		return arrayOf("", p.elements(a, b, min(max(least, low), max(least, min(most, maxProbe))))...)
	}
	return append(p.scalars(a, b, 1), "null")[0]
}

// sampleField is sample for a field, a value that can be sent.
func (p *prober) sampleField(f, g *contractPlan) string {
	list := []string{p.sample(f, g)}
	if p.canSend(f, list[0]) {
		return list[0]
	}
	if f.Kind == "list" {
		return arrayOf("", p.elements(f, g, 1)...)
	}
	list = slices.DeleteFunc(p.scalars(f, g, 4), func(text string) bool { return !p.canSend(f, text) })
	return append(list, "null")[0]
}

// scalars returns different scalars of a, n if there are so many, first those that b takes.
func (p *prober) scalars(a, b *contractPlan, n int) (list []string) {
	var others []string
	values, _ := p.values(a, b, n)
	for _, text := range values {
		switch {
		case len(list) == n || p.from.refuses(a, text) != nil:
		case b == nil || p.to.refuses(b, text) == nil:
			list = append(list, text)
		default:
			others = append(others, text)
		}
	}
	return append(list, others...)
}

// scalarProbes is probes for scalars: for each rule of b one that is against it.
func (p *prober) scalarProbes(a, b *contractPlan, at string) (list []probe) {
	if describePlan(a) == describePlan(b) && reflect.DeepEqual(a.Rules, b.Rules) || b.Kind == "any" {
		return nil
	}
	n := 1
	if a.From != "" { // where not every text can be sent
		n = 8
	}
	values, sure := p.values(a, b, n)
	seen := make(map[string]bool)
	for _, text := range values {
		if p.from.refuses(a, text) != nil || p.from.unknown != "" || !p.canSend(a, text) {
			continue
		}
		for _, v := range p.to.refuses(b, text) {
			if !seen[v.Rule] {
				seen[v.Rule] = true
				list = append(list, probe{at, text})
			}
		}
	}
	why := ""
	switch {
	case list != nil || sure:
	case a.Go != "":
		why = "it was read by " + a.Go
	case b.Go != "":
		why = "it is read by " + b.Go
	case b.Rules["pattern"] != nil:
		why = "the pattern changed"
	}
	if why != "" {
		p.doubts = append(p.doubts, Break{At: p.place(at), Why: "cannot tell: " + why})
	}
	return list
}

// values returns JSON for scalars of a, among which n are different if there are so many. It
// is sure if one of them is refused by b if any value of a is.
func (p *prober) values(a, b *contractPlan, n int) (list []string, sure bool) {
	n += len(elementsOf(json.RawMessage(b.rule("enum")))) // more than b has
	switch {
	case a.Rules["enum"] != nil:
		list, sure = elementsOf(a.Rules["enum"]), true
	case a.Go != "":
		p.from.shapeOf(a) // which finds the samples
		list = slices.Clone(p.from.samples[a.Go])
		sure = b == nil || a.Go == b.Go || a.Kind == "text" && b.Kind == "string" && b.Rules == nil
	case a.Kind == "bool":
		list = []string{"false", "true"}
	case a.Kind == "any":
		list = []string{"null", "true", "0", "0.5", `""`, `"a"`, "[]", "{}"}
	case a.Kind == "string" || a.Kind == "time" || a.Kind == "duration" || a.Kind == "bytes":
		list, sure = p.texts(a, b, n)
	default:
		list = p.numbers(a, b, n)
	}
	var different []string
	for _, text := range list {
		if a.Quoted {
			text = string(appendQuoted(nil, text))
		}
		if !slices.Contains(different, text) {
			different = append(different, text)
		}
	}
	return different, sure
}

// numbers returns numbers at 0, at the bounds of two plans and beside them, in the steps of
// a, and n from its bounds on.
func (p *prober) numbers(a, b *contractPlan, n int) (list []string) {
	step, hasStep := new(big.Rat).SetString(a.rule("multipleOf"))
	isFloat := strings.HasPrefix(a.Kind, "float") || a.Kind == "number"
	if !hasStep {
		step = big.NewRat(1, 1)
	}
	list = []string{"0"}
	theirs := p.to.bounds(b)
	for i, x := range append(theirs, p.from.bounds(a)...) {
		around := 2
		if i >= len(theirs) {
			around += n
		}
		quotient := new(big.Rat).Quo(x, step)
		count := new(big.Int).Div(quotient.Num(), quotient.Denom()) // rounded down
		for k := range 2*around + 1 {
			if k%2 == 0 {
				k = -k
			}
			y := new(big.Rat).SetInt(count.Add(count, big.NewInt(int64(k)))) // 0, 1, -1, 2, -2 …
			digits, _ := y.Mul(y, step).FloatPrec()
			list = append(list, y.FloatString(digits))
		}
		if isFloat && !hasStep {
			list = append(list, besides(x, b.rule("multipleOf"))...)
		}
	}
	if isFloat {
		list = append(list, "0.5", "4e38", "-4e38", "1e400")
	}
	return list
}

// besides returns numbers next to x: the doubles there, and some that are no multiples of
// step.
func besides(x *big.Rat, step string) (list []string) {
	f, _ := x.Float64()
	half := 0.5
	if step != "" {
		half, _ = strconv.ParseFloat(step, 64)
		half /= 2
	}
	for _, f := range []float64{f, math.Nextafter(f, math.Inf(1)), math.Nextafter(f, math.Inf(-1)), f + half, f - half} {
		if !math.IsInf(f, 0) {
			list = append(list, strconv.FormatFloat(f, 'g', -1, 64))
		}
	}
	return list
}

// bounds returns 0 and the bounds of a number, by its rules and its type.
func (r *replica) bounds(p *contractPlan) []*big.Rat {
	texts := []string{"0"}
	for _, keyword := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
		texts = append(texts, p.rule(keyword))
	}
	if p != nil && (strings.HasPrefix(p.Kind, "int") || strings.HasPrefix(p.Kind, "uint")) {
		low, high := r.plain.shapeFor(plainTypes[p.Kind], "").integerBounds()
		texts = append(texts, low, high)
	}
	var marks []*big.Rat
	for _, text := range texts {
		if x, ok := new(big.Rat).SetString(text); ok {
			marks = append(marks, x)
		}
	}
	return marks
}

// texts returns texts as values does, for the kinds whose JSON they are.
func (p *prober) texts(a, b *contractPlan, n int) (list []string, sure bool) {
	least, most := a.counts("Length")
	low, high := b.counts("Length")
	long := 0 // what is too long for b, if such a text can be sent
	if high < maxProbe {
		long = high + 1
	}
	var texts []string
	switch {
	case a.Kind == "time":
		texts = []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04:05+23:59", "2006-01-02T15:04:05." + strings.Repeat("0", max(long, 21)-21) + "5Z"}
	case a.Kind == "duration":
		texts = []string{"1h", "0", "-1.5s", strings.Repeat("0", max(long, 2)-1) + "s"}
	case a.Kind == "bytes":
		texts = []string{"AA==", "", "+/+/", strings.Repeat("AAAA", long/4+1)}
	case a.rule("pattern")+b.rule("pattern") == "":
		sure = b == nil || b.Go == ""
		for i := range n + 1 {
			text := strconv.FormatInt(int64(i)+10, 36)
			texts = append(texts, strings.Repeat("a", max(least, low, len(text))-len(text))+text)
		}
		for _, n := range []int{least, low - 1, long} {
			texts = append(texts, strings.Repeat("a", max(0, min(n, most, maxProbe))))
		}
	default:
		s := &textSearch{least: least, most: most, low: low, high: high, wanted: n}
		texts, sure = s.findTexts(textOr(a.Rules["pattern"]), textOr(json.RawMessage(b.rule("pattern"))))
		texts = append(texts, variants(texts, n)...)
		sure = sure && b.rule("enum") == "" && (b == nil || b.Go == "")
	}
	for _, text := range texts {
		list = append(list, string(appendQuoted(nil, text)))
	}
	return list, sure
}

// variants returns texts that differ from others in a letter, if there are less than n.
// Not all of them will match a pattern.
func variants(texts []string, n int) (more []string) {
	if len(texts) >= n {
		return nil
	}
	for _, text := range texts {
		for i, r := range text {
			for _, other := range "bcdefghijklmnopqrstuvwxyzBCDEFGH123456789" {
				more = append(more, text[:i]+string(other)+text[i+utf8.RuneLen(r):])
			}
		}
	}
	return more
}

// A textSearch finds texts of one pattern to which a reader with another pattern and other
// lengths answers in different ways. It follows both patterns through all texts, one
// character further in each round, and drops a text that leads to where another has led.
// So it finds a text for each answer that there is, unless it gives up.
type textSearch struct {
	least, most int // the characters of texts
	low, high   int // which the reader takes
	wanted      int // how many texts for each answer
	found       [4][]string
}

// A textState is where a text has led to.
type textState struct {
	before *textState
	r      rune
	own    string // the state of a stepper
	reader string
}

// A textKey says where a text of a length has led to.
type textKey struct {
	own, reader string
	n           int
}

// findTexts returns what it finds, and whether that is all.
func (s *textSearch) findTexts(own, reader string) (texts []string, sure bool) {
	runes := distinctRunes(own, reader)
	stepOwn, stepReader := newStepper(own), newStepper(reader)
	limit := max(s.least, s.low) + s.wanted
	for _, n := range []int{s.most, s.high} {
		if n < maxProbe {
			limit = max(limit, n+1) // beyond it, length changes nothing
		}
	}
	seen := make(map[textKey]bool)
	layer := []*textState{{}}
	steps := 0
	const maxSteps = 1 << 18
	for n := 0; len(layer) > 0 && n <= s.most && steps < maxSteps; n++ {
		var next []*textState
		for _, t := range layer {
			if stepOwn(t.own, -1) == hasMatched {
				s.keep(t, n, stepReader(t.reader, -1) == hasMatched)
			}
			steps += len(runes)
			for _, r := range runes {
				u := &textState{t, r, stepOwn(t.own, r), stepReader(t.reader, r)}
				k := textKey{u.own, u.reader, min(n+1, limit)}
				if seen[k] {
					continue
				}
				seen[k] = true
				next = append(next, u)
			}
		}
		layer = next
	}
	return slices.Concat(s.found[:]...), steps < maxSteps
}

// keep keeps a text of n characters unless there are enough with the same answer.
func (s *textSearch) keep(t *textState, n int, matches bool) {
	answer := 0
	switch {
	case n < s.least:
		return
	case n < s.low:
		answer = 1
	case n > s.high:
		answer = 2
	case !matches:
		answer = 3
	}
	if len(s.found[answer]) < s.wanted {
		var text []rune
		for ; t.before != nil; t = t.before {
			text = append(text, t.r)
		}
		slices.Reverse(text)
		s.found[answer] = append(s.found[answer], string(text))
	}
}

// hasMatched is the state of a stepper that has found a match.
const hasMatched = "!"

// A textStep is what decides the next state of a stepper.
type textStep struct {
	state string
	r     rune
}

// newStepper returns the function that runs a pattern by one character. The state that
// it takes and returns is "" at the start; then it has whether the last character is of a
// word, and the instructions to go on with. The character after the end is -1.
func newStepper(pattern string) func(state string, r rune) string {
	prog := compileProgram(pattern)
	memo := make(map[textStep]string)
	return func(state string, r rune) string {
		if state == hasMatched {
			return state
		}
		next, ok := memo[textStep{state, r}]
		if !ok {
			next = runProgram(prog, []rune(state), r)
			memo[textStep{state, r}] = next
		}
		return next
	}
}

// compileProgram compiles a pattern, of which package regexp has found that it is right.
func compileProgram(pattern string) *syntax.Prog {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		re = &syntax.Regexp{Op: syntax.OpNoMatch}
	}
	prog, _ := syntax.Compile(re.Simplify()) // it fails for nothing that Parse returns
	return prog
}

// runProgram is a step without memory.
func runProgram(prog *syntax.Prog, state []rune, r rune) string {
	before, kind := rune(-1), ' '
	if len(state) > 0 {
		before, state = state[0], state[1:]
	}
	flags := syntax.EmptyOpContext(before, r)
	todo := append(state, rune(prog.Start)) // a match may begin anywhere
	done := make([]bool, len(prog.Inst))
	var next []rune
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; done[pc] {
			continue
		}
		done[pc] = true
		switch i := &prog.Inst[pc]; i.Op {
		case syntax.InstMatch:
			return hasMatched
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, rune(i.Out), rune(i.Arg))
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, rune(i.Out))
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^flags == 0 {
				todo = append(todo, rune(i.Out))
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if r >= 0 && i.MatchRune(r) {
				next = append(next, rune(i.Out))
			}
		}
	}
	slices.Sort(next)
	if syntax.IsWordChar(r) {
		kind = 'a'
	}
	return string(kind) + string(slices.Compact(next))
}

// distinctRunes returns a character for each way in which patterns can treat one.
func distinctRunes(patterns ...string) (list []rune) {
	candidates := []rune("a0A-_ .,:/@")
	var insts []*syntax.Inst
	for _, pattern := range patterns {
		prog := compileProgram(pattern)
		for i := range prog.Inst {
			insts = append(insts, &prog.Inst[i])
			for _, r := range prog.Inst[i].Rune {
				candidates = append(candidates, r, r-1, r+1)
			}
		}
	}
	seen := make(map[string]bool)
	for _, r := range candidates {
		key := strconv.AppendBool(nil, syntax.IsWordChar(r))
		for _, i := range insts {
			key = strconv.AppendBool(key, len(i.Rune) > 0 && i.MatchRune(r))
		}
		if utf8.ValidRune(r) && !seen[string(key)] {
			seen[string(key)] = true
			list = append(list, r)
		}
	}
	return list
}
