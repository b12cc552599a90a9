package svc

// This file decides where each field of an input comes from: a placeholder of
// the path, the query string, a header or the JSON body. It takes the plans of
// decode.go and knows nothing of services. bind_http.go reads bodies off the
// wire.
//
// This file checks finished inputs: the Validate methods of the application,
// and, for inputs that no decoder has seen since Service.Call was given them as
// Go values, the constraints.

import (
	"bytes"
	"cmp"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

// A binding makes the input of one method. It is compiled once, then read by
// many goroutines and never written.
//
// Invariants:
//
//	path, query, header and the fields of body are disjoint, and together hold
//	  every field of the input
//	body is nil if no field comes from the body
//	all has every field by its wire name, for transports with one object
type binding struct {
	in     *shape // an object
	path   []param
	query  []param
	byName map[string]int // of query, by the parameter's name
	header []param        // at most one, of lastEventID
	body   *objectPlan
	all    *objectPlan

	bodyFields []*field
	hooks      checkFunc // the Validate methods, or nil
	check      checkFunc // they and the constraints, or nil
}

// A param is a field that comes from the path, the query or a header.
type param struct {
	*field
	sourceName string // its name there
	in         string
	set        setter
	notNumber  *complaint // for a number that is not spelt like one; nil for others
	list       bool       // takes the parameter as often as it is given
	absent     func(reflect.Value)
}

// A bindSpec says what compileBinding needs to know of the route.
type bindSpec struct {
	placeholders []string
	explicit     bool // the author wrote the pattern
	hasBody      bool // the HTTP method has one
}

// compileBinding compiles the binding of input s. What is wrong with s for this
// route is noted as problems.
func compileBinding(c *decoders, s *shape, spec bindSpec) *binding {
	b := &binding{in: s, byName: make(map[string]int)}
	at := s.typ.String()
	in := make(map[*field]string)
	for _, f := range s.fields {
		at := at + "." + f.goName
		name, source := spec.sourceOf(c.mistakes, f, at)
		in[f] = source
		switch source {
		case inPath:
			b.path = append(b.path, c.compileParam(f, name, source, at))
		case inQuery:
			if other, twice := b.byName[name]; twice {
				c.mistakes.addf("%s: %s takes the query parameter %q too", at, b.query[other].goName, name)
			}
			b.byName[name] = len(b.query)
			b.query = append(b.query, c.compileParam(f, name, source, at))
		case inHeader:
			checkHeaderField(c.mistakes, f, at)
			b.header = append(b.header, c.compileParam(f, name, source, at))
		default:
			b.bodyFields = append(b.bodyFields, f)
		}
	}
	b.checkPlaceholders(c.mistakes, spec, at)
	of := func(f *field) string { return in[f] }
	b.all = c.objectPlan(s.fields, of)
	if len(b.bodyFields) > 0 {
		b.body = c.objectPlan(b.bodyFields, of)
	}
	b.hooks = compileInputCheck(s, false, of)
	b.check = compileInputCheck(s, true, of)
	return b
}

// bindingCheck compiles the check of a whole input, or returns nil.
func compileInputCheck(s *shape, rules bool, in func(*field) string) checkFunc {
	c := newChecks(rules)
	if !c.needsCheck(s, make(map[*shape]bool)) {
		return nil
	}
	return c.structCheck(s, in)
}

// source returns where the field f comes from, and its name there.
func (spec bindSpec) sourceOf(p *mistakes, f *field, at string) (name, source string) {
	switch {
	case f.path != "" && f.query != "":
		p.addf("%s: a field cannot come from the path and from the query; drop one of the tags", at)
		return f.path, inPath
	case f.header != "" && (f.path != "" || f.query != ""):
		p.addf("%s: a field cannot come from a header and from the path or the query too; drop one of the tags", at)
		return f.header, inHeader
	case f.path != "":
		if !slices.Contains(spec.placeholders, f.path) {
			p.addf("%s: path:%q names no placeholder of the route, which has %s", at, f.path, spec.placeholderList())
		}
		return f.path, inPath
	case slices.Contains(spec.placeholders, f.name):
		return f.name, inPath
	case f.query != "":
		return f.query, inQuery
	case f.header != "":
		return f.header, inHeader
	case !spec.hasBody:
		return f.name, inQuery
	}
	return "", inBody
}

func (spec bindSpec) placeholderList() string {
	if len(spec.placeholders) == 0 {
		return "none"
	}
	return "{" + strings.Join(spec.placeholders, "}, {") + "}"
}

// lastEventID is the one header that a field can come from: what a client that
// comes back to a stream says of the last event that it got (WHATWG HTML,
// section 9.2.4).
const lastEventID = "Last-Event-ID"

// checkHeaderField notes a header tag that could not do what it says.
func checkHeaderField(p *mistakes, f *field, at string) {
	if f.header != lastEventID {
		p.addf("%s: header:%q: the one header that a field can come from is %s", at, f.header, lastEventID)
	}
	if f.required() {
		p.addf("%s: a client sends %s only when it comes back, so the field must be optional (omitempty)", at, lastEventID)
	}
}

// checkPlaceholders notes placeholders that no field fills, or that two do. One
// that svc inferred may stay empty: the method does not care.
func (b *binding) checkPlaceholders(p *mistakes, spec bindSpec, at string) {
	for _, name := range spec.placeholders {
		n := 0
		for i := range b.path {
			if b.path[i].sourceName == name {
				n++
			}
		}
		switch {
		case n > 1:
			p.addf("%s: %d fields fill the placeholder {%s}; rename all but one", at, n, name)
		case n == 0 && spec.explicit:
			p.addf("%s: no field fills the placeholder {%s}; add one with the tag `path:%q`", at, name, name)
		}
	}
}

// param compiles a path, query or header field.
func (c *decoders) compileParam(f *field, name, in, at string) param {
	p := param{field: f, sourceName: name, in: in}
	target := f.shape.deref()
	if target.kind == kindSlice && in == inQuery {
		p.list, target = true, target.elem.deref()
	}
	if !target.kind.isScalar() {
		carries := "scalars"
		if in == inQuery {
			carries = "scalars and lists of them; use POST, PUT or PATCH, whose fields come from the body, or hide it with `json:\"-\"`"
		}
		c.mistakes.addf("%s: the type %v cannot come from the %s, which carries %s", at, f.shape.typ, in, carries)
		return p
	}
	p.set = setterFor(target, false)
	if target.kind.isNumeric() {
		p.notNumber = target.typeComplaint()
	}
	p.absent = c.defaultFor(&fieldPlan{field: f, decode: c.fieldDecoder(f)})
	return p
}

// requestValues is what a request says of one input.
type requestValues struct {
	path interface {
		PathValue(placeholder string) string
	}
	query  string // as in the URL, undecoded
	header map[string][]string
	body   []byte // the whole of it
}

// request binds an HTTP request. The decoder is the caller's, started here.
func (b *binding) bindRequest(d *decoder, r requestValues) (reflect.Value, error) {
	d.start(nil)
	in := reflect.New(b.in.typ)
	v := in.Elem()
	d.ahead = len(r.query)
	for i := range b.path {
		p := &b.path[i]
		d.in = inPath
		d.pushToken(p.token)
		d.scratch = append(d.scratch[:0], r.path.PathValue(p.sourceName)...)
		p.setChecked(d, p.of(v), d.scratch)
		d.pop()
	}
	if len(b.query) > 0 {
		b.bindQuery(d, v, r.query)
	}
	for i := range b.header {
		b.header[i].bindHeader(d, v, r.header["Last-Event-Id"]) // in canonical form
	}
	d.in = inBody
	if b.body != nil {
		b.bindBody(d, v, r.body)
	}
	return in, b.finishInput(d, v, b.hooks)
}

// setHeader sets the field of the struct v from the values of its header. An
// empty one says what an absent one does: a client whose last event had no ID
// sends none.
func (p *param) bindHeader(d *decoder, v reflect.Value, values []string) {
	d.in = inHeader
	d.push(p.name)
	switch {
	case len(values) > 1:
		d.addViolation(isRepeated)
	case len(values) == 1 && values[0] != "":
		d.scratch = append(d.scratch[:0], values[0]...)
		p.setChecked(d, p.of(v), d.scratch)
	case p.absent != nil:
		p.absent(p.of(v))
	}
	d.pop()
}

var isEmptyBody = &complaint{ruleRequired, "a JSON body is required; send at least {}"}

func (b *binding) bindBody(d *decoder, v reflect.Value, body []byte) {
	d.scan.reset(body)
	d.ahead = 0
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		d.addViolation(isEmptyBody)
		return
	}
	b.body.decodeObject(d, v)
	d.scan.checkEnd()
}

// object binds one JSON object that has every field by its wire name. Text that
// is not one is a mistake; an empty text counts as {}.
func (b *binding) bindObject(d *decoder, text []byte) (reflect.Value, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	d.start(text)
	in := reflect.New(b.in.typ)
	v := in.Elem()
	b.all.decodeObject(d, v)
	d.scan.checkEnd()
	return in, b.finishInput(d, v, b.hooks)
}

// value checks an input that came as a Go value.
func (b *binding) checkValue(d *decoder, in reflect.Value) error {
	d.start(nil)
	return b.finishInput(d, in.Elem(), b.check)
}

// finish runs the last checks on an input that has no mistakes so far.
func (b *binding) finishInput(d *decoder, v reflect.Value, check checkFunc) error {
	if check != nil && d.scan.err == nil && len(d.found.list) == 0 {
		d.in = inBody
		check(d, v)
	}
	return d.finish()
}

var (
	isRepeated      = &complaint{ruleDuplicate, "is given more than once"}
	isNotUTF8       = &complaint{ruleType, "must be valid UTF-8"}
	hasStrayPercent = &complaint{ruleSyntax, "the query string has a % that two hexadecimal digits do not follow"}
	hasSemicolon    = &complaint{ruleSyntax, "the query string has a semicolon; write %3B for the character, and & between parameters"}
)

// bindQuery fills the fields that come from the query string. It reads the text
// once, in the order in which it stands, and makes no map of it.
func (b *binding) bindQuery(d *decoder, v reflect.Value, query string) {
	d.in = inQuery
	for range (len(b.query) + 63) / 64 {
		d.seen = append(d.seen, 0)
	}
	for query != "" {
		var name, value string
		name, value, query = cutPair(query)
		if (name != "" || value != "") && !b.bindPair(d, v, name, value, d.seen) {
			return
		}
	}
	for i := range b.query {
		p := &b.query[i]
		given := d.seen[i/64]>>(i%64)&1 != 0
		d.pushToken(p.token)
		switch {
		case given && p.list:
			p.checkList(d, p.of(v))
		case given:
		case p.absent != nil:
			p.absent(p.of(v))
		case !p.optional:
			d.addViolation(isRequired)
		}
		d.pop()
	}
	d.seen = d.seen[:0]
}

// cutPair cuts the first name=value off a query string. Names and values are
// short: one look at each byte costs less than two searches.
func cutPair(query string) (name, value, rest string) {
	equal, end := -1, 0
	for end < len(query) && query[end] != '&' {
		if query[end] == '=' && equal < 0 {
			equal = end
		}
		end++
	}
	rest = query[min(end+1, len(query)):]
	if equal < 0 {
		return query[:end], "", rest
	}
	return query[:equal], query[equal+1 : end], rest
}

// bindPair takes one name=value. It reports whether the query string may be
// read on: one that is not well formed means nothing as a whole.
func (b *binding) bindPair(d *decoder, v reflect.Value, name, value string, seen []uint64) bool {
	i, wrong := b.findParam(d, name)
	if wrong == nil {
		if d.scratch, wrong = appendQueryText(d.scratch[:0], value); wrong == nil && i >= 0 {
			p := &b.query[i]
			d.pushToken(p.token)
			switch twice := seen[i/64]>>(i%64)&1 != 0; {
			case p.list:
				p.addElement(d, p.of(v), d.scratch)
			case twice:
				d.addViolation(isRepeated)
			default:
				p.setChecked(d, p.of(v), d.scratch)
			}
			seen[i/64] |= 1 << (i % 64)
			d.pop()
		}
	}
	if wrong != nil {
		d.addViolation(wrong)
	}
	return wrong == nil
}

// findParam returns the index of the parameter that a name in a query string
// means, or -1. Names are few and rarely escaped: comparing is cheaper than a
// map.
func (b *binding) findParam(d *decoder, name string) (int, *complaint) {
	for i := range b.query {
		if b.query[i].sourceName == name {
			return i, nil
		}
	}
	var wrong *complaint
	d.scratch, wrong = appendQueryText(d.scratch[:0], name)
	if i, ok := b.byName[string(d.scratch)]; ok && wrong == nil {
		return i, nil
	}
	return -1, wrong
}

// appendQueryText appends what a name or a value of a query string stands for
// (application/x-www-form-urlencoded, as in the WHATWG URL standard).
func appendQueryText(dst []byte, s string) ([]byte, *complaint) {
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '+' && c != '%' && c != ';' {
			continue
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c == ';':
			return dst, hasSemicolon // proxies differ on whether it separates
		case c == '+':
			dst = append(dst, ' ')
		case len(s)-i < 3 || hexDigit(s[i+1]) < 0 || hexDigit(s[i+2]) < 0:
			return dst, hasStrayPercent
		default:
			dst = append(dst, byte(hexDigit(s[i+1])<<4|hexDigit(s[i+2])))
			i += 2
		}
		start = i + 1
	}
	return append(dst, s[start:]...), nil
}

// setOne sets the field to its one value and checks that.
func (p *param) setChecked(d *decoder, v reflect.Value, text []byte) {
	before := d.found.count()
	if p.setScalar(d, v, text); d.found.count() == before {
		d.checkRules(p.rules, v)
	}
}

// setText sets v, the field or an element of it, to a value.
func (p *param) setScalar(d *decoder, v reflect.Value, text []byte) {
	for v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch {
	case !utf8.Valid(text):
		d.addViolation(isNotUTF8)
	case p.notNumber != nil && !isPlainInteger(text) && !isNumberText(text):
		d.addViolation(p.notNumber)
	default:
		d.addIfAny(p.set(d, v, text))
	}
}

func isNumberText(text []byte) bool {
	_, ok := jsonNumber(text)
	return ok
}

// add appends one value to the field, a list.
func (p *param) addElement(d *decoder, v reflect.Value, text []byte) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	n := v.Len()
	v.Grow(1)
	v.SetLen(n + 1)
	d.path = append(d.path, step{index: n})
	p.setScalar(d, v.Index(n), text)
	d.pop()
}

// checkList notes the constraints that the finished list breaks, unless one of
// its elements is a mistake.
func (p *param) checkList(d *decoder, v reflect.Value) {
	if len(p.rules) == 0 {
		return
	}
	place := d.place() + "/"
	for i := range d.found.list {
		if d.found.list[i].In == p.in && strings.HasPrefix(d.found.list[i].Path, place) {
			return
		}
	}
	d.checkRules(p.rules, v)
}

// A validator is a struct that checks itself.
type validator interface{ Validate() error }

var typeValidator = reflect.TypeFor[validator]()

// A checkFunc checks the value v, which is addressable. What is wrong goes to
// the decoder, whose path leads to v.
type checkFunc func(d *decoder, v reflect.Value)

// checks is one compile pass over shapes. A nil checkFunc stands for a value
// that has nothing to check, so that most services pay nothing.
type checks struct {
	rules   bool // constraints too, not only Validate
	byShape map[*shape]*checkFunc
}

func newChecks(rules bool) *checks {
	return &checks{rules: rules, byShape: make(map[*shape]*checkFunc)}
}

// of returns the check for values of shape s, or nil.
func (c *checks) checkFor(s *shape) checkFunc {
	if !c.needsCheck(s, make(map[*shape]bool)) {
		return nil
	}
	if fn, ok := c.byShape[s]; ok {
		if *fn != nil {
			return *fn
		}
		return func(d *decoder, v reflect.Value) { (*fn)(d, v) } // s contains itself
	}
	fn := new(checkFunc)
	c.byShape[s] = fn
	*fn = c.compileCheck(s)
	return *fn
}

// need reports whether there is anything to check in values of shape s.
func (c *checks) needsCheck(s *shape, open map[*shape]bool) bool {
	if s == nil || open[s] {
		return false
	}
	open[s] = true
	if len(hooksOf(s.typ)) > 0 || c.needsCheck(s.elem, open) {
		return true
	}
	return slices.ContainsFunc(s.fields, func(f *field) bool {
		return c.rules && len(f.rules) > 0 || c.needsCheck(f.shape, open)
	})
}

func (c *checks) compileCheck(s *shape) checkFunc {
	switch s.kind {
	case kindPointer:
		elem := c.checkFor(s.elem)
		return func(d *decoder, v reflect.Value) {
			if !v.IsNil() {
				elem(d, v.Elem())
			}
		}
	case kindSlice, kindArray:
		elem := c.checkFor(s.elem)
		return func(d *decoder, v reflect.Value) {
			d.path = append(d.path, step{})
			for i := range v.Len() {
				d.path[len(d.path)-1].index = i
				elem(d, v.Index(i))
			}
			d.pop()
		}
	case kindMap:
		return checkMap(s, c.checkFor(s.elem))
	}
	return c.structCheck(s, nil)
}

// checkMap checks values in the order of their keys, so that one input always
// gets one answer. Validate may change its receiver, so values are put back.
func checkMap(s *shape, elem checkFunc) checkFunc {
	type entry struct {
		name string
		key  reflect.Value
	}
	return func(d *decoder, v reflect.Value) {
		var entries []entry
		for _, key := range v.MapKeys() {
			name, _ := s.key.keyText(key) // an unnameable key sorts first
			entries = append(entries, entry{name, key})
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
		for _, e := range entries {
			value := reflect.New(s.elem.typ).Elem()
			value.Set(v.MapIndex(e.key))
			d.push(e.name)
			elem(d, value)
			d.pop()
			v.SetMapIndex(e.key, value)
		}
	}
}

// object compiles the check of a struct: its fields, then itself. in says where
// the fields of an input come from; nil, for a struct inside another, that
// hidden fields do not count.
func (c *checks) structCheck(s *shape, in func(*field) string) checkFunc {
	type member struct {
		*field
		in    string
		inner checkFunc
	}
	var members []member
	for _, f := range s.fields {
		if in == nil && f.hidden {
			continue
		}
		m := member{field: f, inner: c.checkFor(f.shape)}
		if in != nil {
			m.in = in(f)
		}
		if m.inner != nil || c.rules && len(f.rules) > 0 {
			members = append(members, m)
		}
	}
	hooks, rules := hooksOf(s.typ), c.rules
	return func(d *decoder, v reflect.Value) {
		outer := d.in
		for _, m := range members {
			value, ok := m.lookup(v)
			if !ok {
				continue
			}
			if m.in != "" {
				d.in = m.in
			}
			d.pushToken(m.token)
			if rules && !(m.optional && value.IsZero()) {
				d.checkRules(m.rules, value)
			}
			if m.inner != nil {
				m.inner(d, value)
			}
			d.pop()
		}
		d.in = outer
		for _, h := range hooks {
			value, ok := lookup(v, h)
			if ok && value.Kind() == reflect.Pointer {
				value, ok = value.Elem(), !value.IsNil()
			}
			if ok {
				d.callValidate(value)
			}
		}
	}
}

// validate calls the Validate method of the struct v. A plain error is a
// violation; an *Error is the answer itself.
func (d *decoder) callValidate(v reflect.Value) {
	if d.validateErr != nil {
		return
	}
	err := v.Addr().Interface().(validator).Validate()
	if err == nil {
		return
	}
	var e *Error
	if errors.As(err, &e) {
		d.validateErr = ErrorFrom(err)
		return
	}
	d.addViolation(&complaint{ruleValidate, err.Error()})
}

// hooksOf returns where in a struct of type t Validate is to be called: in the
// structs that t embeds, innermost first, then in t itself (the empty index).
func hooksOf(t reflect.Type) [][]int {
	if t.Kind() != reflect.Struct {
		return nil
	}
	return appendHooks(nil, t, nil, true, make(map[reflect.Type]bool))
}

// appendHooks also looks into structs that are embedded under a name that is
// not exported. Their own methods are out of reach but by the structs around
// them, not those of the structs that they embed.
func appendHooks(hooks [][]int, t reflect.Type, index []int, reachable bool, open map[reflect.Type]bool) [][]int {
	if open[t] {
		return hooks
	}
	open[t] = true
	for i := range t.NumField() {
		if e, ok := promoted(t.Field(i)); ok {
			hooks = appendHooks(hooks, e, append(slices.Clone(index), i), t.Field(i).IsExported(), open)
		}
	}
	if reachable && reflect.PointerTo(t).Implements(typeValidator) && (declaresValidate(t) || inheritsUnseen(t)) {
		hooks = append(hooks, index)
	}
	return hooks
}

// inheritsUnseen reports whether the Validate that the struct t inherits is
// called by nobody else: reflect may not call a method of an unexported type
// that is embedded, and what is no struct is not asked by itself.
func inheritsUnseen(t reflect.Type) bool {
	type level struct {
		reflect.Type
		walked, seen bool // by appendHooks, and itself or something around it asked
	}
	visited := make(map[reflect.Type]bool)
	for current := []level{{Type: t, walked: true}}; len(current) > 0; {
		var next []level
		for _, l := range current {
			if visited[l.Type] || l.Kind() != reflect.Struct {
				continue
			}
			visited[l.Type] = true
			for i := range l.NumField() {
				f := l.Field(i)
				if !f.Anonymous {
					continue
				}
				e := level{f.Type, l.walked, l.seen}
				if e.Kind() == reflect.Pointer {
					e.Type = e.Elem()
				}
				name, _ := parseJSONTag(f.Tag.Get("json"))
				_, inside := promoted(f)
				e.seen = e.seen || e.walked && f.IsExported() && e.Kind() == reflect.Struct && (inside || name != "")
				e.walked = e.walked && inside
				if declaresValidate(e.Type) {
					return !e.seen // Go promotes the one that is least deep
				}
				next = append(next, e)
			}
		}
		current = next
	}
	return false
}

// declaresValidate reports whether t has a Validate method of its own, not one
// that it only inherits from what it embeds.
func declaresValidate(t reflect.Type) bool {
	if t.Kind() == reflect.Interface || !reflect.PointerTo(t).Implements(typeValidator) {
		return false
	}
	receiver := t
	if !t.Implements(typeValidator) {
		receiver = reflect.PointerTo(t)
	}
	m, _ := receiver.MethodByName("Validate")
	pc := m.Func.Pointer()
	// The compiler writes the methods that embedding promotes, in no file.
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	return file != "<autogenerated>"
}
