package svc

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
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
		mag, neg, bad := parseInteger([]byte(test.num))
		if mag != test.mag || neg != test.neg || bad != test.bad {
			t.Errorf("parseInteger(%s) = %d, %t, %d; want %d, %t, %d", test.num, mag, neg, bad, test.mag, test.neg, test.bad)
		}
		checkInteger(t, test.num)
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
	floats := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-6, 9.999999e-7, 1e-7, 1e20, 1e21, 9.99999999999999e20, 123456789, 1 << 53, math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-9, 1e-10, 1e100, 5e-324}
	for range 20_000 {
		floats = append(floats, math.Float64frombits(r.Uint64()), float64(math.Float32frombits(r.Uint32())), math.Pow10(r.IntN(60)-30)*float64(r.IntN(20)))
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
		if got := string(appendQuoted(nil, test.s)); got != test.want {
			t.Errorf("appendQuoted(%q) = %s, want %s", test.s, got, test.want)
		}
		checkQuoted(t, test.s)
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

func TestAppendPointer(t *testing.T) {
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
		if got := string(appendPointer([]byte("x"), test.token)); got != "x"+test.want {
			t.Errorf("appendPointer(x, %q) = %q, want %q", test.token, got, "x"+test.want)
		}
	}
}
