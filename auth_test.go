package svc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// Verify that each row of schemes has what documents and responses need. Without a challenge, a
// 401 would break RFC 9110, section 11.6.1.
func TestSchemeRows(t *testing.T) {
	for _, row := range schemes {
		t.Run(row.Name, func(t *testing.T) {
			for column, value := range map[string]string{"contract": row.contract, "challenge": row.challenge, "Noun": row.Noun, "Curl": row.Curl} {
				if value == "" {
					t.Errorf("%s is empty", column)
				}
			}
			s := Scheme{Type: row.Name}
			if !json.Valid(s.describe(nil).object) {
				t.Errorf("the object is no JSON: %s", row.object)
			}
			if asked := row.Header != ""; asked != (row.Label != "") || asked != (row.Secret != "") {
				t.Errorf("Header, Label and Secret must be set together: %+v", row)
			}
			isToken := row.Prefix == "Bearer "
			if isToken != (row.challenge == bearerToken) {
				t.Errorf("the challenge is %q, and the credential is sent behind %q", row.challenge, row.Prefix)
			}
		})
	}
}

// Verify which parts of a token are found in a text, against the definition.
func TestHasPart(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = "ab"[random.IntN(2)]
		}
		return string(text)
	}
	found := 0
	for range rounds(2_000, 50_000) {
		text, token := word(random.IntN(400)), word(random.IntN(20))
		want := strings.Contains(text, token)
		for i := 8; i <= len(token) && !want; i++ {
			want = strings.Contains(text, token[i-8:i])
		}
		if got := hasPart(text, token); got != want {
			t.Fatalf("%q in %q: %v, want %v", token, text, got, want)
		}
		if want && len(token) > 8 {
			found++
		}
	}
	if found < 100 {
		t.Errorf("%d tokens had a part in their text, too few for a test", found)
	}
}

// Verify that a wrong credential of 8 KiB takes little more memory than a short one: that of a
// token was kept for each 8 bytes, and that of a password decoded and copied.
func TestLongCredentials(t *testing.T) {
	silent := slog.New(slog.DiscardHandler)
	verify := func(context.Context, string) (*Principal, error) {
		return nil, Errorf(CodeUnauthenticated, "not known")
	}
	for _, test := range []struct {
		name   string
		guard  func(http.Handler) http.Handler
		header string
		prefix string
	}{
		{"Bearer", Bearer(verify, &BearerOptions{Logger: silent}), "Authorization", "Bearer "},
		{"APIKey", APIKey("X-Api-Key", verify, &APIKeyOptions{Logger: silent}), "X-Api-Key", ""},
		{"BasicAuth", BasicAuth("x", map[string]string{"a": "b"}, nil), "Authorization", "Basic "},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := test.guard(http.NotFoundHandler())
			bytes := func(n int) int64 {
				r := httptest.NewRequest("GET", "/", nil)
				secret := make([]byte, n)
				rand.NewChaCha8([32]byte{}).Read(secret)
				r.Header.Set(test.header, test.prefix+base64.StdEncoding.EncodeToString(append([]byte("a:"), secret...)))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range 100 {
					w := httptest.NewRecorder()
					if h.ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
						t.Fatalf("%d %s", w.Code, w.Body)
					}
				}
				runtime.ReadMemStats(&after)
				return int64(after.TotalAlloc-before.TotalAlloc) / 100
			}
			bytes(4)                                                       // the first requests take more
			if short, long := bytes(4), bytes(6000); long > short+16<<10 { // what the text of the error takes
				t.Errorf("a long one takes %d bytes, and a short one %d", long, short)
			}
		})
	}
	long := strings.Repeat("p", 300)
	if match, longest := newMatch(map[string]string{"a": long}); !match("a", long) ||
		longest < len("Basic ")+base64.StdEncoding.EncodedLen(302) {
		t.Errorf("a password of 300 bytes does not match, or its header of %d bytes is too long", longest)
	}
}
