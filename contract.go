package svc

// This file says what a service promises to its clients, and finds what a change of the
// program breaks of that. In this order: Contract, Breaks and CheckReleased; the contract
// of a service; replicas, which run the plans of a contract without its Go types;
// comparing methods. contract_probe.go makes the values that tell two plans apart.
//
// Inputs are compared by trial. Where two plans differ, a probe is a value that the
// released plan takes and the new one may refuse: at a bound and beside it, or a text of
// one pattern that is none of the other. It stands in an input that is otherwise as short
// as can be, and both plans decode it; so each break has a witness that was tried. Outputs
// are compared in the same way with the plans exchanged: what the service may answer
// has to be what the released plan takes.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Contract returns all that s promises to its clients, as JSON in one order, to be kept
// in a file; see [CheckReleased]. It has the names, routes, callers, inputs and outputs of
// methods. It does not have descriptions, examples, Version, Deprecated, MaxBody, declared
// errors and what Validate methods check. The types in it have their names of documents,
// so that people can read it; those are not promised.
func (s *Service) Contract() []byte {
	lines := strings.NewReplacer(`{"method":`, "\n"+`{"method":`, `{"type":`, "\n"+`{"type":`, `{"field":`, "\n\t"+`{"field":`)
	return []byte(lines.Replace(string(encodeDocument(newContract(s)))) + "\n") // in a JSON string, the quotes would be escaped
}

// Breaks returns what s does not keep of a contract that [Service.Contract] returned in
// a released version of the program. What that version accepted has to be accepted, where
// members that it ignored do not count, and what it promised to answer is still promised.
// Validate methods are not seen. The error is about a text that is no contract.
//
// No break are a new method, optional field, enum value of an input or member of an
// output, a required field that has a default, and a wider rule.
func (s *Service) Breaks(released []byte) ([]Break, error) {
	old := new(contract)
	if !isJSON(released) || json.Unmarshal(released, old) != nil || old.Form == 0 {
		return nil, fmt.Errorf("the text is no contract, or is damaged; restore it from version control")
	}
	if old.Form != contractForm {
		return nil, fmt.Errorf("the contract has the form %d, and this version of svc knows the form %d", old.Form, contractForm)
	}
	c := &comparison{old: old, new: newContract(s), replicas: make(map[replicaKey]*replica)}
	c.compareContracts()
	for _, r := range c.replicas {
		if len(r.wrong.list) > 0 {
			return nil, r.wrong.err("read the contract, which is damaged")
		}
	}
	return c.breaks, nil
}

// A Break is one promise of a released contract that a service does not keep. Its text
// is such as
//
//	notes.create input /text: maxLength is 80, was 200; for example {"text":"…"}
type Break struct {
	Method string // resource and name, as in JSON-RPC
	At     string // "input /tags/*" for the items of a list; "" for the method itself
	Why    string // what is and what was; or "cannot tell" and why, as for types that read their own JSON
	// Witness is an input that the released plan takes and that of the service refuses, as
	// params of JSON-RPC; what only REST has is under the name of its parameter. It is nil
	// if no input is refused.
	Witness json.RawMessage
}

// String returns b in one line, with the first 200 bytes of an example.
func (b Break) String() string {
	if b.Witness == nil {
		return b.text()
	}
	return b.text() + "; for example " + clip(string(b.Witness), 200)
}

// text returns b without the example.
func (b Break) text() string { return strings.TrimSuffix(b.Method+" "+b.At, " ") + ": " + b.Why }

// A TestingT is the part of a *testing.T that [CheckReleased] needs.
type TestingT interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// CheckReleased fails a test of the program if s breaks the contract in a file, which is
// that of the last release:
//
//	var update = flag.Bool("update", false, "write testdata/released.json")
//
//	func TestReleased(t *testing.T) {
//		svc.CheckReleased(t, newService(), "testdata/released.json", *update)
//	}
//
// A break is allowed by its text without the example, and an allowance that no break
// needs fails. With update the file is written, unless a break is not allowed; without, it
// fails if the file is missing or is not what s promises. So a review sees each change of
// the contract, and only a break needs a word. If the file is what s promises, allowed is not
// looked at. A damaged file fails and is never written.
func CheckReleased(t TestingT, s *Service, file string, update bool, allowed ...string) {
	t.Helper()
	released, err := os.ReadFile(file)
	isNew := os.IsNotExist(err)
	released = bytes.ReplaceAll(released, []byte("\r\n"), []byte("\n")) // as git may write it
	var breaks []Break
	switch {
	case err == nil && bytes.Equal(released, s.Contract()):
		return
	case err == nil:
		breaks, err = s.Breaks(released)
	case isNew && update:
		err = nil
	case isNew:
		err = fmt.Errorf("the file is missing, which has what the service promises; write it by go test -update, and commit it")
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
		return
	}
	failed := false
	for _, b := range breaks {
		if !slices.Contains(allowed, b.text()) {
			failed = true
			t.Errorf("%s: clients of the release would break:\n\t%v\nUndo the change, or make a new field optional or give it a default. If no client minds, allow it by another argument of CheckReleased:\n\t%q,", file, b, b.text())
		}
	}
	for _, text := range allowed {
		if !slices.ContainsFunc(breaks, func(b Break) bool { return b.text() == text }) {
			t.Errorf("%s: no break needs the allowance %q; delete it", file, text)
		}
	}
	switch {
	case failed:
	case !update:
		t.Errorf("%s: the service promises something else now, and breaks nothing that is not allowed; write it by go test -update, and commit it", file)
	default:
		if err := os.WriteFile(file, s.Contract(), 0o666); err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// contractForm is the version of the JSON of contracts.
const contractForm = 1

// A contract is what a service promises.
type contract struct {
	Form     int                `json:"contract"`
	Methods  []*contractMethod  `json:"methods"`
	Types    []*contractType    `json:"types"`
	natives  map[string]*shape  // of a service: types with their own JSON or text, by Go name
	compiled map[string]*method // of a service: the methods by name
}

// A contractMethod is what a method promises.
type contractMethod struct {
	Name       string          `json:"method"` // with the resource
	Aliases    []string        `json:"aliases,omitempty"`
	Transports []Transport     `json:"transports"`
	HTTP       string          `json:"http,omitempty"`
	Status     int             `json:"status,omitempty"`
	Stream     StreamMode      `json:"stream,omitempty"`
	Identity   []string        `json:"identity,omitempty"` // security schemes, of which one is enough
	Scopes     []string        `json:"scopes,omitempty"`
	Strict     bool            `json:"strict,omitempty"`
	Key        KeyUse          `json:"idempotencyKey,omitempty"`
	KeyFor     time.Duration   `json:"keptFor,omitempty"` // in nanoseconds
	Input      []*contractPlan `json:"input,omitempty"`   // with what only REST has; of a union the discriminator and what alternatives share
	Union      []*contractType `json:"union,omitempty"`   // the alternatives of an input
	Output     *contractPlan   `json:"output,omitempty"`
	Headers    []*contractPlan `json:"headers,omitempty"`   // of the response
	ErrorType  string          `json:"errorType,omitempty"` // media type of the ErrorForm; "" for the envelope
	ErrorCodes map[Code]int    `json:"errorCodes,omitempty"`
	Error      *contractPlan   `json:"error,omitempty"` // the ErrorForm
}

// A contractType is an object that plans refer to.
type contractType struct {
	Name   string          `json:"type"`
	Fields []*contractPlan `json:"fields"`
	Union  []*contractType `json:"union,omitempty"`
}

// A contractPlan says which JSON a value has, and more if it is that of a field.
type contractPlan struct {
	Name     string          `json:"field,omitempty"`    // of what only REST has: the name of the parameter
	From     string          `json:"from,omitempty"`     // such as "query page"; "" for the body; of a response: the header
	RESTOnly bool            `json:"restOnly,omitempty"` // no JSON object has the field
	Optional bool            `json:"optional,omitempty"`
	Default  json.RawMessage `json:"default,omitempty"`

	Kind   string                     `json:"kind"` // of kindNames, or of package reflect for numbers
	Null   bool                       `json:"null,omitempty"`
	Quoted bool                       `json:"quoted,omitempty"` // a string has the JSON in it
	Go     string                     `json:"go,omitempty"`     // the type, if that has its own JSON or text
	Object string                     `json:"object,omitempty"` // the contractType
	Fields []*contractPlan            `json:"fields,omitempty"` // of an object without a name
	Union  []*contractType            `json:"union,omitempty"`  // the alternatives of a discriminator, by its values, with all their members
	Keys   *contractPlan              `json:"keys,omitempty"`   // of a map
	Of     *contractPlan              `json:"of,omitempty"`     // the elements of a list or a map
	Length *int                       `json:"length,omitempty"` // of a list that is an array
	Rules  map[string]json.RawMessage `json:"rules,omitempty"`  // encoding/json sorts it
}

// kindNames has the names of kinds in contracts.
var kindNames = [...]string{
	kindAny: "any", kindRaw: "any", kindCustom: "custom", kindText: "text", kindTime: "time", kindDuration: "duration", kindBytes: "bytes", kindString: "string",
	kindBool: "bool", kindNumber: "number", kindSlice: "list", kindArray: "list", kindMap: "map", kindObject: "object", kindFile: "file",
}

// plainTypes has a Go type for each kind that needs no more.
var plainTypes = map[string]reflect.Type{
	"any": reflect.TypeFor[any](), "string": reflect.TypeFor[string](), "bool": reflect.TypeFor[bool](), "time": typeTime, "duration": typeDuration, "bytes": reflect.TypeFor[[]byte](), "number": typeNumber,
	"int": reflect.TypeFor[int](), "int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"uint": reflect.TypeFor[uint](), "uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](), "uint64": reflect.TypeFor[uint64](),
	"uintptr": reflect.TypeFor[uintptr](), "float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
}

// newContract returns the contract of s.
func newContract(s *Service) *contract {
	c := &contract{Form: contractForm, Types: []*contractType{}, natives: make(map[string]*shape), compiled: make(map[string]*method)}
	for _, m := range s.methods {
		c.addMethod(s, m)
	}
	slices.SortFunc(c.Methods, func(a, b *contractMethod) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(c.Types, func(a, b *contractType) int { return strings.Compare(a.Name, b.Name) })
	return c
}

// addMethod adds what m promises.
func (c *contract) addMethod(s *Service, m *method) {
	p := &contractMethod{Name: m.resource + "." + m.name, Stream: m.stream, Scopes: m.scopes, Strict: m.strict}
	c.Methods, c.compiled[p.Name] = append(c.Methods, p), m
	for _, t := range []Transport{TransportREST, TransportRPC, TransportMCP} {
		if m.isServedBy(t) {
			p.Transports = append(p.Transports, t)
		}
	}
	for _, scheme := range m.schemes {
		p.Identity = append(p.Identity, strings.TrimSpace(scheme.Type+" "+scheme.Header))
	}
	for _, alias := range m.otherNames() {
		if s.findMethod(m.resource, alias) == m && alias != m.name && !slices.Contains(p.Aliases, alias) && m.isServedBy(TransportRPC) {
			p.Aliases = append(p.Aliases, alias)
		}
	}
	if p.Key = m.keyUse; m.key != nil && m.key.Idempotency != nil {
		p.KeyFor = cmp.Or(m.key.For, 24*time.Hour)
	}
	if m.in != nil {
		p.Input, p.Union = c.planInput(s.typeNames, m), c.planUnion(s.typeNames, m.in)
	}
	if m.out != nil {
		p.Output = c.planValue(s.typeNames, m.out, nil)
	}
	if !m.isServedBy(TransportREST) {
		return
	}
	p.HTTP, p.Status = m.method+" "+s.prefix+m.path, m.status
	if m.form != nil {
		p.ErrorType, p.ErrorCodes, p.Error = m.form.contentType, m.form.statuses, c.planValue(s.typeNames, m.formShape, nil)
	}
	for i := 0; m.headers != nil && i < len(m.headers.fields); i++ {
		h := &m.headers.fields[i]
		f := c.planField(s.typeNames, h.field)
		f.From, f.RESTOnly, f.Optional = h.key, h.hidden, !h.isSent()
		p.Headers = append(p.Headers, f)
	}
}

// planInput returns the plans of the fields of an input, with where REST takes them from.
// Clients do not see the names of placeholders, so these are numbered.
func (c *contract) planInput(names map[*shape]string, m *method) (fields []*contractPlan) {
	for _, f := range m.in.fields {
		p := c.planField(names, f)
		for _, list := range [][]param{m.bind.path, m.bind.query, m.bind.header, m.bind.cookie} {
			i := slices.IndexFunc(list, func(p param) bool { return p.field == f })
			switch {
			case i < 0:
				continue
			case list[i].in == inPath:
				p.From = inPath + " " + strconv.Itoa(slices.Index(m.placeholders, list[i].sourceName)+1)
			default:
				p.From = list[i].in + " " + list[i].sourceName
			}
			if p.RESTOnly = f.isNameless(); p.RESTOnly {
				p.Name = list[i].sourceName
			}
		}
		fields = append(fields, p)
	}
	return fields
}

// planField returns the plan of a field.
func (c *contract) planField(names map[*shape]string, f *field) *contractPlan {
	p := c.planValue(names, f.shape, f.rules)
	p.Name, p.Optional, p.Default, p.Quoted, p.Null = f.name, f.optional, f.def, f.quoted, p.Null && !f.notNull
	return p
}

// planValue returns the plan of values of a shape that a field may have more rules for.
func (c *contract) planValue(names map[*shape]string, s *shape, more ruleSet) *contractPlan {
	p := &contractPlan{Null: s != s.deref()}
	s = s.deref()
	for _, r := range slices.Concat(s.rules, more) {
		if p.Rules == nil {
			p.Rules = make(map[string]json.RawMessage)
		}
		p.Rules[r.keyword] = r.value
	}
	if p.Kind = kindNames[s.kind]; p.Kind == "" {
		p.Kind = s.typ.Kind().String()
	}
	switch s.kind {
	case kindCustom, kindText:
		p.Go = s.typ.PkgPath() + "." + s.typ.Name()
		c.natives[p.Go] = s
	case kindSlice:
		p.Of = c.planValue(names, s.elem, nil)
	case kindArray:
		n := s.typ.Len()
		p.Of, p.Length = c.planValue(names, s.elem, nil), &n
	case kindMap:
		p.Keys, p.Of = c.planValue(names, s.key, nil), c.planValue(names, s.elem, nil)
	case kindObject:
		p.Object = names[s]
		switch isNew := !slices.ContainsFunc(c.Types, func(t *contractType) bool { return t.Name == p.Object }); {
		case p.Object == "":
			p.Fields, p.Union = c.planMembers(names, s.fields), c.planUnion(names, s)
		case isNew:
			t := &contractType{Name: p.Object}
			c.Types = append(c.Types, t) // before its fields, which may lead back to it
			t.Fields, t.Union = c.planMembers(names, s.fields), c.planUnion(names, s)
		}
	}
	return p
}

// planMembers returns the plans of the members of an object.
func (c *contract) planMembers(names map[*shape]string, fields []*field) (list []*contractPlan) {
	for _, f := range fields {
		if !f.hidden {
			list = append(list, c.planField(names, f))
		}
	}
	return list
}

// planUnion returns the alternatives of a union.
func (c *contract) planUnion(names map[*shape]string, s *shape) (list []*contractType) {
	for _, a := range s.alternatives {
		list = append(list, &contractType{Name: a.value, Fields: c.planMembers(names, a.fields)})
	}
	return list
}

// A replica runs the plans of a contract. It makes a Go type of the members of each
// object, and decoders do the rest as for every service. In other types an object has no
// content, so a type that contains itself needs no more. It serves one goroutine.
type replica struct {
	natives  map[string]*shape // of the service that is checked
	outputs  bool              // there are no defaults, and no rules but enum
	types    map[string]*contractType
	decoders *decoders
	plain    *shapes
	objects  map[string]*shape
	samples  map[string][]string // JSON that the natives take
	fields   map[*contractPlan]func(text string) []Violation
	wrong    mistakes // of the contract
	unknown  string   // a type that the last text needed and that nobody can decode any more
}

// A replicaKey says which replica is meant.
type replicaKey struct{ released, strict, outputs bool }

// newReplica returns the replica of a contract.
func newReplica(c *contract, natives map[string]*shape, key replicaKey) *replica {
	r := &replica{natives: natives, outputs: key.outputs, types: make(map[string]*contractType), objects: make(map[string]*shape), samples: make(map[string][]string), fields: make(map[*contractPlan]func(string) []Violation)}
	r.decoders, r.plain = newDecoders(&r.wrong, key.strict), newShapes(&r.wrong)
	for _, t := range c.Types {
		r.types[t.Name] = t
	}
	return r
}

// objectOf returns the members of an object and its alternatives, if it is a union.
func (r *replica) objectOf(p *contractPlan) *contractType {
	switch {
	case p == nil || p.Kind != "object" || p.Object != "" && r.types[p.Object] == nil:
		return new(contractType)
	case p.Object != "":
		return r.types[p.Object]
	}
	return &contractType{Fields: p.Fields, Union: p.Union}
}

// fieldsOf returns the members of an object, those of all alternatives of a union.
func (r *replica) fieldsOf(p *contractPlan) []*contractPlan {
	t := r.objectOf(p)
	fields := t.Fields
	for _, a := range t.Union {
		fields = slices.Concat(fields, a.Fields[len(t.Fields):])
	}
	return fields
}

// decoderOf returns what decodes a text into an object with these fields, and returns what
// is wrong with it.
func (r *replica) decoderOf(fields []*contractPlan) func(text string) []Violation {
	decode := r.decodeObject(&contractType{Fields: fields})
	return func(text string) []Violation { return r.refusals(decode, reflect.TypeFor[struct{}](), text) }
}

// decodeObject returns the decodeFunc of an object, whose values it drops. That of a union
// looks for the discriminator, the first member, and then decodes that alternative.
func (r *replica) decodeObject(t *contractType) decodeFunc {
	plan, typ := r.compileObject(t.Fields)
	decode := decodeFunc(func(d *decoder, _ reflect.Value) { plan.decodeObject(d, reflect.New(typ).Elem()) })
	if t.Union == nil || len(t.Fields) == 0 {
		return decode
	}
	alone := *t.Fields[0]
	alone.Name = t.Fields[0].Name
	noChoice := r.decodeObject(&contractType{Fields: []*contractPlan{&alone}})
	choices := make(map[string]decodeFunc)
	for _, a := range t.Union {
		choices[a.Name] = r.decodeObject(&contractType{Fields: a.Fields})
	}
	return func(d *decoder, v reflect.Value) {
		before := d.scan
		text := d.scan.skipValue()
		value := memberAt(text, alone.Name)
		if d.scan = before; isText(value) && choices[string(textOf(value))] != nil {
			choices[string(textOf(value))](d, v)
			return
		}
		noChoice(d, v)
	}
}

// compileObject returns the plan of an object with these fields, and its Go type.
func (r *replica) compileObject(fields []*contractPlan) (*objectPlan, reflect.Type) {
	var list []*field
	var members []reflect.StructField
	for i, p := range fields {
		f := &field{place: p.Name, optional: p.Optional, quoted: p.Quoted, index: []int{i}}
		f.setName(p.Name)
		if f.shape, f.rules = r.shapeOf(p); !r.outputs {
			f.def = p.Default
		}
		list = append(list, f)
		members = append(members, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: f.shape.typ})
	}
	return r.decoders.objectPlan(list, nil), reflect.StructOf(members)
}

// setName gives f another name in JSON objects.
func (f *field) setName(name string) {
	f.name, f.token, f.prefix, f.hidden = name, pointerToken(name), ","+string(appendQuoted(nil, name))+":", false
}

// refusals returns what is wrong with a text, or nil. A panic of a type with its own JSON
// counts as well.
func (r *replica) refusals(decode decodeFunc, t reflect.Type, text string) (found []Violation) {
	defer func() {
		if recover() != nil {
			found = []Violation{{Rule: ruleType}}
		}
	}()
	r.unknown = ""
	d := new(decoder)
	d.start([]byte(text))
	decode(d, reflect.New(t).Elem())
	if d.scan.checkEnd(); d.scan.err != nil {
		return []Violation{{Rule: d.scan.err.rule}}
	}
	return d.found.list
}

// refuses returns what is wrong with a text as a value of p, or nil.
func (r *replica) refuses(p *contractPlan, text string) []Violation {
	if r.fields[p] == nil {
		field := *p
		field.Name, field.Default = "v", nil
		r.fields[p] = r.decoderOf([]*contractPlan{&field})
	}
	return r.fields[p](`{"v":` + text + "}")
}

// shapeOf returns the shape of a value, and those of its rules that its field has.
func (r *replica) shapeOf(p *contractPlan) (s *shape, rules ruleSet) {
	switch plain := plainTypes[p.Kind]; {
	case plain != nil:
		copied := *r.plain.shapeFor(plain, "")
		s = &copied
		s.rules = r.rulesOf(p, s)
	case p.Kind == "text", p.Kind == "custom":
		s = r.nativeShape(p)
	case p.Kind == "list" && p.Of != nil:
		elem, _ := r.shapeOf(p.Of)
		s = &shape{kind: kindSlice, elem: elem, typ: reflect.SliceOf(elem.typ)}
		if p.Length != nil {
			s.kind, s.typ = kindArray, reflect.ArrayOf(*p.Length, elem.typ)
		}
		rules = r.rulesOf(p, s)
	case p.Kind == "map" && p.Of != nil && p.Keys != nil:
		key, _ := r.shapeOf(p.Keys)
		if s = r.anyShape(p.Keys.Go); key.kind != kindAny {
			elem, _ := r.shapeOf(p.Of)
			s = &shape{kind: kindMap, key: key, elem: elem, typ: reflect.MapOf(key.typ, elem.typ)}
		}
	case p.Kind == "object":
		s = r.objectShape(p)
	case p.Kind == "file":
		s = r.shapeBy(func(d *decoder, _ reflect.Value) { d.scan.skipValue() })
	default:
		r.wrong.addf("no value is a %q", p.Kind)
		s = r.anyShape(p.Kind)
	}
	if p.Null {
		s = &shape{kind: kindPointer, elem: s, typ: reflect.PointerTo(s.typ)}
	}
	return s, rules
}

// objectShape returns the shape of an object, whose plan is made when a text needs it.
func (r *replica) objectShape(p *contractPlan) *shape {
	if s := r.objects[p.Object]; s != nil {
		return s
	}
	var decode decodeFunc
	s := r.shapeBy(func(d *decoder, v reflect.Value) {
		if decode == nil {
			decode = r.decodeObject(r.objectOf(p))
		}
		decode(d, v)
	})
	if p.Object != "" {
		r.objects[p.Object] = s
	}
	return s
}

// shapeBy returns a shape of values that are decoded and dropped.
func (r *replica) shapeBy(decode decodeFunc) *shape {
	s := &shape{kind: kindAny, typ: reflect.TypeFor[struct{}]()}
	r.decoders.byShape[s] = &decode
	return s
}

// anyShape returns the shape of values of a type that nobody can decode any more.
func (r *replica) anyShape(name string) *shape {
	return r.shapeBy(func(d *decoder, _ reflect.Value) {
		d.scan.skipValue()
		r.unknown = name
	})
}

// nativeShape returns the shape of a type with its own JSON or text, which the type of
// that name in the service decodes. There has to be one, and a text that it takes.
func (r *replica) nativeShape(p *contractPlan) *shape {
	native := r.natives[p.Go]
	if native == nil || p.Kind != kindNames[native.kind] {
		return r.anyShape(p.Go)
	}
	s := &shape{kind: native.kind, typ: native.typ}
	if _, ok := r.samples[p.Go]; !ok {
		decode := r.decoders.decoderFor(&shape{kind: native.kind, typ: native.typ})
		r.samples[p.Go] = slices.DeleteFunc(nativeTexts(native), func(text string) bool { return r.refusals(decode, s.typ, text) != nil })
	}
	if len(r.samples[p.Go]) == 0 {
		return r.anyShape(p.Go)
	}
	s.rules = r.rulesOf(p, s)
	return s
}

// nativeTexts returns JSON that a type with its own JSON or text may take.
func nativeTexts(s *shape) (list []string) {
	if text, err := json.Marshal(reflect.New(s.typ).Interface()); err == nil {
		list = append(list, string(text))
	}
	for _, text := range []string{"", "a", "0", "1", "true", "1h", "en", "192.0.2.1", "192.0.2.0/24", "192.0.2.1:80", "00000000-0000-0000-0000-000000000000", "2006-01-02", "2006-01-02T15:04:05Z", "AA==", "a@example.com", "https://example.com/"} {
		list = append(list, `"`+text+`"`)
	}
	return append(list, "0", "1", "0.5", "true", "{}", "[]", "null")
}

// rulesOf returns the rules of a value of shape s.
func (r *replica) rulesOf(p *contractPlan, s *shape) (rules ruleSet) {
	for _, t := range ruleTags {
		value, text := p.Rules[t.name], textOr(p.Rules[t.name])
		var made rule
		want := ""
		switch {
		case value == nil, r.outputs && t.name != "enum":
			continue
		case t.name == "enum":
			made, want = makeEnumOf(s, elementsOf(value))
		case t.fits(s):
			made, want = t.make(s, text)
		default:
			want = t.on
		}
		if want != "" {
			r.wrong.addf("%s is %s; want %s", t.name, value, want)
			continue
		}
		rules = append(rules, made)
	}
	return rules
}

// makeEnumOf makes the rule that a value is one of those in a JSON array.
func makeEnumOf(s *shape, list []string) (rule, string) {
	var values []reflect.Value
	for i, text := range list {
		value, ok := numberFor(s, text)
		if isText([]byte(text)) {
			list[i] = textOr([]byte(text))
			value, ok = reflect.ValueOf(list[i]), s.kind == kindString || s.kind == kindText
		}
		if !ok {
			return rule{}, "values of the type"
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		return rule{}, "values"
	}
	return enumRule(values, list), ""
}

// elementsOf returns the elements of a JSON array.
func elementsOf(list json.RawMessage) []string {
	var elements []json.RawMessage
	json.Unmarshal(list, &elements) // any other JSON has none
	texts := make([]string, len(elements))
	for i, e := range elements {
		texts[i] = string(e)
	}
	return texts
}

// textOr returns the text of a JSON string, or other JSON as it is.
func textOr(value json.RawMessage) string {
	if isText(value) {
		return string(textOf(value))
	}
	return string(value)
}

// A comparison finds the breaks of one contract after another.
type comparison struct {
	old, new *contract
	replicas map[replicaKey]*replica
	breaks   []Break
}

// replica returns a replica of one of the contracts.
func (c *comparison) replica(released, strict, outputs bool) *replica {
	key := replicaKey{released, strict, outputs}
	if c.replicas[key] == nil {
		of := c.new
		if released {
			of = c.old
		}
		c.replicas[key] = newReplica(of, c.new.natives, key)
	}
	return c.replicas[key]
}

// add adds a break without a witness.
func (c *comparison) add(at, format string, args ...any) {
	c.breaks = append(c.breaks, Break{At: at, Why: fmt.Sprintf(format, args...)})
}

// compareContracts finds the breaks of all methods.
func (c *comparison) compareContracts() {
	byName := make(map[string]*contractMethod)
	for _, m := range c.new.Methods {
		byName[m.Name] = m
	}
	for _, was := range c.old.Methods {
		is, before := byName[was.Name], len(c.breaks)
		if is == nil && len(was.Transports) == 1 { // of a method over REST alone, clients know no name
			if i := slices.IndexFunc(c.new.Methods, func(m *contractMethod) bool { return sameRoute(was, m) }); i >= 0 {
				is = c.new.Methods[i]
			}
		}
		if is == nil {
			c.add("", "is gone")
		} else {
			c.compareMethods(was, is)
		}
		found := c.breaks[before:]
		for i := range found {
			found[i].Method = was.Name
		}
		slices.SortStableFunc(found, func(a, b Break) int { return strings.Compare(a.At, b.At) })
	}
}

// sameRoute reports whether two routes differ at most in the names of placeholders.
func sameRoute(a, b *contractMethod) bool {
	segments := func(m *contractMethod) []string {
		method, path, _ := strings.Cut(m.HTTP, " ")
		return route{method: method, path: path}.segments()
	}
	same, _ := compareRoutes(segments(a), segments(b))
	return same && a.HTTP != "" && b.HTTP != ""
}

// compareMethods finds the breaks of one method.
func (c *comparison) compareMethods(was, is *contractMethod) {
	rest := was.HTTP != "" && is.HTTP != ""
	lost := func(format string, was, is []string) {
		for _, one := range was {
			if !slices.Contains(is, one) {
				c.add("", format, one)
			}
		}
	}
	for _, t := range was.Transports {
		if !slices.Contains(is.Transports, t) {
			c.add("", "is not served over %s any more", t)
		}
	}
	if rest && !sameRoute(was, is) {
		c.add("", "the route is %s, was %s", is.HTTP, was.HTTP)
	}
	if rest && was.Status != is.Status {
		c.add("", "the status is %d, was %d", is.Status, was.Status)
	}
	if was.Stream != is.Stream {
		c.add("", "the stream mode is %q, was %q", is.Stream, was.Stream)
	}
	if slices.Contains(is.Transports, TransportRPC) {
		lost("the JSON-RPC name %s is gone", was.Aliases, is.Aliases)
	}
	lost("needs the scope %s", is.Scopes, was.Scopes)
	if was.Identity == nil && is.Identity != nil {
		c.add("", "needs an identity, needed none")
	} else if is.Identity != nil {
		lost("the identity scheme %s is gone", was.Identity, is.Identity)
	}
	c.compareKeys(was, is)
	c.compareInputs(was, is)
	c.compareOutputs(was, is)
}

// compareKeys finds the breaks of idempotency keys and of the form of errors.
func (c *comparison) compareKeys(was, is *contractMethod) {
	switch {
	case was.Key != "" && is.Key == "":
		c.add("", "takes no idempotency key any more")
	case was.Key != KeyRequired && is.Key == KeyRequired:
		c.add("", "needs an idempotency key, needed none")
	case is.KeyFor < was.KeyFor:
		c.add("", "keeps idempotency keys for %v, kept them for %v", is.KeyFor, was.KeyFor)
	}
	if was.HTTP == "" || is.HTTP == "" {
		return
	}
	if was.ErrorType != is.ErrorType {
		c.add("", "errors are %s, were %s", cmp.Or(is.ErrorType, "the envelope"), cmp.Or(was.ErrorType, "the envelope"))
	}
	for _, row := range codes {
		a, b := cmp.Or(was.ErrorCodes[row.code], row.http), cmp.Or(is.ErrorCodes[row.code], row.http)
		if a != b {
			c.add("", "the status of %s is %d, was %d", row.code, b, a)
		}
	}
}

// compareInputs finds the breaks of an input.
func (c *comparison) compareInputs(was, is *contractMethod) {
	p := newProber(c.replica(true, was.Strict, false), c.replica(false, is.Strict, false))
	p.restOnly = len(was.Transports) == 1 && was.HTTP != ""
	inBody := func(f *contractPlan) bool { return f.From == "" }
	for _, f := range was.Input {
		if g := fieldNamed(is.Input, f.Name); g != nil && g.From != f.From && sameRoute(was, is) {
			p.remark("/"+f.Name, "comes from %s, came from %s", cmp.Or(g.From, "body"), cmp.Or(f.From, "body"))
		}
	}
	old, now := &contractType{Fields: was.Input, Union: was.Union}, &contractType{Fields: is.Input, Union: is.Union}
	probes := p.unionProbes(old, now, "")
	if is.Strict && !was.Strict {
		probes = append(probes, probe{"", p.with(old.alternatives()[0].Fields, is.Input, unnamed(was.Input), "0")})
	}
	m := c.new.compiled[is.Name]
	needsBody := slices.ContainsFunc(is.Input, inBody) && !slices.ContainsFunc(was.Input, inBody) && sameRoute(was, is) && m.hasBody()
	if probes == nil && !needsBody {
		c.breaks = append(c.breaks, append(p.remarks, p.doubts...)...)
		return
	}
	decodeOld := p.from.decodeObject(old)
	takes := func(text string) []Violation { return p.from.refusals(decodeOld, reflect.TypeFor[struct{}](), text) }
	if least := p.with(old.alternatives()[0].Fields, is.Input, "", ""); needsBody && takes(least) == nil {
		c.breaks = append(c.breaks, Break{At: "input", Why: "needs a JSON body over REST, needed none", Witness: json.RawMessage(least)})
	}
	decode, in := m.decodeNamed()
	c.tryProbes(p, probes, p.from.fieldsOf(&contractPlan{Kind: "object", Fields: was.Input, Union: was.Union}), p.to.fieldsOf(&contractPlan{Kind: "object", Fields: is.Input, Union: is.Union}), takes, func(text string) []Violation {
		found := p.to.refusals(decode, in, text)
		return slices.DeleteFunc(found, func(v Violation) bool {
			name, index, inside := strings.Cut(strings.TrimPrefix(v.Path, "/"), "/")
			value := string(memberAt([]byte(text), name))
			if n, err := strconv.Atoi(index); inside && err == nil && n >= 0 && n < len(elementsOf([]byte(value))) {
				value = elementsOf([]byte(value))[n]
			}
			f := fieldNamed(was.Input, name)
			if f == nil || !p.restOnly && !f.RESTOnly || !m.takesParam(name, value) {
				return false
			}
			p.doubts = append(p.doubts, Break{At: p.place("/" + name), Why: "cannot tell: the type changed, and over REST some values of both are the same text"})
			return true
		})
	})
}

// decodeNamed returns what decodes an object that has all fields of the input, those that
// only REST has under the names of their parameters, and the Go type of the input.
func (m *method) decodeNamed() (decodeFunc, reflect.Type) {
	if m.in == nil {
		return (&objectPlan{strict: m.strict}).decodeObject, reflect.TypeFor[struct{}]()
	}
	if m.in.alternatives != nil || !slices.ContainsFunc(m.in.fields, (*field).isNameless) {
		return m.bind.all.decodeObject, m.in.typ
	}
	fields := slices.Clone(m.in.fields)
	for i, f := range fields {
		if named := *f; f.isNameless() {
			named.setName(f.name)
			fields[i] = &named
		}
	}
	return newDecoders(new(mistakes), m.strict).objectPlan(fields, nil).decodeObject, m.in.typ
}

// takesParam reports whether a parameter of the route takes a value as a text: over REST
// alone true may be a string, and "1" a number.
func (m *method) takesParam(name, value string) bool {
	for _, list := range [][]param{m.bind.path, m.bind.query, m.bind.header, m.bind.cookie} {
		for i := range list {
			if p := &list[i]; (p.name == name || p.sourceName == name && p.isNameless()) && value != "" && !strings.HasPrefix(value, "[") {
				d, text := new(decoder), []byte(textOr(json.RawMessage(value)))
				d.start(nil)
				if v := p.settableIn(reflect.New(m.in.typ).Elem()); p.list {
					p.addElement(d, v, text, "", nil)
					p.checkList(d, v)
				} else {
					p.setChecked(d, v, text, "")
				}
				return d.finish() == nil
			}
		}
	}
	return false
}

// compareOutputs finds the breaks of an output and of the headers of the response, which
// are compared as if they were members of one object.
func (c *comparison) compareOutputs(was, is *contractMethod) {
	p := newProber(c.replica(false, false, true), c.replica(true, false, true))
	members := func(m *contractMethod) []*contractPlan {
		output := contractPlan{Kind: "any"}
		if m.Output != nil {
			output = *m.Output
		}
		output.Name = "output"
		list := []*contractPlan{&output}
		if m.Error != nil && was.Error != nil && is.Error != nil {
			form := *m.Error
			form.Name = "error"
			list = append(list, &form)
		}
		for _, h := range m.Headers {
			header := *h
			header.Name = "output header " + h.From
			list = append(list, &header)
		}
		return list
	}
	sent, known := members(is), members(was)
	for _, h := range known {
		if fieldNamed(sent, h.Name) == nil {
			c.add(h.Name, "is gone")
		}
	}
	for _, h := range is.Headers {
		if !h.RESTOnly && fieldNamed(known, "output header "+h.From) == nil && fieldNamed(p.to.fieldsOf(was.Output), h.Name) != nil {
			c.add("output /"+h.Name, "is the header %s over REST, was a member", h.From)
		}
	}
	if (was.Output == nil) != (is.Output == nil) {
		c.add("output", "is %s, was %s", describePlan(is.Output), describePlan(was.Output))
		return
	}
	known = slices.DeleteFunc(known, func(h *contractPlan) bool { return fieldNamed(sent, h.Name) == nil })
	if probes := p.objectProbes(sent, known, ""); probes != nil {
		c.tryProbes(p, probes, sent, known, p.from.decoderOf(sent), p.to.decoderOf(known))
	}
	c.breaks = append(c.breaks, p.doubts...)
}

// tryProbes adds a break for each place and reason for which a probe is refused. a and b
// are the fields of the two plans.
func (c *comparison) tryProbes(p *prober, probes []probe, a, b []*contractPlan, takes, refusals func(text string) []Violation) {
	found := make(map[string]bool) // places, and texts of breaks
	add := func(b Break) {
		if !found[b.text()] {
			found[b.text()], found[b.At] = true, true
			c.breaks = append(c.breaks, b)
		}
	}
	var unsure []Break
	for _, one := range probes {
		if takes(one.text) != nil {
			unsure = append(unsure, Break{At: p.place(one.at), Why: "cannot tell: no value was found that the release took"})
			continue
		}
		unknown := p.from.unknown
		for _, v := range refusals(one.text) {
			at, why := p.explain(v, a, b)
			switch {
			case unknown != "":
				unsure = append(unsure, Break{At: at, Why: "cannot tell: " + why + ", but nobody knows an example of " + unknown + ", which is beside it"})
			case p.from.outputs:
				add(Break{At: at, Why: why})
			default:
				add(Break{At: at, Why: why, Witness: json.RawMessage(one.text)})
			}
		}
	}
	for _, b := range append(p.doubts, unsure...) {
		if !found[b.At] {
			add(b)
		}
	}
	for _, b := range p.remarks {
		add(b)
	}
}

// place returns a place of a prober as a Break has it.
func (p *prober) place(at string) string {
	if !p.from.outputs {
		return strings.TrimSuffix("input "+at, " ")
	}
	first, rest, ok := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	if ok {
		rest = " /" + rest
	}
	return first + rest
}

// explain returns where a violation is, and what it says about the two plans.
func (p *prober) explain(v Violation, a, b []*contractPlan) (at, why string) {
	x, y := &contractPlan{Kind: "object", Fields: a}, &contractPlan{Kind: "object", Fields: b}
	for _, token := range strings.Split(v.Path, "/")[1:] {
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if cmp.Or(y, x).element() != nil {
			token = "*"
		}
		at += "/" + token
		x, y = p.from.child(x, name), p.to.child(y, name)
	}
	is, was := describePlan(y), describePlan(x)
	if p.from.outputs {
		is, was = was, is
	}
	switch {
	case v.Rule == ruleUnknown && x == nil:
		why = "unknown members are refused now (Strict)"
	case v.Rule == ruleUnknown:
		why = "is gone, and unknown members are refused (Strict)"
	case v.Rule == ruleRequired && x == nil && !p.from.outputs:
		why = "is required, and is new"
	case v.Rule == ruleRequired && !p.from.outputs:
		why = "is required, was optional"
	case v.Rule == ruleRequired && x == nil:
		why = "is gone, was always there"
	case v.Rule == ruleRequired:
		why = "may be absent, was always there"
	case y.rule(v.Rule) != "" && p.from.outputs:
		why = fmt.Sprintf("%s is %s, was %s: clients have not heard of the rest", v.Rule, cmp.Or(x.rule(v.Rule), "none"), y.rule(v.Rule))
	case y.rule(v.Rule) != "":
		why = fmt.Sprintf("%s is %s, was %s", v.Rule, y.rule(v.Rule), cmp.Or(x.rule(v.Rule), "none"))
	case is == was:
		why = "names that were taken are refused"
	default:
		why = "is " + is + ", was " + was
	}
	if v.Rule == ruleUnknown && x == nil {
		at = at[:strings.LastIndexByte(at, '/')]
	}
	return p.place(at), why
}

// child returns the plan of what is in an object, a list or a map, or nil.
func (r *replica) child(p *contractPlan, name string) *contractPlan {
	if p == nil || p.Of != nil {
		return p.element()
	}
	return fieldNamed(r.fieldsOf(p), name)
}

// element returns the plan of the elements of a list or a map, or nil.
func (p *contractPlan) element() *contractPlan {
	if p == nil {
		return nil
	}
	return p.Of
}

// rule returns the value of a keyword, or "".
func (p *contractPlan) rule(keyword string) string {
	if p == nil {
		return ""
	}
	return string(p.Rules[keyword])
}

// describePlan returns what values are, in words.
func describePlan(p *contractPlan) string {
	if p == nil {
		return "nothing"
	}
	text := cmp.Or(p.Go, p.Kind)
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

// fieldNamed returns the field of that name, or nil.
func fieldNamed(fields []*contractPlan, name string) *contractPlan {
	if i := slices.IndexFunc(fields, func(f *contractPlan) bool { return f.Name == name }); i >= 0 {
		return fields[i]
	}
	return nil
}

// unnamed returns a name that none of the fields has.
func unnamed(fields []*contractPlan) string {
	name := "other"
	for fieldNamed(fields, name) != nil {
		name += "_"
	}
	return name
}
