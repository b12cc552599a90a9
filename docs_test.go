package svc

import (
	"strings"
	"testing"
)

// Verify that the page of a checkout with \r\n is the page of one with \n, and that its
// policy is the same: browsers hash the script with \n.
func TestPageText(t *testing.T) {
	lf := readPage()
	crlf := strings.ReplaceAll(lf, "\n", "\r\n")
	if strings.Contains(lf, "\r") || crlf == lf {
		t.Fatal("the page has a \\r, or no line ends")
	}
	for name, source := range map[string]string{"LF": lf, "CRLF": crlf} {
		t.Run(name, func(t *testing.T) {
			if got := pageText(source); got != lf {
				t.Error("pageText returns another page")
			}
			if got, want := docsPolicy(pageText(source)), docsPolicy(lf); got != want {
				t.Errorf("the policy is\n%s\nwant\n%s", got, want)
			}
		})
	}
	if docsPolicy(crlf) == docsPolicy(lf) {
		t.Error("the policy does not depend on the line ends, so the rows above show nothing")
	}
}
