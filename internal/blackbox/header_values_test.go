package blackbox_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

type (
	// DatedAPI reads dates and entity tags from headers, and sends them.
	DatedAPI interface {
		Since(context.Context, *DatedIn) (*DatedOut, error)
		Required(context.Context, *DatedNeed) (*DatedOut, error)
		Tagged(context.Context, *DatedTags) (*DatedOut, error)
		Change(context.Context, *DatedTags) (*DatedOut, error)
		List(context.Context, *DatedList) (*DatedTexts, error)
		Last(context.Context) (*DatedLast, error)
		Search(context.Context, *DatedBody) (*DatedTexts, error)
	}
	DatedIn struct {
		Since   time.Time  `json:"since" header:"If-Modified-Since,omitempty"`
		Until   *time.Time `json:"until" header:"If-Unmodified-Since,omitempty"`
		Other   time.Time  `json:"other" header:"X-Since,omitempty" doc:"From when."`
		Default time.Time  `json:"default" header:"X-Default" default:"2020-01-02T03:04:05Z"`
	}
	DatedNeed struct {
		Since time.Time `json:"since" header:"If-Modified-Since"`
	}
	DatedTags struct {
		Match string  `json:"-" header:"If-Match,omitempty"`
		None  *string `json:"-" header:"If-None-Match,omitempty"`
	}
	DatedList struct {
		ETag     string `json:"etag,omitempty" query:"etag"`
		Modified string `json:"modified,omitempty" query:"modified"`
	}
	DatedBody struct {
		ETag string `json:"etag,omitempty"`
	}
	DatedOut struct {
		Text string `json:"text"`
	}
	DatedLast struct {
		Last time.Time `json:"-" header:"Last-Modified"`
		Text string    `json:"text"`
	}
	DatedTexts []string
	dated      struct{}
)

func (dated) Since(_ context.Context, in *DatedIn) (*DatedOut, error) {
	list := []time.Time{in.Since, in.Other, in.Default}
	if in.Until != nil {
		list = append(list, *in.Until)
	}
	text := ""
	for _, t := range list {
		text += " " + t.Format(time.RFC3339Nano)
	}
	return &DatedOut{strings.ReplaceAll(text[1:], "0001-01-01T00:00:00Z", "-")}, nil
}
func (dated) Required(_ context.Context, in *DatedNeed) (*DatedOut, error) {
	return &DatedOut{in.Since.Format(time.RFC3339)}, nil
}
func (dated) Tagged(_ context.Context, in *DatedTags) (*DatedOut, error) {
	return &DatedOut{in.Match}, nil
}
func (dated) Change(_ context.Context, in *DatedTags) (*DatedOut, error) {
	return &DatedOut{in.Match}, nil
}
func (dated) Last(context.Context) (*DatedLast, error) {
	return &DatedLast{time.Date(2026, 1, 2, 3, 4, 5, 999, time.UTC), "x"}, nil
}
func (d dated) Search(ctx context.Context, in *DatedBody) (*DatedTexts, error) {
	return d.List(ctx, &DatedList{ETag: in.ETag})
}
func (dated) List(ctx context.Context, in *DatedList) (*DatedTexts, error) {
	info, _ := svc.InfoFrom(ctx)
	for name, value := range map[string]string{"ETag": in.ETag, "Last-Modified": in.Modified} {
		if value != "" {
			info.Header.Set(name, value)
		}
	}
	return &DatedTexts{"x"}, nil
}

func datedOptions() *svc.Options {
	return &svc.Options{Resource: "d", Methods: map[string]svc.MethodOptions{
		"Since": {HTTP: "GET /since"}, "Required": {HTTP: "GET /required"}, "Tagged": {HTTP: "GET /tagged"}, "Change": {HTTP: "PUT /tagged"},
		"List": {HTTP: "GET /list"}, "Last": {HTTP: "GET /last"}, "Search": {HTTP: "QUERY /list"},
	}}
}

// Verify that a time in a header is an HTTP-date in any of its forms, or RFC 3339, and that an
// invalid condition counts as absent.
func TestHeaderDates(t *testing.T) {
	rest := svc.MustRegister[DatedAPI](dated{}, datedOptions()).REST()
	const all = "2020-01-02T03:04:05Z"
	for _, test := range []struct{ name, path, header, want string }{
		{"IMF-fixdate", "/since", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z - " + all},
		{"RFC 850", "/since", "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z - " + all},
		{"asctime", "/since", "If-Modified-Since: Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z - " + all},
		{"RFC 3339", "/since", "If-Modified-Since: 1994-11-06T08:49:37.5Z", "1994-11-06T08:49:37.5Z - " + all},
		{"an offset", "/since", "X-Since: 1994-11-06T08:49:37+01:00", "- 1994-11-06T08:49:37+01:00 " + all},
		{"a pointer", "/since", "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT", "- - " + all + " 1994-11-06T08:49:37Z"},
		{"another header", "/since", "X-Since: Sun, 06 Nov 1994 08:49:37 GMT", "- 1994-11-06T08:49:37Z " + all},
		{"instead of a default", "/since", "X-Default: Sun, 06 Nov 1994 08:49:37 GMT", "- - 1994-11-06T08:49:37Z"},
		{"an invalid condition", "/since", "If-Modified-Since: yesterday", "- - " + all},
		{"an empty condition", "/since", "If-Modified-Since: ", "- - " + all},
		{"another invalid condition", "/since", "If-Unmodified-Since: 12", "- - " + all},
		{"an invalid date", "/since", "X-Since: yesterday", "400 /X-Since must be an HTTP-date, such as Sun, 06 Nov 1994 08:49:37 GMT, or a date and time by RFC 3339"},
		{"required", "/required", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"},
		{"required and invalid", "/required", "If-Modified-Since: yesterday", "400 /If-Modified-Since is required"},
	} {
		t.Run(test.name, func(t *testing.T) {
			name, value, _ := strings.Cut(test.header, ": ")
			checkDated(t, answerTo(rest, "GET", test.path, "", name, value), test.want)
		})
	}
}

// checkDated compares the text of a 200, or the status and the violation.
func checkDated(t *testing.T, a *http.Response, want string) {
	t.Helper()
	text := textOf(a)
	if a.StatusCode == 200 {
		if text != `{"text":"`+strings.ReplaceAll(want, `"`, `\"`)+`"}` {
			t.Errorf("200 %s\nwant %s", text, want)
		}
		return
	}
	status, rest, _ := strings.Cut(want, " ")
	path, message, _ := strings.Cut(rest, " ")
	if a.Status[:3] != status || !strings.Contains(text, `"path":"`+path+`"`) || !strings.Contains(text, strings.ReplaceAll(message, `"`, `\"`)) {
		t.Errorf("%s %s\nwant %s", a.Status, text, want)
	}
}

// Verify that a write refuses what is no entity tag: without its quotation marks a tag matches
// nothing, and the method would find that somebody has changed the record.
func TestHeaderTags(t *testing.T) {
	rest := svc.MustRegister[DatedAPI](dated{}, datedOptions()).REST()
	const wrong = `400 /%s must be * or entity tags, each in its quotation marks, such as "1"`
	refused := func(name string) string { return strings.Replace(wrong, "%s", name, 1) }
	for _, test := range []struct{ request, header, want string }{
		{"PUT /tagged", `If-Match: "1"`, `"1"`},
		{"PUT /tagged", `If-Match: W/"1"`, `W/"1"`},
		{"PUT /tagged", `If-Match: "1", W/"2",, "a,b"`, `"1", W/"2",, "a,b"`},
		{"PUT /tagged", `If-Match: *`, `*`},
		{"PUT /tagged", `X-Other: 1`, ``},
		{"PUT /tagged", `If-Match: 1`, refused("If-Match")},
		{"PUT /tagged", `If-Match: "1`, refused("If-Match")},
		{"PUT /tagged", `If-Match: w/"1"`, refused("If-Match")},
		{"PUT /tagged", `If-Match: "1" "2"`, refused("If-Match")},
		{"PUT /tagged", `If-Match: "1", 2`, refused("If-Match")},
		{"PUT /tagged", `If-Match: *, "1"`, refused("If-Match")},
		{"PUT /tagged", `If-Match: `, refused("If-Match")},
		{"PUT /tagged", `If-None-Match: *`, ``},
		{"PUT /tagged", `If-None-Match: 1`, refused("If-None-Match")},
		{"GET /tagged", `If-None-Match: 1`, ``},
		{"GET /tagged", `If-Match: 1`, `1`},
	} {
		t.Run(test.request+" "+test.header, func(t *testing.T) {
			verb, path, _ := strings.Cut(test.request, " ")
			name, value, _ := strings.Cut(test.header, ": ")
			checkDated(t, answerTo(rest, verb, path, "", name, value), test.want)
		})
	}
}

// Verify when a read is 304: by an ETag or a Last-Modified of the output or of Info.Header.
func TestUnchanged(t *testing.T) {
	rest := svc.MustRegister[DatedAPI](dated{}, datedOptions()).REST()
	const at, before, after = "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 03:04:04 GMT", "Fri, 02 Jan 2026 03:04:06 GMT"
	const list, dated = `GET /list?etag="1"`, "GET /list?modified=Fri,%2002%20Jan%202026%2003:04:05%20GMT"
	for _, test := range []struct {
		name, request string
		headers       []string
		status        int
	}{
		{"the ETag of a list", list, []string{"If-None-Match", `"1"`}, 304},
		{"a list of tags", list, []string{"If-None-Match", `"0", W/"1"`}, 304},
		{"any tag", list, []string{"If-None-Match", `*`}, 304},
		{"HEAD", "HEAD" + list[3:], []string{"If-None-Match", `"1"`}, 304},
		{"QUERY", "QUERY /list", []string{"If-None-Match", `"1"`}, 304},
		{"another tag", list, []string{"If-None-Match", `"2"`}, 200},
		{"no tag", "GET /list", []string{"If-None-Match", `*`}, 200},
		{"a tag without quotation marks", "GET /list?etag=1", []string{"If-None-Match", `1`}, 200},
		{"the date of a list", dated, []string{"If-Modified-Since", at}, 304},
		{"a later date", dated, []string{"If-Modified-Since", after}, 304},
		{"an earlier date", dated, []string{"If-Modified-Since", before}, 200},
		{"the date of the output", "GET /last", []string{"If-Modified-Since", at}, 304},
		{"an earlier date than that of the output", "GET /last", []string{"If-Modified-Since", before}, 200},
		{"no date", dated, []string{"If-Modified-Since", "x"}, 200},
		{"two dates", dated, []string{"If-Modified-Since", at, "If-Modified-Since", at}, 200},
		{"no Last-Modified", "GET /list", []string{"If-Modified-Since", at}, 200},
		{"a date beside another tag", dated, []string{"If-Modified-Since", at, "If-None-Match", `"2"`}, 200},
		{"HEAD by date", "HEAD" + dated[3:], []string{"If-Modified-Since", at}, 304},
	} {
		t.Run(test.name, func(t *testing.T) {
			verb, path, _ := strings.Cut(test.request, " ")
			body := ""
			if verb == "QUERY" {
				body, test.headers = `{"etag":"\"1\""}`, append(test.headers, "Content-Type", "application/json")
			}
			a := answerTo(rest, verb, strings.ReplaceAll(path, `"`, "%22"), body, test.headers...)
			if text := textOf(a); a.StatusCode != test.status || a.StatusCode == 304 && text != "" {
				t.Errorf("%s %s", a.Status, text)
			}
			if has := a.Header.Get("Etag") + a.Header.Get("Last-Modified"); a.StatusCode == 304 && has == "" {
				t.Errorf("304 has neither an ETag nor Last-Modified: %v", a.Header)
			}
		})
	}
}

// Verify that Connect sends an HTTP-date where HTTP defines one, and that documents say what is read.
func TestHeaderDatesOfClients(t *testing.T) {
	s := svc.MustRegister[DatedAPI](dated{}, datedOptions())
	var sent http.Header
	rest := s.REST()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header
		rest.ServeHTTP(w, r)
	})
	var client struct {
		Since  func(context.Context, *DatedIn) (*DatedOut, error)
		Change func(context.Context, *DatedTags) (*DatedOut, error)
	}
	if err := svc.Connect[DatedAPI](&client, "", &svc.ClientOptions{Handler: h, Service: datedOptions()}); err != nil {
		t.Fatal(err)
	}
	at := time.Date(1994, 11, 6, 9, 49, 37, 0, time.FixedZone("", 3600))
	if out, err := client.Since(t.Context(), &DatedIn{Since: at, Until: &at, Other: at, Default: at}); err != nil {
		t.Errorf("%v, %v", out, err)
	}
	for name, want := range map[string]string{"If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
		"If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT", "X-Since": "1994-11-06T09:49:37+01:00"} {
		if got := sent.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, err := client.Change(t.Context(), &DatedTags{Match: "1"}); svc.CodeOf(err) != svc.CodeInvalidArgument || svc.MayHaveRun(err) {
		t.Errorf("a tag without quotation marks: %v", err)
	}
	for _, version := range []string{"3.0.3", "3.1", "3.2"} {
		doc := documentOf(t, s, version)
		for _, p := range dig(doc, "paths", "/since", "get", "parameters").([]any) {
			about, schema := dig(p, "description"), dig(p, "schema").(map[string]any)
			if _, hasFormat := schema["format"]; hasFormat == strings.HasPrefix(dig(p, "name").(string), "If-") ||
				!strings.HasSuffix(about.(string), "An HTTP-date, or a date and time by RFC 3339.") {
				t.Errorf("%s: %v", version, p)
			}
		}
		if dig(doc, "paths", "/last", "get", "responses", "304") == nil {
			t.Errorf("%s has no 304 for Last-Modified", version)
		}
	}
}
