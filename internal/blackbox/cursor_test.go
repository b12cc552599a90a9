package blackbox_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

type cursorNamed string

type cursorPair struct {
	N int64  `json:"n"`
	S string `json:"s"`
}

var cursorInstant = time.Date(2025, 3, 1, 12, 30, 0, 5, time.FixedZone("", 3600))

// cursorRows are keys and what their cursors hold once base64 is taken away.
var cursorRows = []struct {
	key  any
	want string
}{
	{"todo-17", "todo-17"},
	{"", ""},
	{"ÿ/+?\x00", "ÿ/+?\x00"},
	{"null", "null"},
	{cursorNamed("a"), "a"},
	{cursorInstant, "2025-03-01T12:30:00.000000005+01:00"},
	{netip.MustParseAddr("192.0.2.1"), "192.0.2.1"},
	{big.NewInt(1 << 62), "4611686018427387904"}, // MarshalText has a pointer receiver
	{*big.NewInt(7), "7"},
	{42, "42"},
	{uint64(1<<64 - 1), "18446744073709551615"},
	{1.5, "1.5"},
	{true, "true"},
	{[]byte{0xff, 0}, `"/wA="`},
	{[]string{"a", "b"}, `["a","b"]`},
	{cursorPair{9007199254740993, "x"}, `{"n":9007199254740993,"s":"x"}`},
	{svc.TimeCursor{ID: "7", At: cursorInstant}, `{"id":"7","at":"2025-03-01T12:30:00.000000005+01:00"}`},
	{json.RawMessage(`[1]`), `[1]`},
}

// cursorWriteOnly can write itself as text, and not read itself.
type cursorWriteOnly struct{}

func (cursorWriteOnly) MarshalText() ([]byte, error) { return []byte("w"), nil }

func TestEncodeCursor(t *testing.T) {
	for _, test := range cursorRows {
		t.Run(rowName(test.key), func(t *testing.T) {
			got, err := svc.EncodeCursor(test.key)
			if want := base64.RawURLEncoding.EncodeToString([]byte(test.want)); got != want || err != nil {
				t.Errorf("EncodeCursor(%#v) = %q, %v; want %q", test.key, got, err, want)
			}
		})
	}
	if got, err := svc.EncodeCursor(cursorWriteOnly{}); got != base64.RawURLEncoding.EncodeToString([]byte(`"w"`)) || err != nil {
		t.Errorf("a key that cannot read its text is %q, %v; want its JSON", got, err)
	}
}

// Verify that what was encoded comes back, open and sealed, given as a value
// and by a pointer.
func TestCursorRoundTrip(t *testing.T) {
	sealer := svc.NewCursorKey([]byte("a key of 16 byte"))
	for _, test := range cursorRows {
		t.Run(rowName(test.key), func(t *testing.T) {
			want := reflect.ValueOf(test.key)
			if want.Kind() == reflect.Pointer {
				want = want.Elem()
			}
			pointer := reflect.New(want.Type())
			pointer.Elem().Set(want)
			for name, form := range cursorForms(sealer) {
				cursor, err := form.encode(pointer.Interface())
				if again, _ := form.encode(test.key); cursor != again || err != nil {
					t.Errorf("%s: %#v by pointer: %q, %v; by value %q", name, test.key, cursor, err, again)
				}
				got := reflect.New(want.Type())
				if err := form.decode(cursor, got.Interface()); err != nil || !cursorEqual(got.Elem(), want) {
					t.Errorf("%s: decoded %q = %#v, %v; want %#v", name, cursor, got.Elem(), err, want)
				}
			}
		})
	}
}

// A cursorForm is one of the two ways to make a cursor.
type cursorForm struct {
	encode func(any) (string, error)
	decode func(string, any) error
}

func cursorForms(k *svc.CursorKey) map[string]cursorForm {
	return map[string]cursorForm{"open": {svc.EncodeCursor, svc.DecodeCursor}, "sealed": {k.Encode, k.Decode}}
}

func cursorEqual(a, b reflect.Value) bool {
	x, _ := json.Marshal(a.Interface()) // an instant has several representations in Go
	y, _ := json.Marshal(b.Interface())
	return string(x) == string(y)
}

func TestEncodeCursorRefuses(t *testing.T) {
	for name, key := range map[string]any{
		"nil":           nil,
		"nil pointer":   (*string)(nil),
		"nil interface": new(any),
		"nil slice":     []string(nil),
		"null":          json.RawMessage("null"),
		"not UTF-8":     "a\xff",
		"channel":       make(chan int),
		"function":      func() {},
		"NaN":           cursorNaN(),
		"year 10000":    time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		if got, err := svc.EncodeCursor(key); err == nil || got != "" {
			t.Errorf("EncodeCursor(%s) = %q, %v; want an error", name, got, err)
		}
		if got, err := svc.NewCursorKey([]byte("a key of 16 byte")).Encode(key); err == nil || got != "" {
			t.Errorf("Encode(%s) = %q, %v; want an error", name, got, err)
		}
	}
}

func cursorNaN() float64 { zero := 0.0; return zero / zero }

// cursorOf spells a payload as a cursor.
func cursorOf(payload string) string { return base64.RawURLEncoding.EncodeToString([]byte(payload)) }

var badCursorRows = []struct {
	name, cursor string
	key          any
}{
	{"no base64", "not a cursor!", new(string)},
	{"padding", "YWI=", new(string)},
	{"standard alphabet", "//8", new([]byte)},
	{"one character", "Y", new(string)},
	{"stray bits", "YX", new(string)}, // YQ is the spelling of "a"
	{"line end", "YW\nJj", new(string)},
	{"carriage return", "YWJj\r", new(string)},
	{"space", " YWJj", new(string)},
	{"text not UTF-8", cursorOf("a\xff"), new(string)},
	{"no time", cursorOf("yesterday"), new(time.Time)},
	{"time in quotes", cursorOf(`"2025-03-01T12:30:00Z"`), new(time.Time)},
	{"no address", cursorOf("192.0.2.256"), new(netip.Addr)},
	{"empty", "", new(svc.TimeCursor)},
	{"no JSON", cursorOf("todo-17"), new(svc.TimeCursor)},
	{"cut JSON", cursorOf(`{"id":"7","at":`), new(svc.TimeCursor)},
	{"more after JSON", cursorOf(`{"id":"7"}{}`), new(svc.TimeCursor)},
	{"name twice", cursorOf(`{"id":"7","id":"8"}`), new(svc.TimeCursor)},
	{"JSON not UTF-8", cursorOf("{\"id\":\"\xff\"}"), new(svc.TimeCursor)},
	{"lone surrogate", cursorOf(`{"id":"\ud800"}`), new(svc.TimeCursor)},
	{"null", cursorOf("null"), new(svc.TimeCursor)},
	{"null with space", cursorOf(" null\n"), new(any)},
	{"another type", cursorOf(`{"n":"x"}`), new(cursorPair)},
	{"out of range", cursorOf("256"), new(uint8)},
	{"fraction", cursorOf("1.5"), new(int)},
	{"deep", cursorOf(strings.Repeat("[", 1001) + strings.Repeat("]", 1001)), new(any)},
}

func TestDecodeCursorRefuses(t *testing.T) {
	for _, test := range badCursorRows {
		t.Run(test.name, func(t *testing.T) {
			key := reflect.ValueOf(test.key)
			before := key.Elem().Interface()
			checkCursorError(t, test.name, svc.DecodeCursor(test.cursor, test.key))
			if after := key.Elem().Interface(); !reflect.DeepEqual(after, before) {
				t.Errorf("%s: the key changed from %v to %v", test.name, before, after)
			}
		})
	}
}

// checkCursorError checks the one form of the error for a bad cursor.
func checkCursorError(t *testing.T, name string, err error) {
	t.Helper()
	var e *svc.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: error %v, want an *Error", name, err)
		return
	}
	const want = `{"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /cursor must be a cursor from an earlier answer of this list",` +
		`"details":{"violations":[{"in":"query","path":"/cursor","rule":"type","message":"must be a cursor from an earlier answer of this list"}]}}}`
	if got := envelopeOf(e); got != want || e.HTTPStatus() != 400 {
		t.Errorf("%s: %d %s; want 400 %s", name, e.HTTPStatus(), got, want)
	}
}

// Verify that a key that is already set survives a cursor that fails half way.
func TestDecodeCursorIsAllOrNothing(t *testing.T) {
	key := cursorPair{N: 1, S: "kept"}
	checkCursorError(t, "second member", svc.DecodeCursor(cursorOf(`{"n":2,"s":3}`), &key))
	if want := (cursorPair{1, "kept"}); key != want {
		t.Errorf("key = %v, want %v", key, want)
	}
}

// A wrong second argument is the server's mistake, not the client's.
func TestDecodeCursorNeedsPointer(t *testing.T) {
	for _, key := range []any{nil, "", 1, (*string)(nil), svc.TimeCursor{}} {
		if err := svc.DecodeCursor("YWJj", key); err == nil || svc.CodeOf(err) != svc.CodeInternal {
			t.Errorf("DecodeCursor into %#v: %v, want an INTERNAL error", key, err)
		}
	}
	var p *string
	if err := svc.DecodeCursor("YWJj", &p); err != nil || *p != "abc" {
		t.Errorf("DecodeCursor into a **string: %v", err)
	}
}

func TestCursorKey(t *testing.T) {
	oldKey, newKey, otherKey := []byte("the old key here"), []byte("the new key here"), []byte("another key here")
	before, rotated, after := svc.NewCursorKey(oldKey), svc.NewCursorKey(newKey, oldKey), svc.NewCursorKey(newKey)
	fromOld, fromRotated, fromOther := mustSeal(t, before, "x"), mustSeal(t, rotated, "x"), mustSeal(t, svc.NewCursorKey(otherKey), "x")
	for _, test := range []struct {
		name   string
		key    *svc.CursorKey
		cursor string
		ok     bool
	}{
		{"own", before, fromOld, true},
		{"rotated opens old", rotated, fromOld, true},
		{"rotated opens its own", rotated, fromRotated, true},
		{"rotated seals with the first", after, fromRotated, true},
		{"old does not open new", before, fromRotated, false},
		{"old key retired", after, fromOld, false},
		{"another key", rotated, fromOther, false},
		{"open cursor", rotated, cursorOf("x"), false},
		{"empty", rotated, "", false},
		{"seal only", rotated, fromRotated[:42], false},
		{"padding", rotated, fromRotated + "=", false},
		{"line end", rotated, fromRotated + "\n", false},
		{"no key at all", new(svc.CursorKey), fromRotated, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got string
			err := test.key.Decode(test.cursor, &got)
			if test.ok {
				if err != nil || got != "x" {
					t.Errorf("%s: Decode = %q, %v; want x", test.name, got, err)
				}
				return
			}
			checkCursorError(t, test.name, err)
		})
	}
	if c, err := new(svc.CursorKey).Encode("x"); err == nil {
		t.Errorf("the zero CursorKey sealed %q", c)
	}
}

func mustSeal(t *testing.T, k *svc.CursorKey, key any) string {
	t.Helper()
	cursor, err := k.Encode(key)
	if err != nil {
		t.Fatal(err)
	}
	return cursor
}

// Verify that no single change of a sealed cursor goes through: every
// character replaced by every other, every cut, and a piece of another cursor.
func TestCursorKeyTampering(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_="
	k := svc.NewCursorKey([]byte("a key of 16 byte"))
	sealed := mustSeal(t, k, cursorPair{1, "a"})
	tried := 0
	try := func(cursor string) {
		tried++
		var got cursorPair
		if err := k.Decode(cursor, &got); err == nil || got != (cursorPair{}) {
			t.Errorf("Decode(%q) = %v, %v; the cursor is %q", cursor, got, err, sealed)
		}
	}
	for i := range len(sealed) {
		try(sealed[:i])
		for _, c := range alphabet {
			if byte(c) != sealed[i] {
				try(sealed[:i] + string(c) + sealed[i+1:])
			}
		}
	}
	other := mustSeal(t, k, cursorPair{2, "a"})
	try(sealed[:43] + other[43:])
	try(other[:43] + sealed[43:])
	if want := len(sealed)*65 + 2; tried != want {
		t.Errorf("tried %d changes, want %d", tried, want)
	}
}

// Verify that a CursorKey does not share memory with its caller.
func TestCursorKeyCopies(t *testing.T) {
	secret := []byte("a secret of bytes")
	k := svc.NewCursorKey(secret)
	sealed := mustSeal(t, k, "x")
	clear(secret)
	var got string
	if err := k.Decode(sealed, &got); err != nil || got != "x" {
		t.Errorf("after the caller cleared its key: %q, %v", got, err)
	}
}

func TestNewCursorKeyPanics(t *testing.T) {
	for name, keys := range map[string][][]byte{
		"svc: NewCursorKey: at least one key is needed":                                                  {},
		"svc: NewCursorKey: key 2 has 15 bytes; a key needs at least 16, and should have 32 random ones": {[]byte("a key of 16 byte"), []byte("a key of 15 byt")},
		"svc: NewCursorKey: key 1 has 0 bytes; a key needs at least 16, and should have 32 random ones":  {nil},
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panic %v, want %s", got, name)
				}
			}()
			svc.NewCursorKey(keys...)
		}()
	}
}

// Verify that no cursor makes DecodeCursor panic, and that what it takes for a
// text or an instant is the one spelling that EncodeCursor has for it.
func FuzzDecodeCursor(f *testing.F) {
	for _, test := range badCursorRows {
		f.Add(test.cursor)
	}
	for _, test := range cursorRows {
		f.Add(cursorOf(test.want))
	}
	k := svc.NewCursorKey([]byte("a key of 16 byte"))
	f.Fuzz(func(t *testing.T, cursor string) {
		var text string
		if svc.DecodeCursor(cursor, &text) == nil {
			if again, err := svc.EncodeCursor(text); again != cursor || err != nil {
				t.Errorf("%q decodes to %q, which encodes to %q, %v", cursor, text, again, err)
			}
		}
		for _, key := range []any{new(time.Time), new(svc.TimeCursor), new(cursorPair), new(any), new(int8)} {
			if svc.DecodeCursor(cursor, key) != nil {
				continue
			}
			again, err := svc.EncodeCursor(key)
			if err == nil {
				err = svc.DecodeCursor(again, key)
			}
			if err != nil {
				t.Errorf("%q decodes as a %T, but not again: %v", cursor, key, err)
			}
		}
		if err := k.Decode(cursor, &text); err == nil {
			t.Errorf("the sealed cursor %q was guessed", cursor)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add("todo-17", int64(1<<62))
	f.Add("", int64(-1))
	f.Add("\x00\xff\u2028", int64(0))
	k := svc.NewCursorKey([]byte("a key of 16 byte"))
	f.Fuzz(func(t *testing.T, id string, nanos int64) {
		want := svc.TimeCursor{ID: strings.ToValidUTF8(id, "\ufffd"), At: time.Unix(0, nanos).UTC()} // JSON strings are UTF-8
		for name, form := range cursorForms(k) {
			cursor, err := form.encode(want)
			if err != nil {
				t.Fatal(err)
			}
			var got svc.TimeCursor
			if err := form.decode(cursor, &got); err != nil || got.ID != want.ID || !got.At.Equal(want.At) {
				t.Errorf("%s: decoded %q = %v, %v; want %v", name, cursor, got, err, want)
			}
		}
	})
}
