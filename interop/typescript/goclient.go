package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"example.com/bookmarks"
	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// This file makes the calls of the table with Connect.

// A result is what a call comes to, in the same form for each client. Numbers are those of
// JavaScript.
type result struct {
	Value  any            `json:"value,omitempty"`
	Events []any          `json:"events,omitempty"`
	Error  map[string]any `json:"error,omitempty"`
	output any            // what the function returned, by dump
}

// plain returns r with values as JSON has them.
func (r result) plain() (out result) {
	text, err := json.Marshal(r)
	check(err)
	check(json.Unmarshal(text, &out))
	out.output = r.output
	return out
}

// A goClient has the functions of a service as fields of a struct.
type goClient struct {
	functions reflect.Value
	transport *recorder
	url       string
	service   *svc.Service // whose Call is made in place of the functions; nil to make those
}

// A recorder keeps the last response, and sends a token or a key.
type recorder struct {
	scheme svc.Scheme // of the key
	key    string     // "" for the one that the service accepts
	status int
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context()) // a RoundTripper must not change its request
	switch key := cmp.Or(r.key, "fresh"); {
	case r.scheme.Query != "":
		values := q.URL.Query()
		values.Set(r.scheme.Query, key)
		q.URL.RawQuery = values.Encode()
	case r.scheme.Cookie != "":
		q.Header.Set("Cookie", r.scheme.Cookie+"="+key)
	default:
		q.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	r.status, r.header = answer.StatusCode, answer.Header
	r.body.Reset()
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(answer.Body, &r.body), answer.Body}
	return answer, nil
}

// connect fills C for a service at url.
func connect[I, C any](s service, url string) *goClient {
	client, r := new(C), new(recorder)
	if len(s.options.Schemes) > 0 {
		r.scheme = s.options.Schemes[0]
	}
	check(svc.Connect[I](client, url, &svc.ClientOptions{Service: s.options, HTTPClient: &http.Client{Transport: r}}))
	return &goClient{functions: reflect.ValueOf(client).Elem(), transport: r, url: url}
}

// An entryClient has the functions of EntryAPI.
type entryClient struct {
	Apply  func(context.Context, *Application) (*Applied, error)
	Send   func(context.Context, *Parcel) (*Sent, error)
	Drop   func(context.Context, *Drop) (*Sent, error)
	Save   func(context.Context, *Entry) (*Saved, error)
	Find   func(context.Context, *Find) (*svc.PageResponse[Entry], error)
	Look   func(context.Context, *Look) (*Saved, error)
	Follow func(context.Context, *Watch) (svc.Stream[Tick], error)
	Whose  func(context.Context) (*Whose, error)
}

// connectAll connects to the services below url.
func connectAll(all map[string]service, url string) map[string]*goClient {
	type function[I, O any] = func(context.Context, *I) (*O, error)
	type empty[O any] = func(context.Context) (*O, error)
	return map[string]*goClient{
		"desk": connect[DeskAPI, struct {
			Create          function[NewTicket, Ticket]
			Get             function[TicketID, Ticket]
			List            function[ListTickets, svc.PageResponse[Ticket]]
			Feed            function[FeedTickets, svc.CursorResponse[Ticket]]
			Update          function[UpdateTicket, Ticket]
			Patch           function[PatchTicket, Ticket]
			Delete          func(context.Context, *DeleteTicket) error
			Search          function[Search, Found]
			Pay             function[Payment, Paid]
			Fail            func(context.Context, *Failure) error
			Watch           func(context.Context, *Watch) (svc.Stream[Tick], error)
			Tail            func(context.Context, *Tail) (svc.Stream[Line], error)
			Attach          function[Attach, Attached]
			Attachment      function[TicketID, svc.File]
			Make, Add, Made function[Thing, Made]
		}](all["desk"], url+"/desk"),
		"kitchen": connect[kitchen.SinkAPI, struct {
			Create         function[kitchen.Numbers, kitchen.Created]
			List           function[kitchen.Query, kitchen.Page[kitchen.Inner]]
			Get            function[kitchen.ByID, kitchen.Inner]
			Update         function[kitchen.Update, kitchen.Update]
			Patch          function[kitchen.Change, kitchen.Change]
			Delete         func(context.Context, *kitchen.ByID) error
			Archive, Empty func(context.Context) error
			Count          empty[kitchen.Inner]
			Forget         func(context.Context, *kitchen.Inner) error
			ReadTool       empty[kitchen.Tool]
			ReplaceTool    function[kitchen.NewTool, kitchen.Tool]
			Pages          function[kitchen.Pages, svc.PageResponse[kitchen.Inner]]
			Watch          func(context.Context, *kitchen.Watch) (svc.Stream[kitchen.Inner], error)
			EchoTexts      function[kitchen.Texts, kitchen.Texts]
			EchoTree       function[kitchen.Tree, kitchen.Tree]
			EchoChoice     function[kitchen.ChoiceOrNull, kitchen.ChoiceOrNull]
			EchoQuoted     function[kitchen.Quoted, kitchen.Quoted]
			EchoFree       function[kitchen.Free, kitchen.Free]
		}](all["kitchen"], url+"/kitchen"),
		"bookmarks": connect[bookmarks.API, bookmarks.Client](all["bookmarks"], url+"/bookmarks"),
		"payments": connect[PaymentAPI, struct {
			Create    function[NewPayment, Receipt]
			Refund    function[PaymentID, Receipt]
			Statement function[StatementPath, Statement]
		}](all["payments"], url+"/payments"),
		"entries": connect[EntryAPI, entryClient](all["entries"], url+"/entries"),
		"members": connect[EntryAPI, entryClient](all["members"], url+"/members"),
	}
}

// run makes the call of a row.
func (c *goClient) run(r row) result {
	c.transport.key = r.Key
	if r.sent != "" {
		return c.send(r.sent)
	}
	resource, name, _ := strings.Cut(r.Call, ".")
	name = strings.ToUpper(name[:1]) + name[1:]
	f := c.functions.FieldByName(name)
	if !f.IsValid() {
		return result{Error: map[string]any{"none": "there is no function for " + r.Call}}
	}
	arguments := []reflect.Value{reflect.ValueOf(svc.WithPrincipal(context.Background(), ada))}
	if f.Type().NumIn() > 1 {
		in := reflect.New(f.Type().In(1).Elem())
		if c.service != nil { // which applies no defaults by itself
			fresh, err := c.service.NewInput(resource, name)
			check(err)
			in = reflect.ValueOf(fresh)
		}
		arguments = append(arguments, r.input(in))
	}
	if c.service != nil {
		f = c.calling(f.Type(), resource, name)
	}
	if r.Via == viaAll {
		return c.pages(f, arguments)
	}
	return c.outcome(f.Call(arguments))
}

// calling returns a function of type t that calls a method by Service.Call.
func (c *goClient) calling(t reflect.Type, resource, method string) reflect.Value {
	return reflect.MakeFunc(t, func(arguments []reflect.Value) []reflect.Value {
		var in any
		if len(arguments) > 1 {
			in = arguments[1].Interface()
		}
		out, err := c.service.Call(arguments[0].Interface().(context.Context), resource, method, in)
		results := []reflect.Value{reflect.Zero(t.Out(0)), reflect.Zero(t.Out(t.NumOut() - 1))}[2-t.NumOut():]
		if err != nil {
			results[len(results)-1] = reflect.ValueOf(&err).Elem()
		} else if len(results) == 2 {
			results[0] = reflect.ValueOf(out)
		}
		return results
	})
}

// input fills in, a pointer to a struct, with the input of a row.
func (r row) input(in reflect.Value) reflect.Value {
	if r.in != nil {
		return reflect.ValueOf(r.in)
	}
	t := in.Type()
	var members map[string]json.RawMessage
	check(json.Unmarshal(r.Input, &members))
	for i := range t.Elem().NumField() {
		f := t.Elem().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		own := lowerFirst(f.Name)
		var body struct {
			Body *struct{ Type, Name, Text string } `json:"$body"`
		}
		switch text := members[own]; {
		case f.Type == reflect.TypeFor[svc.Body]():
			if name != "" {
				text = members[name]
			}
			if text == nil { // an optional one
				continue
			}
			check(json.Unmarshal(text, &body))
			file := svc.NewBody(strings.NewReader(body.Body.Text), body.Body.Type)
			if file.FileName = body.Body.Name; r.unsized {
				file.Size = -1
			}
			in.Elem().Field(i).Set(reflect.ValueOf(file))
			delete(members, own)
			delete(members, name)
		case name == "-" && text != nil:
			check(json.Unmarshal(text, in.Elem().Field(i).Addr().Interface()))
			delete(members, own)
		case name == "" && f.Tag.Get("query") != "": // encoding/json knows the Go name
			key, _, _ := strings.Cut(f.Tag.Get("query"), ",")
			if members[key] != nil {
				check(json.Unmarshal(members[key], in.Elem().Field(i).Addr().Interface()))
				delete(members, key)
			}
		}
	}
	rest, err := json.Marshal(members)
	check(err)
	check(json.Unmarshal(rest, in.Interface()))
	return in
}

// lowerFirst returns a Go name with its first word in lower case: ETag => eTag, IfMatch =>
// ifMatch, ID => id.
func lowerFirst(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// outcome returns what a function returned.
func (c *goClient) outcome(out []reflect.Value) result {
	err, _ := out[len(out)-1].Interface().(error)
	if err != nil {
		return result{Error: c.failure(err)}
	}
	if len(out) == 1 {
		return result{}
	}
	switch output := out[0]; {
	case output.Kind() == reflect.Func:
		return c.events(output)
	case output.Elem().Type() == reflect.TypeFor[svc.File]():
		return c.file(output.Interface().(*svc.File))
	case output.Elem().Type() == reflect.TypeFor[bookmarks.Exported]():
		return c.file(&output.Interface().(*bookmarks.Exported).File)
	case c.service != nil:
		return result{output: dump(output)}
	default:
		return result{Value: c.value(output.Elem()), output: dump(output)}
	}
}

// value returns the JSON of the last response with the headers that are fields of the output.
func (c *goClient) value(output reflect.Value) any {
	var value any
	check(json.Unmarshal(c.transport.body.Bytes(), &value))
	members, _ := value.(map[string]any)
	for i := range output.NumField() {
		f := output.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		header, _, _ := strings.Cut(f.Tag.Get("header"), ",")
		if f.Tag.Get("status") != "" {
			members[lowerFirst(f.Name)] = c.transport.status
		}
		if header == "" || header == "Set-Cookie" || c.transport.header.Get(header) == "" {
			continue
		}
		if name == "-" {
			name = lowerFirst(f.Name)
		}
		members[name] = plain(output.Field(i).Interface())
	}
	return value
}

// plain returns v as JSON has it.
func plain(v any) (out any) {
	text, err := json.Marshal(v)
	check(err)
	check(json.Unmarshal(text, &out))
	return out
}

// failure returns an error.
func (c *goClient) failure(err error) map[string]any {
	var e *svc.Error
	if !errors.As(err, &e) {
		return map[string]any{"thrown": err.Error()}
	}
	f := map[string]any{"code": string(e.Code), "reason": e.Reason(), "status": e.HTTPStatus(), "message": e.Message}
	if v := e.Violations(); len(v) > 0 {
		f["violations"] = plain(v)
	}
	details := make(map[string]any)
	for name, d := range e.Details {
		if name != "violations" {
			details[name] = d
		}
	}
	if len(details) > 0 {
		f["details"] = plain(details)
	}
	if seconds, err := strconv.Atoi(e.Header().Get("Retry-After")); err == nil {
		f["retryAfter"] = seconds
	}
	return plain(f).(map[string]any)
}

// events reads a stream.
func (c *goClient) events(stream reflect.Value) (out result) {
	out.Events = []any{}
	items := []any{}
	for item, err := range stream.Seq2() {
		if e, _ := err.Interface().(error); e != nil {
			out.Error = c.failure(e)
			break
		}
		out.Events, items = append(out.Events, nil), append(items, dump(item))
	}
	if out.output = items; c.service != nil {
		return out
	}
	// The items as they were sent: encoding/json does not know unions.
	n := 0
	for _, event := range parseEvents(c.transport.body.String()) {
		if event.name == "message" {
			check(json.Unmarshal([]byte(event.data), &out.Events[n]))
			n++
		}
	}
	if n != len(out.Events) {
		out.Error = map[string]any{"none": fmt.Sprintf("%d events of %d", n, len(out.Events))}
	}
	return out
}

// An event is one of a stream that has data.
type event struct{ name, data string }

// parseEvents returns the events in a text.
func parseEvents(text string) (list []event) {
	for _, block := range strings.Split(text, "\n\n") {
		e := event{name: "message"}
		for line := range strings.Lines(block) {
			line = strings.TrimSuffix(line, "\n")
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				e.data = text
			}
			if text, ok := strings.CutPrefix(line, "event: "); ok {
				e.name = text
			}
		}
		if e.data != "" {
			list = append(list, e)
		}
	}
	return list
}

// file reads a File.
func (c *goClient) file(f *svc.File) result {
	content, err := io.ReadAll(f.Content)
	check(err)
	if closer, ok := f.Content.(io.Closer); ok {
		closer.Close()
	}
	value := map[string]any{"type": f.ContentType, "text": string(content)}
	return result{Value: value, output: value}
}

// pages reads all pages, by number or by cursor.
func (c *goClient) pages(f reflect.Value, arguments []reflect.Value) result {
	events, items := []any{}, []any{}
	for page := 1; ; page++ {
		if field := arguments[1].Elem().FieldByName("Page"); field.IsValid() {
			field.Set(reflect.ValueOf(page).Convert(field.Type()))
		}
		one := c.outcome(f.Call(arguments))
		if one.Error != nil {
			return result{Events: events, Error: one.Error}
		}
		if c.service == nil {
			events = append(events, one.Value.(map[string]any)["data"].([]any)...)
		}
		members := one.output.(map[string]any)
		data, _ := members["Data"].([]any)
		items = append(items, data...)
		next, _ := members["NextCursor"].(string)
		if cursor := arguments[1].Elem().FieldByName("Cursor"); cursor.IsValid() {
			cursor.SetString(next)
		}
		total, _ := members["TotalPages"].(string)
		if last, _ := strconv.Atoi(total); next == "" && page >= last {
			return result{Events: events, output: items}
		}
	}
}

// send makes a request by hand, "POST /tickets {}".
func (c *goClient) send(request string) result {
	parts := strings.SplitN(request, " ", 3)
	q, err := http.NewRequest(parts[0], c.url+parts[1], strings.NewReader(parts[2]))
	check(err)
	q.Header.Set("Content-Type", "application/json")
	if !strings.HasPrefix(parts[2], "{") {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := c.transport.RoundTrip(q)
	check(err)
	defer answer.Body.Close()
	var body struct {
		Error struct {
			Code, Reason, Message string
			Details               map[string]any
		}
	}
	check(json.NewDecoder(answer.Body).Decode(&body))
	f := map[string]any{"code": body.Error.Code, "reason": body.Error.Reason, "status": answer.StatusCode, "message": body.Error.Message, "violations": body.Error.Details["violations"]}
	return result{Error: plain(f).(map[string]any)}
}

// dump returns what a method was given: every exported field, also those of headers.
func dump(v reflect.Value) any {
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case svc.Body:
			return "a body of " + x.ContentType
		case json.Marshaler:
			if v.Kind() != reflect.Pointer {
				return fmt.Sprint(plain(x))
			}
		case encoding.TextMarshaler:
			if v.Kind() != reflect.Pointer {
				text, _ := x.MarshalText()
				return string(text)
			}
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return dump(v.Elem())
	case reflect.Struct:
		out := make(map[string]any)
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out[f.Name] = dump(v.Field(i))
			}
		}
		return out
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return nil
		}
		out := []any{}
		for i := range v.Len() {
			out = append(out, dump(v.Index(i)))
		}
		return out
	case reflect.Map:
		out := make(map[string]any)
		for key, value := range v.Seq2() {
			out[fmt.Sprint(key)] = dump(value)
		}
		return out
	default:
		return fmt.Sprint(v)
	}
}
