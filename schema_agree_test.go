package svc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// What the published schema accepts, the server accepts, and what it rejects,
// the server rejects. This file reads schemas as JSON Schema 2020-12 says, by a
// small validator of its own, and compares it with the decoder.

// agreeTypes are types with constraints; the types of the oracle come after.
func agreeTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[sConstraints](), reflect.TypeFor[sScalars](), reflect.TypeFor[sPointers](), reflect.TypeFor[sLists](), reflect.TypeFor[sQuoted](),
		reflect.TypeFor[sTree](), reflect.TypeFor[sPage[sTree]](), reflect.TypeFor[sEmbedding](), reflect.TypeFor[sBounds](),
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
}

func TestSchemaAgrees(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	var accepted, total int
	for i, c := range agreeCodecs(t) {
		w := texter{Rand: rand.New(rand.NewPCG(uint64(i), 20))}
		for range rounds {
			text := w.text(c.typ)
			for range 4 {
				total++
				if c.agree(t, text) {
					accepted++
				}
				text = w.damage(text)
			}
		}
	}
	if accepted < total/20 {
		t.Errorf("only %d of %d texts were accepted", accepted, total)
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
		c.strict = i%2 == 1
		s := c.of(typ, "T")
		c.finish()
		all = append(all, schemaCodec{compileType(t, typ.String(), typ, c.strict), s.schemaMap()})
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
	v := schemaReader{root: c.schema}
	invalid := v.validate(c.schema, value)
	switch {
	case err == nil && invalid != nil:
		t.Errorf("%s: %q is accepted; its schema says: %v", c.name, text, invalid)
	case err != nil && invalid == nil:
		for _, violation := range listOf(err) {
			if !finer(violation) {
				t.Errorf("%s: %q: %+v; its schema accepts it", c.name, text, violation)
			}
		}
	}
	return err == nil && invalid == nil
}

// finer reports whether a violation is of what a schema leaves to a format, or
// cannot say: ranges of numbers, the texts of types with methods, and two names
// for one key.
func finer(v Violation) bool {
	texts := []*complaint{mustBeTime, mustBeDuration, mustBeBase64, isNotValid, mustBeQuoted}
	return v.Rule == ruleRange || v.Rule == ruleDuplicate || slices.ContainsFunc(texts, func(m *complaint) bool { return m.message == v.Message })
}

// A schemaReader validates by the part of JSON Schema 2020-12 that svc writes.
type schemaReader struct{ root map[string]any }

func (d *schemaReader) validate(schema map[string]any, value any) error {
	for keyword, arg := range schema {
		if err := d.keyword(schema, keyword, arg, value); err != nil {
			return fmt.Errorf("%s: %w", keyword, err)
		}
	}
	return nil
}

func (d *schemaReader) keyword(schema map[string]any, keyword string, arg, value any) error {
	fails := func(bad bool) error {
		if bad {
			return fmt.Errorf("%v is not met by %v", arg, value)
		}
		return nil
	}
	text, isText := value.(string)
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	number, isNumber := value.(json.Number)
	switch keyword {
	case "$defs", "format", "description", "default", "examples":
		return nil
	case "$ref":
		name := strings.TrimPrefix(arg.(string), "#/$defs/")
		return d.validate(d.root["$defs"].(map[string]any)[name].(map[string]any), value)
	case "anyOf":
		return fails(!slices.ContainsFunc(arg.([]any), func(s any) bool { return d.validate(s.(map[string]any), value) == nil }))
	case "type":
		return fails(typeOf(value) != arg && !(arg == "integer" && isNumber && isWhole(number)))
	case "enum":
		return fails(!slices.ContainsFunc(arg.([]any), func(x any) bool { return equalAny(x, value) }))
	case "minLength":
		return fails(isText && len([]rune(text)) < count(arg))
	case "maxLength":
		return fails(isText && len([]rune(text)) > count(arg))
	case "pattern":
		match, err := parseECMA(arg.(string))
		if err != nil || !isText {
			return err
		}
		found, sure := match.search(text)
		return fails(sure && !found)
	case "minItems":
		return fails(isList && len(list) < count(arg))
	case "maxItems":
		return fails(isList && len(list) > count(arg))
	case "uniqueItems":
		for i, x := range list {
			if slices.ContainsFunc(list[:i], func(y any) bool { return equalAny(x, y) }) {
				return fails(true)
			}
		}
		return nil
	case "items":
		for _, x := range list {
			if err := d.validate(arg.(map[string]any), x); err != nil {
				return err
			}
		}
		return nil
	case "required":
		return fails(isObject && slices.ContainsFunc(arg.([]any), func(name any) bool { _, ok := object[name.(string)]; return !ok }))
	case "properties", "additionalProperties", "propertyNames":
		return d.members(schema, keyword, arg, object)
	case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf":
		return fails(isNumber && !meets(keyword, number, arg.(json.Number)))
	}
	return fmt.Errorf("a keyword that this validator does not know")
}

func (d *schemaReader) members(schema map[string]any, keyword string, arg any, object map[string]any) error {
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range object {
		own, known := properties[name]
		var err error
		switch {
		case keyword == "propertyNames":
			err = d.validate(arg.(map[string]any), name)
		case keyword == "properties" && known:
			err = d.validate(own.(map[string]any), value)
		case keyword == "additionalProperties" && !known && arg == false:
			err = fmt.Errorf("no such property")
		case keyword == "additionalProperties" && !known:
			err = d.validate(arg.(map[string]any), value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func count(arg any) int {
	n, err := arg.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return int(n)
}

// rational returns the value of a number, cut down to a size that does not
// matter where it is compared.
func rational(n json.Number) *big.Rat {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	if len(strings.TrimLeft(exponent, "+-0")) > 3 {
		x, _ := new(big.Rat).SetString(mantissa)
		if strings.HasPrefix(exponent, "-") {
			return x.Mul(x, big.NewRat(1, 1e18))
		}
		return x.Mul(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil)))
	}
	x, ok := new(big.Rat).SetString(string(n))
	if !ok {
		panic("not a number: " + string(n))
	}
	return x
}

func isWhole(n json.Number) bool {
	_, err := wholeNumber([]byte(n))
	return err == nil || strings.Contains(err.Error(), "range")
}

func meets(keyword string, n, bound json.Number) bool {
	if keyword == "multipleOf" {
		return new(big.Rat).Quo(rational(n), rational(bound)).IsInt()
	}
	c := rational(n).Cmp(rational(bound))
	switch keyword {
	case "minimum":
		return c >= 0
	case "exclusiveMinimum":
		return c > 0
	case "maximum":
		return c <= 0
	}
	return c < 0
}

// equalAny compares values as JSON Schema does: numbers by their value.
func equalAny(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, both := b.(json.Number)
	if isNumber && both {
		return rational(x).Cmp(rational(y)) == 0
	}
	return isNumber == both && reflect.DeepEqual(a, b)
}
