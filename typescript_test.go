package svc

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLowerFirst(t *testing.T) {
	for _, test := range []struct{ goName, want string }{
		{"Create", "create"}, {"IfMatch", "ifMatch"}, {"ETag", "eTag"}, {"URL", "url"}, {"GetURL", "getURL"}, {"HTTPServer", "httpServer"},
		{"ListV2All", "listV2All"}, {"V2", "v2"}, {"Größe", "größe"}, {"ÄnderungAm", "änderungAm"}, {"A_B", "a_B"},
	} {
		t.Run(test.goName, func(t *testing.T) {
			if got := lowerFirst(test.goName); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPlainModule(t *testing.T) {
	for _, test := range []struct{ name, module, plain, typed string }{
		{"no mark", "let a;\n", "let a;\n", "let a;\n"},
		{"inside a line", "f(a‹: number›)‹: void› {}\n", "f(a) {}\n", "f(a: number): void {}\n"},
		{"whole lines", "a;\n\n‹type T = 1;›\n\nb;\n", "a;\n\nb;\n", "a;\n\ntype T = 1;\n\nb;\n"},
		{"lines without an empty one behind", "a;\n‹type T = 1;\ntype U = 2;›\nb;\n", "a;\nb;\n", "a;\ntype T = 1;\ntype U = 2;\nb;\n"},
		{"up to the next line", "‹type T = 1;\n›a;\n", "a;\n", "type T = 1;\na;\n"},
		{"the beginning of a line", "‹readonly ›a;\n", "a;\n", "readonly a;\n"},
		{"the end of a line", "a‹ as T›\n", "a\n", "a as T\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(plainModule(nil, []byte(test.module))); got != test.plain {
				t.Errorf("without types: %q, want %q", got, test.plain)
			}
			if got := string(typedModule(nil, []byte(test.module))); got != test.typed {
				t.Errorf("with types: %q, want %q", got, test.typed)
			}
		})
	}
}

// The marks of the runtime are in pairs, and nothing of TypeScript is outside of them, as far as a
// test without a compiler can see.
func TestRuntimeMarks(t *testing.T) {
	runtime := clientRuntime()
	if strings.Contains(runtime, "\r") {
		t.Error("the runtime has a carriage return")
	}
	open := false
	for i, r := range runtime {
		if string(r) == beginTypes && open || string(r) == endTypes && !open {
			t.Fatalf("a mark at %q has no other", runtime[i:min(len(runtime), i+60)])
		}
		open = open && string(r) != endTypes || string(r) == beginTypes
	}
	if open {
		t.Error("the last mark is not closed")
	}
	plain := string(plainModule(nil, []byte(runtime)))
	for _, word := range []string{"interface ", "readonly ", " satisfies ", " as ", ": string", ": unknown"} {
		for line := range strings.Lines(plain) {
			code, _, _ := strings.Cut(line, "//")
			if strings.Contains(code, word) && !strings.HasPrefix(strings.TrimLeft(code, " /"), "*") && !strings.ContainsAny(code, "\"`'") {
				t.Errorf("%q is in the module without types: %s", word, line)
			}
		}
	}
}

// What the runtime declares is exported and in the list of such types, or begins with $: a type of a
// service keeps its name, whatever is internal here.
func TestRuntimeNames(t *testing.T) {
	runtime := strings.NewReplacer(beginTypes, "", endTypes, "").Replace(clientRuntime())
	exported := strings.Fields(exportedTypes)
	found := []string{"Api", "Form"} // which are written for each service
	for _, declaration := range regexp.MustCompile(`(?m)^(export )?(?:async )?(?:interface|type|class|function\*?|const|let) ([\w$]+)`).FindAllStringSubmatch(runtime, -1) {
		switch name := declaration[2]; {
		case declaration[1] != "":
			found = append(found, name)
		case !strings.HasPrefix(name, "$"):
			t.Errorf("%s is internal, and does not begin with $", name)
		}
	}
	slices.Sort(found)
	slices.Sort(exported)
	if !slices.Equal(found, exported) {
		t.Errorf("exportedTypes has %q, the runtime %q", exported, found)
	}
}

// A type of a service could take the place of a global type. So those that the runtime uses by name
// are names that no type of a service gets. Names of values are not in the way of types.
func TestRuntimeGlobals(t *testing.T) {
	var types strings.Builder
	for _, marked := range regexp.MustCompile(`‹([^›]*)›`).FindAllStringSubmatch(clientRuntime(), -1) {
		types.WriteString(marked[1] + "\n")
	}
	code := regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"[^"\n]*"`).ReplaceAllString(types.String(), "")
	known := strings.Fields(globalTypes + " " + exportedTypes + " In Out Reason Options Page Item Value XMLHttpRequest") // of type parameters, and of a member
	for _, name := range regexp.MustCompile(`(?:^|[^.$\w])([A-Z]\w*[a-z]\w*)\b`).FindAllStringSubmatch(code, -1) {
		if !slices.Contains(known, name[1]) {
			t.Errorf("the runtime uses %s; write globalThis.%[1]s", name[1])
		}
	}
}

func TestSchemaTypes(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{}`, `unknown`},
		{`{"type":"string"}`, `string`},
		{`{"type":"integer","minimum":0}`, `number`},
		{`{"type":["string","null"]}`, `string | null`},
		{`{"type":"array","items":{"type":"number"}}`, `Array<number>`},
		{`{"type":"array"}`, `Array<unknown>`},
		{`{"type":"object","additionalProperties":{"type":"boolean"}}`, `Record<string, boolean>`},
		{`{"type":"object"}`, `Record<string, unknown>`},
		{`{"type":"object","properties":{"b-c":{"type":"string"},"a":{"type":"number"}},"required":["a"]}`, `{ a: number; "b-c"?: string }`},
		{`{"enum":["a","\"b\"",1,null,true]}`, `"a" | "\"b\"" | 1 | null | true`},
		{`{"enum":[{"a":1}]}`, `unknown`},
		{`{"const":5}`, `5`},
		{`{"anyOf":[{"type":"string"},{"type":"number"}]}`, `string | number`},
		{`{"oneOf":[{"const":"a"},{}]}`, `"a" | unknown`},
		{`{"not":{"type":"string"}}`, `unknown`},
	} {
		t.Run(test.schema, func(t *testing.T) {
			var schema map[string]any
			if err := json.Unmarshal([]byte(test.schema), &schema); err != nil {
				t.Fatal(err)
			}
			if got := string(appendSchemaType(nil, schema)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// htmlPatterns are patterns, and what they are in HTML.
var htmlPatterns = []struct{ pattern, want string }{
	{`^[a-z]+$`, `^[a-z]+$`},
	{`^a`, `^a[^]*`},
	{`a$`, `[^]*a$`},
	{`a`, `[^]*a[^]*`},
	{``, `[^]*[^]*`},
	{`^a|b$`, `[^]*(?:^a|b$)[^]*`},
	{`^(a|b)$`, `^(a|b)$`},
	{`^a\$`, `^a\$[^]*`},
	{`^[a-z0-9-]+$`, `^[a-z0-9\-]+$`},
	{`^[-a]$`, `^[\-a]$`},
	{`^[^-a]$`, `^[^\-a]$`},
	{`^[\d_-]$`, `^[\d_\-]$`},
	{`^[(){}/|]$`, `^[\(\)\{\}\/\|]$`},
	{`^[&&!!]$`, `^[\&&\!!]$`},
	{`^[&!]$`, `^[&!]$`},
	{`^[^a^]$`, `^[^a^]$`},
	{`^[a^^]$`, `^[a\^^]$`},
	{`^[\]]$`, `^[\]]$`},
	{`^[ -~]*$`, `^[ -~]*$`},
	{`^\|$`, `^\|$`},
	{`^[|]$`, `^[\|]$`},
	{`^(?:a|b)+$`, `^(?:a|b)+$`},
}

func TestHTMLPattern(t *testing.T) {
	for _, test := range htmlPatterns {
		t.Run("/"+test.pattern+"/", func(t *testing.T) {
			if _, err := compilePattern(test.pattern); err != nil {
				t.Fatal(err)
			}
			r, _ := parseRegexp(nil, test.pattern)
			if got := textOf([]byte(htmlPattern(nil, &r))); string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// FuzzHTMLPattern compares a pattern, of which a text has a match somewhere, with that of HTML,
// which has to match the whole text.
func FuzzHTMLPattern(f *testing.F) {
	for _, test := range htmlPatterns {
		for _, text := range []string{"", "a", "b", "ab", "ba", "a$", "-", "A-1", "&", "^", "a\nb", "|", "(", "/"} {
			f.Add(test.pattern, text)
		}
	}
	escape := regexp.MustCompile(`\\([&!#%,:;<=>@` + "`" + `~])`) // of the flag v alone
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 100 || !utf8.ValidString(pattern) || !utf8.ValidString(text) {
			return
		}
		re, err := compilePattern(pattern)
		if err != nil {
			return
		}
		r, _ := parseRegexp(nil, pattern)
		html := string(textOf([]byte(htmlPattern(nil, &r))))
		whole, err := regexp.Compile(`^(?:` + escape.ReplaceAllString(strings.ReplaceAll(html, "[^]*", `[\d\D]*`), "$1") + `)$`)
		if err != nil {
			t.Fatalf("%s is %s: %v", pattern, html, err)
		}
		if got, want := whole.MatchString(text), re.MatchString(text); got != want {
			t.Errorf("%s matches %q: %v; %s: %v", pattern, text, want, html, got)
		}
	})
}

// hostileTexts try to end a comment, a string or a script, to begin a tag, or to be taken for a mark.
var hostileTexts = []string{
	"", "plain", "*/ pwned() /*", "* /", "**/", "/**/", "`${pwned}`", `"); pwned(("`, `\"; pwned()`, `'`, "</script><script>pwned()</script>", "</SCRIPT >", "<!-- <script>",
	"@ts-ignore", " @ts-nocheck", "*@ts-expect-error", "a\n@deprecated no\n * @ts-ignore", "a\r\nb\rc", "a\u2028pwned()\u2029b", "\x00\x01\x7f", "\u202epwned", "‹pwned›", "\xff\xfe",
	"__proto__", strings.Repeat("long words ", 30), strings.Repeat("x", 300), "    code */ pwned", "\\", "\\*/", "*\\/", "Deprecated: */ pwned", "\n\nDeprecated: @ts-ignore",
}

// FuzzScriptText checks that no text becomes code: it is one string, one comment, or one name.
func FuzzScriptText(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, deprecated bool) {
		quoted := string(appendScriptText(nil, text))
		var back string
		if err := json.Unmarshal([]byte(quoted), &back); err != nil || back != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
			t.Errorf("%q is the string %s, which is %q: %v", text, quoted, back, err)
		}
		if strings.ContainsAny(quoted, "<‹›\u2028\u2029\n\r\u202e") {
			t.Errorf("the string %s has characters that mean something elsewhere", quoted)
		}
		if name := string(appendKey(nil, text)); name == "__proto__" || name == `"__proto__"` || !isIdentifier(name) && name[0] != '"' &&
			name[0] != '[' {
			t.Errorf("the name of a member is %s", name)
		}
		comment := string(appendComment(nil, "  ", describedLines(text, deprecated)))
		if comment == "" {
			return
		}
		inner, ok := strings.CutPrefix(comment, "  /**")
		inner, ok2 := strings.CutSuffix(inner, "*/\n")
		if !ok || !ok2 || strings.Contains(inner, "*/") {
			t.Fatalf("%q is not one comment: %s", text, comment)
		}
		if lower := strings.ToLower(comment); strings.Contains(lower, "</script") || strings.Contains(lower, "<!--") ||
			strings.ContainsAny(comment, "‹›\u2028\u2029\r\u202e") {
			t.Errorf("the comment has what means something elsewhere: %q", comment)
		}
		for line := range strings.Lines(inner) {
			if tag := strings.TrimLeft(line, " *"); strings.HasPrefix(tag, "@") && !strings.HasPrefix(tag, "@deprecated") {
				t.Errorf("a text begins the tag %q", tag)
			}
		}
	})
}
