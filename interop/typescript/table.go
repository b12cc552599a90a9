package main

import (
	"encoding/json"
	"net/netip"
	"strings"
	"time"

	"example.com/bookmarks"
	"example.com/svc/testdata/kitchen"
)

// A row is one call that each client makes. Input has the names of the wire; a Body in it is
// {"$body": {"type": …, "text": …}}, and in a form also the "name" of the file.
type row struct {
	Service  string          `json:"service"`
	Call     string          `json:"call"` // the resource and the method in TypeScript
	Input    json.RawMessage `json:"input,omitempty"`
	Via      via             `json:"via"`
	unsized  bool            // the Body does not know its size, so that it is refused while it is sent
	Key      string          `json:"key,omitempty"` // in place of the one that the service accepts
	in       any             // of Connect, where encoding/json does not know the type
	sent     string          // by hand over REST in place of Connect, whose types cannot say it
	overREST bool            // it has a header or a status that only REST has
	refused  bool            // each client says in its own words that it cannot send it
	want     map[string]any  // what is in the error in TypeScript, where Go has another
}

// A via says what is wanted of a call.
type via string

// overREST marks a row.
func overREST(r *row) { r.overREST = true }

const (
	viaCall   via = "call"   // it returns or throws
	viaTry    via = "try"    // .try returns what call throws
	viaEvents via = "events" // a stream
	viaAll    via = "all"    // every page
	viaFile   via = "file"
)

// table returns the rows. Each client makes them in this order, on services that were reset.
func table() (rows []row) {
	add := func(service string, v via, call, input string, more ...func(*row)) {
		r := row{Service: service, Call: call, Via: v}
		if input != "" {
			r.Input = json.RawMessage(input)
		}
		for _, f := range more {
			f(&r)
		}
		rows = append(rows, r)
	}
	in := func(v any) func(*row) { return func(r *row) { r.in = v } }
	refused := func(r *row) { r.refused = true }
	instead := func(w map[string]any) func(*row) { return func(r *row) { r.want = w } }
	sent := func(request string) func(*row) { return func(r *row) { r.sent = request } }
	desk := func(v via, call, input string, more ...func(*row)) { add("desk", v, call, input, more...) }

	// Values, defaults, null, and headers as members.
	desk(viaCall, "tickets.create", `{"title":"Lamp","labels":["a","b"],"facts":{"__proto__":"x","ü":"😀\u2028"},"weight":1.5}`)
	desk(viaCall, "tickets.create", `{"title":"Pipe","mood":"wild","guest":{"name":"Ada","email":"ada@example.com"}}`)
	desk(viaTry, "tickets.create", `{"title":"Roof"}`)
	desk(viaTry, "tickets.create", `{"title":"Roof"}`) // same_title
	desk(viaCall, "tickets.create", `{"title":"Roof"}`)
	desk(viaCall, "tickets.get", `{"id":1}`)
	desk(viaTry, "tickets.get", `{"id":99}`)
	desk(viaCall, "tickets.get", `{"id":1,"ifNoneMatch":"\"1-Lamp-2\""}`,
		instead(map[string]any{"status": 304}))
	desk(viaCall, "tickets.get", `{"id":1,"ifNoneMatch":"\"other\""}`)
	desk(viaCall, "tickets.update", `{"id":1,"title":"Candle","ifMatch":"\"1-Lamp-2\""}`)
	desk(viaTry, "tickets.update", `{"id":1,"title":"Torch","ifMatch":"\"1-Lamp-2\""}`) // ticket_changed
	desk(viaCall, "tickets.patch", `{"id":1,"labels":null,"weight":null}`)
	desk(viaCall, "tickets.patch", `{"id":1,"labels":[]}`)
	desk(viaCall, "tickets.patch", `{"id":1,"title":"Bulb"}`)
	desk(viaTry, "tickets.patch", `{"id":1,"title":null}`, sent("PATCH /tickets/1 {\"title\":null}"))
	desk(viaCall, "tickets.search", `{"words":["o","ü"]}`)
	desk(viaCall, "tickets.search", `{"words":[]}`)
	desk(viaCall, "tickets.list", `{}`)
	desk(viaCall, "tickets.list", `{"page":2,"per_page":1}`)
	desk(viaCall, "tickets.list", `{"mood":["wild","calm"]}`)
	desk(viaAll, "tickets.list", `{"per_page":2}`)
	desk(viaAll, "tickets.feed", `{"limit":2}`)
	desk(viaCall, "tickets.feed", `{"cursor":"no cursor"}`)
	desk(viaCall, "tickets.delete", `{"id":3}`)
	desk(viaCall, "tickets.delete", `{"id":3}`)

	// Violations: in which order, where, and with which limit.
	desk(viaTry, "tickets.create", `{"title":""}`)
	desk(viaTry, "tickets.create", `{"title":"123456789012345678901","labels":["a","a","B","c"],"weight":-1}`)
	desk(viaTry, "tickets.create", `{"title":"x","guest":{"name":"","email":"none"}}`)
	desk(viaTry, "tickets.create", `{"title":"x","mood":"odd"}`)
	desk(viaTry, "tickets.create", `{"title":7,"weight":"1"}`, sent(`POST /tickets {"title":7,"weight":"1"}`))
	desk(viaTry, "tickets.create", `{}`, sent(`POST /tickets {}`))
	desk(viaTry, "tickets.get", `{"id":0}`)
	desk(viaCall, "tickets.list", `{"page":-1,"per_page":1000}`)

	// A union.
	desk(viaCall, "tickets.pay", `{"id":1,"how":{"kind":"card","cents":5,"number":"4111"}}`, in(&Payment{ID: 1, How: How{Kind: "card", Cents: 5, Card: &Card{"4111"}}}))
	desk(viaCall, "tickets.pay", `{"id":1,"how":{"kind":"iban","cents":5,"iban":"DE123","holder":"Ada"}}`, in(&Payment{ID: 1, How: How{Kind: "iban", Cents: 5, IBAN: &IBAN{"DE123", "Ada"}}}))
	desk(viaCall, "tickets.pay", `{"id":1,"how":{"kind":"cash","cents":1000}}`, in(&Payment{ID: 1, How: How{Kind: "cash", Cents: 1000, Cash: &struct{}{}}}))
	desk(viaTry, "tickets.pay", `{"id":1,"how":{"kind":"cash","cents":1001}}`, in(&Payment{ID: 1, How: How{Kind: "cash", Cents: 1001, Cash: &struct{}{}}}))
	desk(viaTry, "tickets.pay", `{"id":1,"how":{"kind":"card","cents":0,"number":"x"}}`, in(&Payment{ID: 1, How: How{Kind: "card", Card: &Card{"x"}}}))
	desk(viaTry, "tickets.pay", `{"id":1,"how":{"kind":"gold","cents":1}}`, sent(`POST /tickets/1/pay {"how":{"kind":"gold","cents":1}}`))

	// Each code, with reasons, details, headers and statuses. Calls that may run twice are
	// not here.
	for _, code := range []string{"NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION", "ABORTED", "PERMISSION_DENIED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN", "UNIMPLEMENTED", "OUT_OF_RANGE", "DATA_LOSS", "CANCELED", "UNAVAILABLE"} {
		desk(viaTry, "tickets.fail", `{"code":"`+code+`","message":"it is so","reason":"as_told","detail":"more"}`)
		desk(viaCall, "tickets.fail", `{"code":"`+code+`","retryAfter":7}`)
	}
	desk(viaTry, "tickets.fail", `{"code":"FAILED_PRECONDITION","status":418}`)
	desk(viaTry, "tickets.fail", `{"code":"INVALID_ARGUMENT","message":"odd","place":"/detail"}`)

	// Streams: to the end, without anything, and with an error behind items.
	desk(viaEvents, "tickets.watch", `{"to":40}`)
	desk(viaEvents, "tickets.watch", `{"after":38,"to":40}`)
	desk(viaEvents, "tickets.watch", `{"to":0}`)
	desk(viaEvents, "tickets.tail", `{"to":20}`)
	desk(viaEvents, "tickets.tail", `{"to":3,"code":"ABORTED"}`)
	desk(viaEvents, "tickets.tail", `{"to":0,"code":"NOT_FOUND"}`)
	desk(viaEvents, "tickets.watch", `{"to":1,"after":-1}`, overREST) // the name of the header in the violation

	// Files, and a resource that is no identifier.
	desk(viaCall, "tickets.attach", `{"id":1,"note":"a b&c=ü","photo":{"$body":{"type":"image/png","text":"PNG…"}}}`)
	desk(viaCall, "tickets.attach", `{"id":1,"photo":{"$body":{"type":"image/jpeg","text":""}}}`)
	desk(viaTry, "tickets.attach", `{"id":1,"photo":{"$body":{"type":"text/plain","text":"x"}}}`, refused)
	desk(viaFile, "tickets.attachment", `{"id":7}`)
	desk(viaFile, "tickets.attachment", `{"id":404}`)
	desk(viaCall, "things-x.make", `{"name":"lamp"}`)
	desk(viaCall, "things-x.make", `{"name":"lamp"}`)
	desk(viaCall, "things-x.add", `{"name":"pipe"}`)
	desk(viaCall, "things-x.made", `{"name":"lamp"}`)

	addKitchen(add, in, refused)
	addBookmarks(add, in)
	addPayments(add, refused, instead)
	addEntries(add, in, refused, sent, instead)
	return rows
}

// addEntries adds calls with forms, chosen statuses, reads with a body, and keys in two places.
func addEntries(add func(string, via, string, string, ...func(*row)), in func(any) func(*row), refused func(*row), sent func(string) func(*row), instead func(map[string]any) func(*row)) {
	entry := func(v via, call, input string, more ...func(*row)) {
		add("entries", v, "entries."+call, input, more...)
	}
	file := func(kind, name, text string) string {
		body, err := json.Marshal(map[string]any{"$body": map[string]string{"type": kind, "name": name, "text": text}})
		check(err)
		return string(body)
	}

	// Forms: fields of each kind, what is absent, what the rules refuse, and what Go cannot say.
	age, since, note := int8(0), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ""
	entry(viaCall, "apply", `{"id":7,"round":3,"account":"a b","name":"Ada & Bob=ü+%","agrees":true,"age":0,"big":"18446744073709551615","ratio":-1e-7,"since":"2026-01-02T03:04:05Z","wait":"1h2m3s","sign":"AAF/","from":"::1","mood":"wild","email":"ada@example.com","note":"","tags":["a,b","ü \r\n😀",""],"sizes":[1,-128,127],"moods":["calm","wild"]}`,
		in(&Application{ID: 7, Round: 3, Account: "a b", Name: "Ada & Bob=ü+%", Agrees: true, Age: &age, Big: 1<<64 - 1, Ratio: -1e-7, Since: &since, Wait: time.Hour + 2*time.Minute + 3*time.Second, Sign: []byte{0, 1, 127}, From: netip.MustParseAddr("::1"), Mood: "wild", Email: "ada@example.com", Note: &note, Tags: []string{"a,b", "ü \r\n😀", ""}, Sizes: []int8{1, -128, 127}, Moods: []Mood{"calm", "wild"}}))
	entry(viaCall, "apply", `{"id":7,"name":"Ada","agrees":false}`)
	entry(viaTry, "apply", `{"id":0,"round":10,"name":"A","agrees":true,"age":-1,"ratio":1,"email":"none","note":"1234567890","tags":["a","a","b","c"]}`)
	entry(viaTry, "apply", `{"id":7,"name":"Ada","agrees":true,"mood":"odd","moods":["calm","odd"]}`)
	entry(viaTry, "apply", `{"id":7,"name":7,"agrees":"maybe","age":"old","since":"now","wait":"long","sign":"?","from":"here","sizes":[1,300,"x"],"big":"-1"}`,
		sent(`POST /entries/7/apply name=7&agrees=maybe&age=old&since=now&wait=long&sign=%3F&from=here&sizes=1&sizes=300&sizes=x&big=-1`))
	entry(viaTry, "apply", `{"id":7}`, sent(`POST /entries/7/apply `))

	// Forms with a file: its name and type, one that is too large by little and by much, of another
	// type, and none at all.
	entry(viaCall, "send", `{"title":"Cat","tags":["a","b"],"file":`+file("image/png", "größe (1).png", "PNG\r\n--…")+`}`)
	entry(viaCall, "send", `{"title":"Empty","file":`+file("text/csv", "a.csv", "")+`}`)
	entry(viaTry, "send", `{"title":"","tags":["a","b","c"],"file":`+file("text/csv", "a.csv", "x")+`}`)
	entry(viaTry, "send", `{"title":"Large","file":`+file("text/csv", "a.csv", strings.Repeat("x", 1001))+`}`, func(r *row) { r.unsized = true })
	entry(viaTry, "send", `{"title":"Larger","file":`+file("text/csv", "a.csv", strings.Repeat("x", 100_000))+`}`)
	entry(viaTry, "send", `{"title":"Page","file":`+file("text/html", "a.html", "x")+`}`, refused)
	entry(viaCall, "drop", `{"title":"One","file":`+file("application/pdf", "a.pdf", "%PDF")+`}`)
	entry(viaCall, "drop", `{"title":"None"}`)
	entry(viaCall, "drop", `{}`)
	entry(viaTry, "drop", `{"title":"123456","file":`+file("application/pdf", "a.pdf", "%PDF")+`}`)

	// The method chooses the status.
	entry(viaCall, "save", `{"id":1,"title":"Old"}`)
	entry(viaCall, "save", `{"id":4,"title":"New"}`)
	entry(viaTry, "save", `{"id":4,"title":""}`)

	// Reads with a body: QUERY.
	entry(viaCall, "find", `{"words":["a","ü"]}`)
	entry(viaCall, "find", `{"words":["a"],"page":2,"per_page":2}`)
	entry(viaAll, "find", `{"words":["a","b"],"per_page":4}`)
	entry(viaTry, "find", `{"words":[],"per_page":1000}`)
	entry(viaCall, "look", `{"id":3,"title":"x"}`, overREST) // the status that 0 stands for
	entry(viaCall, "look", `{"id":3,"title":"x","ifNoneMatch":"\"2\""}`, overREST)
	entry(viaCall, "look", `{"id":3,"title":"x","ifNoneMatch":"\"1\""}`, instead(map[string]any{"status": 304}))
	entry(viaTry, "look", `{"id":4,"title":"x"}`)
	entry(viaTry, "look", `{"id":3,"title":""}`)
	entry(viaEvents, "follow", `{"to":20}`)
	entry(viaEvents, "follow", `{"after":18,"to":20}`)
	entry(viaEvents, "follow", `{"to":1,"after":-1}`, overREST)

	// The key: in the query by this service, in a cookie by the other.
	stale := func(r *row) { r.Key = "stale" }
	for _, service := range []string{"entries", "members"} {
		key := func(v via, call, input string, more ...func(*row)) { add(service, v, service+"."+call, input, more...) }
		key(viaCall, "whose", ``)
		key(viaTry, "whose", ``, stale)
		key(viaCall, "find", `{"words":["a"],"per_page":1}`)
		key(viaTry, "find", `{"words":["a"]}`, stale)
		key(viaCall, "save", `{"id":4,"title":"New"}`)
		key(viaTry, "save", `{"id":4,"title":"New"}`, stale)
		key(viaCall, "apply", `{"id":7,"name":"Ada","agrees":true}`)
		key(viaCall, "send", `{"title":"Cat","file":`+file("image/png", "cat.png", "PNG")+`}`)
		key(viaEvents, "follow", `{"to":3}`)
		key(viaEvents, "follow", `{"to":3}`, stale)
	}
}

// addKitchen adds calls of the service that uses everything.
func addKitchen(add func(string, via, string, string, ...func(*row)), in func(any) func(*row), refused func(*row)) {
	sink := func(v via, call, input string, more ...func(*row)) { add("kitchen", v, call, input, more...) }
	sink(viaCall, "sinks.create", `{"int":-1,"int8":-128,"int16":32767,"int32":-2147483648,"int64":9007199254740991,"uint":1,"uint8":255,"uint16":65534,"uint32":4294967295,"uint64":9007199254740991,"float32":0.5,"float64":1e-7,"number":12.5,"bool":true}`)
	sink(viaCall, "sinks.list", `{"required":"ä ö&+/?#%","text":"1234","limit":5,"tiny":-3,"unsigned":7,"ratio":0.1,"number":1.25,"on":true,"since":"2026-01-02T03:04:05.6Z","blob":"AAF/","from":"::1","tags":["a,b","c"],"sizes":[1,-2],"shade":"green","depths":[1,300],"words":["a","b c"],"sort":"desc","quoted":"12"}`,
		in(sinkQuery()))
	sink(viaCall, "sinks.list", `{"required":""}`)
	sink(viaTry, "sinks.list", `{"required":"x","text":"12345","limit":0,"shade":"pink","words":["","12345"],"sort":"up"}`,
		in(&kitchen.Query{Required: "x", Text: "12345", Limit: -1, Shade: "pink", Words: []string{"", "12345"}, Sort: "up"}), func(r *row) {
			r.Input = json.RawMessage(`{"required":"x","text":"12345","limit":-1,"shade":"pink","words":["","12345"],"sort":"up"}`)
		})
	sink(viaCall, "sinks.get", `{"id":7}`)
	sink(viaCall, "sinks.get", `{"id":-1}`)
	sink(viaCall, "sinks.update", `{"id":"a1","force":true,"name":"n","inner":{"id":3,"name":"x"},"tags":["t"]}`)
	sink(viaCall, "sinks.update", `{"id":"","name":"n"}`, refused)
	sink(viaCall, "sinks.update", `{"id":"..","name":"n"}`, refused)
	sink(viaTry, "sinks.update", `{"id":"A/ b?#%2e","name":""}`)
	sink(viaCall, "sinks.patch", `{"id":"a1","name":"m","inner":null,"tags":[]}`)
	sink(viaCall, "sinks.delete", `{"id":7}`)
	sink(viaCall, "sinks.archive", ``)
	sink(viaCall, "sinks.count", ``)
	sink(viaCall, "sinks.empty", ``)
	sink(viaCall, "sinks.forget", `{"id":7}`)
	sink(viaCall, "tools.readTool", ``)
	sink(viaCall, "tools.replaceTool", `{"name":"saw","handle":"oak","ifMatch":"\"1\""}`)
	sink(viaTry, "tools.replaceTool", `{"name":"saw","handle":"oak","ifMatch":"\"2\""}`)
	sink(viaCall, "sinks.pages", `{"page":2,"name":"x"}`)
	sink(viaEvents, "sinks.watch", `{"after":5}`)
	sink(viaCall, "sinks.echoTexts", `{"string":"\u0000\u2028</script>😀","named":"x","time":"2026-01-02T03:04:05Z","duration":"1h2m3s","bytes":"AAF/","address":"::1","uuid":"00000000-0000-0000-0000-000000000000"}`, in(sinkTexts()))
	sink(viaCall, "sinks.echoTree", `{"value":1,"left":{"value":2,"right":null},"right":null,"children":[{"value":3,"right":null}]}`)
	sink(viaCall, "sinks.echoChoice", `{"needed":{"type":"text","id":1,"value":"abc","color":"red"},"other":{"type":"none","id":2},"maybe":null}`, in(sinkChoice()))
	sink(viaCall, "sinks.echoQuoted", `{"int8":"1","int":"2","int64":"3","uint8":"4","uint64":"18446744073709551615","float":"0.5","bool":"true","string":"\"s\"","pointer":null}`)
	sink(viaCall, "sinks.echoFree", `{"any":{"a":[1,null,"x"]},"raw":[true],"money":5,"opaque":"o","maybe":null}`)
}

// addPayments adds calls of a service with errors of its own form.
func addPayments(add func(string, via, string, string, ...func(*row)), refused func(*row), instead func(map[string]any) func(*row)) {
	add("payments", viaCall, "payments.create", `{"amount":5}`)
	add("payments", viaTry, "payments.create", `{"amount":0}`, instead(map[string]any{"code": "INVALID_ARGUMENT", "status": 422, "form": map[string]any{"errors": []any{map[string]any{"code": "invalid", "field": "amount", "message": "must be at least 1"}}}}))
	add("payments", viaTry, "payments.refund", `{"id":"p1"}`, instead(map[string]any{"code": "ALREADY_EXISTS", "status": 409, "retryAfter": 60, "form": map[string]any{"errors": []any{map[string]any{"code": "already_exists", "message": "already refunded"}}}}))

	// A text of several segments.
	for _, path := range []string{"2026.pdf", "2026/11/may be ü?#%.pdf", ".hidden/...", "a%2Fb/%2e%2e"} {
		add("payments", viaCall, "payments.statement", `{"account":"a/1","path":"`+path+`"}`)
	}
	for _, path := range []string{"", "/", "a/", "/a", "a//b", "..", "a/./b", "a/..", strings.Repeat("a/", 20) + "b"} {
		add("payments", viaTry, "payments.statement", `{"account":"a","path":"`+path+`"}`, refused)
	}
}

// addBookmarks adds calls of the example.
func addBookmarks(add func(string, via, string, string, ...func(*row)), in func(any) func(*row)) {
	mark := func(v via, call, input string, more ...func(*row)) { add("bookmarks", v, call, input, more...) }
	link := func(url string) *bookmarks.NewBookmark {
		return &bookmarks.NewBookmark{Title: "Go", Item: bookmarks.Item{Kind: "link", Link: &bookmarks.Link{URL: url}}, Tags: []string{"go"}}
	}
	mark(viaCall, "bookmarks.create", `{"title":"Go","item":{"kind":"link","url":"https://go.dev"},"tags":["go"]}`, in(link("https://go.dev")))
	mark(viaTry, "bookmarks.create", `{"title":"Go","item":{"kind":"link","url":"https://go.dev"},"tags":["go"]}`, in(link("https://go.dev")))
	mark(viaTry, "bookmarks.create", `{"title":"Go","item":{"kind":"link","url":"go"},"tags":["go"]}`, in(link("go")))
	mark(viaCall, "bookmarks.create", `{"title":"Say","item":{"kind":"note","text":"hello"}}`, in(&bookmarks.NewBookmark{Title: "Say", Item: bookmarks.Item{Kind: "note", Note: &bookmarks.Note{Text: "hello"}}}))
	mark(viaAll, "bookmarks.list", `{"limit":1}`)
	mark(viaCall, "bookmarks.get", `{"id":1}`)
	mark(viaTry, "bookmarks.get", `{"id":99}`)
	mark(viaCall, "bookmarks.patch", `{"id":1,"title":"Go!","tags":null,"if_match":"\"1.1\""}`)
	mark(viaTry, "bookmarks.patch", `{"id":1,"title":"Go?","if_match":"\"1.1\""}`)
	mark(viaEvents, "bookmarks.watch", `{"after":0}`)
	mark(viaCall, "bookmarks.import", `{"table":{"$body":{"type":"text/csv","text":"https://a.example,A,x y\n"}}}`)
	mark(viaFile, "bookmarks.export", ``, overREST) // the type by the tag
	mark(viaCall, "bookmarks.delete", `{"id":1}`)
}
