package svc

// This file makes the values that contract_probe.go tries; the words for plans are explained there.
// In this order: limits; samples; scalars of any kind; numbers; texts. contract_pattern.go searches
// texts of patterns.

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxProbe is the greatest size of a value that is tried, in bytes or characters. A request
	// to a service with the default MaxBody is not longer.
	maxProbe = 1 << 20
	// maxDistinct is the maximum number of different items or members in a value that is tried,
	// because making them takes long.
	maxDistinct = 1 << 17
	// maxSample is the maximum number of items or members that a sample has only to please the
	// reader.
	maxSample = 1 << 12
)

// tooLong says why a value with more than that is not made.
const tooLong = "an input that shows it is too long to be tried"

// maxMade is the maximum number of objects and lists that the samples in a whole value may have.
// Types that contain others by value can have values too large to send: 20 levels with two members
// each make a million.
const maxMade = 256

// sample returns a short value that a takes, and b too if there is such a value.
func (p *prober) sample(a, b *contractPlan) string {
	if a.Null && a.isComposite() && a.fitsREST("null") && p.takes(b, "null") {
		return "null" // ends a type that contains itself
	}
	p.noteUnprobed(a)
	if a.isComposite() {
		p.made++
	}
	if p.made > maxMade {
		p.missing = fmt.Sprintf("the values beside it have more than %d objects and lists, so none is tried", maxMade)
		return "{}"
	}
	switch {
	case a.Kind == "object":
		x := a.resolve()
		if p.making[x]++; p.making[x] > 1 { // the minimum of a is finite, but the one of b may not be
			b = nil
		}
		defer func() { p.making[x]-- }()
		if p.making[x] > len(x.Union)+2 {
			p.missing = "its values have no end, so the contract is damaged"
			return "{}"
		}
		return p.object(x, b, "", "")
	case a.Kind == "byType":
		return p.sampleChoice(a, b)
	case a.Kind == "list", a.Kind == "map":
		least, most := p.sizes(a, a)
		low, _ := p.sizes(b, a)
		if !a.fitsREST("[]") { // lets this value show breaks of other fields
			low = max(low, 1)
		}
		n := max(least, min(low, most, maxSample))
		if a.Kind == "map" {
			return p.fillMap(a, b, "{}", n, n)
		}
		return arrayOf(p.elements(a, b, n)...)
	}
	return p.some(a, b, 1)[0]
}

// sampleChoice is sample for a union by JSON type. As in object, the inner one has the next
// alternative.
func (p *prober) sampleChoice(a, b *contractPlan) string {
	x := a.resolve()
	p.making[x]++
	defer func() { p.making[x]-- }()
	if p.making[x] > len(x.Any)+2 {
		p.missing = "its values have no end, so the contract is damaged"
		return "{}"
	}
	u := x.Any[min(p.making[x], len(x.Any))-1]
	if b == nil || p.making[x] > 1 {
		return p.sample(u, nil)
	}
	if i := slices.IndexFunc(x.Any, func(u *contractPlan) bool { return b.choice(u.jsonIndex()) != nil }); i >= 0 {
		u = x.Any[i]
	}
	return p.sample(u, b.choice(u.jsonIndex()))
}

// object returns an object of the plan x with its required members, and one with this name and
// text if text is not "". The other members are samples, which y takes too where it can. If a
// union is inside itself, the inner one has the next alternative, since the first may always
// contain the union.
func (p *prober) object(x, y *contractPlan, name, text string) string {
	alternatives := x.alternatives()
	x = alternatives[max(0, min(p.making[x], len(alternatives))-1)]
	var list []string
	add := func(name, value string) { list = append(list, string(appendQuoted(nil, name))+":"+value) }
	for _, f := range x.Fields {
		if f.Name != name && p.isRequired(f) {
			add(f.Name, p.sample(f, y.child(f.Name)))
		}
	}
	if text != "" {
		add(name, text)
	}
	return "{" + strings.Join(list, ",") + "}"
}

// unknownName returns a name that no member of an object has.
func (p *contractPlan) unknownName() string {
	name := "other"
	for slices.ContainsFunc(p.allFields(), func(f *contractPlan) bool { return f.Name == name }) {
		name += "_"
	}
	return name
}

// elements returns n elements of a list, different ones if they have to be.
func (p *prober) elements(a, b *contractPlan, n int) []string {
	switch {
	case n == 0:
		return nil // make no sample: for a type that contains itself it may never end
	case p.rule(a, roleDistinct) == "":
		return p.repeated(p.sample(a.Of, b.child("")), n)
	case !p.fits(n, 1, maxDistinct):
		n = 1
	}
	return p.some(a.Of, b.child(""), n)
}

// repeated returns n times the same text, or once if that is too long.
func (p *prober) repeated(text string, n int) []string {
	if !p.fits(n, len(text)+1, maxProbe) {
		n = 1
	}
	return slices.Repeat([]string{text}, n)
}

// fillMap adds members to text, an object of the map a, until it has at least least of them. It
// returns "", which cannot be sent, if there are more than most. For example, {"a":1} becomes
// {"a":1,"b":0} if least is 2.
func (p *prober) fillMap(a, b *contractPlan, text string, least, most int) string {
	names := make(map[string]bool)
	eachMember([]byte(text), func(name, _ []byte) { names[string(name)] = true })
	switch {
	case len(names) > most:
		return ""
	case len(names) >= least:
		return text
	}
	var keys *contractPlan // the reader's keys, if the reader has a map
	if b != nil {
		keys = b.Keys
	}
	m, value := members{[]byte(strings.TrimSuffix(text, "}"))}, []byte(p.sample(a.Of, b.child("")))
	if !p.fits(least, len(value)+len(`"":,`), maxDistinct) {
		return text
	}
	for _, key := range p.some(a.Keys, keys, least) { // some may be there already
		if name := textOr(key); len(names) < least && !names[name] {
			names[name] = true
			m.addRaw(name, value)
		}
	}
	return string(m.close())
}

// fits reports whether n values of this size in bytes can be tried, and notes it if not.
func (p *prober) fits(n, size, most int) bool {
	if n > most || n > maxProbe/max(size, 1) {
		p.missing = tooLong
		return false
	}
	return true
}

func arrayOf(elements ...string) string { return "[" + strings.Join(elements, ",") + "]" }

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

// some returns n different scalars of a, the ones that b also accepts first. If a has fewer, it
// notes this and returns null for the rest.
func (p *prober) some(a, b *contractPlan, n int) []string {
	values, _ := p.values(a, b, n)
	rank := make(map[string]int)
	for _, text := range values {
		rank[text] = 2 * a.unfitForREST(text) // lets this value show breaks of other fields
		if !p.takes(b, text) {
			rank[text]++
		}
	}
	slices.SortStableFunc(values, func(x, y string) int { return rank[x] - rank[y] })
	switch {
	case len(values) >= n:
	case a.Go != "" && len(values) == 0:
		p.missing = "there is no example of " + a.Go + ", which is beside it: neither a tag example nor examples in its JSONSchema"
	default:
		p.missing = "no value was found that the release took"
	}
	return append(values, slices.Repeat([]string{"null"}, n)...)[:n]
}

// values returns JSON for n or more different scalars of a, if a has that many. sure reports that
// no other value of a could show more: if b accepts all of the list, b accepts all values of a.
func (p *prober) values(a, b *contractPlan, n int) (list []string, sure bool) {
	n += len(itemsOf([]byte(p.rule(b, roleValues)))) // leaves n that are not in the enum of b
	// Not every text can be sent.
	switch {
	case a.RESTOnly:
		n += 8
	case !a.fitsREST(`""`): // a path cannot hold "", "." or ".."
		n += 3
	}
	switch enum := p.rule(a, roleValues); {
	case a.unknown != nil && !p.outputs: // the values that the release accepted are unknown
	case enum != "": // all values are tried, if b can be; its own JSON may refuse other spellings, such as 1e0 for 1
		for _, item := range itemsOf([]byte(enum)) {
			list = append(list, string(item))
		}
		sure = b == nil || b.reader == nil || b.reader.decode != nil && (b.Kind != "custom" || a.Go == b.Go)
	case a.Go != "":
		list = a.reader.nativeTexts()
		sure = b == nil || a.Go == b.Go && !p.isNarrowed(a, b) || a.Kind == "text" && p.isAnyText(b)
	case a.Kind == "bool":
		list, sure = []string{"false", "true"}, true
	case a.Kind == "any":
		list = []string{"null", "true", "0", "0.5", `""`, `"a"`, "[]", "{}"}
	case a.jsonType() == "string":
		list, sure = p.texts(a, b, n)
	default: // numbers differ only by bounds, and values at all bounds are tried
		list = p.numbers(a, b, n)
		sure = b == nil || p.isAnyText(b) || !b.isComposite() && b.reader.shape.kind.isNumeric()
	}
	// The lists above are candidates: drop the values that a refuses.
	seen, different := make(map[string]bool), []string(nil)
	for _, text := range list {
		if a.Quoted {
			text = string(appendQuoted(nil, text))
		}
		if !seen[text] && p.takes(a, text) && (a.fitsREST(text) || !a.RESTOnly) {
			seen[text] = true
			different = append(different, text)
		}
	}
	slices.SortStableFunc(different, func(x, y string) int { return a.unfitForREST(x) - a.unfitForREST(y) })
	return different, sure
}

// nativeTexts returns JSON that a type with its own JSON or text may accept: its examples, its zero
// value, and spellings of common types. Values that the type refuses are dropped later.
func (r *scalarReader) nativeTexts() (list []string) {
	if r.decode == nil {
		return nil
	}
	examples, _ := r.shape.custom["examples"].([]any)
	for _, v := range slices.Concat(examples, []any{r.shape.example, reflect.New(r.shape.typ).Interface()}) {
		if text, err := json.Marshal(v); err == nil {
			list = append(list, string(text))
		}
	}
	for _, text := range []string{"", "a", "0", "1", "true", "1h", "en", "192.0.2.1", "192.0.2.0/24", "192.0.2.1:80",
		"00000000-0000-0000-0000-000000000000", "2006-01-02", "2006-01-02T15:04:05Z", "AA==", "a@example.com", "https://example.com/"} {
		list = append(list, `"`+text+`"`)
	}
	return append(list, "0", "1", "0.5", "true", "{}", "[]", "null")
}

// isAnyText reports whether b takes every JSON string.
func (p *prober) isAnyText(b *contractPlan) bool {
	return b.Kind == "string" && !b.Quoted && len(p.counting(b)) == 0
}

// numbers returns numbers at 0 and at the bounds of two plans, and around them, in the steps of a.
// It returns enough that n of them are within the bounds of a, if a has that many.
func (p *prober) numbers(a, b *contractPlan, n int) (list []string) {
	step, ok := new(big.Rat).SetString(p.rule(a, roleStep))
	if !ok {
		step = big.NewRat(1, 1)
	}
	for _, bound := range slices.Concat([]string{"0"}, p.bounds(b), p.bounds(a)) {
		x, ok := new(big.Rat).SetString(bound)
		if !ok {
			continue
		}
		// Compute exactly: beyond 2^53, float64 values are further apart than integers.
		quotient := new(big.Rat).Quo(x, step)
		count := new(big.Int).Div(quotient.Num(), quotient.Denom()) // rounded down
		// Try both sides of each bound, because a may accept either.
		for k := range 2*n + 5 {
			if k%2 == 0 {
				k = -k
			}
			y := new(big.Rat).SetInt(count.Add(count, big.NewInt(int64(k)))) // 0, 1, -1, 2, -2 …
			digits, _ := y.Mul(y, step).FloatPrec()
			list = append(list, y.FloatString(digits))
		}
		f, _ := x.Float64()
		for _, f := range []float64{f, math.Nextafter(f, math.Inf(1)), math.Nextafter(f, math.Inf(-1))} {
			list = append(list, strconv.FormatFloat(f, 'g', -1, 64)) // +Inf is not JSON, and refused
		}
	}
	return append(list, "4e38", "-4e38", "1e400") // beyond a float32 and a float64
}

// bounds returns the bounds of a number, by its rules and its type.
func (p *prober) bounds(plan *contractPlan) (list []string) {
	for _, r := range p.counting(plan) {
		if r.role == roleLow || r.role == roleHigh {
			list = append(list, string(r.value))
		}
	}
	if plan != nil && !plan.isComposite() && plan.reader.shape.kind.isMachineInteger() {
		low, high := plan.reader.shape.integerBounds()
		list = append(list, low, high)
	}
	return list
}

// texts returns texts as values does, for the kinds that are JSON strings. It uses a pattern of the
// texts that the kind reads; see kindPattern.
func (p *prober) texts(a, b *contractPlan, n int) (list []string, sure bool) {
	x, y := p.textRulesOf(a, a), p.textRulesOf(b, a)
	texts := slices.Concat(p.formatTexts(a, b, x), p.usualTexts(a, x, y, n))
	format, readFormat := p.rule(a, roleFormat), p.rule(b, roleFormat)
	hasPattern := x.pattern+y.pattern != "" || b != nil && a.Kind == "string" && b.Kind == "bytes"
	isSized := len(p.counting(a)) > 0 && a.Kind == "bytes" // in bytes, which the search does not count
	switch {
	case a.Kind == "file": // its value is the media type
		sure = b == nil || b.Kind == a.Kind
	case format != "": // more texts exist than samples
		sure = b == nil || a.Kind == b.Kind && !p.isNarrowed(a, b)
	case a.Kind == "time" && readFormat == `"date-time"`:
		sure = len(p.counting(b)) == 1
	case !hasPattern:
		sure = p.hasSizesAlone(b) && p.reaches(x, y) && (b == nil || a.Kind == b.Kind || !isSized)
	case a.Kind == "string" || a.Kind == "bytes" && !isSized:
		x.pattern = cmp.Or(x.pattern, kindPattern(a.Kind))
		if b != nil {
			y.pattern = cmp.Or(y.pattern, kindPattern(b.Kind))
		}
		if values := itemsOf([]byte(p.rule(b, roleValues))); values != nil { // each has passed the other rules
			y.pattern = patternOf(values)
		}
		var more []string
		more, sure = searchTexts(x, y, n)
		texts = append(texts, more...)
		sure = sure && readFormat == "" && (b == nil || b.Kind == "string" || b.Kind == "bytes" && len(p.counting(b)) == 0)
	}
	for _, text := range texts {
		list = append(list, string(appendQuoted(nil, text)))
	}
	return list, sure
}

// formatTexts returns texts in the formats of a and b and, if b has a format, one in no format.
func (p *prober) formatTexts(a, b *contractPlan, x textRules) (texts []string) {
	for _, plan := range []*contractPlan{a, b} {
		if format := formatNamed(textOr(p.rule(plan, roleFormat))); format != nil {
			texts = append(texts, format.samples...)
		}
	}
	if p.rule(b, roleFormat) != "" {
		texts = append(texts, strings.Repeat(" ", max(1, min(x.least, maxProbe))))
	}
	return texts
}

// usualTexts returns texts of the kind of a without a pattern: in the most varied spellings of the
// kind, and at the sizes where x, the rules of a, and y, the rules of a reader, may differ.
func (p *prober) usualTexts(a *contractPlan, x, y textRules, n int) (texts []string) {
	long := 0 // a length that is too long for the reader
	if y.most < maxProbe {
		long = y.most + 1
	}
	sized := func(n int) int { return max(0, min(n, x.most, maxProbe)) }
	switch {
	case a.Kind == "file":
		texts = []string{"application/octet-stream"}
		for i := range n {
			texts = append(texts, "application/x-"+strconv.Itoa(i))
		}
	case a.Kind == "time":
		return []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04:05+23:59", "2006-01-02T15:04:05." +
			strings.Repeat("0", max(long, 21)-21) + "5Z"}
	case a.Kind == "duration":
		return []string{"1h", "0", "-1.5s", strings.Repeat("0", max(long, 2)-1) + "s"}
	case a.Kind == "bytes":
		texts = []string{"AA==", "", "+/+/", strings.Repeat("AAAA", long/4+1)}
		for _, n := range []int{x.least, y.least - 1, long} { // bytes, if rules of a or b count these
			texts = append(texts, base64.StdEncoding.EncodeToString(make([]byte, sized(n))))
		}
	case x.pattern+y.pattern == "":
		for i := range n + 1 {
			text := strconv.FormatInt(int64(i)+10, 36)
			texts = append(texts, strings.Repeat("a", max(min(max(x.least, y.least), maxProbe), len(text))-len(text))+text)
		}
		for _, n := range []int{x.least, y.least - 1, long} { // the shortest, one too short and one too long for the reader
			texts = append(texts, strings.Repeat("a", sized(n)))
		}
	}
	return texts
}

// hasSizesAlone reports whether sizes are the only reason for b, which may be nil, to refuse texts
// of its kind. They are for a string and bytes.
func (p *prober) hasSizesAlone(b *contractPlan) bool {
	isOther := func(r planRule) bool { return r.role != roleLeast && r.role != roleMost }
	return b == nil || (b.Kind == "string" || b.Kind == "bytes") && !slices.ContainsFunc(p.counting(b), isOther)
}

// reaches reports whether texts are tried at the sizes of a sender and one beyond the sizes of a
// reader, if such texts can exist.
func (p *prober) reaches(x, y textRules) bool {
	return x.least <= maxProbe && (x.most <= y.most || y.most < maxProbe || !p.isSendable(y.most))
}

// textRulesOf returns the rules that a plan, which may be nil, sets for texts of the kind of the
// plan like.
func (p *prober) textRulesOf(plan, like *contractPlan) textRules {
	least, most := p.sizes(plan, like)
	return textRules{textOr(p.rule(plan, rolePattern)), least, most}
}
