// Command soak serves a service under load, with clients that write, stream,
// leave, stall and reset, and stops it by SIGTERM. It fails if a write that was
// acknowledged is lost, an answer is another's, a status of 500 or more was not
// asked for, goroutines, files or memory leak, or the race detector reports
// something. All of it happens on the loopback interface.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	role := flag.Bool("serve", false, "be the server")
	length := flag.Duration("for", 20*time.Second, "how long the clients run")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the clients' choices")
	flag.Parse()
	if *role {
		if err := serve(); err != nil {
			log.Fatal(err)
		}
		return
	}
	r := &run{seed: *seed, counts: make(map[string]int), client: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
	if err := r.soak(*length); err != nil {
		log.Fatal(err)
	}
}

// A run is what the clients share.
type run struct {
	url      string
	client   *http.Client
	seed     uint64
	stopping atomic.Bool // the server is told to stop, so calls may fail

	mu         sync.Mutex // protects the fields below
	counts     map[string]int
	complaints []string
}

func (r *run) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[what]++
}

func (r *run) complain(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.complaints = append(r.complaints, fmt.Sprintf(format, args...))
}

// soak runs the server and the clients: a tenth of the time to warm up, after
// which memory is measured first; then most of it; then some more, during which
// the server is told to stop.
func (r *run) soak(length time.Duration) error {
	server := exec.Command(os.Args[0], "-serve")
	server.Env = append(os.Environ(), "GORACE=halt_on_error=0 exitcode=66")
	var stderr bytes.Buffer
	server.Stderr = &stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer server.Process.Kill() // only if something below fails
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	if err != nil {
		return fmt.Errorf("the server does not start: %w: %s", err, &stderr)
	}
	r.url = strings.TrimSpace(line)
	writers := r.newWriters()
	r.load(writers, length/10)
	before := r.settle(Stats{})
	r.load(writers, length-length/5)
	after := r.settle(before)
	time.AfterFunc(length/20, func() {
		r.stopping.Store(true)
		server.Process.Signal(syscall.SIGTERM)
	})
	r.load(writers, length/10)
	dump, err := io.ReadAll(lines)
	if err != nil {
		return err
	}
	if err := server.Wait(); err != nil {
		r.complain("the server ends with %v", err)
	}
	kept, unsure := checkItems(r, writers, dump)
	return r.report(stderr.String(), before, after, kept, unsure)
}

// newWriters returns four writers for each transport.
func (r *run) newWriters() (writers []*writer) {
	for _, t := range transports {
		for i := range 4 {
			writers = append(writers, &writer{r, t, fmt.Sprint(t.name, i), r.random(), make(map[string]string), make(map[string]bool)})
		}
	}
	return writers
}

func (r *run) random() *rand.Rand {
	r.seed++
	return rand.New(rand.NewPCG(r.seed, 0))
}

// load runs all clients for a time.
func (r *run) load(writers []*writer, length time.Duration) {
	end := time.Now().Add(length)
	var running sync.WaitGroup
	start := func(step func()) {
		running.Add(1)
		go func() {
			defer running.Done()
			for time.Now().Before(end) {
				if step(); r.stopping.Load() {
					time.Sleep(50 * time.Millisecond) // perhaps nobody listens any more
				}
			}
		}()
	}
	for _, w := range writers {
		start(w.step)
	}
	for _, d := range disturbances {
		for range 2 {
			random := r.random()
			start(func() {
				if err := d.do(r, random); err != nil && !r.stopping.Load() {
					r.complain("%s: %v", d.name, err)
				}
				r.count(d.name)
				time.Sleep(ms(random, 40))
			})
		}
	}
	running.Wait()
}

// settle waits until the server has no more goroutines and files than before, for
// at most 60 s, and returns what it has.
func (r *run) settle(before Stats) (s Stats) {
	for range 120 {
		r.client.CloseIdleConnections()
		text, err := r.post(context.Background(), "GET", "/stats", "")
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			r.complain("/stats: %v", err)
			return s
		}
		if before.Goroutines > 0 && s.Goroutines <= before.Goroutines && s.Files <= before.Files {
			return s
		}
		time.Sleep(500 * time.Millisecond)
		if before.Goroutines == 0 && s.Goroutines < 12 {
			return s
		}
	}
	return s
}

// report prints the figures, and returns an error if something was wrong.
func (r *run) report(stderr string, before, after Stats, kept, unsure int) error {
	for line := range strings.Lines(stderr) {
		if !strings.Contains(line, askedFor) && !strings.Contains(line, moreAsked) {
			r.complain("the server says: %.2000s", strings.TrimSpace(line))
		}
	}
	if after.Goroutines > before.Goroutines+2 || after.Files > before.Files+2 || after.Heap > before.Heap+8<<20 {
		r.complain("leaks: %+v before, %+v after", before, after)
	}
	log.Printf("before %+v\nafter  %+v", before, after)
	for _, name := range slices.SortedFunc(maps.Keys(r.counts), cmp.Compare) {
		log.Printf("%8d %s", r.counts[name], name)
	}
	log.Printf("%8d items at the end, and %d unacknowledged", kept, unsure)
	if len(r.complaints) > 0 {
		return fmt.Errorf("%d complaints:\n%s", len(r.complaints), strings.Join(r.complaints[:min(40, len(r.complaints))], "\n"))
	}
	log.Print("nothing lost, nothing leaked")
	return nil
}
