// Openai serves a part of OpenAI's API with svc, and has the official clients for Python and Node
// call it, curl, Connect, and client.ts in Node. Each call of each client is compared with
// expected.txt: what the client got, and what has arrived at the service.
//
// Usage, after ./check has installed the clients; -update writes expected.txt, and -serve serves for
// a client that is run by hand:
//
//	go run . [-update] [-serve]
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

func main() {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // which has each refusal
	update := flag.Bool("update", false, "write expected.txt")
	serve := flag.Bool("serve", false, "only serve")
	flag.Parse()
	if *serve {
		fmt.Println("serving at", newServer(newOpenAI()).URL)
		select {}
	}
	if err := run(*update); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
}

// A row is one call of a client.
type row struct {
	Name  string   `json:"name"`
	Got   string   `json:"got"`
	Calls []string `json:"calls"` // that have arrived
}

// String has a line for each call and each line that came back, without blanks at their ends.
func (r row) String() string {
	var out strings.Builder
	for _, call := range r.Calls {
		fmt.Fprintln(&out, strings.TrimRight("> "+call, " "))
	}
	for line := range strings.Lines(r.Got) {
		fmt.Fprintln(&out, strings.TrimSpace("< "+line))
	}
	return out.String()
}

// clients make the calls, each at a service of its own.
var clients = []struct {
	name string
	run  func(url string) ([]row, error)
}{
	{"Python", program(".venv/bin/python", "client.py")},
	{"Node", program("node_modules/node22/bin/node", "client.mjs")},
	{"curl", runCurl},
	{"Connect", runConnect},
	{"client.ts", runTypeScript},
}

// run compares all clients with expected.txt, which has each call with the clients that make it.
func run(update bool) error {
	text, err := os.ReadFile("expected.txt")
	if err != nil && !update {
		return err
	}
	var order []string // of calls and what came of them
	callers := make(map[string][]string)
	for _, c := range clients {
		server := newServer(newOpenAI())
		rows, err := c.run(server.URL)
		server.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		for _, r := range rows {
			key := r.Name + "\n" + r.String()
			if callers[key] == nil {
				order = append(order, key)
			}
			callers[key] = append(callers[key], c.name)
		}
		fmt.Printf("%s: %d calls\n", c.name, len(rows))
	}
	var sections []string
	for _, key := range order {
		name, rest, _ := strings.Cut(key, "\n")
		sections = append(sections, fmt.Sprintf("== %s: %s\n%s", name, strings.Join(callers[key], ", "), rest))
	}
	got := strings.Join(sections, "\n")
	if update {
		return os.WriteFile("expected.txt", []byte(got), 0o644)
	}
	return difference(string(text), got)
}

// difference shows the calls of one text that the other has not.
func difference(want, got string) error {
	if want == got {
		return nil
	}
	wanted, has := strings.Split(want, "\n\n"), strings.Split(got, "\n\n")
	for _, w := range wanted {
		if !slices.Contains(has, w) {
			fmt.Printf("WANTED %s\n\n", w)
		}
	}
	for _, h := range has {
		if !slices.Contains(wanted, h) {
			fmt.Printf("GOT %s\n\n", h)
		}
	}
	return errors.New("expected.txt has other calls")
}

// newServer serves s, and beside it what the clients need to know: GET /calls answers with the calls
// since the last time, at least the number min of them.
func newServer(s *openAI) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /calls", func(w http.ResponseWriter, r *http.Request) {
		min, _ := strconv.Atoi(r.FormValue("min"))
		json.NewEncoder(w).Encode(s.takeCalls(min))
	})
	mux.Handle("/", s.noteParts(s.handler()))
	return httptest.NewServer(mux)
}

// noteParts notes the order of the parts of a form, of which the service does not know.
func (s *openAI) noteParts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if boundary := params["boundary"]; boundary != "" {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			names, parts := []string{}, multipart.NewReader(bytes.NewReader(body), boundary)
			for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() {
				names = append(names, part.FormName())
			}
			s.noteText("a form of " + strings.Join(names, ", "))
		}
		next.ServeHTTP(w, r)
	})
}

// program returns the run of a program that prints a row for each call.
func program(command ...string) func(url string) ([]row, error) {
	return func(url string) (rows []row, err error) {
		cmd := exec.Command(command[0], append(command[1:], url)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		lines := bufio.NewScanner(bytes.NewReader(out))
		for lines.Scan() {
			var r row
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				return nil, fmt.Errorf("%w in %s", err, lines.Text())
			}
			rows = append(rows, r)
		}
		return rows, lines.Err()
	}
}

// runTypeScript fetches client.ts and calls by it.
func runTypeScript(url string) ([]row, error) {
	answer, err := http.Get(url + "/client.ts")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile("dist/client.ts", text, 0o644); err != nil {
		return nil, err
	}
	tsc := exec.Command("node_modules/node22/bin/node", "node_modules/typescript/bin/tsc", "-p", ".")
	tsc.Stdout, tsc.Stderr = os.Stderr, os.Stderr
	if err := tsc.Run(); err != nil {
		return nil, err
	}
	return program("node_modules/node22/bin/node", "--disable-warning=ExperimentalWarning", "calls.ts")(url)
}

// fetchCalls returns what has arrived.
func fetchCalls(url string, min int) (calls []string, err error) {
	answer, err := http.Get(fmt.Sprintf("%s/calls?min=%d", url, min))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return calls, json.NewDecoder(answer.Body).Decode(&calls)
}
