package svc

// This file makes the fingerprint of an input. It decides whether two calls with the same
// idempotency key have the same input: they do if the client sent the same values. In this order:
// the input; texts that are sent; their plans; the writer; numbers.
//
// The fingerprint is an HMAC of the print, a text that is the same for all equal inputs:
//
//	what was sent                          print
//	-------------------------------------  ------------------------------------------------------
//	an object, a map                       {"a":1e0,"b":true,} in the order of the names
//	a list                                 [1e0,2e0,] in its own order
//	a text                                 "a" with the escapes that it needs
//	a number, also in a parameter or a     by value: 100, 1e2 and 100.0 are 1e2
//	  text, if the field is a number
//	true, false, null                      unchanged; a boolean field also takes "true"
//	a member whose print is long           # and its SHA-256; see sentWriter
//	a parameter, a part of a form          the member that other transports have; a list if it
//	                                         may be repeated
//	a header or a cookie with json:"-"     a member that only REST has, header"X-Account"
//	unknown members, idempotency:"-"       nothing
//
// A default that is sent, an empty member and a null differ from a missing member. No method of the
// application runs.

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
)

// A sentInput takes the print of one input while it is read. It copies all that it needs: methods
// of the application may write to the texts that they read.
type sentInput struct {
	plan    *sentPlan // of its JSON: keyPlan.object or keyPlan.body
	writer  sentWriter
	repeats []sentList
}

// newInput returns the notes of an input, from a request of REST or from anything else.
func (k *keyPlan) newInput(rest bool) sentInput {
	in := sentInput{plan: k.object, writer: sentWriter{choices: k.unions}}
	if rest {
		in.plan = k.body
	}
	return in
}

// A sentList holds the values of a repeatable parameter.
type sentList struct {
	field *field
	print []byte
}

// noteText adds the print of text: the JSON of the input if f is nil, or else a text from a path, a
// query, a form, a header or a cookie for the field f, or the whole body that f is. An invalid text
// gets any print, because its call is refused.
func (in *sentInput) noteText(f *field, text []byte) {
	w := &in.writer
	switch {
	case in.plan == nil, f != nil && f.unkeyed:
	case f == nil:
		w.readMembers(in.plan, text)
	case f.body == wholeBody:
		m := w.beginField(f)
		w.scan = scanner{data: text, wanted: []string{}}
		w.addValue(in.plan.fields[f.name])
		w.endMember(m)
	case f.shape.deref().kind == kindSlice:
		i := slices.IndexFunc(in.repeats, func(l sentList) bool { return l.field == f })
		if i < 0 {
			i = len(in.repeats)
			in.repeats = append(in.repeats, sentList{field: f, print: []byte("[")})
		}
		l := &in.repeats[i]
		l.print = append(appendScalar(l.print, f.shape.deref().elem.deref().kind, text), ',')
	default:
		m := w.beginField(f)
		w.print = appendScalar(w.print, f.shape.deref().kind, text)
		w.endMember(m)
	}
}

// fingerprint returns an HMAC of the input under the idempotency key, so that a store does not
// reveal the input: the number of a card could be guessed from a plain hash.
func (in *sentInput) fingerprint(key string) string {
	w := &in.writer
	for _, l := range in.repeats {
		m := w.beginField(l.field)
		w.print = append(append(w.print, l.print...), ']')
		w.endMember(m)
	}
	w.endObject(0, 0)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(w.print)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// sentName returns the name of f in a print. It never equals the name of a member that is sent,
// which begins with a quote in the print of an object.
func (f *field) sentName() string {
	if w, ok := f.firstBound(); ok && f.isNameless() {
		return string(appendQuoted([]byte(w.String()), w.canonical(f.bound[w])))
	}
	return string(appendQuoted(nil, f.name))
}

// A sentPlan says which members of a JSON value count. It is nil for a value that the application
// reads: all of it counts, unchanged.
type sentPlan struct {
	kind   shapeKind
	inside *sentPlan            // of the items of a list, or the values of a map
	fields map[string]*sentPlan // the members of an object that count, by name

	// A union has no fields. It has a plan for each value of its discriminator, the member choice.
	choice string
	forms  map[string]*sentPlan

	byJSON [len(jsonTypes)]*sentPlan // of a union by JSON type: the alternatives, in the order of jsonTypes
}

// sentPlans is the compile pass of the sentPlans of one input.
type sentPlans struct {
	byShape map[*shape]*sentPlan
	choices []string // of all unions
}

// planInput completes the plan of a method with an input.
func (k *keyPlan) planInput(b *binding) {
	c := &sentPlans{byShape: make(map[*shape]*sentPlan)}
	k.bind, k.object, k.body = b, c.planFor(b.in.onWire()), &sentPlan{kind: kindObject}
	if b.rest.inBody != nil {
		k.body = c.planFor(b.rest.inBody)
	}
	k.unions = c.choices
}

// planFor returns the plan for values of shape s.
func (c *sentPlans) planFor(s *shape) *sentPlan {
	s = s.deref()
	p, ok := c.byShape[s]
	if ok || s.kind <= kindCustom {
		return p
	}
	p = &sentPlan{kind: s.kind}
	c.byShape[s] = p
	switch {
	case s.elem != nil:
		p.inside = c.planFor(s.elem)
	case s.alternatives != nil:
		p.choice, p.forms = s.fields[0].name, make(map[string]*sentPlan)
		c.choices = append(c.choices, p.choice)
		for _, a := range s.alternatives {
			p.forms[a.value] = &sentPlan{kind: s.kind, fields: c.planFields(a)}
		}
	case s.kind == kindObject:
		p.fields = c.planFields(s)
	case s.kind == kindByType:
		for _, f := range s.fields {
			p.byJSON[f.shape.jsonIndex()] = c.planFor(f.shape)
		}
	}
	return p
}

// planFields returns the plans of the members of s that count.
func (c *sentPlans) planFields(s *shape) map[string]*sentPlan {
	fields := make(map[string]*sentPlan)
	for _, f := range s.fields {
		if !f.unkeyed && !f.hidden {
			fields[f.name] = c.planFor(f.shape)
		}
	}
	return fields
}

// A sentWriter writes the print of JSON that it reads. It needs one pass, and memory for the text
// only: the print of an inner object is short, so sorting the members around it does not copy it
// again on each level.
type sentWriter struct {
	scan    scanner
	choices []string     // see sentPlans
	print   []byte       // of the open values
	members []sentMember // of all open objects, the innermost last
	sorted  []byte       // memory of endObject and addText
}

// A sentMember is a member in the print: "a":1e0, is from start to end, and its name ends behind
// the colon.
type sentMember struct{ start, colon, end int }

// longPrint is the longest print of a member, in bytes, that is not hashed.
const longPrint = 128

// readMembers adds the members of the object in text that count.
func (w *sentWriter) readMembers(p *sentPlan, text []byte) {
	w.scan = scanner{data: text, wanted: []string{}} // names are compared by the decoder
	w.print = slices.Grow(w.print, len(text))        // most prints are about as long
	if w.scan.peek() == '"' {                        // see inputOptions.readStrings
		w.scan.data = jsonInside(w.scan.skipValue(), '{', 0)
		w.scan.pos = 0
	}
	if w.scan.peek() == '{' {
		w.addMembers(w.chooseForm(p))
	}
}

// beginMember begins the member whose name has been written from start on. Its value is written
// next, and then endMember called.
func (w *sentWriter) beginMember(start int) sentMember {
	w.print = append(w.print, ':')
	return sentMember{start: start, colon: len(w.print)}
}

// beginField begins the member for f.
func (w *sentWriter) beginField(f *field) sentMember {
	start := len(w.print)
	w.print = append(w.print, f.sentName()...)
	return w.beginMember(start)
}

func (w *sentWriter) endMember(m sentMember) {
	if len(w.print)-m.colon > longPrint {
		sum := sha256.Sum256(w.print[m.colon:])
		w.print = append(append(w.print[:m.colon], '#'), sum[:]...)
	}
	w.print = append(w.print, ',')
	m.end = len(w.print)
	w.members = append(w.members, m)
}

// addMembers adds the members of the object at the scanner that p has.
func (w *sentWriter) addMembers(p *sentPlan) {
	s := &w.scan
	s.openBracket()
	for first := true; s.more('}', first); first = false {
		name, inside := s.readName(), (*sentPlan)(nil)
		if p != nil && p.kind == kindObject {
			plan, counts := p.fields[string(name)]
			if !counts {
				s.skipValue()
				continue
			}
			inside = plan
		} else if p != nil {
			inside = p.inside
		}
		start := len(w.print)
		w.print = appendQuoted(w.print, name)
		m := w.beginMember(start)
		w.addValue(inside)
		w.endMember(m)
	}
}

// endObject sorts the members from the index base on, whose prints begin at start, and forgets
// them.
func (w *sentWriter) endObject(base, start int) {
	members := w.members[base:]
	byName := func(a, b sentMember) int {
		return bytes.Compare(w.print[a.start:a.colon], w.print[b.start:b.colon])
	}
	if !slices.IsSortedFunc(members, byName) {
		slices.SortFunc(members, byName)
		w.sorted = w.sorted[:0]
		for _, m := range members {
			w.sorted = append(w.sorted, w.print[m.start:m.end]...)
		}
		copy(w.print[start:], w.sorted)
	}
	w.members = w.members[:base]
}

// chooseForm returns the plan for the form of the object at the scanner if p is the plan of a
// union, and p itself otherwise.
func (w *sentWriter) chooseForm(p *sentPlan) *sentPlan {
	if p == nil || p.forms == nil {
		return p
	}
	first, value := w.scan, []byte(nil) // encoders write the discriminator first
	first.openBracket()
	if first.more('}', true) && string(first.readName()) == p.choice {
		value = first.skipValue()
	} else {
		value = w.scan.lookAhead(w.choices, p.choice)
	}
	if form := p.forms[textOr(string(value))]; form != nil {
		return form
	}
	return p // p has no fields
}

// chooseByJSON returns the plan of the alternative for the value at the scanner if p is the plan of
// a union by JSON type, like choicePlan.decodeChoice, and p itself otherwise. If no alternative is
// a text, a string may contain an alternative; see inputOptions.readStrings.
func (w *sentWriter) chooseByJSON(p *sentPlan) *sentPlan {
	if p == nil || p.kind != kindByType {
		return p
	}
	i := jsonTypeOf(w.scan.peek())
	if i == jsonTypeOf('"') && p.byJSON[i] == nil {
		ahead := w.scan
		i = jsonTypeInside(ahead.skipValue(), w.scan.depth)
	}
	if chosen := p.byJSON[i]; chosen != nil {
		return chosen
	}
	return nil // the decoder refuses it
}

// addValue adds the value at the scanner.
func (w *sentWriter) addValue(p *sentPlan) {
	p = w.chooseByJSON(p)
	s := &w.scan
	switch s.peek() {
	case '{':
		base, start := len(w.members), len(w.print)
		w.print = append(w.print, '{')
		w.addMembers(w.chooseForm(p))
		w.endObject(base, start+1)
		w.print = append(w.print, '}')
	case '[':
		var inside *sentPlan
		if p != nil {
			inside = p.inside
		}
		w.print = append(w.print, '[')
		s.openBracket()
		for first := true; s.more(']', first); first = false {
			w.addValue(inside)
			w.print = append(w.print, ',')
		}
		w.print = append(w.print, ']')
	case '"':
		w.addText(p)
	case 't', 'f', 'n':
		w.print = append(w.print, s.skipValue()...)
	default:
		w.print = appendDecimal(w.print, s.readNumber())
	}
}

// addText adds the string at the scanner. If the plan wants a list or an object and the string
// contains one, addText adds that; see inputOptions.readStrings.
func (w *sentWriter) addText(p *sentPlan) {
	s := &w.scan
	begin := s.pos
	raw, escaped := s.readString()
	switch {
	case s.err != nil:
	case p == nil && !escaped, p != nil && p.kind == kindString && !escaped:
		w.print = append(w.print, s.data[begin:s.pos]...) // appendQuoted would write the same
	case p == nil:
		w.sorted = appendUnescaped(w.sorted[:0], raw)
		w.print = appendQuoted(w.print, w.sorted)
	case p.inside != nil || p.kind == kindObject:
		begins := byte('{')
		if p.kind == kindSlice || p.kind == kindArray {
			begins = '['
		}
		if inside := jsonInside(s.data[begin:s.pos], begins, s.depth); inside != nil {
			outer := w.scan
			w.scan = scanner{data: inside, depth: outer.depth, wanted: outer.wanted}
			w.addValue(p)
			w.scan = outer
			return
		}
		w.print = append(w.print, s.data[begin:s.pos]...) // the decoder refuses it
	default:
		w.print = appendScalar(w.print, p.kind, textOf(s.data[begin:s.pos]))
	}
}

// appendScalar appends the print of a text that is a value of the kind k.
func appendScalar(dst []byte, k shapeKind, text []byte) []byte {
	switch {
	case k.isNumeric() && isNumberText(text):
		return appendDecimal(dst, text)
	case k == kindBool:
		return append(dst, text...)
	}
	return appendQuoted(dst, text)
}

// appendDecimal appends a number of JSON by its value, however large it is:
//
//	120, 1.2e2, 120.00  =>  12e1
//	-0.5                =>  -5e-1
//	-0                  =>  0
//	1e99999999999       =>  1e99999999999
func appendDecimal(dst, num []byte) []byte {
	begin := len(dst)
	digits, negative := bytes.CutPrefix(num, []byte("-"))
	if negative {
		dst = append(dst, '-')
	}
	mantissa, exponent := digits, []byte(nil)
	for i, c := range digits {
		if c == 'e' || c == 'E' {
			mantissa, exponent = digits[:i], digits[i+1:]
			break
		}
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	start, power := len(dst), -len(fraction)
	if dst = append(dst, bytes.TrimLeft(whole, "0")...); len(dst) == start { // no zeros in front
		fraction = bytes.TrimLeft(fraction, "0")
	}
	dst = append(dst, fraction...)
	for len(dst) > start && dst[len(dst)-1] == '0' { // drop trailing zeros
		dst = dst[:len(dst)-1]
		power++
	}
	switch {
	case len(dst) == start:
		return append(dst[:begin], '0')
	case exponent == nil:
		return strconv.AppendInt(append(dst, 'e'), int64(power), 10)
	}
	return appendExponent(append(dst, 'e'), exponent, power)
}

// appendExponent appends the sum of an exponent and a power, which is at most the number of digits
// of a text.
func appendExponent(dst, exponent []byte, power int) []byte {
	digits, negative := bytes.CutPrefix(exponent, []byte("-"))
	digits = bytes.TrimLeft(digits, "+0")
	if len(digits) <= 18 {
		n, _ := strconv.ParseInt(cmp.Or(string(digits), "0"), 10, 64)
		if negative {
			n = -n
		}
		return strconv.AppendInt(dst, n+int64(power), 10)
	}
	carry := power // added to the digits, from the last one on
	if negative {
		dst, carry = append(dst, '-'), -power
	}
	sum := append([]byte("0"), digits...)
	for i := len(sum) - 1; carry != 0; i-- { // ends in time: the first digit was 0
		carry += int(sum[i] - '0')
		digit := (carry%10 + 10) % 10
		sum[i] = '0' + byte(digit)
		carry = (carry - digit) / 10
	}
	return append(dst, bytes.TrimLeft(sum, "0")...)
}
