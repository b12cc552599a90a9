// Package blackbox_test tests svc as its users do: through what it exports.
package blackbox_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain fails the run if the tests leave goroutines behind: in a server each
// would be one request's leak.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && !fuzzing() {
		if left := leaked(3 * time.Second); len(left) > 0 {
			fmt.Fprintf(os.Stderr, "FAIL: the tests left %d goroutines behind:\n\n%s\n", len(left), strings.Join(left, "\n\n"))
			code = 1
		}
	}
	os.Exit(code)
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

func TestLeaked(t *testing.T) {
	before := len(leaked(time.Second))
	stop := make(chan struct{})
	go func() { <-stop }()
	if left := leaked(20 * time.Millisecond); len(left) != before+1 {
		t.Errorf("found %d goroutines, want one more than the %d before", len(left), before)
	}
	close(stop)
	if left := leaked(time.Second); len(left) != before {
		t.Errorf("found %d goroutines after the end, want the %d before", len(left), before)
	}
}
