package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// document returns an OpenAPI document with one method whose input and output is the component A.
func document(schemas string) string {
	return `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/a":{"post":{"operationId":"make",
		"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}},
		"responses":{"200":{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}}},
		"components":{"schemas":{` + schemas + `}}}`
}

// converted returns the package of a document as one text, and its report.
func converted(t *testing.T, doc string) (source string, report string) {
	t.Helper()
	out, err := convert("t.json", []byte(doc), options{pkg: "t", svc: "example.com/svc", ids: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range out.files {
		if f.name == "REPORT.md" {
			report = string(f.data)
			continue
		}
		source += string(f.data)
	}
	return source, report
}

func TestRefusedDocuments(t *testing.T) {
	tests := []struct {
		name, document, want string
	}{
		{"empty", "", "not a JSON object"},
		{"YAML", "openapi: 3.1.0\npaths: {}\n", "convert YAML to JSON first"},
		{"a list", "[]", "not a JSON object"},
		{"cut", `{"openapi":"3.1.0","paths":{`, "not JSON"},
		{"text behind it", `{"openapi":"3.1.0"} x`, "not JSON"},
		{"Swagger", `{"swagger":"2.0","paths":{}}`, "this is Swagger 2.0"},
		{"no version", `{"paths":{}}`, `openapi is ""`},
		{"of the future", `{"openapi":"4.0.0"}`, `openapi is "4.0.0"`},
		{"3.10", `{"openapi":"3.10.0"}`, `openapi is "3.10.0"`},
		{"no paths", `{"openapi":"3.0.0"}`, "no operations in paths"},
		{"paths of another type", `{"openapi":"3.0.0","paths":[1]}`, "no operations in paths"},
		{"nothing to serve", `{"openapi":"3.0.0","paths":{"/a":{"trace":{}}}}`, "no operation that svc can serve"},
		{"deep", `{"openapi":"3.0.0","x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}", "nested more than 400 levels deep"},
		{"a long name", `{"openapi":"3.0.0","` + strings.Repeat("x", 5000) + `":1}`, "longer than 4096 bytes"},
		{"many operations", `{"openapi":"3.0.0","paths":{` + manyPaths(maxOperations+1) + `}}`, "more than 20000 operations"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := convert("t.json", []byte(test.document), options{pkg: "t"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v; want %q", err, test.want)
			}
		})
	}
}

func manyPaths(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"/p%d":{"get":{}},`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// TestSchemas has a schema and what must be in the source and in the report.
func TestSchemas(t *testing.T) {
	tests := []struct {
		name, schemas string
		source        []string
		report        string
	}{
		{"a reference to itself", `"A":{"$ref":"#/components/schemas/A"}`, []string{"Value any"}, "a schema that is defined by itself"},
		{"a struct in itself", `"A":{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/components/schemas/A"}}}`, []string{"*A `json:\"a\"`"}, ""},
		{"a list of itself", `"A":{"type":"array","items":{"$ref":"#/components/schemas/A"}}`, []string{"Body []any `json:\"body\" body:\"*\"`"}, "contains itself"},
		{"allOf of itself", `"A":{"allOf":[{"$ref":"#/components/schemas/A"},{"properties":{"x":{"type":"string"}}}]}`, []string{"X string"}, "defined by itself"},
		{"a union of itself", `"A":{"type":"object","properties":{"u":{"$ref":"#/components/schemas/U"}}},"U":{"oneOf":[{"$ref":"#/components/schemas/U"},{"type":"string"}]}`,
			[]string{"U string"}, "an alternative of itself"},
		{"both spellings of null", `"A":{"type":"object","required":["a","b"],"properties":{"a":{"type":"string","nullable":true},"b":{"type":["string","null"]}}}`,
			[]string{"A *string `json:\"a\"`", "B *string `json:\"b\"`"}, ""},
		{"both spellings of a limit", `"A":{"type":"object","properties":{"a":{"type":"integer","minimum":1,"exclusiveMinimum":true},"b":{"type":"integer","exclusiveMinimum":2}}}`,
			[]string{`exclusiveMinimum:"1"`, `exclusiveMinimum:"2"`}, ""},
		{"keywords of Go", `"A":{"type":"object","properties":{"type":{"$ref":"#/components/schemas/func"},"range":{"type":"string"}}},"func":{"type":"object","properties":{"x":{"type":"string"}}}`,
			[]string{"Type ", "Range string", "type Func struct"}, ""},
		{"names that differ by case", `"A":{"type":"object","properties":{"id":{"type":"string"},"ID":{"type":"string"}}}`, []string{"ID string `json:\"id,omitempty\"`"}, `the name "ID" differs`},
		{"a pattern that looks ahead", `"A":{"type":"object","properties":{"a":{"type":"string","pattern":"^(?=x)"}}}`, []string{"A string `json:\"a,omitempty\"`"}, "looks around"},
		{"a map", `"A":{"type":"object","properties":{"m":{"type":"object","maxProperties":3,"additionalProperties":{"type":"string","maxLength":5}}}}`,
			[]string{"map[string]string", `maxProperties:"3"`}, "rules of values"},
		{"discriminators that are numbers", `"A":{"type":"object","properties":{"u":{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":1}}},{"type":"object","required":["k"],"properties":{"k":{"const":2}}}]}}}`,
			[]string{"K int"}, "discriminators that are numbers"},
		{"a reference to nothing", `"A":{"type":"object","properties":{"x":{"$ref":"other.json#/X"}}}`, []string{"X any"}, "the reference other.json#/X"},
		{"unions in unions", unionTower(60), []string{"X60 string"}, ""},
		{"long chains", chain(3000), []string{"Value any"}, "a chain of references"},
		{"members of members", ladder(3000), []string{"type A500 struct"}, "members of members"},
		{"many values", `"A":{"type":"object","properties":{"e":{"type":"string","enum":["` + strings.Repeat(`,`, 3) + `","b"]}}}`, []string{"AEB "}, ""},
		{"parts that grow", growingParts(60), []string{"type A struct"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source, report := converted(t, document(test.schemas))
			for _, want := range test.source {
				if !strings.Contains(spaces(source), spaces(want)) {
					t.Errorf("no %q in\n%.3000s", want, source)
				}
			}
			if !strings.Contains(report, test.report) {
				t.Errorf("no %q in the report\n%s", test.report, report)
			}
		})
	}
}

func spaces(s string) string { return strings.Join(strings.Fields(s), " ") }

// unionTower is a union of unions, each of which names the next one many times.
func unionTower(n int) string {
	var b strings.Builder
	for i := range n {
		name := fmt.Sprintf("A%d", i)
		if i == 0 {
			name = "A"
		}
		ref := fmt.Sprintf(`{"$ref":"#/components/schemas/A%d"}`, i+1)
		fmt.Fprintf(&b, `"%s":{"oneOf":[%s%s]},`, name, ref, strings.Repeat(","+ref, 30))
	}
	fmt.Fprintf(&b, `"A%d":{"type":"object","properties":{"x%d":{"type":"string"}}}`, n, n)
	return b.String()
}

func chain(n int) string {
	var b strings.Builder
	b.WriteString(`"A":{"$ref":"#/components/schemas/A0"}`)
	for i := range n {
		fmt.Fprintf(&b, `,"A%d":{"$ref":"#/components/schemas/A%d"}`, i, i+1)
	}
	return b.String()
}

func ladder(n int) string {
	var b strings.Builder
	b.WriteString(`"A":{"type":"object","properties":{"x":{"$ref":"#/components/schemas/A0"}}}`)
	for i := range n {
		fmt.Fprintf(&b, `,"A%d":{"type":"object","properties":{"x":{"$ref":"#/components/schemas/A%d"}}}`, i, i+1)
	}
	return b.String()
}

// growingParts are allOf whose members are allOf of each other.
func growingParts(n int) string {
	ref := func(i int) string {
		if i %= n; i == 0 {
			return `{"$ref":"#/components/schemas/A"}`
		}
		return fmt.Sprintf(`{"$ref":"#/components/schemas/A%d"}`, i)
	}
	var parts []string
	for i := range n {
		name := "A"
		if i > 0 {
			name = fmt.Sprintf("A%d", i)
		}
		parts = append(parts, fmt.Sprintf(`"%s":{"allOf":[%s,{"properties":{"x":%s,"y":{"allOf":[%s,%s]}}}]}`, name, ref(i+1), ref(i*7+3), ref(i*3+1), ref(i*5+2)))
	}
	return strings.Join(parts, ",")
}

// TestSameEachTime converts a document several times, since a map in an unlucky place would write
// another order.
func TestSameEachTime(t *testing.T) {
	data, err := os.ReadFile("testdata/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	var first *output
	for range 5 {
		out, err := convert("shop.json", data, options{pkg: "shop", svc: "example.com/svc"})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out
		}
		if !slices.EqualFunc(first.files, out.files, func(a, b outFile) bool { return a.name == b.name && bytes.Equal(a.data, b.data) }) {
			t.Fatal("the files differ from one run to the next")
		}
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "func")
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(taken, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(taken, "service.go"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"no arguments", nil, 2, "", "usage: transcribe"},
		{"an unknown flag", []string{"-x"}, 2, "", "not defined"},
		{"an unknown group", []string{"-group", "x", "a", "b"}, 2, "", "usage"},
		{"no document", []string{"testdata/none.json", folder}, 1, "", "no such file"},
		{"main", []string{"-package", "main", "testdata/shop.json", folder}, 1, "", "cannot be the name of a package"},
		{"a folder with a keyword as its name", []string{"testdata/notes.json", folder}, 0, "6 of 6 operations", ""},
		{"again", []string{"testdata/notes.json", folder}, 1, "", "notes.go exists: choose a new folder"},
		{"a file is there", []string{"testdata/notes.json", taken}, 1, "", "service.go exists"},
		{"numbers", []string{"-json", "-rest", "-ids=false", "testdata/shop.json", filepath.Join(dir, "shop")}, 0, `"operations": 12`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(test.args, &stdout, &stderr)
			if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("%d\n%s\n%s", code, &stdout, &stderr)
			}
		})
	}
	if entries, _ := os.ReadDir(taken); len(entries) != 1 {
		t.Errorf("files were written beside the one that was there: %v", entries)
	}
	if data, err := os.ReadFile(filepath.Join(folder, "notes.go")); err != nil || !bytes.Contains(data, []byte("package apifunc\n")) {
		t.Errorf("the package: %v", err)
	}
}

func TestPackageName(t *testing.T) {
	for folder, want := range map[string]string{"shop": "shop", "My-Shop": "myshop", "type": "apitype", "main": "apimain", "3d": "api3d", "日本": "api", ".": "api"} {
		t.Run(folder, func(t *testing.T) {
			if got := packageName(folder); got != want {
				t.Errorf("%q; want %q", got, want)
			}
		})
	}
}

// FuzzConvert converts any text: without a panic, and what is written is Go.
func FuzzConvert(f *testing.F) {
	for _, g := range goldens {
		data, err := os.ReadFile(filepath.Join("testdata", g.name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		var small bytes.Buffer
		if err := json.Compact(&small, data); err != nil {
			f.Fatal(err)
		}
		f.Add(small.Bytes())
	}
	f.Add([]byte(document(unionTower(5))))
	f.Add([]byte(document(chain(5))))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := convert("t.json", data, options{pkg: "t", svc: "example.com/svc", ids: true})
		if err != nil {
			if strings.Contains(err.Error(), ".go:") { // of go/format
				t.Fatalf("what is written is not Go: %v", err)
			}
			return
		}
		for _, file := range out.files {
			if !strings.HasSuffix(file.name, ".go") {
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), file.name, file.data, parser.ParseComments); err != nil {
				t.Fatal(err)
			}
		}
	})
}
