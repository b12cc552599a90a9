package svc

// This file makes the scalars that contract_probe.go tries; the words for plans are explained there.
// In this order: the length of values; scalars of any kind; numbers; texts. contract_pattern.go
// searches texts of patterns.

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// maxProbe is the greatest size of a value that is tried, in bytes or characters. A request to a
// service with the default MaxBody is not longer.
const maxProbe = 1 << 20

// endless is the length in bytes of a value that does not exist, or that no request can hold.
const endless = 1 << 29 // twice of it fits into an int of 32 bits

// isSendable reports whether an input of n bytes may have been sent to the release.
func (p *prober) isSendable(n int) bool { return p.outputs || int64(n) <= p.was.mostInput() }

// shortest returns a number of bytes that each value of a, a part of an input, has at least.
func (p *prober) shortest(a *contractPlan) int {
	if n, ok := p.lengths[a]; ok {
		return n
	}
	p.lengths[a] = 0 // inside itself
	x, n := a.resolve(), 1
	least, _ := p.sizes(a, a)
	switch {
	case a.Kind == "byType":
		n = p.shortestOf(x.Any)
	case a.Kind == "object" && x.Union != nil:
		n = p.shortestOf(x.Union)
	case a.Kind == "object":
		for _, f := range x.Fields {
			if !p.isRequired(f) {
				continue
			}
			if n = min(n+p.shortest(f), endless); f.From == "" { // in JSON
				n += len(`"":,`) + len(f.Name)
			}
		}
	case a.isComposite():
		n = p.shortestParts(a, least)
	case p.isEmpty(a):
		n = endless
	case a.Kind == "string":
		n = max(least, 1)
	}
	if a.Null {
		n = min(n, len("null"))
	}
	p.lengths[a] = n
	return n
}

// shortestOf is shortest for a value that has one of several plans.
func (p *prober) shortestOf(list []*contractPlan) int {
	n := endless
	for _, a := range list {
		n = min(n, p.shortest(a))
	}
	return n
}

// shortestParts is shortest for a list or a map with n items or members. A map with more members
// than bytes exist needs names of two bytes.
func (p *prober) shortestParts(a *contractPlan, n int) int {
	each, different := p.shortest(a.Of)+len(","), a.Keys
	if a.inJSON() && a.Of.Kind == "string" {
		each += len(`""`) - 1 // shortest has one byte for "", which in a URL may be none
	}
	switch {
	case a.Kind == "map":
		each += len(`"":`)
	case p.rule(a, roleDistinct) != "" && !a.Of.isComposite():
		each, different = len(","), a.Of
	}
	if n > endless/each {
		return endless
	}
	total, digits := n*each, 1<<8 // the bytes of a text
	if different == nil {
		return total
	}
	if different.jsonType() == "number" {
		digits = len("0123456789+-.eE")
	}
	for size, count := 0, 1; n > 0; size, count = size+1, min(count, endless/digits)*digits {
		total += size * min(n, count)
		n -= count
	}
	return total
}

// isEmpty reports whether a scalar is known to have no value, such as a text with a pattern that
// none of its length matches.
func (p *prober) isEmpty(a *contractPlan) bool {
	if a.Go != "" || p.rule(a, roleFormat) != "" || p.hasUnprobed(a) { // more values exist than are tried
		return false
	}
	values, sure := p.values(a, nil, 1)
	return sure && len(values) == 0
}

// unknownName returns a name that no member of an object has.
func (p *contractPlan) unknownName() string {
	name := "other"
	for slices.ContainsFunc(p.allFields(), func(f *contractPlan) bool { return f.Name == name }) {
		name += "_"
	}
	return name
}

// values returns JSON for n or more different scalars of a, if a has that many. sure reports that
// no other value of a could show more: if b accepts all of the list, b accepts all values of a.
func (p *prober) values(a, b *contractPlan, n int) (list []string, sure bool) {
	n += len(itemsOf([]byte(p.rule(b, roleValues)))) // leaves n that are not in the enum of b
	if a.RESTOnly {                                  // not every text can be sent
		n += 8
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
		if !seen[text] && p.takes(a, text) && (a.fitsREST(text) || !a.RESTOnly && !strings.HasSuffix(a.From, tailMark)) {
			seen[text] = true
			different = append(different, text)
		}
	}
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
