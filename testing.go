package svc

// This file has what CheckClient and CheckReleased need of a test.

import (
	"bytes"
	"os"
	"path/filepath"
)

// A TestingT is the part of [*testing.T], [*testing.B] and [*testing.F] that [CheckReleased] and
// [CheckClient] need. With it, programs that use svc do not link package testing.
type TestingT interface {
	// Helper marks the calling function as a helper, whose lines are not reported.
	Helper()
	// Errorf reports a failure, and the check goes on.
	Errorf(format string, args ...any)
	// Fatalf reports a failure that ends the test. If it returns, so does the check.
	Fatalf(format string, args ...any)
}

// readChecked reads a file that a check compares with a text, with the ends of lines that the text has:
// git may write \r\n.
func readChecked(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), err
}

// writeChecked writes a file that a check compares with a text, and its folders. It fails the test if it
// cannot.
func writeChecked(t TestingT, file string, text []byte) {
	t.Helper()
	_ = os.MkdirAll(filepath.Dir(file), 0o777) // if it fails, so does WriteFile
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatalf("%v", err)
	}
}
