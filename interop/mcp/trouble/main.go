// Command trouble lets clients that people use go on in trouble, and prints a table of clients and
// situations: a message over the limit, a lone surrogate, a busy server, an answer that comes too
// late, and deploys. In each of them a call ends with a text or works, within 30 seconds, and the
// next call works in the same session, if the client keeps that. The server writes down which calls
// have run.
//
// Each client is a program that has a session and calls as it is told; see client. The README says
// what the cells mean, and must have each line of the table.
// Usage: trouble README DIR 'NAME=COMMAND ARGS'...
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	addr := flag.String("serve", "", "serve at this address, or at stdio")
	dir := flag.String("dir", ".", "where the server writes which calls have run")
	key := flag.String("key", "0", "what seals sessions and states")
	flag.Parse()
	if *addr != "" {
		if err := serve(serving{*addr, *dir, *key, *addr == "stdio"}); err != nil {
			fatal(err)
		}
		return
	}
	args := flag.Args()
	readme, err := os.ReadFile(args[0])
	if err != nil {
		fatal(err)
	}
	lines := strings.Split(string(readme), "\n")
	header := "| |"
	for _, s := range situations {
		header += " " + s.name + " |"
	}
	fmt.Println(header)
	failed := !slices.Contains(lines, header)
	for i, each := range args[2:] {
		name, command, _ := strings.Cut(each, "=")
		for _, over := range []string{"HTTP", "stdio"} {
			r := &row{name: name + ", " + over, command: strings.Fields(command), http: over == "HTTP"}
			r.dir = filepath.Join(args[1], fmt.Sprint(over, i))
			line, err := r.run()
			if err == nil && !slices.Contains(lines, line) {
				err = fmt.Errorf("%s has another line than this", args[0])
			}
			fmt.Println(line)
			if err != nil {
				failed = true
				fmt.Printf("FAILED %s: %v\n%s\n", r.name, err, r.logEnd())
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "trouble:", err)
	os.Exit(1)
}

// run returns the line of the table, and what has failed in it.
func (r *row) run() (line string, err error) {
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		return "", err
	}
	if r.http {
		if r.server, err = startProcess("127.0.0.1:0", r.dir, r.keys); err != nil {
			return "", err
		}
		defer func() { r.server.cmd.Process.Kill() }()
	}
	var failures []error
	line = "| " + r.name + " |"
	for _, s := range situations {
		if s.overHTTP && !r.http {
			line += " |"
			continue
		}
		cell := ""
		if err = r.begin(); err == nil {
			cell, err = s.try(r)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", s.name, err))
			cell = "FAILED"
			r.end()
		}
		line += " " + cell + " |"
	}
	return line, errors.Join(append(failures, r.end())...)
}

// logEnd returns the end of what the client has written to its log.
func (r *row) logEnd() []byte {
	text, err := os.ReadFile(r.log())
	if err != nil {
		return nil
	}
	return text[max(0, len(text)-4000):]
}
