package svc

// This file compares two plans of a contract by trying values. The head of contract.go explains
// how, and defines the words. In this order: plans; reported breaks; the comparison of objects,
// lists and scalars. contract_values.go makes the values.
//
// Here a is the plan of the sender and b the plan of the reader, and x and y are the objects that
// they refer to. at is a place as reports show it, such as "input /tags/*". in wraps a value of a,
// as JSON, in a whole value: for the field age of an input it turns 0 into {"age":0}.

import (
	"bytes"
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
	whole     *scalarReader     // reads the inputs of the service; nil if it has none
	compared  map[[2]*contractPlan]bool
	making    map[*contractPlan]int // how often sample is inside each object
	made      int                   // objects and lists in the samples of one whole value; see maxMade
	missing   string                // why the last sample or probe that was made may be no value of the sender
	found     []Break
	shown     map[string]bool // texts of breaks, and places where something is refused
	unshown   int             // how many refusals no whole value shows
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

// refuse adds a break whose witness is text, a whole value that the reader refuses. It reports
// whether text shows the break, even if the break was known. It does not if text is "", because the
// value cannot be sent, if part of the value could not be made, or if the service accepts it after
// all.
func (p *prober) refuse(at, why, text string) bool {
	tooMany := p.made > maxMade
	missing := p.takeMissing()
	if tooMany && !p.outputs { // at every other place, too
		p.doubt(at, "%s, but %s", why, missing)
		return false
	}
	if missing == "" && !p.isSendable(len(text)) {
		missing = tooLong
	}
	isMade := missing == "" || p.outputs // breaks of outputs never have a witness
	switch {
	case text == "", isMade && p.whole != nil && p.whole.read(text) == nil:
		p.unshown++
		return false
	case !isMade:
		p.unshown++
		p.doubt(at, "%s, but %s", why, missing)
		return false
	}
	b := Break{Place: at, Reason: why}
	if !p.outputs {
		b.Witness = json.RawMessage(text)
	}
	p.shown[at] = true
	p.add(b)
	return true
}

// takeMissing ends a whole value. It returns why that may be no value of the sender, or "".
func (p *prober) takeMissing() (missing string) {
	missing, p.missing, p.made = p.missing, "", 0
	return missing
}

// isSendable reports whether an input of n bytes may have been sent to the release.
func (p *prober) isSendable(n int) bool { return p.outputs || int64(n) <= p.was.mostInput() }

// breaks returns the breaks found, sorted by place. It drops the doubts of places where a value is
// refused.
func (p *prober) breaks() []Break {
	slices.SortStableFunc(p.found, func(a, b Break) int { return strings.Compare(a.Place, b.Place) })
	return slices.DeleteFunc(p.found, func(b Break) bool { return strings.HasPrefix(b.Reason, cannotTell) && p.shown[b.Place] })
}

// namedReader returns a reader of whole inputs in which REST-only fields are members too. It is nil
// if m has no input or its input is a file, which is never read as JSON.
func (m *method) namedReader() *scalarReader {
	if m.in == nil || m.in.file != nil {
		return nil
	}
	var fields []*field
	for _, f := range m.in.fields {
		named := *f
		named.hidden = false
		fields = append(fields, &named)
	}
	plan := newDecoders(new(mistakes), m.strict).structPlan(m.in.withFields(fields), nil)
	return &scalarReader{shape: m.in, decode: plan.decodeObject}
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

// compare tries values of a on b. in puts them into whole values. Objects may contain themselves,
// so a pair of plans is compared only once: the breaks inside it were found the first time.
func (p *prober) compare(a, b *contractPlan, at string, in func(string) string) {
	x, y := a.resolve(), b.resolve()
	pair := [2]*contractPlan{x, y}
	if a.Null && !p.takes(b, "null") { // null belongs to a and b, and not to the objects that they refer to
		p.refuse(at, p.changed(a, b), in("null"))
	}
	p.compareUnprobed(a, b, at)
	if p.compared[pair] || b.Kind == "any" {
		return
	}
	p.compared[pair] = true
	whole := in
	in = func(text string) string {
		p.noteUnprobed(a)
		return whole(text)
	}
	defer func(before int) { // a break that this place cannot show may show at a different one
		if p.unshown > before && p.unshown < maxUnshown {
			delete(p.compared, pair)
		}
	}(p.unshown)
	switch {
	case a.unknown != nil && !p.outputs:
		p.doubt(at, "the release has the rule %s, which this version of svc does not know", a.unknown[0])
	case a.RESTOnly && b.RESTOnly && a.jsonType() != b.jsonType():
		p.doubt(at, "%s, and over REST some values of both are the same text", p.changed(a, b))
	case a.Kind == "byType" || b.Kind == "byType":
		p.compareChoices(a, b, at, in)
	case a.Kind == "object" && (b.Kind == "object" || b.Kind == "map"):
		p.compareObjects(x, y, at, in)
	case a.Kind == "map" && b.Kind == "object":
		least, most := p.sizes(a, a)
		stray := ""
		if p.is.Strict && !p.outputs {
			stray = p.strayMember(a, y)
		}
		if stray != "" {
			p.refuse(at, p.changed(a, b)+": unknown names are refused (Strict)", in(p.fillMap(a, y, stray, least, most)))
		}
		p.remarkIf(!p.is.Strict && !p.outputs, at, "%s: unknown names are %s", p.changed(a, b), p.ignored())
		p.compareMembers(p.objectLike(a, y), y, at, func(text string) string { return in(p.fillMap(a, y, text, least, most)) })
	case a.Kind == "map" && b.Kind == "map":
		p.compareMaps(a, b, at, in)
	case a.Kind == "list" && b.Kind == "list":
		p.compareLists(a, b, at, in)
	case a.isComposite(): // b is of a different kind, which null would not show
		bare := *a
		bare.Null = false
		p.refuse(at, p.changed(a, b), in(p.sample(&bare, nil)))
	default:
		p.compareScalars(a, b, at, "", in)
	}
}

// compareChoices is compare for two plans if at least one is a union by JSON type. The reader
// chooses by the JSON type of the value sent.
func (p *prober) compareChoices(a, b *contractPlan, at string, in func(string) string) {
	for _, u := range a.choices() {
		one := *u
		one.Null = false // null would not show that the type is refused
		switch v := b.choice(u.jsonIndex()); {
		case v != nil:
			p.compare(&one, v, at, in)
		case u.jsonIndex() < 0:
			p.compareScalars(&one, b, at, "", in)
		default:
			p.refuse(at, p.changed(a, b), in(p.sample(&one, nil)))
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

// noteUnprobed notes that a sample of a list or a map a may break a rule of a that no probe shows.
// Samples of scalars are checked by all rules; compareScalars looks whether one is left.
func (p *prober) noteUnprobed(a *contractPlan) {
	for _, r := range p.counting(a) {
		if !r.role.isProbed() && a.isComposite() {
			p.missing = "no value for the rule " + r.keyword + " of the release can be made"
		}
	}
}

// compareObjects is compare for objects, and for an object and a map. Each alternative of a
// union is compared with the same one of the other.
func (p *prober) compareObjects(x, y *contractPlan, at string, in func(string) string) {
	if x.Union == nil && y.Union != nil {
		p.compareUnion(x, y, at, in)
		return
	}
	// Alternatives with the same value of the discriminator are compared. An object that is not a
	// union is compared with all alternatives of the other.
	for _, u := range x.alternatives() {
		known := false
		for _, v := range y.alternatives() {
			if u.Type == v.Type || x.Union == nil || y.Union == nil {
				known = true
				p.compareMembers(u, v, at, in)
			}
		}
		if d := x.Fields; !known {
			p.refuse(placeIn(at, d[0].Name), p.explainRole(d[0], y.Fields[0], roleValues), in(p.object(u, y, "", "")))
		}
	}
}

// compareUnion is compare for an object x and a union y. The reader chooses by the value that the
// sender has in the member of the discriminator. So x is compared with each alternative that this
// member can name, as an object whose member has only this value.
func (p *prober) compareUnion(x, y *contractPlan, at string, in func(string) string) {
	d := y.Fields[0]
	f, place := x.child(d.Name), placeIn(at, d.Name)
	if !p.isRequired(f) {
		p.refuse(place, p.explainAbsent(f), in(p.object(x, y, "", "")))
	}
	if f == nil {
		return
	}
	p.compare(f, d, place, func(text string) string { return in(p.object(x, y, d.Name, text)) })
	for _, v := range y.Union {
		if p.takes(f, string(appendQuoted(nil, v.Type))) {
			chosen, one := *v.Fields[0], &contractPlan{Kind: "object", Fields: slices.Clone(x.Fields)}
			one.Fields[slices.Index(x.Fields, f)] = &chosen
			p.compareMembers(one, v, at, in)
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

// strayMember returns a value of the map of with one member, whose name the object y does not have,
// or "" if all its names are there.
func (p *prober) strayMember(of, y *contractPlan) string {
	fields := y.allFields()
	for _, key := range p.some(of.Keys, nil, len(fields)+1) {
		name := textOr(key)
		if key != "null" && !slices.ContainsFunc(fields, func(f *contractPlan) bool { return f.Name == name }) {
			return p.object(&contractPlan{}, y, name, p.sample(of.Of, nil))
		}
	}
	p.takeMissing() // ignored, since nothing is made
	return ""
}

// compareMaps is compare for maps: a value and a name that b may refuse, and sizes that it
// refuses.
func (p *prober) compareMaps(a, b *contractPlan, at string, in func(string) string) {
	least, most := p.sizes(a, a)
	with := func(key, value string) string {
		return in(p.fillMap(a, b, p.object(&contractPlan{}, b, textOr(key), value), least, most))
	}
	if most > 0 { // otherwise the map is always empty, and its values cannot break anything
		p.compare(a.Of, b.Of, placeIn(at, "*"), func(text string) string { return with(p.sample(a.Keys, b.Keys), text) })
		p.compareScalars(a.Keys, b.Keys, placeIn(at, "*"), "there are names that the reader does not take",
			func(text string) string { return with(text, p.sample(a.Of, b.Of)) })
	}
	p.compareSizes(a, b, at, func(n int) string { return in(p.fillMap(a, b, "{}", n, n)) })
}

// compareCounts is compareSizes for an object x and a map y. An object has at least its required
// members, and at most all of them.
func (p *prober) compareCounts(x, y *contractPlan, at string, in func(string) string) {
	least := &contractPlan{Kind: "object"}
	most := &contractPlan{Kind: "object"}
	for _, f := range x.Fields {
		always := *f
		always.Optional, always.Default = false, nil
		most.Fields = append(most.Fields, &always)
		if p.isRequired(f) {
			least.Fields = append(least.Fields, f)
		}
	}
	low, high := p.sizes(y, y)
	if len(least.Fields) < low {
		p.refuse(at, p.explainRole(x, y, roleLeast), in(p.object(least, y, "", "")))
	}
	if len(most.Fields) > high {
		p.refuse(at, p.explainRole(x, y, roleMost), in(p.object(most, y, "", "")))
	}
}

// compareMembers is compare for the members of x, an object or one alternative, and of y, an object
// or a map.
func (p *prober) compareMembers(x, y *contractPlan, at string, in func(string) string) {
	for _, g := range y.Fields {
		if f := x.child(g.Name); p.isRequired(g) && !p.isRequired(f) {
			p.refuse(placeIn(at, g.Name), p.explainAbsent(f), in(p.object(x, y, "", "")))
		}
	}
	if y.Of != nil {
		p.compareCounts(x, y, at, in)
	}
	for _, f := range x.Fields {
		g, place := y.child(f.Name), placeIn(at, f.Name)
		inside := func(text string) string {
			if (f.RESTOnly || strings.HasSuffix(f.From, tailMark)) && !f.fitsREST(text) && !p.outputs {
				return ""
			}
			return in(p.object(x, y, f.Name, text))
		}
		switch {
		case y.Of != nil:
			p.compare(f, g, placeIn(at, "*"), inside)
		case g != nil:
			if !p.outputs {
				p.compareField(f, g, place)
				p.compareFiles(f, g, place, inside)
			}
			if f.isFrom(g.From) || !p.sameRoute || !p.was.isAlone() && !f.RESTOnly { // otherwise the sender gives g no value
				p.compare(f, g, place, inside)
			}
		case !p.outputs: // a client ignores unknown members
			p.compareGone(f, y, place, inside)
		}
	}
}

// compareGone adds the break of a field f of an input that the object y does not have.
func (p *prober) compareGone(f, y *contractPlan, at string, in func(string) string) {
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
		p.refuse(at, gone+", and unknown names are refused (Strict)", in(p.sample(f, nil)))
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

// maxUnshown is how many values of a method are tried again at other places if the first place
// cannot show a break. Types that contain each other have too many places to try them all.
const maxUnshown = 100

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
	if x, y := cmp.Or(f.Of, f), cmp.Or(g.Of, g); f.From != "" && x.jsonType() == "number" && !x.isInteger() && y.isInteger() {
		p.doubt(at, "%s, and outside of JSON an integer is written in digits alone", p.changed(f, g))
	}
}

// compareFiles adds a break if the maximum length of a file shrank. Its witness has everything but
// the content.
func (p *prober) compareFiles(f, g *contractPlan, at string, in func(string) string) {
	was, _ := f.maxBytes()
	is, _ := g.maxBytes()
	if f.Kind == "file" && g.Kind == "file" && is < was {
		why := fmt.Sprintf("%s is %d, was %s: a body of %d bytes is refused", ruleMaxBytes, is,
			cmp.Or(string(f.Rules[ruleMaxBytes]), "none"), is+1)
		p.refuse(at, why, in(p.sample(f, g)))
	}
}

// sameScalar reports whether two values are the same text or number, such as 1 and 1.0.
func sameScalar(a, b []byte) bool {
	x, isNumber := new(big.Rat).SetString(string(a))
	y, both := new(big.Rat).SetString(string(b))
	return bytes.Equal(a, b) || isNumber && both && x.Cmp(y) == 0
}

// fitsREST reports whether a client can send JSON as the value of a field over REST: outside of
// bodies there is no null, empty list or empty path segment, and headers restrict the characters.
func (p *contractPlan) fitsREST(text string) bool {
	_, name, _ := strings.Cut(p.From, " ")
	plain := textOr(text)
	switch {
	case p.From == "" || p.From == "*":
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

// unfitForREST returns 1 for values that fitsREST refuses, and 0 for others. Values are sorted by
// it, to prefer a witness that can be sent over REST too.
func (p *contractPlan) unfitForREST(text string) int {
	if p.fitsREST(text) {
		return 0
	}
	return 1
}

// compareLists is compare for lists: an element that b may refuse, sizes that it refuses, and
// an element twice.
func (p *prober) compareLists(a, b *contractPlan, at string, in func(string) string) {
	least, most := p.sizes(a, a)
	isUnique := p.rule(a, roleDistinct) != ""
	if most > 0 { // otherwise the list is always empty, and its elements cannot break anything
		p.compare(a.Of, b.Of, placeIn(at, "*"), func(text string) string {
			others := p.elements(a, b, least)
			if isUnique { // one of them may be the text itself
				others = slices.DeleteFunc(others, func(other string) bool { return other == text })
			}
			return in(arrayOf(append([]string{text}, others[:min(len(others), max(least, 1)-1)]...)...))
		})
	}
	p.compareSizes(a, b, at, func(n int) string { return in(arrayOf(p.elements(a, b, n)...)) })
	if p.rule(b, roleDistinct) != "" && !isUnique && most > 1 {
		p.refuse(at, p.explainRole(a, b, roleDistinct), in(arrayOf(p.repeated(p.elements(a, b, 1)[0], max(least, 2))...)))
	}
}

// compareSizes tries sizes that a list or a map of a can have and b does not allow. with returns
// the whole value, with n items or members.
func (p *prober) compareSizes(a, b *contractPlan, at string, with func(n int) string) {
	least, most := p.sizes(a, a)
	low, high := p.sizes(b, a)
	// Of the sizes below the minimum of b, try the largest, next to the bound.
	if n := min(low-1, most); n >= least {
		p.refuse(at, p.explainRole(a, b, roleLeast), with(max(least, min(n, maxDistinct))))
	}
	most = min(most, p.differentParts(a))
	if n := max(high+1, least); n <= most && (n > math.MaxInt/2 || p.isSendable(2*n)) { // a comma for each, and a digit
		p.refuse(at, p.explainRole(a, b, roleMost), with(n))
	}
}

// compareScalars is compare for scalars. It looks for a value that breaks each rule of b. For map
// keys, why is the reason of all breaks; else it is "".
func (p *prober) compareScalars(a, b *contractPlan, at, why string, in func(string) string) {
	if a.reader == b.reader { // readerOf made one for both, so they take the same
		return
	}
	values, sure := p.values(a, b, 1)
	refused, unshown := make(map[string]bool), p.unshown // by rule, of which the first value is shown
	for _, text := range values {
		if why != "" { // a name is always quoted, whatever the plan of keys
			text = b.keyOf(text)
		}
		for _, rule := range p.refuses(b, text) {
			refused[rule] = refused[rule] || p.refuse(at, cmp.Or(why, p.explain(a, b, rule)), in(text))
		}
	}
	if p.shown[at] { // an earlier value showed it
		p.unshown = unshown
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

// hasUnprobed reports whether a scalar of a has a rule that no probe shows, unless it has an enum,
// which lists all values.
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
