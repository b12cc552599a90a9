package svc

// This file writes the reference of a service as Markdown, for readers that do not run scripts: its
// methods, each with a curl command, and its types, as the client in TypeScript declares them.

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// contentOf returns the media types of a request body or response, and the schema of the last one.
// Except for a ValueOrStream, all have the same schema.
func contentOf(o []byte) (types []string, schema []byte) {
	for name, media := range eachMember(memberAt(o, "content")) {
		types, schema = append(types, string(name)), memberAt(media, "schema")
	}
	return types, schema
}

// isFileSchema reports whether a schema describes a Body or a File.
func isFileSchema(schema []byte) bool { return textAt(schema, "format") == "binary" }

// renderMarkdown returns the Markdown.
//
//	In the document           In the Markdown
//	------------------------  --------------------------------------------------
//	info                      the heading and the quote below it
//	a tag                     a section
//	an operation              a section below its tag, with a command
//	parameters, the body      an item: the type of the input, and the place of each member
//	a response                an item: its type, its headers below it
//	a component               a declaration in TypeScript below Types
func (w *docsWriter) renderMarkdown() []byte {
	fmt.Fprintf(w, "# %s\n\n", plainLine(w.service.opts.Name))
	if about := w.service.about.text; about != "" {
		fmt.Fprintf(w, "> %s\n\n", plainLine(about))
	}
	fmt.Fprintf(w, "Version %s. In the commands, URL is %s.\n", plainLine(w.service.opts.Version), w.describeURL())
	const input = "the input of a method is one object with all its fields"
	for _, served := range [...][3]string{
		{"OpenAPI", w.places.OpenAPI, "add `?openapi=3.1` for code generators"},
		{"JSON-RPC", w.places.RPC, input + ", and `rpc.discover` returns OpenRPC"},
		{"MCP", w.places.MCP, input},
		{"A client in TypeScript", w.places.Client,
			"calls begin with `import { connect } from \"./client.ts\"` and `const api = connect({ url: URL })`"},
	} {
		if served[1] != "" {
			fmt.Fprintf(w, "%s is served at %s, relative to this page; %s.\n", served[0], codeSpan(served[1]), served[2])
		}
	}
	client := newClientWriter(w.service, true)
	byResource := make(map[string][]*docsOperation)
	for i := range w.operations {
		o := &w.operations[i]
		byResource[o.method.resource] = append(byResource[o.method.resource], o)
	}
	for _, name := range w.tags {
		fmt.Fprintf(w, "\n## %s\n", plainLine(name))
		for _, o := range byResource[name] {
			i := slices.IndexFunc(client.calls, func(c clientCallText) bool { return c.method == o.method })
			w.writeOperation(*o, &client.calls[i])
		}
	}
	w.writeWebhooks()
	w.writeTypes(client)
	w.WriteString("\n## Errors\n\nEvery error has one of these codes, and some have a reason. Over JSON-RPC both stand in the data of the " +
		"error; over MCP an error is a result with isError, whose text begins with the code. " +
		"A method may answer with another HTTP status.\n\n| code | usual HTTP status | JSON-RPC |\n|---|---|---|\n")
	for _, c := range codes {
		fmt.Fprintf(w, "| %v | %v | %v |\n", c.code, c.http, c.rpc)
	}
	if reasons := w.listReasons(); reasons != nil {
		w.WriteString("\nThe reasons tell errors of one code apart.\n\n| reason | code | message |\n|---|---|---|\n")
		for _, r := range reasons {
			fmt.Fprintf(w, "| %v | %v | %v |\n", r[0], r[1], plainLine(strings.ReplaceAll(r[2], "|", "&#124;")))
		}
	}
	return w.Bytes()
}

// writeWebhooks writes the events that the service sends, each with the schema of its body.
func (w *docsWriter) writeWebhooks() {
	if len(w.service.webhooks) == 0 {
		return
	}
	w.WriteString("\n## Webhooks\n\nEvents that this service sends, each as a POST of JSON to the URL of a subscriber, signed by Standard Webhooks 1.0.0. " +
		"An event can arrive more than once, with the same webhook-id.\n")
	schemas := schemaWriter{sent: sentTypes(w.service.methods)}
	for _, m := range w.service.webhooks {
		fmt.Fprintf(w, "\n### %s\n\n", plainLine(m.eventName()))
		w.writeMethodDescription(m)
		fmt.Fprintf(w, "The JSON Schema of the body:\n\n```json\n%s\n```\n", visibleText(string(schemas.appendSchema(nil, m.out, w.service.typeNames))))
	}
}

// describeURL says what $URL stands for in the commands: the address of the page, or the
// server of the document if the page does not call the routes.
func (w *docsWriter) describeURL() string {
	place, server := "this page", w.serverURL()
	switch {
	case w.places.REST == "" && server != "/":
		return plainLine(server)
	case w.places.REST == "" || w.places.REST[0] == '/':
		place = "the host of this page"
	}
	return "the address of " + place + " without the slash at its end, such as https://example.com"
}

func (w *docsWriter) writeOperation(o docsOperation, c *clientCallText) {
	m := o.method
	fmt.Fprintf(w, "\n### %s %s\n\n", m.verb, plainLine(o.path))
	w.writeMethodDescription(m)
	if o.rpc != "" {
		fmt.Fprintf(w, "- JSON-RPC method: `%s`\n", o.rpc)
	}
	for _, form := range [...][2]string{{"tool", o.mcp}, {"prompt", o.prompt}, {"resource", o.resource}} {
		if form[1] != "" { // MCPOptions.Show can hide it
			fmt.Fprintf(w, "- MCP %s: %s\n", form[0], codeSpan(form[1]))
		}
	}
	w.writeCallers(&o)
	w.writeInput(&o, c)
	for status, response := range eachMember(memberAt(o.text, "responses")) {
		w.writeResponse(c, string(status), w.resolve(response))
	}
	fmt.Fprintf(w, "\n```sh\n%s\n```\n", w.curlCommand(o))
	if w.places.Client != "" {
		fmt.Fprintf(w, "\n- in TypeScript: %s\n- in Go: %s\n", codeSpan(o.typeScriptCall()), codeSpan(o.goCall()))
	}
}

// writeCallers writes which credentials a call of o needs.
func (w *docsWriter) writeCallers(o *docsOperation) {
	m := o.method
	if len(m.schemes) == 0 {
		if memberAt(o.text, "security") != nil { // an empty list, since other methods have schemes
			w.WriteString("- public: needs no credentials\n")
		}
		return
	}
	start := "- needs credentials: "
	if m.public {
		start = "- public: needs no credentials, and takes "
	}
	for i, s := range m.schemesIn(w.schemes) {
		w.WriteString([]string{start, " or "}[min(i, 1)] + s.Name + s.Place)
	}
	if len(m.scopes) > 0 {
		w.WriteString(", with the scopes " + plainLine(strings.Join(m.scopes, " ")))
	}
	w.WriteByte('\n')
}

// writeInput writes the type of the input, where its members are in a request over REST, and the
// headers that REST itself reads.
func (w *docsWriter) writeInput(o *docsOperation, c *clientCallText) {
	if c.in != nil {
		fmt.Fprintf(w, "- input: `%s`%s\n", c.in.name, o.describePlaces())
	}
	request := memberAt(o.text, "requestBody")
	types, body := contentOf(request)
	what := ""
	switch {
	case o.method.form:
		what = "form"
	case isFileSchema(body):
		what = "file"
	}
	if what != "" {
		fmt.Fprintf(w, "- body: a %s as `%s`. %s\n", what, strings.Join(types, "` or `"), plainLine(textAt(request, "description")))
	}
	for _, p := range o.method.ownParameters() {
		w.writeHeader("", textAt(p, "name"), isTrueAt(p, "required"), "", textAt(p, "description"))
	}
}

// writeResponse writes a response and its headers. An error without a description gets the phrase
// of its status.
func (w *docsWriter) writeResponse(c *clientCallText, status string, response []byte) {
	about := strings.TrimSuffix(plainLine(textAt(response, "description")), ".")
	types, schema := contentOf(response)
	if types != nil && about == "Error" {
		number, _ := strconv.Atoi(status) // "default" has no phrase
		about = cmp.Or(http.StatusText(number), "any other status")
	}
	switch {
	case types == nil:
	case isFileSchema(schema):
		about += ", a file as " + strings.Join(types, " or ")
	case c.item != nil && types[len(types)-1] == contentTypeEvents:
		if len(types) > 1 {
			about += ", " + c.answerType(status, schema) + " as " + types[0]
		}
		about += ", " + codeSpan(strings.Join(strings.Fields(string(c.item)), " ")) + " as " + contentTypeEvents
	default:
		about += ", " + c.answerType(status, schema) + " as " + strings.Join(types, " or ")
	}
	fmt.Fprintf(w, "- answer %s: %s\n", status, about)
	for name, header := range eachMember(memberAt(response, "headers")) {
		member, about := "", textAt(header, "description")
		if c.out != nil && status[0] == '2' {
			member = c.out.headerMember(string(name))
		}
		if member != "" { // the type of a member has the description
			about = ""
		}
		w.writeHeader("  ", string(name), isTrueAt(header, "required"), member, about)
	}
}

// writeHeader writes a header, and the member of the type that it is, if it is one.
func (w *docsWriter) writeHeader(indent, name string, required bool, member, about string) {
	fmt.Fprintf(w, "%s- header %s", indent, codeSpan(name))
	if member != "" {
		fmt.Fprintf(w, ", which is %s", codeSpan(member))
	}
	if required {
		w.WriteString(" (required)")
	}
	if about != "" {
		fmt.Fprintf(w, ": %s", plainLine(about))
	}
	w.WriteByte('\n')
}

// answerType returns the type of the JSON or the events of a response, as code.
func (c *clientCallText) answerType(status string, schema []byte) string {
	_, component, _ := strings.Cut(textAt(schema, "$ref"), componentPrefix)
	switch {
	case status[0] == '2' && c.out != nil:
		return codeSpan(c.out.name)
	case status[0] == '2':
		return codeSpan(strings.Join(strings.Fields(string(c.body)), " "))
	case c.errorForm != nil && (component == "" || len(c.errorForm.forms()) == 1):
		return codeSpan(c.form)
	}
	return codeSpan(cmp.Or(component, "unknown"))
}

// writeTypes writes the declarations of all types.
func (w *docsWriter) writeTypes(client *clientWriter) {
	if len(client.list) == 0 && len(w.schemas) == 0 {
		return
	}
	w.WriteString("\n## Types\n\n`int8` to `uint64` are integers that take that many bits, `File` is the content of a file. " +
		"A comment behind a type is its JSON Schema.\n\n```ts\n")
	w.Write(client.appendTypes(nil))
	w.Write(w.errorTypes().appendTypes(nil))
	w.Truncate(w.Len() - 1)
	w.WriteString("```\n")
}

// errorTypes returns the types of the error bodies that the document has.
func (w *docsWriter) errorTypes() *clientTypes {
	t := newClientTypes(&service{typeNames: w.names}, nil, true)
	t.open = w.writer.open
	for _, typ := range []reflect.Type{reflect.TypeFor[errorBody](), reflect.TypeFor[problem]()} {
		if s := w.bodies[typ]; s != nil && w.schemas[w.names[s]] != nil {
			t.refer(s)
		}
	}
	return t
}

// describePlaces returns where the members of the input are in a REST request, such as ": id in the
// path; limit, cursor in the query", and the names of members that JSON-RPC and MCP name
// differently.
func (o *docsOperation) describePlaces() string {
	members := o.members(true)
	var groups []string
	for w := range wheres[:whereBody] {
		in := where(w).String()
		var names []string
		for _, e := range members {
			if e.in != in {
				continue
			}
			text := codeSpan(e.name)
			if name := strings.TrimPrefix(e.parameter, in+" "); name != "" && name != e.name {
				text += " as " + codeSpan(name)
			}
			switch other, differs := o.names[e.parameter]; {
			case !differs || o.rpc == "" && o.mcp == "":
			case textAt(other, "name") == "":
				text += " (of REST only)"
			case isTrueAt(other, "quoted"):
				text += " (over JSON-RPC and MCP " + codeSpan(textAt(other, "name")) + " as a string)"
			default:
				text += " (over JSON-RPC and MCP " + codeSpan(textAt(other, "name")) + ")"
			}
			names = append(names, text)
		}
		if names != nil {
			groups = append(groups, strings.Join(names, ", ")+" in the "+in)
		}
	}
	for _, e := range members {
		if e.style == styleWhole {
			groups = append(groups, codeSpan(e.name)+" as the whole body")
		}
	}
	if groups == nil {
		return ""
	}
	return ": " + strings.Join(groups, "; ")
}

// writeMethodDescription writes the description of a method: a comment as the Markdown that it is,
// and other texts as a paragraph.
func (w *docsWriter) writeMethodDescription(m *method) {
	about := m.describe()
	if m.described || m.place == 0 {
		about.markdown = plainLine(about.text)
	}
	for line := range strings.Lines(about.markdown) {
		w.WriteString(visibleText(strings.TrimSuffix(line, "\n")) + "\n")
	}
	if about.text != "" {
		w.WriteString("\n")
	}
}

// plainLine returns text as one line of Markdown, in which <, ` and links are escaped, and a
// mark such as # or - at the beginning.
func plainLine(text string) string {
	text = visibleText(strings.Join(strings.Fields(text), " "))
	if strings.ContainsAny(text, "<`]") { // as few do
		text = strings.NewReplacer("<", `\<`, "`", "\\`", "](", `]\(`).Replace(text)
	}
	if strings.IndexAny(text, "#>-+*_=~|[") == 0 {
		return `\` + text
	}
	return text
}

// codeSpan returns text as code. Code spans cannot contain escapes, so it puts more backticks
// around text than text has in a row (CommonMark 0.31, section 6.1):
//
//	a`b  =>  `` a`b ``
func codeSpan(text string) string {
	text, fence := visibleText(text), "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " " // Markdown removes these spaces
	}
	return fence + text + fence
}

// curlCommand returns a curl command that calls an operation with its example. It writes secrets as
// shell variables, to keep them out of the shell's history. It leaves out parameters without an
// example, which are optional.
func (w *docsWriter) curlCommand(o docsOperation) string {
	path, command := o.path, "curl"
	if o.method.stream != "" {
		command += " -N" // prints events when they arrive
	}
	if o.method.verb != http.MethodGet {
		command += " -X " + o.method.verb
	}
	if o.method.needsCaller() {
		command += " " + o.method.schemesIn(w.schemes)[0].Curl
	}
	query := make(url.Values)
	for _, p := range itemsOf(memberAt(o.text, "parameters")) {
		name, in := textAt(p, "name"), textAt(p, "in")
		example := o.examples[in+" "+name]
		if example == nil {
			continue
		}
		text := textOr(string(example))
		switch in {
		case inPath:
			escape := url.PathEscape
			if name == o.tail() {
				escape = escapeTail
			}
			path = strings.ReplaceAll(path, "{"+name+"}", escape(text))
		case inQuery:
			for _, item := range itemsOf(example) {
				query.Add(name, textOr(string(item)))
			}
			if !query.Has(name) {
				query.Add(name, text)
			}
		case inHeader:
			command += " -H " + shellQuote(name+": "+text)
		case inCookie:
			command += " -b " + shellQuote(name+"="+text)
		}
	}
	if o.method.form {
		command += w.formArguments(o)
	} else if o.method.takesBody() {
		command += " -T FILE" // sends the file unchanged
		types, _ := contentOf(memberAt(o.text, "requestBody"))
		command += " -H 'Content-Type: " + types[0] + "'"
	}
	if o.method.sendsFile() {
		command += " -OJ" // saves the file under its name
	}
	if body := o.examples["body"]; body != nil && !o.method.form {
		command += " -H 'Content-Type: " + contentTypeJSON + "' -d " + shellQuote(string(body))
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if base := strings.TrimPrefix(strings.Trim(w.places.REST, "/"), "./"); base != "" && base != "." {
		path = "/" + base + path
	}
	if strings.ContainsAny(path, "$`\"\\!") { // they mean something in double quotes
		return command + ` "$URL"` + shellQuote(path)
	}
	return command + ` "$URL` + path + `"`
}

// formArguments returns the arguments of curl that send the form of an operation with its example.
func (w *docsWriter) formArguments(o docsOperation) (arguments string) {
	f, option := o.method.in.file, " --data-urlencode "
	if f != nil {
		option = " --form-string " // unlike -F, it treats no character specially
	}
	for name, value := range eachMember(o.examples["body"]) {
		items := itemsOf(value)
		if items == nil {
			items = [][]byte{value}
		}
		for _, item := range items {
			arguments += option + shellQuote(string(name)+"="+textOr(string(item)))
		}
	}
	switch {
	case f != nil && f.isRequired() && f.tags.types != nil:
		return arguments + " -F " + shellQuote(f.name+"=@FILE;type="+f.tags.types[0])
	case f != nil && (f.isRequired() || arguments == ""):
		return arguments + " -F " + shellQuote(f.name+"=@FILE")
	case arguments == "": // an empty form, but with its Content-Type
		return " -d ''"
	}
	return arguments
}

// shellQuote returns text as one word of a shell, with escapes for invisible characters. In
// single quotes every character but the quote stands for itself (POSIX, Shell Command
// Language, section 2.2.2):
//
//	it's  =>  'it'\''s'
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(visibleText(text), "'", `'\''`) + "'"
}
