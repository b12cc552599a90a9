//go:build slow

package blackbox_test

// This file compares Pprof with net/http/pprof, which serves the same process,
// and reads what it serves with the tools. It takes programs of its own and
// seconds of recording, so it is tested with -tags slow only.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pprofGo runs the go command and returns its standard output. It fails the
// test if the command does.
func pprofGo(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.String()
}

// pprofBuild builds testdata/name and returns the program.
func pprofBuild(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := "./testdata/" + name
	if _, err := os.Stat(dir + "/main.go"); err != nil { // so that go test knows what the result depends on
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), name+".exe") // Windows wants the suffix
	pprofGo(t, "build", "-buildvcs=false", "-o", program, dir)
	return program
}

// pprofServers starts testdata/pprof and returns the URLs at which it serves
// net/http/pprof and Pprof.
func pprofServers(t *testing.T) (theirs, ours string) {
	t.Helper()
	cmd := exec.Command(pprofBuild(t, "pprof"), "an argument", "")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	var urls [2]string
	for i := range urls {
		if !lines.Scan() {
			t.Fatalf("testdata/pprof printed %d addresses: %v", i, lines.Err())
		}
		urls[i] = "http://" + lines.Text()
	}
	return urls[0], urls[1]
}

// A pprofAnswer is what of a response is the same each time.
type pprofAnswer struct {
	status                                 int
	contentType, disposition, nosniff, tag string
	body                                   string
}

func pprofFetch(t *testing.T, method, url, body string) pprofAnswer {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // which follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	h := resp.Header
	return pprofAnswer{resp.StatusCode, h.Get("Content-Type"), h.Get("Content-Disposition"), h.Get("X-Content-Type-Options"), h.Get("X-Go-Pprof"), string(data)}
}

// The ways in which two bodies can agree.
func pprofExactly(t *testing.T, body string) string { return body }

func pprofNothing(*testing.T, string) string { return "" }

// pprofIndexed returns the links and the names of an index. The counts change
// from one moment to the next.
func pprofIndexed(t *testing.T, body string) string {
	links := regexp.MustCompile(`<a href=['"]([^'"]*)['"]>([^<]*)</a>`).FindAllStringSubmatch(body, -1)
	var all []string
	for _, m := range links {
		if !strings.HasSuffix(m[1], "debug=2") { // in words of their own
			all = append(all, m[1]+" "+m[2])
		}
	}
	return strings.Join(all, "\n")
}

// pprofFirstWords returns how a profile in text begins.
func pprofFirstWords(t *testing.T, body string) string {
	words := strings.Fields(body)
	return strings.Join(words[:min(2, len(words))], " ")
}

// pprofTypes returns the kinds and units of a profile's values: the fields
// sample_type and period_type of the message Profile, which name their texts by
// number (github.com/google/pprof/proto/profile.proto).
func pprofTypes(t *testing.T, body string) string {
	const sampleType, stringTable, periodType = 1, 6, 11
	zr, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	message, err := io.ReadAll(zr)
	if err != nil {
		t.Error(err)
	}
	fields := pprofFields(t, message)
	var texts, types []string
	for _, f := range fields {
		if f.field == stringTable {
			texts = append(texts, string(f.bytes))
		}
	}
	for _, want := range [...]int{sampleType, periodType} {
		for _, f := range fields {
			if f.field == want {
				var numbers [3]uint64 // by field: 1 is the kind, 2 the unit
				for _, n := range pprofFields(t, f.bytes) {
					numbers[n.field] = n.number
				}
				types = append(types, texts[numbers[1]]+"/"+texts[numbers[2]])
			}
		}
	}
	return strings.Join(types, " ")
}

// A pprofField is one field of a protocol buffer: a number, or bytes.
type pprofField struct {
	field  int
	number uint64
	bytes  []byte
}

// pprofFields returns the fields of a message. Profiles have only numbers in
// base 128 and bytes (wire types 0 and 2).
func pprofFields(t *testing.T, message []byte) (fields []pprofField) {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		value, m := binary.Uvarint(message[max(n, 0):])
		message = message[max(n, 0)+max(m, 0):]
		f := pprofField{field: int(tag >> 3), number: value}
		switch {
		case n > 0 && m > 0 && tag&7 == 0:
		case n > 0 && m > 0 && tag&7 == 2 && value <= uint64(len(message)):
			f.bytes, message = message[:value], message[value:]
		default:
			t.Error("not a profile")
			return nil
		}
		fields = append(fields, f)
	}
	return fields
}

// Verify that net/http/pprof, serving the same process, gives the same answers.
func TestPprofAgreesWithNetHTTP(t *testing.T) {
	t.Parallel()
	theirs, ours := pprofServers(t)
	symbol := pprofSymbol(t, theirs)
	for _, test := range []struct {
		method, target, body string
		same                 func(*testing.T, string) string
	}{
		{"GET", "/", "", pprofIndexed},
		{"GET", "/?debug=1", "", pprofIndexed},
		{"HEAD", "/", "", pprofExactly},
		{"GET", "/cmdline", "", pprofExactly},
		{"HEAD", "/cmdline", "", pprofExactly},
		{"GET", "/symbol", "", pprofExactly},
		{"GET", "/symbol?" + symbol, "", pprofExactly},
		{"GET", "/symbol?" + symbol + "+0x1+abc+" + symbol, "", pprofExactly},
		{"POST", "/symbol", symbol + "+" + symbol, pprofExactly},
		{"POST", "/symbol?" + symbol, "", pprofExactly},
		{"GET", "/nothing", "", pprofExactly},
		{"GET", "/heap/", "", pprofExactly},
		{"GET", "/example.com/pprof/own?debug=1", "", pprofFirstWords},
		{"GET", "/example.com/pprof/own", "", pprofTypes},
		{"GET", "/example.com/pprof/own?seconds=1", "", pprofNothing}, // refused
		{"GET", "/allocs", "", pprofTypes},
		{"GET", "/allocs?debug=1", "", pprofFirstWords},
		{"GET", "/block", "", pprofTypes},
		{"GET", "/block?debug=1", "", pprofFirstWords},
		{"GET", "/goroutine", "", pprofTypes},
		{"GET", "/goroutine?debug=1", "", pprofFirstWords},
		{"GET", "/goroutine?debug=2", "", pprofNothing},
		{"GET", "/heap", "", pprofTypes},
		{"GET", "/heap?debug=0&gc=1", "", pprofTypes},
		{"GET", "/heap?debug=1", "", pprofFirstWords},
		{"GET", "/heap?debug=abc", "", pprofTypes},
		{"GET", "/heap?seconds=", "", pprofTypes},
		{"GET", "/heap?seconds=abc", "", pprofNothing}, // 400 from both, with different texts
		{"GET", "/heap?seconds=-1", "", pprofNothing},
		{"GET", "/heap?seconds=1&debug=1", "", pprofNothing},
		{"GET", "/mutex", "", pprofTypes},
		{"GET", "/mutex?debug=1", "", pprofFirstWords},
		{"GET", "/threadcreate", "", pprofTypes},
		{"HEAD", "/threadcreate", "", pprofExactly},
		{"GET", "/threadcreate?debug=1", "", pprofFirstWords},
		{"GET", "/profile?seconds=1", "", pprofTypes},
		{"GET", "/trace?seconds=1", "", func(t *testing.T, body string) string { return body[:16] }},
	} {
		t.Run(rowName(test.method, test.target), func(t *testing.T) {
			a := pprofFetch(t, test.method, theirs+"/debug/pprof"+test.target, test.body)
			b := pprofFetch(t, test.method, ours+"/debug/pprof"+test.target, test.body)
			a.body, b.body = test.same(t, a.body), test.same(t, b.body)
			if a != b {
				t.Errorf("%s %s:\n theirs %.2000s\n ours   %.2000s", test.method, test.target, fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
			}
		})
	}
	checkPprofDifferences(t, theirs, ours)
}

// pprofSymbol returns the address of a function of the process at base.
func pprofSymbol(t *testing.T, base string) string {
	t.Helper()
	body := pprofFetch(t, "GET", base+"/debug/pprof/goroutine?debug=1", "").body
	m := regexp.MustCompile(`#\s+(0x[0-9a-f]+)\s+main\.`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no address in %s", body)
	}
	return m[1]
}

// checkPprofDifferences has the answers that differ on purpose.
func checkPprofDifferences(t *testing.T, theirs, ours string) {
	for _, test := range []struct {
		method, target string
		theirs, ours   int // theirs is 0 where it is not asked
	}{
		{"GET", "", 0, 200},                  // redirected there, by a status that depends on the version of Go
		{"POST", "/", 405, 405},              // the same, by the mux there
		{"POST", "/profile", 405, 405},       // likewise
		{"GET", "/heap?seconds=1", 200, 400}, // what changes in a second there; here the tool subtracts
		{"GET", "/goroutine?seconds=1", 200, 400},
		{"GET", "/heap?seconds=301", 0, 400},    // 301 seconds there
		{"GET", "/profile?seconds=abc", 0, 400}, // 30 seconds of profile there
		{"GET", "/trace?seconds=abc", 0, 400},   // 1 second of trace there
		{"GET", "/trace?seconds=0.01", 200, 400},
	} {
		if test.theirs != 0 {
			if got := pprofFetch(t, test.method, theirs+"/debug/pprof"+test.target, ""); got.status != test.theirs {
				t.Errorf("%s %s: net/http/pprof answers %d, want %d", test.method, test.target, got.status, test.theirs)
			}
		}
		if got := pprofFetch(t, test.method, ours+"/debug/pprof"+test.target, ""); got.status != test.ours {
			t.Errorf("%s %s: %d, want %d", test.method, test.target, got.status, test.ours)
		}
	}
}

// Verify that the tools read what comes over a socket, and find in it what the
// program does.
func TestPprofTools(t *testing.T) {
	t.Parallel()
	_, ours := pprofServers(t)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() { // work, so that the recordings have something in them
		defer close(ended)
		for {
			select {
			case <-end:
				return
			default:
				if resp, err := http.Get(ours + "/work"); err == nil {
					resp.Body.Close()
				}
			}
		}
	}()
	defer func() {
		close(end)
		<-ended
	}()
	base := ours + "/debug/pprof/"
	first := filepath.Join(t.TempDir(), "first")
	if err := os.WriteFile(first, []byte(pprofFetch(t, "GET", base+"block", "").body), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ flag, page, want string }{
		{"-seconds=1", "profile", "main.work"},
		{"-diff_base=" + first, "block", "main.work"}, // as the answer to ?seconds says
		{"-lines", "heap?gc=1", "main.work"},
		{"-lines", "goroutine", "main.main"},
	} {
		t.Run(rowName(test.flag, test.page), func(t *testing.T) {
			out := ""
			for attempt := 0; attempt < 20 && !strings.Contains(out, test.want); attempt++ { // a busy machine may do no work in a second
				out = pprofGo(t, "tool", "pprof", "-symbolize=none", "-cum", "-nodefraction=0", test.flag, "-top", base+test.page)
			}
			if !strings.Contains(out, test.want) {
				t.Errorf("go tool pprof %s %s does not show %s:\n%.2000s", test.flag, test.page, test.want, out)
			}
		})
	}
	out, err := exec.Command("go", "tool", "pprof", "-top", base+"nothing").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("Unknown profile")) {
		t.Errorf("go tool pprof shows of an unknown profile: %v\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "trace")
	events := ""
	for attempt := 0; attempt < 20 && !strings.Contains(events, "main.work"); attempt++ {
		trace := pprofFetch(t, "GET", base+"trace?seconds=1.5", "").body
		if err := os.WriteFile(file, []byte(trace), 0o666); err != nil {
			t.Fatal(err)
		}
		events = pprofGo(t, "tool", "trace", "-d=parsed", file)
	}
	if !strings.Contains(events, "main.work") {
		t.Errorf("go tool trace shows no main.work:\n%.2000s", events)
	}
}
