package blackbox_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// kitchenDocument returns a document as it is served.
func kitchenDocument(s *svc.Service, query string) []byte {
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json"+query, nil))
	return w.Body.Bytes()
}

// Verify the documents of services that use everything. testdata/openapi holds
// the same documents to the tools that people read them with.
func TestOpenAPIGolden(t *testing.T) {
	for _, test := range []struct {
		file    string
		service *svc.Service
		query   string
	}{
		{"sink-3.0.json", kitchen.Sink(false), ""},
		{"sink-3.1.json", kitchen.Sink(false), "?openapi=3.1"},
		{"sink-3.2.json", kitchen.Sink(false), "?openapi=3.2"},
		{"both-3.0.json", kitchen.Both(), ""},
		{"both-3.1.json", kitchen.Both(), "?openapi=3.1"},
		{"both-3.2.json", kitchen.Both(), "?openapi=3.2"},
	} {
		var indented bytes.Buffer
		if err := json.Indent(&indented, kitchenDocument(test.service, test.query), "", " "); err != nil {
			t.Errorf("%s: %v", test.file, err)
		}
		indented.WriteByte('\n')
		golden(t, "openapi/"+test.file, indented.Bytes())
	}
}

// Verify that a service has one document however often it is registered. That
// every version of Go makes the same one, the golden files see to.
func TestOpenAPIByteIdentical(t *testing.T) {
	t.Parallel()
	want := kitchenDocument(kitchen.Both(), "")
	for range 100 {
		if got := kitchenDocument(kitchen.Both(), ""); !bytes.Equal(got, want) {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
}
