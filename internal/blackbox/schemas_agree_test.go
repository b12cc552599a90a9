package blackbox_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/jsonschema"
	"example.com/svc/testdata/kitchen"
)

// This file sends random values to a server and holds its verdict to the schemas of all its
// documents. Where the two differ, doc/documents.md says so.

// A difference is one thing that one side says against a value and the other does not: either
// the server takes what a schema refuses, for which finding is set, or it is the other way
// round, and violation is set.
type difference struct {
	document  string // such as "3.1", "OpenRPC" or "tools"
	method    string // such as "orderspay"
	answer    bool   // the value is an answer
	strict    bool
	finding   jsonschema.Finding
	violation svc.Violation
	value     any // at the place
}

// last returns the last part of the place of a violation.
func (d *difference) last() string {
	return d.violation.Path[strings.LastIndexByte(d.violation.Path, '/')+1:]
}

// isName reports whether a violation is about a name of a map, which the kitchen calls "by".
func (d *difference) isName() bool { return strings.Contains(d.violation.Path, "/by") }

// text returns the number or the text that a violation is about.
func (d *difference) text() string {
	if number, ok := d.value.(json.Number); ok {
		return string(number)
	}
	if text, ok := d.value.(string); ok && !d.isName() {
		return text
	}
	return d.last()
}

// documentedDifferences are all differences that there are, each with the words of
// doc/documents.md that name it.
var documentedDifferences = []struct {
	doc string
	is  func(d *difference) bool
}{
	{"A method `Validate() error` may refuse what the documents allow.", func(d *difference) bool { return d.violation.Rule == "validate" }},
	{"UnmarshalText or UnmarshalJSON decides what is accepted", func(d *difference) bool {
		return d.violation.Rule == "type" && (d.last() == "address" || strings.Contains(d.violation.Path, "/byAddress/"))
	}},
	{"which names of a map are the same", func(d *difference) bool {
		return d.violation.Rule == "duplicate" && strings.Contains(d.violation.Path, "/byAddress")
	}},
	{"OpenAPI 3.0.3 leaves out rules for which it has no word", func(d *difference) bool {
		return d.document == "3.0.3" && d.isName() && slices.Contains([]string{"type", "range", "enum"}, d.violation.Rule)
	}},
	{"A `uint64` without a rule beyond that range has the format `int64`", func(d *difference) bool {
		return d.finding.Arg == "int64" && !strings.HasPrefix(fmt.Sprint(d.finding.Value), "-") && isIntegerOf(d.finding.Value, 64, false)
	}},
	{"OpenAPI 3.0.3 publishes an `int` as `int32`", func(d *difference) bool {
		return d.document == "3.0.3" && d.finding.Arg == "int32" && isIntegerOf(d.finding.Value, 64, true)
	}},
	{"Inputs of tools have no format but `date-time`", func(d *difference) bool { return d.document == "tools" && d.violation.Rule == "format" }},
	{"A leap second (`23:59:60Z`) is refused", func(d *difference) bool {
		return d.violation.Rule == "type" && strings.Contains(d.text(), "23:59:60")
	}},
	{"do not say the range of a `time.Duration`", func(d *difference) bool {
		return d.violation.Rule == "type" && d.last() == "duration" && regexp.MustCompile(`^[0-9]+(ns|h)$`).MatchString(d.text())
	}},
	{"For a number that is the name of a map or has `json:\",string\"`, schemas limit the digits by a pattern", func(d *difference) bool {
		_, isText := d.value.(string)
		isTooLong := len(strings.TrimPrefix(d.text(), "-")) > 20
		return d.violation.Rule == "range" && (isText || d.isName()) && (!isTooLong || d.last() == "float")
	}},
	{"Schemas of tools do not say the range of any 64-bit integer or float", func(d *difference) bool {
		return d.document == "tools" && d.violation.Rule == "range" && !isIntegerOf(d.value, 64, true)
	}},
	{"A float is checked as the nearest number that its type holds", func(d *difference) bool {
		number, isNumber := d.finding.Value.(json.Number)
		return isNumber && len(number) > 17 || d.method == "sinksechofloats" && d.violation.Rule == "uniqueItems"
	}},
	{"Rules of outputs are published and not checked", func(d *difference) bool { return d.answer && d.finding.Keyword == "maxLength" }},
	{"only the description of the method says that unknown params are refused", func(d *difference) bool {
		return d.document == "OpenRPC" && d.strict && d.violation.Rule == "unknown"
	}},
	{"OpenRPC does not say which params belong together", func(d *difference) bool {
		return d.document == "OpenRPC" && d.method == "orderspay" && (d.violation.Rule == "required" || d.violation.Rule == "type" || d.violation.Rule == "minimum" || d.violation.Rule == "maxLength")
	}},
	{"The server ignores the params of other alternatives", func(d *difference) bool {
		return d.document == "OpenRPC" && d.method == "orderspay" && len(d.finding.Path) > 0 && slices.Contains([]string{"number", "holder", "debit", "bic", "parts", "rest"}, d.finding.Path[0])
	}},
	{"They say in words: an enum of numbers, an empty text in an enum", func(d *difference) bool {
		said := []string{"enum", "uniqueItems", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"}
		isName := d.isName() && slices.Contains([]string{"type", "range", "pattern"}, d.violation.Rule)
		return d.document == "tools" && (slices.Contains(said, d.violation.Rule) || isName || d.last() == "inside" && d.violation.Rule == "range" || d.finding.Keyword == "enum" && d.finding.Value == "")
	}},
	{"null is accepted for an optional pointer", func(d *difference) bool {
		text, _ := d.finding.Value.(string) // the same sentence says that digits are read for a 64-bit integer
		isDigits := d.finding.Keyword == "type" && isIntegerOf(json.Number(text), 64, false) || isIntegerOf(json.Number(text), 64, true)
		return d.document == "tools" && !d.answer && d.finding.Keyword != "" && (hasNull(d.finding.Value) || isDigits)
	}},
	{"unknown arguments are refused", func(d *difference) bool { return d.document == "tools" && d.violation.Rule == "unknown" }},
}

// hasNull reports whether a value is null or has a null in it.
func hasNull(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(v, hasNull)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasNull)
	}
	return false
}

// isIntegerOf reports whether a value is an integer that a type of so many bits holds.
func isIntegerOf(value any, bits int, signed bool) bool {
	number, _ := value.(json.Number)
	x, ok := new(big.Rat).SetString(string(number))
	return ok && x.IsInt() && (signed && x.Num().BitLen() < bits || !signed && x.Num().BitLen() <= bits && x.Sign() >= 0)
}

// placesAPI has pointers with a header of MCP, on them and below them.
type placesAPI interface {
	Create(context.Context, *placeIn) (*placeIn, error)
}

type placeIn struct {
	Limit *int8   `json:"limit,omitempty" mcpheader:"Limit"`
	Where *placeW `json:"where,omitempty"`
	Near  *int8   `json:"near,omitempty"`
}

type placeW struct {
	City string `json:"city" mcpheader:"City"`
}

type placesImpl struct{}

func (placesImpl) Create(_ context.Context, in *placeIn) (*placeIn, error) { return in, nil }

func TestSchemasAgree(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("documents are the same on all machines: an int has 64 bits there, and the server takes 32")
	}
	page, err := readText(root("doc/documents.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(page)), " ")
	for _, known := range documentedDifferences {
		if !strings.Contains(words, known.doc) {
			t.Errorf("doc/documents.md does not say %q", known.doc)
		}
	}
	seen := make([]bool, len(documentedDifferences))
	for i, server := range []struct {
		name    string
		service *svc.Service
		strict  bool
		rounds  int
	}{
		{"kitchen sink", kitchen.Sink(false), false, 120},
		{"kitchen sink, strict", kitchen.Sink(true), true, 15},
		{"unions", svc.MustRegister[UnionAPI](unionImpl{}, unionOptions()), false, 80},
		{"pointers with headers of MCP", svc.MustRegister[placesAPI](placesImpl{}, &svc.Options{Resource: "places", Logger: slog.New(slog.DiscardHandler)}), false, 60},
		{"unions by JSON type", byService(), false, 80},
	} {
		t.Run(server.name, func(t *testing.T) {
			s := server.service
			a := &agreement{T: t, strict: server.strict, rest: s.REST(), rpc: s.RPC(), mcp: s.MCP(&svc.MCPOptions{AllowUnknown: true}), seen: seen}
			a.readDocuments(s.OpenAPI())
			m := &valueMaker{Rand: rand.New(rand.NewPCG(uint64(i), 62)), validator: a.validators["3.1"], scalars: scalars(), fitting: make(map[string][]any)}
			for _, method := range a.methods {
				for range rounds(server.rounds, 10*server.rounds) {
					m.wrongs = [...]float64{0, 0, 0.01, 0.04, 0.15}[m.IntN(5)]
					a.try(method, m.value(method.body, 0))
				}
			}
			if total := a.taken + a.refused; a.taken < total/10 || a.refused < total/10 {
				t.Errorf("of %d values, %d are taken: too few, or too many", total, a.taken)
			}
		})
	}
	for i, known := range documentedDifferences {
		if !seen[i] {
			t.Errorf("no value shows that %q", known.doc)
		}
	}
}

// Verify that each point of the list in doc/documents.md is one that values have shown, or one
// that is not about values of bodies.
func TestDifferencesAreListed(t *testing.T) {
	page, err := readText(root("doc/documents.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "Documents and server agree, with these exceptions:")
	list, _, _ = strings.Cut(list, "\n## ")
	others := []string{"`Options.OnError` of your own, documents have no bodies of errors", "QUERY is in OpenAPI 3.2 and not in 3.1 and 3.0.3", "are not in OpenAPI 3.0.3, which cannot express them", "documents call a member with a default optional",
		"A schema from `MCPMethod.InputSchema` is published as you wrote it", "Documents describe a bare Idempotency-Key", "Documents describe If-Match and If-None-Match as strings", "the text for `{name...}` in a route is a string"}
	points := strings.Split(list, "\n- ")[1:]
	if len(points) < 8 {
		t.Fatalf("the list has %d points", len(points))
	}
	for _, point := range points {
		words := strings.Join(strings.Fields(point), " ")
		says := func(text string) bool { return strings.Contains(words, text) }
		isShown := slices.ContainsFunc(others, says)
		for _, known := range documentedDifferences {
			isShown = isShown || says(known.doc)
		}
		if !isShown {
			t.Errorf("no value shows this: %s", words)
		}
	}
}

// An agreement compares documents of one service with its server.
type agreement struct {
	*testing.T
	strict         bool
	rest, rpc, mcp http.Handler
	validators     map[string]*jsonschema.Validator // by document
	methods        []*agreeMethod
	seen           []bool // of documentedDifferences
	taken, refused int
}

// An agreeMethod is a method whose input is all in the body.
type agreeMethod struct {
	name            string // in lower case, without _ and .
	path, rpc, tool string
	body            any            // the schema of the body in OpenAPI 3.1
	inputs, outputs map[string]any // schemas, by document
}

// asserted are the formats that say which values there are: svc writes no time with a small t, and
// base64 with padding.
func asserted() map[string]func(any) bool {
	isText := func(check func(text string) bool) func(any) bool {
		return func(v any) bool { text, ok := v.(string); return !ok || check(text) }
	}
	isNumber := func(check func(number json.Number) bool) func(any) bool {
		return func(v any) bool { number, ok := v.(json.Number); return !ok || check(number) }
	}
	isFloat := func(bits int) func(any) bool {
		return isNumber(func(number json.Number) bool { _, err := strconv.ParseFloat(string(number), bits); return err == nil })
	}
	isInteger := func(bits int) func(any) bool {
		return isNumber(func(number json.Number) bool {
			x, _ := new(big.Rat).SetString(string(number))
			least := new(big.Int).Lsh(big.NewInt(-1), uint(bits-1))
			return !x.IsInt() || x.Num().BitLen() < bits || x.Num().Cmp(least) == 0
		})
	}
	matches := func(pattern string) func(any) bool { return isText(regexp.MustCompile(pattern).MatchString) }
	return map[string]func(any) bool{
		"email": matches(`^[\w!#$%&'*+/=?^{|}~-]+(\.[\w!#$%&'*+/=?^{|}~-]+)*@([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?\.)+[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$`),
		"uuid":  matches(`(?i)^(urn:uuid:)?[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$`),
		"int32": isInteger(32), "int64": isInteger(64), "float": isFloat(32), "double": isFloat(64),
		"byte": isText(func(text string) bool {
			_, err := base64.StdEncoding.Strict().DecodeString(text)
			return err == nil && !strings.ContainsAny(text, "\r\n")
		}),
		"date-time": isText(func(text string) bool {
			return new(time.Time).UnmarshalText([]byte(strings.Replace(text, ":59:60", ":59:59", 1))) == nil
		}),
	}
}

// parseNumbers returns the value of JSON text, with numbers as they are written.
func parseNumbers(t testing.TB, text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// dig returns the value at a path of names.
func dig(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// plainName returns a name that all documents share: sinksechofloats is sinks_EchoFloats in
// OpenAPI and sinks.echoFloats in OpenRPC.
func plainName(v any) string {
	return strings.ToLower(strings.NewReplacer("_", "", ".", "").Replace(v.(string)))
}

// readDocuments finds the methods and their schemas.
func (a *agreement) readDocuments(openAPI http.Handler) {
	compiled := make(map[string]*regexp.Regexp)
	validator := func(document string, v any) {
		a.validators[document] = &jsonschema.Validator{Root: v.(map[string]any), Formats: asserted(), Match: func(pattern, text string) (bool, error) {
			if compiled[pattern] == nil {
				compiled[pattern] = regexp.MustCompile(pattern)
			}
			return compiled[pattern].MatchString(text), nil
		}}
	}
	a.validators = make(map[string]*jsonschema.Validator)
	byName := make(map[string]*agreeMethod)
	for _, version := range []string{"3.1", "3.2", "3.0.3"} {
		w := httptest.NewRecorder()
		openAPI.ServeHTTP(w, httptest.NewRequest("GET", "/?openapi="+version, nil))
		document := parseNumbers(a, w.Body.Bytes())
		validator(version, document)
		paths := dig(document, "paths").(map[string]any)
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			post := dig(paths[path], "post")
			body := dig(post, "requestBody", "content", "application/json", "schema")
			if body == nil || dig(post, "parameters") != nil {
				continue
			}
			name := plainName(dig(post, "operationId"))
			if byName[name] == nil {
				byName[name] = &agreeMethod{name: name, path: path, body: body, inputs: make(map[string]any), outputs: make(map[string]any)}
				a.methods = append(a.methods, byName[name])
			}
			byName[name].inputs[version] = body
			for _, response := range []string{"200", "201", "203"} {
				if schema := dig(post, "responses", response, "content", "application/json", "schema"); schema != nil {
					byName[name].outputs[version] = schema
				}
			}
		}
	}
	openRPC := dig(parseNumbers(a, postJSON(a.rpc, "/rpc", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`).Body.Bytes()), "result")
	validator("OpenRPC", openRPC)
	for _, method := range dig(openRPC, "methods").([]any) {
		if m := byName[plainName(dig(method, "name"))]; m != nil {
			m.rpc = dig(method, "name").(string)
			m.inputs["OpenRPC"], m.outputs["OpenRPC"] = paramsSchema(method), dig(method, "result", "schema")
		}
	}
	for _, tool := range dig(parseNumbers(a, mcpPost(a.mcp, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.Bytes()), "result", "tools").([]any) {
		if m := byName[plainName(dig(tool, "name"))]; m != nil {
			m.tool = dig(tool, "name").(string)
			m.inputs["tools"], m.outputs["tools"] = dig(tool, "inputSchema"), dig(tool, "outputSchema")
		}
	}
}

// paramsSchema returns the schema of an object of the params of a method of OpenRPC.
func paramsSchema(method any) map[string]any {
	properties, required := make(map[string]any), []any{}
	for _, param := range dig(method, "params").([]any) {
		name := dig(param, "name").(string)
		if properties[name] = dig(param, "schema"); dig(param, "required") == true {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// in returns a validator for the schemas of one method. A tool has its own definitions.
func (a *agreement) in(document string, schema any) *jsonschema.Validator {
	if document != "tools" {
		return a.validators[document]
	}
	of := *a.validators["3.1"]
	of.Root = schema.(map[string]any)
	return &of
}

// try sends a value to a method over each transport, and compares what everyone says of it.
func (a *agreement) try(m *agreeMethod, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		a.Fatal(err)
	}
	value = parseNumbers(a, text)
	w := postJSON(a.rest, m.path, string(text))
	var answer wireEnvelope
	if w.Code == 400 {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			a.Fatal(err)
		}
	}
	violations := answer.violations()
	if w.Code >= 300 && len(violations) == 0 {
		a.Fatalf("%s %s: %d %s", m.path, text, w.Code, w.Body)
	}
	if len(violations) == 0 {
		a.taken++
	} else {
		a.refused++
	}
	for _, version := range []string{"3.0.3", "3.1", "3.2"} {
		a.compare(m, version, value, violations, len(violations) == 0)
		if len(violations) == 0 && m.outputs[version] != nil && w.Header().Get("Content-Type") == "application/json" { // and not a stream
			a.compareAnswer(m, version, parseNumbers(a, w.Body.Bytes()))
		}
	}
	if _, isObject := value.(map[string]any); !isObject {
		return // which is no params, and no arguments
	}
	if m.rpc != "" {
		result := parseNumbers(a, postJSON(a.rpc, "/rpc", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, m.rpc, text)).Body.Bytes())
		a.compare(m, "OpenRPC", value, violations, dig(result, "error") == nil)
		if dig(result, "error") == nil {
			a.compareAnswer(m, "OpenRPC", dig(result, "result"))
		}
	}
	if m.tool != "" {
		result := dig(parseNumbers(a, mcpPost(a.mcp, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, m.tool, text)).Body.Bytes()), "result")
		a.compare(m, "tools", value, violations, dig(result, "isError") == false)
		if dig(result, "isError") == false && m.outputs["tools"] != nil {
			a.compareAnswer(m, "tools", dig(result, "structuredContent"))
		}
	}
}

// compare compares the schema of an input with the verdict of the server, which has the
// violations if the value is not taken.
func (a *agreement) compare(m *agreeMethod, document string, value any, violations []svc.Violation, isTaken bool) {
	findings := a.in(document, m.inputs[document]).Validate(m.inputs[document], value)
	d := difference{document: document, method: m.name, strict: a.strict}
	switch {
	case isTaken:
		a.explainFindings(d, findings, value)
	case len(findings) > 0:
	case len(violations) == 0:
		a.Errorf("%s, %s: the server refuses %v, without a word", document, m.name, value)
	default:
		for _, d.violation = range violations {
			d.value = valueAt(value, d.violation.Path)
			if !a.isDocumented(&d) {
				a.Errorf("%s, %s: the server says %+v of %v; the schema takes it", document, m.name, d.violation, value)
			}
		}
	}
}

func (a *agreement) compareAnswer(m *agreeMethod, document string, value any) {
	findings := a.in(document, m.outputs[document]).Validate(m.outputs[document], value)
	a.explainFindings(difference{document: document, method: m.name, strict: a.strict, answer: true}, findings, value)
}

// explainFindings complains of what is in no row of documentedDifferences.
func (a *agreement) explainFindings(d difference, findings []jsonschema.Finding, value any) {
	for _, finding := range findings {
		if !a.explains(d, finding) {
			a.Errorf("%s, %s: %v in %v: the server %s", d.document, d.method, finding.Error(), value, map[bool]string{false: "takes it", true: "sends it"}[d.answer])
		}
	}
}

// explains reports whether a finding is documented, or all that one branch of an anyOf has.
func (a *agreement) explains(d difference, finding jsonschema.Finding) bool {
	if d.finding = finding; a.isDocumented(&d) {
		return true
	}
	return slices.ContainsFunc(finding.Branches, func(branch []jsonschema.Finding) bool {
		isOther := func(f jsonschema.Finding) bool { return !a.explains(d, f) }
		return len(branch) > 0 && !slices.ContainsFunc(branch, isOther)
	})
}

func (a *agreement) isDocumented(d *difference) bool {
	for i, known := range documentedDifferences {
		if known.is(d) {
			a.seen[i] = true
			return true
		}
	}
	return false
}

// valueAt returns the value at a JSON Pointer, or nil.
func valueAt(v any, pointer string) any {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch container := v.(type) {
		case map[string]any:
			v = container[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(container) {
				return nil
			}
			v = container[i]
		default:
			return nil
		}
	}
	return v
}

// A valueMaker makes values from schemas of OpenAPI 3.1: most of their parts right, some of
// them wrong.
type valueMaker struct {
	*rand.Rand
	validator *jsonschema.Validator
	wrongs    float64 // the chance that a part is wrong
	scalars   []any
	fitting   map[string][]any // scalars by the schema that takes them
}

func (m *valueMaker) chance(of float64) bool { return m.Float64() < of }

func (m *valueMaker) value(schema any, depth int) any {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		return m.value(dig(m.validator.Root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), depth)
	}
	if m.chance(m.wrongs) {
		return m.anything(2)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches, ok := s[keyword].([]any); ok {
			i := m.IntN(len(branches))
			if depth > 4 {
				i = len(branches) - 1
			}
			return m.value(branches[i], depth)
		}
	}
	if examples, ok := s["examples"].([]any); ok && m.chance(0.75) {
		return examples[0] // the only one that is right for an address
	}
	switch s["type"] {
	case "object":
		return m.object(s, depth)
	case "array":
		return m.array(s, depth)
	case nil:
		return m.anything(2)
	}
	return m.scalar(s)
}

func (m *valueMaker) object(schema map[string]any, depth int) map[string]any {
	object := make(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		isRequired := slices.Contains(required, any(name))
		if isRequired && !(m.wrongs > 0 && m.chance(0.03)) || !isRequired && depth < 5 && m.chance(0.5) {
			object[name] = m.value(properties[name], depth+1)
		}
	}
	if rest, isMap := schema["additionalProperties"].(map[string]any); isMap && depth < 5 {
		for range m.IntN(3) {
			object[m.name(schema)] = m.value(rest, depth+1)
		}
	} else if m.chance(m.wrongs) {
		object[[...]string{"unknown", "number", "debit", "value", "rest"}[m.IntN(5)]] = m.anything(2) // some are members of other alternatives
	}
	return object
}

// name returns a name for a member of a map.
func (m *valueMaker) name(schema map[string]any) string {
	own, ok := schema["propertyNames"].(map[string]any)
	if !ok && m.chance(0.5) {
		return [...]string{"::1", "::0:1", "127.0.0.1"}[m.IntN(3)] // of which two are one address
	}
	for range 20 {
		if name, ok := m.scalar(own).(string); ok {
			return name
		}
	}
	return "a"
}

func (m *valueMaker) array(schema map[string]any, depth int) []any {
	limit := func(keyword string, otherwise int) int {
		if number, ok := schema[keyword].(json.Number); ok {
			n, _ := number.Int64()
			return int(n)
		}
		return otherwise
	}
	low := limit("minItems", 0)
	high := limit("maxItems", low+3)
	if depth > 4 {
		high = low
	}
	if m.chance(m.wrongs) {
		low, high = 0, high+2
	}
	list := make([]any, low+m.IntN(high-low+1))
	for i := range list {
		list[i] = m.value(schema["items"], depth+1)
	}
	return list
}

// scalar returns one of the scalars that a schema takes.
func (m *valueMaker) scalar(schema map[string]any) any {
	if schema["format"] == "int64" && m.chance(0.1) {
		return json.Number([]string{"2147483648", "9223372036854775808", "18446744073709551615"}[m.IntN(3)])
	}
	key := fmt.Sprintf("%p", schema) // a map, which stays where it is
	if _, known := m.fitting[key]; !known {
		enum, _ := schema["enum"].([]any)
		for _, x := range slices.Concat(enum, []any{schema["const"]}, m.scalars) {
			if len(m.validator.Validate(schema, x)) == 0 {
				m.fitting[key] = append(m.fitting[key], x)
			}
		}
	}
	if fitting := m.fitting[key]; len(fitting) > 0 {
		return fitting[m.IntN(len(fitting))]
	}
	return m.anything(0)
}

// anything returns any value at all.
func (m *valueMaker) anything(depth int) any {
	switch n := m.IntN(8); {
	case depth == 0 || n > 2:
		return m.scalars[m.IntN(len(m.scalars))]
	case n == 0:
		return nil
	case n == 1:
		return []any{m.anything(depth - 1)}
	}
	return map[string]any{"a": m.anything(depth - 1)}
}

// scalars are values that mean something to someone.
func scalars() []any {
	all := []any{nil, true, false}
	for number := range strings.FieldsSeq(`0 -0 1 -1 2 3 5 7 8 9 10 -10 14 30 100 127 128 -128 -129 255 256 300 32767 32768 65535 65536 2147483647 2147483648 -2147483649 4294967295 4294967296
		9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616 1e20 1.0 1e2 15e-1
		0.1 0.25 0.3 0.5 1.5 -1.5 0.30000000000000001 1000 3.4e38 3.5e38 1e39 1e400 -1e400`) {
		all = append(all, json.Number(number), number)
	}
	for _, text := range []string{
		"", "a", "b", "ab", "abc", "abcd", "abcde", "abcdef", "bad", "日本語日本", "日本語日本語", "\U0001f600\U0001f600\U0001f600", "red", "green", "blue", "AB-1", "ab-1", "top", "x\x00y", "null", "true", `""`, `"x"`, `"\ud800"`,
		"card", "iban", "cash", "bundle", "text", "number", "nested", "none", "+1", "01", "1.", "99999999999999999999", "12345678901234567890123", "1e999",
		"2006-01-02T15:04:05Z", "2006-01-02T15:04:05.5+01:00", "2006-01-02t15:04:05z", "2016-12-31T23:59:60Z", "2006-02-29T00:00:00Z", "2006-01-02",
		"1h", "1h30m", "-2ms", "4µs", "3000000h", "9223372036854775808ns", "1d", "AA==", "AAA=", "AAAA", "AA", "AB==", "-_-_", "AA\n==", "::1", "127.0.0.1", "::0:1", "fe80::1%eth0", "a@b.test", "a@b", "urn:uuid:123E4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000",
	} {
		all = append(all, text)
	}
	return all
}
