// Command rollout replaces replicas of the template under load, as Kubernetes does: it stops
// one by SIGTERM, and a moment later the clients, which are their own load balancer, hear that
// they must connect to the other one. It fails if a request is lost: refused, reset, or
// without a whole response. No client sends a request twice.
package main

import (
	"bufio"
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
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	program := flag.String("template", "../../template", "the `package` or the built program")
	drain := flag.String("drain", "", "for `how long` a replica serves after SIGTERM, instead of its default")
	heard := flag.Duration("heard", 2*time.Second, "`how long` after SIGTERM clients still connect to it")
	rounds := flag.Int("rounds", 3, "how many replicas are replaced")
	rate := flag.Int("rate", 10_000, "requests a second, of all clients together")
	flag.Parse()
	r := &rollout{drain: *drain, heard: *heard}
	if err := r.run(*program, *rounds, *rate); err != nil {
		log.Fatal(err)
	}
}

const (
	busyClients = 64 // share the rate
	slowClients = 16 // send a request each second
	settleTime  = 2 * time.Second
)

// A rollout is what the clients share.
type rollout struct {
	program string
	drain   string
	heard   time.Duration

	mu       sync.Mutex
	replicas []*replica // that clients connect to, in turns
	turn     int
	lost     []error

	ended                    atomic.Bool
	requests, connects, left atomic.Int64 // left: connections that a response has closed
}

// A replica is a process of the template.
type replica struct {
	cmd     *exec.Cmd
	address string
}

// run replaces a replica in each round, and returns an error if a request was lost.
func (r *rollout) run(program string, rounds, rate int) error {
	dir, err := os.MkdirTemp("", "rollout")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if r.program = program; isPackage(program) {
		r.program = filepath.Join(dir, "template")
		build := exec.Command("go", "build", "-o", r.program, ".")
		build.Dir, build.Stderr = program, os.Stderr
		if err := build.Run(); err != nil {
			return err
		}
	}
	for range 2 {
		if err := r.start(); err != nil {
			return err
		}
	}
	defer func() {
		for _, p := range r.replicas {
			p.cmd.Process.Kill()
			p.cmd.Wait()
		}
	}()
	var clients sync.WaitGroup
	client := func(every time.Duration) {
		clients.Add(1)
		go func() {
			defer clients.Done()
			r.request(every)
		}()
	}
	for range busyClients {
		client(busyClients * time.Second / time.Duration(rate))
	}
	for range slowClients {
		client(time.Second)
	}
	began := time.Now()
	for range rounds {
		time.Sleep(settleTime)
		if err = r.replace(); err != nil {
			break
		}
	}
	time.Sleep(settleTime)
	r.ended.Store(true)
	clients.Wait()
	seconds := time.Since(began).Seconds()
	log.Printf("%d requests, %.0f a second, over %d connections, of which %d were closed by a response; %d lost while %d replicas were replaced",
		r.requests.Load(), float64(r.requests.Load())/seconds, r.connects.Load(), r.left.Load(), len(r.lost), rounds)
	return errors.Join(err, r.lostError())
}

func isPackage(program string) bool {
	info, err := os.Stat(program)
	return err == nil && info.IsDir()
}

// lostError returns an error with the first of the lost requests, or nil.
func (r *rollout) lostError() error {
	if len(r.lost) == 0 {
		return nil
	}
	return fmt.Errorf("%d requests are lost, such as:\n%w", len(r.lost), errors.Join(r.lost[:min(5, len(r.lost))]...))
}

// start starts a replica, to which clients connect from now on.
func (r *rollout) start() error {
	p := &replica{cmd: exec.Command(r.program, "-addr", "127.0.0.1:0")}
	if r.drain != "" {
		p.cmd.Args = append(p.cmd.Args, "-drain", r.drain)
	}
	p.cmd.Env = append(os.Environ(), "TODO_TOKENS=")
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n') // the guide is shorter than the pipe
	_, address, ok := strings.Cut(strings.TrimSpace(line), "http://")
	if !ok {
		return fmt.Errorf("the replica began with %q, %v", line, err)
	}
	p.address = strings.Fields(address)[0]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replicas = append(r.replicas, p)
	return nil
}

// replace starts a replica and stops the oldest one.
func (r *rollout) replace() error {
	if err := r.start(); err != nil {
		return err
	}
	old := r.replicas[0]
	if err := old.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	time.Sleep(r.heard)
	r.mu.Lock()
	r.replicas = r.replicas[1:]
	r.mu.Unlock()
	if err := old.cmd.Wait(); err != nil {
		return fmt.Errorf("the replica ended with %w", err)
	}
	return nil
}

// next returns the address of the replica for a new connection.
func (r *rollout) next() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn++
	return r.replicas[r.turn%len(r.replicas)].address
}

// request sends a request every so often, over a connection that it keeps until a response
// closes it, and notes each that gets no response.
func (r *rollout) request(every time.Duration) {
	var conn net.Conn
	var answers *bufio.Reader
	used := 0
	lose := func(doing string, err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lost = append(r.lost, fmt.Errorf("%s, after %d requests on the connection: %w", doing, used, err))
		if conn != nil {
			conn.Close()
			conn = nil
		}
	}
	defer func() {
		if conn != nil {
			conn.Close()
		}
	}()
	for due := time.Now(); !r.ended.Load(); due = due.Add(every) {
		time.Sleep(time.Until(due))
		r.requests.Add(1)
		if conn == nil {
			used = 0
			c, err := net.Dial("tcp", r.next())
			if err != nil {
				lose("connecting", err)
				continue
			}
			r.connects.Add(1)
			conn, answers = c, bufio.NewReader(c)
		}
		if _, err := io.WriteString(conn, "GET /todos?per_page=1 HTTP/1.1\r\nHost: rollout\r\n\r\n"); err != nil {
			lose("sending", err)
			continue
		}
		response, err := http.ReadResponse(answers, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
		}
		switch {
		case err != nil:
			lose("receiving", err)
		case response.StatusCode != http.StatusOK:
			lose("receiving", errors.New(response.Status))
		case response.Close:
			r.left.Add(1)
			conn.Close()
			conn = nil
		}
		used++
	}
}
