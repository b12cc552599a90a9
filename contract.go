package svc

// This file says what a service promises to its clients, and finds what a change of the
// program breaks of that. In this order: Contract, Breaks and CheckReleased; the contract
// of a service; reading one back; comparing methods. contract_probe.go compares plans.
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
	return []byte(lines.Replace(string(encodeDocument(newContract(s)))) + "\n") // in a JSON string, the quotes would be escaped
}

// Breaks returns what s does not keep of a contract that [Service.Contract] returned in
// a released version of the program. What that version accepted has to be accepted, where
// members that it ignored do not count, and what it promised to answer is still promised.
// What Validate and UnmarshalText check is not seen. The error is for a text that is none.
//
// No break are a new method, optional field, enum value of an input or member of an
// output, a required field that has a default, and a wider rule.
func (s *Service) Breaks(released []byte) ([]Break, error) {
	old, err := readContract(released)
	if err != nil {
		return nil, err
	}
	now, wrong := newContract(s), new(mistakes)
	c := &comparison{old: old, new: now, inputs: newScalars(now.natives, false, wrong), outputs: newScalars(now.natives, true, wrong)}
	c.compareContracts()
	if len(wrong.list) > 0 {
		return nil, wrong.err("read the contract, which is damaged")
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

// A contract is what a service promises. One that was read from a file has no natives.
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

	compiled *method // of a service
}

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

	object *contractPlan // what Object names
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
	}
	if !m.isServedBy(TransportREST) {
		return p
	}
	p.HTTP, p.Status = m.method+" "+s.prefix+m.path, m.status
	if m.form != nil {
		p.ErrorType, p.ErrorCodes, p.Error = m.form.contentType, m.form.statuses, c.planValue(m.form.shape, nil)
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
	p, tokens := &contractPlan{Kind: "object"}, m.bind.sourceTokens()
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
		p.Rules["enum"] = encodeDocument(t.types)
	}
	if t.max > 0 {
		p.Rules["maxBytes"] = encodeDocument(t.max)
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
		c.planObject(p, s)
	}
	return p
}

// planObject completes the plan of an object, by reference if it has a name.
func (c *contract) planObject(p *contractPlan, s *shape) {
	p.Object = c.names[s]
	known := p.Object != "" && c.types[p.Object] != nil
	if p.Object != "" && !known {
		t := &contractPlan{Type: p.Object, Kind: "object"}
		c.types[p.Object] = t // before its fields, which may lead back to it
		c.Types = append(c.Types, t)
	}
	if p.object = c.types[p.Object]; !known {
		c.planMembers(p.resolve(), s.fields, s.alternatives)
	}
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

// readContract reads a contract that Contract has written.
func readContract(text []byte) (*contract, error) {
	c, wrong := &contract{types: make(map[string]*contractPlan)}, new(mistakes)
	if !isJSON(text) || json.Unmarshal(text, c) != nil || c.Form == 0 || slices.Contains(c.Methods, nil) {
		return nil, fmt.Errorf("the text is no contract, or is damaged; restore it from version control")
	}
	if c.Form != contractForm {
		return nil, fmt.Errorf("the contract has the form %d, and this version of svc knows the form %d", c.Form, contractForm)
	}
	plans := slices.DeleteFunc(c.Types, func(t *contractPlan) bool { return t == nil })
	for _, t := range plans {
		c.types[t.Type] = t
	}
	for _, m := range c.Methods {
		m.Headers = slices.DeleteFunc(m.Headers, func(h *contractPlan) bool { return h == nil })
		plans = append(append(plans, m.Headers...), m.Input, m.Output, m.Error)
	}
	for _, p := range plans {
		c.link(wrong, p)
	}
	if len(wrong.list) > 0 {
		return nil, wrong.err("read the contract, which is damaged")
	}
	return c, nil
}

// link finds the types that p, which may be nil, and the plans in it refer to, and notes what
// is no plan.
func (c *contract) link(wrong *mistakes, p *contractPlan) {
	if p == nil {
		return
	}
	p.object = c.types[p.Object]
	parts := slices.Concat(p.Fields, p.Union)
	noFields := func(a *contractPlan) bool { return a == nil || a.Fields == nil }
	ok := !slices.Contains(parts, nil) && (p.Object == "" || p.object != nil) && (p.Union == nil || p.Fields != nil && !slices.ContainsFunc(p.Union, noFields))
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
		wrong.addf("no value is a %q of the form %s", p.Kind, encodeDocument(p))
		return
	}
	for _, part := range append(parts, p.Of, p.Keys) {
		c.link(wrong, part)
	}
}

// A comparison finds the breaks of one contract after another.
type comparison struct {
	old, new        *contract
	inputs, outputs *scalars
	breaks          []Break
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
	if rest {
		c.compareErrors(was, is)
	}
	c.compareInputs(was, is)
	c.compareOutputs(was, is)
}

// compareKeys finds the breaks of idempotency keys.
func (c *comparison) compareKeys(was, is *contractMethod) {
	switch {
	case was.Key != "" && is.Key == "":
		c.add("", "takes no idempotency key any more")
	case was.Key != KeyRequired && is.Key == KeyRequired:
		c.add("", "needs an idempotency key, needed none")
	case is.KeyFor < was.KeyFor:
		c.add("", "keeps idempotency keys for %v, kept them for %v", is.KeyFor, was.KeyFor)
	}
}

// compareErrors finds the breaks of the form of errors.
func (c *comparison) compareErrors(was, is *contractMethod) {
	if was.ErrorType != is.ErrorType {
		c.add("", "errors are %s, were %s", cmp.Or(is.ErrorType, "the envelope"), cmp.Or(was.ErrorType, "the envelope"))
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(was.ErrorCodes)), maps.Keys(is.ErrorCodes))
	slices.Sort(keys)
	status := func(m *contractMethod, key Code) int {
		if !key.isError() && m.ErrorCodes[key] == 0 { // a rule without a status of its own
			key = CodeInvalidArgument
		}
		return cmp.Or(m.ErrorCodes[key], codes[key.row()].http)
	}
	for _, key := range slices.Compact(keys) {
		if a, b := status(was, key), status(is, key); a != b {
			c.add("", "the status of %s is %d, was %d", key, b, a)
		}
	}
}

// compareInputs finds the breaks of an input.
func (c *comparison) compareInputs(was, is *contractMethod) {
	old, now := cmp.Or(was.Input, &contractPlan{Kind: "object"}), cmp.Or(is.Input, &contractPlan{Kind: "object"})
	p := newProber(c.inputs)
	inBody := func(f *contractPlan) bool { return f.From == "" }
	readsBody := slices.ContainsFunc(now.Fields, inBody)
	p.service, p.usesMCP = is.compiled, slices.Contains(was.Transports, TransportMCP)
	p.strict = is.Strict && (readsBody || !slices.Equal(was.Transports, []Transport{TransportREST}))
	for _, f := range old.Fields {
		if g := now.child(f.Name); g != nil && g.From != f.From && sameRoute(was, is) {
			p.remark("/"+f.Name, "comes from %s, came from %s", cmp.Or(g.From, "body"), cmp.Or(f.From, "body"))
		}
	}
	p.compare(old, now, "", func(text string) string { return text })
	if p.strict && !was.Strict {
		p.refuse("", "unknown members are refused now (Strict)", p.object(old.alternatives()[0].Fields, now, unnamed(old.Fields), "0"))
	}
	if sameRoute(was, is) && is.compiled.hasBody() && readsBody && !slices.ContainsFunc(old.Fields, inBody) {
		if least := p.sample(old, now); p.missing == "" {
			p.found = append(p.found, Break{At: "input", Why: "needs a JSON body over REST, needed none", Witness: json.RawMessage(least)})
		}
	}
	c.breaks = append(c.breaks, p.breaks()...)
}

// compareOutputs finds the breaks of an output and of the headers of the response, which
// are compared as if they were members of one object.
func (c *comparison) compareOutputs(was, is *contractMethod) {
	if (was.Output == nil) != (is.Output == nil) {
		c.add("output", "is %v, was %v", is.Output, was.Output)
	}
	members := func(m *contractMethod) *contractPlan {
		whole := &contractPlan{Kind: "object"}
		add := func(p *contractPlan, name string) {
			named := *p
			named.Name = name
			whole.Fields = append(whole.Fields, &named)
		}
		if was.Output != nil && is.Output != nil {
			add(m.Output, "output")
		}
		if was.Error != nil && is.Error != nil {
			add(m.Error, "error")
		}
		for _, h := range m.Headers {
			add(h, "output header "+h.From)
		}
		return whole
	}
	sent, known := members(is), members(was)
	for _, h := range is.Headers {
		if !h.RESTOnly && known.child("output header "+h.From) == nil && was.Output.child(h.Name) != nil {
			c.add("output /"+h.Name, "is the header %s over REST, was a member", h.From)
		}
	}
	known.Fields = slices.DeleteFunc(known.Fields, func(h *contractPlan) bool {
		isGone := sent.child(h.Name) == nil
		if isGone {
			c.add(h.Name, "is gone")
		}
		return isGone
	})
	p := newProber(c.outputs)
	p.compare(sent, known, "", func(text string) string { return text })
	c.breaks = append(c.breaks, p.breaks()...)
}
