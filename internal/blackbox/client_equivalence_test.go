package blackbox_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// This file holds clients to the server: each method of the kitchen sink is called
// by Connect with generated inputs, and the same input is sent by an encoder of this
// file, which checks nothing. The client must get what the server answered to that;
// what the server refused the client must have refused itself, in the same bytes.

var clientInputs = flag.Int("client.inputs", 2000, "how many inputs TestClientEquivalence generates")

// A sinkClient has every method of the kitchen sink but Hide, which REST does not serve.
type sinkClient struct {
	Create       func(context.Context, *kitchen.Numbers) (*kitchen.Created, error)
	List         func(context.Context, *kitchen.Query) (*kitchen.Page[kitchen.Inner], error)
	Get          func(context.Context, *kitchen.ByID) (*kitchen.Inner, error)
	Update       func(context.Context, *kitchen.Update) (*kitchen.Update, error)
	Patch        func(context.Context, *kitchen.Change) (*kitchen.Change, error)
	Delete       func(context.Context, *kitchen.ByID) error
	Archive      func(context.Context) error
	Count        func(context.Context) (*kitchen.Inner, error)
	Empty        func(context.Context) error
	Forget       func(context.Context, *kitchen.Inner) error
	Made         func(context.Context) (*kitchen.Made, error)
	Make         func(context.Context, *kitchen.Inner) (*kitchen.Made, error)
	Move         func(context.Context, *kitchen.Move) (*kitchen.Move, error)
	ReadTool     func(context.Context) (*kitchen.Tool, error)
	ReplaceTool  func(context.Context, *kitchen.NewTool) (*kitchen.Tool, error)
	Watch        func(context.Context, *kitchen.Watch) (svc.Stream[kitchen.Inner], error)
	Follow       func(context.Context, *kitchen.ByID) (*kitchen.Inner, error)
	Pages        func(context.Context, *kitchen.Pages) (*svc.PageResponse[kitchen.Inner], error)
	Seek         func(context.Context, *kitchen.Seek) (*kitchen.Inner, error)
	Sift         func(context.Context, *kitchen.Sift) (*kitchen.Sifted, error)
	EchoBounds   func(context.Context, *kitchen.Bounds) (*kitchen.Bounds, error)
	EchoFloats   func(context.Context, *kitchen.Floats) (*kitchen.Floats, error)
	EchoTexts    func(context.Context, *kitchen.Texts) (*kitchen.Texts, error)
	EchoLists    func(context.Context, *kitchen.Lists) (*kitchen.Lists, error)
	EchoMaps     func(context.Context, *kitchen.Maps) (*kitchen.Maps, error)
	EchoOptional func(context.Context, *kitchen.Optional) (*kitchen.Optional, error)
	EchoQuoted   func(context.Context, *kitchen.Quoted) (*kitchen.Quoted, error)
	EchoFree     func(context.Context, *kitchen.Free) (*kitchen.Free, error)
	EchoFlat     func(context.Context, *kitchen.Flat) (*kitchen.Flat, error)
	EchoTree     func(context.Context, *kitchen.Tree) (*kitchen.Tree, error)
	EchoChoice   func(context.Context, *kitchen.ChoiceOrNull) (*kitchen.ChoiceOrNull, error)
	EchoChoices  func(context.Context, *kitchen.Choices) (*kitchen.Choices, error)
	WatchChoices func(context.Context, *kitchen.Choices) (svc.Stream[kitchen.Choice], error)
	EchoLetter   func(context.Context, *kitchen.Letter) (*kitchen.Letter, error)
	Answer       func(context.Context, *kitchen.Question) (*svc.ValueOrStream[kitchen.Answer, kitchen.Word], error)
	Relabel      func(context.Context, *kitchen.Relabel) (*kitchen.Relabel, error)
	Rename       func(context.Context, *kitchen.Rename) (*kitchen.Rename, error)
	Unlabel      func(context.Context, *kitchen.Unlabel) (*kitchen.Unlabel, error)
}

// Verify that every method of the sink answers a client as it answers requests and
// calls in the program, for inputs of all kinds.
func TestClientEquivalence(t *testing.T) {
	service := kitchen.Sink(false)
	var sent http.Header // of the client's request; nil if there was none
	rest := service.REST()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Clone()
		rest.ServeHTTP(w, r)
	})
	var client sinkClient
	if err := svc.Connect[kitchen.SinkAPI](&client, "", &svc.ClientOptions{Service: kitchen.SinkOptions(false), Handler: handler}); err != nil {
		t.Fatal(err)
	}
	routes := make(map[string]svc.HTTPBinding)
	resources := make(map[string]string)
	for _, resource := range service.Descriptor().Resources {
		for _, m := range resource.Methods {
			name := strings.ReplaceAll(m.Name, "_", "")
			routes[name], resources[name] = m.HTTP, resource.Name
		}
	}
	g := &inputs{Rand: rand.New(rand.NewPCG(14, 1))}
	v := reflect.ValueOf(client)
	var taken, refused, unsendable, failures int
	for i := 0; i < *clientInputs && failures < 8; i++ {
		f := v.Type().Field(i % v.NumField())
		call := &equivalence{service: service, rest: rest, name: f.Name, resource: resources[strings.ToLower(f.Name)], route: routes[strings.ToLower(f.Name)]}
		if f.Type.NumIn() > 1 {
			call.in = reflect.New(f.Type.In(1).Elem())
			g.wild = g.IntN(3) == 0
			g.fill(call.in.Elem(), "", 0)
		}
		sent = nil
		out, err := call.callClient(v.Field(i % v.NumField()))
		kind, text := call.compare(out, err, sent)
		if text != "" {
			failures++
			t.Errorf("%s %s: %s", f.Name, showInput(call.in), text)
		}
		*map[string]*int{"taken": &taken, "refused": &refused, "unsendable": &unsendable}[kind]++
	}
	t.Logf("%d inputs taken, %d refused, %d that HTTP or JSON cannot carry", taken, refused, unsendable)
	if taken < *clientInputs/4 || refused < *clientInputs/8 {
		t.Error("the generator does not test both answers")
	}
}

// showInput returns an input for messages.
func showInput(in reflect.Value) string {
	if !in.IsValid() {
		return ""
	}
	return fmt.Sprintf("%+v %s", in.Interface(), dumpJSON(in))
}

// An equivalence is one input of one method, and the ways to call it.
type equivalence struct {
	service        *svc.Service
	rest           http.Handler
	name, resource string
	route          svc.HTTPBinding
	in             reflect.Value // a pointer; invalid if there is none
}

// callClient calls the function of a client and returns the output as this file
// writes it; the items of a stream as a list.
func (e *equivalence) callClient(fn reflect.Value) (string, error) {
	args := []reflect.Value{reflect.ValueOf(context.Background())}
	if e.in.IsValid() {
		args = append(args, e.in)
	}
	results := fn.Call(args)
	err, _ := results[len(results)-1].Interface().(error)
	if err != nil || len(results) == 1 {
		return "", err
	}
	return outputText(results[0].Interface())
}

// outputText returns the text of an output, or of all items of a stream.
func outputText(out any) (string, error) {
	switch stream := out.(type) {
	case svc.Stream[kitchen.Inner]:
		return streamText(stream)
	case svc.Stream[kitchen.Choice]:
		return streamText(stream)
	case *svc.ValueOrStream[kitchen.Answer, kitchen.Word]:
		if stream.Value == nil {
			return streamText(stream.Stream)
		}
		out = stream.Value
	}
	return dumpJSON(reflect.ValueOf(out)) + dumpOptionals(out), nil
}

func streamText[T any](stream svc.Stream[T]) (string, error) {
	text := ""
	for item, err := range stream {
		if err != nil {
			return text, err
		}
		text += dumpJSON(reflect.ValueOf(item)) + "\n"
	}
	return text, nil
}

// dumpOptionals returns the states and values of the Optionals of an output, of which
// compare ignores null and [] in the JSON.
func dumpOptionals(out any) string {
	o, ok := out.(*kitchen.Optional)
	if !ok {
		return ""
	}
	return string([]rune(fmt.Sprintf(" %+v %+v %+v %+v", o.Word, o.Number, o.Thing, o.Many)))
}

// compare says what kind of input it was, and what is wrong with the answer that the
// client got. header is that of the client's request, nil if there was none.
func (e *equivalence) compare(out string, err error, header http.Header) (kind, wrong string) {
	r, sendable := e.request()
	sent := header != nil
	if !sendable {
		if svc.CodeOf(err) != svc.CodeInvalidArgument || sent {
			wrong = fmt.Sprintf("nobody could send this; got %v, sent %t", err, sent)
		}
		return "unsendable", wrong
	}
	w := httptest.NewRecorder()
	e.rest.ServeHTTP(w, r)
	if w.Code >= 300 {
		mine := httptest.NewRecorder()
		if err != nil {
			svc.WriteError(mine, r, err)
		}
		refused := svc.CodeOf(err) == svc.CodeInvalidArgument
		if mine.Body.String() != w.Body.String() || sent == refused {
			wrong = fmt.Sprintf("%s %s: the server answers\n%s\nthe client got, sent %t,\n%s\n%v", r.Method, r.URL, w.Body, sent, mine.Body, err)
		}
		return "refused", wrong
	}
	direct, directErr := e.callDirect()
	if err != nil || directErr != nil || emptyMembers.ReplaceAllString(direct, "") != emptyMembers.ReplaceAllString(out, "") {
		wrong = fmt.Sprintf("%s %s: in the program it is\n%s %v\nby the client\n%s %v", r.Method, r.URL, direct, directErr, out, err)
	}
	for _, name := range []string{"X-Tenant", "X-Trace", "X-Region", "X-Level", "X-On", "X-Wide", "X-Ratio", "X-Number", "X-Since", "X-Wait", "X-Blob", "X-From", "X-Sort", "If-Match", "Cookie", "Last-Event-Id"} {
		if !slices.Equal(header[name], r.Header[name]) {
			wrong += fmt.Sprintf("the header %s is %q, want %q", name, header[name], r.Header[name])
		}
	}
	return "taken", wrong
}

// emptyMembers are members that an output leaves out where they are optional.
var emptyMembers = regexp.MustCompile(`,?"[^"]*":(\[\]|\{\}|null)`)

// callDirect calls the method within the program. Fields with a default that are
// zero have it, as over REST.
func (e *equivalence) callDirect() (string, error) {
	var in any
	if e.in.IsValid() {
		defaults, err := e.service.NewInput(e.resource, e.name)
		if err != nil {
			return "", err
		}
		v := reflect.ValueOf(defaults).Elem()
		setRest(v, e.in.Elem())
		in = defaults
	}
	out, err := e.service.Call(context.Background(), e.resource, e.name, in)
	if err != nil || out == nil {
		return "", err
	}
	return outputText(out)
}

// setRest sets the fields of v to those of from, but where from is zero and v is not.
func setRest(v, from reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			setRest(v.Field(i), from.Field(i))
		case !from.Field(i).IsZero():
			v.Field(i).Set(from.Field(i))
		}
	}
}

// request returns the request for the input, or false if there is none.
func (e *equivalence) request() (*http.Request, bool) {
	if !e.in.IsValid() {
		return httptest.NewRequest(e.route.Method, e.route.Path, nil), true
	}
	path, header := e.route.Path, http.Header{}
	var members, query []string
	hasBody := e.route.Method != "GET" && e.route.Method != "DELETE"
	sendable, whole := true, ""
	eachField(e.in.Elem(), nil, func(f reflect.StructField, v reflect.Value) {
		name, place, optional := fieldSource(f, path, hasBody)
		if f.Tag.Get("body") == "*" {
			whole = " " // an empty body
		}
		if place != "path" && optional && v.IsZero() {
			return
		}
		if place == "body" {
			text, ok := writeJSON(v, f)
			sendable = sendable && ok
			if members = append(members, fmt.Sprintf("%q:%s", name, text)); whole != "" {
				whole = text
			}
			return
		}
		texts, ok := paramTexts(v)
		sendable = sendable && ok
		for _, text := range texts {
			if v.Type() == reflect.TypeFor[time.Duration]() && place != "path" && place != "query" {
				text = strings.Replace(text, "µ", "u", 1) // no header has a µ
			}
			switch place {
			case "path":
				sendable = sendable && text != "" && text != "." && text != ".." && text != "/"
				path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
			case "query":
				query = append(query, url.QueryEscape(name)+"="+url.QueryEscape(text))
			case "cookie":
				sendable = sendable && isCarried.MatchString(text) && !strings.Contains(text, ";") && !isQuoted.MatchString(text)
				header["Cookie"] = []string{strings.TrimPrefix(header.Get("Cookie")+"; "+name+"="+text, "; ")}
			default:
				sendable = sendable && isCarried.MatchString(text)
				header.Add(name, text)
			}
		}
	})
	if !sendable {
		return nil, false
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	body := cmp.Or(whole, "{"+strings.Join(members, ",")+"}")
	r := httptest.NewRequest(e.route.Method, path, strings.NewReader(body))
	maps.Copy(r.Header, header)
	r.Header.Set("Content-Type", "application/json")
	return r, true
}

var (
	isCarried = regexp.MustCompile(`^([!-~]([\t -~]*[!-~])?)?$`) // by a header
	isQuoted  = regexp.MustCompile(`^".*"$`)
)

// fieldSource returns where REST takes a field from and its name there, and whether
// a zero is left out.
func fieldSource(f reflect.StructField, path string, hasBody bool) (name, place string, optional bool) {
	tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	q, queryOptions, _ := strings.Cut(f.Tag.Get("query"), ",")
	header, headerOptions, _ := strings.Cut(f.Tag.Get("header"), ",")
	cookie, cookieOptions, _ := strings.Cut(f.Tag.Get("cookie"), ",")
	_, hasDefault := f.Tag.Lookup("default")
	optional = hasDefault || strings.Contains(options+queryOptions+headerOptions+cookieOptions, "omit")
	if name = tag; tag == "" || tag == "-" {
		name = f.Name
		if q != "" {
			name = q
		}
		if p := f.Tag.Get("path"); p != "" {
			name = p
		}
	}
	switch {
	case strings.Contains(path, "{"+name+"}"):
		return name, "path", false
	case q != "":
		return q, "query", optional
	case header != "":
		return header, "header", optional
	case cookie != "":
		return cookie, "cookie", optional
	case !hasBody && f.Tag.Get("body") == "":
		return name, "query", optional
	}
	return name, "body", optional
}

// paramTexts returns the texts of a field in a path, a query or a header.
func paramTexts(v reflect.Value) (texts []string, ok bool) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, true
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 {
		for i := range v.Len() {
			more, good := paramTexts(v.Index(i))
			if !good || len(more) == 0 {
				return nil, false
			}
			texts = append(texts, more...)
		}
		return texts, true
	}
	if v.Kind() == reflect.String && v.Type() != reflect.TypeFor[json.Number]() {
		return []string{v.String()}, true
	}
	text, ok := writeJSON(v, reflect.StructField{})
	var s string
	if json.Unmarshal([]byte(text), &s) != nil {
		s = text
	}
	return []string{s}, ok
}

// eachField calls visit for the fields of a struct and those of embedded ones, and for
// those of the alternative of a union, of which the discriminator says what is set.
func eachField(v reflect.Value, hidden []string, visit func(reflect.StructField, reflect.Value)) {
	t := v.Type()
	var names []string
	var chosen []reflect.Value
	variant := reflect.ValueOf(json.Number("none")) // which nobody can send
	for i := range t.NumField() {
		names = append(names, strings.ToLower(t.Field(i).Name))
		if value := t.Field(i).Tag.Get("variant"); value != "" && !v.Field(i).IsNil() {
			chosen = append(chosen, v.Field(i).Elem())
			if said := v.FieldByName("Type").String(); len(chosen) == 1 && (said == "" || said == value) {
				variant = reflect.ValueOf(value)
			} else {
				variant = reflect.ValueOf(json.Number("two"))
			}
		}
	}
	for i := range t.NumField() {
		f, x := t.Field(i), v.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("variant") != "":
		case f.Tag.Get("discriminator") != "":
			visit(f, variant)
		case f.Anonymous && name == "" && x.Kind() == reflect.Pointer && x.IsNil():
		case f.Anonymous && name == "":
			eachField(reflect.Indirect(x), names, visit)
		case f.IsExported() && !slices.Contains(hidden, strings.ToLower(f.Name)):
			visit(f, x)
		}
	}
	for _, alternative := range chosen {
		eachField(alternative, nil, visit)
	}
}

// dumpJSON returns the JSON of a value; what has none is marked.
func dumpJSON(v reflect.Value) string {
	text, ok := writeJSON(v, reflect.StructField{})
	if !ok {
		text += " (unsendable)"
	}
	return text
}

// writeJSON returns the JSON of a value as svc has it, or false if it has none. It
// shares nothing with svc. f has the tags of the field it is in.
func writeJSON(v reflect.Value, f reflect.StructField) (string, bool) {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if strings.Contains(options, "string") {
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return "null", true
		}
		text, ok := writeJSON(v, reflect.StructField{})
		return marshalText(text), ok
	}
	if o, ok := v.Interface().(interface{ IsNull() bool }); ok {
		if get := v.MethodByName("Get").Call(nil); get[1].Bool() {
			return writeJSON(get[0], reflect.StructField{})
		}
		return "null", o.IsNull()
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		return marshalText(x.String()), true
	case []byte:
		return marshalText(base64.StdEncoding.EncodeToString(x)), true
	case json.RawMessage:
		var buf bytes.Buffer
		if len(x) == 0 {
			return "null", true
		}
		return compact(&buf, x)
	case json.Number:
		if x == "" {
			return "0", true
		}
		return string(x), regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$`).MatchString(string(x))
	case string:
		return marshalText(x), true
	case json.Marshaler:
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return "null", true
		}
		text, err := x.MarshalJSON()
		if err != nil {
			return "", false
		}
		return compact(new(bytes.Buffer), text)
	case encoding.TextMarshaler:
		text, err := x.MarshalText()
		return marshalText(string(text)), err == nil
	}
	return writeKind(v)
}

// compact returns the text without white space, or false if it is not JSON.
func compact(buf *bytes.Buffer, text []byte) (string, bool) {
	err := json.Compact(buf, text)
	return buf.String(), err == nil
}

// writeKind is writeJSON for types that have no JSON of their own.
func writeKind(v reflect.Value) (string, bool) {
	var parts []string
	all := true
	add := func(prefix string, v reflect.Value, f reflect.StructField) {
		text, ok := writeJSON(v, f)
		parts, all = append(parts, prefix+text), all && ok
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "null", true
		}
		return writeJSON(v.Elem(), reflect.StructField{})
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			add("", v.Index(i), reflect.StructField{})
		}
		return "[" + strings.Join(parts, ",") + "]", all
	case reflect.Map:
		values := make(map[string]reflect.Value)
		for _, key := range v.MapKeys() {
			text, ok := writeJSON(key, reflect.StructField{})
			name := text
			json.Unmarshal([]byte(text), &name) // of an integer it is the text
			values[name], all = v.MapIndex(key), all && ok
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			add(marshalText(name)+":", values[name], reflect.StructField{})
		}
		return "{" + strings.Join(parts, ",") + "}", all
	case reflect.Struct:
		if v.FieldByName("ByType").IsValid() {
			return writeByType(v)
		}
		eachField(v, nil, func(f reflect.StructField, x reflect.Value) {
			name, _, optional := fieldSource(f, "", true)
			if !optional || !x.IsZero() {
				add(fmt.Sprintf("%q:", name), x, f)
			}
		})
		return "{" + strings.Join(parts, ",") + "}", all
	case reflect.String:
		return marshalText(v.String()), true
	}
	text, err := json.Marshal(v.Interface())
	return string(text), err == nil
}

// writeByType is writeJSON for a union by JSON type, which has one alternative.
func writeByType(v reflect.Value) (text string, ok bool) {
	for i := 1; i < v.NumField(); i++ {
		if v.Field(i).IsNil() {
			continue
		}
		if text != "" {
			return "null", false
		}
		text, ok = writeJSON(v.Field(i), reflect.StructField{})
	}
	return cmp.Or(text, "null"), ok
}

// marshalText returns the JSON string with this content.
func marshalText(s string) string {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.Encode(string([]rune(s))) // with U+FFFD for what is not UTF-8
	return strings.TrimSuffix(buf.String(), "\n")
}

// inputs generates values: most keep to the tags, and wild ones now and then do not.
type inputs struct {
	*rand.Rand
	wild   bool
	stored bool // values for a Codec, which writes false where the default is true
}

// fill sets v to a generated value. tag is that of its field.
func (g *inputs) fill(v reflect.Value, tag reflect.StructTag, depth int) {
	wild := g.wild && g.IntN(6) == 0
	if g.IntN(12) == 0 && !strings.Contains(string(tag), "minItems") {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case interface{ SetNull() }: // an Optional
		if x.SetNull(); g.IntN(4) > 0 {
			set := v.Addr().MethodByName("Set")
			value := reflect.New(set.Type().In(0)).Elem()
			g.fill(value, tag, depth+1)
			set.Call([]reflect.Value{value})
		}
		return
	case *time.Time:
		*x = time.Unix(g.Int64N(4e9), g.Int64N(1e9)).In([]*time.Location{time.UTC, time.FixedZone("", 5400)}[g.IntN(2)])
		if wild && g.IntN(4) == 0 {
			*x = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		return
	case *time.Duration:
		*x = time.Duration(g.Int64()>>g.IntN(63)) * time.Duration(1-2*g.IntN(2))
		return
	case *[]byte:
		*x = []byte(g.text(12))
		return
	case *json.Number:
		*x = json.Number(pick(g, "0", "-1.50", "1e400", "9007199254740993", "12"))
		if wild {
			*x = json.Number(pick(g, "x", "01", "1.", " 1"))
		}
		return
	case *json.RawMessage:
		*x = json.RawMessage(pick(g, `{"a":[1, 2]}`, `null`, ` "x"`, `1e2`))
		if wild {
			*x = json.RawMessage(pick(g, `{"a":`, `x`))
		}
		return
	case *any:
		*x = [...]any{nil, 1.5, "ü<", true, map[string]any{"b": []any{}, "a": nil}, []any{"x"}}[g.IntN(6)]
		return
	case *netip.Addr:
		*x = netip.MustParseAddr(pick(g, "10.0.0.1", "::1", "fe80::1%eth0", "2001:db8::"))
		return
	case *kitchen.Money:
		x.Cents = g.Int64N(1e6 + 1)
		if wild {
			x.Cents = pick[int64](g, -1, 1e6+1, 1<<53)
		}
		return
	case *kitchen.Choice:
		alternatives := 1
		if x.ID = int32(g.IntN(9)); wild {
			x.ID, alternatives = -x.ID, g.IntN(3)
		}
		for range alternatives {
			i := 2 + g.IntN(4)
			v.Field(i).Set(reflect.New(v.Field(i).Type().Elem()))
			if g.fill(v.Field(i).Elem(), "", depth+1); g.IntN(2) == 0 {
				x.Type = v.Type().Field(i).Tag.Get("variant")
			}
		}
		if x.Number != nil && !g.stored {
			x.Number.Exact = true // Call sets no defaults inside of structs
		}
		return
	case *kitchen.Prose:
		g.fillByType(v, depth, wild)
		return
	case *kitchen.Hue:
		g.fillByType(v, depth, wild)
		return
	case *kitchen.Opaque:
		x.UnmarshalJSON([]byte(pick(g, `[1]`, `"a"`, `{"b":null}`)))
		return
	}
	g.fillKind(v, tag, depth, wild)
}

// fillByType is fill for a union by JSON type. A wild one has no alternative or two.
func (g *inputs) fillByType(v reflect.Value, depth int, wild bool) {
	alternatives := 1
	if wild {
		alternatives = g.IntN(3)
	}
	for range alternatives {
		switch f := v.Field(1 + g.IntN(v.NumField()-1)); f.Kind() {
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			g.fill(f.Index(0), "", depth+1)
		default:
			f.Set(reflect.New(f.Type().Elem()))
			g.fill(f.Elem(), "", depth+1)
		}
	}
}

// fillKind is fill for types without a form of their own.
func (g *inputs) fillKind(v reflect.Value, tag reflect.StructTag, depth int, wild bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if depth < 5 && g.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			g.fill(v.Elem(), tag, depth+1)
		}
	case reflect.Bool:
		v.SetBool(g.IntN(2) == 0)
	case reflect.String:
		v.SetString(g.tagged(tag, wild))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(g.number(tag, wild, g.Int64()>>(64-v.Type().Bits()+g.IntN(v.Type().Bits()-1)))))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(g.number(tag, wild, int64(g.Uint64()>>(65-v.Type().Bits()+g.IntN(v.Type().Bits()-1))))))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(g.float(tag, wild))
	case reflect.Slice:
		n := g.IntN(4)
		if depth > 3 {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			g.fill(v.Index(i), "", depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			g.fill(v.Index(i), "", depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for n := g.IntN(3); n > 0 && depth < 4; n-- {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			g.fill(key, "", depth+1)
			g.fill(value, "", depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				g.fill(v.Field(i), f.Tag, depth+1)
			}
		}
	}
}

// tagged returns a string by the tags of its field.
func (g *inputs) tagged(tag reflect.StructTag, wild bool) string {
	switch {
	case wild:
		return pick(g, "", ".", "..", "a/b", "%2F+ ;&=#?", "ü\x00\"\\", "\xff", "a\nb", " pad ", "long long long", "a;b", `"quoted"`)
	case tag.Get("enum") != "":
		return pick(g, strings.Split(tag.Get("enum"), ",")...)
	case strings.HasPrefix(tag.Get("pattern"), "^[A-Z]"):
		return "AB-1"
	case tag.Get("pattern") == "^[a-z]+$":
		return "a"
	case tag.Get("pattern") != "":
		return "a1"
	}
	return g.text(4)
}

// text returns a text of at most n characters.
func (g *inputs) text(n int) string {
	s := make([]rune, g.IntN(n+1))
	for i := range s {
		s[i] = pick(g, []rune("abcXYZ019 ü漢😀&/%+\"'<>")...)
	}
	return string(s)
}

// number returns an integer by the tags of its field.
func (g *inputs) number(tag reflect.StructTag, wild bool, anything int64) int64 {
	number := func(name string, otherwise int64) int64 {
		n := otherwise
		fmt.Sscan(tag.Get(name), &n)
		return n
	}
	switch {
	case wild || !strings.ContainsAny(string(tag), "m") || tag.Get("minimum")+tag.Get("maximum")+tag.Get("enum")+tag.Get("exclusiveMinimum")+tag.Get("multipleOf") == "":
		return anything
	case tag.Get("enum") != "":
		n := int64(0)
		fmt.Sscan(pick(g, strings.Split(tag.Get("enum"), ",")...), &n)
		return n
	case tag.Get("multipleOf") != "":
		return number("multipleOf", 1) * g.Int64N(9)
	}
	low := max(number("minimum", -5), number("exclusiveMinimum", -6)+1)
	high := min(number("maximum", 100), number("exclusiveMaximum", 101)-1)
	return low + g.Int64N(max(1, high-low+1))
}

// float returns a float by the tags of its field.
func (g *inputs) float(tag reflect.StructTag, wild bool) float64 {
	switch {
	case wild:
		return pick(g, 0.1, 1e300, -2.5, 25.1, 3e-45, 0.3)
	case tag.Get("enum") != "":
		return pick(g, 0.5, 1, 1e3)
	case tag.Get("multipleOf") != "":
		return pick(g, 0.5, 2, 1)
	case strings.Contains(string(tag), "inimum"):
		return pick(g, 0.5, 0.25, 0.001)
	}
	return g.NormFloat64() * 1e3
}

// pick returns one of the values.
func pick[T any](g *inputs, values ...T) T { return values[g.IntN(len(values))] }
