package svc

// This file has what CheckReleased, CheckClient and CheckDocument have in common.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A TestingT is the part of [*testing.T], [*testing.B] and [*testing.F] that [CheckReleased],
// [CheckClient] and [CheckDocument] need. With it, programs that use svc do not link package testing.
type TestingT interface {
	// Helper marks the calling function as a helper, whose lines are not reported.
	Helper()
	// Errorf reports a failure, and the check goes on.
	Errorf(format string, args ...any)
	// Fatalf reports a failure that ends the test. If it returns, so does the check.
	Fatalf(format string, args ...any)
}

// checkFile fails a test if the text of a file is not text, in which \r\n at the end of a line counts as
// \n, since git may write that. changed says in words that it is not. With update, checkFile writes the
// file and its folders. If there is a file that differs, it calls review first, unless that is nil: if
// review returns false, it has reported why the file stays as it is.
func checkFile(t TestingT, file string, text []byte, update bool, changed string, review func(have []byte) bool) {
	t.Helper()
	have, err := os.ReadFile(file)
	have = bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n"))
	missing := errors.Is(err, os.ErrNotExist)
	switch {
	case err == nil && bytes.Equal(have, text):
		return
	case missing && !update:
		t.Fatalf("%s: the file is missing; write it by go test -update, and commit it", file)
		return
	case err != nil && !missing:
		t.Fatalf("%v", err)
		return
	case review != nil && !missing && !review(have):
		return
	case !update:
		t.Errorf("%s: %s; write it by go test -update, and commit it:%s", file, changed, lineDifference(have, text))
		return
	}
	_ = os.MkdirAll(filepath.Dir(file), 0o777) // if it fails, so does WriteFile
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatalf("%v", err)
	}
}

// lineDifference shows the lines between the first and the last that differ, at most ten of each text:
//
//	line 7:
//	- "maxLength": 200
//	+ "maxLength": 80
func lineDifference(was, is []byte) string {
	old, now := bytes.Split(was, []byte("\n")), bytes.Split(is, []byte("\n"))
	first := 0
	for first < min(len(old), len(now)) && bytes.Equal(old[first], now[first]) {
		first++
	}
	old, now = old[first:], now[first:]
	for len(old) > 0 && len(now) > 0 && bytes.Equal(old[len(old)-1], now[len(now)-1]) {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n\tline %d:", first+1)
	show := func(sign string, lines [][]byte) {
		const most = 10
		for _, line := range lines[:min(len(lines), most)] {
			fmt.Fprintf(&out, "\n\t%s %s", sign, clip(string(bytes.TrimSpace(line)), 200))
		}
		if n := len(lines) - most; n > 0 {
			fmt.Fprintf(&out, "\n\t%s and %d more lines", sign, n)
		}
	}
	show("-", old)
	show("+", now)
	return out.String()
}
