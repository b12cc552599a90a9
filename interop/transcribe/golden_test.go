package main

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
	"example.com/svc/interop/transcribe/testdata/notes"
	"example.com/svc/interop/transcribe/testdata/odd"
	"example.com/svc/interop/transcribe/testdata/shop"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

// goldens are documents in testdata. Each has a folder there with what is written of it, which is a
// package: TestGoldenServices compiles and registers it.
var goldens = []struct {
	name    string
	opts    options
	summary string
	service func() *svc.Service
}{
	{"notes", options{ids: true}, "6 of 6 written, 6 whole", func() *svc.Service {
		return notes.Service(notes.UnimplementedNotes{})
	}},
	{"shop", options{ids: true, group: "tag"}, "11 of 12 written, 4 whole", func() *svc.Service {
		return shop.Service(shop.Server{Orders: shop.UnimplementedOrders{}, Customers: shop.UnimplementedCustomers{}})
	}},
	{"odd", options{}, "9 of 13 written, 0 whole", func() *svc.Service {
		return odd.Service(odd.UnimplementedTypeFuncPlus{})
	}},
}

func TestGoldenFiles(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", g.name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			g.opts.pkg, g.opts.svc = g.name, "example.com/svc"
			out, err := convert(g.name+".json", data, g.opts)
			if err != nil {
				t.Fatal(err)
			}
			if s := fmt.Sprintf("%d of %d written, %d whole", out.summary.Written, out.summary.Operations, out.summary.Whole); s != g.summary {
				t.Errorf("%s; want %s", s, g.summary)
			}
			compareFolder(t, filepath.Join("testdata", g.name), out.files)
		})
	}
}

// compareFolder compares the files of a folder, or writes them with -update.
func compareFolder(t *testing.T, dir string, files []outFile) {
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := writeNew(dir, files); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(files) {
		t.Errorf("%d files are written, %s has %d", len(files), dir, len(entries))
	}
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(dir, f.name))
		want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")) // of a checkout on Windows
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(want, f.data) {
			t.Errorf("%s differs (go test -update writes it): %s", f.name, firstDifference(string(want), string(f.data)))
		}
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("line %d: want %q, got %q", i+1, w[i], slices.Concat(g, make([]string, len(w)))[i])
		}
	}
	return fmt.Sprintf("%d more lines", len(g)-len(w))
}

// TestGoldenServices registers what was written, and sends requests to the stubs: a valid one
// reaches the method, which is not implemented.
func TestGoldenServices(t *testing.T) {
	requests := []struct {
		golden, method, target, media, body string
		want                                int
	}{
		{"notes", "PATCH", "/notes/7", "application/json", `{"author":null}`, 501},
		{"notes", "PATCH", "/notes/0", "application/json", `{}`, 400},
		{"notes", "QUERY", "/notes", "application/json", `{"text":"milk"}`, 501},
		{"notes", "POST", "/chat", "application/json", `{"content":[{"type":"image","url":"https://a.example"}]}`, 501},
		{"notes", "POST", "/chat", "application/json", `{"content":7}`, 400},
		{"notes", "PUT", "/notes/7/photo", "image/png", "png", 501},
		{"notes", "GET", "/notes/events", "", "", 501},
		{"shop", "GET", "/orders?status=open&status=paid&created[gte]=5", "", "", 501},
		{"shop", "GET", "/orders?status=lost", "", "", 400},
		{"shop", "POST", "/orders", "application/json", `{"items":[{"sku":"ABC-1","count":1}]}`, 501},
		{"shop", "POST", "/orders", "application/json", `{"items":[{"sku":"abc","count":1}]}`, 400},
		{"shop", "POST", "/orders/7/cancel", "", "", 501},
		{"shop", "POST", "/customers/7", "application/x-www-form-urlencoded", "email=a@b.example&address[city]=Rome&age=7", 501},
		{"shop", "PUT", "/customers/6ba7b810-9dad-11d1-80b4-00c04fd430c8", "application/json", `{"name":"Ann"}`, 501},
		{"odd", "POST", "/f", "application/json", `{"c":{"c":{}}}`, 501},
	}
	usual := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	defer slog.SetDefault(usual)
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			service := g.service()
			handler := service.REST()
			for _, r := range requests {
				if r.golden != g.name {
					continue
				}
				req := httptest.NewRequest(r.method, r.target, strings.NewReader(r.body))
				req.Header.Set("Content-Type", r.media)
				req = req.WithContext(svc.WithPrincipal(req.Context(), &svc.Principal{Subject: "test"}))
				rec := httptest.NewRecorder()
				handler.ServeHTTP(rec, req)
				if rec.Code != r.want {
					t.Errorf("%s %s: %d %s; want %d", r.method, r.target, rec.Code, rec.Body, r.want)
				}
			}
		})
	}
}
