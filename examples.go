package svc

// This file makes examples of inputs, for readers: for the page, the Markdown, and calls with curl, in
// TypeScript and in Go. Documents for other tools, such as OpenAPI, have the examples of authors
// alone: tools test and answer with them, so that a guess would be a promise. The first of these that
// keeps the rules is the example of a value:
//
//	the tag example, or examples of JSONSchema
//	the first value of an enum
//	the default
//	a text of the format
//	for a text, one that fits the name of the field; for a number, the middle of its range
//	any other that keeps the rules, such as "abc" for the pattern ^[a-z]+$
//
// Each example is decoded as an input. There is none if the rules refuse all.

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// These limits are about one example.
const (
	maxExample       = 6    // levels of objects
	maxExampleValues = 1000 // objects and items together
)

// An exampler makes one example. It leaves objects empty below maxExample levels of objects, and all
// that comes after room objects and items: what is then incomplete is refused by its rules.
type exampler struct{ room int }

// exampleBody returns an example of the object s, or nil if none keeps the rules.
func exampleBody(s *shape) []byte {
	text := (&exampler{maxExampleValues}).object(s, 0)
	return ifAccepted(s, newDecoders(new(mistakes), false).decoderFor(s), text)
}

// exampleOfField returns an example of a field outside of a body, or nil if none keeps the rules.
func exampleOfField(f *field) []byte {
	text := (&exampler{maxExampleValues}).value(f, f.shape, 0, 0)
	return ifAccepted(f.shape, newDecoders(new(mistakes), false).fieldDecoder(f), text)
}

// ifAccepted returns the JSON of a value of s, or nil if decode refuses it.
func ifAccepted(s *shape, decode decodeFunc, text []byte) []byte {
	if decode.refusal(text, reflect.New(s.typ).Elem()) != "" {
		return nil
	}
	return text
}

// hasRoom reports whether there is room for one more object or item, and takes it.
func (e *exampler) hasRoom() bool {
	e.room--
	return e.room >= 0
}

// object returns an example of the object s, with the fields that are required or have an example.
// For a union it is an example of the first alternative.
func (e *exampler) object(s *shape, depth int) []byte {
	m := openMembers(nil)
	isEmpty := !e.hasRoom() || depth >= maxExample
	for _, f := range s.forms()[0].fields {
		switch {
		case f.hidden || isEmpty || !f.isRequired() && f.example == nil:
		case f.only != nil:
			m.addRaw(f.name, f.only)
		default:
			m.addRaw(f.name, e.value(f, f.shape, 0, depth+1))
		}
	}
	return m.close()
}

// value returns an example of shape s for the field f, or for its item nth. Examples of two items
// differ if they can, for lists with uniqueItems. Members that may be null are null, so a type that
// contains itself ends there, or in an empty list. depth is the number of objects around the value;
// a parameter has depth 0.
func (e *exampler) value(f *field, s *shape, nth, depth int) []byte {
	target := s.deref()
	enum := target.rules.lookup(roleValues)
	if s == f.shape {
		switch {
		case f.example != nil && !isJSONNull(f.example):
			return f.example
		case f.def != nil && !isJSONNull(f.def) && enum == nil:
			return f.def
		}
	}
	switch {
	case target != s && depth > 0 && !f.notNull:
		return []byte("null")
	case enum != nil:
		values := itemsOf(enum.value)
		return values[min(nth, len(values)-1)]
	case f.quoted: // the JSON of the value is in a string
		plain := *f
		plain.quoted = false
		return appendQuoted(nil, e.value(&plain, plain.shape, nth, depth))
	case target.kind == kindObject:
		return e.object(target, depth)
	case target.kind == kindByType:
		choice := target.exampleChoice()
		return e.value(choice, choice.shape, nth, depth)
	case target.kind == kindSlice, target.kind == kindArray:
		least := max(leastSize(target), 1-depth) // a query (depth 0) cannot have a list without items
		list := []json.RawMessage{}
		for i := 0; i < min(least, 20) && e.hasRoom(); i++ {
			list = append(list, e.value(f, target.elem, i, depth))
		}
		return encodeDocument(list)
	case target.kind == kindMap:
		m := openMembers(nil)
		for i := 0; i < min(leastSize(target), 20) && e.hasRoom(); i++ {
			m.addRaw(textOr(string(e.value(f, target.key, i, depth))), e.value(f, target.elem, i, depth))
		}
		return m.close()
	case target.kind == kindBool:
		return strconv.AppendBool(nil, nth%2 == 0)
	case target.kind.isNumeric():
		return []byte(firstAccepted(target, numberExamples(target.rules, nth)))
	case target.kind == kindDuration:
		return []byte(`"1s"`)
	case target.kind == kindBytes:
		return appendQuoted(nil, firstAccepted(target, bytesExamples(target)))
	case target.kind.isStringy() && target.custom["examples"] == nil:
		texts := textExamples(target.rules, cmp.Or(kindFormats[target.kind], target.format), f.name, nth)
		return appendQuoted(nil, firstAccepted(target, texts))
	}
	return customExample(target)
}

// exampleChoice returns the alternative of a union by JSON type to use as an example: the first
// with its own example, else the first scalar, since it cannot contain the union again, else the
// first of all.
func (s *shape) exampleChoice() *field {
	if i := slices.IndexFunc(s.fields, func(f *field) bool { return f.example != nil }); i >= 0 {
		return s.fields[i]
	}
	return s.fields[max(0, slices.IndexFunc(s.fields, func(f *field) bool { return f.shape.kind.isScalar() }))]
}

// leastSize returns the minimum number of items, members or bytes of a list, a map or a []byte of
// shape s.
func leastSize(s *shape) int {
	if least := s.rules.lookup(roleLeast); least != nil {
		return least.count
	}
	return reflect.Zero(s.typ).Len() // only an array has a length here
}

// customExample returns an example of a type with its own JSON: of its schema, or one of its type in
// JSON.
func customExample(s *shape) []byte {
	for _, keyword := range []string{"examples", "enum"} {
		if list, _ := s.custom[keyword].([]any); len(list) > 0 {
			return encodeDocument(list[0])
		}
	}
	kind, _ := s.custom["type"].(string)
	byType := map[string]string{"string": `"text"`, "integer": "1", "number": "1", "boolean": "true", "array": "[]", "object": "{}"}
	if known := byType[kind]; known != "" {
		return []byte(known)
	}
	return []byte(firstAccepted(s, []string{"{}", `"text"`, "1", `"1"`, "true", "[]"}))
}

// firstAccepted returns the first of texts that spells a value of s and keeps its rules. If no text
// does, or if s accepts every text, it returns the first one. The texts are the contents of JSON
// strings, for a kind with strings, and JSON for others.
func firstAccepted(s *shape, texts []string) string {
	if len(s.rules) == 0 && s.kind != kindText && s.kind != kindCustom { // UnmarshalText may refuse texts
		return texts[0]
	}
	decode := newDecoders(new(mistakes), false).decoderFor(s)
	i := slices.IndexFunc(texts, func(text string) bool {
		if s.kind.isStringy() {
			text = string(appendQuoted(nil, text))
		}
		return ifAccepted(s, decode, []byte(text)) != nil
	})
	return texts[max(i, 0)]
}

// bytesExamples returns base64 texts to try for a []byte of shape s: of hello, cut off or repeated
// to a size that s can have, of "", and of exampleTexts.
func bytesExamples(s *shape) (texts []string) {
	n := 5
	if most := s.rules.lookup(roleMost); most != nil {
		n = min(n, most.count)
	}
	n = max(n, min(leastSize(s), 1000))
	for _, text := range append([]string{strings.Repeat("hello", n/5+1)[:n], ""}, exampleTexts...) {
		texts = append(texts, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	return texts
}

// numberExamples returns numbers to try: the middle of a range, 1+nth, the bounds and their
// neighbours, and 0.25. All but the bounds are multiplied by the step of multipleOf.
//
//	minimum 10, nth 0               => 1, 10, 11, 9, 0.25
//	minimum 10, multipleOf 4, nth 1 => 8, 10, 12, 8, …
//	minimum 10, maximum 15          => 12, 1, 10, 11, …
func numberExamples(rules ruleSet, nth int) []string {
	step := 1.0
	if multiple := rules.lookup(roleStep); multiple != nil {
		step, _ = strconv.ParseFloat(string(multiple.value), 64)
	}
	inSteps := func(n float64) string { return string(appendFloat(nil, n*step, 64)) }
	var texts []string
	if low, high := rules.lookup(roleLow), rules.lookup(roleHigh); low != nil && high != nil {
		least, _ := strconv.ParseFloat(string(low.value), 64)
		most, _ := strconv.ParseFloat(string(high.value), 64)
		texts = append(texts, inSteps(math.Floor((least/2+most/2)/step)+float64(nth)))
	}
	texts = append(texts, inSteps(float64(1+nth)))
	for _, r := range rules {
		x, _ := strconv.ParseFloat(string(r.value), 64)
		texts = append(texts, string(r.value), inSteps(math.Floor(x/step)+1), inSteps(math.Ceil(x/step)-1))
	}
	return append(texts, "0.25")
}

// exampleTexts are texts that match many patterns.
var exampleTexts = strings.Fields(`1 a A a1 abc ABC text 1s 0.5 a-b AB-1 12 1234 12345 2026-01-02 #ffffff +15550100 a@b.co ` +
	`https://example.com/ 127.0.0.1 10.0.0.0/8 "text"`)

// namedTexts are texts for the fields whose names end in a word.
var namedTexts = [...][2]string{
	{"id", "1"}, // many IDs are numbers in texts
	{"email", "ada@example.com"}, {"url", "https://example.com/"}, {"uri", "https://example.com/"}, {"phone", "+15550100"},
	{"currency", "EUR"}, {"country", "GB"}, {"city", "London"}, {"language", "en"}, {"color", "#336699"}, {"date", "2026-01-02"},
}

// textExamples returns texts to try: one of the format, then one for the name of the field or
// "text", then exampleTexts and "".
func textExamples(rules ruleSet, format, name string, nth int) []string {
	text := "text"
	for _, row := range namedTexts {
		if strings.HasSuffix(strings.ToLower(name), row[0]) {
			text = row[1]
			break
		}
	}
	if nth > 0 {
		text += strconv.Itoa(nth + 1)
	}
	if least := rules.lookup(roleLeast); least != nil {
		text += strings.Repeat("x", max(0, min(least.count, 1000)-len(text)))
	}
	if checked := formatNamed(format); checked != nil {
		return slices.Concat(checked.samples, []string{text}, exampleTexts, []string{""})
	}
	return slices.Concat([]string{text}, exampleTexts, []string{""})
}
