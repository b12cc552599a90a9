package svc

// This file makes the fingerprint of an input, by which calls with one idempotency key are
// compared. In this order: the printer; the plan of a type; types with methods for their own
// JSON or text; Go values without a plan; numbers.
//
// Two inputs are equal if their prints are. A print is a text of the values that were read,
// before Validate may change them:
//
//	value                       print
//	--------------------------  --------------------------------------------------------
//	null                        n
//	true, false                 t, f
//	number                      by value: 100, 1e2 and 100.0 are 1e2;
//	string, bytes, time         length and text: 3:abc
//	list                        [1e0;2e0;]
//	object, map                 {1:a1e0;1:bt}, in the order of the names
//	header, cookie (json:"-")   a member whose name begins with h or c: {h9:X-Account3:ada}
//	own text or JSON            what MarshalText or MarshalJSON writes, if that is read as
//	                            the same value; else what was read, or the fields of a Go
//	                            value of Service.Call, which was not read
//
// Left out are unknown members, fields with idempotency:"-", empty optional fields (as
// omitempty and omitzero say) and those that have their default: a client that sends the
// default and one that leaves the member out send one input, also after a deploy that adds
// such a member.

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A printer prints one input. place is that of the current value in keyedInput.places, or -1 for
// one in which no method of the application has read a text.
type printer struct {
	text  []byte
	place int
	read  *keyedInput // how the input was read
	depth int
	err   error // the first error, after which nothing is printed
}

// A printFunc prints the value v, which is addressable.
type printFunc func(p *printer, v reflect.Value)

// fingerprint returns an HMAC of the input in under the idempotency key, so that a store does
// not tell what was sent: of a plain hash, the number of a card can be guessed. in is not valid
// for a method without an input.
func (k *keyPlan) fingerprint(key string, in reflect.Value, read *keyedInput) (string, error) {
	p := &printer{read: read}
	if k.print != nil {
		k.print(p, in)
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(p.text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), p.err
}

// enterLevel counts one more open value and reports whether to print it. A value of Service.Call
// can contain itself.
func (p *printer) enterLevel() bool {
	if p.depth == maxDepth && p.err == nil {
		p.err = &Error{Code: CodeInternal, cause: errTooDeep}
	}
	p.depth++
	return p.err == nil
}

func (p *printer) leaveLevel() { p.depth-- }

// add prints bytes as they are, and addText a text with its length, so that no text looks like
// the end of a value.
func (p *printer) add(c ...byte)       { p.text = append(p.text, c...) }
func (p *printer) addText(text string) { p.text = appendLength(p.text, text) }

func appendLength(dst []byte, text string) []byte {
	return append(append(strconv.AppendInt(dst, int64(len(text)), 10), ':'), text...)
}

// at prints by print what is in the current value after the step s.
func (p *printer) at(s step, print func()) {
	before := p.place
	p.place = p.read.places.next(p.place, s)
	print()
	p.place = before
}

// prints is the compile pass of one input: the printFunc of every shape in it. As in decoders,
// a shape that is being compiled has a pointer to nil.
type prints struct {
	decoders *decoders
	byShape  map[*shape]*printFunc
}

// plainPrints has the printFuncs of the kinds that need nothing of the type.
var plainPrints = [kindFile + 1]printFunc{
	kindAny: (*printer).addValue, kindString: (*printer).addValue, kindBool: (*printer).addValue,
	kindInt: (*printer).addValue, kindUint: (*printer).addValue, kindFloat: (*printer).addValue, kindNumber: (*printer).addValue,
	kindTime: (*printer).addValue, kindDuration: (*printer).addValue,
	kindBytes:  func(p *printer, v reflect.Value) { p.addText(string(v.Bytes())) },
	kindRaw:    func(p *printer, v reflect.Value) { p.addJSON(string(v.Bytes())) },
	kindText:   func(p *printer, v reflect.Value) { p.addOwn(v, (*printer).addText) },
	kindCustom: func(p *printer, v reflect.Value) { p.addOwn(v, (*printer).addJSON) },
}

// printFor returns the printFunc for values of shape s.
func (c *prints) printFor(s *shape) printFunc { return compileOnce(c.byShape, s, c.compile) }

// compile compiles the printFunc for s, by the table at the top.
func (c *prints) compile(s *shape) printFunc {
	if plain := plainPrints[s.kind]; plain != nil {
		return plain
	}
	switch s.kind {
	case kindPointer, kindOptional:
		elem := c.printFor(s.deref())
		return func(p *printer, v reflect.Value) {
			if value, ok := notNull(v); ok {
				elem(p, value)
			} else {
				p.add('n')
			}
		}
	case kindSlice, kindArray:
		elem := c.printFor(s.elem)
		return func(p *printer, v reflect.Value) {
			p.addList(v.Len(), func(i int) { elem(p, v.Index(i)) })
		}
	case kindMap:
		elem := c.printFor(s.elem)
		return func(p *printer, v reflect.Value) { p.addMap(s.key, v, elem) }
	}
	return c.objectPrint(s, nil)
}

// objectPrint compiles the printFunc of the object s. sources is that of an input, and nil for
// a struct inside another one.
func (c *prints) objectPrint(s *shape, sources map[*field]fieldSource) printFunc {
	compile := func(form *shape) printFunc { return c.membersPrint(form, sources) }
	return compileForms(s, compile, func(p *printer, err error) { p.err = cmp.Or(p.err, err) })
}

// A memberPrint is the plan of one field.
type memberPrint struct {
	*field
	label     string // in the print: a text, for a header or a cookie with a letter before it
	token     string // what leads to the value
	restToken string // the same over REST, where a field of an input may have another name
	print     printFunc
	omits     func(reflect.Value) bool
	def       func() []byte // the print of the default; nil if there is none
}

// membersPrint compiles the printFunc of one form of an object; see compileForms.
func (c *prints) membersPrint(s *shape, sources map[*field]fieldSource) printFunc {
	var members []memberPrint
	for _, f := range s.fields {
		if f.unkeyed || sources == nil && f.hidden {
			continue
		}
		m := memberPrint{field: f, label: string(appendLength(nil, f.name)), token: sources[f].in + f.token, print: c.printFor(f.shape)}
		m.restToken = sources[f].in + cmp.Or(sources[f].token, f.token)
		switch {
		case f.only != nil:
			m.print = func(p *printer, _ reflect.Value) { p.addText(string(textOf(f.only))) }
		case sources != nil && f.isNameless() && f.header != "":
			m.label = "h" + string(appendLength(nil, http.CanonicalHeaderKey(f.header)))
		case sources != nil && f.isNameless():
			m.label = "c" + string(appendLength(nil, f.cookie))
		}
		c.setOmission(&m)
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b memberPrint) int { return strings.Compare(a.label, b.label) })
	return func(p *printer, v reflect.Value) {
		defer p.leaveLevel()
		if !p.enterLevel() {
			return
		}
		p.add('{')
		for i := range members {
			m := &members[i]
			value, ok := m.valueIn(v)
			if !ok || m.omits != nil && m.omits(value) {
				continue
			}
			token := m.token
			if p.read.rest {
				token = m.restToken
			}
			before := len(p.text)
			p.add([]byte(m.label)...)
			from := len(p.text)
			p.at(step{token: token}, func() { m.print(p, value) })
			if m.def != nil && bytes.Equal(p.text[from:], m.def()) { // in another spelling
				p.text = p.text[:before]
			}
		}
		p.add('}')
	}
}

// setOmission sets the rule by which the field is left out: one that is optional and empty, or
// that has its default.
func (c *prints) setOmission(m *memberPrint) {
	m.omits = m.omitRule()
	if m.omits == nil && m.optional && m.isBound() { // by a tag for another place than JSON
		m.omits = reflect.Value.IsZero
	}
	if m.field.def == nil {
		return
	}
	def := reflect.New(m.shape.typ).Elem()
	c.decoders.defaultFor(m.field, c.decoders.fieldDecoder(m.field))(def)
	m.omits = func(v reflect.Value) bool { return reflect.DeepEqual(v.Interface(), def.Interface()) }
	m.def = sync.OnceValue(func() []byte { // later, since a plan may not be complete yet
		p := &printer{read: new(keyedInput)}
		m.print(p, def)
		return p.text
	})
}

// addList prints n items.
func (p *printer) addList(n int, item func(i int)) {
	defer p.leaveLevel()
	if !p.enterLevel() {
		return
	}
	p.add('[')
	for i := range n {
		p.at(step{index: i}, func() { item(i) })
	}
	p.add(']')
}

// addEntries prints a map by printKey, which returns the step to the value, and printValue. It sorts
// by the prints of the keys alone: copying those of the values would cost their size on each level.
func (p *printer) addEntries(v reflect.Value, printKey func(key reflect.Value) step, printValue func(value reflect.Value)) {
	defer p.leaveLevel()
	if !p.enterLevel() {
		return
	}
	type entry struct {
		key   string
		at    step
		value reflect.Value
	}
	start, entries := len(p.text), make([]entry, 0, v.Len())
	printed := func() string {
		text := string(p.text[start:])
		p.text = p.text[:start]
		return text
	}
	for it := v.MapRange(); it.Next(); {
		at := printKey(it.Key())
		entries = append(entries, entry{printed(), at, it.Value()})
	}
	valueOf := func(e entry) string {
		printValue(e.value)
		return printed()
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if order := strings.Compare(a.key, b.key); order != 0 {
			return order
		}
		return strings.Compare(valueOf(a), valueOf(b)) // of a Go value, whose keys can be pointers or NaN
	})
	p.add('{')
	for _, e := range entries {
		p.text = append(p.text, e.key...)
		p.at(e.at, func() { printValue(e.value) })
	}
	p.add('}')
}

// addMap prints a map with keys of shape s, whose values elem prints.
func (p *printer) addMap(s *shape, v reflect.Value, elem printFunc) {
	addressable := func(v reflect.Value) reflect.Value { // unlike those of a map
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		return c
	}
	p.addEntries(v, func(k reflect.Value) step {
		key, name := addressable(k), ""
		if s.kind == kindText {
			read, ok := p.read.names[mapKey{p.place, key.Interface()}]
			p.addRead(key, (*printer).addText, read, ok)
			name = read
		} else {
			name, _ = s.keyText(key) // no error: it is a string or an integer
			p.addText(name)
		}
		return step{token: pointerToken(name)}
	}, func(value reflect.Value) { elem(p, addressable(value)) })
}

// addOwn prints v, a value of a type with methods for its own text or JSON, which add prints.
func (p *printer) addOwn(v reflect.Value, add func(p *printer, text string)) {
	read, ok := p.read.texts[p.place]
	p.addRead(v, add, read, ok)
}

// addRead is addOwn for a value that may have been read from a text: from read, if wasRead is set.
// For example:
//
//	type             read      value                    print
//	---------------  --------  -----------------------  ------------------------------------
//	netip.Addr       0:0::1    ::1                      ::1, since it is read as that value
//	a hidden number  4111      4111, but it writes ***  4111, since *** is another number
//	a hashed text    secret    another one each time    secret
//
// A string that is what was read is printed as one of Service.Call is.
func (p *printer) addRead(v reflect.Value, add func(p *printer, text string), read string, wasRead bool) {
	if text, ok := writtenAs(v); ok {
		add(p, text)
		return
	}
	if wasRead && (v.Kind() != reflect.String || v.String() != read && strconv.Quote(v.String()) != read) {
		p.add('r')
		add(p, read)
		return
	}
	p.addValue(v)
}

// writtenAs returns what the methods of v write, and reports whether they read that as the same
// value. Code of the application may panic, since it may never have read what it writes.
func writtenAs(v reflect.Value) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var written []byte
	var err error
	x, again := v.Addr().Interface(), reflect.New(v.Type())
	if m, isJSON := x.(json.Marshaler); isJSON {
		if written, err = m.MarshalJSON(); err == nil {
			text = string(written)
			err = again.Interface().(json.Unmarshaler).UnmarshalJSON(written)
		}
	} else if written, err = x.(encoding.TextMarshaler).MarshalText(); err == nil {
		text = string(written)
		err = again.Interface().(encoding.TextUnmarshaler).UnmarshalText(written)
	}
	return text, err == nil && reflect.DeepEqual(again.Elem().Interface(), v.Interface())
}

// addJSON prints JSON that has no plan, by its values. No text stands for null, as in output.
func (p *printer) addJSON(text string) {
	d := json.NewDecoder(strings.NewReader(cmp.Or(text, "null")))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil { // a json.RawMessage of Service.Call may be anything
		p.add('x')
		p.addText(text)
		return
	}
	p.addValue(reflect.ValueOf(x))
}

// addValue prints a value by its Go kind: a scalar, what is in an any, or a value that hides what
// it has, by its fields, unexported ones too. The type of a struct counts, since an interface can
// hold several.
func (p *printer) addValue(v reflect.Value) {
	switch k := v.Kind(); {
	case k == reflect.Invalid:
		p.add('n')
	case k == reflect.Bool && v.Bool():
		p.add('t')
	case k == reflect.Bool:
		p.add('f')
	case v.CanInt():
		p.addNumber(strconv.FormatInt(v.Int(), 10))
	case v.CanUint():
		p.addNumber(strconv.FormatUint(v.Uint(), 10))
	case v.CanFloat():
		p.addFloat(v.Float(), v.Type().Bits())
	case v.CanComplex():
		p.addFloat(real(v.Complex()), v.Type().Bits()/2)
		p.addFloat(imag(v.Complex()), v.Type().Bits()/2)
	case k == reflect.String && v.Type() == typeNumber:
		p.addNumber(cmp.Or(v.String(), "0"))
	case k == reflect.String:
		p.addText(v.String())
	case k == reflect.Slice, k == reflect.Array:
		p.addList(v.Len(), func(i int) { p.addValue(v.Index(i)) })
	case k == reflect.Map:
		p.addEntries(v, func(key reflect.Value) step { p.addValue(key); return step{} }, p.addValue)
	case k == reflect.Struct:
		p.addStruct(v)
	case v.IsNil():
		p.add('n')
	case k == reflect.Interface: // no level: JSON has none for it
		p.addValue(v.Elem())
	case k == reflect.Pointer:
		if p.enterLevel() {
			p.addValue(v.Elem())
		}
		p.leaveLevel()
	default: // a function or a channel has nothing to compare
		p.add('p')
	}
}

// addStruct prints a struct by its fields. A time counts by what it says, and its zone by its
// name: the other fields of a time.Location are tables and a cache.
func (p *printer) addStruct(v reflect.Value) {
	switch {
	case v.Type() == typeTime && v.CanInterface():
		p.addText(v.Interface().(time.Time).Format(time.RFC3339Nano))
		return
	case v.Type() == reflect.TypeFor[time.Location]():
		p.addText(v.FieldByName("name").String())
		return
	}
	if p.enterLevel() {
		p.add('(')
		p.addText(v.Type().String())
		for i := range v.NumField() {
			p.addValue(v.Field(i))
		}
		p.add(')')
	}
	p.leaveLevel()
}

// addFloat prints a float. A whole number has all its digits, as that of an integer of the same
// value.
func (p *printer) addFloat(f float64, bits int) {
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		p.addNumber(strconv.FormatFloat(f, 'f', 0, 64))
		return
	}
	p.addNumber(strconv.FormatFloat(f, 'e', -1, bits))
}

// addNumber prints a number by its value:
//
//	120, 1.2e2, 120.00  =>  12e1;
//	-0.5                =>  -5e-1;
//	-0                  =>  0;
//	NaN                 =>  x3:NaN
func (p *printer) addNumber(text string) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if !isNumberText([]byte(text)) || err != nil || power > 1<<30 || power < -1<<30 {
		p.add('x')
		p.addText(text)
		return
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	power -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	power += len(digits) - len(significant)
	switch {
	case significant == "":
		p.add([]byte("0;")...)
		return
	case negative:
		p.add('-')
	}
	p.text = append(p.text, significant...)
	p.text = strconv.AppendInt(append(p.text, 'e'), int64(power), 10)
	p.add(';')
}
