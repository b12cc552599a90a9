package blackbox_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// Verify that a body too large for http.MaxBytesReader is the client's fault,
// also where the handler passes the error on as it is.
func TestHandleMaxBytes(t *testing.T) {
	h := svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 3))
		return err
	}, nil, slog.New(slog.DiscardHandler))
	for _, test := range []struct {
		body   string
		status int
		answer string
	}{
		{"123", 200, ""},
		{"1234", 413, `{"error":{"code":"RESOURCE_EXHAUSTED","message":"the request body has more than 3 bytes"}}`},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(test.body)))
		if w.Code != test.status || w.Body.String() != test.answer {
			t.Errorf("a body of %d bytes: %d %s, want %d %s", len(test.body), w.Code, w.Body, test.status, test.answer)
		}
	}
}
