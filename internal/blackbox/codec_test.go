package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// This file tests Codec: that what it writes is read back as it was, what it reads of other
// versions, its errors, and that it costs no more than a call.

// A storedUnions has a union in every position where an object can be.
type storedUnions struct {
	One      kitchen.Choice               `json:"one"`
	Pointer  *kitchen.Choice              `json:"pointer"`
	Maybe    *kitchen.Choice              `json:"maybe,omitempty"`
	Zero     *kitchen.Choice              `json:"zero,omitzero"`
	Optional svc.Optional[kitchen.Choice] `json:"optional,omitzero"`
	List     []kitchen.Choice             `json:"list"`
	Pointers []*kitchen.Choice            `json:"pointers"`
	Array    [2]kitchen.Choice            `json:"array"`
	Map      map[string]kitchen.Choice    `json:"map"`
	Lists    map[int8][]kitchen.Choice    `json:"lists"`
	Inside   struct {
		Choice kitchen.Choice `json:"choice"`
	} `json:"inside"`
	*StoredBase
	Lines []storedLine `json:"lines"`
}

// A StoredBase is embedded by a pointer that may be nil, and has a default.
type StoredBase struct {
	Base  kitchen.Choice `json:"base"`
	Level int            `json:"level,omitempty" default:"3"`
}

// A storedLine has fields whose zero value must not become the default.
type storedLine struct {
	Count   int               `json:"count,omitempty" default:"5"`
	Fine    bool              `json:"fine,omitzero" default:"true"`
	Pointer *int              `json:"pointer,omitempty" default:"7"`
	Names   []string          `json:"names,omitempty" default:"[\"a\"]"`
	Map     map[string]string `json:"map,omitempty" default:"{\"a\":\"b\"}"`
}

// A storedTest writes and reads values of one type.
type storedTest struct {
	name string
	run  func(t *testing.T, g *inputs, n int)
}

// stores returns the test of a type.
func stores[T any]() storedTest {
	return storedTest{strings.TrimPrefix(reflect.TypeFor[T]().String(), "kitchen."), func(t *testing.T, g *inputs, n int) {
		codec := svc.NewCodec[T]()
		for range n {
			in := new(T)
			g.fillWhole(reflect.ValueOf(in).Elem())
			before := showInput(reflect.ValueOf(in))
			text, err := codec.Encode(in)
			if err != nil {
				t.Fatalf("%s: %v", before, err)
			}
			if after := showInput(reflect.ValueOf(in)); after != before {
				t.Fatalf("Encode has changed its argument from %s to %s", before, after)
			}
			out, err := codec.Decode(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if place := differs(reflect.ValueOf(in).Elem(), reflect.ValueOf(out).Elem()); place != "" {
				t.Fatalf("%s\nbecame %s\n%s\nat %s", before, text, showInput(reflect.ValueOf(out)), place)
			}
			if _, err := codec.Encode(out); err != nil {
				t.Fatalf("%s cannot be written again: %v", text, err)
			}
		}
	}}
}

// fillWhole fills v, and the unions in it that fill leaves empty.
func (g *inputs) fillWhole(v reflect.Value) {
	g.fill(v, "", 0)
	g.fillUnions(v)
}

func (g *inputs) fillUnions(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			g.fillUnions(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			g.fillUnions(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			g.fillUnions(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		switch x := v.Addr().Interface().(type) {
		case *kitchen.Choice:
			if x.Text == nil && x.Number == nil && x.Nested == nil && x.None == nil {
				x.None = &struct{}{}
			}
		case *kitchen.Prose:
			if x.Text == nil && x.Parts == nil {
				x.Text = new(string)
			}
		case *svc.Optional[kitchen.Choice]:
			if value, ok := x.Get(); ok {
				g.fillUnions(reflect.ValueOf(&value).Elem())
				x.Set(value)
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				g.fillUnions(v.Field(i))
			}
		}
	}
}

// differs returns a place where out, which was read, is not in, which was written, or "". It
// allows what the comment of Codec does.
func differs(in, out reflect.Value) string {
	switch x := in.Addr().Interface().(type) {
	case *time.Time:
		return differ(x.Equal(out.Interface().(time.Time)))
	case *json.RawMessage:
		var a, b bytes.Buffer
		text := *x
		if len(text) == 0 {
			text = json.RawMessage("null")
		}
		return differ(json.Compact(&a, text) == nil && json.Compact(&b, out.Bytes()) == nil && a.String() == b.String())
	case *json.Number:
		return differ(*x == out.Interface() || *x == "" && out.String() == "0")
	case *any:
		return differ(reflect.DeepEqual(*x, out.Interface()))
	case *kitchen.Opaque:
		a, _ := json.Marshal(x)
		b, _ := json.Marshal(out.Interface())
		return differ(bytes.Equal(a, b))
	case *kitchen.Extra:
		return differ(x.Note == out.Interface().(kitchen.Extra).Note) // the other field is hidden by one of Flat
	case interface{ IsSet() bool }: // an Optional
		if y := out.Addr().Interface().(interface{ IsSet() bool }); x.IsSet() != y.IsSet() {
			return " is absent"
		}
		a, b := in.Addr().MethodByName("Get").Call(nil), out.Addr().MethodByName("Get").Call(nil)
		if !a[1].Bool() || !b[1].Bool() {
			return differ(a[1].Bool() == b[1].Bool())
		}
		return differs(addressable(a[0]), addressable(b[0]))
	case *kitchen.Choice:
		y := out.Addr().Interface().(*kitchen.Choice)
		if y.Type == "" || x.Type != "" && x.Type != y.Type {
			return ".Type"
		}
		named := *x
		if named.Type = y.Type; x.Type == "" {
			in = reflect.ValueOf(&named).Elem()
		}
	}
	switch in.Kind() {
	case reflect.Pointer:
		if in.IsNil() || out.IsNil() { // a pointer to null is null
			isNull := in.IsNil() || (in.Elem().Kind() == reflect.Pointer || in.Elem().Kind() == reflect.Interface) && in.Elem().IsNil()
			return differ(isNull && out.IsNil())
		}
		return differs(in.Elem(), out.Elem())
	case reflect.Slice, reflect.Array:
		if in.Len() != out.Len() {
			return " has another length"
		}
		for i := range in.Len() {
			if place := differs(in.Index(i), out.Index(i)); place != "" {
				return fmt.Sprintf("[%d]%s", i, place)
			}
		}
		return ""
	case reflect.Map:
		if in.Len() != out.Len() {
			return " has another length"
		}
		for _, key := range in.MapKeys() {
			if value := out.MapIndex(key); !value.IsValid() || differs(addressable(in.MapIndex(key)), addressable(value)) != "" {
				return fmt.Sprintf("[%v]", key)
			}
		}
		return ""
	case reflect.Struct:
		for i := range in.NumField() {
			if !in.Type().Field(i).IsExported() {
				return differ(reflect.DeepEqual(in.Interface(), out.Interface()))
			}
			if place := differs(in.Field(i), out.Field(i)); place != "" {
				return "." + in.Type().Field(i).Name + place
			}
		}
		return ""
	}
	return differ(in.Interface() == out.Interface())
}

func differ(same bool) string {
	if same {
		return ""
	}
	return " is different"
}

// addressable returns a copy of v that can be addressed.
func addressable(v reflect.Value) reflect.Value {
	x := reflect.New(v.Type()).Elem()
	x.Set(v)
	return x
}

// Decode(Encode(v)) equals v, for every kind of type and unions in every position.
func TestCodecReadsBack(t *testing.T) {
	tests := []storedTest{
		stores[storedUnions](), stores[storedLine](),
		stores[kitchen.Choice](), stores[kitchen.Choices](), stores[kitchen.ChoiceOrNull](), stores[kitchen.Prose](), stores[kitchen.Letter](),
		stores[kitchen.Numbers](), stores[kitchen.Bounds](), stores[kitchen.Floats](), stores[kitchen.Texts](), stores[kitchen.Lists](),
		stores[kitchen.Maps](), stores[kitchen.Optional](), stores[kitchen.Quoted](), stores[kitchen.Free](), stores[kitchen.Flat](),
		stores[kitchen.Tree](), stores[kitchen.Enums](), stores[kitchen.Shade](),
		stores[[]kitchen.Choice](), stores[map[string]*kitchen.Choice](), stores[[]storedUnions](), stores[*kitchen.Inner](),
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, &inputs{Rand: rand.New(rand.NewPCG(uint64(i), 45)), stored: true}, rounds(100, 5000))
		})
	}
}

// A storedTodo is what a newer version of a program stores. The older one had no Owner, no
// limit of the title, and a list of tags as a text.
type storedTodo struct {
	Title string            `json:"title" maxLength:"5"`
	Owner string            `json:"owner" minLength:"1"`
	State string            `json:"state" enum:"open,done" default:"open"`
	Tags  []string          `json:"tags" maxItems:"1" minLength:"2"`
	Due   *string           `json:"due,omitempty" nullable:"false"`
	Pay   *kitchen.Choice   `json:"pay,omitempty"`
	Lines []storedLine      `json:"lines,omitempty"`
	Sizes map[string]uint16 `json:"sizes,omitempty" maxProperties:"1"`
}

// Validate refuses one title.
func (s *storedTodo) Validate() error {
	if s.Title == "never" {
		return errors.New("is never done")
	}
	return nil
}

// Verify what Decode reads and refuses, and with which violations.
func TestCodecDecode(t *testing.T) {
	tests := []struct {
		name, in string
		want     string // what Encode writes of it, or the violations
	}{
		{"absent members are zero or have their default", `{}`, `{"title":"","owner":"","state":"open","tags":[]}`},
		{"absent members inside", `{"lines":[{}]}`, `{"title":"","owner":"","state":"open","tags":[],"lines":[{"count":5,"fine":true,"pointer":7,"names":["a"],"map":{"a":"b"}}]}`},
		{"too many defaults", `{"lines":[` + strings.Repeat("{},", 200_000) + `{}]}`, "/lines/69905/names required"},
		{"unknown members are ignored", `{"old":[1,{"x":null}],"title":"a"}`, `{"title":"a","owner":"","state":"open","tags":[]}`},
		{"rules are for Check", `{"title":"too long","owner":"","state":"late","tags":["a","b"],"sizes":{"a":1,"b":2}}`, `{"title":"too long","owner":"","state":"late","tags":["a","b"],"sizes":{"a":1,"b":2}}`},
		{"null where a rule forbids it", `{"due":null}`, `{"title":"","owner":"","state":"open","tags":[]}`},
		{"Validate is for Check", `{"title":"never"}`, `{"title":"never","owner":"","state":"open","tags":[]}`},
		{"a discriminator that comes last", ` {"pay" : {"value": 1.5, "id":3, "exact":false,"type": "number"} } `, `{"title":"","owner":"","state":"open","tags":[],"pay":{"type":"number","id":3,"value":1.5,"exact":false}}`},
		{"types are strict", `{"title":1,"tags":"a,b","sizes":{"a":70000}}`, "/title type, /tags type, /sizes/a range"},
		{"null for what has none", `{"title":null}`, "/title type"},
		{"an unknown alternative", `{"pay":{"type":"other","id":1}}`, "/pay/type enum"},
		{"a union without a discriminator", `{"pay":{"id":1}}`, "/pay/type required"},
		{"a member of an alternative", `{"pay":{"type":"number","id":1,"value":"x"}}`, "/pay/value type"},
		{"a name twice", `{"title":"a","title":"b"}`, "/title duplicate"},
		{"no JSON", `{"title":`, " syntax"},
		{"nothing", ``, " syntax"},
		{"more than one value", `{} {}`, " syntax"},
		{"another type", `[]`, " type"},
		{"null", `null`, " type"},
		{"a text that is not UTF-8", "{\"title\":\"\xff\"}", " syntax"},
	}
	codec := svc.NewCodec[storedTodo]()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := []byte(test.in)
			got, err := codec.Decode(data)
			if string(data) != test.in {
				t.Errorf("Decode has changed its text to %s", data)
			}
			if err != nil {
				if places := storedPlaces(err); places != test.want || svc.CodeOf(err) != svc.CodeDataLoss || got != nil {
					t.Errorf("%v\nviolations %s, want %s", err, places, test.want)
				}
				return
			}
			clear(data) // of which nothing may be kept
			if text, err := codec.Encode(got); err != nil || string(text) != test.want {
				t.Errorf("%s, %v\nwant %s", text, err, test.want)
			}
		})
	}
}

// storedPlaces returns the places and rules of the violations of err.
func storedPlaces(err error) string {
	var e *svc.Error
	if !errors.As(err, &e) {
		return fmt.Sprintf("%T", err)
	}
	var out []string
	for _, v := range e.Violations() {
		out = append(out, v.Path+" "+v.Rule)
	}
	return strings.Join(out, ", ")
}

// Verify what Check refuses, and with which violations.
func TestCodecCheck(t *testing.T) {
	null := svc.Optional[kitchen.Choice]{}
	null.Set(kitchen.Choice{})
	good := storedTodo{Title: "a", Owner: "b", State: "open"}
	with := func(change func(*storedTodo)) *storedTodo {
		todo := good
		change(&todo)
		return &todo
	}
	todos, unions := svc.NewCodec[storedTodo](), svc.NewCodec[storedUnions]()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"good", todos.Check(&good), ""},
		{"rules", todos.Check(&storedTodo{Title: "too long", State: "late", Tags: []string{"a", "b"}, Sizes: map[string]uint16{"a": 1, "b": 2}}),
			"/title maxLength, /owner minLength, /state enum, /tags maxItems, /tags/0 minLength, /tags/1 minLength, /sizes maxProperties"},
		{"Validate", todos.Check(with(func(s *storedTodo) { s.Title = "never" })), " validate"},
		{"rules inside of a union", todos.Check(with(func(s *storedTodo) { s.Pay = &kitchen.Choice{ID: -1, Number: &kitchen.NumberChoice{Value: -11}} })), "/pay/id minimum, /pay/value minimum"},
		{"an empty discriminator", todos.Check(with(func(s *storedTodo) { s.Pay = &kitchen.Choice{None: &struct{}{}} })), ""},
		{"a discriminator of another alternative", todos.Check(with(func(s *storedTodo) { s.Pay = &kitchen.Choice{Type: "text", None: &struct{}{}} })), "/pay variant"},
		{"unions without an alternative", unions.Check(&storedUnions{Optional: null, List: make([]kitchen.Choice, 1)}),
			"/one variant, /optional variant, /list/0 variant, /array/0 variant, /array/1 variant, /inside/choice variant"},
		{"nil", todos.Check(nil), " type"},
		{"a value of a type with Enum", svc.NewCodec[kitchen.Shade]().Check(new(kitchen.Shade)), " enum"},
		{"values of a map", svc.NewCodec[map[string]kitchen.Inner]().Check(&map[string]kitchen.Inner{"b": {}, "a": {}}), "/a/id minimum, /b/id minimum"},
		{"a type without rules", svc.NewCodec[[]string]().Check(&[]string{"a"}), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			switch {
			case test.want == "" && test.err != nil:
				t.Error(test.err)
			case test.want != "" && (storedPlaces(test.err) != test.want || svc.CodeOf(test.err) != svc.CodeInvalidArgument):
				t.Errorf("%v\nviolations %s, want %s", test.err, storedPlaces(test.err), test.want)
			}
		})
	}
}

// Verify the errors of Encode: INTERNAL, with violations.
func TestCodecEncodeErrors(t *testing.T) {
	loop := map[string]any{}
	loop["loop"] = loop
	many := make([]storedLine, 40)
	encode := func(_ []byte, err error) error { return err }
	todos := svc.NewCodec[storedTodo]()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"no alternative", encode(todos.Encode(&storedTodo{Title: "too long", Pay: &kitchen.Choice{}})), "/pay variant"},
		{"two alternatives", encode(todos.Encode(&storedTodo{Pay: &kitchen.Choice{Text: new(kitchen.TextChoice), None: &struct{}{}}})), "/pay variant"},
		{"another alternative", encode(todos.Encode(&storedTodo{Lines: many, Pay: &kitchen.Choice{Type: "text", None: &struct{}{}}})), "/pay variant"},
		{"not a number", encode(svc.NewCodec[float64]().Encode(ptr(math.NaN()))), " type"},
		{"a value that contains itself", encode(svc.NewCodec[any]().Encode(ptr(any(loop)))), " syntax"},
		{"text of an any", encode(svc.NewCodec[any]().Encode(ptr(any(func() {})))), " type"},
		{"nil", encode(todos.Encode(nil)), " type"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if storedPlaces(test.err) != test.want || svc.CodeOf(test.err) != svc.CodeInternal {
				t.Errorf("%v\nviolations %s, want %s", test.err, storedPlaces(test.err), test.want)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// A method that returns an error of Decode answers 500, and its client does not see what is
// stored.
func TestCodecErrorInCall(t *testing.T) {
	codec := svc.NewCodec[storedTodo]()
	service := svc.MustRegister[storedAPI](storedImpl{codec}, &svc.Options{Resource: "todos", Methods: map[string]svc.MethodOptions{"Find": {HTTP: "GET /todos/find"}}, Logger: slog.New(slog.DiscardHandler)})
	w := httptest.NewRecorder()
	service.REST().ServeHTTP(w, httptest.NewRequest("GET", "/todos/find", nil))
	if body := w.Body.String(); w.Code != 500 || strings.Contains(body, "title") || !strings.Contains(body, "DATA_LOSS") {
		t.Errorf("%d %s", w.Code, body)
	}
}

type storedAPI interface {
	Find(context.Context) (*kitchen.Inner, error)
}

type storedImpl struct{ codec *svc.Codec[storedTodo] }

func (s storedImpl) Find(context.Context) (*kitchen.Inner, error) {
	_, err := s.codec.Decode([]byte(`{"title":1}`))
	return nil, err
}

type (
	storedOneWay struct {
		A storedWriter `json:"a"`
		B int          `json:"b" minimum:"x"`
		C int          `json:"c" minimum:"5" default:"4"`
		D string       `json:"d" validate:"required"`
		E svc.Body
	}
	storedFunc struct {
		F func() `json:"f"`
	}
)

// A storedWriter can be written and not read.
type storedWriter struct{}

func (storedWriter) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// All mistakes of a type are in the panic, as Register tells them.
func TestNewCodecMistakes(t *testing.T) {
	tests := []struct {
		name string
		make func()
		want []string
	}{
		{"a struct", func() { svc.NewCodec[storedOneWay]() }, []string{
			"svc: cannot make a codec of blackbox_test.storedOneWay:",
			"storedOneWay.A: blackbox_test.storedWriter has MarshalJSON but not UnmarshalJSON, so it cannot be part of an object that a Codec writes and reads",
			`storedOneWay.B: minimum:"x": want a number of the field's type`,
			"storedOneWay.C: the default 4 is refused: must be at least 5",
			"storedOneWay.D: svc does not read the tag validate",
			"storedOneWay has a Body or a File, which is not JSON",
		}},
		{"a field that JSON cannot carry", func() { svc.NewCodec[storedFunc]() }, []string{"storedFunc.F: JSON cannot carry a func()"}},
		{"an Optional", func() { svc.NewCodec[svc.Optional[int]]() }, []string{"is an Optional, which only a field can be"}},
		{"a File", func() { svc.NewCodec[svc.File]() }, []string{"svc.File has a Body or a File"}},
		{"an interface", func() { svc.NewCodec[error]() }, []string{"JSON cannot say which type is in the interface error"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				text := fmt.Sprint(recover())
				for _, want := range test.want {
					if !strings.Contains(text, want) {
						t.Errorf("%s\nwant %s", text, want)
					}
				}
			}()
			test.make()
		})
	}
}

// A codec serves many goroutines, and values do not share memory with it.
func TestCodecConcurrent(t *testing.T) {
	codec := svc.NewCodec[storedUnions]()
	g := &inputs{Rand: rand.New(rand.NewPCG(1, 46)), stored: true}
	in := new(storedUnions)
	g.fillWhole(reflect.ValueOf(in).Elem())
	want, err := codec.Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	for range 8 {
		done.Add(1)
		go func() {
			defer done.Done()
			for range 50 {
				text, err := codec.Encode(in) // which all of them share
				if err != nil || !bytes.Equal(text, want) {
					t.Errorf("%s, %v", text, err)
					return
				}
				if err := codec.Check(in); svc.CodeOf(err) != svc.CodeOK && svc.CodeOf(err) != svc.CodeInvalidArgument {
					t.Error(err)
				}
				out, err := codec.Decode(text)
				if clear(text); err != nil || differs(reflect.ValueOf(in).Elem(), reflect.ValueOf(out).Elem()) != "" {
					t.Errorf("%v, %v", out, err)
				}
				codec.Decode([]byte(`{"one":1`))
			}
		}()
	}
	done.Wait()
}
