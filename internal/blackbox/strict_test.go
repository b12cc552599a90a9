package blackbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// Verify that Strict closes what is read and nothing else, and that a type has two
// components only where a strict and a lax service are joined.
func TestStrictClosesInputs(t *testing.T) {
	t.Parallel()
	register := func(resource string, strict bool) *svc.Service {
		return svc.MustRegister[exBothAPI](exBothImpl{}, &svc.Options{Resource: resource, Strict: strict})
	}
	schemas := func(s *svc.Service) string {
		var doc struct {
			Components struct{ Schemas map[string]json.RawMessage }
		}
		if err := json.Unmarshal(kitchenDocument(s, ""), &doc); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
			if strings.Contains(string(doc.Components.Schemas[name]), `"additionalProperties":false`) {
				name += "!"
			}
			list = append(list, name)
		}
		return strings.Join(list, " ")
	}
	for _, test := range []struct{ got, want string }{
		{schemas(register("a", false)), "ErrorBody ErrorDetails ErrorObject Violation exBoth exKind exOnly exResult exShared"},
		{schemas(register("a", true)), "ErrorBody ErrorDetails ErrorObject Violation exBoth! exKind exOnly exResult exShared!"},
		{schemas(svc.Join("j", register("a", true), register("b", false))), "ErrorBody ErrorDetails ErrorObject Violation exBoth exBothStrict! exKind exOnly exResult exShared exSharedStrict!"},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("got %s\nwant %s", test.got, test.want)
			}
		})
	}
}

// Verify which parameters of a query Strict refuses.
func TestStrictQuery(t *testing.T) {
	t.Parallel()
	type in struct {
		A string `query:"a,omitempty"`
	}
	type none struct{}
	with, err := exactly[in](nil, svc.Options{Strict: true})
	without, err2 := exactly[none](nil, svc.Options{Strict: true})
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	nothing := svc.MustRegister[exOutAPI](exOutImpl{}, &svc.Options{Resource: "x", Strict: true, Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		name        string
		service     *svc.Service
		version     bool
		query, want string
	}{
		{"input", with, true, "a=1", "204 "},
		{"input", with, true, "a=1&b=2&%63=3&", "400 /b is not a known parameter; /c is not a known parameter"},
		{"input", with, true, "%zz=1", "400 /%zz is not a known parameter"},
		{"input", with, true, "A=1", "400 /A is not a known parameter"},
		{"input", with, true, "version=1&=", "204 "},
		{"input", with, true, "v=1", "400 /v is not a known parameter"},
		{"input", with, false, "version=1", "400 /version is not a known parameter"},
		{"empty input", without, true, "b", "400 /b is not a known parameter"},
		{"empty input", without, true, "version=1", "204 "},
		{"no input", nothing, true, "b=1", "400 /b is not a known parameter"},
		{"no input", nothing, true, "version=1", "200 "},
		{"no input", nothing, false, "version=1", "400 /version is not a known parameter"},
	} {
		t.Run(rowName(test.name, "Version", test.version, test.query), func(t *testing.T) {
			h := test.service.REST()
			if test.version {
				h = svc.Version(nil)(h)
			}
			r := httptest.NewRequest("POST", "/x/do?"+test.query, strings.NewReader("{}"))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := fmt.Sprint(w.Code, " ", exactMessages(w.Body.String())); got != test.want {
				t.Errorf("%s, Version %t: %s, want %s", test.query, test.version, got, test.want)
			}
		})
	}
}
