package blackbox_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Verify on any body that the answer is well formed, and that it has one
// response for each request that wants one, in order, with the id as it was
// written. The seeds are the requests of the transcripts.
func FuzzRPC(f *testing.F) {
	files, err := filepath.Glob("testdata/rpc/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no transcripts", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if request, ok := strings.CutPrefix(line, "--> "); ok {
				f.Add([]byte(strings.TrimSpace(request)))
			}
		}
	}
	h := newMath(f, &mathService{})
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.Contains(body, []byte("abort")) || bytes.Contains(body, []byte("goexit")) {
			t.Skip("asks for the connection to be dropped")
		}
		w := rpcPost(h, string(body))
		if w.Code == http.StatusRequestEntityTooLarge {
			return
		}
		got, single := rpcIDs(t, w.Body.Bytes())
		if (w.Code == http.StatusNoContent) != (len(got) == 0) || w.Code != http.StatusOK && w.Code != http.StatusNoContent {
			t.Fatalf("status %d with %d responses", w.Code, len(got))
		}
		if bytes.HasPrefix(w.Body.Bytes(), []byte(`{"jsonrpc":"2.0","error":{"code":-32700,`)) {
			return // FuzzRPCText knows when it is right
		}
		items := []json.RawMessage{body}
		batch := bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("["))
		if batch {
			items = nil
			if err := json.Unmarshal(body, &items); err != nil {
				t.Fatalf("called, and no JSON: %v", err)
			}
		}
		var want []string
		for _, item := range items {
			if id, answered := rpcWantsAnswer(item); answered {
				want = append(want, id)
			}
		}
		if refused := batch && (len(items) == 0 || len(items) > 1000); refused {
			want = []string{"null"}
		} else if batch == single && len(got) > 0 {
			t.Fatalf("a batch is answered with an array, and nothing else is: %s", w.Body)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("ids %q, want %q: %s", got, want, w.Body)
		}
	})
}

// rpcIDs returns the ids of the responses in body, and whether body is one that
// is not in an array.
func rpcIDs(t *testing.T, body []byte) (ids []string, single bool) {
	t.Helper()
	if len(body) == 0 {
		return nil, false
	}
	var list []map[string]json.RawMessage
	if single = body[0] != '['; single {
		body = slices.Concat([]byte("["), body, []byte("]"))
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for _, response := range list {
		_, hasResult := response["result"]
		_, hasError := response["error"]
		if string(response["jsonrpc"]) != `"2.0"` || hasResult == hasError || len(response) != 3 || response["id"] == nil {
			t.Fatalf("this is no response: %s", body)
		}
		ids = append(ids, string(response["id"]))
	}
	return ids, single
}

// rpcWantsAnswer says by the specification alone whether a request is answered,
// and with which id.
func rpcWantsAnswer(item json.RawMessage) (id string, answered bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(item, &members) != nil || members == nil {
		return "null", true
	}
	if given, ok := members["id"]; ok {
		if strings.IndexByte(`"-0123456789n`, given[0]) >= 0 {
			return string(given), true
		}
		return "null", true
	}
	var version, method string
	params, hasParams := members["params"]
	valid := json.Unmarshal(members["jsonrpc"], &version) == nil && version == "2.0" &&
		json.Unmarshal(members["method"], &method) == nil && string(members["method"]) != "null" &&
		(!hasParams || strings.IndexByte(`{[n`, params[0]) >= 0)
	return "null", !valid
}
