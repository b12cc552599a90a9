package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/svc"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// This file turns documents into validators.

// dialects are the two documents of a service.
var dialects = [2]struct{ version, query string }{{"3.0.3", "?openapi=3.0"}, {"3.1", "?openapi=3.1"}}

// An operation is an operation by both documents.
type operation struct {
	method, path string                // the path with its placeholders
	document     map[string]any        // the 3.1 document, for the generator
	params       []*param              // and the fields of a form
	form         string                // the media type of the form that it takes, or ""
	schema       map[string]any        // of the body in the 3.1 document, or nil
	body         [2]*jsonschema.Schema // or nil
	status       int                   // of success
	event        *jsonschema.Schema    // of the events of its stream by the 3.2 document, or nil
	answer       [2]*jsonschema.Schema // of success, or nil
	item         [2]*jsonschema.Schema // of the items of a stream, or nil
	headers      [2]map[string]header  // of success
	failure      [2]*jsonschema.Schema // of the default response
	unchanged    [2]bool               // 304 is documented, without a body
}

// load returns the operations of s.
func load(s *svc.Service) []*operation {
	var compilers [2]*jsonschema.Compiler
	var documents [2]map[string]any
	for i, d := range dialects {
		documents[i] = documentOf(s, d.query)
		if i == 0 {
			modernize(documents[i])
		}
		c := newCompiler()
		if err := c.AddResource("doc.json", documents[i]); err != nil {
			panic(err)
		}
		compilers[i] = c
	}
	events := loadEvents(s)
	var operations []*operation
	paths := documents[1]["paths"].(map[string]any)
	for _, path := range sortedKeys(paths) {
		item := paths[path].(map[string]any)
		for _, method := range sortedKeys(item) {
			op := item[method].(map[string]any)
			at := "doc.json#/paths/" + escape(path) + "/" + method
			o := &operation{method: strings.ToUpper(method), path: path, document: documents[1]}
			o.schema = dig(op, "requestBody", "content", "application/json", "schema")
			for i, c := range compilers {
				if o.schema != nil {
					o.body[i] = c.MustCompile(at + "/requestBody/content/application~1json/schema")
				}
				o.compileParams(i, c, documents[i], at, dig(documents[i], "paths", path, method))
				o.compileForm(i, c, documents[i], dig(documents[i], "paths", path, method))
				o.compileSuccess(i, c, documents[i], path, method)
				o.failure[i] = compileFailure(c, documents[i], op)
			}
			if dig(op, "responses", "200", "content", eventStream) != nil {
				o.event = events.MustCompile(at + "/responses/200/content/" + escape(eventStream) + "/itemSchema")
			}
			operations = append(operations, o)
		}
	}
	return operations
}

// documentOf returns a document of s.
func documentOf(s *svc.Service, query string) map[string]any {
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/"+query, nil))
	return parse(w.Body.String()).(map[string]any)
}

// A header is a header of a response, by a document.
type header struct {
	schema   *jsonschema.Schema
	text     bool // the value is a string and not JSON
	required bool
}

// compileSuccess sets what the document says of a success: its status, its body and
// its headers.
func (o *operation) compileSuccess(i int, c *jsonschema.Compiler, document map[string]any, path, method string) {
	at := "doc.json#/paths/" + escape(path) + "/" + method + "/responses/"
	o.headers[i] = make(map[string]header)
	for status, response := range dig(document, "paths", path, method, "responses") {
		if status == "304" {
			o.unchanged[i] = response.(map[string]any)["content"] == nil
		}
		if status[0] != '2' {
			continue
		}
		o.status, _ = strconv.Atoi(status)
		r := response.(map[string]any)
		if r["content"] != nil {
			types := sortedKeys(dig(r, "content")) // JSON comes before events
			o.answer[i] = c.MustCompile(at + status + "/content/" + escape(types[0]) + "/schema")
			if types[len(types)-1] == eventStream {
				o.item[i] = c.MustCompile(at + status + "/content/" + escape(eventStream) + "/schema")
			}
		}
		for name := range dig(r, "headers") {
			h := dig(r, "headers", name)
			schema := c.MustCompile(at + status + "/headers/" + name + "/schema")
			o.headers[i][name] = header{schema, typeOf(document, dig(h, "schema")) == "string", h["required"] == true}
		}
	}
}

// checkHeaders compares the headers of a success with the document.
func (o *operation) checkHeaders(i int, got http.Header) error {
	for name, h := range o.headers[i] {
		values := got.Values(name)
		if h.required && len(values) == 0 {
			return fmt.Errorf("the header %s is not there", name)
		}
		for _, text := range values {
			value := any(text)
			if !h.text {
				value = parse(text)
			}
			if err := h.schema.Validate(value); err != nil {
				return fmt.Errorf("the header %s: %w", name, err)
			}
		}
	}
	return nil
}

// compileFailure returns the schema of the default response, which is a
// reference in every document of ours.
func compileFailure(c *jsonschema.Compiler, document, op map[string]any) *jsonschema.Schema {
	ref := dig(op, "responses", "default")["$ref"].(string)
	name := ref[strings.LastIndex(ref, "/")+1:]
	content := dig(document, "components", "responses", name, "content")
	return c.MustCompile("doc.json" + ref + "/content/" + escape(sortedKeys(content)[0]) + "/schema")
}

func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(token)
}

func dig(m map[string]any, path ...string) map[string]any {
	for _, key := range path {
		m, _ = m[key].(map[string]any)
	}
	return m
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func parse(text string) any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		panic(fmt.Sprintf("%v in %s", err, text))
	}
	return v
}

// modernize turns the schemas of OpenAPI 3.0.3 into JSON Schema 2020-12: the two
// keywords that mean something else there.
func modernize(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			modernize(item)
		}
	case map[string]any:
		for _, item := range v {
			modernize(item)
		}
		if nullable, ok := v["nullable"].(bool); ok {
			delete(v, "nullable")
			if nullable {
				v["type"] = []any{v["type"], "null"}
			}
		}
		for exclusive, inclusive := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
			if is, ok := v[exclusive].(bool); ok {
				delete(v, exclusive)
				if is {
					v[exclusive] = v[inclusive]
					delete(v, inclusive)
				}
			}
		}
	}
}

// checked are the expressions of ajv-formats 3.0.1 in full mode for formats that are rules of svc. The
// library reads these in its own way: it takes a@b, and no urn:uuid:.
var checked = map[string]*regexp.Regexp{
	"email": regexp.MustCompile("(?i)^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$"),
	"uuid":  regexp.MustCompile(`(?i)^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$`),
}

// newCompiler returns a compiler that asserts the formats which say something
// that a validator can check, in the most usual reading of each: date-time is
// the library's own.
func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	integer := func(name string, low, high int64) {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			num, ok := v.(json.Number)
			if !ok {
				return nil
			}
			r, _ := new(big.Rat).SetString(string(num))
			if r.Cmp(new(big.Rat).SetInt64(low)) < 0 || r.Cmp(new(big.Rat).SetInt64(high)) > 0 {
				return fmt.Errorf("out of range")
			}
			return nil
		}})
	}
	integer("int32", math.MinInt32, math.MaxInt32)
	integer("int64", math.MinInt64, math.MaxInt64)
	c.RegisterFormat(&jsonschema.Format{Name: "byte", Validate: func(v any) error {
		if text, ok := v.(string); ok && !isBase64(text) {
			return fmt.Errorf("not base64")
		}
		return nil
	}})
	for name, pattern := range checked {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if text, ok := v.(string); ok && !pattern.MatchString(text) {
				return fmt.Errorf("not of the format")
			}
			return nil
		}})
	}
	return c
}

// isBase64 reads base64 as leniently as others do.
func isBase64(text string) bool {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if _, err := e.DecodeString(text); err == nil {
			return true
		}
	}
	return false
}
