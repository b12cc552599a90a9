package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/svc"
)

// This file makes the calls of the table with curl, by what the OpenAPI 3.2 document says of each
// method: a caller that shares nothing with the clients.

// An apiDocument is what is read of a document.
type apiDocument struct {
	Paths map[string]map[string]apiOperation
}

type apiOperation struct {
	path, verb  string
	OperationID string
	Parameters  []struct{ Name, In string }
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	}
	Responses map[string]struct {
		Headers map[string]struct {
			Schema struct{ Type any }
		}
	}
}

// A curlClient calls the methods of a service.
type curlClient struct {
	url        string
	scheme     svc.Scheme
	dir        string                  // for files that it sends
	operations map[string]apiOperation // by resource_Method
}

// newCurlClient reads the document of a service.
func newCurlClient(s service, url, dir string) *curlClient {
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/?openapi=3.2", nil))
	var document apiDocument
	check(json.Unmarshal(w.Body.Bytes(), &document))
	c := &curlClient{url: url, dir: dir, operations: make(map[string]apiOperation)}
	if len(s.options.Schemes) > 0 {
		c.scheme = s.options.Schemes[0]
	}
	for path, verbs := range document.Paths {
		for verb, o := range verbs {
			o.path, o.verb = path, strings.ToUpper(verb)
			c.operations[o.OperationID] = o
		}
	}
	return c
}

// runCurl makes the calls of the table with curl and returns how they differ. A caller of pages and
// what a client itself refuses are not among them.
func (s *server) runCurl(want outcome, dist string) (calls int, faults []string) {
	s.reset()
	dir, err := filepath.Abs(dist)
	check(err)
	clients := make(map[string]*curlClient)
	for name, service := range s.services {
		clients[name] = newCurlClient(service, s.URL+"/"+name, dir)
	}
	skips := func(r row) bool { return r.Via == viaAll || r.refused }
	var got outcome
	for i, r := range table() {
		if skips(r) {
			got.add(want.Results[i], want.by[i])
			continue
		}
		calls++
		got.add(clients[r.Service].run(r, want.Results[i]), s.takeArrived())
	}
	return calls, differences(want, got, skips)
}

// run makes the call of a row. Of what is wanted it takes the names that members have which are
// headers or the status.
func (c *curlClient) run(r row, want result) result {
	resource, name, _ := strings.Cut(r.Call, ".")
	o, ok := c.operations[resource+"_"+strings.ToUpper(name[:1])+name[1:]]
	if !ok {
		return result{Error: map[string]any{"none": "there is no operation for " + r.Call}}
	}
	arguments := c.arguments(o, r)
	output, err := exec.Command("curl", arguments...).Output()
	if err != nil {
		return result{Error: map[string]any{"none": fmt.Sprintf("curl %q: %v", arguments, err)}}
	}
	answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(output)), nil)
	check(err)
	body, err := io.ReadAll(answer.Body)
	check(err)
	switch {
	case answer.StatusCode >= 300:
		out := result{Error: curlError(answer, body)}
		if r.Via == viaEvents {
			out.Events = []any{}
		}
		return out.plain()
	case r.Via == viaFile:
		return result{Value: map[string]any{"type": answer.Header.Get("Content-Type"), "text": string(body)}}.plain()
	case r.Via == viaEvents:
		return curlEvents(string(body)).plain()
	case len(body) == 0:
		return result{}
	}
	var value any
	check(json.Unmarshal(body, &value))
	if members, ok := value.(map[string]any); ok {
		o.addHead(members, answer, want)
	}
	return result{Value: value}.plain()
}

// addHead adds the members that are headers or the status of an answer.
func (o apiOperation) addHead(members map[string]any, answer *http.Response, want result) {
	expected, _ := want.Value.(map[string]any)
	if _, ok := expected["status"]; ok && o.Responses["201"].Headers != nil && o.Responses["200"].Headers != nil {
		members["status"] = answer.StatusCode
	}
	for name, h := range o.Responses[strconv.Itoa(answer.StatusCode)].Headers {
		text := answer.Header.Get(name)
		for member := range expected {
			if folded(member) != folded(name) || text == "" {
				continue
			}
			if members[member] = text; h.Schema.Type != "string" {
				check(json.Unmarshal([]byte(text), new(any)))
				members[member] = json.RawMessage(text)
			}
		}
	}
}

// folded returns a name without what differs between If-Match, ifMatch and if_match.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// arguments returns the arguments of curl for the call of a row.
func (c *curlClient) arguments(o apiOperation, r row) []string {
	var members map[string]json.RawMessage
	if r.Input != nil {
		check(json.Unmarshal(r.Input, &members))
	}
	arguments := []string{"--silent", "--show-error", "--raw", "--include", "--request", o.verb}
	path, query := o.path, ""
	add := func(name, text string) { query += "&" + url.QueryEscape(name) + "=" + url.QueryEscape(text) }
	for _, p := range o.Parameters {
		name := memberOf(members, p.Name)
		texts := textsOf(members[name])
		delete(members, name)
		for _, text := range texts {
			switch p.In {
			case "path":
				path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(text))
			case "query":
				add(p.Name, text)
			case "header":
				arguments = append(arguments, "--header", p.Name+": "+text)
			}
		}
	}
	switch key := keyOf(r); {
	case c.scheme.Query != "":
		add(c.scheme.Query, key)
	case c.scheme.Cookie != "":
		arguments = append(arguments, "--cookie", c.scheme.Cookie+"="+key)
	default:
		arguments = append(arguments, "--header", "Authorization: Bearer "+key)
	}
	arguments = append(arguments, c.body(o, r, members)...)
	if query != "" {
		path += "?" + query[1:]
	}
	return append(arguments, c.url+path)
}

func keyOf(r row) string {
	if r.Key != "" {
		return r.Key
	}
	return "fresh"
}

// memberOf returns the name of the member that is the parameter of this name.
func memberOf(members map[string]json.RawMessage, name string) string {
	if _, ok := members[name]; ok {
		return name
	}
	for member := range members {
		if f := folded(name); folded(member) == f || "x"+folded(member) == f || folded(member) == f+"s" {
			return member
		}
	}
	if name == "Last-Event-ID" {
		return "after"
	}
	return name
}

// textsOf returns the texts of a value in a URL, a header or a form.
func textsOf(value json.RawMessage) (texts []string) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		list = []json.RawMessage{value}
	}
	for _, one := range list {
		var text string
		if len(one) == 0 || string(one) == "null" {
			continue
		}
		if json.Unmarshal(one, &text) != nil {
			text = string(one)
		}
		texts = append(texts, text)
	}
	return texts
}

// body returns the arguments for the body of a request. members are what no parameter has.
func (c *curlClient) body(o apiOperation, r row, members map[string]json.RawMessage) (arguments []string) {
	content := o.RequestBody.Content
	_, isEncoded := content["application/x-www-form-urlencoded"]
	_, hasParts := content["multipart/form-data"]
	_, isJSON := content["application/json"]
	fields, file := inOrder(r.Input, members)
	switch {
	case isEncoded:
		arguments = []string{"--data", ""} // also for a form without fields
		for _, f := range fields {
			for _, text := range textsOf(f.value) {
				arguments = append(arguments, "--data-urlencode", f.name+"="+text)
			}
		}
	case hasParts:
		for _, f := range fields {
			for _, text := range textsOf(f.value) {
				arguments = append(arguments, "--form-string", f.name+"="+text)
			}
		}
		if file != nil { // behind the fields
			arguments = append(arguments, "--form", fmt.Sprintf(`%s=@"%s";type=%s;filename="%s"`, file.name, c.save(file.Text), file.Type, file.Name))
		}
		if arguments == nil { // no form of parts is without a part
			arguments = []string{"--form-string", "none="}
		}
	case file != nil:
		arguments = []string{"--header", "Content-Type: " + file.Type, "--data-binary", "@" + c.save(file.Text)}
	case isJSON:
		body := ""
		for _, f := range fields {
			body += fmt.Sprintf(",%q:%s", f.name, f.value)
		}
		arguments = []string{"--header", "Content-Type: application/json", "--data-binary", "@" + c.save("{"+strings.TrimPrefix(body, ",")+"}")}
	}
	return arguments
}

// A bodyField is a field of a body, and a sentFile a file in an input.
type (
	bodyField struct {
		name  string
		value json.RawMessage
	}
	sentFile struct{ name, Type, Name, Text string }
)

// inOrder returns the fields of a body in the order of the input, and its file.
func inOrder(input json.RawMessage, members map[string]json.RawMessage) (fields []bodyField, file *sentFile) {
	if members == nil {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	for _, err := decoder.Token(); err == nil && decoder.More(); {
		var value json.RawMessage
		name, err := decoder.Token()
		check(err)
		check(decoder.Decode(&value))
		var body struct {
			Body *sentFile `json:"$body"`
		}
		if _, left := members[name.(string)]; !left {
			continue
		}
		if json.Unmarshal(value, &body) == nil && body.Body != nil {
			file = body.Body
			file.name = name.(string)
			continue
		}
		fields = append(fields, bodyField{name.(string), value})
	}
	return fields, file
}

// save returns the name of a file with a text.
func (c *curlClient) save(text string) string {
	name := filepath.Join(c.dir, "curl.txt")
	check(os.WriteFile(name, []byte(text), 0o666))
	return name
}

// curlError returns the error that an answer is: the envelope of svc, or that of an error form.
func curlError(answer *http.Response, body []byte) map[string]any {
	f := map[string]any{"status": answer.StatusCode}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		f["retryAfter"] = seconds
	}
	var envelope struct{ Error json.RawMessage }
	if json.Unmarshal(body, &envelope) != nil || envelope.Error == nil {
		f["code"] = string(svc.CodeFromHTTP(answer.StatusCode))
		if json.Unmarshal(body, new(any)) == nil {
			f["form"] = json.RawMessage(body)
		}
		return f
	}
	addEnvelope(f, envelope.Error)
	return f
}

// addEnvelope adds the members of an error.
func addEnvelope(f map[string]any, text json.RawMessage) {
	var e struct {
		Code, Reason, Message string
		Details               map[string]any
	}
	check(json.Unmarshal(text, &e))
	f["code"], f["reason"], f["message"] = e.Code, e.Reason, e.Message
	if violations, ok := e.Details["violations"]; ok {
		f["violations"] = violations
		delete(e.Details, "violations")
	}
	if len(e.Details) > 0 {
		f["details"] = e.Details
	}
}

// curlEvents returns the items in a stream, and the error that ends it.
func curlEvents(text string) (out result) {
	out.Events = []any{}
	for _, e := range parseEvents(text) {
		switch e.name {
		case "message":
			var item any
			check(json.Unmarshal([]byte(e.data), &item))
			out.Events = append(out.Events, item)
		case "error":
			var envelope struct{ Error json.RawMessage }
			check(json.Unmarshal([]byte(e.data), &envelope))
			out.Error = make(map[string]any)
			addEnvelope(out.Error, envelope.Error)
		}
	}
	return out
}
