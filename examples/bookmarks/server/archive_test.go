package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/bookmarks"
)

// Verify that an archive is packed after its call, and what is said of one that was cancelled, or left
// by its process.
func TestArchive(t *testing.T) {
	handler, client, token := serve(t, "bookmarks:read", "bookmarks:write")
	db, err := openPostgres(t.Context(), os.Getenv("DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.pool.Close)
	for i := range 30 { // which are two pages
		file := &bookmarks.File{Name: "../a.txt", Type: "text/plain", Data: fmt.Append(nil, i)}
		if _, err := client.Create(t.Context(), &bookmarks.NewBookmark{Title: "A", Item: bookmarks.Item{File: file}}); err != nil {
			t.Fatal(err)
		}
	}
	begun, err := client.Pack(t.Context())
	if err != nil || begun.State != "working" {
		t.Fatal(begun, err)
	}
	in := &bookmarks.ArchiveID{ID: begun.ID}
	state := func(want string) *bookmarks.Archive {
		t.Helper()
		for range 600 {
			a, err := client.GetArchive(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if a.State == want {
				return a
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatal("the archive never is ", want)
		return nil
	}
	if a := state("completed"); a.Path != fmt.Sprintf("/archives/%d/file", a.ID) || a.Message != "" {
		t.Errorf("the archive is %+v", a)
	}
	w := call(handler, token, fmt.Sprintf("GET /archives/%d/file", in.ID), "")
	archive, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil || len(archive.File) != 60 || !strings.HasSuffix(archive.File[1].Name, "/a.txt") || strings.Contains(archive.File[1].Name, "..") {
		t.Fatalf("%v: the archive has %+v", err, archive)
	}

	for _, test := range []struct{ name, row, request, want string }{
		{"an archive that has ended", "", "DELETE /archives/ID", `"archive_ended"`},
		{"one that is working", "state = 'working', seen_at = now()", "POST /archives", `202 {"id":ID,"state":"working"}`},
		{"its file", "", "GET /archives/ID/file", `404 {"error":{"code":"NOT_FOUND"`},
		{"its end", "", "DELETE /archives/ID", "204"},
		{"one that is cancelled", "", "GET /archives/ID", `200 {"id":ID,"state":"cancelled"}`},
		{"one whose process has ended", "state = 'working', seen_at = now() - interval '2 minutes'", "GET /archives/ID", `"state":"failed","message":"the server has stopped; begin again"`},
		{"another one", "", "DELETE /archives/9999999", `404 {"error":{"code":"NOT_FOUND"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.row != "" {
				if _, err := db.pool.Exec(t.Context(), "update archives set "+test.row+" where id = $1", in.ID); err != nil {
					t.Fatal(err)
				}
			}
			id := fmt.Sprint(in.ID)
			w := call(handler, token, strings.ReplaceAll(test.request, "ID", id), "")
			if got := fmt.Sprint(w.Code, " ", w.Body); !strings.Contains(got, strings.ReplaceAll(test.want, "ID", id)) {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// Verify that an assistant gets a task, and its result at the end.
func TestArchiveTask(t *testing.T) {
	handler, _, token := serve(t, "bookmarks:read")
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` +
		`{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`
	send := func(method, name, params string) string {
		w := call(handler, token, "POST /mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`,`+meta, "Content-Type: application/json",
			"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: "+method, "Mcp-Name: "+name)
		return w.Body.String()
	}
	var begun struct {
		Result struct{ ResultType, TaskID, Status string }
	}
	text := send("tools/call", "bookmarks_pack", `"name":"bookmarks_pack","arguments":{}`)
	if err := json.Unmarshal([]byte(text), &begun); err != nil || begun.Result.ResultType != "task" {
		t.Fatal(err, text)
	}
	for range 600 {
		text = send("tasks/get", begun.Result.TaskID, `"taskId":"`+begun.Result.TaskID+`"`)
		if strings.Contains(text, `"status":"completed"`) && strings.Contains(text, `"path":"/archives/`) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the task is " + text)
}
