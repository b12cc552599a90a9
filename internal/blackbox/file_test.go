package blackbox_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/svc"
)

// This file is bodies and files that are not JSON: what a method reads of a body while
// it arrives, and what clients get of a File.

// FilesAPI has a method for each way a body or a file can go.
type FilesAPI interface {
	Put(ctx context.Context, in *PutFile) (*FileSize, error)
	Post(ctx context.Context, in *PostFile) error
	Get(ctx context.Context, in *FileID) (*svc.File, error)
	Picture(ctx context.Context, in *FileID) (*Picture, error)
	Convert(ctx context.Context, in *ConvertFile) (*svc.File, error)
}

type (
	PutFile struct {
		ID      int      `json:"id" minimum:"1"`
		Note    string   `json:"note" query:"note,omitempty"`
		Content svc.Body `contentType:"image/png, Text/CSV" maxBytes:"1000"`
	}
	PostFile    struct{ Content svc.Body }
	ConvertFile struct {
		To      string `json:"to" query:"to"`
		Content svc.Body
	}
	FileID struct {
		ID int `json:"id"`
	}
	FileSize struct {
		Size  int64  `json:"size"`
		Known int64  `json:"known"`
		Type  string `json:"type"`
	}
	Picture struct {
		svc.File `contentType:"image/png"`
		Cache    string `json:"-" header:"Cache-Control"`
	}
)

// files is an implementation made of functions, for each test its own.
type files struct {
	read func(ctx context.Context, b svc.Body) error
	file func(id int) *svc.File
}

func (f files) Put(ctx context.Context, in *PutFile) (*FileSize, error) {
	n, err := io.Copy(io.Discard, in.Content)
	return &FileSize{n, in.Content.Size, in.Content.ContentType}, err
}
func (f files) Post(ctx context.Context, in *PostFile) error         { return f.read(ctx, in.Content) }
func (f files) Get(_ context.Context, in *FileID) (*svc.File, error) { return f.file(in.ID), nil }
func (f files) Picture(_ context.Context, in *FileID) (*Picture, error) {
	return &Picture{*f.file(in.ID), "max-age=60"}, nil
}
func (f files) Convert(_ context.Context, in *ConvertFile) (*svc.File, error) {
	text, err := io.ReadAll(in.Content)
	return &svc.File{ContentType: in.To, Content: bytes.NewReader(bytes.ToUpper(text))}, err
}

// fileOptions returns the options of FilesAPI. Post takes 300 KiB.
func fileOptions() *svc.Options {
	return &svc.Options{Resource: "files", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Put":     {HTTP: "PUT /files/{id}"},
		"Post":    {HTTP: "POST /files", MaxBody: 1 << 20},
		"Picture": {HTTP: "GET /files/{id}/picture"},
	}}
}

// serveFiles starts a server of f. change may change it before.
func serveFiles(t *testing.T, f files, opts *svc.Options, change func(*http.Server)) (*svc.Service, string) {
	t.Helper()
	s := svc.MustRegister[FilesAPI](f, opts)
	server := httptest.NewUnstartedServer(s.REST())
	if change != nil {
		change(server.Config)
	}
	server.Start()
	t.Cleanup(server.Close)
	return s, server.Listener.Addr().String()
}

// tellServed makes a server send to served when a handler has returned, since a client may
// have the whole answer before that.
func tellServed(served chan bool) func(*http.Server) {
	return func(s *http.Server) {
		next := s.Handler
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() { served <- true }()
			next.ServeHTTP(w, r)
		})
	}
}

// fileHead is the head of a request without a content type.
func fileHead(line string) string { return line + " HTTP/1.1\r\nHost: svc.test\r\n" }

// Verify which bodies reach a method, and how those that do not are refused.
func TestBody(t *testing.T) {
	t.Parallel()
	_, addr := serveFiles(t, files{}, fileOptions(), nil)
	png, big := "Content-Type: image/png\r\n", strings.Repeat("x", 1001)
	for _, test := range []struct {
		name, line, rest string
		status           int
		want             string // a part of the body
	}{
		{"with a length", "PUT /files/1", png + withLength(3, "abc"), 200, `{"size":3,"known":3,"type":"image/png"}`},
		{"chunked", "PUT /files/1", png + chunked("1\r\na\r\n2\r\nbc\r\n"+lastChunk), 200, `{"size":3,"known":-1,`},
		{"empty", "PUT /files/1", png + withLength(0, ""), 200, `{"size":0,"known":0,`},
		{"chunked and empty", "PUT /files/1", png + chunked(lastChunk), 200, `{"size":0,"known":-1,`},
		{"none", "PUT /files/1", png + "\r\n", 200, `{"size":0,"known":0,`},
		{"exactly as large as allowed", "PUT /files/1", png + withLength(1000, big[:1000]), 200, `{"size":1000,`},
		{"the same, chunked", "PUT /files/1", png + chunked(chunks(big[:1000], 7)+lastChunk), 200, `{"size":1000,`},
		{"type in capitals, with a parameter", "PUT /files/1", "Content-Type: TEXT/csv ; charset=x\r\n" + withLength(1, "a"), 200, `"type":"TEXT/csv ; charset=x"`},
		{"two large, announced", "PUT /files/1", png + withLength(1001, ""), 413, "1000 bytes"},
		{"too large, chunked", "PUT /files/1", png + chunked(chunks(big, 10)+lastChunk), 413, "1000 bytes"},
		{"another type", "PUT /files/1", "Content-Type: image/gif\r\n" + withLength(1, "a"), 415, "image/png or text/csv"},
		{"JSON", "PUT /files/1", "Content-Type: application/json\r\n" + withLength(2, "{}"), 415, "image/png"},
		{"no type", "PUT /files/1", withLength(1, "a"), 415, "image/png"},
		{"two types", "PUT /files/1", png + png + withLength(1, "a"), 415, "image/png"},
		{"two types in one line", "PUT /files/1", "Content-Type: image/png;a=b,text/html\r\n" + withLength(1, "a"), 415, "one media type: image/png or text/csv"},
		{"a parameter without a value", "PUT /files/1", "Content-Type: image/png; a\r\n" + withLength(1, "a"), 415, "one media type: image/png or text/csv"},
		{"two types where any is taken", "POST /files/convert?to=text/plain", "Content-Type: a/b\r\nContent-Type: c/d\r\n" + withLength(1, "a"), 415, "one media type, such as application/octet-stream"},
		{"two lines that look like one type", "POST /files/convert?to=text/plain", "Content-Type: a/b;x=\"\r\nContent-Type: \"\r\n" + withLength(1, "a"), 415, "one media type"},
		{"compressed", "PUT /files/1", png + "Content-Encoding: gzip\r\n" + withLength(1, "a"), 415, "Content-Encoding"},
		{"another violation", "PUT /files/0", png + withLength(1, "a"), 400, "/id"},
		{"a page of another site", "POST /files/convert?to=text/plain", "Origin: https://evil.example\r\nContent-Type: text/plain\r\n" + withLength(1, "a"), 403, "an upload from a page of another site needs an origin that CORS allows by name"},
		{"any type", "POST /files/convert?to=text/plain", "Content-Type: a/b\r\n" + withLength(1, "a"), 200, "A"},
		{"no type where any is taken", "POST /files/convert?to=text/plain", withLength(1, "b"), 200, "B"},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := wireDial(t, addr)
			conn.send(fileHead(test.line) + test.rest)
			a := conn.answer(t)
			if a.status != test.status || !strings.Contains(a.body, test.want) {
				t.Errorf("%s: %d %s, want %d with %s", test.name, a.status, a.body, test.status, test.want)
			}
			if test.status != 200 && (a.header.Get("Connection") == "close") == strings.Contains(test.rest, lastChunk) && test.status != 413 {
				t.Errorf("%s: Connection %q", test.name, a.header.Get("Connection"))
			}
			conn.Close()
		})
	}
}

// Verify that the page of another site sends a Body only if CORS names its origin, or
// asks first, as browsers do for JSON.
func TestBodyOfAnotherSite(t *testing.T) {
	s := svc.MustRegister[FilesAPI](files{read: func(_ context.Context, b svc.Body) error {
		_, err := io.Copy(io.Discard, b)
		return err
	}}, fileOptions())
	cors := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}})(s.REST())
	for _, test := range []struct {
		name, origin, contentType string
		handler                   http.Handler
		status                    int
	}{
		{"named", "https://app.example", "text/plain", cors, 204},
		{"named, without a type", "https://app.example", "", cors, 204},
		{"not named", "https://evil.example", "text/plain", cors, 403},
		{"not named, JSON", "https://evil.example", "application/json", cors, 204},
		{"without CORS", "https://app.example", "text/plain", s.REST(), 403},
		{"its own", "http://example.com", "text/plain", s.REST(), 204},
		{"no browser", "", "text/plain", s.REST(), 204},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/files", strings.NewReader("a"))
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			if test.contentType != "" {
				r.Header.Set("Content-Type", test.contentType)
			}
			w := httptest.NewRecorder()
			if test.handler.ServeHTTP(w, r); w.Code != test.status {
				t.Errorf("%s: %d %s, want %d", test.name, w.Code, w.Body, test.status)
			}
		})
	}
}

// Verify what documents say of bodies and files.
func TestFileDocuments(t *testing.T) {
	s := svc.MustRegister[FilesAPI](files{}, fileOptions())
	for _, version := range []string{"3.0.3", "3.1.0"} {
		w := httptest.NewRecorder()
		s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/?openapi="+version, nil))
		var buf bytes.Buffer
		if err := json.Indent(&buf, w.Body.Bytes(), "", "  "); err != nil {
			t.Fatal(err)
		}
		golden(t, "files/openapi-"+version+".json", append(buf.Bytes(), '\n'))
	}
}

// Verify what a failing Read is, and that it is the answer if the method does not
// mind.
func TestBodyReadErrors(t *testing.T) {
	t.Parallel()
	errs := make(chan error, 1)
	keep := files{read: func(_ context.Context, b svc.Body) error {
		_, err := io.Copy(io.Discard, b)
		if again := func() error { _, err := b.Read(make([]byte, 1)); return err }(); again != err {
			err = fmt.Errorf("the next Read has another error: %v", again)
		}
		errs <- err
		return nil // which stores a part of the file
	}}
	serve := func(timeout time.Duration) (addr string) {
		opts := fileOptions()
		opts.Methods["Post"] = svc.MethodOptions{HTTP: "POST /files", MaxBody: 100, BodyTimeout: timeout}
		// ReadTimeout is over before the method is called.
		_, addr = serveFiles(t, keep, opts, func(s *http.Server) { s.ReadTimeout, s.ReadHeaderTimeout = 1, time.Minute })
		return addr
	}
	hasty, patient := serve(20*time.Millisecond), serve(wirePatience)
	for _, test := range []struct {
		name, rest string
		end        bool
		status     int
		code       svc.Code
	}{
		{"too large", chunked(chunks(strings.Repeat("x", 101), 50) + lastChunk), false, 413, svc.CodeResourceExhausted},
		{"stalled", withLength(10, "x"), false, 408, svc.CodeDeadlineExceeded},
		{"stalled from the start", chunked(""), false, 408, svc.CodeDeadlineExceeded},
		{"cut", withLength(10, "x"), true, 400, svc.CodeInvalidArgument},
		{"no chunk", chunked("zz\r\n"), false, 400, svc.CodeInvalidArgument},
	} {
		t.Run(test.name, func(t *testing.T) {
			addr := hasty
			if test.end {
				addr = patient // as a busy client may be slow to end
			}
			conn := wireDial(t, addr)
			conn.send(fileHead("POST /files") + test.rest)
			if test.end {
				conn.end()
			}
			conn.mustRefuse(t, test.name, test.status)
			if err := <-errs; svc.CodeOf(err) != test.code {
				t.Errorf("%s: Read returns %v", test.name, err)
			}
		})
	}
}

// A timedBody is a request body and the ResponseWriter of its request. It keeps when the
// bytes were read and the deadlines that were set for that.
type timedBody struct {
	*httptest.ResponseRecorder
	deadlines []time.Time // zero where one is removed
	set, read time.Time   // when the last deadline was set, and when the last Read returned
}

func (b *timedBody) SetReadDeadline(deadline time.Time) error {
	if b.deadlines = append(b.deadlines, deadline); !deadline.IsZero() {
		b.set = time.Now()
	}
	return nil
}

func (b *timedBody) Read(p []byte) (int, error) {
	defer func() { b.read = time.Now() }()
	return rand.Read(p) // which takes longer than everything around it
}

func (b *timedBody) Close() error { return nil }

// Verify that BodyTimeout is for each block and not for the body, and that the time of
// the method does not count. A deadline less the timeout is when the time of its block
// would have begun, had nothing been in between.
func TestBodyTimeoutIsForEachBlock(t *testing.T) {
	const block, timeout = 64 << 10, time.Hour
	for _, major := range []int{1, 2} {
		b := &timedBody{ResponseRecorder: httptest.NewRecorder()}
		deadline := func() (last time.Time) {
			if n := len(b.deadlines); (major == 2) != b.deadlines[n-1].IsZero() {
				t.Fatalf("HTTP/%d: the deadlines are %v", major, b.deadlines)
			} else if major == 1 {
				return b.deadlines[n-1]
			}
			return b.deadlines[len(b.deadlines)-2]
		}
		h := files{read: func(_ context.Context, body svc.Body) error {
			for range 3 {
				begun := time.Now()
				body.Read(make([]byte, block/2))
				first, read := deadline(), b.read
				if first.Add(-timeout).Before(begun) {
					t.Errorf("HTTP/%d: a block has %v less", major, begun.Sub(first.Add(-timeout)))
				}
				body.Read(make([]byte, block/2))
				if second := deadline(); second.Sub(first) > b.set.Sub(read) {
					t.Errorf("HTTP/%d: the second half of a block has %v more", major, second.Sub(first))
				}
			}
			return nil
		}}
		opts := fileOptions()
		opts.Methods["Post"] = svc.MethodOptions{HTTP: "POST /files", BodyTimeout: timeout}
		r := httptest.NewRequest("POST", "/files", b)
		r.ProtoMajor = major
		svc.MustRegister[FilesAPI](h, opts).REST().ServeHTTP(b, r)
		if b.Code != 204 {
			t.Errorf("HTTP/%d: status %d", major, b.Code)
		}
	}
}

// Verify that a Body whose content reads the Body itself, or is read on two goroutines,
// fails: nobody waits.
func TestBodyReadsItself(t *testing.T) {
	var body svc.Body
	var inner error
	s := svc.MustRegister[FilesAPI](files{read: func(_ context.Context, b svc.Body) error {
		body = b
		_, err := io.ReadAll(b)
		return err
	}}, fileOptions())
	content := readerFunc(func(p []byte) (int, error) {
		_, inner = body.Read(p)
		return 0, io.EOF
	})
	if _, err := s.Call(context.Background(), "files", "post", &PostFile{svc.NewBody(content, "")}); err != nil || svc.CodeOf(inner) != svc.CodeInternal {
		t.Errorf("Call returns %v, and Read inside of Read %v", err, inner)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Verify that a client that leaves ends a Read.
func TestBodyOfClientThatLeaves(t *testing.T) {
	t.Parallel()
	reading, errs := make(chan bool), make(chan error)
	_, addr := serveFiles(t, files{read: func(_ context.Context, b svc.Body) error {
		io.ReadFull(b, make([]byte, 3))
		reading <- true
		_, err := b.Read(make([]byte, 1))
		errs <- err
		return err
	}}, fileOptions(), nil)
	conn := wireDial(t, addr)
	conn.send(fileHead("POST /files") + withLength(10, "abc"))
	<-reading
	conn.Conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
	if err := <-errs; svc.CodeOf(err) != svc.CodeCanceled && svc.CodeOf(err) != svc.CodeInvalidArgument {
		t.Errorf("Read returns %v", err)
	}
}

// Verify that a body that its method does not read to its end ends its connection, and that it
// cannot be read after the method.
func TestBodyUnread(t *testing.T) {
	t.Parallel()
	bodies := make(chan svc.Body, 1)
	_, addr := serveFiles(t, files{read: func(_ context.Context, b svc.Body) error {
		io.ReadFull(b, make([]byte, 3))
		bodies <- b
		return nil
	}}, fileOptions(), nil)
	for _, test := range []struct{ name, rest string }{
		{"small", withLength(100_000, strings.Repeat("x", 100_000))},
		{"chunked", chunked(chunks(strings.Repeat("x", 1000), 100) + lastChunk)},
		{"larger than net/http reads", withLength(3+256<<10, strings.Repeat("x", 3+256<<10))},
		{"much larger", withLength(1<<20, strings.Repeat("x", 400_000))},
		{"never sent", withLength(1<<20, "abc")},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := wireDial(t, addr)
			conn.send(fileHead("POST /files") + test.rest)
			if a := conn.answer(t); a.status != 204 || a.header.Get("Connection") != "close" {
				t.Errorf("%s: status %d, Connection %q", test.name, a.status, a.header.Get("Connection"))
			}
			b := <-bodies
			if n, err := b.Read(make([]byte, 1)); n > 0 || err == nil || !strings.Contains(err.Error(), "until its method returns") {
				t.Errorf("%s: after the method Read returns %d, %v", test.name, n, err)
			}
			conn.end()
			conn.mustClose(t, test.name)
		})
	}
}

// Verify that a client is not told to send a body that its method does not want.
func TestBodyNotAskedFor(t *testing.T) {
	t.Parallel()
	_, addr := serveFiles(t, files{read: func(_ context.Context, b svc.Body) error {
		return svc.Errorf(svc.CodeNotFound, "there is no such thing")
	}}, fileOptions(), nil)
	conn := wireDial(t, addr)
	conn.send(fileHead("POST /files") + "Expect: 100-continue\r\n" + withLength(1000, ""))
	if a := conn.answer(t); a.status != 404 || a.header.Get("Connection") != "close" {
		t.Errorf("status %d, Connection %q", a.status, a.header.Get("Connection"))
	}

	_, addr = serveFiles(t, files{read: func(_ context.Context, b svc.Body) error {
		_, err := io.Copy(io.Discard, b)
		return err
	}}, fileOptions(), nil)
	conn = wireDial(t, addr)
	conn.send(fileHead("POST /files") + "Expect: 100-continue\r\n" + withLength(3, ""))
	if line, _ := conn.r.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("the server says %q", line)
	}
	conn.r.ReadString('\n')
	conn.send("abc")
	if a := conn.answer(t); a.status != 204 {
		t.Errorf("status %d", a.status)
	}
}

// Verify that a goroutine that goes on reading does not hold up the answer.
func TestBodyReadElsewhere(t *testing.T) {
	t.Parallel()
	errs := make(chan error)
	_, addr := serveFiles(t, files{read: func(_ context.Context, b svc.Body) error {
		reading := make(chan bool)
		go func() {
			io.ReadFull(b, make([]byte, 3))
			close(reading)
			for {
				if _, err := b.Read(make([]byte, 1)); err != nil {
					errs <- err
					return
				}
			}
		}()
		<-reading
		return nil
	}}, fileOptions(), nil)
	conn := wireDial(t, addr)
	conn.send(fileHead("POST /files") + withLength(10, "abc"))
	if a := conn.answer(t); a.status != 204 || a.header.Get("Connection") != "close" {
		t.Errorf("status %d, Connection %q", a.status, a.header.Get("Connection"))
	}
	if err := <-errs; err == nil {
		t.Error("the goroutine has read on")
	}
}

// A source is the content of a File or a Body. It knows how often it is closed.
type source struct {
	io.ReadSeeker
	closed chan bool
}

func newSource(text string) *source { return &source{strings.NewReader(text), make(chan bool, 9)} }

func (s *source) Close() error {
	s.closed <- true
	return nil
}

// A brokenSource fails where it is told to.
type brokenSource struct {
	io.ReadSeeker
	read, seek error
	closed     int
}

func (s *brokenSource) Read(p []byte) (int, error) {
	if n, err := s.ReadSeeker.Read(p); err == nil {
		return n, nil
	}
	return 0, s.read
}

func (s *brokenSource) Seek(offset int64, whence int) (int64, error) {
	if s.seek != nil {
		return 0, s.seek
	}
	n, _ := s.ReadSeeker.Seek(offset, whence)
	if whence == io.SeekEnd {
		n += 10 // than there is
	}
	return n, nil
}

func (s *brokenSource) Close() error {
	s.closed++
	return nil
}

var fileTime = time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)

// Verify that a File that can seek is answered as http.ServeContent answers it, for all
// conditions and ranges that there are, but for what is documented to differ.
func TestFileIsServeContent(t *testing.T) {
	const text, etag = "0123456789", `"v1"`
	var content *source
	served := make(chan bool, 1)
	_, addr := serveFiles(t, files{file: func(int) *svc.File {
		content = newSource(text)
		return &svc.File{ContentType: "text/plain", ETag: etag, Modified: fileTime, Content: content}
	}}, fileOptions(), tellServed(served))
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"], w.Header()["Etag"] = []string{"text/plain"}, []string{etag}
		http.ServeContent(w, r, "", fileTime, strings.NewReader(text))
	}))
	defer plain.Close()
	before, after := fileTime.Add(-time.Hour).Format(http.TimeFormat), fileTime.Add(time.Hour).Format(http.TimeFormat)
	same := fileTime.Format(http.TimeFormat)
	headers := []struct {
		name   string
		values []string
	}{
		{"Range", []string{"", "bytes=0-4", "bytes=5-", "bytes=-3", "bytes=9-99", "bytes=10-", "bytes=-99"}},
		{"If-Range", []string{"", etag, `"v2"`, `W/"v1"`, same, before}},
		{"If-Match", []string{"", "*", etag, `"v2", "v1"`, `W/"v1"`}},
		{"If-None-Match", []string{"", "*", `W/"v1"`, `"v2"`}},
		{"If-Modified-Since", []string{"", same, before, "x"}},
		{"If-Unmodified-Since", []string{"", before, after}},
	}
	ask := func(url, method string, pick []int) wireAnswer {
		r, _ := http.NewRequest(method, url, nil)
		for i, h := range headers {
			if value := h.values[pick[i]]; value != "" {
				r.Header.Set(h.name, value)
			}
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		res.Header.Del("Date")
		return wireAnswer{res.StatusCode, res.Header, string(body)}
	}
	pick, statuses := make([]int, len(headers)), make(map[int]int)
	for n := 0; ; n++ {
		method := []string{"GET", "HEAD"}[n%2]
		if n%17 < 3 || rounds(0, 1) == 1 {
			got, want := ask("http://"+addr+"/files/1", method, pick), ask(plain.URL, method, pick)
			statuses[got.status]++
			<-served
			if len(content.closed) != 1 {
				t.Fatalf("%s %v: the content is closed %d times", method, pick, len(content.closed))
			}
			for _, name := range []string{"Etag", "Last-Modified", "Content-Range", "Accept-Ranges", "Content-Length", "Content-Type"} {
				if g, w := got.header.Get(name), want.header.Get(name); g != w && got.status < 400 {
					t.Fatalf("%s %v: %s is %q, want %q", method, pick, name, g, w)
				}
			}
			if got.status != want.status || got.status < 400 && got.body != want.body {
				t.Fatalf("%s %v: %d %q, want %d %q", method, pick, got.status, got.body, want.status, want.body)
			}
			if got.status >= 400 && method == "GET" {
				checkWireError(t, fmt.Sprint(pick), got)
			}
			if got.status == 416 && got.header.Get("Content-Range") != "bytes */10" {
				t.Fatalf("%v: Content-Range is %q", pick, got.header.Get("Content-Range"))
			}
		}
		i := 0
		for ; i < len(pick); i++ {
			if pick[i]++; pick[i] < len(headers[i].values) {
				break
			}
			pick[i] = 0
		}
		if i == len(pick) {
			break
		}
	}
	for _, status := range []int{200, 206, 304, 412, 416} {
		if statuses[status] == 0 {
			t.Errorf("no answer has the status %d", status)
		}
	}
}

// Verify which part of a file is the answer to each pair of numbers, as RFC 9110, section 14.1.2,
// says it. http.ServeContent is no oracle for numbers beyond an int64.
func TestFileRanges(t *testing.T) {
	const text = "0123456789"
	h := svc.MustRegister[FilesAPI](files{file: func(int) *svc.File { return &svc.File{Content: strings.NewReader(text)} }}, fileOptions()).REST()
	numbers := []string{"", "0", "00", "1", "3", "9", "010", "10", "11", "99", "9223372036854775806", "9223372036854775807", "9223372036854775808",
		"18446744073709551615", "18446744073709551616", "18446744073709551619", "99999999999999999999", "00000000000000000000000004", strings.Repeat("9", 400)}
	for _, first := range numbers {
		for _, last := range numbers {
			t.Run(rowName(first+"-"+last), func(t *testing.T) {
				r, w := httptest.NewRequest("GET", "/files/1", nil), httptest.NewRecorder()
				r.Header.Set("Range", "bytes="+first+"-"+last)
				h.ServeHTTP(w, r)
				status, want := rangeOf(text, first, last)
				got := w.Body.String()
				if w.Code == 416 {
					got = w.Header().Get("Content-Range")
				}
				if w.Code != status || got != want {
					t.Errorf("%d %q, want %d %q", w.Code, got, status, want)
				}
			})
		}
	}
}

// rangeOf returns the status and the part of text for a range, or the Content-Range of a 416.
func rangeOf(text, first, last string) (int, string) {
	const unsatisfied = "bytes */10"
	size := big.NewInt(int64(len(text)))
	from, _ := new(big.Int).SetString(first, 10)
	to, _ := new(big.Int).SetString(last, 10)
	switch {
	case from == nil && (to == nil || to.Sign() == 0): // not a range, or one of no bytes: ignored
		return 200, text
	case from == nil: // the last bytes
		if to.Cmp(size) > 0 {
			to = size
		}
		return 206, text[len(text)-int(to.Int64()):]
	case from.Cmp(size) >= 0, to != nil && to.Cmp(from) < 0:
		return 416, unsatisfied
	case to == nil || to.Cmp(size) >= 0:
		return 206, text[from.Int64():]
	}
	return 206, text[from.Int64() : to.Int64()+1]
}

// Verify the answers of single files, on the wire and for Options.Observe.
func TestFile(t *testing.T) {
	var broken *brokenSource
	const secret = "the disk /dev/sda1"
	made := map[int]func() *svc.File{
		1: func() *svc.File {
			return &svc.File{Name: "Ä/Zeugnis „1“.csv", ContentType: "text/csv", Content: strings.NewReader("a,b\n")}
		},
		2: func() *svc.File {
			return &svc.File{Content: io.MultiReader(strings.NewReader("abc")), Size: 3, ETag: `"e"`}
		},
		3: func() *svc.File {
			return &svc.File{Content: io.MultiReader(strings.NewReader("abc")), Inline: true, Name: ".."}
		},
		4: func() *svc.File { return &svc.File{Content: io.MultiReader(strings.NewReader("abc")), Size: 5} },
		5: func() *svc.File { return &svc.File{Content: strings.NewReader("")} },
		6: func() *svc.File { return &svc.File{} },
		7: func() *svc.File { return &svc.File{Content: strings.NewReader("x"), ETag: "v1"} },
		8: func() *svc.File {
			return &svc.File{Content: strings.NewReader("x"), ContentType: "text/plain\r\nX-Evil: 1"}
		},
		9:  func() *svc.File { return &svc.File{Content: strings.NewReader("x"), ContentType: "image/gif"} },
		10: func() *svc.File { broken.seek = errors.New(secret); return &svc.File{Content: broken} },
		11: func() *svc.File {
			broken.read = errors.New(secret)
			return &svc.File{Content: broken, ETag: `"e"`, Name: "x"}
		},
		12: func() *svc.File {
			broken.ReadSeeker, broken.read = strings.NewReader("abc"), errors.New(secret)
			return &svc.File{Content: broken}
		},
		13: func() *svc.File {
			broken.ReadSeeker, broken.read = strings.NewReader("abc"), io.EOF
			return &svc.File{Content: broken}
		},
		14: func() *svc.File { return &svc.File{Content: panicReader{"no disk"}} },
		15: func() *svc.File {
			return &svc.File{Content: io.MultiReader(strings.NewReader("abc"), panicReader{"no disk"})}
		},
		16: func() *svc.File { return &svc.File{Content: minusSeeker{strings.NewReader("abc")}} },
		17: func() *svc.File { return &svc.File{Content: io.MultiReader(), Size: 5, ETag: `"e"`} },
		18: func() *svc.File { return &svc.File{Content: iotest.ErrReader(errors.New(secret)), Size: 5} },
		19: func() *svc.File { broken.read = io.EOF; return &svc.File{Content: broken} },
		20: func() *svc.File { return &svc.File{Content: strings.NewReader("x"), ETag: "\"a\nb\""} },
		21: func() *svc.File { return &svc.File{Content: strings.NewReader("x"), ETag: "\"a\x7f\""} },
		22: func() *svc.File { return &svc.File{Content: strings.NewReader("x"), ETag: "W/\"a\x00\""} },
		23: func() *svc.File { return &svc.File{Content: strings.NewReader("x"), ETag: "\"ä!~\""} },
	}
	var observed []error
	opts, served := fileOptions(), make(chan bool, 1)
	opts.Observe = func(_ context.Context, o svc.Observation) { observed = append(observed, o.Err) }
	_, addr := serveFiles(t, files{file: func(id int) *svc.File { return made[id]() }}, opts, tellServed(served))
	for _, test := range []struct {
		name, line, header string
		want               string // status, some headers, body; "cut" after what came
		observed           svc.Code
	}{
		{"name", "GET /files/1", "", `200 | text/csv | 4 | bytes | attachment; filename="Zeugnis _1_.csv"; filename*=UTF-8''Zeugnis%20%E2%80%9E1%E2%80%9C.csv | a,b` + "\n", ""},
		{"two ranges", "GET /files/1", "Range: bytes=0-0,2-2\r\n", "200 | text/csv | 4 | bytes |", ""},
		{"two headers", "GET /files/1", "Range: bytes=0-0\r\nRange: bytes=0-0\r\n", "200 | text/csv | 4 | bytes |", ""},
		{"another unit", "GET /files/1", "Range: lines=0-0\r\n", "200 | text/csv | 4 | bytes |", ""},
		{"no range", "GET /files/1", "Range: bytes=x\r\n", "200 | text/csv | 4 | bytes |", ""},
		{"backwards", "GET /files/1", "Range: bytes=2-1\r\n", "416 | application/json |", svc.CodeOutOfRange},
		{"nothing", "GET /files/1", "Range: bytes=-0\r\n", "200 | text/csv | 4 | bytes |", ""},
		{"one range", "GET /files/1", "Range: bytes=2-2\r\n", "206 | text/csv | 1 | bytes |", ""},
		{"copied", "GET /files/2", "Range: bytes=0-0\r\n", "200 | application/octet-stream | 3 |  | attachment | abc", ""},
		{"copied, unchanged", "GET /files/2", "If-None-Match: \"e\"\r\n", "304 |  |  |  |  | ", ""},
		{"copied, changed", "GET /files/2", "If-Match: \"f\"\r\n", "412 | application/json |", svc.CodeFailedPrecondition},
		{"copied, HEAD", "HEAD /files/2", "", "200 | application/octet-stream | 3 |  | attachment | ", ""},
		{"of unknown size", "GET /files/3", "", "200 | application/octet-stream | 3 |  | inline | abc", ""},
		{"shorter than said", "GET /files/4", "", "cut", svc.CodeInternal},
		{"nothing of what was said", "GET /files/17", "", "500 | application/json |", svc.CodeInternal},
		{"nothing of what was said, HEAD", "HEAD /files/17", "", "200 | application/octet-stream | 5 |", ""},
		{"Read of what was said fails", "GET /files/18", "", "500 | application/json |", svc.CodeInternal},
		{"nothing of what Seek has found", "GET /files/19", "", "500 | application/json |", svc.CodeInternal},
		{"nothing of a range", "GET /files/19", "Range: bytes=3-4\r\n", "500 | application/json |", svc.CodeInternal},
		{"entity tag of two lines", "GET /files/20", "", "500 | application/json |", svc.CodeInternal},
		{"entity tag with DEL", "GET /files/21", "", "500 | application/json |", svc.CodeInternal},
		{"weak entity tag with NUL", "GET /files/22", "", "500 | application/json |", svc.CodeInternal},
		{"entity tag beyond ASCII", "GET /files/23", "If-None-Match: \"ä!~\"\r\n", "304 |", ""},
		{"empty", "GET /files/5", "Range: bytes=-5\r\n", "200 | application/octet-stream | 0 | bytes | attachment | ", ""},
		{"behind the end", "GET /files/1", "Range: bytes=4-\r\n", "416 | application/json |", svc.CodeOutOfRange},
		{"nil", "GET /files/6", "", "500 | application/json |", svc.CodeInternal},
		{"no entity tag", "GET /files/7", "", "500 | application/json |", svc.CodeInternal},
		{"no media type", "GET /files/8", "", "500 | application/json |", svc.CodeInternal},
		{"type of the tag", "GET /files/2/picture", "", "200 | image/png | 3 |", ""},
		{"not a type of the tag", "GET /files/9/picture", "", "500 | application/json |", svc.CodeInternal},
		{"Seek fails", "GET /files/10", "", "500 | application/json |", svc.CodeInternal},
		{"Read fails", "GET /files/11", "", "500 | application/json |", svc.CodeInternal},
		{"Read fails later", "GET /files/12", "", "cut", svc.CodeInternal},
		{"it shrinks", "GET /files/13", "", "cut", svc.CodeInternal},
		{"Seek counts backwards", "GET /files/16", "Range: bytes=0-\r\n", "500 | application/json |", svc.CodeInternal},
		{"Read panics", "GET /files/14", "", "500 | application/json |", svc.CodeInternal},
		{"Read panics later", "GET /files/15", "", "cut", svc.CodeInternal},
		{"a body and a file", "POST /files/convert?to=text/css", "", "200 | text/css | 0 | bytes |", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			broken, observed = &brokenSource{ReadSeeker: strings.NewReader("")}, nil
			conn := wireDial(t, addr)
			conn.send(fileHead(test.line) + test.header + "\r\n")
			method, _, _ := strings.Cut(test.line, " ")
			r, _ := http.NewRequest(method, "/", nil)
			res, err := http.ReadResponse(conn.r, r)
			if err != nil {
				res = &http.Response{Body: http.NoBody}
			}
			body, _ := io.ReadAll(res.Body)
			h := res.Header
			got := "cut" // before the buffer was full
			if err == nil {
				got = fmt.Sprintf("%d | %s | %s | %s | %s | %s", res.StatusCode, h.Get("Content-Type"), h.Get("Content-Length"), h.Get("Accept-Ranges"), h.Get("Content-Disposition"), body)
			}
			if !strings.HasPrefix(got, test.want) || test.want[len(test.want)-1] != '|' && got != test.want {
				t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
			}
			if res.StatusCode >= 400 {
				checkWireError(t, test.name, wireAnswer{res.StatusCode, h, string(body)})
				if h.Get("Accept-Ranges") != "" {
					t.Errorf("%s: the error has a header of the file: %v", test.name, h)
				}
			}
			if strings.Contains(got, secret) || h.Get("X-Content-Type-Options") != "nosniff" && err == nil && res.StatusCode != 304 {
				t.Errorf("%s: %s %v", test.name, got, h)
			}
			if strings.Contains(test.line, "picture") && res.StatusCode == 200 && h.Get("Cache-Control") != "max-age=60" {
				t.Errorf("%s: the header of the output is missing: %v", test.name, h)
			}
			<-served
			if test.line >= "GET /files/10" && test.line <= "GET /files/13" && broken.closed != 1 {
				t.Errorf("%s: closed %d times", test.name, broken.closed)
			}
			conn.Close()
			if len(observed) != 1 || test.observed == "" && observed[0] != nil || test.observed != "" && svc.CodeOf(observed[0]) != test.observed {
				t.Errorf("%s: observed %v", test.name, observed)
			}
		})
	}
}

type panicReader struct{ value any }

func (r panicReader) Read([]byte) (int, error) { panic(r.value) }

// Verify that middleware which recovers the abort of a File has the header that it had set.
func TestFileAborts(t *testing.T) {
	file := svc.File{Content: panicReader{http.ErrAbortHandler}, ETag: `"e"`, Size: 5}
	h := svc.MustRegister[FilesAPI](files{file: func(int) *svc.File { return &file }}, fileOptions()).REST()
	w := httptest.NewRecorder()
	w.Header().Set("X-Before", "1")
	defer func() {
		if v := recover(); v != http.ErrAbortHandler || w.Header().Get("X-Before") != "1" || len(w.Header()) != 1 {
			t.Errorf("%v, with the header %v", v, w.Header())
		}
	}()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/files/1", nil))
}

type minusSeeker struct{ io.Reader }

func (minusSeeker) Seek(int64, int) (int64, error) { return -1, nil }

// endless is a content without an end.
type endless struct{ closed chan bool }

func (endless) Read(p []byte) (int, error) { return len(p), nil }
func (e endless) Close() error {
	close(e.closed)
	return nil
}

// Verify that the content of a client that leaves is closed, and that the call counts
// as canceled.
func TestFileOfClientThatLeaves(t *testing.T) {
	content, observed := endless{make(chan bool)}, make(chan error, 1)
	opts := fileOptions()
	opts.Observe = func(_ context.Context, o svc.Observation) { observed <- o.Err }
	_, addr := serveFiles(t, files{file: func(int) *svc.File { return &svc.File{Content: content} }}, opts, nil)
	conn := wireDial(t, addr)
	conn.send(fileHead("GET /files/1") + "\r\n")
	io.CopyN(io.Discard, conn.r, 1<<20)
	conn.Close()
	<-content.closed
	if err := <-observed; svc.CodeOf(err) != svc.CodeCanceled {
		t.Errorf("observed %v", err)
	}
}

// Verify that Call takes a Body within the same limits, and returns the File.
func TestFileCall(t *testing.T) {
	s := svc.MustRegister[FilesAPI](files{}, fileOptions())
	ctx := context.Background()
	for _, test := range []struct {
		body svc.Body
		want string
	}{
		{svc.NewBody(strings.NewReader("abc"), "image/png"), "3 3 image/png"},
		{svc.NewBody(io.MultiReader(strings.NewReader("abc")), "text/csv"), "3 -1 text/csv"},
		{svc.Body{ContentType: "image/png"}, "0 0 image/png"},
		{svc.NewBody(strings.NewReader("abc"), "image/gif"), "INVALID_ARGUMENT 415"},
		{svc.NewBody(strings.NewReader("ab"), "image/png;a=b,text/html"), "INVALID_ARGUMENT 415"},
		{svc.NewBody(strings.NewReader(strings.Repeat("x", 1001)), "image/png"), "RESOURCE_EXHAUSTED 413"},
		{svc.NewBody(io.MultiReader(strings.NewReader(strings.Repeat("x", 1001))), "image/png"), "RESOURCE_EXHAUSTED 413"},
	} {
		t.Run(rowName(test.want, "of", test.body.Size), func(t *testing.T) {
			in := &PutFile{ID: 1, Content: test.body}
			out, err := s.Call(ctx, "files", "put", in)
			var got string
			if err != nil {
				got = fmt.Sprint(svc.CodeOf(err), " ", svc.ErrorFrom(err).HTTPStatus())
			} else {
				size := out.(*FileSize)
				got = fmt.Sprint(size.Size, " ", size.Known, " ", size.Type)
			}
			if got != test.want {
				t.Errorf("%v: %s, want %s", test.body, got, test.want)
			}
			if in.Content != test.body {
				t.Errorf("Call has changed its input to %v", in)
			}
		})
	}
	out, err := s.Call(ctx, "files", "convert", &ConvertFile{To: "a/b", Content: svc.NewBody(strings.NewReader("abc"), "")})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(out.(*svc.File).Content); string(text) != "ABC" {
		t.Errorf("the File has %q", text)
	}
}

type (
	BadFilesAPI interface {
		Under(ctx context.Context, in *PostFile) error
		Two(ctx context.Context, in *struct{ A, B svc.Body }) error
		Beside(ctx context.Context, in *struct {
			Name string `json:"name"`
			A    svc.Body
		}) error
		Deep(ctx context.Context, in *struct {
			A struct{ B svc.Body } `json:"a"`
		}) error
		Listed(ctx context.Context, in *struct {
			A []svc.Body `json:"a"`
		}) error
		Pointer(ctx context.Context, in *struct {
			A *svc.Body `json:"a"`
		}) error
		Whole(ctx context.Context, in *svc.Body) error
		Inline(ctx context.Context, in *struct {
			A []byte `json:"a" contentType:"image/png" maxBytes:"7"`
		}) error
		Form(ctx context.Context, in *struct {
			A svc.Body `form:"a"`
		}) error
		Tags(ctx context.Context, in *struct {
			A svc.Body `contentType:"" maxBytes:"1MB"`
		}) error
		Range(ctx context.Context, in *struct {
			A svc.Body `contentType:"image/*"`
		}) error
		Taken(ctx context.Context, in *struct{ svc.File }) error
		Shown(ctx context.Context, in *struct {
			A svc.Body `inline:"true"`
		}) error
		Showing(ctx context.Context) (*struct {
			svc.File `inline:"yes"`
		}, error)
		ShownText(ctx context.Context) (*struct {
			A string `json:"a" inline:"true"`
		}, error)
		Given(ctx context.Context) (*struct{ A svc.Body }, error)
		Embedded(ctx context.Context) (*struct{ *svc.File }, error)
		Named(ctx context.Context) (*struct{ A svc.File }, error)
		Members(ctx context.Context) (*struct {
			svc.File
			Note string `json:"note"`
		}, error)
		Items(ctx context.Context) (svc.Stream[svc.File], error)
		Status(ctx context.Context) (*svc.File, error)
		OverMCP(ctx context.Context, in *PostFile) error
		OverRPC(ctx context.Context) (*svc.File, error)
	}
	badFiles struct{ BadFilesAPI }
)

// Verify that the Markdown has each media type of a Body as code of its own.
func TestFileMarkdown(t *testing.T) {
	text := getDocs(svc.MustRegister[FilesAPI](files{}, fileOptions()), docsAll, "GET", "/llms.txt").Body.String()
	if want := "- body: a file as `image/png` or `text/csv`. At most 1000 bytes.\n"; !strings.Contains(text, want) {
		t.Errorf("the Markdown has no\n%s\nin\n%s", want, text)
	}
}

// Verify the mistakes that there are with files, all told at once.
func TestFileMistakes(t *testing.T) {
	_, err := svc.Register[BadFilesAPI](badFiles{}, &svc.Options{Resource: "files", Methods: map[string]svc.MethodOptions{
		"Under":   {HTTP: "GET /under"},
		"Status":  {Status: 201},
		"OverMCP": {Transports: []svc.Transport{svc.TransportREST, svc.TransportMCP}},
		"OverRPC": {Transports: []svc.Transport{svc.TransportRPC}},
	}})
	if err == nil {
		t.Fatal("accepted")
	}
	golden(t, "register/files.txt", []byte(err.Error()+"\n"))
}

// Verify that no transport but REST takes a Body, and that JSON-RPC has no File.
func TestFileTransports(t *testing.T) {
	s := svc.MustRegister[FilesAPI](files{file: func(int) *svc.File { return &svc.File{Content: strings.NewReader("a")} }}, fileOptions())
	server := httptest.NewServer(s.RPC())
	defer server.Close()
	for _, name := range []string{"put", "post", "get", "picture", "convert"} {
		res, err := http.Post(server.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"files.`+name+`","params":{"id":1}}`))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		if res.Body.Close(); !bytes.Contains(text, []byte("-32601")) {
			t.Errorf("%s: %s", name, text)
		}
	}
	var rest []string
	for _, r := range s.Routes() {
		rest = append(rest, r.Name)
	}
	if want := []string{"convert", "get", "picture", "post", "put"}; !slices.Equal(rest, want) {
		t.Errorf("REST serves %v, want %v", rest, want)
	}
}

// fileClient is a client of FilesAPI.
type fileClient struct {
	Put     func(ctx context.Context, in *PutFile) (*FileSize, error)
	Get     func(ctx context.Context, in *FileID) (*svc.File, error)
	Picture func(ctx context.Context, in *FileID) (*Picture, error)
	Convert func(ctx context.Context, in *ConvertFile) (*svc.File, error)
}

// Verify that a client sends a Body as it is read, once, closes it, and gets the File.
func TestFileClient(t *testing.T) {
	t.Parallel()
	made := &svc.File{Name: "Zeugnis „1“.csv", ContentType: "image/png", ETag: `"e"`, Modified: fileTime, Inline: true}
	f := files{file: func(id int) *svc.File {
		file := *made
		if file.Content = strings.NewReader("0123456789"); id == 2 {
			file.Content = &brokenSource{ReadSeeker: strings.NewReader("abc"), read: errors.New("x")}
		}
		return &file
	}}
	s := svc.MustRegister[FilesAPI](f, fileOptions())
	server := httptest.NewServer(s.REST())
	defer server.Close()
	ctx := context.Background()
	for name, opts := range map[string]*svc.ClientOptions{"server": {}, "handler": {Handler: s.REST()}} {
		opts.Service = fileOptions()
		var client fileClient
		if err := svc.Connect[FilesAPI](&client, server.URL, opts); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			text, contentType string
			size              int64
			want              string
		}{
			{"abc", "image/png", 3, "{3 3 image/png} <nil>"},
			{"abc", "text/csv; x=y", -1, "{3 -1 text/csv; x=y} <nil>"},
			{"", "image/png", 0, "{0 0 image/png} <nil>"},
			{"", "image/png", -1, "{0 -1 image/png} <nil>"},
			{"abc", "image/gif", 3, "INVALID_ARGUMENT: the Content-Type must be image/png or text/csv"},
			{"abc", "image/png, text/csv", 3, "INVALID_ARGUMENT: the Content-Type must be one media type: image/png or text/csv"},
			{strings.Repeat("x", 1001), "image/png", 1001, "RESOURCE_EXHAUSTED: the request body has more than 1000 bytes"},
			{strings.Repeat("x", 1001), "image/png", -1, "RESOURCE_EXHAUSTED: the request body has more than 1000 bytes"},
		} {
			t.Run(rowName(name, test.contentType, test.text, test.size), func(t *testing.T) {
				content := newSource(test.text)
				in := &PutFile{ID: 1, Content: svc.NewBody(content, test.contentType)}
				if in.Content.Size != int64(len(test.text)) {
					t.Errorf("NewBody says that %q has %d bytes", test.text, in.Content.Size)
				}
				in.Content.Size = test.size
				out, err := client.Put(ctx, in)
				got := fmt.Sprint(err)
				if err == nil {
					got = fmt.Sprint(*out, " ", err)
				}
				if got != test.want {
					t.Errorf("%s: %+v: %s, want %s", name, test, got, test.want)
				}
				if <-content.closed; len(content.closed) > 0 {
					t.Errorf("%s: %+v: closed again", name, test)
				}
			})
		}
		file, err := client.Get(ctx, &FileID{ID: 1})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file.Content)
		if err != nil || string(text) != "0123456789" || file.Content.(io.Closer).Close() != nil {
			t.Errorf("%s: the content is %q, %v", name, text, err)
		}
		file.Content, file.Size = nil, 0
		if want := *made; *file != (svc.File{Name: want.Name, ContentType: want.ContentType, ETag: want.ETag, Modified: want.Modified.Truncate(time.Second), Inline: true}) {
			t.Errorf("%s: got %+v, want %+v", name, *file, want)
		}
		picture, err := client.Picture(ctx, &FileID{ID: 1})
		if err != nil || picture.Cache != "max-age=60" {
			t.Errorf("%s: got %+v, %v", name, picture, err)
		} else {
			picture.Content.(io.Closer).Close()
		}
		file, err = client.Convert(ctx, &ConvertFile{To: "a/b", Content: svc.NewBody(strings.NewReader("abc"), "")})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(file.Content); string(text) != "ABC" {
			t.Errorf("%s: the content is %q", name, text)
		}
		file.Content.(io.Closer).Close()
		if file, err = client.Get(ctx, &FileID{ID: 2}); err == nil { // the header may be sent with what is cut
			_, err = io.ReadAll(file.Content)
			file.Content.(io.Closer).Close()
		}
		if svc.CodeOf(err) != svc.CodeUnavailable {
			t.Errorf("%s: a cut file gives %v", name, err)
		}
	}
}

// A closedBody is the body of a response that counts how often it is closed.
type closedBody struct {
	io.Reader
	closed int
}

func (b *closedBody) Close() error {
	b.closed++
	return nil
}

// Verify what a client makes of a File that is not as the output says, or is cut. Nobody else
// closes the former.
func TestFileClientForeignAnswers(t *testing.T) {
	for _, test := range []struct {
		contentType string
		body        io.Reader
		want        string
		closed      int
	}{
		{"image/png", strings.NewReader("abc"), "abc <nil>", 0},
		{"image/png", io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(io.ErrUnexpectedEOF)), "ab UNAVAILABLE: the response was cut: unexpected EOF", 0},
		{"text/html", strings.NewReader("<html>"), "INTERNAL: the Content-Type of the response is not one of the output", 1},
	} {
		t.Run(rowName(test.contentType, test.want), func(t *testing.T) {
			body, client := &closedBody{Reader: test.body}, new(fileClient)
			transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {test.contentType}}, Body: body, Request: r}, nil
			})
			if err := svc.Connect[FilesAPI](client, "http://x", &svc.ClientOptions{HTTPClient: &http.Client{Transport: transport}, Service: fileOptions()}); err != nil {
				t.Fatal(err)
			}
			out, err := client.Picture(context.Background(), &FileID{ID: 1})
			got := fmt.Sprint(err)
			if err == nil {
				text, err := io.ReadAll(out.Content)
				got = fmt.Sprint(string(text), " ", err)
			}
			if got != test.want || body.closed != test.closed {
				t.Errorf("%s: got %s, closed %d times, want %s, %d", test.contentType, got, body.closed, test.want, test.closed)
			}
		})
	}
}

// Verify that a handler can answer before it has read a Body, and that the client gets the
// answer also where it writes meanwhile.
func TestFileClientAnsweredEarly(t *testing.T) {
	refuse := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		svc.WriteError(w, r, svc.Errorf(svc.CodeUnauthenticated, "who?"))
	})
	var client fileClient
	if err := svc.Connect[FilesAPI](&client, "", &svc.ClientOptions{Service: fileOptions(), Handler: refuse}); err != nil {
		t.Fatal(err)
	}
	slow := &httptrace.ClientTrace{GotFirstResponseByte: func() {
		for range 1000 {
			runtime.Gosched() // to what writes
		}
	}}
	ctx := httptrace.WithClientTrace(context.Background(), slow)
	for range 20 {
		content := svc.NewBody(strings.NewReader(strings.Repeat("x", 900<<10)), "a/b")
		if _, err := client.Convert(ctx, &ConvertFile{To: "a/b", Content: content}); svc.CodeOf(err) != svc.CodeUnauthenticated {
			t.Error(err)
		}
	}
}

// A panicCloser is a content whose Close panics.
type panicCloser struct{ io.ReadSeeker }

func (panicCloser) Close() error { panic("cannot close") }

// Verify that a Close that panics is logged and takes nothing from the answer, which is
// complete by then.
func TestFileCloserPanics(t *testing.T) {
	var log bytes.Buffer
	opts := fileOptions()
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := svc.MustRegister[FilesAPI](files{file: func(int) *svc.File {
		return &svc.File{ContentType: "text/plain", Content: panicCloser{strings.NewReader("whole")}}
	}}, opts)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files_get","arguments":{"id":1}}}`
	for _, test := range []struct {
		h                        http.Handler
		method, path, body, want string
	}{
		{s.REST(), "GET", "/files/1", "", "whole"},
		{s.MCP(nil), "POST", "/mcp", call, `"text":"whole"`},
	} {
		t.Run(rowName(test.method, test.path), func(t *testing.T) {
			r, w := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)), httptest.NewRecorder()
			r.Header.Set("Content-Type", "application/json")
			log.Reset()
			test.h.ServeHTTP(w, r)
			if w.Code != 200 || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s: %d %s", test.path, w.Code, w.Body)
			}
			if !strings.Contains(log.String(), "cannot close") || !strings.Contains(log.String(), "files.get") {
				t.Errorf("%s: the log is %q", test.path, &log)
			}
		})
	}
}

// Verify what MCP makes of a File.
func TestFileOverMCP(t *testing.T) {
	contents := map[int]*svc.File{
		1: {ContentType: "image/png", Content: strings.NewReader("\x89PNG")},
		2: {ContentType: "audio/wav", Content: strings.NewReader("RIFF")},
		3: {ContentType: "text/csv; charset=utf-8", Content: strings.NewReader("a,b\n")},
		4: {ContentType: "text/csv", Content: strings.NewReader("a\xff")},
		5: {Content: strings.NewReader("x")},
		6: {Content: strings.NewReader(strings.Repeat("x", 1<<20))},
		7: {Content: io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20+1)))},
		8: {Content: &brokenSource{ReadSeeker: strings.NewReader(""), read: errors.New("the disk")}},
		9: {},
		// A read of a resource closes each.
		10: {ContentType: "image/png", Content: strings.NewReader("\x89PNG")},
		11: {ContentType: "text/html", Content: strings.NewReader("x")},
	}
	register := func(shown map[string]svc.MCPMethod) *svc.Service {
		return svc.MustRegister[FilesAPI](files{file: func(id int) *svc.File { return contents[id] }}, showing(fileOptions(), shown))
	}
	h := register(map[string]svc.MCPMethod{"Get": {URI: "files://{id}"}, "Picture": {URI: "pictures://{id}"}}).At("/v1").MCP(nil)
	contents[5].Name = "../a ä/?.bin"
	ask := func(method, params string) string {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	for id, want := range []string{
		1: `"content":[{"type":"image","data":"iVBORw==","mimeType":"image/png"}],"isError":false`,
		2: `"content":[{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}],"isError":false`,
		3: `"content":[{"type":"resource","resource":{"uri":"files://3","mimeType":"text/csv; charset=utf-8","text":"a,b\n"}}],"isError":false`,
		4: `"content":[{"type":"resource","resource":{"uri":"files://4","mimeType":"text/csv","blob":"Yf8="}}],"isError":false`,
		5: `"content":[{"type":"resource","resource":{"uri":"files://5","mimeType":"application/octet-stream","blob":"eA=="}}],"isError":false`,
		6: `"mimeType":"application/octet-stream","blob":"eHh4`,
		7: `"text":"RESOURCE_EXHAUSTED: the file has more than 1048576 bytes, which is as much as fits into an answer; over HTTP it is at /v1/files/7"}],"isError":true`,
		8: `"text":"INTERNAL: internal error"}],"isError":true`,
		9: `"text":"INTERNAL: internal error"}],"isError":true`,
	} {
		if id == 0 {
			continue
		}
		if got := ask("tools/call", fmt.Sprintf(`{"name":"files_get","arguments":{"id":%d}}`, id)); !strings.Contains(got, want) {
			t.Errorf("%d: got %s", id, clipped(got))
		}
	}
	contents[3].Content = strings.NewReader("a,b\n")
	contents[4].Content = strings.NewReader("a\xff")
	for uri, want := range map[string]string{
		"files://3":     `"contents":[{"uri":"files://3","mimeType":"text/csv; charset=utf-8","text":"a,b\n"}]`,
		"files://4":     `"contents":[{"uri":"files://4","mimeType":"text/csv","blob":"Yf8="}]`,
		"pictures://10": `"contents":[{"uri":"pictures://10","mimeType":"image/png","blob":"iVBORw=="}]`,
		"pictures://11": `"code":-32603,"message":"INTERNAL: internal error`,
	} {
		if got := ask("resources/read", `{"uri":"`+uri+`"}`); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", uri, got)
		}
	}
	if list := ask("resources/templates/list", "{}"); !strings.Contains(list, `"uriTemplate":"files://{id}"`) || strings.Count(list, "mimeType") != 1 || !strings.Contains(list, `"mimeType":"image/png"`) {
		t.Errorf("files of any type, and of one, are listed as %s", list)
	}
	tools := ask("tools/list", "{}")
	if strings.Contains(tools, "files_put") || strings.Contains(tools, "outputSchema") || !strings.Contains(tools, `"files_picture"`) {
		t.Errorf("the tools are %s", tools)
	}
	h = register(map[string]svc.MCPMethod{"Get": {Prompt: true}}).MCP(nil)
	contents[1].Content = strings.NewReader("\x89PNG")
	for id, want := range map[string]string{"1": `"content":{"type":"image","data":"iVBORw=="`, "9": `"code":-32603,"message":"INTERNAL: internal error`} {
		if got := ask("prompts/get", `{"name":"files_get","arguments":{"id":"`+id+`"}}`); !strings.Contains(got, want) {
			t.Errorf("the prompt %s: got %s", id, got)
		}
	}
}

// exportsAPI has files without a resource of MCP.
type exportsAPI interface {
	Get(context.Context, *exportIn) (*svc.File, error)
	Alone(context.Context) (*svc.File, error)
}

type exportIn struct {
	Name string `json:"name" path:"name"`
	Page int    `json:"page,omitempty" query:"page"`
}

type exports struct{}

func (exports) Get(_ context.Context, in *exportIn) (*svc.File, error) {
	if in.Page == 9 {
		return &svc.File{Content: strings.NewReader(strings.Repeat("x", 1<<20+1))}, nil
	}
	return &svc.File{Name: in.Name, ContentType: "text/plain", Content: strings.NewReader("x")}, nil
}

func (exports) Alone(context.Context) (*svc.File, error) {
	return &svc.File{ContentType: "text/plain", Content: strings.NewReader("x")}, nil
}

// Verify that the uri of a File is a URI, whatever is known of its address.
func TestFileURIOverMCP(t *testing.T) {
	for _, test := range []struct {
		name, base, uri, tool, arguments, want string
	}{
		{"a resource", "https://a.example/api/", "exports://files/{name}{?page}", "get", `{"name":"a b","page":2}`, `"uri":"exports://files/a%20b?page=2"`},
		{"a resource without its parameter", "", "exports://files/{name}{?page}", "get", `{"name":"a/b&c"}`, `"uri":"exports://files/a%2Fb&c"`},
		{"a resource that has no such value", "https://a.example/api/", "exports://x/{name}", "get", `{"name":".."}`, `"uri":"https://a.example/api/v1/files/.."`},
		{"a BaseURL", "https://a.example/api/", "", "get", `{"name":"a b/ü"}`, `"uri":"https://a.example/api/v1/files/a%20b%2F%C3%BC"`},
		{"a BaseURL without a host", "/api", "", "get", `{"name":"a b"}`, `"uri":"file:///a%20b"`},
		{"no BaseURL", "", "", "get", `{"name":"../c/50%?.txt"}`, `"uri":"file:///50%25%3F.txt"`},
		{"no BaseURL and no name", "", "", "alone", `{}`, `"uri":"file:///exports_alone"`},
		{"a BaseURL and no route", "https://a.example", "", "alone", `{}`, `"uri":"file:///exports_alone"`},
		{"too large", "", "", "get", `{"name":"a","page":9}`, `as much as fits into an answer; over HTTP it is at /v1/files/a"`},
		{"too large, with a BaseURL", "https://a.example", "", "get", `{"name":"a","page":9}`, `as much as fits into an answer; over HTTP it is at https://a.example/v1/files/a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := &svc.Options{Resource: "exports", Defaults: svc.Defaults{BaseURL: test.base}, Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
				"Get": {HTTP: "GET /files/{name}"}, "Alone": {HTTP: "GET /alone", Transports: []svc.Transport{svc.TransportMCP}}}}
			if test.uri != "" {
				showing(o, map[string]svc.MCPMethod{"Get": {URI: test.uri}})
			}
			s := svc.MustRegister[exportsAPI](exports{}, o).At("/v1")
			got := mcpPost(s.MCP(nil), mcpLegacy("2025-11-25", "tools/call", `"name":"exports_`+test.tool+`","arguments":`+test.arguments)).Body.String()
			if !strings.Contains(got, test.want) {
				t.Errorf("got %s\nwant %s", clipped(got), test.want)
			}
			for _, uri := range strings.Split(got, `"uri":"`)[1:] {
				uri, _, _ = strings.Cut(uri, `"`)
				if u, err := url.Parse(uri); err != nil || !u.IsAbs() {
					t.Errorf("%q is no URI: %v", uri, err)
				}
			}
		})
	}
}

// A deadlineWriter counts the deadlines that are set for writing.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	deadlines int
}

func (w *deadlineWriter) SetWriteDeadline(deadline time.Time) error {
	if left := time.Until(deadline); left > 25*time.Second && left <= 30*time.Second {
		w.deadlines++
	}
	return nil
}

// Verify that each part of a file has a deadline of its own.
func TestFileWriteDeadlines(t *testing.T) {
	s := svc.MustRegister[FilesAPI](files{file: func(int) *svc.File {
		return &svc.File{Content: strings.NewReader(strings.Repeat("x", 100<<10))}
	}}, fileOptions())
	w := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
	s.REST().ServeHTTP(w, httptest.NewRequest("GET", "/files/1", nil))
	if w.Body.Len() != 100<<10 || w.deadlines != 4 {
		t.Errorf("%d bytes with %d deadlines, want %d with 4", w.Body.Len(), w.deadlines, 100<<10)
	}
}

// Whatever a file is called, clients read one name without directories from the header,
// and it is that of the file as far as it can be.
func FuzzFileName(f *testing.F) {
	for _, name := range []string{
		"a.txt", "", "..", "a/b.png", `C:\x\y.doc`, "naïve „quoted“.pdf", `a"b\c%41.txt`, "%20", "a\r\nb", "\x00", "\xff.bin",
		strings.Repeat("ü", 200) + ".tar.gz", strings.Repeat("x", 300), "a." + strings.Repeat("x", 300), " a ", "a;b=c", "'", "=?utf-8?q?x?=", "\u202egnp.exe", "\u0085",
	} {
		f.Add(name)
	}
	var name string
	s := svc.MustRegister[FilesAPI](files{file: func(int) *svc.File { return &svc.File{Name: name, Content: strings.NewReader("x")} }}, fileOptions())
	h := s.REST()
	f.Fuzz(func(t *testing.T, given string) {
		name = given
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/files/1", nil))
		header := w.Header().Get("Content-Disposition")
		kind, params, err := mime.ParseMediaType(header)
		got, has := params["filename"]
		switch {
		case w.Code != 200 || err != nil || kind != "attachment":
			t.Fatalf("%q: status %d, %q, %v", given, w.Code, header, err)
		case strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' }):
			t.Fatalf("%q: the header is %q", given, header)
		case got == "" == has, len(got) > 255, strings.ContainsAny(got, `/\`), strings.ContainsFunc(got, unicode.IsControl), got == ".", got == "..", !utf8.ValidString(got):
			t.Fatalf("%q: the name is %q, by %q", given, got, header)
		}
		plain := !strings.ContainsAny(given, `/\`) && !strings.ContainsFunc(given, unicode.IsControl) && utf8.ValidString(given) && strings.TrimSpace(given) == given
		if plain && len(given) <= 255 && given != "." && given != ".." && got != given {
			t.Fatalf("%q: the name is %q, by %q", given, got, header)
		}
	})
}

type (
	// InlineFileAPI has a file that browsers show by its tag, and one that they save.
	InlineFileAPI interface {
		Get(context.Context) (*InlineFile, error)
		GetTable(context.Context) (*SavedFile, error)
	}
	InlineFile struct {
		svc.File `contentType:"image/png" inline:"true"`
	}
	SavedFile struct {
		svc.File `contentType:"text/csv"`
	}
	inlineFiles struct{}
)

func (inlineFiles) Get(context.Context) (*InlineFile, error) {
	return &InlineFile{svc.File{Name: "a.png", Content: strings.NewReader("x")}}, nil
}

func (inlineFiles) GetTable(context.Context) (*SavedFile, error) {
	return &SavedFile{svc.File{Name: "a.csv", Content: strings.NewReader("x")}}, nil
}

// Verify that browsers show a file whose tag says so, and that its name is kept.
func TestFileInlineTag(t *testing.T) {
	methods := map[string]svc.MethodOptions{"Get": {HTTP: "GET /picture"}, "GetTable": {HTTP: "GET /table"}}
	s := svc.MustRegister[InlineFileAPI](inlineFiles{}, &svc.Options{Resource: "pictures", Methods: methods})
	for path, want := range map[string]string{"/picture": `inline; filename="a.png"`, "/table": `attachment; filename="a.csv"`} {
		t.Run(path, func(t *testing.T) {
			if got := answerTo(s.REST(), "GET", path, "").Header.Get("Content-Disposition"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
