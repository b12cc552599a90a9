package blackbox_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/svc"
)

// This file is the end of a Body: whatever a method returns, and however it ends, nothing
// reads the Body while the answer is written, and after.

// BodiesAPI has a method with a Body for each kind of answer.
type BodiesAPI interface {
	Watch(ctx context.Context, in *PostFile) (svc.Stream[FileSize], error)
	Copy(ctx context.Context, in *PostFile) (*svc.File, error)
	Save(ctx context.Context, in *PostFile) error
	Check(ctx context.Context, in *CheckedFile) error
	Wait(ctx context.Context) error
}

// A CheckedFile has a Validate method that gets hold of the Body.
type CheckedFile struct {
	ID      string `json:"id"`
	Content svc.Body
}

// keptBody is where Validate of a CheckedFile with an ID puts the Body.
var keptBody sync.Map

func (c *CheckedFile) Validate() error {
	if kept, ok := keptBody.Load(c.ID); ok {
		kept.(chan svc.Body) <- c.Content
		return errors.New("no")
	}
	return nil
}

// bodies is an implementation made of functions, for each test its own.
type bodies struct {
	watch func(ctx context.Context, b svc.Body) svc.Stream[FileSize]
	copy  func(ctx context.Context, b svc.Body) *svc.File
	save  func(ctx context.Context, b svc.Body) error
	wait  func(ctx context.Context) error
}

func (f bodies) Watch(ctx context.Context, in *PostFile) (svc.Stream[FileSize], error) {
	return f.watch(ctx, in.Content), nil
}
func (f bodies) Copy(ctx context.Context, in *PostFile) (*svc.File, error) {
	return f.copy(ctx, in.Content), nil
}
func (f bodies) Save(ctx context.Context, in *PostFile) error { return f.save(ctx, in.Content) }
func (f bodies) Check(context.Context, *CheckedFile) error    { return nil }
func (f bodies) Wait(ctx context.Context) error               { return f.wait(ctx) }

// registerBodies registers f. A body has at most 100 bytes.
func registerBodies(f bodies) *svc.Service {
	return svc.MustRegister[BodiesAPI](f, &svc.Options{Resource: "bodies", MaxBody: 100, Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Check": {HTTP: "POST /bodies/{id}/check"},
	}})
}

// serveBodies starts a server of f, over HTTP/1.1 or HTTP/2, and returns it with a channel that
// hears of the end of each handler.
func serveBodies(t *testing.T, f bodies, http2 bool) (*httptest.Server, chan bool) {
	t.Helper()
	server, served := httptest.NewUnstartedServer(registerBodies(f).REST()), make(chan bool, 9)
	tellServed(served)(server.Config)
	if server.EnableHTTP2 = http2; http2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server, served
}

// bothProtocols runs a test over HTTP/1.1 and over HTTP/2.
func bothProtocols(t *testing.T, test func(t *testing.T, http2 bool)) {
	t.Run("HTTP/1.1", func(t *testing.T) { test(t, false) })
	t.Run("HTTP/2", func(t *testing.T) { test(t, true) })
}

// postBody sends a body and returns the status and the text of the answer.
func postBody(t *testing.T, server *httptest.Server, path string, body io.Reader) (int, string) {
	t.Helper()
	res, err := server.Client().Post(server.URL+path, "a/b", body)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("the answer is cut: %v", err)
	}
	return res.StatusCode, string(text)
}

// checkOver reports a Body that can still be read.
func checkOver(t *testing.T, b io.Reader) {
	t.Helper()
	if n, err := b.Read(make([]byte, 1)); n > 0 || err == nil || !strings.Contains(err.Error(), "until its method returns") {
		t.Errorf("Read returns %d, %v", n, err)
	}
}

// Verify that the Body of a method that returns a stream is over when the stream begins: a Read
// in the iterator fails alike over both protocols, and so does one after the answer, which does
// not touch the next call on the connection.
func TestBodyOfStreamIsOver(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, http2 bool) {
		kept, waiting, release := make(chan svc.Body, 1), make(chan bool), make(chan bool)
		server, served := serveBodies(t, bodies{
			watch: func(_ context.Context, b svc.Body) svc.Stream[FileSize] {
				kept <- b
				return func(yield func(*FileSize, error) bool) {
					n, err := b.Read(make([]byte, 1))
					yield(&FileSize{Size: int64(n)}, nil)
					yield(nil, err)
				}
			},
			wait: func(ctx context.Context) error {
				waiting <- true
				<-release
				return ctx.Err()
			},
		}, http2)
		want := ":\n\ndata: {\"size\":0,\"known\":0,\"type\":\"\"}\n\nevent: error\ndata: {\"error\":{\"code\":\"INTERNAL\",\"message\":\"internal error\"}}\n\n"
		if status, text := postBody(t, server, "/bodies/watch", strings.NewReader("abc")); status != 200 || text != want {
			t.Errorf("the answer is %d %q, want %q", status, text, want)
		}
		<-served
		answer := make(chan int)
		go func() {
			res, err := server.Client().Post(server.URL+"/bodies/wait", "application/json", nil)
			if err != nil {
				t.Error(err)
				answer <- 0
				return
			}
			res.Body.Close()
			answer <- res.StatusCode
		}()
		<-waiting
		checkOver(t, <-kept)
		close(release)
		if status := <-answer; status != 204 {
			t.Errorf("the next call has the status %d", status)
		}
	})
}

// Verify that a failed Read is the answer of a method that does not mind, whatever it returns,
// and that the output is released: a stream is run, without an item, and a File is closed.
func TestBodyErrorIsTheAnswer(t *testing.T) {
	t.Parallel()
	large := func() io.Reader { return io.MultiReader(strings.NewReader(strings.Repeat("x", 101))) } // of unknown length
	bothProtocols(t, func(t *testing.T, http2 bool) {
		released := make(chan bool, 1)
		f := bodies{
			watch: func(ctx context.Context, b svc.Body) svc.Stream[FileSize] {
				io.Copy(io.Discard, b)
				return func(yield func(*FileSize, error) bool) {
					<-ctx.Done()
					released <- yield(&FileSize{}, nil)
				}
			},
			copy: func(_ context.Context, b svc.Body) *svc.File {
				io.Copy(io.Discard, b)
				content := newSource("abc")
				content.closed = released
				return &svc.File{Content: content}
			},
			save: func(_ context.Context, b svc.Body) error {
				io.Copy(io.Discard, b)
				released <- false
				return nil
			},
		}
		server, _ := serveBodies(t, f, http2)
		for _, name := range []string{"watch", "copy", "save"} {
			t.Run(name, func(t *testing.T) {
				status, text := postBody(t, server, "/bodies/"+name, large())
				if status != 413 || !strings.Contains(text, "100 bytes") {
					t.Errorf("the answer is %d %s", status, text)
				}
				if wanted := <-released; wanted && name == "watch" {
					t.Error("the stream was asked for more")
				}
			})
		}
	})
}

// Verify the same for Service.Call, which returns no output then. It cannot end the ctx of its
// caller, so the iterator gets to its first item.
func TestBodyErrorOfCall(t *testing.T) {
	released := make(chan bool, 1)
	s := registerBodies(bodies{
		watch: func(_ context.Context, b svc.Body) svc.Stream[FileSize] {
			io.Copy(io.Discard, b)
			return func(yield func(*FileSize, error) bool) { released <- yield(&FileSize{}, nil) }
		},
		copy: func(_ context.Context, b svc.Body) *svc.File {
			io.Copy(io.Discard, b)
			content := newSource("abc")
			content.closed = released
			return &svc.File{Content: content}
		},
	})
	for _, name := range []string{"watch", "copy"} {
		t.Run(name, func(t *testing.T) {
			out, err := s.Call(context.Background(), "bodies", name, &PostFile{svc.NewBody(io.MultiReader(strings.NewReader(strings.Repeat("x", 101))), "")})
			if out != nil || svc.ErrorFrom(err).HTTPStatus() != 413 {
				t.Errorf("Call returns %v, %v", out, err)
			}
			<-released
		})
	}
}

// A toldBody is the body of a request. It says when the Read begins that waits for more than
// the first three bytes.
type toldBody struct {
	io.ReadCloser
	read    int
	waiting chan bool
}

func (b *toldBody) Read(p []byte) (int, error) {
	if b.read == 3 {
		close(b.waiting)
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	return n, err
}

// Verify that a goroutine that still reads when its method returns is ended. A stream and a File
// may work with the ctx that ends with it over HTTP/1, so they are not begun.
func TestBodyReadWhenMethodReturns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path   string
		status int
	}{
		{"/bodies/watch", 500},
		{"/bodies/copy", 500},
		{"/bodies/save", 204},
	} {
		t.Run(test.path[1:], func(t *testing.T) {
			bothProtocols(t, func(t *testing.T, http2 bool) {
				errs, waiting, released := make(chan error, 1), make(chan bool), make(chan bool, 1)
				blocked := func(b svc.Body) {
					go func() {
						_, err := io.Copy(io.Discard, b)
						errs <- err
					}()
					<-waiting
				}
				server, _ := serveBodies(t, bodies{
					watch: func(_ context.Context, b svc.Body) svc.Stream[FileSize] {
						blocked(b)
						return func(yield func(*FileSize, error) bool) { released <- yield(&FileSize{}, nil) }
					},
					copy: func(_ context.Context, b svc.Body) *svc.File {
						blocked(b)
						content := newSource("abc")
						content.closed = released
						return &svc.File{Content: content}
					},
					save: func(_ context.Context, b svc.Body) error {
						blocked(b)
						released <- true
						return nil
					},
				}, http2)
				next := server.Config.Handler
				server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					told := *r // net/http looks at the body of its own request
					told.Body = &toldBody{ReadCloser: r.Body, waiting: waiting}
					next.ServeHTTP(w, &told)
				})
				r, w := io.Pipe()
				defer w.Close()
				go w.Write([]byte("abc"))
				if status, text := postBody(t, server, test.path, r); status != test.status {
					t.Errorf("the answer is %d %s, want %d", status, text, test.status)
				}
				<-released
				if err := <-errs; err == nil {
					t.Error("the goroutine has read on")
				}
			})
		})
	}
}

// Verify that a Body is over after a method that does not return, and after an input that is
// refused although code of the application has got the Body.
func TestBodyIsOverWithoutMethod(t *testing.T) {
	t.Parallel()
	kept := make(chan svc.Body, 1)
	keptBody.Store("kept", kept)
	defer keptBody.Delete("kept")
	for _, test := range []struct {
		name, path string
		end        func()
	}{
		{"abort", "/bodies/save", func() { panic(http.ErrAbortHandler) }},
		{"panic", "/bodies/save", func() { panic("x") }},
		{"abort of a stream", "/bodies/watch", func() { panic(http.ErrAbortHandler) }},
		{"panic of a stream", "/bodies/watch", func() { panic("x") }},
		{"abort of a file", "/bodies/copy", func() { panic(http.ErrAbortHandler) }},
		{"refused input", "/bodies/kept/check", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			end := func(b svc.Body) {
				kept <- b
				test.end()
			}
			server, served := serveBodies(t, bodies{
				watch: func(_ context.Context, b svc.Body) svc.Stream[FileSize] { end(b); return nil },
				copy:  func(_ context.Context, b svc.Body) *svc.File { end(b); return nil },
				save:  func(_ context.Context, b svc.Body) error { end(b); return nil },
			}, false)
			res, err := server.Client().Post(server.URL+test.path, "a/b", strings.NewReader("abc"))
			if err == nil {
				res.Body.Close()
			}
			<-served
			checkOver(t, <-kept)
		})
	}
}

// Verify that a File that reads the Body fails: it is read after the method.
func TestBodyInFile(t *testing.T) {
	t.Parallel()
	server, _ := serveBodies(t, bodies{copy: func(_ context.Context, b svc.Body) *svc.File { return &svc.File{Content: b} }}, false)
	if status, text := postBody(t, server, "/bodies/copy", strings.NewReader("abc")); status != 500 {
		t.Errorf("the answer is %d %s", status, text)
	}
}

// Verify that Service.Call waits for a goroutine of its method that reads the Body until it has
// read, or the ctx has ended: what the caller has given as the content cannot be interrupted.
func TestBodyReadAfterCall(t *testing.T) {
	for _, name := range []string{"the Read returns", "the ctx ends"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			reading, content, errs := make(chan bool), make(chan string), make(chan error, 1)
			var once sync.Once
			s := registerBodies(bodies{save: func(_ context.Context, b svc.Body) error {
				go func() {
					_, err := io.Copy(io.Discard, b)
					errs <- err
				}()
				<-reading
				return nil
			}})
			called := make(chan error)
			go func() {
				_, err := s.Call(ctx, "bodies", "save", &PostFile{svc.NewBody(readerFunc(func(p []byte) (int, error) {
					once.Do(func() { close(reading) })
					return copy(p, <-content), nil
				}), "")})
				called <- err
			}()
			if name == "the ctx ends" {
				cancel()
			} else {
				close(content)
			}
			if err := <-called; err != nil {
				t.Errorf("Call returns %v", err)
			}
			if name == "the ctx ends" {
				content <- "abc"
			}
			if err := <-errs; err == nil || !strings.Contains(err.Error(), "until its method returns") {
				t.Errorf("the goroutine reads on: %v", err)
			}
		})
	}
}

// A deadlineConn is a body and the ResponseWriter of its request. A Read waits until its
// deadline has passed. The first deadline is set only after the second one, as by a goroutine
// that has stopped in between.
type deadlineConn struct {
	*httptest.ResponseRecorder
	mu       sync.Mutex
	changed  *sync.Cond
	count    int
	deadline time.Time
	begun    chan bool
}

func (c *deadlineConn) SetReadDeadline(deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count++; c.count == 2 { // 1 is that of the whole body
		close(c.begun)
		for c.count < 3 {
			c.changed.Wait()
		}
	}
	c.deadline = deadline
	c.changed.Broadcast()
	return nil
}

func (c *deadlineConn) Read([]byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for time.Now().Before(c.deadline) {
		c.changed.Wait()
	}
	return 0, os.ErrDeadlineExceeded
}

func (c *deadlineConn) Close() error { return nil }

// Verify that the end of a method ends a Read that is just beginning.
func TestBodyEndsReadThatBegins(t *testing.T) {
	conn, errs := &deadlineConn{ResponseRecorder: httptest.NewRecorder(), begun: make(chan bool)}, make(chan error, 1)
	conn.changed = sync.NewCond(&conn.mu)
	s := registerBodies(bodies{save: func(_ context.Context, b svc.Body) error {
		go func() {
			_, err := b.Read(make([]byte, 1))
			errs <- err
		}()
		<-conn.begun
		return nil
	}})
	r := httptest.NewRequest("POST", "/bodies/save", conn)
	s.REST().ServeHTTP(conn, r)
	if err := <-errs; conn.Code != 204 || svc.CodeOf(err) != svc.CodeInternal {
		t.Errorf("the answer is %d, and Read returns %v", conn.Code, err)
	}
}
