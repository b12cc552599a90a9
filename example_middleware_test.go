package svc_test

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"time"

	"example.com/svc"
)

// What stands in front of a service: versions, profiles and guards?

// Handlers and methods read the requested version from their context.
func ExampleVersion() {
	version := svc.Version(&svc.VersionOptions{
		DefaultVersion: "v2",
		PathPrefix:     true,
		Supported:      []string{"v1", "v2"},
		Deprecations: map[string]svc.Deprecation{"v1": {
			Since:  time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
			Sunset: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Link:   "https://example.com/migrate",
		}},
	})
	handler := version(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, svc.GetVersion(r.Context()))
	}))
	for _, target := range []string{"/todos", "/v1/todos", "/v3/todos"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		fmt.Printf("%d %s %q %q\n", w.Code, w.Body, w.Header().Get("Deprecation"), w.Header().Get("Sunset"))
	}
	// Output:
	// 200 v2 "" ""
	// 200 v1 "@1735689600" "Thu, 01 Jan 2026 00:00:00 GMT"
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"this version of the API does not exist","details":{"supported":["v1","v2"]}}} "" ""
}

// The guard protects the pages of Pprof and no other path.
func ExamplePprof() {
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the site") })
	guard := svc.Under("/debug/pprof", svc.BasicAuth("profiles", map[string]string{"op": "secret"}, nil))
	handler := guard(svc.Pprof("")(site))

	for _, path := range []string{"/", "/debug/pprof/heap"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Body)
	}
	r := httptest.NewRequest("GET", "/debug/pprof/heap", nil)
	r.SetBasicAuth("op", "secret")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output:
	// 200 the site
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"a valid name and password are required"}}
	// 200 application/octet-stream
}

// Programs keep hashes of keys, and compare them in constant time.
func ExampleAPIKey() {
	known := sha256.Sum256([]byte("robot-key"))
	guard := svc.APIKey("X-Api-Key", func(ctx context.Context, key string) (*svc.Principal, error) {
		hash := sha256.Sum256([]byte(key))
		if subtle.ConstantTimeCompare(hash[:], known[:]) != 1 {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the key is unknown")
		}
		return &svc.Principal{Subject: "robot"}, nil
	}, &svc.APIKeyOptions{Logger: noLog})
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Schemes:  []svc.Scheme{{Type: "apiKey", Header: "X-Api-Key"}},
	})
	for _, key := range []string{"robot-key", "other"} {
		r := httptest.NewRequest("GET", "/lamps", nil)
		r.Header.Set("X-Api-Key", key)
		w := httptest.NewRecorder()
		guard(service.REST()).ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 {"Lamps":[]}
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"the key is unknown","reason":"invalid_token"}}
}

func ExampleAllowIPs() {
	allow := svc.AllowIPs([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, nil)
	handler := svc.Under("/admin", allow)(http.NotFoundHandler())

	r := httptest.NewRequest("GET", "/admin", nil)
	r.RemoteAddr = "192.0.2.1:1234"
	r.Header.Set("X-Forwarded-For", "127.0.0.1") // any client can send this
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
	// Output:
	// 403 {"error":{"code":"PERMISSION_DENIED","message":"requests from this address are not allowed"}}
}
