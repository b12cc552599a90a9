// Rpc holds the JSON-RPC endpoint of the template to clients that others wrote:
// jrpc2's, here, and the npm package json-rpc-2.0, in clients.js, which also
// holds the document of rpc.discover to the meta-schema of OpenRPC.
//
// Usage, after npm ci:
//
//	go run .
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/jhttp"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("rpc: ")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "svc-rpc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "template.exe")
	if out, err := inRoot(exec.CommandContext(ctx, "go", "build", "-o", program, "./template")).CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./template: %w\n%s", err, out)
	}
	server := inRoot(exec.CommandContext(ctx, program, "-addr", "127.0.0.1:0"))
	var serverLog bytes.Buffer
	server.Stderr = &serverLog
	url, err := start(server)
	if err != nil {
		return err
	}
	err = useClients(ctx, url+"/rpc")
	server.Process.Kill()
	server.Wait()
	if err != nil {
		return fmt.Errorf("%w\nthe log of the template:\n%s", err, serverLog.Bytes())
	}
	return nil
}

func useClients(ctx context.Context, url string) error {
	if err := useJRPC2(ctx, url); err != nil {
		return fmt.Errorf("jrpc2: %w", err)
	}
	fmt.Println("jrpc2: calls, errors, notifications and batches are understood")
	node := exec.CommandContext(ctx, "node", "clients.js", url)
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	if err := node.Run(); err != nil {
		return fmt.Errorf("node clients.js: %w", err)
	}
	return nil
}

func inRoot(cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = filepath.Join("..", "..")
	return cmd
}

// start starts the template and returns the address that it prints.
func start(server *exec.Cmd) (string, error) {
	out, err := server.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		server.Process.Kill()
		server.Wait()
		return "", fmt.Errorf("the template printed %q (%v)", line, err)
	}
	return url, nil
}

type object = map[string]any

type todo struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// useJRPC2 makes every kind of call with jrpc2's client.
func useJRPC2(ctx context.Context, url string) error {
	client := jrpc2.NewClient(jhttp.NewChannel(url, nil), nil)
	defer client.Close()
	var made, got todo
	if err := client.CallResult(ctx, "todos.create", object{"title": "Buy milk"}, &made); err != nil {
		return err
	}
	if err := client.CallResult(ctx, "todos.get", object{"id": made.ID}, &got); err != nil {
		return err
	}
	if made != got || got.Title != "Buy milk" {
		return fmt.Errorf("made %v and got %v", made, got)
	}
	for _, test := range []struct {
		method string
		params any
		code   jrpc2.Code
	}{
		{"todos.get", object{"id": "none"}, -32005},
		{"todos.create", object{"title": 1}, jrpc2.InvalidParams},
		{"todos.create", []int{1}, jrpc2.InvalidParams},
		{"todos.burn", nil, jrpc2.MethodNotFound},
	} {
		if err := wantCode(client.CallResult(ctx, test.method, test.params, nil), test.code); err != nil {
			return fmt.Errorf("%s: %w", test.method, err)
		}
	}
	if err := client.Notify(ctx, "todos.delete", object{"id": made.ID}); err != nil {
		return fmt.Errorf("a notification: %w", err)
	}
	// Notify does not wait for the server.
	for client.CallResult(ctx, "todos.get", object{"id": made.ID}, &got) == nil {
		time.Sleep(10 * time.Millisecond)
	}
	if err := wantCode(client.CallResult(ctx, "todos.get", object{"id": made.ID}, &got), -32005); err != nil {
		return fmt.Errorf("after the notification: %w", err)
	}
	return batchJRPC2(ctx, client)
}

// wantCode returns nil if err is a JSON-RPC error of that code.
func wantCode(err error, code jrpc2.Code) error {
	var e *jrpc2.Error
	if !errors.As(err, &e) || e.Code != code {
		return fmt.Errorf("failed with %v, want the code %d", err, code)
	}
	return nil
}

func batchJRPC2(ctx context.Context, client *jrpc2.Client) error {
	specs := []jrpc2.Spec{
		{Method: "todos.get", Params: object{"id": "none"}},
		{Method: "todos.archive", Notify: true},
	}
	const n = 50
	for i := range n {
		specs = append(specs, jrpc2.Spec{Method: "todos.create", Params: object{"title": fmt.Sprint("todo ", i)}})
	}
	answers, err := client.Batch(ctx, specs)
	if err != nil {
		return fmt.Errorf("a batch: %w", err)
	}
	if len(answers) != n+1 {
		return fmt.Errorf("a batch of %d calls and a notification has %d answers", n+1, len(answers))
	}
	if e := answers[0].Error(); e == nil || e.Code != -32005 {
		return fmt.Errorf("the first call of a batch: %v, want the code -32005", e)
	}
	for i, answer := range answers[1:] {
		var made todo
		if err := answer.UnmarshalResult(&made); err != nil || made.Title != fmt.Sprint("todo ", i) {
			return fmt.Errorf("answer %d of a batch: %v, %v", i+1, made, err)
		}
	}
	return nil
}
