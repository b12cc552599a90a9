package svc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"example.com/svc/testdata/jsonschema"
)

// What the published schema accepts, the server accepts, and what it rejects,
// the server rejects. This file reads schemas as JSON Schema 2020-12 says, by the
// validator of testdata/jsonschema, and compares it with the decoder.

// agreeTypes are types with constraints; the types of the oracle come after.
func agreeTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[sConstraints](), reflect.TypeFor[sScalars](), reflect.TypeFor[sPointers](), reflect.TypeFor[sLists](),
		reflect.TypeFor[sQuoted](),
		reflect.TypeFor[sTree](), reflect.TypeFor[sPage[sTree]](), reflect.TypeFor[sEmbedding](), reflect.TypeFor[sBounds](),
		reflect.TypeFor[sEnums](), reflect.TypeFor[sItems](),
	}
}

type sBounds struct {
	A int8     `json:"a" minimum:"-5" exclusiveMaximum:"5"`
	B uint16   `json:"b,omitempty" multipleOf:"3" maximum:"1000"`
	C float64  `json:"c" enum:"0.5,1,1e2"`
	D string   `json:"d" minLength:"1" maxLength:"3" pattern:"^[^ \\t\\n]*$"`
	E []int8   `json:"e" minItems:"1" maxItems:"3" uniqueItems:"true"`
	F *float32 `json:"f" exclusiveMinimum:"-1"`
	G [2]bool  `json:"g" uniqueItems:"true"`
	H *string  `json:"h,omitempty" enum:"a,b,"`
	I float64  `json:"i,omitempty" multipleOf:"0.25" minimum:"-1e3"`

	J map[string]bool `json:"j" minProperties:"1" maxProperties:"2"`
}

func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	for i, c := range agreeCodecs(t) {
		w := texter{Rand: rand.New(rand.NewPCG(uint64(i), 20)), takes: takesMember(t)}
		var accepted, total int
		for range rounds(20, 80) {
			text := w.text(c.typ)
			for range 4 {
				total++
				if c.agree(t, text) {
					accepted++
				}
				text = w.damage(text)
			}
		}
		if accepted < total/40 {
			t.Errorf("%s: only %d of %d texts were accepted", c.name, accepted, total)
		}
	}
}

// takesMember returns a function that reports whether the decoder accepts an object with one
// member, which is for the field f.
func takesMember(t testing.TB) func(f reflect.StructField, text []byte) bool {
	codecs := make(map[string]*codec) // by the tag and the type
	return func(f reflect.StructField, text []byte) bool {
		key := fmt.Sprint(f.Name, f.Tag, f.Type)
		if codecs[key] == nil {
			f.Anonymous = false
			codecs[key] = compileType(t, f.Name, reflect.StructOf([]reflect.StructField{f}), false)
		}
		_, err := codecs[key].unmarshal(text)
		return err == nil
	}
}

func FuzzSchema(f *testing.F) {
	codecs := agreeCodecs(f)
	for i, c := range codecs {
		w := texter{Rand: rand.New(rand.NewPCG(uint64(i), 21))}
		f.Add(uint(i), w.text(c.typ))
		f.Add(uint(i), w.damage(w.text(c.typ)))
	}
	f.Fuzz(func(t *testing.T, i uint, text []byte) { codecs[i%uint(len(codecs))].agree(t, text) })
}

// A schemaCodec is a codec with the schema that is published for it.
type schemaCodec struct {
	*codec
	schema map[string]any
}

func agreeCodecs(t testing.TB) []schemaCodec {
	var all []schemaCodec
	for i, typ := range append(agreeTypes(), oracleTypes()...) {
		c := newShapes(new(mistakes))
		s, strict := c.shapeFor(typ, "T"), i%2 == 1
		if strict {
			s.closeObjects(make(map[*shape]bool))
		}
		c.finishShapes()
		all = append(all, schemaCodec{compileType(t, typ.String(), typ, strict), readSchema(appendBundle(nil, s, schemaWriter{}))})
	}
	return all
}

// agree compares decoder and schema. It reports whether both accept the text.
func (c schemaCodec) agree(t *testing.T, text []byte) bool {
	t.Helper()
	if checkText(text) != nil {
		return false // no schema speaks of it
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		t.Fatal(err)
	}
	_, err := c.unmarshal(text)
	v := jsonschema.Validator{Root: c.schema, Match: matchECMA}
	invalid := v.Validate(c.schema, value)
	switch {
	case err == nil && len(invalid) > 0:
		t.Errorf("%s: %q is accepted; its schema says: %v", c.name, text, invalid[0].Error())
	case err != nil && len(invalid) == 0:
		for _, violation := range listOf(err) {
			if !finer(violation) {
				t.Errorf("%s: %q: %+v; its schema accepts it", c.name, text, violation)
			}
		}
	}
	return err == nil && len(invalid) == 0
}

// finer reports whether a violation is of what a schema leaves to a format, or
// cannot say: ranges of numbers, the texts of types with methods, and two names
// for one key.
func finer(v Violation) bool {
	texts := []*complaint{errNotTime, errNotDuration, errNotBase64, errWrongForm}
	for _, t := range []reflect.Type{reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.Prefix]()} {
		texts = append(texts, (&shape{typ: t}).textComplaint())
	}
	message := strings.TrimPrefix(v.Message, "has a name that ")
	return v.Rule == "format" || v.Rule == ruleRange || v.Rule == ruleDuplicate || slices.ContainsFunc(texts, func(m *complaint) bool { return m.message == message })
}

// matchECMA reports whether a text has a match of a pattern, as ECMA-262 says. One that takes
// too long to tell counts as a match.
func matchECMA(pattern, text string) (bool, error) {
	match, err := parseECMA(pattern)
	if err != nil {
		return false, err
	}
	found, sure := match.search(text)
	return found || !sure, nil
}

// A pattern is published for readers that follow ECMAScript and enforced by Go.
// This file has a small matcher by the words of ECMA-262 (22.2, with the flag u)
// to hold compilePattern against: what it accepts must be right there, and must
// match the same.

// Verify that 3.0.3 keeps each keyword of a rule that it has, also in a schema of the user.
func TestRuleRowsIn30(t *testing.T) {
	for _, row := range ruleRows {
		exact := true
		schema30(map[string]any{row.keyword: json.Number("1")}, &exact)
		if want := row.in30 == ""; exact != want {
			t.Errorf("schema30 says %t of %s: if 3.0.3 has the keyword, write it into keywords30, else into in30 how it is spelt there", exact, row.keyword)
		}
	}
}

// Verify what 3.0.3 makes of the types of a schema by the user.
func TestTypesIn30(t *testing.T) {
	for _, test := range []struct {
		name, schema, want string
		exact              bool
	}{
		{"one type", `{"type":"string"}`, `{"type":"string"}`, true},
		{"a type or null", `{"type":["string","null"],"maxLength":5}`, `{"maxLength":5,"nullable":true,"type":"string"}`, true},
		{"null or a type", `{"type":["null","integer"]}`, `{"nullable":true,"type":"integer"}`, true},
		{"in an item", `{"type":"array","items":{"type":["null","integer"]}}`,
			`{"items":{"nullable":true,"type":"integer"},"type":"array"}`, true},
		{"a list or null, with any items", `{"type":["array","null"]}`, `{"nullable":true,"type":"array"}`, false},
		{"two types", `{"type":["string","integer"]}`, `{"type":["string","integer"]}`, false},
		{"two types or null", `{"type":["string","integer","null"]}`, `{"type":["string","integer","null"]}`, false},
		{"null twice", `{"type":["null","null"]}`, `{"nullable":true,"type":"null"}`, false},
		{"null alone", `{"type":"null"}`, `{"type":"null"}`, false},
	} {
		t.Run(rowName(test.name), func(t *testing.T) {
			exact := true
			got := string(encodeDocument(schema30(readSchema([]byte(test.schema)), &exact)))
			if got != test.want || exact != test.exact {
				t.Errorf("got %s, exact: %t; want %s, %t", got, exact, test.want, test.exact)
			}
		})
	}
}

func TestPatternRefused(t *testing.T) {
	const (
		escapes    = `for \ write the character itself; of the escapes, both have \d`
		categories = `write a general category`
		regexp     = "package regexp does not take it"
	)
	for _, test := range []struct{ pattern, want string }{
		{`a.c`, `for . write [^\n], or [\d\D] for any character`},
		{`^\s$`, `for \s write the characters, such as [ \t\n]`},
		{`\S+`, `for \S write the characters, such as [^ \t\n]`},
		{`[\s]`, `for \s write the characters`},
		{`[a\S]`, `for \S write the characters`},
		{`[\x00-\s]`, `\-, unless it is the first or the last in [ ]`},
		{`[\s-a]`, `for \s write the characters`},
		{`(?i)a`, "for (? write ( or (?:, and [aA] for a letter in either case"},
		{`a(?P<n>a)`, "for (? write ("},
		{`(?<n>a)`, "for (? write ("},
		{`((?=a))`, "for (? write ("},
		{`(?!a)`, "for (? write ("},
		{`(?s:a)`, "for (? write ("},
		{`\Aa`, `for \A write ^`},
		{`a\z`, `for \z write $`},
		{`a\Z`, `for \Z write $`},
		{`\Qa\E`, escapes},
		{`\1`, escapes},
		{`(a)\1`, escapes},
		{`\0`, escapes},
		{`\cA`, escapes},
		{`\a`, escapes},
		{`\-`, escapes},
		{`\_`, escapes},
		{`\é`, escapes},
		{`a\`, escapes},
		{`[\b]`, escapes},
		{`\u0041`, `for \u write the character itself`},
		{`\x{41}`, `for \x write the character itself, or \x41 with two digits`},
		{`\x4`, `for \x write the character itself`},
		{`\pL`, categories},
		{`\p{Greek}`, categories},
		{`\p{Yi}`, categories},
		{`\P{^L}`, categories},
		{`[\p{LC}]`, categories},
		{`\p{C}`, categories},
		{`\p{Cn}`, categories},
		{`\p{}`, categories},
		{`\p`, categories},
		{`\p{L`, categories},
		{`[[:alpha:]]`, `for [: write the characters, such as A-Za-z`},
		{`[a[:alpha:]]`, `for [: write the characters, such as A-Za-z`},
		{`[]`, `for ] write \]`},
		{`[^]`, `for ] write \]`},
		{`[]a]`, `for ] write \]`},
		{`[^][a]`, `for ] write \]`},
		{`[^^]`, `for ^ write \^ at the start of [ ]`},
		{`[`, "a [ is not closed"},
		{`[^`, "a [ is not closed"},
		{`[a`, "a [ is not closed"},
		{`[a-`, "a [ is not closed"},
		{`[\d`, "a [ is not closed"},
		{`a]`, `for ] write \]`},
		{`a}`, `for } write \}`},
		{`{`, `for { write \{`},
		{`a{`, `for { write \{`},
		{`a{x}`, `for { write \{`},
		{`a{,3}`, `for { write \{`},
		{`a{1,2,3}`, `for { write \{`},
		{`a{1,,}`, `for { write \{`},
		{`a{01}`, "or a repetition such as {2}, {2,} or {2,3}"},
		{`a{-1}`, `for { write \{`},
		{`a{ 1}`, `for { write \{`},
		{`a\B{2}`, `for { write \{`},
		{`a{3,2}`, regexp},
		{`a{1001}`, regexp},
		{`a**`, `for * write \*: there is nothing to repeat`},
		{`*a`, `for * write \*: there is nothing to repeat`},
		{`a|*`, `for * write \*: there is nothing to repeat`},
		{`^*`, `for * write \*: there is nothing to repeat`},
		{`$+`, `for + write \+: there is nothing to repeat`},
		{`\b?`, `for ? write \?: there is nothing to repeat`},
		{`(a`, regexp},
		{`a)`, regexp},
		{`[z-a]`, regexp},
		{`[\d-z]`, `for - write \-, unless it is the first or the last in [ ]`},
		{`[a-\d]`, `for - write \-`},
		{`[\p{L}-z]`, `for - write \-`},
		{`[\w--]`, `for - write \-`},
		{`[a-c-e]`, `for - write \-`},
		{"a\xff", regexp},
	} {
		t.Run(test.pattern, func(t *testing.T) {
			if _, err := compilePattern(test.pattern); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("compilePattern(%q): %v, want %q", test.pattern, err, test.want)
			}
		})
	}
}

// patternMatches has patterns that both know, with a text that matches and one
// that does not.
var patternMatches = []struct{ pattern, yes, no string }{
	{`^\d$`, "7", "\u0667"}, // no digit of another script
	{`^\D$`, "\u0667", "7"},
	{`^\w+$`, "aZ_9", "é"},
	{`^\W$`, "é", "_"},
	{`\bé`, "aé", "éa"},
	{`a\b`, "a é", "ab"},
	{`a\Bb`, "ab", "a b"},
	{`^a$`, "a", "a\n"},
	{`^(a|b)*?c{2,3}$`, "abbccc", "abcccc"},
	{`^(?:ab)+$`, "abab", "aba"},
	{`^[a-z\-]+$`, "a-z", "A"},
	{`^[-\w]+$`, "a-b", "a b"},
	{`^[\w-]+$`, "a-b", "a b"},
	{`^[^-a]$`, "b", "-"},
	{`^[a-c\-e]+$`, "b-e", "d"},
	{`^[^\n]$`, "\u2028", "\n"},
	{`^[\d\D]$`, "\n", ""},
	{`^[.$^*(){}|/]+$`, "(.)|{$}/^*", "a"},
	{`^[\]\\\[^]$`, "]", "a"},
	{`^\x41\x7a$`, "Az", "AZ"},
	{`^\/\.\*\+\?\(\)\[\]\{\}\|\^\$\\$`, `/.*+?()[]{}|^$\`, ""},
	{`^\t\n\r\f\v$`, "\t\n\r\f\v", "tnrfv"},
	{`^\p{Lu}\p{L}+$`, "Émile", "émile"},
	{`^\P{N}$`, "a", "1"},
	{`^[\p{L}\d]+$`, "é1", "-"},
	{`^[^\p{L}]$`, "1", "é"},
	{`^$`, "", "a"},
	{``, "anything", "-"},
	{`()`, "", "-"},
	{`a|`, "b", "-"},
	{`^(a{0,2}b?){3}$`, "aabaa", "aaaaaaaaaa"},
	{`^é+$`, "éé", "e"},
	{`^[é-ü]$`, "ö", "e"},
	{`^[\x00-\x1f]$`, "\x01", " "},
	{"^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z]+)*?@$", "a^b.c@", "a,b@"},
}

func TestPatternMatches(t *testing.T) {
	for _, test := range patternMatches {
		t.Run(rowName(test.pattern), func(t *testing.T) {
			re, err := compilePattern(test.pattern)
			if err != nil {
				t.Fatalf("compilePattern(%q): %v", test.pattern, err)
			}
			if !re.MatchString(test.yes) {
				t.Errorf("%q does not match %q", test.pattern, test.yes)
			}
			if test.no != "-" && re.MatchString(test.no) {
				t.Errorf("%q matches %q", test.pattern, test.no)
			}
			checkPattern(t, test.pattern, test.yes, test.no)
		})
	}
}

// Verify every pattern of up to four pieces: what compilePattern accepts is
// right in ECMAScript, and means the same.
func TestPatternSmallWorld(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", "^", "$", ".", `\b`, `\s`, `\d`, `\p{L}`, "(", ")", "(?:", "|", "]", "*", "?", "{2}", "{0,1}", "[", "[^", "-", `\-`, `\x41`}
	texts := []string{"", "a", "aa", "b-", "\u00a0", "A1", "\n", "\u2028-a"}
	var generate func(pattern string, left int)
	longest, every := 0, rounds(5, 1) // of the longest, which are nearly all
	generate = func(pattern string, left int) {
		if left == 0 {
			longest++
		}
		if left > 0 || longest%every == 0 {
			checkPattern(t, pattern, texts...)
		}
		if left == 0 {
			return
		}
		for _, p := range pieces {
			generate(pattern+p, left-1)
		}
	}
	generate("", 3)
	for _, inside := range []string{`[a\d`, `[-`, `[\s`, `(a|`, `^(`} {
		generate(inside, 2)
	}
}

func FuzzPattern(f *testing.F) {
	for _, test := range patternMatches {
		f.Add(test.pattern, test.yes)
		f.Add(test.pattern, test.no)
	}
	f.Fuzz(func(t *testing.T, pattern, text string) { checkPattern(t, pattern, text) })
}

// checkPattern compares compilePattern with the matcher below.
func checkPattern(t *testing.T, pattern string, texts ...string) {
	t.Helper()
	re, err := compilePattern(pattern)
	if err != nil {
		return
	}
	match, err := parseECMA(pattern)
	if err != nil {
		t.Errorf("compilePattern(%q) takes what ECMAScript refuses: %v", pattern, err)
		return
	}
	if re.String() != pattern {
		t.Errorf("%q is compiled as %q", pattern, re)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) { // decoded strings are valid
			continue
		}
		want, ok := match.search(text)
		if got := re.MatchString(text); ok && got != want {
			t.Errorf("%q matches %q: %t, in ECMAScript %t", pattern, text, got, want)
		}
	}
}

// An ecmaNode matches text from position i on and calls next with the position
// after it, for each way there is, until one answers true.
type ecmaNode func(m *ecmaMatcher, i int, next func(int) bool) bool

type ecmaMatcher struct {
	text  []rune
	steps int
}

// search reports whether the pattern is somewhere in text; ok is false if that
// takes too long to tell.
func (n ecmaNode) search(text string) (found, ok bool) {
	m := &ecmaMatcher{text: []rune(text)}
	for i := range len(m.text) + 1 {
		if n(m, i, func(int) bool { return true }) {
			return true, true
		}
	}
	return false, m.steps < maxECMASteps
}

const maxECMASteps = 20000

// tired counts a step.
func (m *ecmaMatcher) tired() bool {
	m.steps++
	return m.steps >= maxECMASteps
}

// An ecmaParser reads patterns by the grammar of ECMA-262, 22.2.1, with u.
// What that has and Go has not, it refuses too.
type ecmaParser struct{ rest []rune }

func parseECMA(pattern string) (ecmaNode, error) {
	p := &ecmaParser{rest: []rune(pattern)}
	n, err := p.disjunction()
	if err == nil && len(p.rest) > 0 {
		err = errors.New("unbalanced )")
	}
	return n, err
}

func (p *ecmaParser) has(prefix string) bool {
	if !strings.HasPrefix(string(p.rest), prefix) {
		return false
	}
	p.rest = p.rest[utf8.RuneCountInString(prefix):]
	return true
}

func (p *ecmaParser) disjunction() (ecmaNode, error) {
	left, err := p.alternative()
	if err != nil || !p.has("|") {
		return left, err
	}
	right, err := p.disjunction()
	return func(m *ecmaMatcher, i int, next func(int) bool) bool {
		return left(m, i, next) || right(m, i, next)
	}, err
}

func (p *ecmaParser) alternative() (ecmaNode, error) {
	all := ecmaNode(func(m *ecmaMatcher, i int, next func(int) bool) bool { return next(i) })
	for len(p.rest) > 0 && p.rest[0] != '|' && p.rest[0] != ')' {
		term, err := p.term()
		if err != nil {
			return nil, err
		}
		before := all
		all = func(m *ecmaMatcher, i int, next func(int) bool) bool {
			return before(m, i, func(j int) bool { return term(m, j, next) })
		}
	}
	return all, nil
}

func (p *ecmaParser) term() (ecmaNode, error) {
	at := func(holds func(m *ecmaMatcher, i int) bool) ecmaNode {
		return func(m *ecmaMatcher, i int, next func(int) bool) bool { return holds(m, i) && next(i) }
	}
	switch {
	case p.has("^"):
		return at(func(m *ecmaMatcher, i int) bool { return i == 0 }), nil
	case p.has("$"):
		return at(func(m *ecmaMatcher, i int) bool { return i == len(m.text) }), nil
	case p.has(`\b`):
		return at(func(m *ecmaMatcher, i int) bool { return m.isWord(i-1) != m.isWord(i) }), nil
	case p.has(`\B`):
		return at(func(m *ecmaMatcher, i int) bool { return m.isWord(i-1) == m.isWord(i) }), nil
	}
	atom, err := p.atom()
	if err != nil {
		return nil, err
	}
	return p.quantified(atom)
}

func (m *ecmaMatcher) isWord(i int) bool { return i >= 0 && i < len(m.text) && isECMAWord(m.text[i]) }

func isECMAWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// quantified reads what may stand behind an atom.
func (p *ecmaParser) quantified(atom ecmaNode) (ecmaNode, error) {
	low, high := 1, 1
	switch {
	case p.has("*"):
		low, high = 0, 1<<30
	case p.has("+"):
		high = 1 << 30
	case p.has("?"):
		low = 0
	case p.has("{"):
		text, rest, ok := strings.Cut(string(p.rest), "}")
		first, second, comma := strings.Cut(text, ",")
		var err1, err2 error
		low, err1 = strconv.Atoi(first)
		if high = low; comma {
			high = 1 << 30
			if second != "" {
				high, err2 = strconv.Atoi(second)
			}
		}
		if !ok || err1 != nil || err2 != nil || high < low || strings.Trim(text, "0123456789,") != "" {
			return nil, errors.New("a bad { }")
		}
		p.rest = []rune(rest)
	default:
		return atom, nil
	}
	p.has("?") // lazy, which does not matter for whether it matches
	return func(m *ecmaMatcher, i int, next func(int) bool) bool { return m.repeat(atom, low, high, i, next) }, nil
}

func (m *ecmaMatcher) repeat(atom ecmaNode, low, high, i int, next func(int) bool) bool {
	if m.tired() || high == 0 {
		return next(i)
	}
	more := atom(m, i, func(j int) bool {
		return (j > i || low > 0) && m.repeat(atom, max(0, low-1), high-1, j, next)
	})
	return more || low == 0 && next(i)
}

const ecmaSyntax = `^$\.*+?()[]{}|`

func (p *ecmaParser) atom() (ecmaNode, error) {
	switch {
	case p.has("(?:"), p.has("("):
		if len(p.rest) > 0 && p.rest[0] == '?' {
			return nil, errors.New("a (?")
		}
		n, err := p.disjunction()
		if err == nil && !p.has(")") {
			err = errors.New("a ( without )")
		}
		return n, err
	case p.has("["):
		return p.class()
	case p.rest[0] == '\\':
		in, _, err := p.escape(false)
		return one(in), err
	case strings.ContainsRune(ecmaSyntax, p.rest[0]):
		return nil, errors.New("a bare " + string(p.rest[0]))
	}
	want := p.rest[0]
	p.rest = p.rest[1:]
	return one(func(r rune) bool { return r == want }), nil
}

func one(in func(rune) bool) ecmaNode {
	return func(m *ecmaMatcher, i int, next func(int) bool) bool {
		return i < len(m.text) && in(m.text[i]) && next(i+1)
	}
}

// class reads what is behind [.
func (p *ecmaParser) class() (ecmaNode, error) {
	negated := p.has("^")
	var parts []func(rune) bool
	for !p.has("]") {
		low, single, err := p.classAtom()
		if err != nil {
			return nil, err
		}
		if len(p.rest) < 2 || p.rest[0] != '-' || p.rest[1] == ']' {
			parts = append(parts, low)
			continue
		}
		p.rest = p.rest[1:]
		_, single2, err := p.classAtom()
		if err != nil || single < 0 || single2 < 0 || single > single2 {
			return nil, errors.New("a bad range")
		}
		parts = append(parts, func(r rune) bool { return single <= r && r <= single2 })
	}
	return one(func(r rune) bool {
		return negated != slices.ContainsFunc(parts, func(in func(rune) bool) bool { return in(r) })
	}), nil
}

// classAtom reads one character of a class, or a set of them, for which single
// is -1.
func (p *ecmaParser) classAtom() (in func(rune) bool, single rune, err error) {
	if len(p.rest) == 0 {
		return nil, 0, errors.New("a [ without ]")
	}
	if p.rest[0] == '\\' {
		return p.escape(true)
	}
	single = p.rest[0]
	p.rest = p.rest[1:]
	return func(r rune) bool { return r == single }, single, nil
}

// escape reads a backslash and what it escapes.
func (p *ecmaParser) escape(inClass bool) (in func(rune) bool, single rune, err error) {
	if len(p.rest) < 2 {
		return nil, 0, errors.New("a bare backslash")
	}
	c := p.rest[1]
	p.rest = p.rest[2:]
	controls := map[rune]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}
	isDigit := func(r rune) bool { return '0' <= r && r <= '9' }
	not := func(in func(rune) bool) func(rune) bool { return func(r rune) bool { return !in(r) } }
	switch {
	case c == 'd':
		return isDigit, -1, nil
	case c == 'D':
		return not(isDigit), -1, nil
	case c == 'w':
		return isECMAWord, -1, nil
	case c == 'W':
		return not(isECMAWord), -1, nil
	case c == 'p' || c == 'P':
		name, rest, ok := strings.Cut(string(p.rest), "}")
		table := unicode.Categories[strings.TrimPrefix(name, "{")]
		if !ok || !strings.HasPrefix(name, "{") || table == nil {
			return nil, 0, errors.New("a bad property")
		}
		p.rest = []rune(rest)
		return func(r rune) bool { return unicode.Is(table, r) == (c == 'p') }, -1, nil
	case c == 'x' && len(p.rest) >= 2:
		n, err := strconv.ParseUint(string(p.rest[:2]), 16, 8)
		single, p.rest = rune(n), p.rest[2:]
		return func(r rune) bool { return r == single }, single, err
	case controls[c] != 0:
		single = controls[c]
	case strings.ContainsRune(ecmaSyntax+"/", c), inClass && c == '-':
		single = c
	default:
		return nil, 0, errors.New("an escape that is not shared")
	}
	return func(r rune) bool { return r == single }, single, nil
}

// Verify multiples of decimals against package big, and that none of its numbers are
// made: an input may have 100,000 floats.
func TestIsMultiple(t *testing.T) {
	c := newShapes(new(mistakes))
	s := c.shapeFor(reflect.TypeFor[float64](), "T")
	units := []string{"1", "3", "10", "100", "0.1", "0.3", "0.25", "2.50", "1e2", "1E-2", "1e300", "1e-300", "5e-324", "152587890625", "18446744073709551615"}
	values := []float64{0, 1, -3, 0.3, 0.1, 0.30000000000000004, 2.5, 1e2, 1e17, 1e22, -1e30, 1e300, 3e300, 5e-324, 1e-300, 152587890625, 1 << 60, 1<<64 - 1, math.MaxFloat64, math.Inf(1), math.NaN()}
	for _, unit := range units {
		r, want := parseMultiple(s, unit)
		if want != "" {
			t.Errorf("multipleOf:%q: want %s", unit, want)
			continue
		}
		for _, f := range values {
			v, u := reflect.ValueOf(f), new(big.Rat)
			u.SetString(unit)
			x, finite := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
			if got, want := r.violates(v), !finite || !x.Quo(x, u).IsInt(); got != want {
				t.Errorf("%v is against multipleOf:%q: %v, want %v", f, unit, got, want)
			}
			if n := testing.AllocsPerRun(5, func() { r.violates(v) }); n > 0 {
				t.Errorf("%v and multipleOf:%q: %v allocations", f, unit, n)
			}
		}
	}
}
