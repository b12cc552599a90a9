// Package blackbox_test tests svc as its users do: through what it exports.
package blackbox_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain fails the run if the tests leave goroutines behind: in a server each
// would be one request's leak.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)        // the tests make much garbage and keep little
	flag.Set("test.parallel", "8") // many of them wait; the flag -parallel comes after this
	code := m.Run()
	if code == 0 && !fuzzing() {
		if left := leaked(time.Minute); len(left) > 0 {
			fmt.Fprintf(os.Stderr, "FAIL: the tests left %d goroutines behind:\n\n%s\n", len(left), strings.Join(left, "\n\n"))
			code = 1
		}
	}
	os.Exit(code)
}

// rounds returns how often a test does what it does with inputs of many kinds: few
// times; or many times, if SVC_TEST_ROUNDS is many, as in .ci/run, without -short.
func rounds(few, many int) int {
	if os.Getenv("SVC_TEST_ROUNDS") == "many" && !testing.Short() {
		return many
	}
	return few
}

// root returns the path of a file in the root of the repository.
func root(name string) string { return filepath.Join("..", "..", filepath.FromSlash(name)) }

// fuzzing reports whether this process looks for new inputs. The processes that
// do so keep goroutines of package testing until they exit.
func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// leaked waits for the goroutines that the tests started to end, and returns
// the stacks of those that have not ended when the patience is over.
func leaked(patience time.Duration) []string {
	var left []string
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		// An idle connection of a client has goroutines on both ends.
		http.DefaultClient.CloseIdleConnections()
		if left = strangers(); len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

// strangers returns the stacks of the goroutines that belong neither to the
// runtime nor to package testing, in a stable order.
func strangers() []string {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	var found []string
	// The first stack is that of the caller.
	for _, stack := range strings.Split(string(buf), "\n\n")[1:] {
		if !expected(stack) {
			found = append(found, strings.TrimSpace(stack))
		}
	}
	slices.Sort(found)
	return found
}

// expected reports whether a goroutine may outlive the tests: the main one, one
// of package testing, of the runtime, or of os/signal, which starts one for the
// whole life of the process.
func expected(stack string) bool {
	return strings.Contains(stack, "\nmain.main()") ||
		strings.Contains(stack, "created by testing.") ||
		strings.Contains(stack, "created by runtime.") ||
		strings.Contains(stack, "created by os/signal.")
}

// Verify that a goroutine is found while it runs, and not when it has ended.
func TestLeakedGoroutinesAreFound(t *testing.T) {
	before := len(leaked(time.Second))
	stop := make(chan struct{})
	go func() { <-stop }()
	if left := leaked(20 * time.Millisecond); len(left) != before+1 {
		t.Errorf("found %d goroutines, want one more than the %d before", len(left), before)
	}
	close(stop)
	if left := leaked(10 * time.Second); len(left) != before {
		t.Errorf("found %d goroutines after the end, want the %d before", len(left), before)
	}
}

var update = flag.Bool("update", false, "rewrite testdata with the output of the tests")

// golden compares got with the file testdata/name, or with -update writes it
// there.
func golden(t testing.TB, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := writeGolden(file, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := readText(file)
	if err != nil {
		t.Errorf("%v; if the output is right, run go test -update:\n%s", err, got)
		return
	}
	if strconv.IntSize < 64 {
		return // the files have the bounds of an int of 64 bits
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if the new output is right, run go test -update\n%s", file, firstDifference(got, want))
	}
}

// readText returns the text of a file. Each of its lines ends in \n, also in a checkout
// that has \r\n, as one on Windows may.
func readText(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), err
}

// writeGolden leaves a file that is right alone, so that -update keeps its time
// and with it the go command's cache of test results.
func writeGolden(file string, got []byte) error {
	if want, err := os.ReadFile(file); err == nil && bytes.Equal(got, want) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, got, 0o666)
}

// A goldenCase is a part of a file of testdata, with a name of its own.
type goldenCase struct {
	name string
	text func(t *testing.T) string
}

// goldenCases compares each case, in a subtest of its own, with its part of the file
// testdata/name, which has the texts of the cases one after the other. With -run for some
// of the cases, the others may be anything, and -update changes nothing.
func goldenCases(t *testing.T, name string, cases []goldenCase) {
	t.Helper()
	want, err := readText(filepath.Join("testdata", filepath.FromSlash(name)))
	var all strings.Builder
	ran := 0
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ran++
			text := c.text(t)
			all.WriteString(text)
			if err == nil && !*update && strconv.IntSize == 64 && !strings.Contains(string(want), text) {
				text = strings.TrimLeft(text, "\n")
				t.Errorf("the part of testdata/%s differs; if the new output is right, run go test -update\n%s", name, firstDifference([]byte(text), linesFrom(want, text)))
			}
		})
	}
	if ran == len(cases) && (*update || !t.Failed()) {
		golden(t, name, []byte(all.String()))
	}
}

// linesFrom returns as many lines of the file as text has, from the first line of text on,
// for a report of what differs.
func linesFrom(file []byte, text string) []byte {
	first, _, _ := strings.Cut(text, "\n")
	_, rest, ok := strings.Cut("\n"+string(file), "\n"+first+"\n")
	if !ok {
		return nil
	}
	lines := strings.SplitAfter(first+"\n"+rest, "\n")
	return []byte(strings.Join(lines[:min(len(lines), strings.Count(text, "\n"))], ""))
}

// firstDifference describes the first line in which got and want differ. The
// lines are quoted, since a difference is often a space or a \r; of a long line,
// such as a whole JSON document, only the surroundings of the difference show.
func firstDifference(got, want []byte) string {
	g, w := bytes.SplitAfter(got, []byte("\n")), bytes.SplitAfter(want, []byte("\n"))
	i := 0
	for i < len(g) && i < len(w) && bytes.Equal(g[i], w[i]) {
		i++
	}
	if i == len(g) || i == len(w) { // only if the texts are equal
		return "no difference"
	}
	from := 0
	for from < len(g[i]) && from < len(w[i]) && g[i][from] == w[i][from] {
		from++
	}
	return fmt.Sprintf("line %d, column %d\n got: %q\nwant: %q\n(got %d lines, want %d)",
		i+1, from+1, around(g[i], from), around(w[i], from), len(g), len(w))
}

// around returns at most 60 bytes of line on each side of column i.
func around(line []byte, i int) []byte {
	return line[max(0, i-60):min(len(line), i+60)]
}

// Verify that the report shows where two texts differ.
func TestFirstDifference(t *testing.T) {
	for _, test := range []struct{ name, got, want, says string }{
		{"another line", "a\nb\n", "a\nc\n", "line 2, column 1\n got: \"b\\n\"\nwant: \"c\\n\"\n(got 3 lines, want 3)"},
		{"no end of the line", "a", "a\n", "line 1, column 2\n got: \"a\"\nwant: \"a\\n\"\n(got 1 lines, want 2)"},
		{"a line more", "a\n", "a\nb", "line 2, column 1\n got: \"\"\nwant: \"b\"\n(got 2 lines, want 2)"},
		{"nothing", "", "x", "line 1, column 1\n got: \"\"\nwant: \"x\"\n(got 1 lines, want 1)"},
		{"equal texts", "same\n", "same\n", "no difference"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := firstDifference([]byte(test.got), []byte(test.want)); got != test.says {
				t.Errorf("firstDifference(%q, %q) = %s\nwant %s", test.got, test.want, got, test.says)
			}
		})
	}
}

// Verify that the part of a file is found that a case is compared with.
func TestLinesFrom(t *testing.T) {
	const file = "# a\n1\n\n# b\n2\n3\n\n"
	for _, test := range []struct{ name, text, want string }{
		{"the first part", "# a\nx\n", "# a\n1\n"},
		{"the last part", "# b\n2\nx\n\n", "# b\n2\n3\n\n"},
		{"more lines than the file", "# b\n2\n3\n\nx\n", "# b\n2\n3\n\n"},
		{"a part that is not there", "# c\n1\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := linesFrom([]byte(file), test.text); string(got) != test.want {
				t.Errorf("linesFrom(%q, %q) = %q, want %q", file, test.text, got, test.want)
			}
		})
	}
}

// Verify that a golden file is made, left alone and changed.
func TestWriteGolden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "b", "c.txt")
	for _, text := range []string{"one", "one", "two"} {
		if err := writeGolden(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); string(got) != text {
			t.Errorf("the file holds %q, %v; want %q", got, err, text)
		}
	}
}
