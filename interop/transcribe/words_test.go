package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestExported(t *testing.T) {
	for name, want := range map[string]string{
		"id": "ID", "user_ids": "UserIDs", "userID": "UserID", "HTTPServer": "HTTPServer", "created[gte]": "CreatedGte",
		"+1": "Plus1", "-1": "Minus1", "StartTime<": "StartTimeBefore", "2fa": "N2fa", "日本": "X", "": "X", "don't": "Dont",
		"io.k8s.Pod": "IoK8sPod", "IDs": "IDs", "oauth2-token": "Oauth2Token",
	} {
		t.Run(name, func(t *testing.T) {
			if got := exported(name); got != want {
				t.Errorf("%q; want %q", got, want)
			}
		})
	}
}

func TestUnexported(t *testing.T) {
	for name, want := range map[string]string{"Pets": "pets", "IDs": "ids", "Pet2Food": "pet2Food", "API": "api", "2 fast": "n2Fast", "Org 2": "org2", "": "x"} {
		t.Run(name, func(t *testing.T) {
			if got := unexported(name); got != want {
				t.Errorf("%q; want %q", got, want)
			}
		})
	}
}

func TestPluralName(t *testing.T) {
	for name, want := range map[string]string{"Pet": "Pets", "Policy": "Policies", "Key": "Keys", "Branch": "Branches", "SimpleUser": "SimpleUsers", "Pets": "PetsList", "URL": "URLs"} {
		t.Run(name, func(t *testing.T) {
			if got := pluralName(name); got != want {
				t.Errorf("%q; want %q", got, want)
			}
		})
	}
}

func TestMethodName(t *testing.T) {
	tests := []struct{ verb, path, id, tag, want string }{
		{"GET", "/pets", "listPets", "pets", "List"},
		{"GET", "/pets/{id}", "getPetById", "pets", "GetByID"},
		{"GET", "/tasks", "getTasks", "Tasks", "List"},
		{"GET", "/tasks/{id}", "getTask", "Tasks", "Get"},
		{"GET", "/projects/{id}/tasks", "getTasksForProject", "Tasks", "ListForProject"},
		{"GET", "/repos/{owner}/issues", "issues/list-for-repo", "issues", "ListForRepo"},
		{"POST", "/assistants", "createAssistant", "Assistants", "Create"},
		{"POST", "/v1/accounts/{account}/capabilities/{capability}", "PostAccountsAccountCapabilitiesCapability", "accounts", "UpdateCapability"},
		{"GET", "/files/{file_id}", "get_files_id", "files", "Get"},
		{"POST", "/v1/charges/{charge}/capture", "PostChargesChargeCapture", "charges", "Capture"},
		{"GET", "/v1/charges/search", "GetChargesSearch", "charges", "Search"},
		{"GET", "/account", "getAccount", "users", "GetAccount"},
		{"GET", "/notes/{id}", "", "notes", "Get"},
		{"DELETE", "/notes/{id}", "", "notes", "Delete"},
		{"POST", "/asset_report/get", "assetReportGet", "plaid", "GetAssetReport"},
		{"GET", "/", "", "x", "GetRoot"},
	}
	for _, test := range tests {
		t.Run(test.verb+test.path, func(t *testing.T) {
			o := &operation{verb: test.verb, path: test.path, id: test.id, tag: test.tag, group: &group{name: exported(test.tag)}}
			if got := new(converter).methodName(o); got != test.want {
				t.Errorf("%q; want %q", got, test.want)
			}
		})
	}
}

func TestGoPattern(t *testing.T) {
	tests := []struct{ pattern, want, why string }{
		{`^[a-z]+$`, `^[a-z]+$`, ""},
		{`/^a\/b$/`, `^a\/b$`, ""},
		{`^\s\S$`, `^[ \t\n\r\f\v][^ \t\n\r\f\v]$`, ""},
		{`^[\s.]$`, `^[ \t\n\r\f\v.]$`, ""},
		{`a.b`, `a[^\n\r]b`, ""},
		{`\_\@\-`, `_@-`, ""},
		{`(?<name>a)`, `(a)`, ""},
		{`[a-z0-9-_]`, `[a-z0-9\-_]`, ""},
		{`[\w-.]`, `[\w\-.]`, ""},
		{`[.-\w]`, `[.\-\w]`, ""},
		{`[-a][a-]`, `[-a][a-]`, ""},
		{`[a-zA-Z-0-9]`, `[a-zA-Z\-0-9]`, ""},
		{`[[A-Z]`, `[\[A-Z]`, ""},
		{`a]`, `a\]`, ""},
		{`\u00e9`, `é`, ""},
		{`\p{Greek}`, "", "does not mean the same in Go and in ECMAScript"},
		{`(?!a)`, "", "looks around"},
		{`[\S]`, "", `has \S in a class`},
		{`(`, "", "is not a pattern of Go"},
		{`\`, "", "is not a pattern of Go"},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			got, why := goPattern(test.pattern)
			if got != test.want || why != test.why {
				t.Errorf("%q %q; want %q %q", got, why, test.want, test.why)
			}
		})
	}
}

func TestIsNearFormat(t *testing.T) {
	for format, want := range map[string]bool{"uri": false, "url": true, "e-mail": true, "host-name": true, "uuid4": true, "Date": true, "ulid": true, "int32": false, "password": false, "snowflake": false} {
		t.Run(format, func(t *testing.T) {
			if got := isNearFormat(format); got != want {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestComment(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", " \n", ""},
		{"one line", "A note.", "// A note.\n"},
		{"a list", "Colors:\n* red\n- blue\n\nEnd", "// Colors:\n//   - red\n//   - blue\n//\n// End\n"},
		{"numbers", "1. one\n2. two", "//  1. one\n//  2. two\n"},
		{"code", "Call\n```\ncurl x\n```\nit", "// Call\n//\n// \tcurl x\n//\n// it\n"},
		{"a heading", "# Title\nText", "// Title Text\n"},
		{"directives", "go:embed x", "// go:embed x\n"},
		{"breaks", "a\r\nb\u2028c\rd", "// a b c d\n"},
		{"not UTF-8", "a\xffb", "// a?b\n"},
		{"wrapped", strings.Repeat("word ", 30), "// " + strings.TrimSpace(strings.Repeat("word ", 19)) + "\n// " + strings.TrimSpace(strings.Repeat("word ", 11)) + "\n"},
	}
	everyLine := regexp.MustCompile(`(?m)^//( |\t|$)`)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := comment(test.text, "")
			if got != test.want {
				t.Errorf("%q; want %q", got, test.want)
			}
			for line := range strings.Lines(got) {
				if !everyLine.MatchString(line) {
					t.Errorf("%q is no comment", line)
				}
			}
		})
	}
}

func TestConflict(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"a/{x}", "a/b", false},
		{"a/{x}", "{y}/b", true},
		{"a/{x}", "a/{y}", true},
		{"a/b", "a/c", false},
		{"a/{x}/c", "a/b/{y}", true},
	}
	for _, test := range tests {
		t.Run(test.a+" "+test.b, func(t *testing.T) {
			if got := conflict(strings.Split(test.a, "/"), strings.Split(test.b, "/")); got != test.want {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestNamer(t *testing.T) {
	n := newNamer("A")
	for i, want := range []string{"A2", "A3", "B", "B2", "C"} {
		wishes := [][]string{{"A"}, {"A"}, {"B"}, {"B"}, {"B", "C"}}[i]
		if got := n.take(wishes...); got != want {
			t.Errorf("%d: %q; want %q", i, got, want)
		}
	}
}
