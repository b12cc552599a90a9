package svc

// This file serves a page to read about a service and to try it: docs.html, with
// the OpenAPI document of the service in it. The page is finished here and works
// in the browser; there is no other request for what it shows. The same document
// is also written as Markdown, for readers that do not run scripts.
//
// In order: the options and the handler; the page, its data and its policy; the
// Markdown; texts and examples made from schemas. Everything is made from the
// text of the document, so whatever the document says next is on the page too.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// DocsOptions say which handlers the page of [Service.Docs] may call. Each is a
// path relative to the page, such as "." for REST routes beside it, "rpc" or
// "../mcp", or a path that begins with a slash. Relative paths also work behind a
// proxy that strips a prefix. If one is empty, the page does not call that
// transport. It never calls another host.
type DocsOptions struct {
	REST string // the directory below which the paths of Service.Routes are
	RPC  string // the handler of Service.RPC
	MCP  string // the handler of Service.MCP
}

// Docs returns a handler that serves a page about the REST routes of s: every
// method with its fields, constraints, answers and errors, to search and to
// read, and with opts a form to call it over each transport. A nil opts is a page
// to read only. Docs panics if a path in opts has a host, a query or a fragment.
//
// The page is one file that loads nothing else, and its Content-Security-Policy
// allows nothing else. It sends a request only when someone presses Send, and
// forgets tokens and passwords when it is closed.
//
// The same as Markdown, with a curl command for each method, is served to requests
// with "Accept: text/markdown" and at llms.txt below the page:
//
//	docs := service.Docs(&svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp"})
//	mux.Handle("/{$}", docs)
//	mux.Handle("/llms.txt", docs)
//
// Mount the page on a path that ends in a slash, since browsers resolve relative
// paths against that. Both forms are made once, at the first request for them, and
// have an ETag. Methods other than GET and HEAD get 405.
func (s *Service) Docs(opts *DocsOptions) http.Handler {
	var places DocsOptions
	if opts != nil {
		places = *opts
	}
	for _, place := range []string{places.REST, places.RPC, places.MCP} {
		u, err := url.Parse(place)
		if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(place, "\\?#") || strings.HasPrefix(place, "//") {
			panic(fmt.Sprintf("svc: Docs: %q is not a path of this server; write one relative to the page, such as \"rpc\" or \"../rpc\"", place))
		}
	}
	d := sync.OnceValue(func() *docsData { return newDocsData(s, places) })
	return &docsHandler{
		endpoint: s.newEndpoint("docs"),
		page:     sync.OnceValue(func() *docsPage { return newDocsPage(d()) }),
		markdown: sync.OnceValue(func() *builtDocument { return newBuiltText(newDocsWriter(d()).writeAll()) }),
	}
}

// A docsHandler serves the page of one service, and the same as Markdown.
type docsHandler struct {
	endpoint
	page     func() *docsPage
	markdown func() *builtDocument
}

var _ http.Handler = (*docsHandler)(nil)

func (h *docsHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond serves the page or the Markdown. Both forbid a browser to guess another
// type for them.
func (h *docsHandler) respond(w http.ResponseWriter, r *http.Request, _ *workspace) error {
	if err := checkReads(w, r); err != nil {
		return err
	}
	if strings.HasSuffix(r.URL.Path, "/llms.txt") || slices.ContainsFunc(r.Header["Accept"], acceptsMarkdown) {
		serveDocument(w, r, h.markdown(), "text/markdown; charset=utf-8")
		return nil
	}
	page := h.page()
	w.Header().Set("Content-Security-Policy", page.policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	serveDocument(w, r, &page.builtDocument, "text/html; charset=utf-8")
	return nil
}

// acceptsMarkdown reports whether an Accept header names text/markdown and does
// not exclude it. A browser does not name it.
func acceptsMarkdown(accept string) bool {
	for item := range strings.SplitSeq(accept, ",") {
		mediaType, params, err := mime.ParseMediaType(item)
		q, qErr := strconv.ParseFloat(params["q"], 64)
		if err == nil && mediaType == "text/markdown" && (qErr != nil || q > 0) {
			return true
		}
	}
	return false
}

// docsFiles has docs.html: the one file of the package that is not Go. It is a
// variable because embedding needs one; nothing writes to it.
//
//go:embed docs.html
var docsFiles embed.FS

// A docsPage is the page as text, with its Content-Security-Policy.
type docsPage struct {
	builtDocument
	policy string
}

// newDocsPage puts title and data into docs.html. In the data every < is escaped,
// so no text in it can end the element that it stands in or begin another
// (HTML, section 13.2.5.4: script data).
func newDocsPage(d *docsData) *docsPage {
	source, err := docsFiles.ReadFile("docs.html")
	if err != nil {
		panic("svc: docs.html is not embedded: " + err.Error())
	}
	text := string(source)
	start, rest, _ := strings.Cut(text, "{{title}}")
	middle, end, _ := strings.Cut(rest, "{{data}}")
	data := bytes.ReplaceAll(encodeDocument(d), []byte("<"), []byte(`\u003c`))
	page := start + html.EscapeString(d.title()) + middle + string(data) + end
	return &docsPage{*newBuiltText([]byte(page)), docsPolicy(text)}
}

// docsPolicy returns the policy that lets the page run its own style and script
// and call its own host, and nothing else. It holds hashes of what stands
// between the tags (CSP Level 3, section 6.7.2.11), so it follows every change of
// docs.html. The icon is an empty data URL, which spares a request for one.
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

// A docsData is all that the page and the Markdown are made of: the document, and
// what OpenAPI has no place for.
type docsData struct {
	Document json.RawMessage     `json:"document"` // OpenAPI 3.1
	REST     string              `json:"rest,omitempty"`
	RPC      string              `json:"rpc,omitempty"`
	MCP      string              `json:"mcp,omitempty"`
	Calls    map[string]docsCall `json:"calls"` // by operationId
	Codes    [][3]any            `json:"codes"` // code, HTTP status, JSON-RPC number
}

// A docsCall says how a method is called over the other transports, if they serve
// it.
type docsCall struct {
	RPC   string              `json:"rpc,omitempty"`
	MCP   string              `json:"mcp,omitempty"`
	Names map[string]docsName `json:"names,omitempty"` // by place and name of a parameter
}

// A docsName is the member of an input that a parameter becomes over JSON-RPC and
// MCP, where it differs from the parameter. Where it is no member its Name is "".
type docsName struct {
	Name   string `json:"name"`
	Quoted bool   `json:"quoted,omitempty"` // a number or boolean inside a string
}

// newDocsData makes the data of s.
func newDocsData(s *Service, places DocsOptions) *docsData {
	b := newAPIBuilder(s, openAPI31)
	d := &docsData{encodeDocument(b.doc), places.REST, places.RPC, places.MCP, make(map[string]docsCall), nil}
	for id, m := range b.operationIDs {
		call := docsCall{Names: docsNames(m, b.findPath(m).placeholders)}
		if m.isServedBy(TransportRPC) {
			call.RPC = m.resource + "." + m.name
		}
		if m.isServedBy(TransportMCP) {
			call.MCP = m.resource + "_" + m.name
		}
		d.Calls[id] = call
	}
	for _, c := range codes {
		d.Codes = append(d.Codes, [3]any{c.code, c.http, c.rpc})
	}
	return d
}

// docsNames returns the parameters of m that are not members of the same name.
// placeholders has their names in the document.
func docsNames(m *method, placeholders []string) map[string]docsName {
	names := make(map[string]docsName)
	add := func(in, parameter string, name docsName) {
		if name != (docsName{parameter, false}) {
			names[in+" "+parameter] = name
		}
	}
	bind := m.bind
	if bind == nil {
		bind = new(binding) // of no fields
	}
	for i, placeholder := range m.placeholders {
		name := docsName{}
		for _, p := range bind.path {
			if p.sourceName == placeholder {
				name = docsName{p.name, p.quoted}
			}
		}
		add(inPath, placeholders[i], name)
	}
	for _, p := range slices.Concat(bind.query, bind.header, bind.cookie) {
		if p.isNameless() {
			add(p.in, p.sourceName, docsName{})
		} else {
			add(p.in, p.sourceName, docsName{p.name, p.quoted})
		}
	}
	return names
}

// title returns the title of the document.
func (d *docsData) title() string { return textAt(d.Document, "info", "title") }

// memberAt returns what is below a JSON object by names, or nil if there is nothing.
func memberAt(value []byte, names ...string) []byte {
	for _, name := range names {
		var found []byte
		if isJSONObject(value) {
			eachMember(value, func(n, v []byte) {
				if string(n) == name {
					found = v
				}
			})
		}
		value = found
	}
	return value
}

// textAt returns the string below a JSON object by names, or "".
func textAt(value []byte, names ...string) string {
	if v := memberAt(value, names...); isText(v) {
		return string(textOf(v))
	}
	return ""
}

// itemsOf returns the elements of a JSON array, or nil if value is none.
func itemsOf(value []byte) (list [][]byte) {
	if len(value) == 0 || value[0] != '[' {
		return nil
	}
	for i := skipBetween(value, 1); value[i] != ']'; i = skipBetween(value, i) {
		end := i + valueLen(value[i:])
		list = append(list, value[i:end])
		i = end
	}
	return list
}

// A docsWriter writes the Markdown of a service.
//
//	In the document           In the Markdown
//	------------------------  --------------------------------------------------
//	info                      the heading and the quote below it
//	a tag                     a section
//	an operation              a section below that of its tag, with a command
//	a parameter, a property   an item: `name` (place, type, required): text
//	a response                an item, its headers below it
//	a component               a section below Types
type docsWriter struct {
	bytes.Buffer
	data *docsData
}

func newDocsWriter(d *docsData) *docsWriter { return &docsWriter{data: d} }

// writeAll returns the whole text.
func (w *docsWriter) writeAll() []byte {
	doc := w.data.Document
	fmt.Fprintf(w, "# %s\n\n", plainLine(w.data.title()))
	if about := textAt(doc, "info", "description"); about != "" {
		fmt.Fprintf(w, "> %s\n\n", plainLine(about))
	}
	fmt.Fprintf(w, "Version %s. In the commands, URL is the address of this page without the slash at its end, such as https://example.com.\n", plainLine(textAt(doc, "info", "version")))
	for _, tag := range itemsOf(memberAt(doc, "tags")) {
		fmt.Fprintf(w, "\n## %s\n", plainLine(textAt(tag, "name")))
		w.writeTag(textAt(tag, "name"))
	}
	w.WriteString("\n## Types\n")
	if schemas := memberAt(doc, "components", "schemas"); schemas != nil {
		eachMember(schemas, func(name, schema []byte) {
			fmt.Fprintf(w, "\n### %s\n\n", plainLine(string(name)))
			w.writeDescription(schema)
			if members := memberAt(schema, "properties"); isJSONObject(members) && len(members) > len("{}") {
				w.writeProperties("", "", schema)
			} else {
				fmt.Fprintf(w, "%s\n", w.describeType(schema))
			}
		})
	}
	w.WriteString("\n## Errors\n\nA method may answer with another HTTP status.\n\n| code | usual HTTP status | JSON-RPC |\n|---|---|---|\n")
	for _, c := range w.data.Codes {
		fmt.Fprintf(w, "| %v | %v | %v |\n", c[0], c[1], c[2])
	}
	return w.Bytes()
}

// writeTag writes the operations whose first tag is tag.
func (w *docsWriter) writeTag(tag string) {
	eachMember(memberAt(w.data.Document, "paths"), func(path, item []byte) {
		eachMember(item, func(verb, operation []byte) {
			if tags := itemsOf(memberAt(operation, "tags")); len(tags) > 0 && string(textOf(tags[0])) == tag {
				w.writeOperation(strings.ToUpper(string(verb)), string(path), operation)
			}
		})
	})
}

// writeOperation writes one method.
func (w *docsWriter) writeOperation(verb, path string, operation []byte) {
	fmt.Fprintf(w, "\n### %s %s\n\n", verb, plainLine(path))
	w.writeDescription(operation)
	if string(memberAt(operation, "deprecated")) == "true" {
		w.WriteString("Deprecated.\n\n")
	}
	call := w.data.Calls[textAt(operation, "operationId")]
	if call.RPC != "" {
		fmt.Fprintf(w, "- JSON-RPC method: `%s`\n", call.RPC)
	}
	if call.MCP != "" {
		// The options of the MCP handler decide; they are not known here.
		fmt.Fprintf(w, "- MCP tool: `%s` (unless the server hides it or makes it a prompt)\n", call.MCP)
	}
	if scopes := w.listSecurity(operation); len(scopes) > 0 {
		fmt.Fprintf(w, "- needs credentials: %s\n", plainLine(strings.Join(scopes, ", or ")))
	}
	for _, p := range itemsOf(memberAt(operation, "parameters")) {
		w.writeField("", textAt(p, "name"), textAt(p, "in"), string(memberAt(p, "required")) == "true", textAt(p, "description"), memberAt(p, "schema"))
	}
	if _, schema := contentOf(memberAt(operation, "requestBody")); schema != nil {
		w.writeProperties("", "body", w.resolve(schema))
	}
	eachMember(memberAt(operation, "responses"), func(status, response []byte) { w.writeResponse(string(status), w.resolve(response)) })
	fmt.Fprintf(w, "\n```sh\n%s\n```\n", w.curl(verb, path, operation))
}

// listSecurity returns the ways to identify oneself to an operation.
func (w *docsWriter) listSecurity(operation []byte) (ways []string) {
	list := memberAt(operation, "security")
	if list == nil {
		list = memberAt(w.data.Document, "security")
	}
	for _, requirement := range itemsOf(list) {
		eachMember(requirement, func(scheme, scopes []byte) {
			way := string(scheme)
			for _, scope := range itemsOf(scopes) {
				way += " " + string(textOf(scope))
			}
			ways = append(ways, way)
		})
	}
	return ways
}

// writeResponse writes an answer and its headers. A description that only repeats
// the name of the type, which that of errors does, gives way to the phrase of the
// status.
func (w *docsWriter) writeResponse(status string, response []byte) {
	description := plainLine(textAt(response, "description"))
	mediaType, schema := contentOf(response)
	if schema != nil {
		name := w.describeType(schema)
		if description == name {
			number, _ := strconv.Atoi(status) // "default" has no phrase
			description = cmp.Or(http.StatusText(number), "any other status")
		}
		description += ", " + name + " as " + mediaType
	}
	fmt.Fprintf(w, "- answer %s: %s", status, description)
	w.WriteByte('\n')
	if headers := memberAt(response, "headers"); headers != nil {
		eachMember(headers, func(name, header []byte) {
			header = w.resolve(header)
			w.writeField("  ", string(name), "header", string(memberAt(header, "required")) == "true", textAt(header, "description"), memberAt(header, "schema"))
		})
	}
}

// contentOf returns the first media type of a request body or response, and its
// schema. That of one item of a stream comes first, which is itemSchema in
// OpenAPI 3.2.
func contentOf(o []byte) (mediaType string, schema []byte) {
	content := memberAt(o, "content")
	if content == nil {
		return "", nil
	}
	eachMember(content, func(name, media []byte) {
		if mediaType == "" {
			mediaType = string(name)
			if schema = memberAt(media, "itemSchema"); schema == nil {
				schema = memberAt(media, "schema")
			}
		}
	})
	return mediaType, schema
}

// writeDescription writes the description of an object as a paragraph.
func (w *docsWriter) writeDescription(o []byte) {
	if text := textAt(o, "description"); text != "" {
		fmt.Fprintf(w, "%s\n\n", plainLine(text))
	}
}

// writeProperties writes the members of an object.
func (w *docsWriter) writeProperties(indent, place string, schema []byte) {
	required := itemsOf(memberAt(schema, "required"))
	if properties := memberAt(schema, "properties"); properties != nil {
		eachMember(properties, func(name, property []byte) {
			isRequired := slices.ContainsFunc(required, func(r []byte) bool { return string(textOf(r)) == string(name) })
			w.writeField(indent, string(name), place, isRequired, textAt(property, "description"), property)
		})
	}
}

// writeField writes a parameter, a property or a header.
func (w *docsWriter) writeField(indent, name, place string, required bool, description string, schema []byte) {
	fmt.Fprintf(w, "%s- %s (", indent, codeSpan(name))
	if place != "" {
		fmt.Fprintf(w, "%s, ", place)
	}
	if required {
		w.WriteString("required, ")
	}
	if string(memberAt(schema, "deprecated")) == "true" {
		w.WriteString("deprecated, ")
	}
	fmt.Fprintf(w, "%s)", w.describeType(schema))
	if description != "" {
		fmt.Fprintf(w, ": %s", plainLine(description))
	}
	w.WriteByte('\n')
	if ref := memberAt(schema, "$ref"); ref == nil && memberAt(schema, "properties") != nil {
		w.writeProperties(indent+"  ", "", schema)
	}
}

// resolve returns what a Reference Object refers to, and any other value as it is.
func (w *docsWriter) resolve(o []byte) []byte {
	for range 40 { // a document has no circle of references; one would end here
		ref := textAt(o, "$ref")
		if ref == "" {
			break
		}
		names := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		for i, name := range names {
			names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		}
		o = memberAt(w.data.Document, names...)
	}
	return o
}

// docsPhrases says how Markdown names a constraint; % is its value.
var docsPhrases = [...]struct{ keyword, phrase string }{
	{"const", "always %"}, {"enum", "one of %"}, {"format", "format %"}, {"contentEncoding", "encoded as %"}, {"pattern", "matches %"},
	{"minLength", "length at least %"}, {"maxLength", "length at most %"},
	{"minimum", "at least %"}, {"exclusiveMinimum", "more than %"}, {"maximum", "at most %"}, {"exclusiveMaximum", "less than %"},
	{"multipleOf", "a multiple of %"}, {"minItems", "at least % items"}, {"maxItems", "at most % items"}, {"uniqueItems", "no item twice"},
	{"default", "default %"}, {"example", "for example %"}, {"examples", "for example %"},
}

// describeType returns the type of a schema in words, with its constraints.
func (w *docsWriter) describeType(schema []byte) string {
	if ref := textAt(schema, "$ref"); ref != "" {
		return plainLine(ref[strings.LastIndexByte(ref, '/')+1:])
	}
	var words []string
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		for _, s := range itemsOf(memberAt(schema, keyword)) {
			words = append(words, w.describeType(s))
		}
	}
	text := ""
	switch kind := textAt(schema, "type"); {
	case len(words) > 0:
		text = strings.Join(words, " or ")
	case kind == "array":
		text = "array of " + w.describeType(memberAt(schema, "items"))
	case kind == "object" && isJSONObject(memberAt(schema, "additionalProperties")):
		text = "map of " + w.describeType(memberAt(schema, "additionalProperties"))
	case kind != "":
		text = kind
	case len(itemsOf(memberAt(schema, "type"))) > 0:
		text = strings.ReplaceAll(strings.Trim(string(memberAt(schema, "type")), "[]"), ",", " or ")
	default:
		text = "any JSON"
	}
	for _, p := range docsPhrases {
		if value := memberAt(schema, p.keyword); value != nil {
			text += "; " + plainLine(strings.Replace(p.phrase, "%", string(value), 1))
		}
	}
	return text
}

// plainLine returns text as one line that begins no other element of Markdown.
func plainLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Map(func(r rune) rune {
		if isUnseen(r) {
			return '\ufffd'
		}
		return r
	}, text)
	return strings.NewReplacer("<", `\<`, "`", "\\`").Replace(text)
}

// isUnseen reports whether r is a control character, or one that changes the order
// in which the text around it is shown.
func isUnseen(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || r == 0x61c || 0x200b <= r && r <= 0x200f && r != 0x200c && r != 0x200d ||
		0x2028 <= r && r <= 0x202e || 0x2060 <= r && r <= 0x2069 || r == 0xfeff
}

// codeSpan returns text as code, on one line.
func codeSpan(text string) string { return "`" + strings.ReplaceAll(plainLine(text), "\\`", "'") + "`" }

// curl returns a command that calls an operation with an example of an input.
func (w *docsWriter) curl(verb, path string, operation []byte) string {
	command := "curl"
	if bytes.Contains(memberAt(operation, "responses"), []byte(`"`+contentTypeEvents+`"`)) {
		command += " -N" // shows events as they come
	}
	if verb != http.MethodGet {
		command += " -X " + verb
	}
	if len(w.listSecurity(operation)) > 0 {
		command += ` -H "Authorization: Bearer $TOKEN"`
	}
	var query []string
	for _, p := range itemsOf(memberAt(operation, "parameters")) {
		name, value := textAt(p, "name"), memberAt(p, "schema")
		if string(memberAt(p, "required")) != "true" {
			continue
		}
		text := w.exampleText(name, value)
		switch textAt(p, "in") {
		case inPath:
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
		case inQuery:
			query = append(query, url.QueryEscape(name)+"="+url.QueryEscape(text))
		case inHeader:
			command += " -H " + shellQuote(name+": "+text)
		case inCookie:
			command += " -b " + shellQuote(name+"="+text)
		}
	}
	if mediaType, schema := contentOf(memberAt(operation, "requestBody")); schema != nil {
		command += " -H 'Content-Type: " + mediaType + "' -d " + shellQuote(string(w.appendExample(nil, "", schema, 0)))
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	path = strings.TrimRight(docsBase(w.data.REST), "/") + path
	if strings.ContainsAny(path, "$`\"\\!") {
		return command + ` "$URL"` + shellQuote(path)
	}
	return command + ` "$URL` + path + `"`
}

// docsBase returns what stands between the address of the page and the paths of
// the document.
func docsBase(rest string) string {
	if rest = strings.TrimPrefix(rest, "."); rest == "" || strings.HasPrefix(rest, "/") {
		return rest
	}
	return "/" + rest
}

// shellQuote returns text as one word of a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// exampleText returns an example of a schema as it stands in a URL or a header.
func (w *docsWriter) exampleText(name string, schema []byte) string {
	value := w.appendExample(nil, name, schema, 0)
	if isText(value) {
		return string(textOf(value))
	}
	return string(value)
}

// appendExample appends a value that a schema accepts, with the required members
// of objects only. It knows texts for simple patterns: a field with another one
// should have an example.
func (w *docsWriter) appendExample(dst []byte, name string, schema []byte, depth int) []byte {
	schema = w.resolve(schema)
	for _, keyword := range []string{"example", "default", "const"} {
		if value := memberAt(schema, keyword); value != nil {
			return append(dst, value...)
		}
	}
	for _, keyword := range []string{"examples", "enum"} {
		if list := itemsOf(memberAt(schema, keyword)); len(list) > 0 {
			return append(dst, list[0]...)
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := itemsOf(memberAt(schema, keyword)); len(list) > 0 && depth < 4 {
			return w.appendExample(dst, name, list[0], depth+1)
		}
	}
	return w.appendTyped(dst, name, schema, depth)
}

// appendTyped appends an example for the type of a schema.
func (w *docsWriter) appendTyped(dst []byte, name string, schema []byte, depth int) []byte {
	switch kind := textAt(schema, "type"); kind {
	case "boolean":
		return append(dst, "true"...)
	case "integer", "number":
		return appendFloat(dst, exampleNumber(schema, kind == "integer"), 64)
	case "string":
		return appendQuoted(dst, exampleString(schema, name))
	case "array":
		dst = append(dst, '[')
		for i := range min(int(numberAt(schema, "minItems", 0)), 10) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = w.appendExample(dst, "", memberAt(schema, "items"), depth+1)
		}
		return append(dst, ']')
	case "object":
		m := openMembers(dst)
		for _, r := range itemsOf(memberAt(schema, "required")) {
			required := string(textOf(r))
			if property := memberAt(schema, "properties", required); property != nil && depth < 6 {
				m.addRaw(required, string(w.appendExample(nil, required, property, depth+1)))
			}
		}
		return m.close()
	}
	return append(dst, "null"...)
}

// numberAt returns a keyword of a schema that is a number, or otherwise.
func numberAt(schema []byte, keyword string, otherwise float64) float64 {
	if n, err := strconv.ParseFloat(string(memberAt(schema, keyword)), 64); err == nil {
		return n
	}
	return otherwise
}

// exampleNumber returns the number nearest to 1 that is a multiple and within the
// bounds of a schema.
func exampleNumber(schema []byte, integer bool) float64 {
	low, high := numberAt(schema, "minimum", math.Inf(-1)), numberAt(schema, "maximum", math.Inf(1))
	above, below := numberAt(schema, "exclusiveMinimum", math.Inf(-1)), numberAt(schema, "exclusiveMaximum", math.Inf(1))
	step := 1.0
	if !integer && min(high, below) <= 1 {
		step = 0.25
	}
	step = numberAt(schema, "multipleOf", step)
	n := step
	if n < low || n <= above {
		n = max(math.Ceil(low/step), math.Floor(above/step)+1) * step
	}
	if n > high || n >= below {
		n = min(math.Floor(high/step), math.Ceil(below/step)-1) * step
	}
	return n
}

// exampleTexts are strings that many patterns and formats accept.
var exampleTexts = [...]string{
	"text", "1", "a", "A", "a1", "abc", "ABC", "1s", "0.5", "a-b", "AB-1", "12", "1234", "12345", "2026-01-02", "#ffffff", "+15550100", "127.0.0.1",
}

// exampleString returns a string that a schema accepts, if it knows one.
func exampleString(schema []byte, name string) string {
	switch textAt(schema, "format") {
	case "date-time":
		return "2026-01-02T15:04:05Z"
	case "email":
		return "ada@example.com"
	case "uuid":
		return "123e4567-e89b-42d3-a456-426614174000"
	case "byte":
		return "aGVsbG8="
	}
	if textAt(schema, "contentEncoding") == "base64" {
		return "aGVsbG8="
	}
	if pattern, err := regexp.Compile(textAt(schema, "pattern")); err == nil && pattern.String() != "" {
		for _, text := range exampleTexts {
			if pattern.MatchString(text) {
				return text
			}
		}
	}
	text := "text"
	if strings.HasSuffix(strings.ToLower(name), "id") {
		text = "1"
	}
	low, high := int(numberAt(schema, "minLength", 0)), int(numberAt(schema, "maxLength", 1000))
	return text[:min(len(text), high)] + strings.Repeat("x", max(0, min(low, 1000)-len(text)))
}
