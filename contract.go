package svc

// This file says what a service promises to its clients, and finds what a change of the
// program breaks of that. In this order: Contract, Breaks and CheckReleased; the contract
// of a service; making contracts ready; comparing methods. contract_probe.go compares plans.
//
// Plans are compared by trial. Where two of them differ, a probe is a value that the
// sender's plan takes and the reader's may refuse: at a bound and beside it, or a text of
// one pattern that is none of the other. Decoders of both plans read its scalars. It stands
// in a value that is otherwise as short as can be, and what a service refuses of an input is
// tried on the plan that it has. Of an input the released plan is the sender's, and of an
// output that of the service: what it may answer has to be what the released plan takes.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
	text, _ := plainJSON(newContract(s))
	return []byte(lines.Replace(string(text)) + "\n") // in a JSON string, the quotes would be escaped
}

// Breaks returns what s does not keep of a contract that [Service.Contract] returned in
// a released version of the program. What that version accepted has to be accepted, where
// members that it ignored do not count, and what it promised to answer is still promised.
// What Validate and UnmarshalText check is not seen. The error is for a text that is none.
//
// No break are a new method, optional field, enum value of an input or member of an
// output, a required field that has a default, and a wider rule.
func (s *Service) Breaks(released []byte) ([]Break, error) {
	old, now, wrong := new(contract), newContract(s), new(mistakes)
	if !isJSON(released) || json.Unmarshal(released, old) != nil || old.Form == 0 || slices.Contains(old.Methods, nil) {
		return nil, errors.New("the text is no contract, or is damaged; restore it from version control")
	}
	if old.Form != contractForm {
		return nil, fmt.Errorf("the contract has the form %d, and this version of svc knows the form %d", old.Form, contractForm)
	}
	l := &planLinker{shapes: newShapes(wrong), natives: now.natives, readers: make(map[string]*scalarReader)}
	l.linkContract(now)
	if l.linkContract(old); len(wrong.list) > 0 {
		return nil, wrong.err("cannot read the contract, which is damaged")
	}
	return compareContracts(old, now), nil
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
	// if no input is refused. For a Body it has the media type.
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
// needs fails. With update the file and its directory are written, unless a break is not
// allowed; without, it fails if the file is missing or is not what s promises. So a review
// sees each change of the contract, and only a break needs a word. If the file is what s
// promises, allowed is not looked at. A damaged file fails and is never written.
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
	var found, texts strings.Builder
	for _, b := range breaks {
		if !slices.Contains(allowed, b.text()) {
			fmt.Fprintf(&found, "\n\t%v", b)
			fmt.Fprintf(&texts, "\n\t%q,", b.text())
		}
	}
	for _, text := range allowed {
		if !slices.ContainsFunc(breaks, func(b Break) bool { return b.text() == text }) {
			t.Errorf("%s: no break needs the allowance %q; delete it", file, text)
		}
	}
	switch {
	case found.Len() > 0:
		t.Errorf("%s: clients of the release would break:%s\nUndo the change, or make a new field optional or give it a default. If no client minds, add these arguments of CheckReleased:%s", file, &found, &texts)
	case !update:
		t.Errorf("%s: the service promises something else now, and breaks nothing that is not allowed; write it by go test -update, and commit it", file)
	default:
		_ = os.MkdirAll(filepath.Dir(file), 0o777) // if it fails, so does WriteFile
		if err := os.WriteFile(file, s.Contract(), 0o666); err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// contractForm is the version of the JSON of contracts.
const contractForm = 1

// A contract is what a service promises. One that was read from a file has no more than its
// members.
type contract struct {
	Form    int               `json:"contract"`
	Methods []*contractMethod `json:"methods"`
	Types   []*contractPlan   `json:"types"`

	names   map[*shape]string        // of types in documents
	types   map[string]*contractPlan // Types by name
	natives map[string]*shape        // the types with their own JSON or text, by Go name
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
	Input      *contractPlan   `json:"input,omitempty"`   // with what only REST has
	Output     *contractPlan   `json:"output,omitempty"`
	Headers    []*contractPlan `json:"headers,omitempty"`   // of the response
	ErrorType  string          `json:"errorType,omitempty"` // media type of the ErrorForm; "" for the envelope
	ErrorCodes map[Code]int    `json:"errorCodes,omitempty"`
	Error      *contractPlan   `json:"error,omitempty"` // the ErrorForm

	Blocks bool `json:"mcpContent,omitempty"` // over MCP the output is MCPContent alone

	compiled *method // of a service
}

// errorsOwn is the ErrorType of an OnError that is not of svc. It promises nothing.
const errorsOwn = "those of an OnError"

// A contractPlan says which JSON a value has, and more if it is that of a field. A file is
// a string, its media type.
type contractPlan struct {
	Type      string          `json:"type,omitempty"`  // the name, if plans refer to it; of an alternative the discriminator
	Name      string          `json:"field,omitempty"` // of what only REST has: the name of the parameter
	From      string          `json:"from,omitempty"`  // such as "query page"; "" for the body; of a response: the header
	RESTOnly  bool            `json:"restOnly,omitempty"`
	MCPHeader string          `json:"mcpHeader,omitempty"`
	Optional  bool            `json:"optional,omitempty"`
	Default   json.RawMessage `json:"default,omitempty"`

	Kind   string                     `json:"kind"` // of kindNames, or of package reflect for numbers
	Null   bool                       `json:"null,omitempty"`
	Quoted bool                       `json:"quoted,omitempty"` // a string has the JSON in it
	Go     string                     `json:"go,omitempty"`     // the type, if that has its own JSON or text
	Object string                     `json:"object,omitempty"` // one of contract.Types, which has the fields
	Fields []*contractPlan            `json:"fields,omitempty"` // of a union: what the alternatives share, first the discriminator
	Union  []*contractPlan            `json:"union,omitempty"`  // the alternatives, with all their fields
	Keys   *contractPlan              `json:"keys,omitempty"`   // of a map
	Of     *contractPlan              `json:"of,omitempty"`     // the elements of a list or a map
	Length *int                       `json:"length,omitempty"` // of a list that is an array
	Rules  map[string]json.RawMessage `json:"rules,omitempty"`  // encoding/json sorts it

	// linkPlan sets these.
	object  *contractPlan // what Object names; nil if it names nothing
	reader  *scalarReader // of a value that has no values in it
	unknown []string      // rules that this version of svc does not know
	union   *contractPlan // which an alternative is of
}

// kindNames has the names of kinds in contracts.
var kindNames = [...]string{
	kindAny: "any", kindRaw: "any", kindCustom: "custom", kindText: "text", kindTime: "time", kindDuration: "duration", kindBytes: "bytes", kindString: "string",
	kindBool: "bool", kindNumber: "number", kindSlice: "list", kindArray: "list", kindMap: "map", kindObject: "object", kindFile: "file",
}

// plainTypes has a Go type for each kind that needs no more.
var plainTypes = map[string]reflect.Type{
	"any": reflect.TypeFor[any](), "string": reflect.TypeFor[string](), "file": reflect.TypeFor[string](), "bool": reflect.TypeFor[bool](), "time": typeTime, "duration": typeDuration, "bytes": reflect.TypeFor[[]byte](), "number": typeNumber,
	"int": reflect.TypeFor[int](), "int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"uint": reflect.TypeFor[uint](), "uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](), "uint64": reflect.TypeFor[uint64](),
	"uintptr": reflect.TypeFor[uintptr](), "float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
}

// newContract returns the contract of s.
func newContract(s *Service) *contract {
	c := &contract{Form: contractForm, Types: []*contractPlan{}, names: s.typeNames, types: make(map[string]*contractPlan), natives: make(map[string]*shape)}
	for _, m := range s.methods {
		c.Methods = append(c.Methods, c.planMethod(s, m))
	}
	c.Types = slices.AppendSeq(c.Types, maps.Values(c.types))
	slices.SortFunc(c.Methods, func(a, b *contractMethod) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(c.Types, func(a, b *contractPlan) int { return strings.Compare(a.Type, b.Type) })
	return c
}

// planMethod returns what m promises.
func (c *contract) planMethod(s *Service, m *method) *contractMethod {
	p := &contractMethod{Name: m.resource + "." + m.name, Stream: m.stream, Scopes: m.scopes, Strict: m.strict, Key: m.keyUse, compiled: m}
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
	if m.key != nil && m.key.Idempotency != nil {
		p.KeyFor = cmp.Or(m.key.For, 24*time.Hour)
	}
	if m.in != nil {
		p.Input = c.planInput(m, len(p.Transports) == 1)
	}
	if m.out != nil {
		p.Output = c.planValue(m.out, nil)
		_, p.Blocks = m.outType.MethodByName("MCPContent")
	}
	if !m.isServedBy(TransportREST) {
		return p
	}
	p.HTTP, p.Status = m.method+" "+s.prefix+m.path, m.status
	switch {
	case m.form != nil:
		p.ErrorType, p.ErrorCodes, p.Error = m.form.contentType, m.form.statuses, c.planValue(m.form.shape, nil)
	case isHandler(m.onError, WriteProblem):
		p.ErrorType = contentTypeProblem + " of WriteProblem"
	case m.onError != nil && !isHandler(m.onError, WriteError):
		p.ErrorType = errorsOwn
	}
	for i := 0; m.headers != nil && i < len(m.headers.fields); i++ {
		h := &m.headers.fields[i]
		f := c.planField(h.field)
		f.From, f.RESTOnly, f.Optional = h.key, h.hidden, !h.isSent()
		p.Headers = append(p.Headers, f)
	}
	return p
}

// planInput returns the plan of an input, with where REST takes its fields from, which may
// be alone in serving m. Clients do not see the names of placeholders, so these are
// numbered. A Body is a field too, which is needed where its media type counts.
func (c *contract) planInput(m *method, alone bool) *contractPlan {
	p, tokens := &contractPlan{Kind: "object"}, m.bind.tokens
	for _, f := range m.in.fields {
		g, source := c.planField(f), m.bind.sources[f]
		if source == inBody && f.isNameless() { // which nobody can send without a route
			continue
		}
		if source != inBody {
			name := tokens[f][1:]
			if source == inPath {
				name = strconv.Itoa(slices.Index(m.placeholders, name) + 1)
			}
			g.From, g.RESTOnly = source+" "+name, alone || f.isNameless()
		}
		p.Fields = append(p.Fields, g)
	}
	if f := m.in.file; f != nil {
		g := c.planField(f)
		g.planFile(f.tags)
		g.From, g.RESTOnly, g.Optional = "the body", true, f.tags.types == nil
		p.Fields = append(p.Fields, g)
	}
	c.planMembers(p, nil, m.in.alternatives)
	return p
}

// planField returns the plan of a field.
func (c *contract) planField(f *field) *contractPlan {
	p := c.planValue(f.shape, f.rules)
	p.Name, p.Optional, p.Default, p.Quoted, p.Null, p.MCPHeader = f.name, f.optional, f.def, f.quoted, p.Null && !f.notNull, f.mcpHeader
	return p
}

// planFile gives p, a file, its media types and how long it may be as rules.
func (p *contractPlan) planFile(t *fileTags) {
	if t.types != nil {
		p.Rules["enum"], _ = plainJSON(t.types)
	}
	if t.max > 0 {
		p.Rules["maxBytes"] = strconv.AppendInt(nil, t.max, 10)
	}
}

// planValue returns the plan of values of a shape that a field may have more rules for.
func (c *contract) planValue(s *shape, more ruleSet) *contractPlan {
	p := &contractPlan{Null: s != s.deref()}
	s = s.deref()
	p.Rules = make(map[string]json.RawMessage)
	for _, r := range slices.Concat(s.rules, more) {
		p.Rules[r.keyword] = r.value
	}
	if p.Kind = kindNames[s.kind]; p.Kind == "" {
		p.Kind = s.typ.Kind().String()
	}
	switch s.kind {
	case kindCustom, kindText:
		p.Go = s.typ.PkgPath() + "." + s.typ.Name()
		if c.natives[p.Go] == nil || s.example != "" {
			c.natives[p.Go] = s
		}
	case kindFile:
		p.planFile(s.file.tags)
	case kindSlice:
		p.Of = c.planValue(s.elem, nil)
	case kindArray:
		n := s.typ.Len()
		p.Of, p.Length = c.planValue(s.elem, nil), &n
	case kindMap:
		p.Keys, p.Of = c.planValue(s.key, nil), c.planValue(s.elem, nil)
	case kindObject:
		t := p
		if p.Object = c.names[s]; p.Object != "" {
			if t = c.types[p.Object]; t != nil {
				break
			}
			t = &contractPlan{Type: p.Object, Kind: "object"}
			c.types[p.Object] = t // before its fields, which may lead back to it
		}
		c.planMembers(t, s.fields, s.alternatives)
	}
	return p
}

// planMembers adds the members of an object, and the alternatives of a union.
func (c *contract) planMembers(p *contractPlan, fields []*field, alternatives []*shape) {
	for _, f := range fields {
		if !f.hidden {
			p.Fields = append(p.Fields, c.planField(f))
		}
	}
	for _, a := range alternatives {
		u := &contractPlan{Type: a.value, Kind: "object"}
		c.planMembers(u, a.fields, nil)
		p.Union = append(p.Union, u)
	}
}

// A planLinker makes contracts ready to be compared. It finds the objects that plans refer
// to and the readers of scalars, and notes what is wrong with a contract.
type planLinker struct {
	*shapes
	natives map[string]*shape        // of the service that is checked
	types   map[string]*contractPlan // of the contract
	readers map[string]*scalarReader // by kind and rules, so that one is for all plans that are the same
}

// linkContract links the plans of c.
func (l *planLinker) linkContract(c *contract) {
	l.types = make(map[string]*contractPlan)
	for _, t := range c.Types {
		if t != nil {
			l.types[t.Type] = t
		}
	}
	l.linkPlan(&contractPlan{Kind: "object", Fields: c.Types})
	for _, m := range c.Methods {
		for _, p := range []*contractPlan{m.Input, m.Output, m.Error, {Kind: "object", Fields: m.Headers}} {
			l.linkPlan(p)
		}
	}
}

// linkPlan links p, which may be nil, and the plans in it.
func (l *planLinker) linkPlan(p *contractPlan) {
	if p == nil {
		return
	}
	p.object = l.types[p.Object]
	parts := slices.Concat(p.Fields, p.Union)
	noFields := func(a *contractPlan) bool { return a == nil || len(a.Fields) == 0 || a.Fields[0] == nil }
	ok := !slices.Contains(parts, nil) && (p.Object == "" || p.object != nil) && (p.Union == nil || !noFields(p) && !slices.ContainsFunc(p.Union, noFields))
	switch p.Kind {
	case "list":
		ok = ok && p.Of != nil
	case "map":
		ok = ok && p.Of != nil && p.Keys != nil
	case "custom", "text", "object":
	default:
		ok = ok && plainTypes[p.Kind] != nil
	}
	if !ok {
		text, _ := plainJSON(p)
		l.addf("no value is a %q of the form %s", p.Kind, text)
		return
	}
	for _, a := range p.Union { // whose discriminator has one value
		a.union = p
		a.Fields[0].Rules = map[string]json.RawMessage{"enum": append(appendQuoted([]byte("["), a.Type), ']')}
	}
	for _, part := range append(parts, p.Of, p.Keys) {
		l.linkPlan(part)
	}
	unknown := maps.Clone(p.Rules)
	delete(unknown, "maxBytes")
	for _, t := range ruleTags {
		delete(unknown, t.name)
	}
	p.unknown = slices.Sorted(maps.Keys(unknown))
	if !p.isComposite() {
		p.reader = l.readerOf(p)
	}
}

// A scalarReader reads the scalars of plans, by the decoder that services have for them.
type scalarReader struct {
	shape    *shape
	decode   decodeFunc // nil for a type that nobody can decode any more
	shortest string     // a short value, if it is known
}

// readerOf returns the reader of the scalar p. A type with its own JSON or text is read by
// that of its name in the service.
func (l *planLinker) readerOf(p *contractPlan) *scalarReader {
	key := fmt.Sprintf("%s %v %s", p.Kind, p, p.Rules) // maps are sorted
	if r := l.readers[key]; r != nil {
		return r
	}
	r := &scalarReader{shape: new(shape)}
	l.readers[key] = r
	plain, native := plainTypes[p.Kind], l.natives[p.Go]
	switch {
	case plain != nil:
		*r.shape = *l.shapeFor(plain, "")
	case native != nil && p.Kind == kindNames[native.kind]:
		*r.shape = *native
	default:
		return r
	}
	r.shape.rules = l.rulesOf(p, r.shape)
	r.decode = newDecoders(l.mistakes, false).fieldDecoder(&field{shape: r.shape, quoted: p.Quoted})
	return r
}

// rulesOf returns the rules of the scalar p, which has the shape s.
func (l *planLinker) rulesOf(p *contractPlan, s *shape) (rules ruleSet) {
	for _, t := range ruleTags {
		value, made, want := p.Rules[t.name], rule{}, t.on
		switch {
		case value == nil:
			continue
		case t.name == "enum":
			made, want = enumOf(s, value)
		case t.fits(s):
			made, want = t.makeRule(s, textOr(string(value)))
		}
		if want != "" {
			l.addf("%s is %s; want %s", t.name, value, want)
			continue
		}
		rules = append(rules, made)
	}
	return rules
}

// enumOf makes the rule that a value is one of those in a JSON array.
func enumOf(s *shape, list json.RawMessage) (made rule, want string) {
	var texts []string
	for _, item := range itemsOf(list) {
		text := string(item)
		_, ok := s.valueFor(text)
		if s.kind.isStringy() {
			text, ok = textOr(text), isText(item)
		}
		if !ok {
			return made, "values of the type"
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return made, "values"
	}
	return enumRule(s, texts), ""
}

// read returns the rules that a value breaks. A panic of a type with its own JSON counts as
// well.
func (r *scalarReader) read(text string) (broken []string) {
	if r.decode == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			broken = []string{ruleType}
		}
	}()
	d := new(decoder)
	d.start([]byte(text))
	r.decode(d, reflect.New(r.shape.typ).Elem())
	if d.scan.checkEnd(); d.scan.err != nil {
		return []string{d.scan.err.rule}
	}
	for _, v := range d.found.list {
		broken = append(broken, v.Rule)
	}
	return broken
}

// compareContracts returns the breaks of all methods.
func compareContracts(old, now *contract) (breaks []Break) {
	byName := make(map[string]*contractMethod)
	for _, m := range now.Methods {
		byName[m.Name] = m
	}
	for _, was := range old.Methods {
		is := byName[was.Name]
		p := &prober{method: was.Name, compared: make(map[[2]*contractPlan]bool), making: make(map[*contractPlan]int), shown: make(map[string]bool)}
		if is == nil && len(was.Transports) == 1 { // of a method over REST alone, clients know no name
			if i := slices.IndexFunc(now.Methods, func(m *contractMethod) bool { return sameRoute(was, m) }); i >= 0 {
				is = now.Methods[i]
			}
		}
		if is == nil {
			p.remark("", "is gone")
		} else {
			p.compareMethods(was, is)
		}
		breaks = append(breaks, p.breaks()...)
	}
	return breaks
}

// sameRoute reports whether two routes differ at most in the names of placeholders.
func sameRoute(a, b *contractMethod) bool {
	segments := func(m *contractMethod) []string {
		method, path, _ := strings.Cut(m.HTTP, " ")
		return route{method: method, path: path}.segments()
	}
	return a.HTTP != "" && b.HTTP != "" && slices.Equal(segments(a), segments(b))
}

// compareMethods finds the breaks of one method.
func (p *prober) compareMethods(was, is *contractMethod) {
	rest := was.HTTP != "" && is.HTTP != ""
	lost := func(format string, was, is []string) {
		for _, one := range was {
			if !slices.Contains(is, one) {
				p.remark("", format, one)
			}
		}
	}
	for _, t := range was.Transports {
		if !slices.Contains(is.Transports, t) {
			p.remark("", "is not served over %s any more", t)
		}
	}
	if p.sameRoute = sameRoute(was, is); rest && !p.sameRoute {
		p.remark("", "the route is %s, was %s", is.HTTP, was.HTTP)
	}
	if rest && was.Status != is.Status {
		p.remark("", "the status is %d, was %d", is.Status, was.Status)
	}
	if was.Stream != is.Stream {
		p.remark("", "the stream mode is %q, was %q", is.Stream, was.Stream)
	}
	if slices.Contains(is.Transports, TransportRPC) {
		lost("the JSON-RPC name %s is gone, or calls another method", was.Aliases, is.Aliases)
	}
	lost("needs the scope %s", is.Scopes, was.Scopes)
	if was.Identity == nil && is.Identity != nil {
		p.remark("", "needs an identity, needed none")
	} else if is.Identity != nil {
		lost("the identity scheme %s is gone", was.Identity, is.Identity)
	}
	switch {
	case was.Key != "" && is.Key == "":
		p.remark("", "takes no idempotency key any more")
	case was.Key != KeyRequired && is.Key == KeyRequired:
		p.remark("", "needs an idempotency key, needed none")
	case is.KeyFor < was.KeyFor:
		p.remark("", "keeps idempotency keys for %v, kept them for %v", is.KeyFor, was.KeyFor)
	}
	if rest {
		p.compareErrors(was, is)
	}
	p.compareInputs(was, is)
	p.compareOutputs(was, is)
}

// compareErrors finds the breaks of the form of errors.
func (p *prober) compareErrors(was, is *contractMethod) {
	if was.ErrorType == errorsOwn {
		return
	}
	if was.ErrorType != is.ErrorType {
		p.remark("", "errors are %s, were %s", cmp.Or(is.ErrorType, "the envelope"), cmp.Or(was.ErrorType, "the envelope"))
	}
	status := func(m *contractMethod, key Code) int {
		if !key.isError() && m.ErrorCodes[key] == 0 { // a rule without a status of its own
			key = CodeInvalidArgument
		}
		return cmp.Or(m.ErrorCodes[key], codes[key.row()].http)
	}
	both := make(map[Code]int)
	maps.Copy(both, was.ErrorCodes)
	maps.Copy(both, is.ErrorCodes)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		if a, b := status(was, key), status(is, key); a != b {
			p.remark("", "the status of %s is %d, was %d", key, b, a)
		}
	}
}

// compareInputs finds the breaks of an input.
func (p *prober) compareInputs(was, is *contractMethod) {
	old, now := cmp.Or(was.Input, &contractPlan{Kind: "object"}), cmp.Or(is.Input, &contractPlan{Kind: "object"})
	inBody := func(f *contractPlan) bool { return f.From == "" }
	readsBody := slices.ContainsFunc(now.Fields, inBody)
	for _, f := range old.Fields { // what only REST sends is known by its source
		if i := slices.IndexFunc(now.Fields, func(g *contractPlan) bool { return f.RESTOnly && f.isFrom(g.From) }); i >= 0 && old.child(now.Fields[i].Name) == nil {
			f.Name = now.Fields[i].Name
		}
	}
	p.whole, p.strict, p.isAlone = is.compiled.namedReader(), is.Strict, was.HTTP != "" && len(was.Transports) == 1
	p.noBody, p.usesMCP, p.unknown = p.isAlone && !readsBody, slices.Contains(was.Transports, TransportMCP) && slices.Contains(is.Transports, TransportMCP), "ignored now"
	if p.usesMCP {
		p.unknown += " (refused over MCP without AllowUnknown)"
	}
	p.compare(old, now, "input", func(text string) string { return text })
	if p.strict && !was.Strict {
		p.refuse("input", "unknown names are refused now (Strict)", p.object(old.alternatives()[0].Fields, now, unnamed(old.Fields), "0"))
	}
	if p.sameRoute && is.compiled.hasBody() && readsBody && !slices.ContainsFunc(old.Fields, inBody) {
		if least := p.sample(old, now); p.missing == "" { // the input itself is taken
			p.add(Break{At: "input", Why: "needs a JSON body over REST, needed none", Witness: json.RawMessage(least)})
		}
	}
}

// compareOutputs finds the breaks of what a method answers, which are compared as if the
// output, the error and the headers were members of one object.
func (p *prober) compareOutputs(was, is *contractMethod) {
	if (was.Output == nil) != (is.Output == nil) {
		p.remark("output", "is %v, was %v", is.Output, was.Output)
	}
	if was.Output != nil && is.Blocks && !was.Blocks && p.usesMCP {
		p.remark("output", "is MCPContent over MCP, was structured content")
	}
	sent, known := is.answer(), was.answer()
	for _, h := range was.Headers {
		if sent.child("output header "+h.From) == nil {
			p.remark("output header "+h.From, "is gone")
		}
	}
	for _, h := range is.Headers {
		if !h.RESTOnly && known.child("output header "+h.From) == nil && was.Output.child(h.Name) != nil {
			p.remark("output /"+h.Name, "is the header %s over REST, was a member", h.From)
		}
	}
	known.Fields = slices.DeleteFunc(known.Fields, func(f *contractPlan) bool { return sent.child(f.Name) == nil })
	if output := known.child("output"); output != nil && output.Kind == "object" && p.isAlone { // which sends no member that is a header
		output.Fields = slices.DeleteFunc(slices.Clone(output.resolve().Fields), func(f *contractPlan) bool {
			return slices.ContainsFunc(was.Headers, func(h *contractPlan) bool { return h.Name == f.Name && !h.RESTOnly })
		})
	}
	p.outputs, p.whole, p.strict, p.missing = true, nil, false, ""
	p.compare(sent, known, "", func(text string) string { return text })
}

// answer returns what clients get of m as one object.
func (m *contractMethod) answer() *contractPlan {
	whole := &contractPlan{Kind: "object"}
	add := func(p *contractPlan, name string) {
		if p != nil {
			named := *p
			named.Name = name
			whole.Fields = append(whole.Fields, &named)
		}
	}
	add(m.Output, "output")
	add(m.Error, "error")
	for _, h := range m.Headers {
		add(h, "output header "+h.From)
	}
	return whole
}
