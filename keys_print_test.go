package svc

// This file tests fingerprints: which texts have one, and what they cost.

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// A keyedIn has a field for each rule of fingerprints.
type keyedIn struct {
	A int                          `json:"a,omitempty"`
	B string                       `json:"b" default:"x"`
	C *int                         `json:"c,omitempty"`
	D Optional[string]             `json:"d,omitzero"`
	E []keyedPart                  `json:"e,omitempty"`
	F map[string]any               `json:"f,omitempty"`
	G float64                      `json:"g"`
	H string                       `json:"-" header:"X-H,omitempty"`
	I []string                     `json:"i" default:"[\"y\"]"`
	J map[string]string            `json:"j"`
	K *netip.Addr                  `json:"k,omitempty"`
	L hiddenText                   `json:"l,omitempty"`
	M saltedJSON                   `json:"m,omitzero"`
	N json.Number                  `json:"n" default:"1.50"`
	O json.RawMessage              `json:"o,omitempty"`
	P map[hiddenText][]*saltedJSON `json:"p,omitempty"`
	Q string                       `json:"q,omitempty" idempotency:"-"`
	keyedBase
}

// A hiddenText does not write what it has.
type hiddenText string

func (hiddenText) MarshalText() ([]byte, error) { return []byte("***"), nil }

func (h *hiddenText) UnmarshalText(text []byte) error {
	*h = hiddenText(text)
	clear(text) // it may do that
	return nil
}

// A saltedJSON is another value each time that a text is read, and panics when it reads its own.
type saltedJSON struct{ hash string }

func (s saltedJSON) IsZero() bool { return s.hash == "" }

func (saltedJSON) MarshalJSON() ([]byte, error) { return []byte(`"written"`), nil }

func (s *saltedJSON) UnmarshalJSON(text []byte) error {
	if string(text) == `"written"` {
		panic("on purpose")
	}
	s.hash = fmt.Sprint(rand.Uint64())
	return nil
}

type keyedPart struct {
	M int      `json:"m" default:"3"`
	N string   `json:"n"`
	O *keyedIn `json:"o,omitempty"`
}

type keyedBase struct {
	Z bool `json:"z,omitzero"`
}

// keyedPlan returns the plan of a method with a key, its input and its output.
func keyedPlan[In, Out any](t testing.TB) *method {
	t.Helper()
	type api interface {
		Create(ctx context.Context, in *In) (*Out, error)
	}
	s, err := Register[api](keyedImpl[In, Out]{}, &Options{Resource: "notes",
		Idempotency: &Idempotency{Run: func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
			return do(ctx)
		}}, Methods: map[string]MethodOptions{"Create": {IdempotencyKey: KeyAllowed}}})
	if err != nil {
		t.Fatal(err)
	}
	return s.methods[0]
}

type keyedImpl[In, Out any] struct{}

func (keyedImpl[In, Out]) Create(context.Context, *In) (*Out, error) { return new(Out), nil }

// Verify that inputs have one fingerprint exactly if the same was sent. The oracle makes a value
// with all that counts, and texts of it: in any order, with unknown members and other spellings.
func TestFingerprints(t *testing.T) {
	m, spell := keyedPlan[keyedIn, keyedBase](t), rand.New(rand.NewPCG(1, 2))
	prints := make(map[string]string) // by meaning
	means := make(map[string]string)  // by fingerprint
	for i := range uint64(3000) {
		text, meaning := keyedText(rand.New(rand.NewPCG(i/3, 2)), spell, 2)
		print := fingerprintOf(t, m, text)
		if known, ok := prints[meaning]; ok && known != print {
			t.Fatalf("%s: two fingerprints of %s", text, meaning)
		}
		if known, ok := means[print]; ok && known != meaning {
			t.Fatalf("%s: one fingerprint of %s and %s", text, known, meaning)
		}
		prints[meaning], means[print] = print, meaning
	}
	if len(prints) < 300 || len(prints) > 2700 {
		t.Errorf("%d meanings of 3000 texts", len(prints))
	}
}

// Verify that an input which the decoder takes has a fingerprint, however deep it is, and that
// taking it costs memory for the text alone: not for each level, and not for the place of each value.
func TestFingerprintsOfLargeInputs(t *testing.T) {
	type largeIn struct {
		A any                     `json:"a"`
		M map[string][]hiddenText `json:"m"`
	}
	m := keyedPlan[largeIn, keyedBase](t)
	const deep = maxDepth - 1
	long := strings.Repeat("x", 64<<10)
	rows := []struct{ name, text string }{
		{"lists in lists", `{"a":` + strings.Repeat(`[`, deep) + strings.Repeat(`]`, deep) + `,"m":{}}`},
		{"objects in objects", `{"a":` + strings.Repeat(`{"b":`, deep) + `"` + long + `"` + strings.Repeat(`}`, deep) + `,"m":{}}`},
		{"texts below a long name", `{"a":0,"m":{"` + long + `":["a"` + strings.Repeat(`,"b"`, 10_000) + `]}}`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			fingerprintOf(t, m, row.text)
			runtime.ReadMemStats(&after)
			if cost, limit := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+100*len(row.text)); cost > limit {
				t.Errorf("%d bytes cost %d bytes of memory, over %d", len(row.text), cost, limit)
			}
		})
	}
}

// fingerprintOf returns the fingerprint of an input that is JSON.
func fingerprintOf(t testing.TB, m *method, text string) string {
	t.Helper()
	in := m.key.newInput(false)
	if _, err := m.bind.bindObject(&decoder{sent: &in}, []byte(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return in.fingerprint("k")
}

// keyedText returns the text of a keyedIn, and what it means. r chooses what it means, and spell
// how it is written.
func keyedText(r, spell *rand.Rand, depth int) (text, meaning string) {
	var members, counts []string
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	anyOf := func(texts ...string) string { return texts[spell.IntN(len(texts))] }
	add := func(name string, always bool, value string, spellings ...string) {
		if always || r.IntN(2) == 0 {
			counts = append(counts, name+value)
			members = append(members, `"`+name+`":`+anyOf(append(spellings, value)...))
		}
	}
	if r.IntN(3) == 0 {
		add("a", true, "1", "1.0", "10e-1")
	} else {
		add("a", false, "0", "-0")
	}
	if r.IntN(3) == 0 {
		add("b", true, `""`)
	} else {
		add("b", false, `"x"`, `"\u0078"`)
	}
	if r.IntN(2) == 0 {
		add("c", true, pick("0", "1"))
	}
	if r.IntN(2) == 0 {
		add("d", true, pick("null", `""`, `"d"`))
	}
	switch r.IntN(3) {
	case 0:
		add("e", false, "[]")
	case 1:
		if depth > 0 {
			part, means := keyedText(r, spell, depth-1)
			three, counted := "", ""
			if r.IntN(2) == 0 {
				three, counted = anyOf(`"m":3,`, `"m":3e0,`), "m3"
			}
			members = append(members, `"e":[{`+three+`"n":"n","o":`+part+`},{"n":"","m":4}]`)
			counts = append(counts, "e"+counted+means)
		}
	}
	if r.IntN(3) == 0 {
		add("f", true, `{"p":[1,{"q":null}],"r":"s"}`, `{ "r":"\u0073", "p":[1.0,{"q":null}]}`)
	} else {
		add("f", false, "{}")
	}
	add("g", true, pick("0", "1.5"))
	if r.IntN(3) == 0 {
		add("i", true, pick("[]", `["y","y"]`))
	} else {
		add("i", false, `["y"]`)
	}
	add("j", true, pick("{}", `{"k":"v"}`))
	if r.IntN(2) == 0 {
		add("z", true, "true")
	} else {
		add("z", false, "false")
	}
	if r.IntN(3) == 0 {
		add("k", true, pick(`"::1"`, `"0:0::1"`))
	}
	if r.IntN(3) == 0 {
		add("l", true, pick(`"a"`, `"***"`))
	} else {
		add("l", false, `""`)
	}
	if r.IntN(3) == 0 {
		add("m", true, `{"p":[1,2],"q":"\u00e9"}`, `{ "q":"é","p":[10e-1,2.0] }`)
	}
	switch r.IntN(4) {
	case 0:
		add("n", true, "15", "1.5e1", "150e-1")
	case 1:
		add("n", true, "0", "-0", "0e9")
	default:
		add("n", false, "1.5", "150e-2")
	}
	if r.IntN(3) == 0 {
		add("o", true, `{"x":[1e400,"/"],"y":null}`, `{"y":null,"x":[10E399, "\/"]}`)
	} else if r.IntN(3) == 0 {
		add("o", true, pick("null", "[]", `"[]"`, "12", "1", `"1e0"`))
	}
	switch r.IntN(4) {
	case 0:
		add("p", true, `{"a":[1,[2]],"***":[]}`, `{"***":[],"\u0061":[1.0,[2]]}`)
	case 1:
		add("p", true, `{"a":[1,[3]],"***":[]}`, `{"***":[],"a":[1.0,[ 3]]}`)
	case 2:
		add("p", true, pick(`{"***":[1,[2]],"a":[]}`, `{"b":[null,"own"]}`))
	default:
		add("p", false, "{}")
	}
	members = append(members, `"q":`+anyOf(`"first"`, `"second"`))
	if spell.IntN(3) == 0 {
		members = append(members, `"unknown":`+anyOf("1", "[2]"))
	}
	spell.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}", "{" + strings.Join(counts, ";") + "}"
}

// Verify that a new optional field and a new default are no other input of a client that does not
// send them.
func TestFingerprintsOfReleases(t *testing.T) {
	type before struct {
		Title string `json:"title"`
		ID    string `json:"-" path:"id"`
	}
	type after struct {
		ID    string           `json:"-" path:"id"`
		Note  string           `json:"note,omitempty"`
		Size  int              `json:"size" default:"7"`
		Due   Optional[string] `json:"due,omitzero"`
		Trace string           `json:"-" header:"X-Trace,omitempty"`
		Title string           `json:"title"`
	}
	type noRoute interface {
		Set(ctx context.Context, in *before) error
	}
	type newRoute interface {
		Set(ctx context.Context, in *after) error
	}
	o := &Options{Resource: "notes", Idempotency: &Idempotency{Run: func(context.Context, string, func(context.Context) ([]byte, error)) ([]byte, error) { return nil, nil }},
		Methods: map[string]MethodOptions{"Set": {IdempotencyKey: KeyRequired}}}
	old, err := Register[noRoute](setImpl[before]{}, o)
	if err != nil {
		t.Fatal(err)
	}
	next, err := Register[newRoute](setImpl[after]{}, o)
	if err != nil {
		t.Fatal(err)
	}
	a := fingerprintOf(t, old.methods[0], `{"title":"t","id":"1"}`)
	for _, test := range []struct {
		name, text string
		same       bool
	}{
		{"the same", `{"id":"1","title":"t"}`, true},
		{"a size", `{"id":"1","title":"t","size":7}`, false},
		{"another id", `{"id":"2","title":"t"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if b := fingerprintOf(t, next.methods[0], test.text); (a == b) != test.same {
				t.Errorf("%s, then %s", a, b)
			}
		})
	}
	// Records have them, so they must never change.
	if a != "0_vxSMj7tMe411VI7F35RBRzb7UoilKOCYKOQULg1HA" {
		t.Errorf("the fingerprint is %s", a)
	}
}

type setImpl[In any] struct{}

func (setImpl[In]) Set(context.Context, *In) error { return nil }

// A sentIn has a field of each kind that counts in its own way.
type sentIn struct {
	N int                `json:"n,omitempty"`
	S int64              `json:"s,omitempty,string"`
	F float64            `json:"f,omitempty"`
	D json.Number        `json:"d,omitempty"`
	B *bool              `json:"b,omitempty"`
	T string             `json:"t,omitempty"`
	H *hiddenText        `json:"h,omitempty"`
	O Optional[string]   `json:"o,omitzero"`
	A any                `json:"a,omitempty"`
	R json.RawMessage    `json:"r,omitempty"`
	J *saltedJSON        `json:"j,omitempty"`
	L []*sentIn          `json:"l,omitempty"`
	M map[string]float64 `json:"m,omitempty"`
	U []sentUnion        `json:"u,omitempty"`
	X any                `json:"x,omitempty" idempotency:"-"`
}

type sentUnion struct {
	Type string   `json:"type" discriminator:"true"`
	A    *sentOne `variant:"a"`
	B    *sentTwo `variant:"b"`
}

type (
	sentOne struct {
		V float64 `json:"v,omitempty"`
		A any     `json:"a,omitempty" idempotency:"-"`
	}
	sentTwo struct {
		V string `json:"v,omitempty"`
		W any    `json:"w,omitempty"`
	}
)

// sentTree returns what counts of x, a tree of encoding/json, for a value of type t: nil inside of
// values that the application reads. It reports false for a number that is too large to compare.
func sentTree(x any, t reflect.Type) (tree any, ok bool) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && (t.Kind() == reflect.Interface || t == typeRaw || t == reflect.TypeFor[saltedJSON]()) {
		t = nil
	}
	ok = true
	inside := func(x any, t reflect.Type) any {
		tree, sound := sentTree(x, t)
		ok = ok && sound
		return tree
	}
	isNumber := t != nil && (t.Kind() == reflect.Int || t.Kind() == reflect.Int64 || t.Kind() == reflect.Float64 || t == typeNumber)
	switch x := x.(type) {
	case string:
		if isNumber {
			return inside(json.Number(x), nil), ok
		}
		return x, true
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(string(x)), "e")
		if power, err := strconv.Atoi(cmp.Or(exponent, "0")); err != nil || power < -999 || power > 999 {
			return nil, false
		}
		r, sound := new(big.Rat).SetString(string(x))
		return []any{"number", r.RatString()}, sound
	case []any:
		var item reflect.Type
		if t != nil {
			item = t.Elem()
		}
		list := []any{"list"}
		for _, x := range x {
			list = append(list, inside(x, item))
		}
		return list, ok
	case map[string]any:
		members := make(map[string]any)
		for name, x := range x {
			if member, counts := sentMemberType(t, name); counts {
				members[name] = inside(x, member)
			}
		}
		if t == reflect.TypeFor[sentUnion]() {
			form := reflect.TypeFor[sentOne]()
			if x["type"] == "b" {
				form = reflect.TypeFor[sentTwo]()
			}
			members, _ = inside(x, form).(map[string]any)
			members["type"] = x["type"]
		}
		return members, ok
	}
	return x, true
}

// sentMemberType returns the type of a member of an object of type t, and whether it counts.
func sentMemberType(t reflect.Type, name string) (reflect.Type, bool) {
	switch {
	case t == nil:
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case t.Kind() != reflect.Struct:
		return nil, false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("idempotency") == "" && strings.HasPrefix(f.Tag.Get("json")+",", name+",") {
			return f.Type, true
		}
	}
	return nil, false
}

// Fuzz which texts are equal. The oracle compares trees of encoding/json by value.
func FuzzFingerprints(f *testing.F) {
	for _, row := range [][2]string{
		{`{}`, `{"n":0}`},
		{`{"n":1,"t":"a"}`, `{"t":"\u0061","n":10e-1}`},
		{`{"s":"7"}`, `{"s":"70"}`},
		{`{"a":{"a":1,"b":[null,true,"é"]}}`, `{"a":{"b":[null,true,"\u00e9"],"a":1.0}}`},
		{`{"a":"1","r":"1"}`, `{"a":1,"r":1}`},
		{`{"d":1.50,"f":-0}`, `{"d":15e-1,"f":0}`},
		{`{"l":[{"l":[{"n":1,"x":2}]}]}`, `{"l":[{"x":1,"l":[{"n":1}]}]}`},
		{`{"m":{"b":1,"a":2}}`, `{"m":{"a":2,"b":1}}`},
		{`{"u":[{"type":"a","v":1}]}`, `{"u":[{"w":7,"v":1.0,"a":1,"type":"a"}]}`},
		{`{"u":[{"type":"b","v":"1"}]}`, `{"u":[{"v":"1","w":{},"type":"b"}]}`},
		{`{"o":null}`, `{"o":"null"}`},
		{`{"t":"` + strings.Repeat("x", 200) + `"}`, `{"a":"` + strings.Repeat("x", 200) + `"}`},
		{`{"h":"#","j":{"hash":1},"unknown":1}`, `{"h":"#","j":{"hash":2}}`},
	} {
		f.Add(row[0], row[1])
	}
	m := keyedPlan[sentIn, keyedBase](f)
	read := func(text string) (tree any, print string, ok bool) {
		in := m.key.newInput(false)
		if _, err := m.bind.bindObject(&decoder{sent: &in}, []byte(text)); err != nil {
			return nil, "", false
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&tree); err != nil {
			return nil, "", false // encoding/json has a limit of its own
		}
		return tree, in.fingerprint("k"), true
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		treeA, printA, ok := read(a)
		if !ok {
			return
		}
		again, err := json.Marshal(treeA) // in another order, and with other escapes
		if err != nil {
			t.Fatal(err)
		}
		if _, print, ok := read(string(again)); ok && print != printA {
			t.Errorf("%s and %s are two inputs", a, again)
		}
		treeB, printB, ok := read(b)
		if !ok {
			return
		}
		meansA, okA := sentTree(treeA, reflect.TypeFor[sentIn]())
		meansB, okB := sentTree(treeB, reflect.TypeFor[sentIn]())
		if okA && okB && reflect.DeepEqual(meansA, meansB) != (printA == printB) {
			t.Errorf("%s and %s: equal by value is %t", a, b, !(printA == printB))
		}
	})
}
