package blackbox_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// versionSeen runs a request through middleware and returns the response and
// what a handler behind it sees, or "refused".
func versionSeen(mw func(http.Handler) http.Handler, target string, headers ...string) (*http.Response, string) {
	r := httptest.NewRequest("GET", target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	seen := "refused"
	w := httptest.NewRecorder()
	mw(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = svc.GetVersion(r.Context())
		if other := svc.Get(r.Context()); other != seen {
			seen += " but Get says " + other
		}
	})).ServeHTTP(w, r)
	return w.Result(), seen
}

func TestVersionSources(t *testing.T) {
	long := strings.Repeat("9", 10<<10)
	all := svc.VersionOptions{PathPrefix: true, DefaultVersion: "d"}
	for _, test := range []struct {
		name   string
		opts   svc.VersionOptions
		target string
		header []string
		want   string
	}{
		{"nothing", svc.VersionOptions{}, "/", nil, ""},
		{"default", all, "/", nil, "d"},
		{"header", all, "/", []string{"Accept-Version", "2"}, "2"},
		{"header in any case", all, "/", []string{"ACCEPT-version", "2"}, "2"},
		{"query", all, "/?version=3", nil, "3"},
		{"path", all, "/v4/todos", nil, "v4"},
		{"header over query and path", all, "/v4/todos?version=3", []string{"Accept-Version", "2"}, "2"},
		{"query over path", all, "/v4/todos?version=3", nil, "3"},
		{"path over default", all, "/v4/", nil, "v4"},
		{"empty header", all, "/?version=3", []string{"Accept-Version", ""}, "3"},
		{"empty query", all, "/v4/?version=", nil, "v4"},
		{"first header", all, "/", []string{"Accept-Version", "2", "Accept-Version", "5"}, "2"},
		{"first parameter", all, "/?version=3&version=5", nil, "3"},
		{"first parameter empty", all, "/?version=&version=5", nil, "d"},
		{"path without a slash after", all, "/v4", nil, "d"},
		{"path not asked for", svc.VersionOptions{}, "/v4/todos", nil, ""},
		{"own header", svc.VersionOptions{Header: "X-API-Version"}, "/", []string{"X-Api-Version", "2", "Accept-Version", "5"}, "2"},
		{"own parameter", svc.VersionOptions{QueryParam: "v"}, "/?v=3&version=5", nil, "3"},
		{"header off", svc.VersionOptions{Header: "-"}, "/?version=3", []string{"Accept-Version", "2", "-", "5"}, "3"},
		{"query off", svc.VersionOptions{QueryParam: "-"}, "/?version=3&-=5", nil, ""},
		{"all off", svc.VersionOptions{Header: "-", QueryParam: "-"}, "/v4/?version=3", []string{"Accept-Version", "2"}, ""},
		{"a date", all, "/", []string{"Accept-Version", "2025-03-01"}, "2025-03-01"},
		{"as sent", all, "/?version=%20A%0D%0AB", nil, " A\r\nB"},
		{"10 KB header", all, "/", []string{"Accept-Version", long}, long},
		{"10 KB parameter", all, "/?version=" + long, nil, long},
		{"malformed query", all, "/v4/?version=%zz", nil, "%zz"},
		{"semicolon", all, "/v4/?version=3;x", nil, "3;x"},
		{"malformed and supported", svc.VersionOptions{Supported: []string{"1", "1%"}, DefaultVersion: "1"}, "/?version=1%", nil, "refused"},
		{"malformed, with a default", svc.VersionOptions{Supported: []string{"1"}, DefaultVersion: "1"}, "/?version=%31%", nil, "refused"},
		{"semicolon and supported", svc.VersionOptions{Supported: []string{"1", "1;2"}, DefaultVersion: "1"}, "/?version=1;2", nil, "refused"},
		{"first malformed", svc.VersionOptions{Supported: []string{"1"}}, "/?version=%&version=1", nil, "refused"},
		{"second malformed", svc.VersionOptions{Supported: []string{"1"}}, "/?version=1&version=%", nil, "1"},
		{"malformed, after the header", svc.VersionOptions{Supported: []string{"1"}}, "/?version=%", []string{"Accept-Version", "1"}, "1"},
		{"another parameter malformed", svc.VersionOptions{Supported: []string{"1"}}, "/?x=%zz&%zz=2&a;b=c&v%65rsion=%31&y=%", nil, "1"},
		{"a name in an encoded value", all, "/?x=version%3D2", nil, "d"},
		{"supported", svc.VersionOptions{Supported: []string{"1", "2"}}, "/?version=2", nil, "2"},
		{"supported default", svc.VersionOptions{Supported: []string{"1"}, DefaultVersion: "1"}, "/", nil, "1"},
		{"not supported", svc.VersionOptions{Supported: []string{"1", "2"}}, "/?version=3", nil, "refused"},
		{"compared exactly", svc.VersionOptions{Supported: []string{"v1"}, PathPrefix: true}, "/V1/", nil, "refused"},
		{"longer than supported", svc.VersionOptions{Supported: []string{"v1"}}, "/?version=v1.0", nil, "refused"},
		{"none, with supported", svc.VersionOptions{Supported: []string{"1"}}, "/", nil, "refused"},
		{"first source decides", svc.VersionOptions{Supported: []string{"1"}}, "/?version=1", []string{"Accept-Version", "2"}, "refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, got := versionSeen(svc.Version(&test.opts), test.target, test.header...)
			if got != test.want {
				t.Errorf("%s: version %.40q, want %.40q", test.name, got, test.want)
			}
			if want := versionStatus(got); resp.StatusCode != want {
				t.Errorf("%s: status %d, want %d", test.name, resp.StatusCode, want)
			}
		})
	}
}

func versionStatus(seen string) int {
	if seen == "refused" {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// Verify that the shorthands read their source and no other, under every name
// that the others have by default, and refuse nothing.
func TestVersionFromOnly(t *testing.T) {
	const target = "/v4/todos?version=3&own=30&Accept-Version=300"
	header := []string{"Accept-Version", "2", "Own", "20", "Version", "200"}
	for _, test := range []struct {
		name   string
		mw     func(http.Handler) http.Handler
		target string
		header []string
		want   string
	}{
		{"header", svc.VersionFromHeader(""), target, header, "2"},
		{"header by name", svc.VersionFromHeader("own"), target, header, "20"},
		{"header missing", svc.VersionFromHeader(""), target, nil, ""},
		{"query", svc.VersionFromQuery(""), target, header, "3"},
		{"query by name", svc.VersionFromQuery("own"), target, header, "30"},
		{"query missing", svc.VersionFromQuery("other"), target, header, ""},
		{"path", svc.VersionFromPath(), target, header, "v4"},
		{"path missing", svc.VersionFromPath(), "/todos?version=3", header, ""},
		{"off", svc.VersionFromHeader("-"), target, header, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, got := versionSeen(test.mw, test.target, test.header...); got != test.want {
				t.Errorf("%s: version %q, want %q", test.name, got, test.want)
			}
		})
	}
}

func TestVersionHeaders(t *testing.T) {
	since := time.Date(2023, 6, 30, 23, 59, 59, 0, time.UTC)
	sunset := time.Date(2024, 6, 30, 23, 59, 59, 999, time.FixedZone("", 0))
	opts := svc.VersionOptions{
		Deprecated: []string{"1", "2"},
		Deprecations: map[string]svc.Deprecation{
			"2": {Since: since, Sunset: sunset.In(time.FixedZone("", 7200)), Link: "https://example.com/v2?a=b"},
			"3": {Sunset: sunset},
			"4": {Since: since},
			"5": {Link: "/docs"},
			"6": {Since: time.Unix(-1, 0)},
		},
	}
	const sunsetDate = "Sun, 30 Jun 2024 23:59:59 GMT"
	type headers map[string][]string
	for _, test := range []struct {
		version string
		want    headers
	}{
		{"", headers{}},
		{"0", headers{}},
		{"1", headers{"Deprecation": {"true"}, "Sunset": {"See documentation for migration guide"}}},
		{"2", headers{"Deprecation": {"@1688169599"}, "Sunset": {sunsetDate}, "Link": {`<https://example.com/v2?a=b>; rel="deprecation"`}}},
		{"3", headers{"Deprecation": {"true"}, "Sunset": {sunsetDate}}},
		{"4", headers{"Deprecation": {"@1688169599"}}},
		{"5", headers{"Deprecation": {"true"}, "Link": {`</docs>; rel="deprecation"`}}},
		{"6", headers{"Deprecation": {"@-1"}}},
	} {
		t.Run(rowName(test.version), func(t *testing.T) {
			resp, seen := versionSeen(svc.Version(&opts), "/?version="+test.version)
			test.want["Vary"] = []string{"Accept-Version"}
			if got := headers(resp.Header); !reflect.DeepEqual(got, test.want) || seen != test.version {
				t.Errorf("version %q, seen as %q: headers %v, want %v", test.version, seen, got, test.want)
			}
		})
	}
}

// Verify that a Vary and a Link of the handlers around stay.
func TestVersionAddsHeaders(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Origin")
	mw := svc.Version(&svc.VersionOptions{DefaultVersion: "1", Deprecations: map[string]svc.Deprecation{"1": {Link: "/docs"}}})
	mw(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Link", `</?page=2>; rel="next"`)
	})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if got, want := w.Header()["Vary"], []string{"Origin", "Accept-Version"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Vary %q, want %q", got, want)
	}
	if got, want := w.Header()["Link"], []string{`</docs>; rel="deprecation"`, `</?page=2>; rel="next"`}; !reflect.DeepEqual(got, want) {
		t.Errorf("Link %q, want %q", got, want)
	}
}

func TestVersionVary(t *testing.T) {
	for _, test := range []struct {
		name   string
		mw     func(http.Handler) http.Handler
		target string
		want   string
	}{
		{"consulted, and the query decided", svc.Version(nil), "/?version=1", "Accept-Version"},
		{"own header", svc.Version(&svc.VersionOptions{Header: "x-api-version"}), "/", "X-Api-Version"},
		{"refused", svc.Version(&svc.VersionOptions{Supported: []string{"1"}}), "/", "Accept-Version"},
		{"header off", svc.Version(&svc.VersionOptions{Header: "-"}), "/?version=1", ""},
		{"header only", svc.VersionFromHeader("x-v"), "/", "X-V"},
		{"query only", svc.VersionFromQuery(""), "/?version=1", ""},
		{"path only", svc.VersionFromPath(), "/v1/", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, _ := versionSeen(test.mw, test.target)
			if got := strings.Join(resp.Header.Values("Vary"), " | "); got != test.want {
				t.Errorf("%s: Vary %q, want %q", test.name, got, test.want)
			}
		})
	}
}

func TestVersionRefusal(t *testing.T) {
	hostile := "<b>\r\nX-Evil: 1\x00" + strings.Repeat("9", 10<<10)
	target := "/?version=" + url.QueryEscape(hostile)
	supported := []string{"v1", "v2"}
	const details = `"details":{"supported":["v1","v2"]}}}`
	for _, test := range []struct {
		name    string
		handler func(http.ResponseWriter, *http.Request, string)
		target  string
		status  int
		body    string
	}{
		{"envelope", nil, target, 400, `{"error":{"code":"INVALID_ARGUMENT","message":"this version of the API does not exist",` + details},
		{"none", nil, "/", 400, `{"error":{"code":"INVALID_ARGUMENT","message":"the request must name a version of this API",` + details},
		{"handler", func(w http.ResponseWriter, r *http.Request, version string) {
			w.WriteHeader(http.StatusGone)
			if version == hostile {
				io.WriteString(w, "as sent")
			}
		}, target, 410, "as sent"},
		{"handler, none", func(w http.ResponseWriter, r *http.Request, version string) {
			io.WriteString(w, "version="+version)
		}, "/", 200, "version="},
		{"handler writes nothing", func(http.ResponseWriter, *http.Request, string) {}, "/", 400,
			`{"error":{"code":"INVALID_ARGUMENT","message":"the request must name a version of this API",` + details},
		{"handler panics", func(http.ResponseWriter, *http.Request, string) { panic("oops") }, "/", 400,
			`{"error":{"code":"INVALID_ARGUMENT","message":"the request must name a version of this API",` + details},
	} {
		t.Run(test.name, func(t *testing.T) {
			mw := svc.Version(&svc.VersionOptions{Supported: supported, Deprecated: []string{""}, ErrorHandler: test.handler})
			resp, seen := versionSeen(mw, test.target)
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != test.status || string(body) != test.body || seen != "refused" {
				t.Errorf("%s: %d %s; want %d %s", test.name, resp.StatusCode, body, test.status, test.body)
			}
			for name, values := range resp.Header {
				if s := strings.Join(values, ""); strings.Contains(s, "Evil") || strings.Contains(s, "999") || name == "Deprecation" {
					t.Errorf("%s: header %s: %.40q", test.name, name, s)
				}
			}
		})
	}
}

// Verify that the options are read once: no later change reaches a request.
func TestVersionCopiesOptions(t *testing.T) {
	opts := svc.VersionOptions{Supported: []string{"1"}, Deprecated: []string{"1"}}
	mw := svc.Version(&opts)
	opts.Supported[0], opts.Deprecated[0] = "2", "2"
	if resp, seen := versionSeen(mw, "/?version=1"); seen != "1" || resp.Header.Get("Deprecation") != "true" {
		t.Errorf("version %q, Deprecation %q", seen, resp.Header.Get("Deprecation"))
	}
}

func TestVersionPanics(t *testing.T) {
	day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		d    svc.Deprecation
		want any
	}{
		{svc.Deprecation{Since: day, Sunset: day}, nil},
		{svc.Deprecation{Since: day, Sunset: day.Add(-time.Second)}, "svc: Version: the deprecation of 1: the Sunset comes before Since (RFC 9745, section 4)"},
		{svc.Deprecation{Link: "/a\r\nb"}, `svc: Version: the deprecation of 1: the Link is not a URL: "/a\r\nb"`},
		{svc.Deprecation{Link: `/a>; rel="next"`}, `svc: Version: the deprecation of 1: the Link is not a URL: "/a>; rel=\"next\""`},
		{svc.Deprecation{Link: "http://[::1"}, `svc: Version: the deprecation of 1: the Link is not a URL: "http://[::1"`},
	} {
		t.Run(rowName(test.d.Link, test.want), func(t *testing.T) {
			got := guardPanic(func() { svc.Version(&svc.VersionOptions{Deprecations: map[string]svc.Deprecation{"1": test.d}}) })
			if got != test.want {
				t.Errorf("%+v: panic %v, want %v", test.d, got, test.want)
			}
		})
	}
	got := guardPanic(func() { svc.Version(&svc.VersionOptions{Supported: []string{"1"}, DefaultVersion: "2"}) })
	if want := `svc: Version: the DefaultVersion "2" is not in Supported, so every request without a version would get 400`; got != want {
		t.Errorf("default not supported: panic %v, want %v", got, want)
	}
}

func TestGetVersionWithout(t *testing.T) {
	if got := svc.GetVersion(context.Background()); got != "" {
		t.Errorf("GetVersion = %q without Version", got)
	}
	// An inner Version decides for what is behind it.
	nested := func(next http.Handler) http.Handler { return svc.VersionFromHeader("")(svc.VersionFromQuery("")(next)) }
	if _, got := versionSeen(nested, "/?version=3", "Accept-Version", "2"); got != "3" {
		t.Errorf("behind two, GetVersion = %q, want 3", got)
	}
}
