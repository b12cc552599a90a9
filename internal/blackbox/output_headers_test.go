package blackbox_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests the fields of outputs that are headers of the response.

type (
	HeadAPI interface {
		Create(context.Context, *HeadIn) (*HeadOut, error)
		Get(context.Context, *HeadIn) (*HeadOut, error)
		List(context.Context) (*HeadList, error)
		Only(context.Context) (*HeadOnly, error)
		Watch(context.Context) (svc.Stream[HeadOut], error)
	}
	HeadIn struct {
		ID    string `json:"id" path:"id"`
		Value string `json:"value,omitempty" query:"value"`
	}
	HeadOut struct {
		ID       string        `json:"id"`
		ETag     string        `json:"etag,omitempty" header:"ETag" doc:"Of this version."`
		Location string        `json:"-" header:"Location"`
		Count    int           `json:"count" header:"X-Count" minimum:"0"`
		Ratio    float64       `json:"-" header:"X-Ratio"`
		Flag     bool          `json:"-" header:"X-Flag"`
		Maybe    *string       `json:"maybe" header:"X-Maybe"`
		Cookies  []string      `json:"-" header:"Set-Cookie"`
		Next     string        `json:"-" header:"Link"`
		Changed  time.Time     `json:"-" header:"Last-Modified"`
		Wait     time.Duration `json:"-" header:"x-wait"`
		Blob     []byte        `json:"-" header:"X-Blob"`
		Address  netip.Addr    `json:"-" header:"X-Address"`
	}
	HeadList struct {
		Items []HeadOut `json:"items"`
		Total int       `json:"-" header:"X-Total"`
	}
	HeadOnly struct {
		Place string `json:"place" header:"Location"`
	}
	headImpl struct{}
)

func (headImpl) Create(ctx context.Context, in *HeadIn) (*HeadOut, error) {
	info, _ := svc.InfoFrom(ctx)
	if info.Header != nil {
		info.Header.Add("Set-Cookie", "z=26")
		info.Header.Add("Link", "</old>")
		info.Header.Set("Last-Modified", "never")
		info.Header.Set("Content-Language", "en")
		info.Header.Set("Content-Location", "/there")
		info.Header.Set("Cache-Control", "private")
	}
	return &HeadOut{
		ID: in.ID, ETag: `"v1"`, Location: "/heads/" + in.Value, Count: 7, Ratio: 0.5, Flag: true, Maybe: &in.Value,
		Cookies: []string{"a=1", "b=2; HttpOnly"}, Next: "</next>", Changed: time.Date(2026, 11, 21, 9, 0, 0, 5, time.FixedZone("", 3600)),
		Wait: 1500 * time.Nanosecond, Blob: []byte{255}, Address: netip.MustParseAddr("::1"),
	}, nil
}

func (h headImpl) Get(ctx context.Context, in *HeadIn) (*HeadOut, error) {
	out, err := h.Create(ctx, &HeadIn{ID: in.ID})
	switch in.ID {
	case "none":
		out = &HeadOut{}
	case "weak":
		out.ETag = `W/"v1"`
	case "etag":
		out.ETag = in.Value
	case "fails":
		err = svc.Errorf(svc.CodeNotFound, "no")
	case "value":
		out.Location = in.Value
	case "cookie":
		out.Cookies = []string{"a=1", in.Value}
	case "year":
		out.Changed = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return out, err
}

func (h headImpl) List(ctx context.Context) (*HeadList, error) {
	out, err := h.Create(ctx, &HeadIn{Value: "x"})
	return &HeadList{[]HeadOut{*out}, 1}, err
}

func (headImpl) Only(context.Context) (*HeadOnly, error) { return &HeadOnly{"/here"}, nil }

func (h headImpl) Watch(ctx context.Context) (svc.Stream[HeadOut], error) {
	return func(yield func(*HeadOut, error) bool) { yield(&HeadOut{ID: "1", ETag: `"v1"`}, nil) }, nil
}

// headService returns a service whose outputs have headers.
func headService() *svc.Service {
	return svc.MustRegister[HeadAPI](headImpl{}, &svc.Options{Resource: "heads", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Create": {Status: 201, HTTP: "POST /heads/{id}"},
		"Watch":  {HTTP: "GET /heads/watch"},
	}})
}

// Verify the headers and the body that outputs with header tags become over REST, and
// that the other transports have them as members.
func TestOutputHeaders(t *testing.T) {
	s := headService()
	a := answerTo(s.REST(), "POST", "/heads/5?value=v", "")
	for name, want := range map[string]string{
		"Etag": `"v1"`, "Location": "/heads/v", "X-Count": "7", "X-Ratio": "0.5", "X-Flag": "true", "X-Maybe": "v",
		"Set-Cookie": "z=26|a=1|b=2; HttpOnly", "Link": "</old>|</next>", "Last-Modified": "Sat, 21 Nov 2026 08:00:00 GMT", "X-Wait": "1.5us", "X-Blob": "/w==", "X-Address": "::1",
	} {
		if got := strings.Join(a.Header[name], "|"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := textOf(a); a.StatusCode != 201 || got != `{"id":"5"}` {
		t.Errorf("the answer is %d %s", a.StatusCode, got)
	}
	empty := answerTo(s.REST(), "GET", "/heads/none", "")
	for name := range empty.Header {
		if strings.HasPrefix(name, "X-") && name != "X-Count" && name != "X-Content-Type-Options" || name == "Etag" || name == "Location" {
			t.Errorf("an empty output has the header %s: %q", name, empty.Header[name])
		}
	}
	if got := empty.Header.Get("X-Count"); got != "0" {
		t.Errorf("X-Count is %q", got)
	}
	for _, test := range []struct{ path, body, header, value string }{
		{"/heads", `{"items":[{"id":"","etag":"\"v1\"","count":7,"maybe":"x"}]}`, "X-Total", "1"},
		{"/heads/watch", "data: {\"id\":\"1\",\"etag\":\"\\\"v1\\\"\",\"count\":0,\"maybe\":null}\n\nevent: done\ndata: {}\n\n", "X-Count", ""},
	} {
		t.Run(rowName(test.path, test.header), func(t *testing.T) {
			a := answerTo(s.REST(), "GET", test.path, "")
			if got := strings.TrimPrefix(textOf(a), ":\n\n"); got != test.body || a.Header.Get(test.header) != test.value {
				t.Errorf("%s: %s with %v", test.path, got, a.Header)
			}
		})
	}
	if a := answerTo(s.REST(), "POST", "/heads/only", ""); a.StatusCode != 200 || a.Header.Get("Location") != "/here" || textOf(a) != "{}" {
		t.Errorf("an output of headers alone: %d %v", a.StatusCode, a.Header)
	}
	rpc := answerTo(s.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"heads.get","params":{"id":"5"}}`, "Content-Type", "application/json")
	if got := textOf(rpc); !strings.Contains(got, `{"id":"5","etag":"\"v1\"","count":7,"maybe":""}`) || rpc.Header.Get("ETag") != "" {
		t.Errorf("over RPC: %s with %v", got, rpc.Header)
	}
}

type (
	PlaceAPI interface {
		Create(context.Context) (*HeadOnly, error)
		Get(context.Context, *HeadIn) (*StatusItem, error)
	}
	placeImpl struct{}
)

func (placeImpl) Create(context.Context) (*HeadOnly, error) { return &HeadOnly{"places/5"}, nil }

func (placeImpl) Get(_ context.Context, in *HeadIn) (*StatusItem, error) {
	return &StatusItem{in.ID}, nil
}

// Verify that a Location relative to the request leads to what was created, whatever
// prefix is in front of the routes.
func TestRelativeLocation(t *testing.T) {
	s := svc.MustRegister[PlaceAPI](placeImpl{}, &svc.Options{Resource: "places", Methods: map[string]svc.MethodOptions{"Create": {Status: 201}}})
	for prefix, h := range map[string]http.Handler{
		"":        s.REST(),
		"/v1":     s.At("/v1").REST(),
		"/api":    http.StripPrefix("/api", s.REST()),
		"/api/v1": http.StripPrefix("/api", s.At("/v1").REST()),
	} {
		created := answerTo(h, "POST", prefix+"/places", "")
		base, _ := url.Parse("https://h.example" + prefix + "/places")
		place, err := base.Parse(created.Header.Get("Location"))
		if err != nil || created.StatusCode != 201 {
			t.Fatal(created.StatusCode, err)
		}
		if a := answerTo(h, "GET", place.Path, ""); textOf(a) != `{"name":"5"}` {
			t.Errorf("below %q the Location %s is answered with %d", prefix, place, a.StatusCode)
		}
	}
}

// Verify that a value that no header can hold is INTERNAL, and that no part of it
// and of the output arrives.
func TestOutputHeaderInjection(t *testing.T) {
	server := httptest.NewServer(headService().REST())
	defer server.Close()
	for _, id := range []string{"value", "cookie"} {
		for _, value := range []string{"a\r\nSet-Cookie: x=1", "a\nb", "a\rb", "a\x00b", "ä", " a", "a ", "a\x7f", "\t", "a\x80"} {
			a, err := http.Get(server.URL + "/heads/" + id + "?value=" + url.QueryEscape(strings.ToValidUTF8(value, "\uFFFD")))
			if err != nil {
				t.Fatal(err)
			}
			if a.StatusCode != 500 || a.Header.Get("Location") != "" || a.Header.Get("ETag") != "" || slices.Contains(a.Header["Set-Cookie"], "a=1") {
				t.Errorf("%s %q: %d %v", id, value, a.StatusCode, a.Header)
			}
			a.Body.Close()
		}
	}
	for _, etag := range []string{"v1", `"a" "b"`, `"a b"`, `w/"a"`, `"`, `"a`, `W/`, `"a""`} {
		if a := answerTo(headService().REST(), "GET", "/heads/etag?value="+url.QueryEscape(etag), ""); a.StatusCode != 500 || a.Header.Get("ETag") != "" {
			t.Errorf("the ETag %s: %d %v", etag, a.StatusCode, a.Header)
		}
	}
	if a := answerTo(headService().REST(), "GET", "/heads/year", ""); a.StatusCode != 500 {
		t.Errorf("the year 10000: %d", a.StatusCode)
	}
}

// Verify what the document says of headers and of bodies without them.
func TestOutputHeadersInOpenAPI(t *testing.T) {
	for _, version := range []string{"3.0", "3.1"} {
		doc := documentOf(t, headService(), version)
		created := []string{"paths", "/heads/{id}", "post", "responses", "201"}
		for _, test := range []struct {
			names []string
			want  string
		}{
			{append(created, "content", "application/json", "schema"), `{"$ref":"#/components/schemas/HeadOutResponse"}`},
			{append(created, "headers", "ETag"), `{"description":"Of this version.","schema":{"type":"string"}}`},
			{append(created, "headers", "Location"), `{"schema":{"type":"string"}}`},
			{append(created, "headers", "Last-Modified"), `{"schema":{"type":"string"}}`},
			{append(created, "headers", "Set-Cookie"), `{"schema":{"type":"string"}}`},
			{append(created, "headers", "X-Count", "required"), `true`},
			{[]string{"components", "schemas", "HeadOutResponse"}, `{"properties":{"id":{"type":"string"}},"required":["id"],"type":"object"}`},
			{[]string{"components", "schemas", "HeadOut", "properties", "etag", "type"}, `"string"`},
			{[]string{"components", "schemas", "HeadOnlyResponse"}, `{"type":"object"}`},
			{[]string{"paths", "/heads", "get", "responses", "200", "content", "application/json", "schema"}, `{"$ref":"#/components/schemas/HeadList"}`},
			{[]string{"paths", "/heads/watch", "get", "responses", "200", "headers"}, ``},
		} {
			t.Run(rowName(version, test.names), func(t *testing.T) {
				if got := partOf(doc, test.names...); got != test.want {
					t.Errorf("%s: %v is %s\nwant %s", version, test.names, got, test.want)
				}
			})
		}
	}
}

type (
	OddHeadAPI interface {
		Create(context.Context) (*oddHeadOut, error)
	}
	oddHeadOut struct {
		Type    string    `json:"-" header:"Content-Type"`
		Day     string    `json:"-" header:"date"`
		Cors    string    `json:"-" header:"access-control-allow-origin"`
		Hop     string    `json:"-" header:"Keep-Alive"`
		Spaced  string    `json:"-" header:"X Y"`
		Struct  oddHeadIn `json:"-" header:"X-Struct"`
		Numbers []int     `json:"-" header:"X-Numbers"`
		Session string    `json:"session" cookie:"session"`
		Version int       `json:"-" header:"ETag"`
		First   string    `json:"-" header:"X-Twice"`
		Second  string    `json:"-" header:"x-twice"`

		Maybe svc.Optional[int] `json:"maybe,omitzero" header:"X-Maybe"`
	}
	oddHeadIn   struct{ Text string }
	oddHeadImpl struct{ OddHeadAPI }
)

// Verify that Register refuses headers that an output cannot have, and says why.
func TestOutputHeaderMistakes(t *testing.T) {
	_, err := svc.Register[OddHeadAPI](oddHeadImpl{}, nil)
	if err == nil {
		t.Fatal("accepted")
	}
	text := err.Error()
	for _, want := range []string{
		`Type: header:"Content-Type": svc sets it by the option ContentType of the method or the service; drop the field`,
		`Day: header:"date": svc, the server`, `Cors: header:"access-control-allow-origin": svc`, `Hop: header:"Keep-Alive": svc`,
		`Spaced: header:"X Y": want the name of a header`,
		`Struct: the type blackbox_test.oddHeadIn cannot be a header of a response, which is a scalar or a list of strings`,
		`Numbers: the type []int cannot be`,
		`Version: an ETag is one text in quotation marks`, `Second: First takes the header X-Twice too`, `Maybe: a header has no null; give the field the type int`,
		"Session: a cookie tag is for inputs; an output sets cookies by a field with the tag `header:\"Set-Cookie\"`",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n != 11 {
		t.Errorf("%d mistakes:\n%s", n, text)
	}
	for _, transports := range [][]svc.Transport{{svc.TransportRPC}, {svc.TransportMCP, svc.TransportRPC}} {
		o := &svc.Options{Methods: map[string]svc.MethodOptions{"Create": {Transports: transports}}}
		if _, err := svc.Register[OddHeadAPI](oddHeadImpl{}, o); err != nil {
			t.Errorf("without REST: %v", err)
		}
	}
}

type (
	OddOutAPI interface {
		Embeds(context.Context) (*oddOutTime, error)
	}
	oddOutTime struct {
		time.Time
		ETag string `json:"-" header:"ETag"`
	}
	oddOutImpl struct{ OddOutAPI }
)

// Verify that Register refuses an output whose headers would be lost.
func TestHeadersBesideJSON(t *testing.T) {
	_, err := svc.Register[OddOutAPI](oddOutImpl{}, nil)
	want := `Embeds: blackbox_test.oddOutTime.ETag: nothing reads header:"ETag", since blackbox_test.oddOutTime has methods for its own JSON; set the header by InfoFrom(ctx).Header`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
