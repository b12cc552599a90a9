// Login serves notes over MCP behind svc.Bearer, and beside that an authorization
// server made for this check. The TypeScript SDKs of MCP, which most hosts are built on,
// log in: they find the way from the challenge of a 401, get a token, call, get more
// scopes when a call needs them, and refresh the token. What they have asked of the two
// servers, and what these have granted, must be what expected.txt says.
//
// Usage, after ./check has installed the clients; -update writes expected.txt:
//
//	go run . [-update]
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("login: ")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

// run runs all clients, one after another.
func run(ctx context.Context) error {
	serverURL, serve, err := listen()
	if err != nil {
		return err
	}
	issuerURL, serveIssuer, err := listen()
	if err != nil {
		return err
	}
	requests := &record{names: strings.NewReplacer(serverURL, "SERVER", issuerURL, "ISSUER")}
	as := newIssuer(issuerURL, requests)
	serveIssuer(as.handler())
	serve(newServer(serverURL, as, requests))

	expected, err := os.ReadFile("expected.txt")
	if err != nil {
		return err
	}
	failed, all := 0, ""
	for _, r := range runs {
		err := r.run(ctx, serverURL, issuerURL)
		log := fmt.Sprintf("== %s\n%s\n\n", r.name, requests.take())
		all += log
		if err != nil || !strings.Contains(string(expected), log) {
			failed++
			fmt.Printf("FAILED %s: %v\n%s", r.name, err, log)
			continue
		}
		fmt.Printf("ok %s: %d requests as expected\n", r.name, strings.Count(log, "\n")-2)
	}
	if len(os.Args) > 1 && os.Args[1] == "-update" {
		return os.WriteFile("expected.txt", []byte(all), 0o644)
	}
	if failed > 0 || all != string(expected) {
		return fmt.Errorf("%d of %d runs failed, or expected.txt has others", failed, len(runs))
	}
	return nil
}

// listen returns the address of a free port and a function that serves there, until
// the program ends.
func listen() (url string, serve func(http.Handler), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return "http://localhost:" + port, func(h http.Handler) { go http.Serve(listener, h) }, err
}

// runs are the clients, and what each does: it gets more scopes step by step, it
// refreshes an expired token, or it calls what is public before it logs in. The first
// TypeScript SDK refreshes a token where it needs more scopes, if it can, and gets the
// same ones; so it steps up without a refresh token.
var runs = []struct {
	name string
	run  func(ctx context.Context, server, issuer string) error
}{
	{"TypeScript SDK 1.x, step up", script("node", "clients.mjs", "1", "legacy", "step")},
	{"TypeScript SDK 1.x, refresh", script("node", "clients.mjs", "1", "legacy", "refresh")},
	{"TypeScript SDK 1.x, public first", script("node", "clients.mjs", "1", "legacy", "open")},
	{"TypeScript SDK 2.x, legacy, step up", script("node", "clients.mjs", "2", "legacy", "step")},
	{"TypeScript SDK 2.x, modern, step up", script("node", "clients.mjs", "2", "modern", "step")},
	{"TypeScript SDK 2.x, modern, refresh", script("node", "clients.mjs", "2", "modern", "refresh")},
	{"TypeScript SDK 2.x, modern, public first", script("node", "clients.mjs", "2", "modern", "open")},
}

// script returns the run of a program with the addresses before its other arguments.
func script(program, file string, args ...string) func(context.Context, string, string) error {
	return func(ctx context.Context, server, issuer string) error {
		cmd := exec.CommandContext(ctx, program, append([]string{file, server, issuer}, args...)...)
		cmd.Stderr = os.Stderr
		return cmd.Run()
	}
}
