package svc

// This file holds the encoder against encoding/json: it makes up Go values,
// compares what the two write token by token, and reads it back.

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A valuer makes up Go values.
type valuer struct {
	*rand.Rand
	full bool // nothing is zero, empty or nil
}

// fill sets v, which is settable and zero, to something; depth bounds what
// contains itself.
func (g *valuer) fill(v reflect.Value, depth int) {
	switch {
	case g.fillSpecial(v):
		return
	case optionalElem(v.Type()) != nil && v.CanSet():
		value, state := v.Addr().Interface().(optionalField).parts()
		switch n := g.IntN(6); {
		case g.full || n > 1:
			g.fill(reflect.ValueOf(value).Elem(), depth-1)
			*state = stateValue
		case n == 1:
			*state = stateNull
		}
		return
	case !g.full && g.IntN(5) == 0:
		return // stays zero
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(g.Uint64()|1<<63) >> (64 - v.Type().Bits()) >> g.IntN(v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint((g.Uint64() | 1<<63) >> (64 - v.Type().Bits()) >> g.IntN(v.Type().Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(g.float(v.Type().Bits()))
	case reflect.String:
		v.SetString(g.text())
	case reflect.Interface:
		if x := g.any(3); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case reflect.Pointer:
		if depth > 0 || v.Type().Elem().Kind() != reflect.Struct {
			v.Set(reflect.New(v.Type().Elem()))
			g.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), g.length(depth), 5))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			g.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range g.length(depth) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			g.fill(key, 0)
			g.fill(value, depth-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if f.CanSet() || v.Type().Field(i).Anonymous && f.Kind() == reflect.Struct {
				g.fill(f, depth-1)
			}
		}
	}
}

func (g *valuer) length(depth int) int {
	if depth <= 0 {
		return 0
	}
	if g.full {
		return 1
	}
	return g.IntN(4)
}

// fillSpecial sets v if it is of a type that not any value of its kind fits.
func (g *valuer) fillSpecial(v reflect.Value) bool {
	if !v.CanSet() {
		return false
	}
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Unix(g.Int64N(1<<37)-1<<35, g.Int64N(1e9)).In(time.FixedZone("", (g.IntN(2*1439+1)-1439)*60))
		if g.IntN(2) == 0 {
			*p = p.UTC().Truncate(time.Second)
		}
	case *netip.Addr:
		*p = netip.AddrFrom4([4]byte{byte(g.IntN(256)), 1, 2, 3})
	case *netip.Prefix:
		*p = netip.PrefixFrom(netip.AddrFrom4([4]byte{1, 2, 3, 4}), g.IntN(33))
	case *netip.AddrPort:
		*p = netip.AddrPortFrom(netip.IPv6Unspecified(), uint16(g.IntN(1<<16)))
	case *net.IP:
		*p = net.IPv4(1, 2, 3, byte(g.IntN(256)))
	case *big.Int:
		p.Exp(big.NewInt(g.Int64N(1000)-500), big.NewInt(g.Int64N(30)), nil)
	case *big.Rat:
		p.SetFrac64(g.Int64(), 1+g.Int64N(100))
	case *big.Float:
		p.SetInt64(g.Int64())
	case *json.Number:
		if g.full || g.IntN(4) > 0 {
			*p = json.Number(numberTexts[g.IntN(len(numberTexts))])
		}
	case *json.RawMessage:
		if g.full || g.IntN(4) > 0 {
			w := texter{Rand: g.Rand}
			w.anything()
			*p = w.buf.Bytes()
		}
	case *oVerbatim:
		w := texter{Rand: g.Rand}
		w.anything()
		p.text = w.buf.String()
	case *oPicky:
		*p = oPicky(g.IntN(100)*2 + 1)
	case *oFold:
		*p = oFold(strings.ToUpper(g.text()))
	case *oTextStruct:
		*p = oTextStruct{"a" + strconv.Itoa(g.IntN(10)), g.text()}
	case *oMethodByte:
		*p = oMethodByte(g.IntN(10))
	default:
		return false
	}
	return true
}

func (g *valuer) float(bits int) float64 {
	for {
		f := math.Float64frombits(g.Uint64())
		if bits == 32 {
			f = float64(math.Float32frombits(g.Uint32()))
		}
		if g.IntN(3) == 0 {
			f = float64(g.IntN(1e6)) / 8
		}
		if !math.IsNaN(f) && !math.IsInf(f, 0) && (f != 0 || !g.full) {
			return f
		}
	}
}

func (g *valuer) text() string {
	return stringTexts[1+g.IntN(len(stringTexts)-1)]
}

// any makes up a value as a decoder of JSON makes it. Its numbers are below
// 2^53; see TestEncodeAny.
func (g *valuer) any(depth int) any {
	n := g.IntN(7)
	switch {
	case n == 0 && depth > 0:
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.any(depth-1))
		}
		return list
	case n == 1 && depth > 0:
		m := map[string]any{}
		for range g.IntN(3) {
			m[g.text()] = g.any(depth - 1)
		}
		return m
	case n == 2 && !g.full:
		return nil
	case n == 3:
		return g.IntN(2) == 0
	case n == 4:
		return float64(g.Int64N(1<<53)) / 16
	}
	return g.text()
}

// Verify that what the encoder writes is JSON, is the same each time, is what
// encoding/json writes but for the promises of the schema, and means the value
// it was made from, to the oracle and to our decoder.
func TestEncodeAgainstOracle(t *testing.T) {
	t.Parallel()
	for i, c := range oracleCodecs(t) {
		for seed := range uint64(rounds(10, 60)) {
			checkEncoding(t, c, uint64(i), seed, seed%8 == 0)
			if t.Failed() {
				return
			}
		}
	}
}

func FuzzEncode(f *testing.F) {
	codecs := oracleCodecs(f)
	for i := range codecs {
		f.Add(uint(i), uint64(i), uint64(7), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, i uint, seed1, seed2 uint64, full bool) {
		checkEncoding(t, codecs[i%uint(len(codecs))], seed1, seed2, full)
	})
}

func checkEncoding(t *testing.T, c *codec, seed1, seed2 uint64, full bool) {
	t.Helper()
	v := reflect.New(c.typ).Elem()
	g := valuer{Rand: rand.New(rand.NewPCG(seed1, seed2)), full: full}
	g.fill(v, 5)
	text, err := c.marshal(v)
	again, err2 := c.marshal(v)
	if err != nil || err2 != nil {
		t.Errorf("%s: %#v: %v, %v", c.name, v, err, err2)
		return
	}
	if !bytes.Equal(text, again) {
		t.Errorf("%s: %s\nthe second time %s", c.name, text, again)
	}
	if err := checkText(text); err != nil {
		t.Errorf("%s: %s: %v", c.name, text, err)
		return
	}
	if want, ok := standardTokens(t, v); ok {
		if got := tokensOf(text); !sameTokens(got, want) {
			t.Errorf("%s: %s\nencoding/json writes %v", c.name, text, want)
		}
	}
	o := oracle{}
	theirs, err := o.decode(c.typ, text)
	if !errors.Is(err, errNoOpinion) && (err != nil || !loose(v, theirs)) {
		t.Errorf("%s: %s is to the oracle %v,\n%#v, was\n%#v", c.name, text, err, theirs, v)
	}
	ours, err := c.unmarshal(text)
	if err != nil || !loose(v, ours) {
		t.Errorf("%s: %s is to us %v,\n%#v, was\n%#v", c.name, text, err, ours, v)
	}
}

// standardTokens returns the tokens that encoding/json writes for v, unless it
// is known to differ about values of the type: see encodeDifferences.
func standardTokens(t *testing.T, v reflect.Value) ([]json.Token, bool) {
	if differsFor(v.Type(), false, nil) {
		return nil, false
	}
	text, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		t.Fatalf("encoding/json cannot encode %#v: %v", v, err)
	}
	return tokensOf(text), true
}

// differsFor reports whether values of type t may hold a duration, or a type
// that only by a pointer has methods where there is none, which is in a map.
func differsFor(t reflect.Type, inMap bool, open []reflect.Type) bool {
	if slices.Contains(open, t) {
		return false
	}
	open = append(slices.Clip(open), t)
	marshaler := reflect.TypeFor[encoding.TextMarshaler]()
	hidden := !t.Implements(marshaler) && reflect.PointerTo(t).Implements(marshaler) || t == reflect.TypeFor[oPicky]()
	if t == reflect.TypeFor[time.Duration]() || inMap && hidden {
		return true
	}
	switch t.Kind() {
	case reflect.Map:
		return differsFor(t.Elem(), true, open)
	case reflect.Pointer, reflect.Slice:
		return differsFor(t.Elem(), false, open)
	case reflect.Array:
		return differsFor(t.Elem(), inMap, open)
	case reflect.Struct:
		for i := range t.NumField() {
			if differsFor(t.Field(i).Type, inMap, open) {
				return true
			}
		}
	}
	return false
}

// encodeDifferences lists where the encoder means to write something else than
// encoding/json, with what that writes, or "" if it fails.
var encodeDifferences = []struct {
	reason     string
	value      any
	want, json string
}{
	{"a list is a list: clients should not have to ask for null", []int(nil), `[]`, `null`},
	{"the same for objects", map[string]int(nil), `{}`, `null`},
	{"the same for bytes, which the schema says are a string", []byte(nil), `""`, `null`},
	{"HTML is not JSON's business", "<&>\u2028", "\"<&>\u2028\"", `"\u003c\u0026\u003e\u2028"`},
	{"durations are strings, as they are read", time.Second, `"1s"`, `1000000000`},
	{"a method is a method, also where the value is in a map", map[string]oPointerText{"a": {3}}, `{"a":"t3"}`, `{"a":{}}`},
	{"the same for keys", map[oPointerText]int{{1}: 1}, `{"t1":1}`, ``},
	{"the same for keys that are strings", map[oUpper]int{"a": 1}, `{"A":1}`, keyText()},
	{"a name twice is no JSON", map[oSameText]int{{1}: 1, {2}: 1}, ``, `{"same":1,"same":1}`},
	{"a raw text may hold what we would refuse ourselves", json.RawMessage(`{"a":1,"a":2}`), ``, `{"a":1,"a":2}`},
	{"an empty raw text is no value", json.RawMessage{}, `null`, ``},
}

type oUpper string

// keyText returns what encoding/json makes of a key that is a string with a method:
// it depends on the version of Go, in no order.
func keyText() string {
	text, _ := json.Marshal(map[oUpper]int{"a": 1})
	return string(text)
}

func (u oUpper) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(u))), nil }

func TestEncodeDifferences(t *testing.T) {
	for _, test := range encodeDifferences {
		t.Run(rowName(test.reason), func(t *testing.T) {
			v := reflect.New(reflect.TypeOf(test.value)).Elem()
			v.Set(reflect.ValueOf(test.value))
			got, err := compileOutput(t, v.Type()).marshal(v)
			if string(got) != test.want && err == nil || (err != nil) != (test.want == "") {
				t.Errorf("%#v is encoded as %s, %v; want %s", test.value, got, err, test.want)
			}
			got, err = json.Marshal(v.Addr().Interface())
			if string(got) != test.json || (err != nil) != (test.json == "") {
				t.Errorf("encoding/json writes %#v as %s, %v; the table says %s", test.value, got, err, test.json)
			}
		})
	}
}

func tokensOf(text []byte) []json.Token {
	var tokens []json.Token
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return tokens
		}
		tokens = append(tokens, token)
	}
}

// sameTokens compares tokens, except that where encoding/json writes null, an
// empty list, object or string is right too: whether null is wrong there is for
// the oracle to say when it reads the text.
func sameTokens(got, standard []json.Token) bool {
	for _, want := range standard {
		if len(got) == 0 {
			return false
		}
		if want == nil && (got[0] == json.Delim('[') || got[0] == json.Delim('{')) {
			got = got[1:]
			if len(got) == 0 || got[0] != json.Delim(']') && got[0] != json.Delim('}') {
				return false
			}
		} else if got[0] != want && !(want == nil && got[0] == "") && unquoted(got[0]) != unquoted(want) {
			return false
		}
		got = got[1:]
	}
	return len(got) == 0
}

// unquoted returns what a JSON string in a string stands for: encoding/json
// escapes more.
func unquoted(token json.Token) json.Token {
	var inner string
	if text, ok := token.(string); ok && json.Unmarshal([]byte(text), &inner) == nil {
		return inner
	}
	return token
}

// loose reports whether a value that went through JSON is still the same: nil
// and empty are, and so is what is left out.
func loose(was, is reflect.Value) bool {
	if isNull(was) || isNull(is) {
		return isNull(was) && isNull(is)
	}
	if optionalElem(was.Type()) != nil {
		a, b := reflect.New(was.Type()).Elem(), reflect.New(was.Type()).Elem()
		a.Set(was)
		b.Set(is)
		x, okX := optionalValue(a)
		y, okY := optionalValue(b)
		return okX == okY && (was.IsZero() == is.IsZero()) && (!okX || loose(x, y))
	}
	if was.CanInterface() {
		if same, known := looseSpecial(was.Interface(), is.Interface()); known {
			return same
		}
	}
	switch was.Kind() {
	case reflect.Pointer:
		return loose(was.Elem(), is.Elem())
	case reflect.Interface:
		if n, ok := is.Elem().Interface().(json.Number); ok {
			is = reflect.ValueOf([]any{anyNumber(n)}).Index(0)
		}
		return was.Elem().Type() == is.Elem().Type() && loose(was.Elem(), is.Elem())
	case reflect.Slice, reflect.Array:
		if was.Len() != is.Len() {
			return false
		}
		for i := range was.Len() {
			if !loose(was.Index(i), is.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		for it := was.MapRange(); it.Next(); {
			if other := is.MapIndex(it.Key()); !other.IsValid() || !loose(it.Value(), other) {
				return false
			}
		}
		return was.Len() == is.Len()
	case reflect.Struct:
		for _, f := range jsonFields(was.Type()) {
			if !loose(member(was, f), member(is, f)) {
				return false
			}
		}
		return true
	}
	return new(oracle).same(was, is)
}

// member returns the field f of the struct v, or a zero value if it is in an
// embedded struct that is not there.
func member(v reflect.Value, f jsonField) reflect.Value {
	m, err := v.FieldByIndexErr(f.index)
	if err != nil {
		return reflect.Zero(f.typ)
	}
	return m
}

// isNull reports whether v is null in JSON.
func isNull(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil() || isNull(v.Elem()) || v.Type() == reflect.TypeFor[*oZeroer]() && v.Elem().Int() == 7
	case reflect.Interface:
		return v.IsNil()
	}
	switch x := v.Interface().(type) {
	case json.RawMessage:
		return len(x) == 0 || string(x) == "null"
	case oVerbatim:
		return x.text == "" || x.text == "null"
	}
	return false
}

// looseSpecial is loose for types that are not what their fields are.
func looseSpecial(was, is any) (same, known bool) {
	switch was := was.(type) {
	case time.Time, netip.Addr, netip.Prefix, netip.AddrPort:
		return new(oracle).same(reflect.ValueOf(was), reflect.ValueOf(is)), true
	case OStamp:
		return new(oracle).same(reflect.ValueOf(was.Time), reflect.ValueOf(is).Field(0)), true
	case big.Int:
		other := is.(big.Int)
		return was.Cmp(&other) == 0, true
	case big.Rat:
		other := is.(big.Rat)
		return was.Cmp(&other) == 0, true
	case big.Float:
		other := is.(big.Float)
		return was.Cmp(&other) == 0, true
	case json.RawMessage:
		return compacted(was) == compacted(is.(json.RawMessage)), true
	case oVerbatim:
		return compacted([]byte(was.text)) == compacted([]byte(is.(oVerbatim).text)), true
	case json.Number:
		return cmp.Or(was, "0") == cmp.Or(is.(json.Number), "0"), true
	case oTextStruct:
		return was == is, true
	case oPicky:
		return was|1 == is.(oPicky)|1, true
	case oZeroer:
		return was%7 == is.(oZeroer)%7, true
	}
	return false, false
}

func compacted(text []byte) string {
	var buf bytes.Buffer
	if err := json.Compact(&buf, text); err != nil {
		return err.Error()
	}
	return buf.String()
}

// Verify what no generated value shows: the promises of the schema, and the
// spelling.
func TestEncodeTable(t *testing.T) {
	number := 5
	for _, test := range []struct {
		value any
		want  string
	}{
		{[]int(nil), `[]`},
		{[]int{}, `[]`},
		{map[string]int(nil), `{}`},
		{[]byte(nil), `""`},
		{(*int)(nil), `null`},
		{struct{ P *int }{}, `{"P":null}`},
		{struct {
			P *int `json:",omitempty"`
		}{}, `{}`},
		{struct{ S [][]int }{[][]int{nil}}, `{"S":[[]]}`},
		{struct{ S *[]int }{new([]int)}, `{"S":[]}`},
		{[2][]string{}, `[[],[]]`},
		{map[string][]int{"a": nil}, `{"a":[]}`},
		{map[string]map[string]int{"a": nil}, `{"a":{}}`},
		{json.RawMessage(nil), `null`},
		{json.RawMessage(" { \"a\" : [ 1 , 2 ] } "), `{"a":[1,2]}`},
		{json.RawMessage(`"<&>"`), `"<&>"`},
		{json.Number(""), `0`},
		{"<script>&'\u2028", "\"<script>&'\u2028\""},
		{map[string]string{"<": ">"}, `{"<":">"}`},
		{any("<&>"), `"<&>"`},
		{[]any{[]int(nil), struct{ A string }{"<"}, nil}, `[null,{"A":"<"},null]`}, // in any, encoding/json decides
		{[]any{5, int64(math.MinInt64), (*any)(nil), true, json.Number("1.50")}, `[5,-9223372036854775808,null,true,1.50]`},
		{"\xff\xfe", `"` + "\ufffd\ufffd" + `"`},
		{"\x00\x1f\x7f\"\\\b\f\n\r\t/", `"\u0000\u001f` + "\x7f" + `\"\\\b\f\n\r\t/"`},
		{map[int]int{2: 1, 10: 2, -1: 3}, `{"-1":3,"10":2,"2":1}`},
		{map[string]int{"b": 1, "a": 2, "": 3}, `{"":3,"a":2,"b":1}`},
		{1e21, `1e+21`},
		{float32(0.1), `0.1`},
		{math.Copysign(0, -1), `-0`},
		{int64(math.MinInt64), `-9223372036854775808`},
		{uint64(math.MaxUint64), `18446744073709551615`},
		{90 * time.Minute, `"1h30m0s"`},
		{time.Date(2024, 2, 29, 1, 2, 3, 4000, time.FixedZone("", 3600)), `"2024-02-29T01:02:03.000004+01:00"`},
		{time.Date(1971, 1, 1, 0, 0, 0, 0, time.FixedZone("Africa/Monrovia", -2670)), `"1971-01-01T00:44:30Z"`},
		{[]any{time.Date(1971, 1, 1, 0, 0, 0, 0, time.FixedZone("Africa/Monrovia", -2670))}, `["1971-01-01T00:44:30Z"]`},
		{struct {
			T time.Time `json:",omitempty"`
		}{}, `{}`},
		{struct {
			T time.Time `json:",omitempty"`
		}{time.Time{}.Add(1)}, `{"T":"0001-01-01T00:00:00.000000001Z"}`},
		{[3]byte{1, 2, 3}, `[1,2,3]`},
		{[]byte{0xfb, 0xff}, `"+/8="`},
		{oQuotedInt{7}, `{"n":"7"}`},
		{oQuotedFloat{1e21}, `{"n":"1e+21"}`},
		{oEmbedPointer{Title: "t"}, `{"title":"t"}`},
		{oNode{Value: 1, Next: &oNode{Value: 2}}, `{"value":1,"next":{"value":2}}`},
		{struct {
			S []int `json:",omitzero"`
		}{[]int{}}, `{"S":[]}`},
		{struct {
			S []int `json:",omitempty,omitzero"`
		}{[]int{}}, `{}`},
		{struct {
			T *time.Time `json:",omitzero"`
		}{new(time.Time)}, `{}`}, // by its IsZero, as encoding/json has it
		{struct {
			N json.Number `json:",string"`
			P *int        `json:",string"`
		}{"1.50", &number}, `{"N":"1.50","P":"5"}`},
		{map[oPointerText]int{{1}: 1}, `{"t1":1}`}, // encoding/json cannot
		{oPointerText{2}, `"t2"`},
		{map[string]oPointerText{"a": {3}}, `{"a":"t3"}`}, // encoding/json does not see the method here
		{oTextMap(nil), `"0 members"`},
	} {
		kind := ""
		if strings.HasSuffix(fmt.Sprintf("%#v", test.value), "(nil)") {
			kind = "nil"
		}
		t.Run(rowName(test.want, reflect.TypeOf(test.value), kind), func(t *testing.T) {
			v := reflect.New(reflect.TypeOf(test.value)).Elem()
			v.Set(reflect.ValueOf(test.value))
			got, err := compileOutput(t, v.Type()).marshal(v)
			if err != nil || string(got) != test.want {
				t.Errorf("%#v is encoded as %s, %v; want %s", test.value, got, err, test.want)
			}
		})
	}
}

// compileOutput is compileType for types that are only encoded.
func compileOutput(t testing.TB, typ reflect.Type) *codec {
	t.Helper()
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(typ, "T")
	c.finishShapes()
	c.checkUse(s, asOutput, "T")
	for _, err := range p.list {
		t.Fatalf("%v: %v", typ, err)
	}
	return &codec{name: typ.String(), typ: typ, encode: newEncoders(false).encoderFor(s)}
}

// An oPointerText has its method on the pointer only.
type oPointerText struct{ n int }

func (p *oPointerText) MarshalText() ([]byte, error) { return []byte("t" + strconv.Itoa(p.n)), nil }

type oTextMap map[string]int

func (m oTextMap) MarshalText() ([]byte, error) {
	return []byte(strconv.Itoa(len(m)) + " members"), nil
}

// Verify that what JSON cannot carry is an error, and that nothing panics or
// goes on for ever.
func TestEncodeErrors(t *testing.T) {
	self := &oNode{}
	self.Next = self
	ring := &oNode{Kids: make([]oNode, 1)}
	ring.Kids[0].Names = map[string]*oNode{"": ring}
	selfMap := map[string]any{}
	selfMap["a"] = []any{selfMap}
	selfList := make([]any, 1)
	selfList[0] = selfList
	selfPointer := new(any)
	*selfPointer = selfPointer
	longPointer := new(any)
	*longPointer = &[]any{longPointer}
	for _, test := range []struct {
		name  string
		value any
	}{
		{"NaN", math.NaN()},
		{"Inf", math.Inf(1)},
		{"float32 -Inf", float32(math.Inf(-1))},
		{"NaN in any", []any{math.NaN()}},
		{"float32 Inf in any", []any{float32(math.Inf(1))}},
		{"NaN in a quoted field", oQuotedFloat{math.NaN()}},
		{"NaN in a struct in any", []any{struct{ F float64 }{math.Inf(-1)}}},
		{"year 10000", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"year -1", time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"offset of a day", time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 24*3600))},
		{"bad time in any", []any{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"pointer to itself", self},
		{"list and map around itself", ring},
		{"map in itself", selfMap},
		{"list in itself", selfList},
		{"any pointing to itself", selfPointer},
		{"any pointing to a list of itself", longPointer},
		{"raw text that is not JSON", json.RawMessage(`{"a"}`)},
		{"raw text with a name twice", json.RawMessage(`{"a":1,"a":2}`)},
		{"raw text that is not UTF-8", json.RawMessage("\"\xff\"")},
		{"two raw texts", json.RawMessage(`1 2`)},
		{"raw text in any that is not JSON", []any{json.RawMessage(`{`)}},
		{"raw text in any with a name twice", []any{json.RawMessage(`{"a":1,"a":2}`)}},
		{"number that is none", json.Number("1.")},
		{"number that is none in any", []any{json.Number("0x1")}},
		{"two keys of one text", map[oSameText]int{{1}: 1, {2}: 2}},
		{"two keys of one text in any", []any{map[oSameText]int{{1}: 1, {2}: 2}}},
		{"two keys that are not UTF-8", map[string]int{"\xff": 1, "\xfe": 2}},
		{"a key that is not UTF-8 and one that looks like it", map[string]any{"\xff": 1, "\ufffd": 2}},
		{"such keys in any", []any{map[string]any{"\xff": 1, "\xfe": 2}}},
		{"own error", oFailing(0)},
		{"own error in a list", []oFailing{0}},
		{"own text that is not JSON", oFailing(1)},
		{"own text with a name twice", oFailing(2)},
		{"own text that is empty", oFailing(3)},
		{"own error of a text", oFailingText(0)},
		{"own error of a key", map[oFailingText]int{0: 1}},
		{"channel in any", []any{make(chan int)}},
		{"function in any", map[string]any{"f": func() {}}},
		{"complex in any", []any{1i}},
		{"1001 lists in any", nested(1001)},
		{"1001 levels of raw text", json.RawMessage(strings.Repeat("[", 1001) + strings.Repeat("]", 1001))},
		{"1000 levels of raw text in a list", []json.RawMessage{json.RawMessage(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))}},
		{"1001 nodes", chain(1001)},
		{"1001 nodes in any", []any{chain(1001)}},
		{"a list of strings in 1000 nodes", chainOfWords(1000)},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := reflect.New(reflect.TypeOf(test.value)).Elem()
			v.Set(reflect.ValueOf(test.value))
			if got, err := compileOutput(t, v.Type()).marshal(v); err == nil {
				t.Errorf("%s: encoded as %.200s, want an error", test.name, got)
			}
		})
	}
}

// nested returns n lists in each other.
func nested(n int) any {
	var x any = []any{}
	for range n - 1 {
		x = []any{x}
	}
	return x
}

// chain returns n nodes in each other.
func chain(n int) *oNode {
	node := new(oNode)
	for range n - 1 {
		node = &oNode{Next: node}
	}
	return node
}

type oWords struct {
	Next  *oWords  `json:"next,omitempty"`
	Words []string `json:"words,omitempty"`
}

// chainOfWords returns n nodes in each other, the last of which has a list.
func chainOfWords(n int) *oWords {
	node := &oWords{Words: []string{"a"}}
	for range n - 1 {
		node = &oWords{Next: node}
	}
	return node
}

type oSameText struct{ n int }

func (oSameText) MarshalText() ([]byte, error) { return []byte("same"), nil }

type oFailing int

func (f oFailing) MarshalJSON() ([]byte, error) {
	texts := [...]string{1: "{", 2: `{"a":1,"\u0061":2}`, 3: ""}
	if f == 0 {
		return nil, errors.New("failed")
	}
	return []byte(texts[f]), nil
}

type oFailingText int

func (f oFailingText) MarshalText() ([]byte, error) { return nil, errors.New("failed") }

// Verify that what the decoder takes, the encoder can give back, however deep:
// a service that echoes its input has no 500 for any.
func TestEncodeDeep(t *testing.T) {
	for _, test := range []struct {
		typ  reflect.Type
		text string
	}{
		{reflect.TypeFor[*oNode](), strings.Repeat(`{"value":0,"next":`, 999) + `{"value":0}` + strings.Repeat("}", 999)},
		{reflect.TypeFor[oEven](), strings.Repeat(`{"odd":{"evens":[`, 333) + `{"odd":null}` + strings.Repeat("]}}", 333)},
		{reflect.TypeFor[any](), strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
		{reflect.TypeFor[any](), strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)},
		{reflect.TypeFor[json.RawMessage](), strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
		{reflect.TypeFor[[]json.RawMessage](), strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
		{reflect.TypeFor[[]oVerbatim](), strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
	} {
		t.Run(rowName(test.typ, len(test.text)), func(t *testing.T) {
			c := compileType(t, test.typ.String(), test.typ, false)
			v, err := c.unmarshal([]byte(test.text))
			if err != nil {
				t.Errorf("%v: %v", test.typ, err)
				return
			}
			if got, err := c.marshal(v); err != nil || string(got) != test.text {
				t.Errorf("%v: %d bytes, %v; want the %d bytes that were decoded", test.typ, len(got), err, len(test.text))
			}
		})
	}
}

// Verify that a number in any keeps its value. One that only a decimal text
// holds comes back as a json.Number, and some floats are written as such texts.
func TestEncodeAny(t *testing.T) {
	c := compileType(t, "any", reflect.TypeFor[any](), false)
	r := rand.New(rand.NewPCG(8, 9))
	g := valuer{Rand: r}
	for range 2000 {
		f := g.float(64)
		v := reflect.New(c.typ).Elem()
		v.Set(reflect.ValueOf(f))
		text, err := c.marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.unmarshal(text)
		if err != nil {
			t.Fatal(err)
		}
		switch x := back.Interface().(type) {
		case float64:
			if x != f {
				t.Errorf("%v is %s and then %v", f, text, x)
			}
		case json.Number:
			if n, err := x.Float64(); n != f || err != nil || math.Abs(f) < 1<<53 {
				t.Errorf("%v is %s and then the number %s", f, text, x)
			}
		}
	}
}

// Verify that our own way of writing times in UTC writes what package time
// writes.
func TestAppendUTC(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	nanos := []int64{0, 1, 10, 999_999_999, 500_000_000, 123_000_000, 1_000, 90_000_001}
	for i := range 200_000 {
		nano := nanos[i%len(nanos)]
		if i%3 == 0 {
			nano = random.Int64N(1_000_000_000)
		}
		at := time.Unix(first+random.Int64N(last-first+1), nano).UTC()
		want, err := at.AppendText(nil)
		year, month, day := at.Date()
		if got := appendUTC(nil, at, year, int(month), day); err != nil || string(got) != string(want) {
			t.Fatalf("appendUTC = %s, want %s, %v", got, want, err)
		}
	}
}
