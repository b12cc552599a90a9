// Peers measures svc beside what its users would take instead: a handler by
// hand with encoding/json or with its second version, chi, huma, connect, jrpc2,
// the official SDK of MCP and mcp-go.
//
// Usage, from the root of the repository:
//
//	go run -C bench/peers . [-rounds 250] [-workload RPC] [-contender svc,huma]
//	go run -C bench/peers . -load [-rounds 10]
//	go test -C bench/peers -run '^$' -bench .
//
// The first prints a table of times relative to the careful handwritten handler, those
// of svc relative to the leanest one too, in parentheses; see measure for how. The second measures the CPU time of requests over loopback;
// see load.go. The third shows how svc grows; see growth_test.go.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("peers: ")
	rounds := flag.Int("rounds", 250, "how many rounds, each with a slice of every contender")
	match := flag.String("workload", "", "measure only workloads that match this pattern")
	only := flag.String("contender", "", "measure only contenders that match this pattern, and the handwritten one")
	overLoopback := flag.Bool("load", false, "measure CPU time over loopback")
	serve := flag.String("serve", "", "serve one contender on a port of loopback; for -load")
	flag.Parse()
	var err error
	switch {
	case *serve != "":
		err = serveContender(*serve)
	case *overLoopback:
		err = loadAll(os.Stdout, min(*rounds, 20))
	default:
		err = compare(os.Stdout, *rounds, *match, *only)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// compare measures all workloads and prints the table in Markdown.
func compare(w io.Writer, rounds int, match, only string) error {
	pattern, err := regexp.Compile(match)
	if err != nil {
		return err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	list := contenders()
	first := list[0].name
	list = slices.DeleteFunc(list, func(c contender) bool { return c.name != first && c.name != "leanest" && !wanted.MatchString(c.name) })
	fmt.Fprintf(w, "%s, %s, %s/%s, %d CPUs, %s, p10 of %d rounds\n\n", time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor(), rounds)
	cells := []string{"workload", first + ", ns and allocations"}
	for _, c := range list[1:] {
		cells = append(cells, c.name)
	}
	printRow(w, cells)
	printRow(w, append([]string{"---"}, slices.Repeat([]string{"--:"}, len(cells)-1)...))
	for _, load := range workloads() {
		if !pattern.MatchString(load.name) {
			continue
		}
		results, err := measure(list, load, rounds)
		if err != nil {
			return err
		}
		base := results[first]
		cells := []string{load.name, fmt.Sprintf("%.0f, %.0f", base.ns, base.allocs)}
		for _, c := range list[1:] {
			cell := ""
			if r, ok := results[c.name]; ok {
				cell = ratio(r.ns / base.ns)
				if lean, ok := results["leanest"]; ok && (c.name == "direct" || c.name == "reflect") {
					cell += " (" + ratio(r.ns/lean.ns) + ")"
				}
				if c.name == "direct" || c.name == "reflect" {
					cell += fmt.Sprintf(", %.0f", r.allocs)
				}
			}
			cells = append(cells, cell)
		}
		printRow(w, cells)
	}
	return nil
}

// printRow prints a row of a table in Markdown.
func printRow(w io.Writer, cells []string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

// ratio formats with as many digits as two runs agree on.
func ratio(r float64) string {
	switch {
	case r < 10:
		return fmt.Sprintf("%.2f", r)
	}
	return fmt.Sprintf("%.0f", r)
}

// processor returns the name of the processor, if the system tells it.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
