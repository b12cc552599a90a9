package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// This file is about the parameters of an operation: it makes values for them, puts
// them on the wire, and reads them as the document has them read. A reader of the
// document sees of a parameter
//
//	page=7            an integer    7, as JSON spells it without an exponent or a fraction
//	share=1.5e1       a number      15, as JSON spells it
//	on=true           a boolean     true
//	tag=a&tag=b       an array      ["a","b"], in a query (style form, exploded)
//	a b, %20          a string      that text: headers and cookies have no escapes
//	"a1"              a string      a1 in a cookie (RFC 6265, section 4.1.1)
//	anything else     a string      which its type then refuses
//	two of a scalar   an error

// A param is a parameter of an operation, by both documents.
type param struct {
	in, name string
	required bool
	object   map[string]any // its schema in the 3.1 document, for the generator
	schema   [2]*jsonschema.Schema
	kind     [2]string // the type of its value, or of the items of its list
	list     bool
	file     bool // of a form: bytes of any kind
}

// compileParams sets the parameters of o by document i.
func (o *operation) compileParams(i int, c *jsonschema.Compiler, document map[string]any, at string, op map[string]any) {
	list, _ := op["parameters"].([]any)
	for n, x := range list {
		x := x.(map[string]any)
		if i == 0 {
			o.params = append(o.params, &param{in: x["in"].(string), name: x["name"].(string), required: x["required"] == true})
		}
		o.params[n].compile(i, c, document, fmt.Sprintf("%s/parameters/%d/schema", at, n), dig(x, "schema"))
	}
}

// compile sets the schema of p, which is at a place of document i.
func (p *param) compile(i int, c *jsonschema.Compiler, document map[string]any, at string, schema map[string]any) {
	p.object = schema
	p.schema[i] = c.MustCompile(at)
	p.kind[i] = typeOf(document, schema)
	if p.list = p.kind[i] == "array"; p.list {
		p.kind[i] = typeOf(document, plain(document, schema)["items"].(map[string]any))
	}
}

// plain returns a schema without what is around it: a reference, or the choice
// between it and null.
func plain(document, schema map[string]any) map[string]any {
	if ref, ok := schema["$ref"].(string); ok {
		return plain(document, dig(document, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
	}
	for _, keyword := range []string{"allOf", "anyOf"} {
		branches, _ := schema[keyword].([]any)
		for _, b := range branches {
			if b := plain(document, b.(map[string]any)); b["type"] != "null" && b["enum"] == nil {
				return b
			}
		}
	}
	return schema
}

// typeOf returns the type that a schema asks for.
func typeOf(document, schema map[string]any) string {
	switch t := plain(document, schema)["type"].(type) {
	case string:
		return t
	case []any:
		return t[0].(string) // with null, which modernize put behind it
	}
	return ""
}

var (
	integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	numberText  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

// read returns the value that a text stands for.
func (p *param) read(dialect int, text string) any {
	switch kind := p.kind[dialect]; {
	case kind == "integer" && integerText.MatchString(text), kind == "number" && numberText.MatchString(text):
		return json.Number(text)
	case kind == "boolean" && (text == "true" || text == "false"):
		return text == "true"
	case kind == "boolean" && text == "on" && p.in == inForm: // of a checkbox without a value
		return true
	}
	return text
}

// readAll returns the value that the texts of a parameter stand for. It reports false
// for texts that are none: two for a scalar, or no UTF-8.
func (p *param) readAll(dialect int, texts []string) (value any, ok bool) {
	if !p.list && len(texts) > 1 || slices.ContainsFunc(texts, func(t string) bool { return !utf8.ValidString(t) }) {
		return nil, false
	}
	if !p.list {
		return p.read(dialect, texts[0]), true
	}
	list := []any{}
	for _, text := range texts {
		list = append(list, p.read(dialect, text))
	}
	return list, true
}

// A sent is a parameter as it was sent. No texts mean that it was not.
type sent struct {
	*param
	texts []string
}

// params returns values for the parameters of o.
func (g *generator) params(o *operation) []sent {
	g.document = o.document
	g.wrongs = [...]float64{0, 0, 0.01, 0.04, 0.15}[g.IntN(5)]
	var list []sent
	for _, p := range o.params {
		s := sent{param: p}
		leave := g.Float64() < g.wrongs/4
		if p.in == "path" || p.required && !leave || !p.required && g.IntN(2) == 0 {
			s.texts = g.paramTexts(p)
		}
		list = append(list, s)
	}
	return list
}

// paramTexts returns one text for a parameter or, for a list and now and then, some.
func (g *generator) paramTexts(p *param) []string {
	n := 1
	if p.list {
		n += g.IntN(3)
	} else if p.in != "path" && !p.file && g.Float64() < g.wrongs/4 {
		n = 2
	}
	var list []string
	for range n {
		text := g.paramText(p)
		for !isCarried(p.in, text) {
			text = g.pick("x", "a1", "7", "1.5", "::1", "1s", "top")
		}
		list = append(list, text)
	}
	return list
}

// paramText returns one text, right or wrong, that perhaps nothing can carry.
func (g *generator) paramText(p *param) string {
	if g.Float64() < g.wrongs {
		return g.wrongText()
	}
	if p.name == "If-None-Match" && g.IntN(4) == 0 {
		return "*"
	}
	schema := plain(g.document, p.object)
	if p.list {
		schema = plain(g.document, schema["items"].(map[string]any))
	}
	value := g.value(schema, "", 0)
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		text = value
		if r, ok := parse(value).(json.Number); ok && p.kind[1] == "integer" && g.IntN(8) > 0 {
			text = plainInteger(string(r)) // 1e2 is one in JSON and not here
		}
	}
	if p.in == "cookie" && g.IntN(10) == 0 {
		text = `"` + text + `"`
	}
	return text
}

// wrongText returns a text that means something to someone, or that is too long.
func (g *generator) wrongText() string {
	switch g.IntN(8) {
	case 0:
		return strings.Repeat(g.pick("a", "7", "é", "%41", "1.5"), 1+g.IntN(6000))
	case 1:
		return url.QueryEscape(g.pick(texts...)) // which only a query and a path undo
	case 2:
		return g.pick("\xff", "a\xc3", "\xe9t\xe9", "\xed\xa0\x80") // no UTF-8, which HTTP carries
	case 3:
		return g.pick(`"a1`, `a1"`, `""`, `"`, `"a"b"`, "a,b", "a, b", "a=b", "a b", "a\tb", "*", "W/\"1\"")
	}
	return g.pick(texts...)
}

// isCarried reports whether a request can carry a text there, as it is.
func isCarried(in, text string) bool {
	switch in {
	case "path":
		return text != "" && text != "." && text != ".." && utf8.ValidString(text)
	case "query", inForm:
		return true
	case "cookie":
		if strings.Contains(text, ";") {
			return false
		}
	}
	return text == strings.Trim(text, " \t") && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// received returns the text that the other side reads.
func (p *param) received(text string) string {
	if n := len(text); p.in == "cookie" && n > 1 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1]
	}
	return text
}

// request returns the request with these parameters and this body, read from the wire
// as net/http reads it.
func (g *generator) request(o *operation, params []sent, body, contentType string) *http.Request {
	path, query := o.path, url.Values{}
	var headers, cookies []string
	for _, s := range params {
		for _, text := range s.texts {
			switch s.in {
			case "path":
				path = strings.ReplaceAll(path, "{"+s.name+"}", url.PathEscape(text))
			case "query":
				query.Add(s.name, text)
			case "header":
				headers = append(headers, g.inAnyCase(s.name)+":"+g.pick(" ", "", "\t")+text)
			case "cookie":
				cookies = append(cookies, s.name+"="+text)
			}
		}
	}
	if len(cookies) > 0 { // in one line or two (RFC 9113, section 8.2.3)
		n := g.IntN(len(cookies)) * g.IntN(2)
		for _, line := range [][]string{cookies[:n], cookies[n:]} {
			headers = append(headers, "Cookie: "+strings.Join(line, g.pick("; ", ";")))
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if contentType != "" {
		headers = append(headers, "Content-Type: "+contentType)
	}
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: test\r\nContent-Length: %d\r\n", o.method, path, len(body))
	for _, line := range headers {
		text += line + "\r\n"
	}
	text += "\r\n" + body
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		panic(fmt.Sprintf("%v: %q", err, text))
	}
	return r
}

// inAnyCase returns the name of a header, now and then in lower case.
func (g *generator) inAnyCase(name string) string {
	if g.IntN(4) == 0 {
		return strings.ToLower(name)
	}
	return name
}

// violations returns those of all that are about p.
func (p *param) violations(all []violation) (list []violation) {
	for _, v := range all {
		if (v.In == p.in || p.in == inForm && v.In == "body") && v.tokens()[0] == p.name {
			list = append(list, v)
		}
	}
	return list
}

// compareParam compares what the document says of a parameter with what the server
// says of it. It returns the rows of the differences, and
// false for one in no row.
func (s sent) compareParam(dialect int, violations []violation) (rows []int, ok bool) {
	var value any
	var err error
	if len(s.texts) == 0 { // in a form, a file can come before what is required
		return nil, s.required == (len(violations) == 1 && (violations[0].Rule == "required" || s.in == inForm && violations[0].Rule == "order"))
	}
	if s.file {
		return nil, len(violations) == 0
	}
	if s.in == inForm && !s.required && len(violations) == 0 && s.isTaken(dialect) {
		return nil, true
	}
	var texts []string
	for _, text := range s.texts {
		texts = append(texts, s.received(text))
	}
	if value, ok = s.readAll(dialect, texts); !ok {
		if len(violations) == 0 {
			return explain(finding{dialect: dialect, in: s.in, path: []string{s.name}})
		}
		return nil, true
	}
	if err = s.schema[dialect].Validate(value); (err == nil) == (len(violations) == 0) {
		return nil, true
	}
	if err != nil {
		return explainError(finding{dialect: dialect, in: s.in, path: []string{s.name}}, value, err)
	}
	for _, v := range violations {
		path := v.tokens()
		more, ok := explain(finding{dialect: dialect, in: s.in, path: path, value: at(value, path[1:]), rule: v.Rule})
		if !ok {
			return nil, false
		}
		rows = append(rows, more...)
	}
	return rows, true
}

// plainInteger returns an integer without an exponent or a fraction, and any other
// number as it is.
func plainInteger(text string) string {
	if r, _ := new(big.Rat).SetString(text); r.IsInt() {
		return r.Num().String()
	}
	return text
}

// withScope gives every caller the scope that the kitchen sink's second service wants.
func withScope(next http.Handler) http.Handler {
	caller := &svc.Principal{Subject: "ada", Scopes: []string{kitchen.Scope}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), caller)))
	})
}
