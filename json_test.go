package svc

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseInteger(t *testing.T) {
	for _, test := range []struct {
		num string
		mag uint64
		neg bool
		bad integerKind
	}{
		{"0", 0, false, integerOK},
		{"-0", 0, true, integerOK},
		{"1", 1, false, integerOK},
		{"-1", 1, true, integerOK},
		{"1.0", 1, false, integerOK},
		{"1e0", 1, false, integerOK},
		{"1e2", 100, false, integerOK},
		{"1E+2", 100, false, integerOK},
		{"100e-2", 1, false, integerOK},
		{"1000000000000000000000e-21", 1, false, integerOK},
		{"0.000000000000000000001e21", 1, false, integerOK},
		{"1.5e1", 15, false, integerOK},
		{"1.50", 0, false, integerFraction},
		{"0.1", 0, false, integerFraction},
		{"1e-1", 0, false, integerFraction},
		{"105e-1", 0, false, integerFraction},
		{"0.0", 0, false, integerOK},
		{"0e99999999999999999999", 0, false, integerOK},
		{"0.000e-99999999999999999999", 0, false, integerOK},
		{"9007199254740993", 9007199254740993, false, integerOK},
		{"9223372036854775808", 1 << 63, false, integerOK},
		{"18446744073709551615", math.MaxUint64, false, integerOK},
		{"18446744073709551615.000", math.MaxUint64, false, integerOK},
		{"1.8446744073709551615e19", math.MaxUint64, false, integerOK},
		{"1844674407370955161500e-2", math.MaxUint64, false, integerOK},
		{"18446744073709551616", 0, false, integerRange},
		{"-18446744073709551616", 0, true, integerRange},
		{"18446744073709551615e1", 0, false, integerRange},
		{"36893488147419103232", 0, false, integerRange}, // 2^65, which wraps to 0
		{"184467440737095516160", 0, false, integerRange},
		{"340282366920938463463374607431768211456", 0, false, integerRange}, // 2^128
		{"340282366920938463463374607431768211456.5", 0, false, integerFraction},
		{"99999999999999999999", 0, false, integerRange},
		{"1e19", 10000000000000000000, false, integerOK},
		{"1e20", 0, false, integerRange},
		{"1e21", 0, false, integerRange},
		{"1e1000000000", 0, false, integerRange},
		{"1e-1000000000", 0, false, integerFraction},
		{"1e99999999999999999999999999", 0, false, integerRange},
		{"-1e-99999999999999999999999999", 0, true, integerFraction},
	} {
		t.Run(rowName(test.num), func(t *testing.T) {
			mag, neg, bad := parseInteger([]byte(test.num))
			if mag != test.mag || neg != test.neg || bad != test.bad {
				t.Errorf("parseInteger(%s) = %d, %t, %d; want %d, %t, %d", test.num, mag, neg, bad, test.mag, test.neg, test.bad)
			}
			checkInteger(t, test.num)
		})
	}
}

// Verify parseInteger on numbers in many spellings, most of them of integers
// around the limits.
func TestParseIntegerSpellings(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	for range 20_000 {
		n := new(big.Int).SetUint64(r.Uint64() >> r.IntN(64))
		if r.IntN(3) == 0 {
			n.SetUint64(math.MaxUint64).Sub(n, big.NewInt(int64(r.IntN(3))-1))
		}
		if r.IntN(5) == 0 {
			n.Mul(n, big.NewInt(r.Int64N(1000)))
		}
		digits := n.String()
		shift := r.IntN(30) - 10
		zeros := strings.Repeat("0", r.IntN(4))
		var num string
		switch at := len(digits) - shift; {
		case shift <= 0: // fewer digits than the exponent says, or as many
			num = digits + "." + zeros + "0e" + strconv.Itoa(r.IntN(3)-1)
		case at > 0:
			num = digits[:at] + "." + digits[at:] + zeros + "e" + strconv.Itoa(shift-r.IntN(2))
		default:
			num = "0." + strings.Repeat("0", -at) + digits + zeros + "E+" + strconv.Itoa(shift+r.IntN(2))
		}
		if r.IntN(2) == 0 {
			num = "-" + num
		}
		checkInteger(t, num)
	}
}

func FuzzParseInteger(f *testing.F) {
	for _, num := range numberTexts {
		f.Add(num)
	}
	f.Fuzz(func(t *testing.T, num string) {
		if jsonNumberForm.MatchString(num) && len(num) < 1000 {
			checkInteger(t, num)
		}
	})
}

// checkInteger compares parseInteger with package math/big.
func checkInteger(t *testing.T, num string) {
	t.Helper()
	mag, neg, bad := parseInteger([]byte(num))
	want, wantBad := new(big.Int), integerOK
	mantissa, exponent, _ := strings.Cut(strings.ToLower(num), "e")
	exp, err := strconv.Atoi(exponent)
	switch isZero := strings.Trim(mantissa, "-.0") == ""; {
	case isZero:
	case err != nil && strings.HasPrefix(exponent, "-"), exp < -5000: // Rat would write them out
		wantBad = integerFraction
	case err != nil && exponent != "", exp > 5000:
		wantBad = integerRange
	default:
		x, ok := new(big.Rat).SetString(num)
		switch {
		case !ok:
			t.Fatalf("package big does not take %q", num)
		case !x.IsInt():
			wantBad = integerFraction
		case !want.Abs(x.Num()).IsUint64():
			wantBad = integerRange
			want.SetInt64(0)
		}
	}
	if bad == integerOK && mag != want.Uint64() || bad != wantBad || neg != (num[0] == '-') {
		t.Errorf("parseInteger(%s) = %d, %t, %d; want %v, %d", num, mag, neg, bad, want, wantBad)
	}
}

// Verify that floats are spelt as encoding/json spells them, and read back.
func TestAppendFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	floats := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-6, 9.999999e-7, 1e-7, 1e20, 1e21, 9.99999999999999e20, 123456789, 1 << 53,
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-9, 1e-10, 1e100, 5e-324}
	for range 20_000 {
		floats = append(floats, math.Float64frombits(r.Uint64()), float64(math.Float32frombits(r.Uint32())),
			math.Pow10(r.IntN(60)-30)*float64(r.IntN(20)))
	}
	for _, f := range floats {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		want, err := json.Marshal(f)
		if got := appendFloat(nil, f, 64); err != nil || string(got) != string(want) {
			t.Errorf("appendFloat(%v, 64) = %s, encoding/json writes %s", f, got, want)
		}
		f32 := float32(f)
		if math.IsInf(float64(f32), 0) {
			continue
		}
		want, err = json.Marshal(f32)
		got := appendFloat([]byte("x"), float64(f32), 32)
		if err != nil || string(got) != "x"+string(want) {
			t.Errorf("appendFloat(%v, 32) = %s, encoding/json writes %s", f32, got, want)
		}
	}
}

func TestAppendQuoted(t *testing.T) {
	for _, test := range []struct{ s, want string }{
		{"", `""`},
		{"a", `"a"`},
		{`a"b\c`, `"a\"b\\c"`},
		{"\x00\x01\x1f\x7f", `"\u0000\u0001\u001f` + "\x7f" + `"`},
		{"\b\f\n\r\t\v", `"\b\f\n\r\t\u000b"`},
		{"/<>&'", `"/<>&'"`},
		{"é\u2028\u2029\U0001F600", "\"é\u2028\u2029\U0001F600\""},
		{"\xff", "\"\ufffd\""},
		{"a\xffb\xfe\xfdc", "\"a\ufffdb\ufffd\ufffdc\""},
		{"\xe2\x82", "\"\ufffd\ufffd\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
		{"\ufffd", "\"\ufffd\""},
	} {
		t.Run(rowName(test.s), func(t *testing.T) {
			if got := string(appendQuoted(nil, test.s)); got != test.want {
				t.Errorf("appendQuoted(%q) = %s, want %s", test.s, got, test.want)
			}
			checkQuoted(t, test.s)
		})
	}
}

// Verify plainEnd for each length around its steps of eight bytes, each place of a byte that is not
// plain, and each start, against a loop over the bytes.
func TestPlainEnd(t *testing.T) {
	for n := range 20 {
		for at := -1; at < n; at++ {
			for _, c := range []byte{'"', '\\', '\n', 0x7f, 0x80, 0xff, '!', '#', ' '} {
				text := []byte(strings.Repeat("a", n))
				if at >= 0 {
					text[at] = c
				}
				for start := range n + 1 {
					want := start
					for want < n && plainByte[text[want]] {
						want++
					}
					if got := plainEnd(text, start); got != want {
						t.Fatalf("plainEnd(%q, %d) = %d, want %d", text, start, got, want)
					}
				}
			}
		}
	}
}

func FuzzQuoted(f *testing.F) {
	for _, s := range stringTexts {
		f.Add(s)
	}
	for _, test := range scanTexts {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, s string) { checkQuoted(t, s) })
}

// checkQuoted verifies that a string goes through appendQuoted unchanged, but
// for bytes that are not UTF-8.
func checkQuoted(t *testing.T, s string) {
	t.Helper()
	quoted := appendQuoted([]byte("x"), s)
	if bytesQuoted := appendQuoted([]byte("x"), []byte(s)); string(bytesQuoted) != string(quoted) {
		t.Errorf("%q as bytes is %q, as a string %q", s, bytesQuoted, quoted)
	}
	quoted = quoted[1:]
	want := string([]rune(s))
	var standard string
	if err := json.Unmarshal(quoted, &standard); err != nil || standard != want {
		t.Errorf("%q is quoted as %s: %q, %v", s, quoted, standard, err)
	}
	sc := scanner{data: quoted}
	raw, escaped := sc.readString()
	if got := appendUnescaped(nil, raw); sc.err != nil || sc.pos != len(quoted) || string(got) != want || !escaped && string(raw) != want {
		t.Errorf("%q is quoted as %s, read back as %q, %v", s, quoted, got, sc.err)
	}
	if len(quoted) > 2+6*len(s) || !utf8.Valid(quoted) {
		t.Errorf("%q is quoted as %q", s, quoted)
	}
}

func TestPointerToken(t *testing.T) {
	for _, test := range []struct{ token, want string }{
		{"", "/"},
		{"a", "/a"},
		{"a/b", "/a~1b"},
		{"m~n", "/m~0n"},
		{"~1", "/~01"},
		{"~0/~1", "/~00~1~01"},
		{" ", "/ "},
		{`"\`, `/"\`},
		{"é", "/é"},
		{"0", "/0"},
	} {
		t.Run(rowName(test.token), func(t *testing.T) {
			if got := pointerToken(test.token); got != test.want {
				t.Errorf("pointerToken(%q) = %q, want %q", test.token, got, test.want)
			}
		})
	}
}

// scan reads a whole text as one value of any kind.
func scan(text []byte) ([]byte, *syntaxError) {
	var s scanner
	s.reset(text)
	value := s.skipValue()
	s.checkEnd()
	return value, s.err
}

// scanTexts has texts with the rule that refuses each, or "" if it is fine, and
// where.
var scanTexts = []struct {
	text, rule string
	offset     int
}{
	{`{}`, "", 0},
	{" \t\r\n[ ] ", "", 0},
	{`{"a":[1,{"b":null}],"c":"d"}`, "", 0},
	{`null`, "", 0},
	{`""`, "", 0},
	{"\"\u007f\u2028\U0010ffff\ufffd\"", "", 0},
	{`"\"\\\/\b\f\n\r\t\u0000\uFFFF\ud83d\ude00"`, "", 0},

	{``, ruleSyntax, 0},
	{` `, ruleSyntax, 1},
	{"\ufeff{}", ruleSyntax, 0},
	{"{}\ufeff", ruleSyntax, 2},
	{"\xff", ruleSyntax, 0},
	{"\x00", ruleSyntax, 0},
	{"{}\x00", ruleSyntax, 2},
	{"1\x00", ruleSyntax, 1},
	{"\x0b1", ruleSyntax, 0}, // a vertical tab is no white space in JSON
	{"\u00a01", ruleSyntax, 0},
	{`{} {}`, ruleSyntax, 3},
	{`{}x`, ruleSyntax, 2},
	{`1 2`, ruleSyntax, 2},
	{`nul`, ruleSyntax, 0},
	{`nulL`, ruleSyntax, 0},
	{`True`, ruleSyntax, 0},
	{`truefalse`, ruleSyntax, 4},
	{`'a'`, ruleSyntax, 0},
	{`/**/1`, ruleSyntax, 0},
	{`NaN`, ruleSyntax, 0},
	{`Infinity`, ruleSyntax, 0},

	{`[`, ruleSyntax, 1},
	{`]`, ruleSyntax, 0},
	{`[1`, ruleSyntax, 2},
	{`[1,`, ruleSyntax, 3},
	{`[1,]`, ruleSyntax, 3},
	{`[,1]`, ruleSyntax, 1},
	{`[1,,2]`, ruleSyntax, 3},
	{`[1 2]`, ruleSyntax, 3},
	{`[1}`, ruleSyntax, 2},
	{`[1:2]`, ruleSyntax, 2},
	{`{`, ruleSyntax, 1},
	{`{"a"`, ruleSyntax, 4},
	{`{"a":`, ruleSyntax, 5},
	{`{"a":1`, ruleSyntax, 6},
	{`{"a":1,`, ruleSyntax, 7},
	{`{"a":1,}`, ruleSyntax, 7},
	{`{,"a":1}`, ruleSyntax, 1},
	{`{"a" 1}`, ruleSyntax, 5},
	{`{"a",1}`, ruleSyntax, 4},
	{`{a:1}`, ruleSyntax, 1},
	{`{'a':1}`, ruleSyntax, 1},
	{`{1:1}`, ruleSyntax, 1},
	{`{null:1}`, ruleSyntax, 1},
	{`{"a":1 "b":2}`, ruleSyntax, 7},
	{`{"a":1]`, ruleSyntax, 6},
	{`{"a"::1}`, ruleSyntax, 5},

	{`"`, ruleSyntax, 1},
	{`"a`, ruleSyntax, 2},
	{`"\`, ruleSyntax, 1},
	{`"\"`, ruleSyntax, 3},
	{`"\q"`, ruleSyntax, 1},
	{`"\U0041"`, ruleSyntax, 1},
	{`"\x41"`, ruleSyntax, 1},
	{`"\u"`, ruleSyntax, 1},
	{`"\u12"`, ruleSyntax, 1},
	{`"\u123g"`, ruleSyntax, 1},
	{`"\u+123"`, ruleSyntax, 1},
	{`"\u１２３４"`, ruleSyntax, 1}, // digits of full width
	{"\"a\nb\"", ruleSyntax, 2},
	{"\"\x00\"", ruleSyntax, 1},
	{"\"\x1f\"", ruleSyntax, 1},
	{"\"a\xff\"", ruleSyntax, 2},
	{"\"\xc0\x80\"", ruleSyntax, 1},         // overlong
	{"\"\xed\xa0\x80\"", ruleSyntax, 1},     // a surrogate in UTF-8
	{"\"\xf4\x90\x80\x80\"", ruleSyntax, 1}, // beyond Unicode
	{"\"\xe2\x82\"", ruleSyntax, 1},
	{`"\ud800"`, ruleSyntax, 1},
	{`"\udc00"`, ruleSyntax, 1},
	{`"\ud800a"`, ruleSyntax, 1},
	{`"\ud800\n"`, ruleSyntax, 1},
	{`"\ud800\ud800"`, ruleSyntax, 1},
	{`"\udc00\ud800"`, ruleSyntax, 1},
	{`"\ud800\u0041"`, ruleSyntax, 1},
	{`"\ud800\udc0"`, ruleSyntax, 1},
	{`"\ud800" "\udc00"`, ruleSyntax, 1},
	{`"\ud83d\ude00\ude00"`, ruleSyntax, 13},
	{`{"\ud800":1}`, ruleSyntax, 2},

	{`{"a":1,"a":2}`, ruleDuplicate, 11},
	{`{"a":1,"\u0061":2}`, ruleDuplicate, 16},
	{`{"\u0061":1,"a":2}`, ruleDuplicate, 16},
	{`{"/":1,"\/":2}`, ruleDuplicate, 12},
	{`{"":1,"":2}`, ruleDuplicate, 9},
	{`{"é":1,"\u00e9":2}`, ruleDuplicate, 17},
	{`{"\ud83d\ude00":1,"😀":2}`, ruleDuplicate, 25},
	{`[[{"a":{"b":1,"c":2,"b":3}}]]`, ruleDuplicate, 24},
	{`{"a":{"b":1},"c":{"b":1,"b":2}}`, ruleDuplicate, 28},
	{`{"a":{"b":1},"a":{"c":1}}`, ruleDuplicate, 17},
	{`{"a" :1 , "a" :2}`, ruleDuplicate, 15},
	{`{"a":1,"a":`, ruleDuplicate, 11}, // the first error counts
	{`{"a":1,"a"}`, ruleSyntax, 10},
	{`{"a":1,"A":2}`, "", 0},
	{`{"a":{"a":{"a":1}}}`, "", 0},
	{`[{"a":1},{"a":1}]`, "", 0},
	{`{"\u00e9":1,"e\u0301":2}`, "", 0}, // no normalisation
	{`{"a":1,"a\u0000":2}`, "", 0},
}

func TestScanner(t *testing.T) {
	for _, test := range scanTexts {
		t.Run(rowName(test.text), func(t *testing.T) {
			value, f := scan([]byte(test.text))
			switch {
			case test.rule == "" && f != nil:
				t.Errorf("%q is refused: %v", test.text, f)
			case test.rule == "" && string(value) != strings.Trim(test.text, " \t\r\n"):
				t.Errorf("the value in %q is %q", test.text, value)
			case test.rule != "" && f == nil:
				t.Errorf("%q is accepted, want the rule %s", test.text, test.rule)
			case test.rule != "" && (f.rule != test.rule || f.offset != test.offset):
				t.Errorf("%q is refused by %s at %d (%v), want %s at %d", test.text, f.rule, f.offset, f, test.rule, test.offset)
			}
			checkScan(t, []byte(test.text))
		})
	}
}

// Verify that lookAhead finds what is there and does not move the scanner, and that it
// has then read the objects inside too.
func TestLookAhead(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"kind":"a"}`, `"a"`},
		{`{ "a" : 1 , "k\u0069nd" : [1, {"kind":2}] , "b" : 3 }`, `[1, {"kind":2}]`},
		{`{"a":{"kind":1},"b":["kind"],"c":"kind","Kind":1,"kinds":1}`, ``},
		{`{"kind":null}`, `null`},
		{`{"kind":1,"type":2}`, `1`},
		{`{"type":2,"kind":1.5}`, `1.5`},
		{`{"a":1,"a":2,"kind":3}`, `3`},
		{`{"a":{"x":1,"x":1},"kind":3}`, `3`},
		{`{"kind":1 x`, `1`},
		{`{"kind":1x"`, `1`},
		{`{"kind":0A0000"0`, `0`},
		{`{"kind":"a"x"`, `"a"`},
		{`{"a":x,"kind":1}`, ``},
		{`{"kind":x}`, ``},
		{`{"kind":[1,x]}`, ``},
		{`{"kind"`, ``},
		{`{"kind":`, ``},
		{`{}`, ``},
		{`{`, ``},
	} {
		t.Run(rowName(test.text), func(t *testing.T) {
			// The object is a member of another one, whose names the scanner still has.
			var s, plain scanner
			for _, s := range []*scanner{&s, &plain} {
				s.reset([]byte(`{"kind":1,"c":` + test.text))
				s.openBracket()
				s.names = append(make([][]byte, 0, 8), s.readName())
				s.skipValue()
				s.more('}', false)
				s.readName()
			}
			for range 2 { // the second time it knows
				if got := s.lookAhead([]string{"kind", "type"}, "kind"); string(got) != test.want {
					t.Errorf("%s: %s, want %s", test.text, got, test.want)
				}
			}
			s.skipValue()
			plain.skipValue()
			if s.found, s.passed = nil, 0; !reflect.DeepEqual(s, plain) {
				t.Errorf("%s: then read up to %+v, want %+v", test.text, s, plain)
			}
		})
	}
	// In order, as a decoder asks; nothing is searched for a second time.
	text := `{"a":{"a":{"a":[{"type":3,"kind":4},{},{"kind":{"kind":5}}],"kind":2},"type":{"kind":0},"kind":1},"type":6}`
	s, names := scanner{data: []byte(text)}, []string{"type", "kind"}
	for ; s.pos < len(text); s.pos++ {
		if text[s.pos] != '{' {
			continue
		}
		var want map[string]json.RawMessage
		if err := json.NewDecoder(strings.NewReader(text[s.pos:])).Decode(&want); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if got := s.lookAhead(names, name); string(got) != string(want[name]) {
				t.Errorf("%s of the object at byte %d is %s, want %s", name, s.pos, got, want[name])
			}
		}
		s.depth = maxDepth // reading another object would be an error
	}
	// A large map is left behind: to clear it for each object after it would take long, and
	// nobody would see that it is kept.
	s.reset([]byte(`[` + strings.Repeat(`{"type":1},`, manyNames+1) + `{}]{}{}`))
	s.lookAhead(names, "type")
	large := s.found
	s.skipValue()
	s.lookAhead(names, "type")
	if len(large) != manyNames+1 || len(s.found) != 0 {
		t.Errorf("a map of %d members has %d after the next search, which has found %d", manyNames+1, len(large), len(s.found))
	}
}

// A syntaxError must not quote the text: it goes to clients and into logs.
func TestSyntaxErrorsQuoteNothing(t *testing.T) {
	for _, test := range scanTexts {
		text := strings.NewReplacer("a", "secret", "b", "secret").Replace(test.text)
		if _, f := scan([]byte(text)); f != nil && strings.Contains(f.Error(), "secret") {
			t.Errorf("%q: %v", text, f)
		}
	}
}

func TestScannerDepth(t *testing.T) {
	for _, test := range []struct {
		open, inside, close string
		levels              int
		ok                  bool
	}{
		{"[", "", "]", 1000, true},
		{"[", "", "]", 1001, false},
		{`{"a":`, "1", "}", 1000, true},
		{`{"a":`, "1", "}", 1001, false},
		{`[{"a":`, "[]", "}]", 499, true},
		{`[{"a":`, "[[]]", "}]", 500, false},
		{"[[],", "1", "]", 999, true}, // side by side is not deeper
		{`[[],{},`, "1", "]", 1001, false},
		{"[", "", "]", 100000, false},
		{"[", "", "", 100000, false},
		{`{"a":`, "", "", 100000, false},
	} {
		t.Run(rowName(test.levels, test.open, test.inside, test.close), func(t *testing.T) {
			text := []byte(strings.Repeat(test.open, test.levels) + test.inside + strings.Repeat(test.close, test.levels))
			_, f := scan(text)
			_, anyErr := compileFor[any](t).unmarshal(text)
			_, rawErr := compileFor[json.RawMessage](t).unmarshal(text)
			_, ownErr := compileFor[oVerbatim](t).unmarshal(text)
			if (f == nil) != test.ok || (anyErr == nil) != test.ok || (rawErr == nil) != test.ok || (ownErr == nil) != test.ok {
				t.Errorf("%d times %s: scanner %v, any %v, raw %v, own %v", test.levels, test.open, f, anyErr, rawErr, ownErr)
			}
		})
	}
	for _, test := range []struct {
		open, close string
		levels      int
		ok          bool
	}{
		{`{"value":0,"next":`, "}", 999, true},
		{`{"value":0,"next":`, "}", 1000, false},
		{`{"value":0,"kids":[`, "]}", 499, true},
		{`{"value":0,"kids":[`, "]}", 500, false},
		{`{"value":0,"names":{"a":`, "}}", 499, true},
		{`{"value":0,"unknown":`, "}", 999, true}, // each but the first is in an ignored member
		{`{"value":0,"unknown":`, "}", 1000, false},
		{`{"value":0,"next":`, "", 100000, false},
	} {
		t.Run(rowName(test.levels, test.open), func(t *testing.T) {
			text := strings.Repeat(test.open, test.levels) + `{"value":0}` + strings.Repeat(test.close, test.levels)
			if _, err := compileFor[oNode](t).unmarshal([]byte(text)); (err == nil) != test.ok {
				t.Errorf("%d times %s: %v", test.levels, test.open, err)
			}
		})
	}
}

// compileFor is compileType for the type T.
func compileFor[T any](t testing.TB) *codec {
	typ := reflect.TypeFor[T]()
	return compileType(t, typ.String(), typ, false)
}

// Verify that many names in one object are checked, all of them, and that this
// is not quadratic: 50,000 names would be over a billion comparisons.
func TestScannerManyNames(t *testing.T) {
	t.Parallel()
	many := rounds(10_000, 50_000)
	var object []byte
	for i := range many {
		object = append(object, `,"name`+strconv.Itoa(i)+`":`+strconv.Itoa(i)...)
	}
	object[0] = '{'
	for _, test := range []struct {
		name, last, rule string
	}{
		{"all different", `}`, ""},
		{"first again", `,"name0":0}`, ruleDuplicate},
		{"last again", `,"name` + strconv.Itoa(many-1) + `":0}`, ruleDuplicate},
		{"escaped", `,"n\u0061me5000":0}`, ruleDuplicate},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := append(slices.Clip(object), test.last...)
			_, f := scan(text)
			if f == nil && test.rule != "" || f != nil && f.rule != test.rule {
				t.Errorf("%s: %v", test.name, f)
			}
			for _, c := range []*codec{compileFor[any](t), compileFor[map[string]int](t), compileFor[struct{}](t), compileFor[json.RawMessage](t)} {
				v, err := c.unmarshal(text)
				if (err == nil) != (test.rule == "") {
					t.Errorf("%s into %s: %v", test.name, c.name, err)
				}
				if m, ok := v.Interface().(map[string]int); ok && err == nil && (len(m) != many || m["name777"] != 777) {
					t.Errorf("the map has %d entries", len(m))
				}
			}
		})
	}
}

// Verify that names in one object of any number, around where the way of
// comparing changes, are compared with all others.
func TestScannerEveryPair(t *testing.T) {
	for n := range manyNames + 6 {
		for twice := range n {
			text := []byte{'{'}
			for i := range n {
				text = append(text, `"n`+strconv.Itoa(i)+`":{"n0":1,"n1":[{"n0":1}]},`...)
			}
			text = append(text, `"n`+strconv.Itoa(twice)+`":1}`...)
			if _, f := scan(text); f == nil || f.rule != ruleDuplicate || f.offset != len(text)-2 {
				t.Errorf("name %d again after %d names: %v", twice, n, f)
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, test := range scanTexts {
		f.Add([]byte(test.text))
	}
	w := texter{Rand: rand.New(rand.NewPCG(10, 11))}
	for range 20 {
		text := w.text(reflect.TypeFor[any]())
		f.Add(text)
		f.Add(w.damage(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkScan(t, text) })
}

// checkScan compares the scanner with the standard library.
func checkScan(t *testing.T, text []byte) {
	t.Helper()
	value, f := scan(text)
	want := checkText(text)
	if (f == nil) != (want == nil) {
		t.Errorf("%q: %v; the standard library: %v", text, f, want)
	}
	switch {
	case f != nil && (f.offset < 0 || f.offset > len(text) || f.reason == ""):
		t.Errorf("%q: a bad error %+v", text, f)
	case f != nil || want != nil:
	case string(value) != strings.Trim(string(text), " \t\r\n"):
		t.Errorf("the value in %q is %q", text, value)
	case value[0] == '"':
		var standard string
		inside := value[1 : len(value)-1]
		if err := json.Unmarshal(value, &standard); err != nil || string(appendUnescaped(nil, inside)) != standard {
			t.Errorf("%q stands for %q, the standard library says %q, %v", inside, appendUnescaped(nil, inside), standard, err)
		}
	}
}
