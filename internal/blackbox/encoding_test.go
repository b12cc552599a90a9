package blackbox_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"example.com/svc"
)

// compressAll says that the response is gzip before it calls next, as the CompressHandler of
// gorilla/handlers does, and compresses whatever comes. A careless one leaves Content-Length.
func compressAll(next http.Handler, careless bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Language", "en")
		zip := gzip.NewWriter(w)
		defer zip.Close()
		next.ServeHTTP(&compressedWriter{w, zip, careless}, r)
	})
}

type compressedWriter struct {
	http.ResponseWriter
	zip      *gzip.Writer
	careless bool
}

func (w *compressedWriter) WriteHeader(status int) {
	if !w.careless {
		w.Header().Del("Content-Length")
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *compressedWriter) Write(p []byte) (int, error) { return w.zip.Write(p) }

type (
	// EncodedAPI fails in several ways.
	EncodedAPI interface {
		Fail(context.Context, *EncodedIn) (*EncodedOut, error)
	}
	EncodedIn struct {
		How string `json:"how" maxLength:"10"`
	}
	EncodedOut struct {
		Name string `json:"name"`
	}
	encodedFault struct {
		Fault string `json:"fault"`
	}
	encoded struct{}
)

func (encoded) Fail(ctx context.Context, in *EncodedIn) (*EncodedOut, error) {
	info, _ := svc.InfoFrom(ctx)
	switch in.How {
	case "own": // of a body that is not sent then
		for _, name := range []string{"Content-Encoding", "Content-Language", "Content-Digest"} {
			info.Header.Set(name, "own")
		}
	case "panic":
		panic("secret")
	case "ok":
		return &EncodedOut{"x"}, nil
	}
	return nil, svc.Errorf(svc.CodeNotFound, "no such thing")
}

func encodedService(opts svc.Options) *svc.Service {
	opts.Resource, opts.Logger = "things", slog.New(slog.DiscardHandler)
	opts.Methods = map[string]svc.MethodOptions{"Fail": {HTTP: "POST /things"}}
	return svc.MustRegister[EncodedAPI](encoded{}, &opts)
}

// Verify that errors stay what middleware outside, which compresses, has said they are: such
// middleware sets Content-Encoding before it calls the next handler.
func TestErrorsKeepEncoding(t *testing.T) {
	silent := &svc.ErrorOptions{Logger: slog.New(slog.DiscardHandler)}
	s := encodedService(svc.Options{MaxBody: 100})
	failing := func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Encoding", "br") // of a body that is not sent
		return errors.New("secret")
	}
	own := func(write svc.ErrorWriter) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { write(w, r, svc.Errorf(svc.CodeAborted, "no")) })
	}
	mux := http.NewServeMux()
	s.Mount(mux)
	rest, mcp := s.REST(), s.MCP(nil)
	for _, test := range []struct {
		name    string
		handler http.Handler
		request string // with the body behind a blank
		want    string // the status and the beginning of a body
	}{
		{"a success", rest, `POST /things {"how":"ok"}`, `200 {"name":"x"}`},
		{"no route", rest, "GET /none", `404 {"error":{"code":"NOT_FOUND"`},
		{"another verb", rest, "GET /things", `405 {"error":`},
		{"a violation", rest, `POST /things {"how":"12345678901"}`, `400 {"error":`},
		{"no JSON", rest, `POST /things {`, `400 {"error":`},
		{"a large body", rest, `POST /things ` + strings.Repeat(" ", 101), `413 {"error":`},
		{"an error of the method", rest, `POST /things {"how":""}`, `404 {"error":{"code":"NOT_FOUND","message":"no such thing"}}`},
		{"headers of the method", rest, `POST /things {"how":"own"}`, `404 {"error":`},
		{"headers of the method, on a mux", mux, `POST /things {"how":"own"}`, `404 {"error":`},
		{"a panic", rest, `POST /things {"how":"panic"}`, `500 {"error":`},
		{"problems", encodedService(svc.Options{OnError: svc.WriteProblem}).REST(), `POST /things {"how":"own"}`, `404 {"type":"about:blank"`},
		{"an ErrorForm", encodedService(svc.Options{ErrorForm: svc.NewErrorForm(
			func(e *svc.Error) *encodedFault { return &encodedFault{e.Message} },
			func(f *encodedFault) *svc.Error { return &svc.Error{Message: f.Fault} })}).REST(), `POST /things {"how":"own"}`, `404 {"fault":"no such thing"}`},
		{"an ErrorWriter that writes nothing", encodedService(svc.Options{OnError: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.Header().Set("Content-Encoding", "br")
		}}).REST(), `POST /things {"how":""}`, `404 {"error":`},
		{"JSON-RPC", s.RPC(), `POST /rpc {"jsonrpc":"2.0","method":"things.fail","params":{"how":"own"},"id":1}`, `200 {"jsonrpc":"2.0","error":`},
		{"JSON-RPC, no JSON", s.RPC(), `POST /rpc {`, `200 {"jsonrpc":"2.0","error":`},
		{"JSON-RPC, another verb", s.RPC(), `GET /rpc`, `405 {"jsonrpc":"2.0","error":`},
		{"MCP, no JSON", mcp, `POST /mcp {`, `200 {"jsonrpc":"2.0","error":`},
		{"MCP, another verb", mcp, `PUT /mcp {}`, `405 {"jsonrpc":"2.0","error":`},
		{"the document", s.OpenAPI(), "POST /openapi.json {}", `405 {"error":`},
		{"a password", svc.BasicAuth("r", map[string]string{"a": "b"}, silent)(rest), "GET /", `401 {"error":`},
		{"an address", svc.AllowIPs([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, silent)(rest), "GET /", `403 {"error":`},
		{"Recover", svc.Recover(silent)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			panic("secret")
		})), "GET /", `500 {"error":`},
		{"Handle", svc.Handle(failing, silent), "GET /", `500 {"error":`},
		{"WriteError", own(svc.WriteError), "GET /", `409 {"error":`},
		{"WriteProblem", own(svc.WriteProblem), "GET /", `409 {"type":`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, careless := range []bool{false, true} {
				verb, rest, _ := strings.Cut(test.request, " ")
				path, body, _ := strings.Cut(rest, " ")
				server := httptest.NewServer(compressAll(test.handler, careless))
				defer server.Close()
				r, _ := http.NewRequest(verb, server.URL+path, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				response, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				if got := response.Status[:4] + string(text); err != nil || !strings.HasPrefix(got, test.want) || !response.Uncompressed {
					t.Errorf("careless %t: %v, %q\nwant %s…", careless, err, got, test.want)
				}
				if h := response.Header; h.Get("Content-Language") != "en" || h.Get("Content-Digest") != "" {
					t.Errorf("careless %t: %v", careless, h)
				}
			}
		})
	}
}

// Verify that what the method has set goes also where no middleware has set a header, and that
// Connect reads what such middleware sends, errors and successes.
func TestErrorsWithoutEncoding(t *testing.T) {
	s := encodedService(svc.Options{})
	for _, test := range []struct {
		h             http.Handler
		path, request string
	}{
		{s.REST(), "/things", `{"how":"own"}`},
		{s.RPC(), "/rpc", `{"jsonrpc":"2.0","method":"things.fail","params":{"how":"own"},"id":1}`},
	} {
		a := answerTo(test.h, "POST", test.path, test.request, "Content-Type", "application/json")
		if h := a.Header; h.Get("Content-Encoding")+h.Get("Content-Language")+h.Get("Content-Digest") != "" || h.Get("Content-Length") == "" {
			t.Errorf("%s: %v", test.path, h)
		}
	}
	for _, careless := range []bool{false, true} {
		server := httptest.NewServer(compressAll(s.REST(), careless))
		defer server.Close()
		var client struct {
			Fail func(context.Context, *EncodedIn) (*EncodedOut, error)
		}
		options := svc.Options{Resource: "things", Methods: map[string]svc.MethodOptions{"Fail": {HTTP: "POST /things"}}}
		if err := svc.Connect[EncodedAPI](&client, server.URL, &svc.ClientOptions{Service: &options}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Fail(t.Context(), &EncodedIn{}); svc.CodeOf(err) != svc.CodeNotFound || !strings.Contains(err.Error(), "no such thing") {
			t.Errorf("careless %t: %v", careless, err)
		}
		if out, err := client.Fail(t.Context(), &EncodedIn{"ok"}); err != nil || out.Name != "x" {
			t.Errorf("careless %t: %+v, %v", careless, out, err)
		}
	}
}
