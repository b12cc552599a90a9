package blackbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests methods that announce their end.

type (
	EndingAPI interface {
		Get(context.Context, *EndingID) (*EndingID, error)
		List(context.Context) (*EndingID, error)
	}
	EndingID struct {
		ID string `json:"id" maxLength:"3"`
	}
	endingImpl struct{}

	// FindingAPI has another method in the place of Get.
	FindingAPI interface {
		Find(context.Context, *FindingID) (*EndingID, error)
		List(context.Context) (*EndingID, error)
	}
	FindingID struct {
		ID string `json:"id" maxLength:"2"`
	}

	// StayingAPI is EndingAPI without Get.
	StayingAPI interface {
		List(context.Context) (*EndingID, error)
	}
)

func (endingImpl) Get(_ context.Context, in *EndingID) (*EndingID, error) { return in, nil }
func (endingImpl) Find(context.Context, *FindingID) (*EndingID, error)    { return nil, nil }
func (endingImpl) List(context.Context) (*EndingID, error)                { return &EndingID{"all"}, nil }

func endingOptions(d *svc.Deprecation) *svc.Options {
	return &svc.Options{Resource: "notes", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{"Get": {Description: "Returns one.", Deprecation: d}}}
}

var retired = svc.MethodOptions{Deprecation: &svc.Deprecation{
	Since:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	Sunset: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	Link:   "https://example.com/docs/moving",
}}

// noon returns a moment of a day in 2026 or another year.
func noon(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 12, 0, 0, 7, time.UTC)
}

// Verify the headers of responses, also of errors, and that of two dates the earlier one is
// sent where the version of the request ends too.
func TestMethodDeprecationHeaders(t *testing.T) {
	own := *retired.Deprecation
	const (
		since, sunset = "@1767225600", "Fri, 01 Jan 2027 00:00:00 GMT"
		link          = `<https://example.com/docs/moving>; rel="deprecation"`
	)
	for _, test := range []struct {
		name    string
		own     svc.Deprecation
		version *svc.Deprecation
		path    string
		status  int
		want    string // Deprecation, Sunset and Link
	}{
		{"all dates", own, nil, "/notes/a", 200, since + " | " + sunset + " | " + link},
		{"an error", own, nil, "/notes/long", 400, since + " | " + sunset + " | " + link},
		{"another method", own, nil, "/notes", 200, " |  | "},
		{"no sunset", svc.Deprecation{Since: own.Since}, nil, "/notes/a", 200, since + " |  | "},
		{"a version that ends later", own, &svc.Deprecation{Since: noon(2026, 1, 2), Sunset: noon(2027, 1, 2), Link: "/v1"}, "/notes/a", 200,
			since + " | " + sunset + ` | </v1>; rel="deprecation", ` + link},
		{"a version that ends earlier", own, &svc.Deprecation{Since: noon(2025, 1, 1), Sunset: noon(2026, 12, 1)}, "/notes/a", 200,
			"@1735732800 | Tue, 01 Dec 2026 12:00:00 GMT | " + link},
		{"a version without dates", own, &svc.Deprecation{}, "/notes/a", 200, since + " | " + sunset + " | " + link},
		{"a version with a sunset", svc.Deprecation{Since: own.Since}, &svc.Deprecation{Since: own.Since, Sunset: own.Sunset}, "/notes/a", 200, since + " | " + sunset + " | "},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := svc.MustRegister[EndingAPI](endingImpl{}, endingOptions(&test.own)).REST()
			if test.version != nil {
				h = svc.Version(&svc.VersionOptions{DefaultVersion: "1", Deprecations: map[string]svc.Deprecation{"1": *test.version}})(h)
			}
			a := answerTo(h, "GET", test.path, "")
			got := fmt.Sprintf("%s | %s | %s", a.Header.Get("Deprecation"), a.Header.Get("Sunset"), strings.Join(a.Header["Link"], ", "))
			if a.StatusCode != test.status || got != test.want {
				t.Errorf("%d with %s\nwant %d with %s", a.StatusCode, got, test.status, test.want)
			}
			if len(a.Header["Deprecation"]) > 1 || len(a.Header["Sunset"]) > 1 {
				t.Errorf("a date is there twice: %v", a.Header)
			}
		})
	}
}

// Verify that what the options point to is read at registration alone.
func TestMethodDeprecationKept(t *testing.T) {
	d := &svc.Deprecation{Since: noon(2026, 1, 1)}
	h := svc.MustRegister[EndingAPI](endingImpl{}, endingOptions(d)).REST()
	d.Since = noon(2030, 1, 1)
	if got := answerTo(h, "GET", "/notes/a", "").Header.Get("Deprecation"); got != "@1767268800" {
		t.Errorf("Deprecation: %s", got)
	}
}

// Verify that each document says when the method ends.
func TestMethodDeprecationDocuments(t *testing.T) {
	s := svc.MustRegister[EndingAPI](endingImpl{}, endingOptions(retired.Deprecation))
	const sentence = "Deprecated since January 1, 2026, and removed on January 1, 2027; see https://example.com/docs/moving."
	for name, test := range map[string]struct {
		text, want string
	}{
		"OpenAPI 3.0": {partOf(documentOf(t, s, "3.0"), "paths", "/notes/{id}", "get"), `"deprecated":true`},
		"OpenAPI 3.1": {partOf(documentOf(t, s, "3.1"), "paths", "/notes/{id}", "get"), `"description":"Returns one.\n\n` + sentence},
		"marked":      {partOf(documentOf(t, s, "3.1"), "paths", "/notes/{id}", "get"), `"deprecated":true`},
		"OpenRPC":     {textOf(answerTo(s.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, "Content-Type", "application/json")), sentence},
		"tools":       {toolsOf(s), `"` + sentence + ` Call another tool if one fits. Returns one."`},
		"Markdown":    {textOf(answerTo(s.Docs(nil), "GET", "/llms.txt", "")), sentence},
		"page":        {textOf(answerTo(s.Docs(nil), "GET", "/", "")), sentence},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(test.text, test.want) != 1 {
				t.Errorf("not once %q in %s", test.want, test.text)
			}
		})
	}
}

// Verify which deprecations of methods are mistakes.
func TestMethodDeprecationMistakes(t *testing.T) {
	for _, test := range []struct {
		name string
		d    svc.Deprecation
		want string
	}{
		{"no Since", svc.Deprecation{Sunset: noon(2027, 1, 1)}, "EndingAPI.Get: MethodOptions.Deprecation: Since is missing"},
		{"a sunset before it", svc.Deprecation{Since: noon(2027, 1, 1), Sunset: noon(2026, 1, 1)}, "the Sunset comes before Since"},
		{"a sunset that no header can have", svc.Deprecation{Since: noon(2027, 1, 1), Sunset: noon(10000, 1, 1)}, "Since and Sunset need a year of four digits"},
		{"a start that no contract can have", svc.Deprecation{Since: noon(-1, 1, 1)}, "Since and Sunset need a year of four digits"},
		{"no URL", svc.Deprecation{Since: noon(2027, 1, 1), Link: "<here>"}, `the Link is not a URL: "<here>"`},
		{"right", svc.Deprecation{Since: noon(2027, 1, 1), Sunset: noon(2027, 1, 1), Link: "/here"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := svc.Register[EndingAPI](endingImpl{}, endingOptions(&test.d))
			if got := fmt.Sprint(err); (err == nil) != (test.want == "") || !strings.Contains(got, test.want) && err != nil {
				t.Errorf("the mistakes are %v, want %q", err, test.want)
			}
		})
	}
}

// Verify that a method may go once its released sunset is over, and not before, and that no
// release can bring the sunset forward unseen.
func TestBreaksAfterSunset(t *testing.T) {
	contract := func(sunset time.Time) []byte {
		return svc.MustRegister[EndingAPI](endingImpl{}, endingOptions(&svc.Deprecation{Since: noon(2000, 1, 1), Sunset: sunset})).Contract()
	}
	gone := svc.MustRegister[StayingAPI](endingImpl{}, &svc.Options{Resource: "notes"})
	at := func(sunset time.Time) *svc.Service {
		return svc.MustRegister[EndingAPI](endingImpl{}, endingOptions(&svc.Deprecation{Since: noon(2000, 1, 1), Sunset: sunset}))
	}
	// alone has REST alone, where clients know the route and no name, and other has that route for another method.
	route := func(sunset time.Time) svc.MethodOptions {
		return svc.MethodOptions{HTTP: "GET /notes/{id}", Transports: []svc.Transport{svc.TransportREST}, Deprecation: &svc.Deprecation{Since: noon(2000, 1, 1), Sunset: sunset}}
	}
	alone := func(sunset time.Time) *svc.Service {
		return svc.MustRegister[EndingAPI](endingImpl{}, &svc.Options{Resource: "notes", Methods: map[string]svc.MethodOptions{"Get": route(sunset)}})
	}
	other := svc.MustRegister[FindingAPI](endingImpl{}, &svc.Options{Resource: "notes", Methods: map[string]svc.MethodOptions{"Find": route(time.Time{})}})
	past, future := noon(2001, 2, 3), time.Now().AddDate(100, 0, 0)
	for _, test := range []struct {
		name     string
		released []byte
		now      *svc.Service
		want     string
	}{
		{"gone after the sunset", contract(past), gone, ""},
		{"gone before the sunset", contract(future), gone, "notes.get: is gone"},
		{"gone without a sunset", contract(time.Time{}), gone, "notes.get: is gone"},
		{"a sunset", contract(time.Time{}), at(past), ""},
		{"a later sunset", contract(past), at(noon(2001, 3, 1)), ""},
		{"no sunset any more", contract(past), at(time.Time{}), ""},
		{"an earlier sunset", contract(noon(2001, 3, 1)), at(past), "notes.get: the sunset is 2001-02-03T12:00:00Z, was 2001-03-01T12:00:00Z"},
		{"an earlier hour", contract(past.Add(time.Hour)), at(past), "notes.get: the sunset is 2001-02-03T12:00:00Z, was 2001-02-03T13:00:00Z"},
		{"another method on its route after the sunset", alone(past).Contract(), other, ""},
		{"another method on its route before the sunset", alone(future).Contract(), other, `notes.get input /id: maxLength is 2, was 3; for example "aaa"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			breaks, err := test.now.Breaks(test.released)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range breaks {
				got = append(got, b.String())
			}
			if text := strings.Join(got, "\n"); text != test.want {
				t.Errorf("%q, want %q", text, test.want)
			}
		})
	}
}
