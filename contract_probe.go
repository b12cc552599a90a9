package svc

// This file compares two plans of a contract. The head of contract.go explains how, and defines the
// words. In this order: plans; reported breaks; the comparison of objects, lists and scalars.
// contract_values.go makes the scalars that are tried.
//
// Here a is the plan of the sender and b the plan of the reader, and x and y are the objects that
// they refer to. at is a place as reports show it, such as "input /tags/*".

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// resolve returns the object that p refers to, or p.
func (p *contractPlan) resolve() *contractPlan { return cmp.Or(p.object, p) }

// child returns the plan of the object member with this name, or of the elements of a list or a
// map. It returns nil if the member does not exist.
func (p *contractPlan) child(name string) *contractPlan {
	if p == nil {
		return nil
	}
	fields := p.resolve().allFields()
	if i := slices.IndexFunc(fields, func(f *contractPlan) bool { return f.Name == name }); i >= 0 {
		return fields[i]
	}
	return p.Of
}

// allFields returns the fields of an object, and the fields of all alternatives of a union.
func (p *contractPlan) allFields() []*contractPlan {
	fields := p.Fields
	for _, a := range p.Union {
		fields = slices.Concat(fields, a.Fields)
	}
	return fields
}

// String describes the values of p in words.
func (p *contractPlan) String() string {
	if p == nil {
		return "nothing"
	}
	text := cmp.Or(p.Go, p.Kind)
	for i, u := range p.resolve().Any {
		if i == 0 {
			text = u.String()
		} else {
			text += " or " + u.String()
		}
	}
	if p.Length != nil {
		text += " of " + strconv.Itoa(*p.Length)
	}
	if p.Quoted {
		text += " in a string"
	}
	if p.Null {
		text += " or null"
	}
	return text
}

// jsonType returns the JSON type of p, or "list of" and the type of its items. Values in URLs and
// headers are strings unless they are numbers or bools.
func (p *contractPlan) jsonType() string {
	switch {
	case p.Kind == "list":
		return "list of " + p.Of.jsonType()
	case p.Kind == "bool":
		return p.Kind
	case !p.isComposite() && p.reader.shape.kind.isNumeric():
		return "number"
	}
	return "string"
}

// keyOf returns JSON that p, a plan of map keys, can read for the key text of a different plan: the
// name "1" is the number 1 to a plan of integers.
func (p *contractPlan) keyOf(text string) string {
	if text = textOr(text); p.jsonType() == "string" {
		text = string(appendQuoted(nil, text))
	}
	return text
}

// jsonIndex returns the index in jsonTypes of the JSON type of p, which is not null, or -1 if values
// may be of several types.
func (p *contractPlan) jsonIndex() int {
	switch {
	case p.Quoted:
		return jsonTypeOf('"')
	case p.Kind == "any" || p.Kind == "custom" || p.Kind == "byType":
		return -1
	case p.Kind == "object" || p.Kind == "map":
		return jsonTypeOf('{')
	case p.Kind == "list":
		return jsonTypeOf('[')
	case p.Kind == "bool":
		return jsonTypeOf('t')
	case p.jsonType() == "number":
		return jsonTypeOf('0')
	}
	return jsonTypeOf('"')
}

// choice returns the alternative of p, a union by JSON type, whose type has this index, or nil. If
// p is not a union, choice returns p itself if its type may be this one.
func (p *contractPlan) choice(index int) *contractPlan {
	choices := p.choices()
	i := slices.IndexFunc(choices, func(u *contractPlan) bool { return u.jsonIndex() == index || p.Kind != "byType" && u.jsonIndex() < 0 })
	if i < 0 {
		return nil
	}
	return choices[i]
}

// choices returns the alternatives of a union by JSON type, or p alone.
func (p *contractPlan) choices() []*contractPlan {
	if list := p.resolve().Any; list != nil {
		return list
	}
	return []*contractPlan{p}
}

func (p *contractPlan) isInteger() bool {
	return !p.isComposite() && p.reader.shape.kind.isInteger()
}

// isComposite reports whether a value contains other values.
func (p *contractPlan) isComposite() bool {
	return p.Kind == "object" || p.Kind == "map" || p.Kind == "list" || p.Kind == "byType"
}

// isFrom compares sources. Header names are case-insensitive (RFC 9110, section 5.1).
func (p *contractPlan) isFrom(source string) bool {
	return p.From == source || strings.HasPrefix(source, inHeader+" ") && strings.EqualFold(p.From, source)
}

// isIn reports whether p comes from this part of a REST request.
func (p *contractPlan) isIn(w where) bool { return strings.HasPrefix(p.From, w.String()+" ") }

// alternatives returns the alternatives of a union, or p alone.
func (p *contractPlan) alternatives() []*contractPlan {
	if p.Union == nil {
		return []*contractPlan{p}
	}
	return p.Union
}

// A prober compares two versions of a method. It finds values that a sender with one plan sends and
// a reader with the other refuses.
type prober struct {
	was, is   *contractMethod
	sameRoute bool              // of both versions
	takers    []*contractMethod // methods that now take requests of the released route
	outputs   bool              // outputs are compared: they have no defaults, and enum is their only rule
	compared  map[[2]*contractPlan]bool
	found     []Break
	shown     map[string]bool       // texts of breaks, and places where something is refused
	lengths   map[*contractPlan]int // those of shortest
}

// usesMCP reports whether clients of the release may use MCP, now too.
func (p *prober) usesMCP() bool {
	return slices.Contains(p.was.Transports, TransportMCP) && slices.Contains(p.is.Transports, TransportMCP)
}

// ignored says in words that the service ignores a member that it does not know.
func (p *prober) ignored() string {
	if p.usesMCP() {
		return "ignored now (refused over MCP without AllowUnknown)"
	}
	return "ignored now"
}

// add adds a break, unless it was already added, such as for a different alternative of a union.
func (p *prober) add(b Break) {
	b.Method = p.was.Name
	if !p.shown[b.text()] {
		p.shown[b.text()] = true
		p.found = append(p.found, b)
	}
}

// remarkIf adds a break without a witness if broken is true.
func (p *prober) remarkIf(broken bool, at, format string, args ...any) {
	if broken {
		p.add(Break{Place: at, Reason: fmt.Sprintf(format, args...)})
	}
}

// cannotTell begins the reason of a doubt.
const cannotTell = "cannot tell: "

// doubt adds a break that says that Breaks cannot tell.
func (p *prober) doubt(at, format string, args ...any) {
	p.add(Break{Place: at, Reason: cannotTell + fmt.Sprintf(format, args...)})
}

// refuse adds a break. value is a value at this place that the reader refuses, or "".
func (p *prober) refuse(at, why, value string) {
	b := Break{Place: at, Reason: why}
	if value != "" && !p.outputs {
		b.Witness = json.RawMessage(value)
	}
	p.shown[at] = true
	p.add(b)
}

// breaks returns the breaks found, sorted by place. It drops the doubts of places where a value is
// refused.
func (p *prober) breaks() []Break {
	slices.SortStableFunc(p.found, func(a, b Break) int { return strings.Compare(a.Place, b.Place) })
	return slices.DeleteFunc(p.found, func(b Break) bool { return strings.HasPrefix(b.Reason, cannotTell) && p.shown[b.Place] })
}

// isProbed reports whether probes show what a rule with this role refuses. Other rules are only
// compared for changes.
func (role ruleRole) isProbed() bool {
	switch role {
	case roleValues, // all of them; see values
		roleLeast, roleMost, // a size at each limit and one beyond it; see texts and compareSizes
		roleLow, roleHigh, roleStep, // numbers at the bounds and one step away; see numbers
		rolePattern,  // a text that matches one pattern only; see searchTexts
		roleFormat,   // texts of the format; see formatTexts
		roleDistinct: // an item twice; see compareLists
		return true
	}
	return false
}

// counting returns the rules of a plan that count: all of an input, and the enum of an output.
// plan may be nil.
func (p *prober) counting(plan *contractPlan) []planRule {
	switch {
	case plan == nil:
		return nil
	case p.outputs:
		return slices.DeleteFunc(slices.Clone(plan.rules), func(r planRule) bool { return r.role != roleValues })
	}
	return plan.rules
}

// rule returns the value of the first rule with a role that counts, or "".
func (p *prober) rule(plan *contractPlan, role ruleRole) string {
	for _, r := range p.counting(plan) {
		if r.role == role {
			return string(r.value)
		}
	}
	return ""
}

// value returns the value of a keyword that counts, or "".
func (p *prober) value(plan *contractPlan, keyword string) string {
	for _, r := range p.counting(plan) {
		if r.keyword == keyword {
			return string(r.value)
		}
	}
	return ""
}

// sizes returns the minimum and maximum size that a plan, which may be nil, sets for values of the
// kind of the plan like, counted in characters, items or members. Without a rule the maximum is one
// less than the largest int, since callers add one to it.
func (p *prober) sizes(plan, like *contractPlan) (least, most int) {
	most = math.MaxInt - 1
	switch {
	case plan == nil || plan.Kind != like.Kind && (plan.isComposite() || like.isComposite()):
		return 0, most
	case plan.Length != nil:
		return *plan.Length, *plan.Length
	}
	least, _ = strconv.Atoi(p.rule(plan, roleLeast))
	if text := p.rule(plan, roleMost); text != "" {
		most, _ = strconv.Atoi(text)
	}
	return least, most
}

// isRequired reports whether a member must be there, or is always there.
func (p *prober) isRequired(f *contractPlan) bool {
	return f != nil && !f.Optional && (f.Default == nil || p.outputs)
}

// refuses returns the rules by which plan refuses a scalar. A composite refuses it by its type.
func (p *prober) refuses(plan *contractPlan, text string) []string {
	switch {
	case plan.Null && text == "null":
		return nil
	case plan.Kind == "byType":
		v := plan.choice(jsonTypeOf(text[0]))
		switch {
		case v == nil:
			return []string{ruleType}
		case v.isComposite(): // the parts inside are not compared
			return nil
		}
		return p.refuses(v, text)
	case plan.isComposite():
		return []string{ruleType}
	}
	// The reader of an output knows rules which do not count there.
	return slices.DeleteFunc(plan.reader.read(text),
		func(keyword string) bool { return plan.Rules[keyword] != nil && p.value(plan, keyword) == "" })
}

// takes reports whether plan takes a scalar. A plan that is nil takes all.
func (p *prober) takes(plan *contractPlan, text string) bool {
	return plan == nil || len(p.refuses(plan, text)) == 0
}

// changed describes the values now and before, such as "is int, was string".
func (p *prober) changed(a, b *contractPlan) string {
	if p.outputs {
		a, b = b, a
	}
	return fmt.Sprintf("is %v, was %v", b, a)
}

// explain says why a value of a is refused by b, for the rule with this keyword.
func (p *prober) explain(a, b *contractPlan, keyword string) string {
	was, is := cmp.Or(p.value(a, keyword), "none"), p.value(b, keyword)
	if b.Kind == "file" {
		keyword = "contentType"
	}
	switch {
	case is == "":
		return p.changed(a, b)
	case p.outputs:
		return fmt.Sprintf("%s is %s, was %s: clients do not know the new ones", keyword, was, is)
	}
	return fmt.Sprintf("%s is %s, was %s", keyword, is, was)
}

// explainRole is explain for the first rule of b with this role. An array has sizes without a rule.
func (p *prober) explainRole(a, b *contractPlan, role ruleRole) string {
	for _, r := range p.counting(b) {
		if r.role == role {
			return p.explain(a, b, r.keyword)
		}
	}
	return p.changed(a, b)
}

// compare adds the breaks of a value. Objects may contain themselves, so a pair of plans is compared
// only once: the breaks inside it were found the first time.
func (p *prober) compare(a, b *contractPlan, at string) {
	x, y := a.resolve(), b.resolve()
	pair := [2]*contractPlan{x, y}
	if a.Null && !p.takes(b, "null") { // null belongs to a and b, and not to the objects that they refer to
		p.refuse(at, p.changed(a, b), "null")
	}
	p.compareUnprobed(a, b, at)
	if p.compared[pair] || b.Kind == "any" {
		return
	}
	p.compared[pair] = true
	switch {
	case a.unknown != nil && !p.outputs:
		p.doubt(at, "the release has the rule %s, which this version of svc does not know", a.unknown[0])
	case a.RESTOnly && b.RESTOnly && a.jsonType() != b.jsonType():
		p.doubt(at, "%s, and over REST some values of both are the same text", p.changed(a, b))
	case a.Kind == "byType" || b.Kind == "byType":
		p.compareChoices(a, b, at)
	case a.Kind == "object" && (b.Kind == "object" || b.Kind == "map"):
		p.compareObjects(x, y, at)
	case a.Kind == "map" && b.Kind == "object":
		refused := p.is.Strict && p.hasStray(a, y)
		p.remarkIf(refused && !p.outputs, at, "%s: unknown names are refused (Strict)", p.changed(a, b))
		p.remarkIf(!p.is.Strict && !p.outputs, at, "%s: unknown names are %s", p.changed(a, b), p.ignored())
		p.compareMembers(p.objectLike(a, y), y, at)
	case a.Kind == "map" && b.Kind == "map":
		p.compareMaps(a, b, at)
	case a.Kind == "list" && b.Kind == "list":
		p.compareLists(a, b, at)
	case a.isComposite(): // b is of a different kind
		p.refuse(at, p.changed(a, b), "")
	default:
		p.compareScalars(a, b, at, "")
	}
}

// compareChoices is compare for two plans if at least one is a union by JSON type. The reader
// chooses by the JSON type of the value sent.
func (p *prober) compareChoices(a, b *contractPlan, at string) {
	for _, u := range a.choices() {
		one := *u
		one.Null = false // null would not show that the type is refused
		switch v := b.choice(u.jsonIndex()); {
		case v != nil:
			p.compare(&one, v, at)
		case u.jsonIndex() < 0:
			p.compareScalars(&one, b, at, "")
		default:
			p.refuse(at, p.changed(a, b), "")
		}
	}
}

// compareUnprobed adds a doubt for each rule of b that is new or changed and that no probe shows.
func (p *prober) compareUnprobed(a, b *contractPlan, at string) {
	for _, r := range p.counting(b) {
		if !r.role.isProbed() && !sameScalar(r.value, a.Rules[r.keyword]) {
			p.doubt(at, "%s, and svc cannot compare the rule", p.explain(a, b, r.keyword))
		}
	}
}

// compareObjects is compare for objects, and for an object and a map. Each alternative of a
// union is compared with the same one of the other.
func (p *prober) compareObjects(x, y *contractPlan, at string) {
	if x.Union == nil && y.Union != nil {
		p.compareUnion(x, y, at)
		return
	}
	// Alternatives with the same value of the discriminator are compared. An object that is not a
	// union is compared with all alternatives of the other.
	for _, u := range x.alternatives() {
		known := false
		for _, v := range y.alternatives() {
			if u.Type == v.Type || x.Union == nil || y.Union == nil {
				known = true
				p.compareMembers(u, v, at)
			}
		}
		if d := x.Fields; !known {
			p.refuse(placeIn(at, d[0].Name), p.explainRole(d[0], y.Fields[0], roleValues), string(appendQuoted(nil, u.Type)))
		}
	}
}

// compareUnion is compare for an object x and a union y. The reader chooses by the value that the
// sender has in the member of the discriminator. So x is compared with each alternative that this
// member can name, as an object whose member has only this value.
func (p *prober) compareUnion(x, y *contractPlan, at string) {
	d := y.Fields[0]
	f, place := x.child(d.Name), placeIn(at, d.Name)
	p.remarkIf(!p.isRequired(f), place, "%s", p.explainAbsent(f))
	if f == nil {
		return
	}
	p.compare(f, d, place)
	for _, v := range y.Union {
		if p.takes(f, string(appendQuoted(nil, v.Type))) {
			chosen, one := *v.Fields[0], &contractPlan{Kind: "object", Fields: slices.Clone(x.Fields)}
			one.Fields[slices.Index(x.Fields, f)] = &chosen
			p.compareMembers(one, v, at)
		}
	}
}

// objectLike returns the map of as an object, to be compared with the object y. It has the members
// of y whose names can be in the map, as optional members, and one more member that stands for all
// other names. A map of integers and an object with name are compared as {"name":0,"other":0}.
func (p *prober) objectLike(of, y *contractPlan) *contractPlan {
	x := &contractPlan{Kind: "object"}
	for _, f := range append(y.allFields(), &contractPlan{contractField: contractField{Name: y.unknownName(), From: "*"}}) {
		named := *of.Of
		named.Name, named.From, named.Optional = f.Name, f.From, true
		if p.takes(of.Keys, of.Keys.keyOf(string(appendQuoted(nil, f.Name)))) {
			x.Fields = append(x.Fields, &named)
		}
	}
	return x
}

// hasStray reports whether the map of has names that the object y does not have.
func (p *prober) hasStray(of, y *contractPlan) bool {
	fields := y.allFields()
	names, _ := p.values(of.Keys, nil, len(fields)+1)
	return slices.ContainsFunc(names, func(key string) bool {
		return !slices.ContainsFunc(fields, func(f *contractPlan) bool { return f.Name == textOr(key) })
	})
}

// compareMaps is compare for maps: their values, names and sizes.
func (p *prober) compareMaps(a, b *contractPlan, at string) {
	if _, most := p.sizes(a, a); most > 0 { // otherwise the map is always empty, and its values cannot break anything
		p.compare(a.Of, b.Of, placeIn(at, "*"))
		p.compareScalars(a.Keys, b.Keys, placeIn(at, "*"), "there are names that the reader does not take")
	}
	p.compareSizes(a, b, at)
}

// compareCounts is compareSizes for an object x and a map y. An object has at least its required
// members, and at most all of them.
func (p *prober) compareCounts(x, y *contractPlan, at string) {
	least := len(slices.DeleteFunc(slices.Clone(x.Fields), func(f *contractPlan) bool { return !p.isRequired(f) }))
	low, high := p.sizes(y, y)
	p.remarkIf(least < low, at, "%s", p.explainRole(x, y, roleLeast))
	p.remarkIf(len(x.Fields) > high, at, "%s", p.explainRole(x, y, roleMost))
}

// compareMembers is compare for the members of x, an object or one alternative, and of y, an object
// or a map.
func (p *prober) compareMembers(x, y *contractPlan, at string) {
	for _, g := range y.Fields {
		if f := x.child(g.Name); p.isRequired(g) && !p.isRequired(f) {
			p.refuse(placeIn(at, g.Name), p.explainAbsent(f), "")
		}
	}
	if y.Of != nil {
		p.compareCounts(x, y, at)
	}
	for _, f := range x.Fields {
		g, place := y.child(f.Name), placeIn(at, f.Name)
		switch {
		case y.Of != nil:
			p.compare(f.asSent(), g, placeIn(at, "*"))
		case g != nil:
			if !p.outputs {
				p.compareField(f, g, place)
				p.compareFiles(f, g, place)
			}
			if f.isFrom(g.From) || !p.sameRoute || !p.was.isAlone() && !f.RESTOnly { // otherwise the sender gives g no value
				p.compare(f.asSent(), g, place)
			}
		case !p.outputs: // a client ignores unknown members
			p.compareGone(f, y, place)
		}
	}
}

// asSent returns p, a field, without the values that cannot be sent where only REST has it: null,
// and an empty list or null in it.
func (p *contractPlan) asSent() *contractPlan {
	if !p.RESTOnly || p.inJSON() {
		return p
	}
	sent := *p
	if sent.Null = false; p.Of != nil {
		of := *p.Of
		of.Null, sent.Of = false, &of
	}
	return &sent
}

// compareGone adds the break of a field f of an input that the object y does not have.
func (p *prober) compareGone(f, y *contractPlan, at string) {
	// Nothing is refused in a body that the method does not read.
	isRead := !f.RESTOnly && (p.is.readsBody() || !p.was.isAlone())
	gone, ignored := "is gone", p.ignored()
	if y.union.child(f.Name) != nil { // other alternatives do not have it
		gone = fmt.Sprintf("is gone where %s is %q", y.Fields[0].Name, y.Type)
	}
	if f.RESTOnly {
		ignored = "ignored now"
	}
	if p.is.Strict && (isRead || f.isIn(whereQuery) || f.isIn(whereForm)) {
		p.refuse(at, gone+", and unknown names are refused (Strict)", "")
		return
	}
	p.remarkIf(f.From != "*", at, "%s: it is %s", gone, ignored)
}

// placeIn returns the place of a part inside a place, such as "input /tags/*" for the part * of
// "input /tags".
func placeIn(at, part string) string {
	if !strings.Contains(at, "/") {
		at += " "
	}
	return at + "/" + part
}

// explainAbsent explains why a reader misses a member. f is the sender's plan of the member, or
// nil.
func (p *prober) explainAbsent(f *contractPlan) string {
	switch {
	case p.outputs && f == nil:
		return "is gone, was always there"
	case p.outputs:
		return "may be absent, was always there"
	case f == nil:
		return "is required, and is new"
	}
	return "is required, was optional"
}

// compareField adds the breaks of an input field that need no witness.
func (p *prober) compareField(f, g *contractPlan, at string) {
	p.remarkIf(p.sameRoute && !f.isFrom(g.From), at, "comes from %s, came from %s", cmp.Or(g.From, "body"), cmp.Or(f.From, "body"))
	p.remarkIf(!p.isRequired(f) && !p.isRequired(g) && !sameScalar(f.Default, g.Default), at, "default is %s, was %s",
		cmp.Or(string(g.Default), "none"), cmp.Or(string(f.Default), "none"))
	p.remarkIf(f.Unkeyed && !g.Unkeyed && p.was.Key != "" && p.is.Key != "", at, "counts for idempotency keys now")
	p.remarkIf(f.MCPHeader != g.MCPHeader && g.MCPHeader != "" && p.usesMCP(), at, "mcpheader is %s, was %s", g.MCPHeader,
		cmp.Or(f.MCPHeader, "none"))
	if x, y := cmp.Or(f.Of, f), cmp.Or(g.Of, g); !f.inJSON() && x.jsonType() == "number" && !x.isInteger() && y.isInteger() {
		p.doubt(at, "%s, and outside of JSON an integer is written in digits alone", p.changed(f, g))
	}
}

// compareFiles adds a break if the maximum length of a file shrank.
func (p *prober) compareFiles(f, g *contractPlan, at string) {
	was, _ := f.maxBytes()
	is, _ := g.maxBytes()
	p.remarkIf(f.Kind == "file" && g.Kind == "file" && is < was, at, "%s is %d, was %s: a body of %d bytes is refused", ruleMaxBytes, is,
		cmp.Or(string(f.Rules[ruleMaxBytes]), "none"), is+1)
}

// fitsREST reports whether a client can send JSON as the value of a field over REST: outside of
// bodies there is no null, empty list or empty path segment, and headers restrict the characters.
func (p *contractPlan) fitsREST(text string) bool {
	_, name, _ := strings.Cut(p.From, " ")
	plain := textOr(text)
	switch {
	case p.inJSON():
		return true
	case p.isIn(wherePath) && strings.HasSuffix(name, tailMark):
		return text != "null" && isTailText(plain)
	case p.isIn(wherePath):
		return text != "null" && plain != "" && plain != "." && plain != ".."
	case p.isIn(whereQuery), p.isIn(whereForm):
		return text != "[]" && !strings.Contains(text, "null")
	}
	return text != "null" && (plain != "" || name != lastEventID) &&
		!strings.ContainsFunc(plain, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`",;\`, r) })
}

// compareLists is compare for lists: their elements and sizes, and whether an element can be there
// twice.
func (p *prober) compareLists(a, b *contractPlan, at string) {
	_, most := p.sizes(a, a)
	if most > 0 { // otherwise the list is always empty, and its elements cannot break anything
		p.compare(a.Of, b.Of, placeIn(at, "*"))
	}
	p.compareSizes(a, b, at)
	p.remarkIf(p.rule(b, roleDistinct) != "" && p.rule(a, roleDistinct) == "" && most > 1, at, "%s", p.explainRole(a, b, roleDistinct))
}

// compareSizes finds sizes that a list or a map of a can have and b does not allow.
func (p *prober) compareSizes(a, b *contractPlan, at string) {
	least, most := p.sizes(a, a)
	low, high := p.sizes(b, a)
	if a.RESTOnly && !a.inJSON() { // an empty list is an absent one
		least = max(least, 1)
	}
	most = min(most, p.differentParts(a))
	if low > least && most >= least {
		p.refuseSize(a, b, at, roleLeast)
	}
	if high < most && p.isSendable(p.shortestParts(a, max(high+1, least))) {
		p.refuseSize(a, b, at, roleMost)
	}
}

// refuseSize adds the break of a size that b does not allow, by its rule with this role.
func (p *prober) refuseSize(a, b *contractPlan, at string, role ruleRole) {
	if why := p.explainRole(a, b, role); p.hasUnprobed(a) {
		p.doubt(at, "%s, and svc cannot compare a rule of the release", why)
	} else {
		p.refuse(at, why, "")
	}
}

// differentParts returns the maximum number of different items in a list or members in a map a.
// This limits the size of a map, and of a list whose items must be unique.
func (p *prober) differentParts(a *contractPlan) int {
	parts := a.Keys
	if p.rule(a, roleDistinct) != "" {
		parts = a.Of
	}
	switch {
	case parts == nil || parts.isComposite():
	case p.rule(parts, roleValues) != "":
		return len(itemsOf([]byte(p.rule(parts, roleValues))))
	case parts.Kind == "bool":
		return 2
	case parts.Kind == "int8" || parts.Kind == "uint8":
		return 1 << 8
	case parts.Kind == "int16" || parts.Kind == "uint16":
		return 1 << 16
	}
	return math.MaxInt
}

// compareScalars is compare for scalars. It looks for a value that breaks each rule of b. For map
// keys, why is the reason of all breaks; else it is "".
func (p *prober) compareScalars(a, b *contractPlan, at, why string) {
	if a.reader == b.reader { // readerOf made one for both, so they take the same
		return
	}
	values, sure := p.values(a, b, 1)
	refused := make(map[string]bool) // by rule, of which the first value is shown
	for _, text := range values {
		read := text
		if why != "" { // a name is always quoted, whatever the plan of keys
			text, read = string(appendQuoted(nil, textOr(text))), b.keyOf(text)
		}
		for _, rule := range p.refuses(b, read) {
			if !refused[rule] && p.isSendable(len(text)) {
				refused[rule] = true
				p.refuse(at, cmp.Or(why, p.explain(a, b, rule)), text)
			}
		}
	}
	unprobed := p.hasUnprobed(a) // so the values that were tried may be too few
	switch {
	case len(refused) > 0 || sure && !unprobed:
	case a.Go != b.Go:
		p.doubt(at, "%s, and svc does not know a type with its own JSON or text", p.changed(a, b))
	case p.rule(b, rolePattern) != p.rule(a, rolePattern) && p.rule(b, rolePattern) != "" && !unprobed:
		p.doubt(at, "the pattern changed")
	default:
		p.doubtUnshown(a, b, at, len(values))
	}
}

// hasUnprobed reports whether a has a rule that no probe shows, unless it has an enum, which lists all
// values.
func (p *prober) hasUnprobed(a *contractPlan) bool {
	return p.rule(a, roleValues) == "" && slices.ContainsFunc(p.counting(a), func(r planRule) bool { return !r.role.isProbed() })
}

// doubtUnshown adds a doubt for each change from the scalar a to b that may refuse a value, if the
// reader accepted every value tried, and others may exist.
func (p *prober) doubtUnshown(a, b *contractPlan, at string, tried int) {
	why := "no value was found that the release took"
	if tried > 0 {
		why = "no value was found that shows it"
	}
	if a.Kind != b.Kind || a.Quoted != b.Quoted {
		p.doubt(at, "%s, but %s", p.changed(a, b), why)
	}
	for _, r := range p.counting(b) {
		if r.role.isProbed() && p.isNarrower(r, a) {
			p.doubt(at, "%s, but %s", p.explain(a, b, r.keyword), why)
		}
	}
}

// isNarrowed reports whether b has a rule that may refuse values of a.
func (p *prober) isNarrowed(a, b *contractPlan) bool {
	return slices.ContainsFunc(p.counting(b), func(r planRule) bool { return p.isNarrower(r, a) })
}

// isNarrower reports whether the rule r may refuse values of a, judging by the value of r. A limit
// that is the same as in a, or wider, refuses nothing.
func (p *prober) isNarrower(r planRule, a *contractPlan) bool {
	text := p.value(a, r.keyword)
	was, isNumber := new(big.Rat).SetString(text)
	is, both := new(big.Rat).SetString(string(r.value))
	switch {
	case !isNumber || !both:
		return text != string(r.value)
	case r.role == roleLeast, r.role == roleLow:
		return is.Cmp(was) > 0
	case r.role == roleMost, r.role == roleHigh:
		return is.Cmp(was) < 0
	}
	return is.Cmp(was) != 0
}
