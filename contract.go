package svc

// This file says what a service promises to its clients, and finds the promises that a new version
// of the program breaks. In this order: Contract, Breaks and CheckReleased; the contract of a
// service; linking contracts; comparing methods. contract_probe.go compares plans, and
// contract_routes.go routes.
//
// A plan describes the JSON of a value. Two plans, the sender's and the reader's, are compared:
// objects, lists and maps by their members, sizes and rules, and scalars by trial. The client sends
// inputs, so for an input the sender's plan is the released one. The service sends outputs, so for
// an output it is the plan of the service. The comparison uses these words:
//
//	probe    a scalar that the sender's plan takes, and the reader's may refuse: at a bound and
//	         beside it, or a text of one pattern that the other does not match
//	witness  a probe that the decoder of the service has refused
//	doubt    a break "cannot tell", where no probe shows a rule
//
// For example, name had maxLength 4 and now has 2. The probe for maxLength is "aaa", which the
// released plan takes and the service refuses.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Contract returns what s promises to its clients, as JSON in a fixed order: the names, routes,
// callers, inputs and outputs of methods, and the names of tools, prompts and resources. It does
// not include the options of [Service.MCP]. [CheckReleased] keeps it in a file. doc/releases.md
// lists the things that are not promised.
func (s *Service) Contract() []byte {
	lines := strings.NewReplacer(`{"method":`, "\n"+`{"method":`, `{"type":`, "\n"+`{"type":`, `{"field":`, "\n\t"+`{"field":`)
	text, _ := plainJSON(newContract(&s.service))
	return []byte(lines.Replace(string(text)) + "\n") // in a JSON string, the quotes would be escaped
}

// Breaks returns the promises of a released contract that s does not keep: s refuses an input that
// was accepted, or can return an answer that the release did not promise. released is what
// [Service.Contract] returned for the release. doc/releases.md lists the kinds of breaks. They are
// sorted by method and place; nil means none. Breaks returns an error if released is not a
// contract, is damaged, or has a form that this version of svc does not know.
func (s *Service) Breaks(released []byte) ([]Break, error) {
	return s.breaksBy(ruleRows, released)
}

// breaksBy is Breaks with the rules that a contract can have.
func (s *service) breaksBy(rows []*ruleRow, released []byte) ([]Break, error) {
	old, now, wrong := new(contract), newContract(s), new(mistakes)
	if !isJSON(released) || json.Unmarshal(released, old) != nil || old.Form == 0 || slices.Contains(old.Methods, nil) {
		return nil, errors.New("the text is not a contract, or is damaged; restore it from version control")
	}
	if old.Form != contractForm {
		return nil, fmt.Errorf("the contract has the form %d, and this version of svc knows the form %d", old.Form, contractForm)
	}
	l := &planLinker{shapes: newShapes(wrong), rows: rows, natives: now.natives, readers: make(map[string]*scalarReader)}
	l.linkContract(now)
	if l.linkContract(old); len(wrong.list) > 0 {
		return nil, wrong.err("cannot read the contract, which is damaged")
	}
	return compareContracts(old, now), nil
}

// A Break is one promise of a released contract that a service does not keep. An example of its
// text is
//
//	notes.create input /text: maxLength is 80, was 200; for example {"text":"…"}
type Break struct {
	Method string // resource and name, as in JSON-RPC
	Place  string // "input /tags/*" for the items of a list; "" for the method itself
	Reason string // what is and what was; or "cannot tell" and why, such as for types that read their own JSON
	// Witness is a value at the place that the release accepts and the service refuses, as JSON, or
	// nil where the reason says all. doc/releases.md has more.
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
func (b Break) text() string { return strings.TrimSuffix(b.Method+" "+b.Place, " ") + ": " + b.Reason }

// CheckReleased fails a test if s breaks the contract of the last release, which is kept in a file:
//
//	svc.CheckReleased(t, newService(), "testdata/released.json", *update)
//
// With update, usually a flag of the test, CheckReleased writes the file if all breaks are allowed.
// Without it, the test also fails if the file is missing or differs from what s promises. To allow
// an intended break, pass its text without the example. Remove the text afterwards: if it allows
// nothing, the test fails at the next change of the contract. A relative path begins at the
// directory of the tested package. doc/releases.md lists what counts as a break.
func CheckReleased(t TestingT, s *Service, file string, update bool, allowed ...string) {
	t.Helper()
	checkFile(t, file, s.Contract(), update, "the service promises something else now, and breaks nothing that is not allowed",
		func(released []byte) bool { return s.reviewBreaks(t, file, released, allowed) })
}

// reviewBreaks reports each break that is not allowed, and each allowance that no break needs. It
// returns false if clients would break, or released is not a contract.
func (s *Service) reviewBreaks(t TestingT, file string, released []byte, allowed []string) bool {
	t.Helper()
	breaks, err := s.Breaks(released)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
		return false
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
	if found.Len() > 0 {
		t.Errorf("%s: clients of the release would break:%s\nUndo the change, or make a new field optional or give it a default. "+
			"If no client minds, add these arguments of CheckReleased:%s", file, &found, &texts)
	}
	return found.Len() == 0
}

// contractForm is the version of the JSON of contracts. Breaks refuses every other one, since
// a member that it does not know could be a promise.
const contractForm = 1

// A contract lists what a service promises. If it was read from a file, only the fields with a json
// tag are set.
type contract struct {
	Form    int               `json:"contract"`
	Methods []*contractMethod `json:"methods"`
	Types   []*contractPlan   `json:"types"`

	names   map[*shape]string        // of types in documents
	types   map[string]*contractPlan // Types by name
	natives map[string]*shape        // the types with their own JSON or text, by Go name
}

// A contractMethod lists the promises of a method.
type contractMethod struct {
	Name       string          `json:"method"` // with the resource
	Aliases    []string        `json:"aliases,omitempty"`
	Transports []Transport     `json:"transports"`
	Tool       string          `json:"tool,omitempty"`     // the name over MCP; "" in a contract of before there were names
	Prompt     string          `json:"prompt,omitempty"`   // likewise
	Resource   string          `json:"resource,omitempty"` // the URI over MCP; likewise
	HTTP       string          `json:"http,omitempty"`
	Status     int             `json:"status,omitempty"`
	Statuses   []int           `json:"statuses,omitempty"` // all of them, if the method chooses one; Status is the first
	Stream     StreamMode      `json:"stream,omitempty"`
	StreamEnd  string          `json:"streamEnd,omitempty"`
	Items      *contractPlan   `json:"items,omitempty"`       // of the streams of a ValueOrStream, whose value is Output
	MediaType  string          `json:"contentType,omitempty"` // of the output over REST; "" for application/json
	Identity   []string        `json:"identity,omitempty"`    // security schemes, of which one is enough
	Scopes     []string        `json:"scopes,omitempty"`
	Strict     bool            `json:"strict,omitempty"`
	Key        KeyUse          `json:"idempotencyKey,omitempty"`
	KeyFor     time.Duration   `json:"keptFor,omitempty"`    // in nanoseconds
	MaxBody    bodyLimit       `json:"maxBody,omitempty"`    // of a JSON body or a form over REST
	MaxMessage bodyLimit       `json:"maxMessage,omitempty"` // of a message of JSON-RPC or MCP
	Input      *contractPlan   `json:"input,omitempty"`      // with what only REST has
	Output     *contractPlan   `json:"output,omitempty"`
	AnyOrder   bool            `json:"anyOrder,omitempty"`  // the file of the form may be any part
	Bare       bool            `json:"noBody,omitempty"`    // over REST, the output is only headers and a status, without a body
	Headers    []*contractPlan `json:"headers,omitempty"`   // of the response
	ErrorType  string          `json:"errorType,omitempty"` // media type of the ErrorForm; "" for the envelope
	ErrorCodes map[Code]int    `json:"errorCodes,omitempty"`
	Error      *contractPlan   `json:"error,omitempty"` // the ErrorForm

	ErrorForms map[int]*contractError `json:"errorForms,omitempty"` // by status, of ErrorForm.For

	Reasons map[string]Code `json:"reasons,omitempty"` // of the errors that it declares, with their codes

	Blocks bool `json:"mcpContent,omitempty"` // over MCP the output is MCPContent alone

	Sunset time.Time `json:"sunset,omitzero"` // of MethodOptions.Deprecation, in seconds of UTC

	compiled *method   // of a service
	segments []segment // of HTTP
}

// A contractError is the form of the errors with one status.
type contractError struct {
	Type string        `json:"contentType"`
	Body *contractPlan `json:"body"`
}

// errorOf returns the media type and the body of errors with this status. body is nil for the
// envelope.
func (m *contractMethod) errorOf(status int) (mediaType string, body *contractPlan) {
	if form := m.ErrorForms[status]; form != nil {
		return form.Type, form.Body
	}
	return m.ErrorType, m.Error
}

// A bodyLimit is the maximum length of a request body in bytes. It is 0 for usualBody, to keep it
// out of most files, and -1 for no limit.
type bodyLimit int64

// usualBody is the limit of a contract that states none. It belongs to contractForm, and so does
// not follow DefaultMaxBody.
const usualBody = 1 << 20

// newBodyLimit returns the limit of an option MaxBody.
func newBodyLimit(n int64) bodyLimit {
	switch {
	case n < 0:
		return -1
	case n == usualBody:
		return 0
	}
	return bodyLimit(n)
}

// bytes returns the limit as a number.
func (l bodyLimit) bytes() int64 {
	switch {
	case l < 0:
		return math.MaxInt64
	case l == 0:
		return usualBody
	}
	return int64(l)
}

// String returns the limit in words.
func (l bodyLimit) String() string {
	if l < 0 {
		return "none"
	}
	return strconv.FormatInt(l.bytes(), 10)
}

// errorsOwn is the ErrorType of a service whose application sets OnError. It promises nothing.
const errorsOwn = "those of an OnError"

// A contractPlan describes the JSON of a value and, if the value is in a field, the field. For a
// file, it is a string, the media type.
type contractPlan struct {
	Type string `json:"type,omitempty"` // the name, if plans refer to it; of an alternative the discriminator
	contractField
	Kind   string                     `json:"kind"` // of kindNames, or of package reflect for numbers
	Null   bool                       `json:"null,omitempty"`
	Quoted bool                       `json:"quoted,omitempty"` // the JSON is inside a string
	Go     string                     `json:"go,omitempty"`     // the Go type, if it has its own JSON or text
	Object string                     `json:"object,omitempty"` // the key in contract.Types, where the fields are
	Fields []*contractPlan            `json:"fields,omitempty"` // of a union: the shared fields, the discriminator first
	Union  []*contractPlan            `json:"union,omitempty"`  // the alternatives, with all their fields
	Any    []*contractPlan            `json:"any,omitempty"`    // of a union by JSON type: the alternatives
	Keys   *contractPlan              `json:"keys,omitempty"`   // of a map
	Of     *contractPlan              `json:"of,omitempty"`     // the elements of a list or a map
	Length *int                       `json:"length,omitempty"` // of a list that is an array
	Rules  map[string]json.RawMessage `json:"rules,omitempty"`  // encoding/json sorts it

	linkedPlan
}

// A contractField describes the field of a contractPlan; it is zero if the value is not in a field.
type contractField struct {
	Name      string          `json:"field,omitempty"` // of what only REST has: the name of the parameter
	From      string          `json:"from,omitempty"`  // such as "query page"; "" for the body; of a response: the header
	RESTOnly  bool            `json:"restOnly,omitempty"`
	MCPHeader string          `json:"mcpHeader,omitempty"`
	Optional  bool            `json:"optional,omitempty"`
	Default   json.RawMessage `json:"default,omitempty"`
	Unkeyed   bool            `json:"unkeyed,omitempty"` // idempotency:"-"
}

// A linkedPlan holds what a planLinker found for a contractPlan. It is not in the JSON.
type linkedPlan struct {
	object  *contractPlan // the plan that Object names; nil if Object is empty
	reader  *scalarReader // of a scalar
	rules   []planRule    // the entries of Rules that this version of svc knows, in the order of ruleRows
	unknown []string      // the others
	union   *contractPlan // of which this is an alternative
}

// A planRule is one rule of a plan, with its value as JSON.
type planRule struct {
	*ruleRow
	value json.RawMessage
}

var kindNames = [...]string{
	kindAny: "any", kindRaw: "any", kindCustom: "custom", kindText: "text", kindTime: "time", kindDuration: "duration",
	kindBytes: "bytes", kindString: "string", kindBool: "bool", kindNumber: "number", kindSlice: "list", kindArray: "list", kindMap: "map",
	kindObject: "object", kindByType: "byType", kindFile: "file",
}

// plainType returns a Go type whose decoder reads scalars of a kind, and reports whether the kind
// exists. The type is nil for composite kinds and for kinds whose Go type the contract names.
func plainType(kind string) (t reflect.Type, ok bool) {
	switch kind {
	case "custom", "text", "list", "map", "object", "byType":
		return nil, true
	case "any":
		return reflect.TypeFor[any](), true
	case "file":
		return reflect.TypeFor[string](), true
	case "time":
		return typeTime, true
	case "duration":
		return typeDuration, true
	case "bytes":
		return reflect.TypeFor[[]byte](), true
	case "number":
		return typeNumber, true
	}
	for _, t := range [...]reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[float32](), reflect.TypeFor[float64](),
		reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		reflect.TypeFor[uintptr](),
	} {
		if t.Name() == kind {
			return t, true
		}
	}
	return nil, false
}

func newContract(s *service) *contract {
	c := &contract{Form: contractForm, Types: []*contractPlan{}, names: s.typeNames, types: make(map[string]*contractPlan),
		natives: make(map[string]*shape)}
	for _, m := range s.methods {
		c.Methods = append(c.Methods, c.planMethod(s, m))
	}
	for _, m := range s.webhooks {
		c.Methods = append(c.Methods, c.planWebhook(m))
	}
	c.Types = slices.AppendSeq(c.Types, maps.Values(c.types))
	slices.SortFunc(c.Methods, func(a, b *contractMethod) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(c.Types, func(a, b *contractPlan) int { return strings.Compare(a.Type, b.Type) })
	return c
}

// planWebhook returns what is promised of an event. The service sends it, so it is an output: a method
// that no transport serves, with a name that no method has.
func (c *contract) planWebhook(m *method) *contractMethod {
	p := &contractMethod{Name: "webhook " + m.eventName(), Transports: []Transport{}, Output: c.planValue(m.out), compiled: m}
	if m.deprecation != nil {
		p.Sunset = m.deprecation.Sunset.Truncate(time.Second).UTC()
	}
	return p
}

// planMethod returns what m promises.
func (c *contract) planMethod(s *service, m *method) *contractMethod {
	p := &contractMethod{Name: m.resource + "." + m.name, Stream: m.stream, StreamEnd: m.streamEnd,
		Scopes: slices.Sorted(slices.Values(m.scopes)), Strict: m.strict, Key: m.keyUse(), compiled: m}
	p.Transports = m.served
	if m.mediaType != contentTypeJSON && m.sendsRecord() {
		p.MediaType = m.mediaType
	}
	s.planNames(p)
	for _, e := range m.errors {
		if e.reason != "" {
			if p.Reasons == nil {
				p.Reasons = make(map[string]Code)
			}
			p.Reasons[e.reason] = e.code() // the one code of the reason in the method
		}
	}
	if m.needsCaller() {
		for _, scheme := range m.schemes {
			p.Identity = append(p.Identity, scheme.describe(nil).contract)
		}
	}
	slices.Sort(p.Identity)
	if m.key != nil && m.key.Idempotency != nil {
		p.KeyFor = cmp.Or(m.key.KeepFor, 24*time.Hour)
	}
	if m.deprecation != nil {
		p.Sunset = m.deprecation.Sunset.Truncate(time.Second).UTC()
	}
	if m.in != nil {
		p.Input = c.planInput(m, len(p.Transports) == 1)
	}
	if m.out != nil {
		p.Output = c.planValue(m.out)
		_, p.Blocks = m.outType.MethodByName("MCPContent")
		p.Blocks = p.Blocks && !m.mcp.Structured
	}
	if m.either {
		p.Items = c.planValue(m.item)
	}
	if p.hasMessages() {
		p.MaxMessage = newBodyLimit(s.opts.MaxBody)
	}
	if m.path != "" {
		c.planHTTP(p, s.prefix)
	}
	return p
}

// planNames adds to p the other names of its method: aliases and MCP names.
func (s *service) planNames(p *contractMethod) {
	m := p.compiled
	for _, alias := range m.otherNames() { // a different method may have taken the name
		if s.names[methodName{m.resource, alias}] == m && alias != m.name && !slices.Contains(p.Aliases, alias) &&
			callsByName(p.Transports) != "" {
			p.Aliases = append(p.Aliases, alias)
		}
	}
	if m.isTool() {
		p.Tool = m.toolName()
	}
	if m.isPrompt() {
		p.Prompt = m.toolName()
	}
	if m.isResource() {
		p.Resource = m.mcp.URI
	}
}

// planHTTP adds to p the promises of its method over REST, below prefix.
func (c *contract) planHTTP(p *contractMethod, prefix string) {
	m := p.compiled
	if p.readsBody() || p.readsForm() {
		p.MaxBody = newBodyLimit(m.limits.size)
	}
	p.AnyOrder = m.form && m.takesBody() && m.in.file.tags.anyOrder
	p.HTTP, p.Status, p.Bare = m.verb+" "+prefix+m.path, m.status, m.bare
	if m.chosen != nil {
		p.Statuses = m.chosen.allowed
	}
	switch { // nothing is written for the envelope of WriteError
	case m.errorForm != nil:
		p.ErrorType, p.ErrorCodes, p.Error = m.errorForm.contentType, maps.Clone(m.errorForm.statuses), c.planValue(m.errorForm.shape)
		for rule, status := range m.errorForm.ruleStatus {
			p.ErrorCodes[Code(rule)] = status // no rule is a Code
		}
		for status, other := range m.errorForm.others {
			if p.ErrorForms == nil {
				p.ErrorForms = make(map[int]*contractError)
			}
			p.ErrorForms[status] = &contractError{other.contentType, c.planValue(other.shape)}
		}
	case isHandler(m.onError, WriteProblem):
		p.ErrorType = contentTypeProblem + " of WriteProblem"
	case m.onError != nil && !isHandler(m.onError, WriteError):
		p.ErrorType = errorsOwn
	}
	for i := 0; m.headers != nil && i < len(m.headers.fields); i++ {
		h := &m.headers.fields[i]
		f := c.planField(h.field)
		f.From, f.RESTOnly, f.Optional = h.canonical, h.hidden, !h.isSent()
		p.Headers = append(p.Headers, f)
	}
	sortFields(p.Headers)
}

// tailMark is behind the number of a placeholder that takes several segments.
const tailMark = "..."

// planInput returns the plan of an input, with where REST takes its fields from, which may
// be alone in serving m. Clients do not see the names of placeholders, so these are
// numbered. A Body is a field too, which is needed where its media type counts.
func (c *contract) planInput(m *method, alone bool) *contractPlan {
	p := &contractPlan{Kind: "object"}
	for _, place := range m.bind.places {
		f, g := place.field, c.planField(place.field)
		name := place.sourceName
		if place.where == wherePath {
			if name = strconv.Itoa(slices.Index(m.placeholders, name) + 1); m.tail && name == strconv.Itoa(len(m.placeholders)) {
				name += tailMark
			}
		}
		switch {
		case place.style == styleJSON && f.isNameless(): // clients cannot send it without a route
			continue
		case place.style == styleBytes:
			g.planFile(f.tags, m.limits.size)
			g.RESTOnly = true
		default:
			g.RESTOnly = (place.where != whereBody || place.style == styleWhole) && (alone || f.isNameless())
		}
		switch {
		case place.where != whereBody:
			g.From = place.where.String() + " " + name
		case place.style == styleBytes:
			g.From, g.Optional = "the body", f.tags.types == nil
		case place.style == styleWhole:
			g.From = fromWholeBody
		}
		p.Fields = append(p.Fields, g)
	}
	c.planAlternatives(p, m.in.alternatives)
	return p
}

// fromWholeBody is where a field with body:"*" comes from.
const fromWholeBody = "the whole body"

// inJSON reports whether the value of a field is JSON over REST too.
func (p *contractPlan) inJSON() bool { return p.From == "" || p.From == "*" || p.From == fromWholeBody }

func (c *contract) planField(f *field) *contractPlan {
	p := c.planValue(f.shape)
	p.Name, p.Optional, p.Default, p.Quoted, p.Null, p.MCPHeader = f.name, f.optional, f.def, f.quoted, p.Null && !f.notNull, f.mcpHeader
	p.Unkeyed = f.unkeyed
	return p
}

// planFile adds the media types and the greatest length of a file to the rules of p. Without a tag,
// the length is most, or unlimited if most is negative.
func (p *contractPlan) planFile(t *fileTags, most int64) {
	if t.types != nil {
		p.Rules[ruleEnum], _ = plainJSON(t.types)
	}
	if most = cmp.Or(t.max, most); most >= 0 {
		p.Rules[ruleMaxBytes] = strconv.AppendInt(nil, most, 10)
	}
}

func (c *contract) planValue(s *shape) *contractPlan {
	p := &contractPlan{Null: s != s.deref()}
	s = s.deref()
	p.Rules = make(map[string]json.RawMessage)
	for _, r := range s.rules {
		p.Rules[r.keyword] = r.value
	}
	if p.Kind = kindNames[s.kind]; p.Kind == "" {
		p.Kind = s.typ.Kind().String()
	}
	if s.elem != nil {
		p.Of = c.planValue(s.elem)
	}
	switch s.kind {
	case kindCustom, kindText:
		p.Go = s.typ.PkgPath() + "." + s.typ.Name()
		if c.natives[p.Go] == nil || s.example != "" {
			c.natives[p.Go] = s
		}
	case kindFile:
		p.planFile(s.file.tags, -1)
	case kindArray:
		n := s.typ.Len()
		p.Length = &n
	case kindMap:
		p.Keys = c.planValue(s.key)
	case kindObject, kindByType:
		t := p
		if p.Object = c.names[s]; p.Object != "" {
			if t = c.types[p.Object]; t != nil {
				break
			}
			t = &contractPlan{Type: p.Object, Kind: p.Kind}
			c.types[p.Object] = t // before its fields, which may lead back to it
		}
		if s.kind == kindByType {
			c.planChoices(t, s)
			break
		}
		c.planMembers(t, s.fields)
		c.planAlternatives(t, s.alternatives)
	}
	return p
}

// planChoices adds the alternatives of s, a union by JSON type. Their order promises nothing.
func (c *contract) planChoices(p *contractPlan, s *shape) {
	for _, i := range s.choicesByJSON() {
		if i >= 0 {
			p.Any = append(p.Any, c.planValue(s.fields[i].shape))
		}
	}
}

// planMembers adds the members of an object.
func (c *contract) planMembers(p *contractPlan, fields []*field) {
	for _, f := range fields {
		if !f.hidden {
			p.Fields = append(p.Fields, c.planField(f))
		}
	}
}

// planAlternatives adds the alternatives of a union, and puts the fields of p into the order of
// contracts, whether p is a union or not. In a union, the discriminator comes first.
func (c *contract) planAlternatives(p *contractPlan, alternatives []*shape) {
	if alternatives == nil {
		sortFields(p.Fields)
		return
	}
	sortFields(p.Fields[1:])
	for _, a := range alternatives {
		u := &contractPlan{Type: a.value, Kind: "object"}
		c.planMembers(u, a.fields)
		sortFields(u.Fields[1:])
		p.Union = append(p.Union, u)
	}
	slices.SortFunc(p.Union, func(a, b *contractPlan) int { return strings.Compare(a.Type, b.Type) })
	var values []string
	for _, u := range p.Union {
		values = append(values, u.Type)
	}
	p.Fields[0].Rules[ruleEnum], _ = plainJSON(values)
}

// sortFields sorts fields, so that reordering a struct does not change the file of the contract.
// Two fields that only REST has may share a name.
func sortFields(fields []*contractPlan) {
	slices.SortFunc(fields, func(a, b *contractPlan) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.From, b.From))
	})
}

// A planLinker prepares the plans of contracts for comparison: it sets the objects that they name,
// the rows of their rules and the readers of scalars. It notes mistakes in a contract.
type planLinker struct {
	*shapes
	rows    []*ruleRow               // of the rules that are known
	natives map[string]*shape        // of the service that is checked
	types   map[string]*contractPlan // of the contract
	readers map[string]*scalarReader // by kind and rules, so that one is for all plans that are the same
}

func (l *planLinker) linkContract(c *contract) {
	l.types = make(map[string]*contractPlan)
	for _, t := range c.Types {
		if t != nil {
			l.types[t.Type] = t
		}
	}
	l.linkPlan(&contractPlan{Kind: "object", Fields: c.Types}) // as if they were fields
	for _, m := range c.Methods {
		for _, p := range []*contractPlan{m.Input, m.Output, m.Items, m.Error, {Kind: "object", Fields: m.Headers}} {
			l.linkPlan(p)
		}
		for _, status := range slices.Sorted(maps.Keys(m.ErrorForms)) {
			if form := m.ErrorForms[status]; form != nil {
				l.linkPlan(form.Body)
			}
		}
	}
}

// linkPlan links p, which may be nil, and the plans in it. If it finds no mistake, every plan has
// the parts that its kind needs, so other code does not check for nil.
func (l *planLinker) linkPlan(p *contractPlan) {
	if p == nil {
		return
	}
	parts := slices.Concat(p.Fields, p.Union, p.Any)
	_, isKind := plainType(p.Kind)
	isMap, isUnion := p.Kind == "map", p.Union != nil || p.union != nil
	p.object = l.types[p.Object]
	ok := isKind && !slices.Contains(parts, nil) && (p.object != nil || p.Object == "") &&
		(p.Of != nil) == (isMap || p.Kind == "list") && (p.Keys != nil) == isMap &&
		(len(p.Fields) > 0 || !isUnion) && // the first is the discriminator
		(len(p.Union) > 0 || p.Union == nil) &&
		(len(p.Any) > 0) == (p.Kind == "byType" && p.object == nil)
	if !ok {
		text, _ := plainJSON(p)
		l.addf("no value is a %q of the form %s", p.Kind, text)
		return
	}
	if p.union != nil { // the JSON of an alternative has its name
		p.Fields[0].Rules = map[string]json.RawMessage{ruleEnum: append(appendQuoted([]byte("["), p.Type), ']')}
	}
	for _, a := range p.Union {
		a.union = p
	}
	for _, part := range append(parts, p.Of, p.Keys) {
		l.linkPlan(part)
	}
	l.linkRules(p)
	if !p.isComposite() {
		p.reader = l.readerOf(p)
	}
}

// linkRules finds the rows of the rules of p.
func (l *planLinker) linkRules(p *contractPlan) {
	unknown := maps.Clone(p.Rules)
	_, err := p.maxBytes()
	l.addIf(err != nil, "%s is %s; want a number of bytes", ruleMaxBytes, p.Rules[ruleMaxBytes])
	delete(unknown, ruleMaxBytes)
	for _, row := range l.rows {
		if value := p.Rules[row.keyword]; value != nil {
			p.rules = append(p.rules, planRule{row, value})
			delete(unknown, row.keyword)
		}
	}
	p.unknown = slices.Sorted(maps.Keys(unknown))
}

// maxBytes returns the maximum length of a file.
func (p *contractPlan) maxBytes() (int64, error) {
	if p.Rules[ruleMaxBytes] == nil {
		return math.MaxInt64, nil
	}
	return strconv.ParseInt(string(p.Rules[ruleMaxBytes]), 10, 64)
}

// readerOf returns the reader of the scalar p. A contract does not include the methods of a type
// with its own JSON or text, so the type of that name in the service reads the value. Equal plans
// share a reader: the key has the kind, String of p (the type, null and quotes) and the rules.
func (l *planLinker) readerOf(p *contractPlan) *scalarReader {
	key := fmt.Sprintf("%s %v %s", p.Kind, p, p.Rules) // maps are sorted
	if r := l.readers[key]; r != nil {
		return r
	}
	s, r := l.natives[p.Go], &scalarReader{shape: new(shape), enum: itemsOf(p.Rules[ruleEnum]), quoted: p.Quoted}
	l.readers[key] = r
	if t, _ := plainType(p.Kind); t != nil {
		s = l.shapeFor(t, "")
	} else if s == nil || p.Kind != kindNames[s.kind] {
		return r
	}
	isOther := func(value []byte) bool {
		_, ok := s.valueFor(string(value))
		return !ok || isText(value) != s.kind.isStringy()
	}
	isBad := p.Rules[ruleEnum] != nil && r.enum == nil || slices.ContainsFunc(r.enum, isOther)
	l.addIf(isBad, "enum is %s; want values of the type", p.Rules[ruleEnum])
	*r.shape = *s
	r.shape.rules, r.shape.isEnum = l.rulesOf(p, s), false // the release may not have had them
	r.decode = newDecoders(l.mistakes, false).fieldDecoder(&field{shape: r.shape, quoted: p.Quoted})
	return r
}

// rulesOf returns the rules of the scalar p of shape s. It parses their values like the text of
// tags. It leaves out an enum, because commas separate the values in a tag and may be inside these:
// scalarReader.enum has the values.
func (l *planLinker) rulesOf(p *contractPlan, s *shape) (rules ruleSet) {
	for _, r := range p.rules {
		made, want := rule{}, r.on
		if r.role == roleValues {
			continue
		}
		if r.fits(s) {
			made, want = r.parseRule(s, textOr(string(r.value)))
		}
		if l.addIf(want != "", "%s is %s; want %s", r.keyword, r.value, want); want == "" {
			rules = append(rules, made)
		}
	}
	return rules
}

func compareContracts(old, now *contract) (breaks []Break) {
	before, after := newRouteSet(old.Methods), newRouteSet(now.Methods)
	for _, was := range old.Methods {
		i := slices.IndexFunc(now.Methods, func(m *contractMethod) bool { return m.Name == was.Name })
		if i < 0 && was.isOver() { // clients were told, and its route is free
			continue
		}
		if i < 0 && was.isAlone() { // then clients know no name
			i = slices.IndexFunc(now.Methods, func(m *contractMethod) bool { return sameRoute(was, m) })
		}
		if i < 0 && was.isMCPAlone() { // likewise, but for these names
			i = slices.IndexFunc(now.Methods, func(m *contractMethod) bool { return was.Tool == m.Tool && was.Prompt == m.Prompt })
		}
		if i < 0 {
			breaks = append(breaks, Break{Method: was.Name, Reason: "is gone"})
			continue
		}
		is := now.Methods[i]
		p := &prober{was: was, is: is, takers: findTakers(was, is, before, after),
			compared: make(map[[2]*contractPlan]bool), shown: make(map[string]bool), lengths: make(map[*contractPlan]int)}
		p.compareMethods(was, is)
		breaks = append(breaks, p.breaks()...)
	}
	return breaks
}

// sameRoute reports whether two routes differ at most in the names of placeholders.
func sameRoute(a, b *contractMethod) bool {
	return a.HTTP != "" && b.HTTP != "" && slices.Equal(a.segments, b.segments)
}

// isOver reports whether the sunset of m is over.
func (m *contractMethod) isOver() bool { return !m.Sunset.IsZero() && m.Sunset.Before(time.Now()) }

// isAlone reports whether m is served over REST only. Its clients do not see the JSON names of
// values outside of bodies.
func (m *contractMethod) isAlone() bool { return m.HTTP != "" && len(m.Transports) == 1 }

// isMCPAlone reports whether MCP alone serves m, as a tool or a prompt. Its clients know no other name.
func (m *contractMethod) isMCPAlone() bool {
	return slices.Equal(m.Transports, []Transport{TransportMCP}) && m.Tool+m.Prompt != ""
}

// readsBody reports whether a part of the input of m is in a JSON body.
func (m *contractMethod) readsBody() bool {
	return m.Input != nil && slices.ContainsFunc(m.Input.Fields, func(f *contractPlan) bool { return f.inJSON() })
}

// needsBody reports whether a request to m must have a JSON body.
func (p *prober) needsBody(m *contractMethod) bool {
	isNeeded := func(f *contractPlan) bool {
		return f.inJSON() && (p.isRequired(f) || strings.HasPrefix(m.HTTP, verbQuery+" "))
	}
	return m.Input != nil && slices.ContainsFunc(m.Input.Fields, isNeeded)
}

// readsForm reports whether the input of m is in a form.
func (m *contractMethod) readsForm() bool {
	return m.Input != nil && slices.ContainsFunc(m.Input.Fields,
		func(f *contractPlan) bool { return f.isIn(whereForm) })
}

// bodyKind describes the body of a request to m.
func (m *contractMethod) bodyKind() string {
	isFile := func(f *contractPlan) bool { return f.Kind == "file" }
	hasFile := m.Input != nil && slices.ContainsFunc(m.Input.Fields, isFile)
	switch {
	case m.readsForm() && hasFile:
		return "a form of " + contentTypeMultipart
	case m.readsForm():
		return "a form of any type"
	case hasFile:
		return "a file"
	case m.readsBody():
		return "JSON"
	}
	return "none"
}

// compareForms finds the breaks of methods of which one or both read a form.
func (p *prober) compareForms(was, is *contractMethod) {
	a, b := was.bodyKind(), is.bodyKind()
	isLess := is.readsForm() && a != b && !(was.readsForm() && b == "a form of any type") // any type includes multipart
	p.remarkIf(isLess || was.readsForm() && !is.readsForm() && b != "none", "", "the body is %s, was %s", b, a)
	p.remarkIf(was.AnyOrder && !is.AnyOrder && a == b, "", "the file must be the last part of the form, and could be any part")
	p.remarkIf(was.readsForm() && is.readsForm() && is.MaxBody.bytes() < was.MaxBody.bytes(), "", "MaxBody is %v over REST, was %v",
		is.MaxBody, was.MaxBody)
}

// hasMessages reports whether m is served over transports whose messages name the method.
func (m *contractMethod) hasMessages() bool {
	return slices.ContainsFunc(m.Transports, func(t Transport) bool { return t != TransportREST })
}

// mostInput returns the maximum length of an input of m in bytes. http.Server, not svc, limits the
// parts outside the body: see usualBody for its default.
func (m *contractMethod) mostInput() int64 {
	most := int64(0)
	if m.hasMessages() {
		most = m.MaxMessage.bytes()
	}
	if m.readsBody() || m.readsForm() {
		most = max(most, m.MaxBody.bytes())
	}
	hasParams := m.Input != nil && slices.ContainsFunc(m.Input.Fields, func(f *contractPlan) bool { return !f.inJSON() })
	if m.HTTP != "" && (hasParams || !m.readsBody()) {
		most = max(most, usualBody)
	}
	return most
}

// errorStatus returns the HTTP status of a code, or of a rule in the place of one, such as syntax.
func (m *contractMethod) errorStatus(code Code) int {
	if !code.isError() && m.ErrorCodes[code] == 0 { // a rule that sets no status
		code = CodeInvalidArgument
	}
	return cmp.Or(m.ErrorCodes[code], codes[code.row()].http)
}

// sendsRecord reports whether the body of a successful REST response is JSON.
func (m *contractMethod) sendsRecord() bool { return m.Output != nil && !m.Bare }

// compareMethods finds the breaks of one method: first the breaks that refuse no value, one a line,
// then the breaks of inputs and of outputs.
func (p *prober) compareMethods(was, is *contractMethod) {
	was, is = p.compareStreams(was, is)
	lost(p, "is not served over %s any more", was.Transports, is.Transports)
	p.sameRoute = sameRoute(was, is)
	if was.HTTP != "" && is.HTTP != "" {
		p.remarkIf(!p.sameRoute, "", "the route is %s, was %s", is.HTTP, was.HTTP)
		p.compareStatuses(was, is)
		p.remarkIf(is.Bare && !was.Bare && was.Output != nil, "", "the response has no body any more")
		p.remarkIf(was.MediaType != is.MediaType && was.sendsRecord() && is.sendsRecord(), "", "the Content-Type is %s, was %s",
			cmp.Or(is.MediaType, contentTypeJSON), cmp.Or(was.MediaType, contentTypeJSON))
		p.compareErrors(was, is)
	}
	if p.sameRoute {
		p.compareForms(was, is)
	}
	p.remarkIf(was.Stream == is.Stream && was.HTTP != "" && was.StreamEnd != is.StreamEnd, "", "StreamEnd is %q, was %q",
		is.StreamEnd, was.StreamEnd)
	if transport := callsByName(is.Transports); transport != "" {
		lost(p, "the "+transport+" name %s is gone, or calls another method", was.Aliases, is.Aliases)
	}
	p.compareTools(was, is)
	p.compareReasons(was, is)
	lost(p, "needs the scope %s", is.Scopes, was.Scopes)
	p.remarkIf(was.Identity == nil && is.Identity != nil, "", "needs an identity, needed none")
	if is.Identity != nil {
		lost(p, "the identity scheme %s is gone", was.Identity, is.Identity)
	}
	p.remarkIf(was.Key != "" && is.Key == "", "", "takes no idempotency key any more")
	p.remarkIf(was.Key != KeyRequired && is.Key == KeyRequired, "", "needs an idempotency key, needed none")
	p.remarkIf(is.Key != "" && is.KeyFor < was.KeyFor, "", "keeps idempotency keys for %v, kept them for %v", is.KeyFor, was.KeyFor)
	earlier := !is.Sunset.IsZero() && is.Sunset.Before(was.Sunset)
	p.remarkIf(earlier, "", "the sunset is %s, was %s", is.Sunset.Format(time.RFC3339), was.Sunset.Format(time.RFC3339))
	p.compareInputs(was, is)
	p.compareOutputs(was, is)
}

// compareStreams finds outputs that used to be streams, and streams that used to be outputs. It
// returns both methods with the outputs that clients of was know: a value or a stream may become a
// ValueOrStream, which still sends old clients what they know.
func (p *prober) compareStreams(was, is *contractMethod) (*contractMethod, *contractMethod) {
	switch {
	case was.Items != nil && is.Items != nil:
	case was.Items != nil && is.Stream != "":
		p.remarkIf(true, "", "answers with a stream alone, answered with a value or a stream")
		return was.asStream(), is
	case was.Items != nil:
		p.remarkIf(true, "", "answers with a value alone, answered with a value or a stream")
	case is.Items != nil && was.Stream != "":
		return was, is.asStream()
	case is.Items == nil:
		p.remarkIf(was.Stream != is.Stream, "", "the stream mode is %q, was %q", is.Stream, was.Stream)
	}
	return was, is
}

// asStream returns a copy of m, whose output is a ValueOrStream, with the promises of its stream.
func (m *contractMethod) asStream() *contractMethod {
	s := *m
	s.Output, s.Items, s.Headers, s.MediaType, s.Statuses = m.Items, nil, nil, "", nil
	s.Status = min(s.Status, 200) // 0 without REST
	return &s
}

// compareTools finds tool, prompt and resource names that clients of MCP know and that are gone. A
// method that is no longer served over MCP has its break already.
func (p *prober) compareTools(was, is *contractMethod) {
	if !slices.Contains(is.Transports, TransportMCP) {
		return
	}
	for _, name := range [...]struct{ kind, was, is string }{{"tool", was.Tool, is.Tool}, {"prompt", was.Prompt, is.Prompt}} {
		p.remarkIf(name.was != "" && name.is == "", "", "the %s %s is gone", name.kind, name.was)
		p.remarkIf(name.was != "" && name.is != "" && name.is != name.was, "", "the %s is called %s, was %s", name.kind, name.is, name.was)
	}
	p.remarkIf(was.Resource != "" && is.Resource == "", "", "the resource %s is gone", was.Resource)
	p.remarkIf(was.Resource != "" && is.Resource != "" && !coversURI(is.Resource, was.Resource), "",
		"the resource has the URI %s, had %s", is.Resource, was.Resource)
}

// compareStatuses finds the statuses of a success that clients do not know.
func (p *prober) compareStatuses(was, is *contractMethod) {
	if was.Statuses == nil && is.Statuses == nil {
		p.remarkIf(was.Status != is.Status, "", "the status is %d, was %d", is.Status, was.Status)
		return
	}
	for _, status := range slices.Concat(is.Statuses, []int{is.Status}) {
		isKnown := status == was.Status || slices.Contains(was.Statuses, status)
		p.remarkIf(!isKnown, "", "the status may be %d, which clients do not know", status)
	}
}

// lost adds a break for each of names that is not in the list in.
func lost[S ~string](p *prober, format string, names, in []S) {
	for _, name := range names {
		p.remarkIf(!slices.Contains(in, name), "", format, name)
	}
}

// compareReasons finds reasons that clients know and will never get again, and reasons whose code
// changed: client code that looks for such an error would silently stop matching.
func (p *prober) compareReasons(was, is *contractMethod) {
	for _, reason := range slices.Sorted(maps.Keys(was.Reasons)) {
		code, ok := is.Reasons[reason]
		p.remarkIf(!ok, "", "the reason %s of errors is gone", reason)
		p.remarkIf(ok && code != was.Reasons[reason], "", "the code of the reason %s is %s, was %s", reason, code, was.Reasons[reason])
	}
}

func (p *prober) compareErrors(was, is *contractMethod) {
	if was.ErrorType == errorsOwn {
		return
	}
	const envelope = "the envelope"
	p.remarkIf(was.ErrorType != is.ErrorType, "", "errors are %s, were %s", cmp.Or(is.ErrorType, envelope), cmp.Or(was.ErrorType, envelope))
	all := slices.AppendSeq(slices.Collect(maps.Keys(was.ErrorCodes)), maps.Keys(is.ErrorCodes))
	slices.Sort(all)
	for _, code := range all {
		a, b := was.errorStatus(code), is.errorStatus(code)
		p.remarkIf(a != b, "", "the status of %s is %d, was %d", code, b, a)
	}
}

// compareInputs finds the breaks of an input. It treats a missing input as an empty one.
func (p *prober) compareInputs(was, is *contractMethod) {
	none := &contractPlan{Kind: "object"}
	old, now := cmp.Or(was.Input, none), cmp.Or(is.Input, none)
	before := len(p.found)
	defer func() {
		if len(p.found) > before && !p.isSendable(p.shortest(old)) { // the release refused every request
			p.found = p.found[:before]
		}
	}()
	old.renameParams(now)
	p.compareRoutes(old)
	p.compare(old, now, "input")
	p.remarkIf(is.Strict && !was.Strict, "input", "unknown names are refused now (Strict)")
	p.remarkIf(p.sameRoute && p.needsBody(is) && !was.readsBody() && !was.readsForm(), "input", "needs a JSON body over REST, needed none")
	p.remarkIf(p.sameRoute && was.readsBody() && is.readsBody() && is.MaxBody.bytes() < was.MaxBody.bytes(), "input",
		"MaxBody is %v over REST, was %v", is.MaxBody, was.MaxBody)
	p.remarkIf(was.hasMessages() && is.hasMessages() && is.MaxMessage.bytes() < was.MaxMessage.bytes(), "input",
		"MaxBody is %v over JSON-RPC and MCP, was %v", is.MaxMessage, was.MaxMessage)
}

// renameParams renames the parameters of p that only REST has to their current names, because REST
// clients know a parameter by its source alone. If a different field of p has the name, the two
// swap names.
func (p *contractPlan) renameParams(now *contractPlan) {
	for _, f := range p.Fields {
		g := fieldFrom(f.From, now.Fields)
		if g == nil || !f.RESTOnly {
			continue
		}
		if other := p.child(g.Name); other == nil {
			f.Name = g.Name
		} else if other.RESTOnly {
			f.Name, other.Name = g.Name, f.Name
		}
	}
}

// compareOutputs finds the breaks of a response: its output, its errors and each header. Here the
// sender is the service, and the reader is the released contract.
func (p *prober) compareOutputs(was, is *contractMethod) {
	const header = "output header "
	p.remarkIf((was.Output == nil) != (is.Output == nil), "output", "is %v, was %v", is.Output, was.Output)
	p.remarkIf(was.Output != nil && is.Blocks && !was.Blocks && p.usesMCP(), "output", "is MCPContent over MCP, was structured content")
	known := was.Output
	if known != nil && known.Kind == "object" && was.isAlone() { // then a member that is a header is in no body
		body := *known.resolve()
		body.Fields = slices.DeleteFunc(slices.Clone(body.Fields), func(f *contractPlan) bool {
			return slices.ContainsFunc(was.Headers, func(h *contractPlan) bool { return h.Name == f.Name && !h.RESTOnly })
		})
		known = &body
	}
	p.outputs = true
	p.compareAnswers(is.Output, known, "output")
	p.compareAnswers(is.Items, was.Items, "item")
	p.compareAnswers(is.Error, was.Error, "error")
	p.compareErrorForms(was, is)
	for _, h := range was.Headers {
		p.remarkIf(fieldFrom(h.From, is.Headers) == nil, header+h.From, "is gone")
	}
	for _, h := range is.Headers {
		old := fieldFrom(h.From, was.Headers)
		p.remarkIf(old == nil && !h.RESTOnly && was.Output.child(h.Name) != nil, "output /"+h.Name,
			"is the header %s over REST, was a member", h.From)
		p.compareAnswers(h, old, header+h.From)
	}
}

// compareErrorForms compares the errors with a status that has a form of its own in one of the versions.
func (p *prober) compareErrorForms(was, is *contractMethod) {
	all := slices.AppendSeq(slices.Collect(maps.Keys(was.ErrorForms)), maps.Keys(is.ErrorForms))
	slices.Sort(all)
	for _, status := range slices.Compact(all) {
		known, old := was.errorOf(status)
		sent, now := is.errorOf(status)
		at := "error " + strconv.Itoa(status)
		if was.ErrorType == errorsOwn {
			continue
		}
		p.remarkIf(known != sent || (old == nil) != (now == nil), at, "is %s, was %s", cmp.Or(sent, "the envelope"), cmp.Or(known, "the envelope"))
		p.compareAnswers(now, old, at)
	}
}

// compareAnswers compares one part of a response. It does nothing if a version lacks the part.
func (p *prober) compareAnswers(sent, known *contractPlan, at string) {
	if sent == nil || known == nil {
		return
	}
	p.remarkIf(p.isRequired(known) && !p.isRequired(sent), at, "%s", p.explainAbsent(sent))
	p.compare(sent, known, at)
}

// fieldFrom returns the field of a list that has a source, or nil.
func fieldFrom(source string, list []*contractPlan) *contractPlan {
	if i := slices.IndexFunc(list, func(f *contractPlan) bool { return f.isFrom(source) }); i >= 0 {
		return list[i]
	}
	return nil
}
