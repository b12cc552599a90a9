package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"text/tabwriter"
	"time"
)

// This file measures what a request costs a server over loopback: CPU time, of
// user and kernel, since the clients share the machine. Every contender is a
// process of its own, and they take turns of a quarter of a second. loadAll is
// the side of the clients, serveContender that of the servers.

const (
	loadClients = 32
	loadTurn    = 250 * time.Millisecond
)

// A loadServer is the process of one contender.
type loadServer struct {
	contender
	address string
	in      io.WriteCloser
	out     *bufio.Reader
	cmd     *exec.Cmd
	client  http.Client
	cpu     map[string][]float64 // microseconds a request in each turn, by workload
}

// loadContenders returns those of contenders that are measured, and a handler
// that does nothing, whose time is net/http's own.
func loadContenders() []contender {
	nothing := contender{name: "nothing", handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })}
	list := []contender{nothing}
	for _, c := range contenders() {
		if slices.Contains([]string{"handwritten", "direct", "reflect", "huma", "connect"}, c.name) {
			list = append(list, c)
		}
	}
	return list
}

// serveContender serves one contender until standard input ends. It answers each
// line there with the CPU time of the process so far, in microseconds.
func serveContender(name string) error {
	list := loadContenders()
	i := slices.IndexFunc(list, func(c contender) bool { return c.name == name })
	if i < 0 {
		return fmt.Errorf("no contender %q", name)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(l, list[i].handler)
	fmt.Println(l.Addr())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var use syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
			return err
		}
		fmt.Println((use.Utime.Nano() + use.Stime.Nano()) / 1000)
	}
	return nil
}

// loadAll measures create and get, and prints the 10th percentile of the turns.
func loadAll(w io.Writer, rounds int) error {
	var servers []*loadServer
	for _, c := range loadContenders() {
		s, err := startServer(c)
		if err != nil {
			return err
		}
		defer s.stop()
		servers = append(servers, s)
	}
	loads := workloads()[:2]
	for _, load := range loads {
		for round := range rounds {
			for i := range servers {
				s := servers[(i+round)%len(servers)]
				if !s.does(load) {
					continue
				}
				if err := s.turn(load); err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
			}
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintf(t, "CPU µs a request, %d connections\t%s\t%s\t\n", loadClients, loads[0].name, loads[1].name)
	for _, s := range servers {
		fmt.Fprintf(t, "%s\t", s.name)
		for _, load := range loads {
			if times := s.cpu[load.name]; len(times) > 0 {
				slices.Sort(times)
				fmt.Fprintf(t, "%.1f\t", times[len(times)/10])
			} else {
				fmt.Fprint(t, "\t")
			}
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// startServer starts the process of c.
func startServer(c contender) (*loadServer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &loadServer{contender: c, cmd: exec.Command(self, "-serve", c.name), cpu: make(map[string][]float64)}
	s.cmd.Stderr = os.Stderr
	s.client.Transport = &http.Transport{MaxIdleConnsPerHost: loadClients, DisableCompression: true}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.address, err = s.line()
	return s, err
}

func (s *loadServer) line() (string, error) {
	text, err := s.out.ReadString('\n')
	return strings.TrimSpace(text), err
}

func (s *loadServer) stop() {
	s.in.Close()
	s.cmd.Wait()
}

// usedCPU returns the CPU time of the server so far, in microseconds.
func (s *loadServer) usedCPU() (us float64, err error) {
	if _, err := fmt.Fprintln(s.in); err != nil {
		return 0, err
	}
	text, err := s.line()
	if err == nil {
		_, err = fmt.Sscan(text, &us)
	}
	return us, err
}

// turn sends requests to the server for a quarter of a second.
func (s *loadServer) turn(load workload) error {
	if s.adapt != nil {
		s.adapt(&load)
	}
	before, err := s.usedCPU()
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	var requests atomic.Int64
	var failed atomic.Value
	end := time.Now().Add(loadTurn)
	for range loadClients {
		wg.Go(func() {
			for time.Now().Before(end) {
				if err := s.request(load); err != nil {
					failed.Store(err)
					return
				}
				requests.Add(1)
			}
		})
	}
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		return err
	}
	after, err := s.usedCPU()
	s.cpu[load.name] = append(s.cpu[load.name], (after-before)/float64(requests.Load()))
	return err
}

func (s *loadServer) request(load workload) error {
	r, err := http.NewRequest(load.method, "http://"+s.address+load.target, strings.NewReader(load.body))
	if err != nil {
		return err
	}
	for i := 0; i < len(load.header); i += 2 {
		r.Header.Set(load.header[i], load.header[i+1])
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("status %s", answer.Status)
	}
	return nil
}
