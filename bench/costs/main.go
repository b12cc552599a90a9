// Costs measures what a service of svc costs beside the time of a call: the memory of idle
// streams and of large bodies that are still to come, a call by Connect, an upload, and the
// binary and the start of the first program in the README, a call while others
// wait, what hostile requests cost, and how large programs become that use more or less of svc. What can be compared is measured beside a
// handler by hand. It fails if what has a limit costs much more.
//
// Usage, from the root of the repository:
//
//	go run -C bench/costs . [-clients 1000] [-rounds 20]
//
// Each contender is a process of its own, so its memory is its own. See server.go.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/svc"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("costs: ")
	clients := flag.Int("clients", 1000, "how many streams are idle, and how many bodies are on their way")
	rounds := flag.Int("rounds", 20, "how often each time is measured; the least counts")
	serve := flag.String("serve", "", "serve one contender on a port of loopback; for the other process")
	flag.Parse()
	if *serve != "" {
		log.Fatal(serveContender(*serve))
	}
	fmt.Printf("%s, %s, %s/%s, %d CPUs\n\n", time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, measure := range []func(clients, rounds int) error{idleStreams, largeBodies, connectCalls, uploads, firstProgram, waitingClients,
		hostileRequests, binarySizes} {
		if err := measure(*clients, *rounds); err != nil {
			log.Fatal(err)
		}
	}
}

// A server is the process of one contender.
type server struct {
	address string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func start(contender string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{cmd: exec.Command(self, "-serve", contender)}
	s.cmd.Stderr = os.Stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	_, err = fmt.Fscanln(s.out, &s.address)
	return s, err
}

func (s *server) stop() {
	s.in.Close()
	s.cmd.Wait()
}

// memory returns the bytes that the server has in use, after a collection.
func (s *server) memory() (bytes float64, err error) {
	if _, err := fmt.Fprintln(s.in); err != nil {
		return 0, err
	}
	_, err = fmt.Fscanln(s.out, &bytes)
	return bytes, err
}

// heldBy returns how much memory each of n connections takes, which send a request and then
// nothing more. Those that get an answer have read its first line.
func (s *server) heldBy(n int, request string, answers bool) (bytes float64, err error) {
	before, err := s.memory()
	if err != nil {
		return 0, err
	}
	for range n {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			return 0, err
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, request); err != nil {
			return 0, err
		}
		if answers {
			if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
				return 0, err
			}
		}
	}
	time.Sleep(time.Second) // for what the server has not read yet
	after, err := s.memory()
	return (after - before) / float64(n), err
}

// eachOf starts these contenders one after another and prints what measure returns of each.
func eachOf(what string, contenders []string, measure func(s *server) (string, error)) error {
	fmt.Println(what)
	for _, name := range contenders {
		s, err := start(name)
		if err != nil {
			return err
		}
		text, err := measure(s)
		s.stop()
		if err != nil {
			return fmt.Errorf("%s: %s: %w", what, name, err)
		}
		fmt.Printf("  %-10s %s\n", name, text)
	}
	return nil
}

// idleTimes is how many times the memory of an idle stream by hand one by Direct may have. It is about
// the stack: one that grows beyond 8 KiB is doubled, which makes it 1.4 times. Fewer than fewestIdle
// streams measure little but chance.
const (
	idleTimes  = 1.2
	fewestIdle = 300
)

func idleStreams(clients, _ int) error {
	const request = "GET /things/watch HTTP/1.1\r\nHost: localhost\r\n\r\n"
	var limit float64
	return eachOf("an idle stream", []string{byHand, direct, reflected}, func(s *server) (string, error) {
		bytes, err := s.heldBy(max(clients, fewestIdle), request, true)
		switch {
		case s.is(byHand):
			limit = idleTimes * bytes
		case s.is(direct) && bytes > limit:
			return "", errors.Join(err, fmt.Errorf("%.1f KB, want at most %.1f", bytes/1e3, limit/1e3))
		}
		return fmt.Sprintf("%.1f KB", bytes/1e3), err
	})
}

// largeBodies sends all but the last byte of bodies of 1 MiB.
func largeBodies(clients, _ int) error {
	body := `{"text":"` + strings.Repeat("a", size-len(`{"text":""}`)) + `"}`
	request := fmt.Sprintf("POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:len(body)-1])
	return eachOf(fmt.Sprintf("%d bodies of 1 MiB, each without its last byte", clients), []string{byHand, direct}, func(s *server) (string, error) {
		bytes, err := s.heldBy(clients, request, false)
		return fmt.Sprintf("%.2f MiB each", bytes/(1<<20)), err
	})
}

// timed returns the least time of many calls of f, and its allocations.
func timed(rounds int, f func() error) (least time.Duration, allocs uint64, err error) {
	least = time.Hour
	for range rounds {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		if err := f(); err != nil {
			return 0, 0, err
		}
		least = min(least, time.Since(begin))
		runtime.ReadMemStats(&after)
		allocs = after.Mallocs - before.Mallocs
	}
	return least, allocs, nil
}

// connectCalls makes one call after another. The allocations are those of the client.
func connectCalls(_, rounds int) error {
	const calls = 200
	return eachOf("a call over loopback, by one client", []string{byHand, direct}, func(s *server) (string, error) {
		url := "http://" + s.address
		var client struct {
			Create func(context.Context, *Thing) (*Thing, error)
		}
		if err := svc.Connect[CreateAPI](&client, url, &svc.ClientOptions{Service: options()}); err != nil {
			return "", err
		}
		call := func() error { _, err := client.Create(context.Background(), &Thing{Text: "a"}); return err }
		if s.is(byHand) {
			call = func() error { return createByHand(url) }
		}
		least, allocs, err := timed(rounds, func() error {
			for range calls {
				if err := call(); err != nil {
					return err
				}
			}
			return nil
		})
		return fmt.Sprintf("%.1f µs, %d allocations", float64(least.Nanoseconds())/calls/1e3, allocs/calls), err
	})
}

// is reports whether s serves this contender.
func (s *server) is(contender string) bool { return slices.Contains(s.cmd.Args, contender) }

func uploads(_, rounds int) error {
	const length = 64 << 20
	return eachOf("an upload of 64 MiB", []string{byHand, direct}, func(s *server) (string, error) {
		least, _, err := timed(rounds, func() error {
			r, err := http.NewRequest("PUT", "http://"+s.address+"/things/content", io.LimitReader(zeros{}, length))
			if err != nil {
				return err
			}
			r.ContentLength = length
			r.Header.Set("Content-Type", "application/octet-stream")
			return do(r)
		})
		return fmt.Sprintf("%.0f MiB/s", 64/least.Seconds()), err
	})
}

// zeros reads as zeros without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// do sends a request and reads its answer, which must be a success.
func do(r *http.Request) error { return doBy(http.DefaultClient, r) }

func doBy(client *http.Client, r *http.Request) error {
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return err
}

// firstProgram builds the first program in the README, and measures the time from its start to
// its first answer.
func firstProgram(_, rounds int) error {
	dir, err := os.MkdirTemp("", "costs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(filepath.Join("../..", "README.md"))
	if err != nil {
		return err
	}
	_, program, ok := strings.Cut(string(text), "```go\npackage main")
	program, _, _ = strings.Cut(program, "```")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := l.Addr().String()
	l.Close()
	if moved := strings.ReplaceAll(program, "127.0.0.1:8080", address); !ok || moved == program {
		return errors.New("the README does not begin with a program that listens on 127.0.0.1:8080")
	} else {
		program = "package main" + moved
	}
	binary := filepath.Join(dir, "first")
	if err := writeModule(dir, program); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = dir
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	least, _, err := timed(rounds, func() error { return untilAnswer(binary, "http://"+address+"/openapi.json") })
	fmt.Printf("the first program of the README\n  binary     %.1f MB\n  start      %.0f ms to the first answer\n", float64(info.Size())/1e6, least.Seconds()*1e3)
	return err
}

// writeModule makes a folder a module that has a program and requires svc.
func writeModule(dir, program string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	module := "module first\n\ngo 1.24\n\nrequire example.com/svc v0.0.0\n\nreplace example.com/svc => " + root + "\n"
	return errors.Join(os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600), os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o600))
}

// untilAnswer runs a program until it has answered one request.
func untilAnswer(binary, url string) error {
	cmd := exec.Command(binary)
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for range 60_000 {
		r, err := http.NewRequest("GET", url, nil)
		if err != nil {
			return err
		}
		r.Close = true
		if do(r) == nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("no answer in 60 seconds")
}
