package svc

import (
	"fmt"
	"strings"
	"testing"
)

// Verify that the quick way to quote a JSON text gives what the plain way does.
func TestAppendQuotedJSON(t *testing.T) {
	for n := range 40 {
		for _, special := range []string{`"`, `\\`, `\"`, `""`, "é"} {
			for i := range n {
				text := strings.Repeat("a", i) + special + strings.Repeat("b", n-i)
				got, want := appendQuotedJSON([]byte("x"), []byte(text)), appendQuoted([]byte("x"), text)
				if string(got) != string(want) {
					t.Errorf("%s: got %s, want %s", text, got, want)
				}
			}
		}
	}
}

// Verify that the parts of a message are found whatever stands between them.
func TestEachMember(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{}`, ``},
		{" { }"[1:], ``},
		{`{"a":1}`, `a=1;`},
		{"{ \"a\" :\t1 ,\n\"b\":[ {\"}\":\"]\"} , 2 ],\r\"c\" : null }", `a=1;b=[ {"}":"]"} , 2 ];c=null;`},
		{`{"\u0061\"":"x\\\"y","b":-1.5e3,"c":{"d":{}},"e":true}`, `a"="x\\\"y";b=-1.5e3;c={"d":{}};e=true;`},
	} {
		var got strings.Builder
		eachMember([]byte(test.text), func(name, value []byte) { fmt.Fprintf(&got, "%s=%s;", name, value) })
		if got.String() != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got.String(), test.want)
		}
	}
}
