package blackbox_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mcpRequirements says for each requirement how it is kept: "rows" if rows of
// mcp_wire_test.go carry its number, the name of a test whose comment does, or
// why it is not done here. The numbers are those of the project's list of what
// the revisions of MCP demand; the texts are short for it.
var mcpRequirements = []struct{ number, text, kept string }{
	{"0.1", "both eras on one endpoint", "rows"},
	{"0.2", "one order of checks", "rows"},
	{"0.3", "initialize in either era", "rows"},
	{"0.4", "one order of the modern checks", "rows"},
	{"0.5", "nothing is kept between requests", "TestMCPReplicas"},
	{"1.1", "POST on one path", "rows"},
	{"1.2", "GET is 405 with Allow", "TestMCPMethods"},
	{"1.3", "DELETE is 405", "TestMCPMethods"},
	{"1.4", "other methods are 405", "TestMCPMethods"},
	{"1.5", "OPTIONS is answered", "TestMCPMethods"},
	{"1.6", "only application/json", "rows"},
	{"1.7", "any Accept that names a form of answer", "rows"},
	{"1.8", "the answer is JSON or a stream", "rows"},
	{"1.9", "notifications are 202 without a body", "rows"},
	{"1.10", "responses are 202, in the modern era 400", "rows"},
	{"1.11", "what is no message is 400", "rows"},
	{"1.12", "an id that cannot be read is left out", "rows"},
	{"1.13", "a body too large is 413", "TestMCPBodyLimit"},
	{"1.14", "batches where the revision has them", "rows"},
	{"1.15", "no method and no result is invalid", "rows"},
	{"2.1", "version 2.0; ids are strings and integers", "rows"},
	{"2.2", "ids are echoed byte for byte", "rows"},
	{"2.3", "two clients may use one id at a time", "TestMCPReplicas"},
	{"2.4", "notifications get no response", "rows"},
	{"2.5", "error codes are integers, messages short", "rows"},
	{"2.6", "which error codes mean what", "rows"},
	{"2.7", "names match exactly", "rows"},
	{"2.8", "messages are UTF-8", "rows"},
	{"2.9", "params is an object; unknown members are ignored", "rows"},
	{"3.1", "the version header of legacy clients", "rows"},
	{"3.2", "without it, 2025-03-26", "rows"},
	{"3.3", "an unsupported version is 400", "rows"},
	{"3.4", "header and _meta agree", "rows"},
	{"3.5", "-32022 says what is supported", "rows"},
	{"3.6", "2024-11-05 is a version", "rows"},
	{"3.7", "a repeated header is malformed", "rows"},
	{"4.1", "Mcp-Method", "rows"},
	{"4.2", "Mcp-Name", "rows"},
	{"4.3", "base64 in headers, strictly", "rows"},
	{"4.4", "which characters headers have", "rows"},
	{"4.5", "which properties x-mcp-header can mark", "TestMCPHeaderTags"},
	{"4.6", "Mcp-Param-*", "rows"},
	{"4.7", "no secrets in headers", "not done: which values are secret only the author knows; the tag is opt-in"},
	{"4.8", "no header is demanded of notifications", "rows"},
	{"5.1", "a bad Origin is 403", "TestMCPOrigin"},
	{"5.2", "Host alone is no reason", "TestMCPOrigin"},
	{"5.3", "a default that is safe behind proxies", "TestMCPOrigin"},
	{"5.4", "null is an origin like any other", "TestMCPOrigin"},
	{"5.5", "listen on 127.0.0.1, authenticate", "not done: where to listen and whom to trust is the program's; Service.MCP says so"},
	{"6.1", "every answer can be read by an allowed page", "TestMCPCrossOrigin"},
	{"6.2", "preflight", "TestMCPPreflight"},
	{"6.3", "exposed headers", "TestMCPCrossOrigin"},
	{"6.4", "preflight comes before authentication", "TestMCPPreflight"},
	{"6.5", "no credentials", "TestMCPCrossOrigin"},
	{"7.1", "the version that initialize agrees on", "rows"},
	{"7.2", "what initialize answers", "rows"},
	{"7.3", "what initialize demands", "rows"},
	{"7.4", "no sessions", "rows"},
	{"7.5", "initialized is not demanded", "rows"},
	{"7.6", "ping", "rows"},
	{"7.7", "logging/setLevel", "rows"},
	{"7.8", "no requests to clients", "rows"},
	{"7.9", "clients of HTTP+SSE hear a polite no", "TestMCPMethods"},
	{"8.1", "what modern requests say of themselves", "rows"},
	{"8.2", "-32021 for a capability that is missing", "rows"},
	{"8.3", "resultType", "rows"},
	{"8.4", "serverInfo in _meta", "rows"},
	{"8.5", "unknown keys of _meta are ignored", "rows"},
	{"8.6", "trace context in _meta", "not done: a MAY; traceparent as a header reaches methods by Info.Request"},
	{"8.7", "log messages only for who asks", "rows"},
	{"8.8", "removed methods are 404", "rows"},
	{"9.1", "server/discover", "rows"},
	{"9.2", "what it answers", "rows"},
	{"9.3", "the capabilities are true", "rows"},
	{"9.4", "a legacy call of it tells the era", "rows"},
	{"10.1", "tools is declared, listChanged is not", "TestMCPToolList"},
	{"10.2", "the list is the same for everybody, in one order", "TestMCPToolList"},
	{"10.3", "cursors", "rows"},
	{"10.4", "ttlMs and cacheScope, only modern", "rows"},
	{"10.5", "names", "TestMCPToolList"},
	{"10.6", "there is a description", "TestMCPToolList"},
	{"10.7", "titles", "TestMCPToolList"},
	{"10.8", "all four annotations", "TestMCPToolList"},
	{"10.9", "inputSchema is an object's", "TestMCPToolList"},
	{"10.10", "outputSchema is an object's", "TestMCPToolList"},
	{"10.11", "structured content is as the schema says", "rows"},
	{"10.12", "and the same as a text", "rows"},
	{"10.13", "no structured content with isError", "rows"},
	{"10.14", "content is there, if empty", "rows"},
	{"10.15", "blocks of content, by revision", "rows"},
	{"10.16", "an unknown tool is -32602", "rows"},
	{"10.17", "wrong arguments are a result", "rows"},
	{"10.18", "errors are a result, panics -32603", "rows"},
	{"10.19", "inputs are validated; access and rates are controlled", "not done beyond validation, which rows of 10.17 show: access and rates are for middleware"},
	{"10.20", "input_required", "not done: optional, and left out of the first version"},
	{"10.21", "schemas are 2020-12 and need nothing beside them", "TestMCPToolList"},
	{"10.22", "a schema of the author's own", "TestMCPToolOptions"},
	{"11.1", "JSON until the first notification, then events", "rows"},
	{"11.2", "no event ids, no retry", "rows"},
	{"11.3", "no requests on a stream", "rows"},
	{"11.4", "progress only for who asks, rising, and not after the result", "TestMCPAfterwards"},
	{"11.5", "a disconnect cancels", "TestMCPDisconnect"},
	{"11.6", "in every era", "TestMCPDisconnect"},
	{"11.7", "subscriptions/listen", "rows"},
	{"11.8", "comments on quiet streams", "elsewhere: TestEventStreamHeartbeat"},
	{"13", "what differs between the revisions", "TestMCPRevisions"},
}

// sectionSizes says how many requirements each section has.
var sectionSizes = []int{5, 15, 9, 7, 8, 5, 5, 9, 8, 4, 22, 8}

// Verify that the table above has every requirement and that what it says of
// each is there.
func TestMCPRequirements(t *testing.T) {
	tests := testComments(t)
	byRow := make(map[string]bool)
	for _, row := range mcpRows() {
		for _, number := range strings.Fields(row.numbers) {
			byRow[number] = true
		}
	}
	known := make(map[string]bool)
	for _, r := range mcpRequirements {
		if known[r.number] {
			t.Errorf("%s is there twice", r.number)
		}
		known[r.number] = true
		name, isElsewhere := strings.CutPrefix(r.kept, "elsewhere: ")
		comment, isTest := tests[name]
		switch {
		case r.kept == "rows":
			if !byRow[r.number] {
				t.Errorf("%s (%s): no row has its number", r.number, r.text)
			}
		case strings.HasPrefix(r.kept, "not done"):
			if _, reason, _ := strings.Cut(r.kept, ": "); len(reason) < 20 {
				t.Errorf("%s (%s): there is no reason", r.number, r.text)
			}
		case !isTest:
			t.Errorf("%s (%s): there is no test %s", r.number, r.text, name)
		case !isElsewhere && !slices.Contains(strings.FieldsFunc(comment, func(r rune) bool { return strings.ContainsRune(" ,:;\n", r) }), r.number):
			t.Errorf("%s (%s): the comment of %s does not have its number", r.number, r.text, name)
		}
	}
	for section, size := range sectionSizes {
		for i := range size {
			if number := strconv.Itoa(section) + "." + strconv.Itoa(i+1); !known[number] {
				t.Errorf("%s is not in the table", number)
			}
		}
	}
	for number := range byRow {
		if !known[number] {
			t.Errorf("rows have the number %s, which is none", number)
		}
	}
}

// testComments returns the comments of the tests, by name.
func testComments(t *testing.T) map[string]string {
	names, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	inside, err := filepath.Glob(root("*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, inside...)
	comments := make(map[string]string)
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				comments[fn.Name.Name] = fn.Doc.Text()
			}
		}
	}
	return comments
}
