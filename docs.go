package svc

// This file serves the reference page of a service: docs.html, with the OpenAPI document of
// the service in it. The browser needs no other request to show it. The same content is
// also written as Markdown, by docs_markdown.go. In this order:
//
//   - the options and the handler
//   - the page, its Content-Security-Policy and its data
//
// All but the examples, which examples.go makes, is read from the text of the document.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// DocsOptions says which handlers the page of [Service.Docs] may call. Each is a path relative to
// the page, such as "." or "../mcp", or a path that begins with a slash. The page does not call a
// transport whose path is empty. With the zero value and nil the page is only for reading.
type DocsOptions struct {
	REST    string // the directory below which the paths of Service.Routes are
	RPC     string // the handler of Service.RPC
	MCP     string // the handler of Service.MCP
	OpenAPI string // the handler of Service.OpenAPI, to whose forms the page links
	// the handler of Service.TypeScript, such as "client.ts", to which the page links; it then shows calls in TypeScript and Go too
	Client string
}

// Docs returns a handler that serves a page about the REST routes of s, with a form to call each
// method over the transports of opts. It serves the same text as Markdown at llms.txt, with the query
// ?markdown, to which the page links, and to requests whose Accept prefers text/markdown to
// text/html. Mount the page on a path that ends in a slash, because browsers resolve relative paths
// against it:
//
//	docs := service.Docs(&svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp"})
//	mux.Handle("/{$}", docs)
//	mux.Handle("/llms.txt", docs)
//
// Verbs other than GET and HEAD get 405. Docs panics if a path in opts has a host, a query or a
// fragment. doc/documents.md has more about the page.
func (s *Service) Docs(opts *DocsOptions) http.Handler {
	places := *cmp.Or(opts, new(DocsOptions))
	for _, place := range []string{places.REST, places.RPC, places.MCP, places.OpenAPI, places.Client} {
		u, err := url.Parse(place)
		if err != nil || *u != (url.URL{Path: u.Path, RawPath: u.RawPath}) || strings.ContainsAny(place, "\\#") ||
			strings.HasPrefix(place, "//") {
			panic(fmt.Sprintf("svc: Docs: %q is not a path of this server; write one relative to the page, such as \"rpc\" or \"../rpc\"", place))
		}
	}
	page := lazyDocument(func() []byte { return newDocsWriter(&s.service, places).renderPage() })
	markdown := lazyDocument(func() []byte { return newDocsWriter(&s.service, places).renderMarkdown() })
	policy := sync.OnceValue(func() string { return docsPolicy(readPage()) })
	return s.serveDocument("docs", func(header http.Header, r *http.Request) (*document, string, error) {
		if strings.HasSuffix(r.URL.Path, "/llms.txt") || r.URL.RawQuery == "markdown" ||
			chooseType(r.Header["Accept"], "text/html", "text/markdown") == "text/markdown" {
			return markdown(), "text/markdown; charset=utf-8", nil
		}
		header.Set("Content-Security-Policy", policy())
		header.Set("Referrer-Policy", "no-referrer")
		return page(), "text/html; charset=utf-8", nil
	})
}

// docsFiles contains docs.html. Embedding needs a variable; it is never written.
//
//go:embed docs.html
var docsFiles embed.FS

// readPage returns docs.html, which every build of the package has.
func readPage() string {
	source, _ := docsFiles.ReadFile("docs.html")
	return pageText(string(source))
}

// renderPage returns docs.html with the title and the data in it. Every < in the data is
// written as \u003c, so that a text such as "</script>" does not end the element around the
// data (HTML, section 13.2.5.4: script data).
func (w *docsWriter) renderPage() []byte {
	source := readPage()
	start, rest, _ := strings.Cut(source, "{{title}}")
	middle, end, _ := strings.Cut(rest, "{{data}}")
	start += html.EscapeString(w.service.opts.Name) + middle
	page := w.appendData(append(make([]byte, 0, len(source)+2*len(w.texts)), start...))
	if data := page[len(start):]; bytes.IndexByte(data, '<') >= 0 { // most data does not contain it
		page = append(page[:len(start)], bytes.ReplaceAll(data, []byte("<"), []byte(`\u003c`))...)
	}
	return append(page, end...)
}

// docsPolicy returns a Content-Security-Policy that lets page use only its own style and script and
// call only its own host. It has the hashes of the text between the tags (CSP Level 3, section
// 6.7.2.11). The icon is an empty data URL, so that browsers do not request one.
func docsPolicy(page string) string {
	hash := func(tag string) string {
		_, rest, _ := strings.Cut(page, "\n<"+tag+">")
		text, _, _ := strings.Cut(rest, "</"+tag+">")
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash("script") + "; style-src " + hash("style") +
		"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" +
		"; require-trusted-types-for 'script'; trusted-types 'none'"
}

// A docsWriter writes the page or the Markdown of a service. It holds what both show: the document,
// and for each operation what OpenAPI cannot express.
type docsWriter struct {
	*apiBuilder  // of OpenAPI 3.1, and beside it, methods by QUERY; its schemas are written
	places       DocsOptions
	operations   []docsOperation // in the order of reading
	bytes.Buffer                 // of the Markdown
}

// A docsOperation is an operation of the document, with its path, the names of its method
// over the other transports, and an example input. In the maps, a parameter is written as
// its place and its name over REST, such as "query page".
type docsOperation struct {
	apiOperation
	path         string
	placeholders []string // of path, in the order of method.placeholders
	order        int      // of the method in its resource; see readingOrder
	rpc          string   // the name of the method over JSON-RPC; "" if it is not served there
	mcp          string   // the name of the tool, or ""
	prompt       string   // the name of the prompt, or ""
	resource     string   // the URI of the resource, or ""

	// names has the parameters that JSON-RPC and MCP name differently:
	// {"name":"page","quoted":true}. If quoted, a number or a boolean is inside a string. The name
	// is "" if only REST has the parameter.
	names    map[string][]byte
	examples map[string][]byte // of parameters, and of the "body"
}

// newDocsWriter returns a writer for the page or the Markdown of s.
func newDocsWriter(s *service, places DocsOptions) *docsWriter {
	w := &docsWriter{apiBuilder: newAPIBuilder(s, openAPI31, s.methodsOn(TransportREST), true), places: places}
	w.writeSchemas()
	for _, path := range w.paths {
		for _, operation := range path.operations {
			m := operation.method
			o := docsOperation{apiOperation: operation, path: path.template, placeholders: path.placeholders, order: m.readingOrder(),
				names: make(map[string][]byte), examples: make(map[string][]byte)}
			o.addParameters(m, path.placeholders)
			if m.isServedBy(TransportRPC) {
				o.rpc = rpcName(m)
			}
			if m.isTool() {
				o.mcp = m.toolName()
			}
			if m.isPrompt() {
				o.prompt = m.toolName()
			}
			if m.isResource() {
				o.resource = m.mcp.URI
			}
			w.operations = append(w.operations, o)
		}
	}
	groups := make(map[string]int) // the groups in the document: among joined services, the first comes first
	for i, name := range w.tags {
		groups[name] = i
	}
	slices.SortStableFunc(w.operations, func(x, y docsOperation) int {
		return cmp.Or(groups[x.method.resource]-groups[y.method.resource], x.order-y.order)
	})
	return w
}

// appendData appends the data for the script of the page, as one object:
//
//	document                  the OpenAPI document
//	rest, …, client           the paths of DocsOptions; absent if empty
//	calls                     the docsOperations by their IDs, in the order of reading
//	schemes                   the rows of the schemes; the page asks for those with a Header
//	codes                     code, HTTP status and JSON-RPC number of each kind of error
//	reasons                   what listReasons returns; absent if it is empty
//	rules                     the message of each rule by its keyword, with # for the value
//	oneLine                   ruleRow.oneLine by the keyword, for the fields of forms
//	words                     the meaning of patterns that are not for readers: patterns of svc and patterns with a patternHint
func (w *docsWriter) appendData(dst []byte) []byte {
	var table [][3]any // code, HTTP status, JSON-RPC number
	for _, c := range codes {
		table = append(table, [3]any{c.code, c.http, c.rpc})
	}
	messages, lines := make(map[string][]byte), make(map[string][]byte)
	for _, row := range ruleRows {
		messages[row.keyword] = appendQuoted(nil, row.must)
		if row.oneLine != "" {
			lines[row.keyword] = []byte(row.oneLine)
		}
	}
	credentials := w.schemes
	if credentials == nil { // a guard may ask for one all the same
		credentials = plainSchemes()
	}
	out := openMembers(dst)
	out.addName("document")
	out.buf = w.appendDocument(out.buf)
	out.add("rest", w.places.REST, "rpc", w.places.RPC, "mcp", w.places.MCP, "openapi", w.places.OpenAPI, "client", w.places.Client)
	out.open("calls", '{')
	for _, o := range w.operations {
		out.open(o.id, '{')
		out.add("rpc", o.rpc, "mcp", o.mcp, "prompt", o.prompt, "resource", o.resource, "names", o.names, "examples", o.examples,
			"tail", o.tail(), "whole", o.wholeName())
		if o.method.key != nil { // the argument of the tool, a header elsewhere
			out.addText("key", keyArgument)
			w.writer.words[keyPattern] = "visible ASCII characters"
		}
		if end := o.method.streamEnd; end != "" {
			out.addText("end", end)
		}
		if w.places.Client != "" {
			out.add("ts", object("call", typeScriptName(o.method), "names", o.clientNames(), "items", o.sendsItems(),
				"either", o.method.either), "go", o.goProgram())
		}
		out.end("}")
	}
	out.end("}")
	maps.DeleteFunc(w.writer.words, func(_, words string) bool { return words == "" })
	out.add("schemes", encodeDocument(credentials), "codes", encodeDocument(table), "rules", messages, "oneLine", lines, "words",
		encodeDocument(w.writer.words))
	if reasons := w.listReasons(); reasons != nil {
		out.addRaw("reasons", encodeDocument(reasons))
	}
	return out.close()
}

// listReasons returns the reason, the code and the message of each declared error with a reason,
// sorted by reason; if several share a reason, only the first.
func (w *docsWriter) listReasons() (list [][3]string) {
	for _, o := range w.operations {
		for _, e := range o.method.errors {
			isSame := func(row [3]string) bool { return row[0] == e.reason && row[1] == string(e.code()) }
			if e.reason != "" && !slices.ContainsFunc(list, isSame) {
				list = append(list, [3]string{e.reason, string(e.code()), e.message()})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b [3]string) int { return strings.Compare(a[0], b[0]) })
	return list
}

// readingOrder returns the place of m in its resource. Methods with comments are in the order of
// the source; of others, create, get, list, update, patch and delete come first, then actions,
// then streams. That depends on the name of m alone, since
// the route of any method may be a POST. inferRoute without a base returns / for a
// collection and //{id} for an item: GET //{id} for Get.
func (m *method) readingOrder() int {
	if m.place > 0 {
		return m.place
	}
	inferred := inferRoute("", strings.Split(m.name, "_"), "id")
	order := []string{"POST /", "GET //{id}", "GET /", "PUT //{id}", "PATCH //{id}", "DELETE //{id}"}
	place := slices.Index(order, inferred.verb+" "+inferred.path)
	switch {
	case m.stream != "" && !m.either:
		return len(order) + 1
	case place < 0:
		return len(order)
	}
	return place
}

// addParameters fills names and examples. It adds an example if the parameter is required or has
// the tag example, and there is one that keeps the rules. placeholders are the names of the path parameters in the document.
func (o *docsOperation) addParameters(m *method, placeholders []string) {
	const restOnly = `{"name":""}`
	for _, p := range m.ownParameters() {
		o.names[inHeader+" "+textAt(p, "name")] = []byte(restOnly)
		if isTrueAt(p, "required") {
			o.examples[inHeader+" "+textAt(p, "name")] = []byte(`"1"`)
		}
	}
	for _, p := range m.bind.parameters(m.route) {
		parameter := p.sourceName
		if p.where == wherePath {
			parameter = placeholders[slices.Index(m.placeholders, parameter)]
		}
		switch place := p.in + " " + parameter; {
		case p.isNameless():
			o.names[place] = []byte(restOnly)
		case p.quoted || p.name != parameter:
			o.names[place] = object("name", p.name, "quoted", p.quoted)
		}
		if p.isRequired() || p.example != nil {
			field := p.asParameter()
			o.addExample(p.in+" "+parameter, exampleOfField(&field))
		}
	}
	if m.form {
		o.addExample("body", exampleForm(m.bind.rest.params[whereForm]))
	}
	switch body := m.bind.rest.inBody; {
	case m.bind.rest.whole:
		if f := body.fields[0]; f.isRequired() || f.example != nil {
			o.addExample("body", exampleOfField(f))
		}
	case body != nil:
		o.addExample("body", exampleBody(body))
	}
}

// addExample adds the example of a parameter or of the body, unless it is nil.
func (o *docsOperation) addExample(of string, example []byte) {
	if example != nil {
		o.examples[of] = example
	}
}

// tail returns the name of the placeholder that takes several segments, or "".
func (o *docsOperation) tail() string {
	if !o.method.tail {
		return ""
	}
	return o.placeholders[len(o.placeholders)-1]
}

// wholeName returns the JSON name of the field that is the whole body, or "".
func (o *docsOperation) wholeName() string {
	if m := o.method; m.bind != nil && m.bind.rest.whole {
		return m.bind.rest.inBody.fields[0].name
	}
	return ""
}

// exampleForm returns an example of a form as a JSON object, with the fields that are required or
// have an example, or nil. A form cannot have a list without items.
func exampleForm(form []param) []byte {
	m := openMembers(nil)
	for i := range form {
		if p := &form[i]; p.isRequired() || p.example != nil {
			text := exampleOfField(p.asPart())
			if text == nil {
				return nil
			}
			m.addRaw(p.sourceName, text)
		}
	}
	return m.close()
}

// resolve returns the component that a Reference Object refers to, and any other value unchanged.
// Names of components need no escapes in a JSON Pointer.
func (w *docsWriter) resolve(o []byte) []byte {
	ref := textAt(o, "$ref")
	name := ref[strings.LastIndexByte(ref, '/')+1:]
	switch {
	case ref == "":
		return o
	case ref == componentPrefix+name:
		return w.schemas[name]
	}
	return w.responses[name]
}

// isTrueAt reports whether a member of a JSON object is true.
func isTrueAt(object []byte, name string) bool { return string(memberAt(object, name)) == "true" }
