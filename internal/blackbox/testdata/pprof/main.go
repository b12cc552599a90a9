// Command pprof serves the profiles of one process twice, on one address by
// net/http/pprof and on another by svc, for a test to compare. It prints the
// two addresses, one a line, and ends when its standard input does.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	netpprof "net/http/pprof"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"

	"example.com/svc"
)

func main() {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	runtime.MemProfileRate = 4 << 10
	pprof.NewProfile("example.com/pprof/own").Add(new(int), 0)
	mux := http.DefaultServeMux // net/http/pprof is there by being imported
	mux.HandleFunc("POST /debug/pprof/symbol", netpprof.Symbol)
	serve(mux)
	guarded := http.NewServeMux()
	guarded.HandleFunc("/work", func(w http.ResponseWriter, r *http.Request) { work() })
	serve(svc.Pprof("")(guarded))
	go work()
	io.Copy(io.Discard, os.Stdin)
}

func serve(h http.Handler) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	go func() { log.Fatal(http.Serve(l, h)) }()
}

// kept makes a heap profile that has something in it.
var kept [][]byte

var keeping sync.Mutex

// work does a little of everything that has a profile, and is the function to
// look for in one.
func work() {
	var mu sync.Mutex
	var done sync.WaitGroup
	var made [][]byte
	for range 4 {
		done.Add(1)
		go func() {
			defer done.Done()
			for range 1000 {
				mu.Lock()
				made = append(made, make([]byte, 64))
				mu.Unlock()
			}
		}()
	}
	done.Wait()
	sum := byte(1)
	for i := range 10_000_000 { // some milliseconds
		sum = sum*31 + byte(i)
	}
	made[0][0] = sum
	keeping.Lock()
	kept = made
	keeping.Unlock()
}
