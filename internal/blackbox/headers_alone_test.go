package blackbox_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	// BlobAPI is an upload in chunks, as a registry of containers has it: answers are headers alone.
	BlobAPI interface {
		Append(context.Context, *AppendBlob) (*Chunk, error)
		Finish(context.Context, *FinishBlob) (*Finished, error)
		GetState(context.Context, *BlobID) (*BlobState, error)
		Pull(context.Context, *PullBlob) (*Pulled, error)
		Start(context.Context) (*StartedUpload, error)
	}
	BlobID struct {
		ID string `json:"id"`
	}
	AppendBlob struct {
		ID    string `json:"id"`
		Range string `json:"range,omitempty" header:"Content-Range"`
		Text  string `json:"text"`
	}
	FinishBlob struct {
		ID      string `json:"id"`
		Existed bool   `json:"existed,omitempty"`
	}
	PullBlob struct {
		ID     string `json:"id"`
		Accept string `json:"accept,omitempty" header:"Accept" enum:"application/a,application/b" doc:"The form that the client reads."`
	}
	Pulled struct {
		Accept string `json:"accept"`
	}
	Chunk struct {
		Location string `json:"-" header:"Location"`
		Range    string `json:"-" header:"Range"`
	}
	Finished struct {
		Status int `json:"-" status:"204,201"`
	}
	BlobState struct {
		ETag string `json:"-" header:"ETag"`
	}
	blobs struct{}
)

func (blobs) Start(context.Context) (*StartedUpload, error) { return &StartedUpload{"/blobs/a"}, nil }
func (blobs) Append(_ context.Context, in *AppendBlob) (*Chunk, error) {
	return &Chunk{Location: "/blobs/" + in.ID, Range: in.Range}, nil
}
func (blobs) Finish(_ context.Context, in *FinishBlob) (*Finished, error) {
	if in.Existed {
		return new(Finished), nil
	}
	return &Finished{Status: 201}, nil
}
func (blobs) GetState(context.Context, *BlobID) (*BlobState, error) {
	return &BlobState{ETag: `"1"`}, nil
}
func (blobs) Pull(_ context.Context, in *PullBlob) (*Pulled, error) { return &Pulled{in.Accept}, nil }

func blobOptions(keys *svc.Idempotency) *svc.Options {
	return &svc.Options{Resource: "blobs", Idempotency: keys, Methods: map[string]svc.MethodOptions{
		"Append":   {HTTP: "PATCH /blobs/{id}", Status: 202},
		"Finish":   {HTTP: "PUT /blobs/{id}", IdempotencyKey: svc.KeyAllowed},
		"GetState": {HTTP: "GET /blobs/{id}/state"},
		"Pull":     {HTTP: "GET /blobs/{id}"},
		"Start":    {HTTP: "POST /blobs", IdempotencyKey: svc.KeyAllowed},
	}}
}

func blobService() *svc.Service {
	records := make(map[string][]byte)
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
		if records[id] == nil {
			if record, err = do(ctx); err != nil {
				return nil, err
			}
			records[id] = record
		}
		return records[id], nil
	}
	return svc.MustRegister[BlobAPI](blobs{}, blobOptions(&svc.Idempotency{Run: run}))
}

type StartedUpload struct {
	Location string `json:"-" header:"Location"`
}

// Verify that an answer of headers alone has no body and no Content-Type over REST, that inputs read
// Content-Range and Accept, and that other transports answer with {}.
func TestHeadersAlone(t *testing.T) {
	s := blobService()
	for _, test := range []struct {
		name, verb, path, body, header, value string
		status                                int
		want                                  map[string]string
	}{
		{"204 by default", "POST", "/blobs", "", "", "", 204, map[string]string{"Location": "/blobs/a", "Range": ""}},
		{"a key", "POST", "/blobs", "", "Idempotency-Key", "k", 204, map[string]string{"Location": "/blobs/a", "Idempotent-Replayed": ""}},
		{"the key again", "POST", "/blobs", "", "Idempotency-Key", "k", 204, map[string]string{"Location": "/blobs/a", "Idempotent-Replayed": "true"}},
		{"its Status, and Content-Range", "PATCH", "/blobs/b", `{"text":"x"}`, "Content-Range", "0-9", 202, map[string]string{"Location": "/blobs/b", "Range": "0-9"}},
		{"a chosen status", "PUT", "/blobs/b", "{}", "Idempotency-Key", "l", 201, nil},
		{"a chosen status again", "PUT", "/blobs/b", "{}", "Idempotency-Key", "l", 201, map[string]string{"Idempotent-Replayed": "true"}},
		{"the first status", "PUT", "/blobs/b", `{"existed":true}`, "", "", 204, nil},
		{"an ETag", "GET", "/blobs/b/state", "", "", "", 204, map[string]string{"ETag": `"1"`}},
		{"HEAD", "HEAD", "/blobs/b/state", "", "", "", 204, map[string]string{"ETag": `"1"`}},
		{"304", "GET", "/blobs/b/state", "", "If-None-Match", `"1"`, 304, map[string]string{"ETag": `"1"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := []string{"Content-Type", "application/json"}
			if test.header != "" {
				header = append(header, test.header, test.value)
			}
			a := answerTo(s.REST(), test.verb, test.path, test.body, header...)
			if a.StatusCode != test.status || textOf(a) != "" || a.Header["Content-Type"] != nil {
				t.Errorf("%d %v %s", a.StatusCode, a.Header, textOf(a))
			}
			for name, want := range test.want {
				if got := a.Header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
	for _, test := range []struct{ accept, want string }{
		{"application/b", `200 {"accept":"application/b"}`}, {"", `200 {"accept":""}`}, {"text/html", `400 {"error":`},
	} {
		var header []string
		if test.accept != "" {
			header = []string{"Accept", test.accept}
		}
		a := answerTo(s.REST(), "GET", "/blobs/b", "", header...)
		if got := a.Status[:4] + textOf(a); !strings.HasPrefix(got, test.want) || a.Header.Get("Vary") != "Accept" {
			t.Errorf("Accept %q: %s %v, want %s", test.accept, got, a.Header, test.want)
		}
	}
	if got := rpc(s, `{"jsonrpc":"2.0","id":1,"method":"blobs.append","params":{"id":"b","text":"x","range":"0-9"}}`); !strings.Contains(got, `"result":{}`) {
		t.Errorf("JSON-RPC: %s", got)
	}
	if got := rpc(s, `{"jsonrpc":"2.0","id":1,"method":"blobs.pull","params":{"id":"b","accept":"application/a"}}`); !strings.Contains(got, `{"accept":"application/a"}`) {
		t.Errorf("JSON-RPC: %s", got)
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blobs_append","arguments":{"id":"b","text":"x"}}}`
	if got := textOf(answerTo(s.MCP(nil), "POST", "/mcp", call, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")); !strings.Contains(got, `"structuredContent":{}`) {
		t.Errorf("MCP: %s", got)
	}
}

// Verify that Connect reads the headers and the status, sends Accept for its own, and none if the
// field is not set.
func TestHeadersAloneConnect(t *testing.T) {
	var accepts []string
	rest := blobService().REST()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepts = append(accepts, strings.Join(r.Header["Accept"], "+"))
		rest.ServeHTTP(w, r)
	})
	var client struct {
		Append func(context.Context, *AppendBlob) (*Chunk, error)
		Finish func(context.Context, *FinishBlob) (*Finished, error)
		Pull   func(context.Context, *PullBlob) (*Pulled, error)
	}
	connect := func(h http.Handler) {
		if err := svc.Connect[BlobAPI](&client, "", &svc.ClientOptions{Handler: h, Service: blobOptions(nil)}); err != nil {
			t.Fatal(err)
		}
	}
	connect(h)
	if out, err := client.Append(t.Context(), &AppendBlob{ID: "b", Range: "0-9", Text: "x"}); err != nil || *out != (Chunk{"/blobs/b", "0-9"}) {
		t.Errorf("Append: %+v, %v", out, err)
	}
	for existed, want := range map[bool]int{true: 204, false: 201} {
		if out, err := client.Finish(t.Context(), &FinishBlob{ID: "b", Existed: existed}); err != nil || out.Status != want {
			t.Errorf("Finish: %+v, %v", out, err)
		}
	}
	for _, accept := range []string{"", "application/b"} {
		if out, err := client.Pull(t.Context(), &PullBlob{ID: "b", Accept: accept}); err != nil || out.Accept != accept {
			t.Errorf("Pull %q: %+v, %v", accept, out, err)
		}
	}
	if got := strings.Join(accepts, " | "); got != "application/json | application/json | application/json |  | application/b" {
		t.Errorf("the requests have Accept: %s", got)
	}
	connect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // of an earlier release
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/x")
		w.Write([]byte("{}"))
	}))
	if out, err := client.Append(t.Context(), &AppendBlob{ID: "b", Text: "x"}); err != nil || out.Location != "/x" {
		t.Errorf("with a body: %+v, %v", out, err)
	}
}

// Verify what documents say: a response without content, and Accept in the description of OpenAPI,
// which ignores a parameter of that name.
func TestHeadersAloneInDocuments(t *testing.T) {
	s := blobService()
	for _, version := range []string{"3.0.3", "3.1", "3.2"} {
		w := httptest.NewRecorder()
		s.OpenAPI().ServeHTTP(w, request("GET", "/openapi.json?openapi="+version, ""))
		var document map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		for _, at := range [][]string{{"/blobs", "post", "204"}, {"/blobs/{id}", "patch", "202"}, {"/blobs/{id}", "put", "204"}, {"/blobs/{id}", "put", "201"}} {
			response, _ := dig(document, "paths", at[0], at[1], "responses", at[2]).(map[string]any)
			if response == nil || response["content"] != nil || at[1] != "put" && dig(response, "headers", "Location") == nil {
				t.Errorf("%s: %v is %v", version, at, response)
			}
		}
		if text := w.Body.String(); strings.Contains(text, `"name":"Accept"`) || !strings.Contains(text, `"name":"Content-Range"`) {
			t.Errorf("%s: the parameters of %s", version, text)
		}
		about, _ := dig(document, "paths", "/blobs/{id}", "get", "description").(string)
		if want := "Also reads the header Accept. The form that the client reads."; !strings.HasSuffix(about, want) {
			t.Errorf("%s: the description is %q", version, about)
		}
	}
	for _, test := range []struct{ name, text, want string }{
		{"Markdown", getDocs(s, docsAll, "GET", "/llms.txt").Body.String(), "- answer 202: Accepted\n  - header `Location`"},
		{"the page", getDocs(s, docsAll, "GET", "/").Body.String(), `"name":"Accept","in":"header"`},
		{"client.ts", textOf(answerTo(s.TypeScript(), "GET", "/client.ts", "")), `append: { route: "PATCH /blobs/{id}", headers: { range: "Content-Range" }, body: "json", kind: "void", out: {`},
		{"contract", string(s.Contract()), `"noBody":true`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.text, test.want) {
				t.Errorf("there is no %s in\n%s", test.want, test.text)
			}
		})
	}
}
