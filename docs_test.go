package svc

import (
	"encoding/json"
	"reflect"
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

// Verify that the example of a []byte keeps rules, which are about its bytes.
func TestBytesExample(t *testing.T) {
	type bytes struct {
		A []byte `json:"a"`
	}
	size := func(role ruleRole, violates func(reflect.Value, int) bool) ruleRow {
		return ruleRow{
			keyword: "size", must: "must have another size than # bytes", role: role,
			fits: isBytes, on: "a []byte", parse: parseSize("bytes", violates),
		}
	}
	fewer := func(v reflect.Value, n int) bool { return len(v.Bytes()) < n } // of a string this panics
	more := func(v reflect.Value, n int) bool { return len(v.Bytes()) > n }
	for _, test := range []struct {
		name string
		row  ruleRow
		text string
		want string
	}{
		{"none", size(roleLeast, fewer), "", "hello"},
		{"at least", size(roleLeast, fewer), "16", "hellohellohelloh"},
		{"at most", size(roleMost, more), "3", "hel"},
		{"without a role", size(roleNone, fewer), "7", "2026-01-02"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := ruledBy[bytes](test.row, test.text).methods[0].in.fields[0]
			var got []byte
			if err := json.Unmarshal(exampleOfField(f), &got); err != nil || string(got) != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}
