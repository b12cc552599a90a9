package svc

// This file reads published schemas back and says of a value whether they take
// it. It knows the keywords that svc publishes, and makes nothing of the plans
// that the schemas came from: two readers of one text have to agree.

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A contractSchema is a JSON Schema 2020-12, as far as svc writes it.
type contractSchema struct {
	Ref         string                     `json:"$ref"`
	Defs        map[string]*contractSchema `json:"$defs"`
	Type        string                     `json:"type"`
	Format      string                     `json:"format"`
	Enum        []json.RawMessage          `json:"enum"`
	AnyOf       []*contractSchema          `json:"anyOf"`
	Properties  map[string]*contractSchema `json:"properties"`
	Required    []string                   `json:"required"`
	Additional  *contractSchema            `json:"additionalProperties"`
	Names       *contractSchema            `json:"propertyNames"`
	Items       *contractSchema            `json:"items"`
	MinItems    *int                       `json:"minItems"`
	MaxItems    *int                       `json:"maxItems"`
	UniqueItems bool                       `json:"uniqueItems"`
	MinLength   *int                       `json:"minLength"`
	MaxLength   *int                       `json:"maxLength"`
	Pattern     string                     `json:"pattern"`
	Minimum     json.Number                `json:"minimum"`
	Maximum     json.Number                `json:"maximum"`
	Above       json.Number                `json:"exclusiveMinimum"`
	Below       json.Number                `json:"exclusiveMaximum"`
	MultipleOf  json.Number                `json:"multipleOf"`
	Examples    []json.RawMessage          `json:"examples"`

	never   bool // the schema false
	opaque  bool // has a keyword that is not here, from a type's own JSONSchema
	pattern *regexp.Regexp
}

// contractKeywords are those of contractSchema, and those that say nothing of
// values.
var contractKeywords = []string{
	"$ref", "$defs", "type", "format", "enum", "anyOf", "properties", "required", "additionalProperties", "propertyNames",
	"items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "minimum", "maximum",
	"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "examples", "default", "description", "title", "$comment", "deprecated",
}

// UnmarshalJSON takes true and false too, which are schemas.
func (s *contractSchema) UnmarshalJSON(text []byte) error {
	type plain contractSchema // without this method
	switch string(text) {
	case "true":
		return nil
	case "false":
		s.never = true
		return nil
	}
	var keywords map[string]json.RawMessage
	if err := json.Unmarshal(text, &keywords); err != nil {
		return err
	}
	for _, keyword := range sortedKeys(keywords) {
		s.opaque = s.opaque || !slices.Contains(contractKeywords, keyword)
	}
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		s.opaque = true // a keyword in a form that svc does not write, such as a list of types
	}
	if s.Pattern != "" {
		var err error
		if s.pattern, err = compilePattern(s.Pattern); err != nil {
			s.opaque = true
		}
	}
	return nil
}

// parseContract reads a schema that needs nothing beside it.
func parseContract(text []byte) *contractSchema {
	s := new(contractSchema)
	if err := json.Unmarshal(text, s); err != nil {
		s.opaque = true
	}
	return s
}

// A verdict says whether a schema takes a value. It is unsure where reading on
// is a matter of taste: a format that is not meant to be enforced, a keyword
// that only a type's author knows.
type verdict int8

const (
	refuses verdict = iota - 1
	unsure
	takes
)

func verdictOf(ok bool) verdict {
	if ok {
		return takes
	}
	return refuses
}

// judge returns the verdict of s on v, a value as encoding/json decodes it with
// UseNumber. root has the definitions.
func (s *contractSchema) judge(root *contractSchema, v any) verdict {
	if s.Ref != "" {
		def := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if def == nil {
			return unsure
		}
		return def.judge(root, v)
	}
	out := verdictOf(!s.never && s.isOfType(v))
	if s.opaque {
		out = min(out, unsure)
	}
	if s.Enum != nil {
		out = min(out, verdictOf(slices.ContainsFunc(s.Enum, func(e json.RawMessage) bool { return sameJSON(decodeJSON(e), v) })))
	}
	if s.AnyOf != nil {
		best := refuses
		for _, branch := range s.AnyOf {
			best = max(best, branch.judge(root, v))
		}
		out = min(out, best)
	}
	switch v := v.(type) {
	case map[string]any:
		out = min(out, s.judgeObject(root, v))
	case []any:
		out = min(out, s.judgeList(root, v))
	case string:
		out = min(out, s.judgeText(v))
	case json.Number:
		out = min(out, s.judgeNumber(v))
	}
	return out
}

func (s *contractSchema) isOfType(v any) bool {
	switch v := v.(type) {
	case nil:
		return s.Type == "" || s.Type == "null"
	case bool:
		return s.Type == "" || s.Type == "boolean"
	case string:
		return s.Type == "" || s.Type == "string"
	case []any:
		return s.Type == "" || s.Type == "array"
	case map[string]any:
		return s.Type == "" || s.Type == "object"
	case json.Number:
		return s.Type == "" || s.Type == "number" || s.Type == "integer" && ratOf(v).IsInt()
	}
	return false
}

// ratOf returns the value of a number. None here has more than a few hundred
// digits.
func ratOf(num json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(num))
	if !ok {
		return new(big.Rat)
	}
	return r
}

func (s *contractSchema) judgeObject(root *contractSchema, v map[string]any) verdict {
	out := takes
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return refuses
		}
	}
	for name, value := range v {
		if s.Names != nil {
			out = min(out, s.Names.judge(root, name))
		}
		if property := s.Properties[name]; property != nil {
			out = min(out, property.judge(root, value))
		} else if s.Additional != nil {
			out = min(out, s.Additional.judge(root, value))
		}
	}
	return out
}

func (s *contractSchema) judgeList(root *contractSchema, v []any) verdict {
	out := verdictOf((s.MinItems == nil || len(v) >= *s.MinItems) && (s.MaxItems == nil || len(v) <= *s.MaxItems))
	for i, item := range v {
		if s.Items != nil {
			out = min(out, s.Items.judge(root, item))
		}
		if s.UniqueItems && slices.ContainsFunc(v[:i], func(other any) bool { return sameJSON(item, other) }) {
			return refuses
		}
	}
	return out
}

func (s *contractSchema) judgeText(v string) verdict {
	n := utf8.RuneCountInString(v)
	ok := (s.MinLength == nil || n >= *s.MinLength) && (s.MaxLength == nil || n <= *s.MaxLength)
	if s.pattern != nil {
		ok = ok && s.pattern.MatchString(v)
	}
	switch s.Format {
	case "date-time":
		_, err := time.Parse(time.RFC3339Nano, v)
		ok = ok && err == nil && hasTimeForm([]byte(v))
	case "byte":
		_, err := base64.StdEncoding.Strict().DecodeString(v)
		ok = ok && err == nil && !strings.ContainsAny(v, "\r\n")
	}
	return verdictOf(ok)
}

// judgeNumber is unsure of what the formats leave open: int is published as
// int32, uint64 as int64.
func (s *contractSchema) judgeNumber(v json.Number) verdict {
	x := ratOf(v)
	broken := func(bound json.Number, wrong func(int) bool) bool { return bound != "" && wrong(x.Cmp(ratOf(bound))) }
	switch {
	case broken(s.Minimum, func(c int) bool { return c < 0 }),
		broken(s.Above, func(c int) bool { return c <= 0 }),
		broken(s.Maximum, func(c int) bool { return c > 0 }),
		broken(s.Below, func(c int) bool { return c >= 0 }),
		s.MultipleOf != "" && !new(big.Rat).Quo(x, ratOf(s.MultipleOf)).IsInt():
		return refuses
	}
	limit := map[string]float64{"int32": math.MaxInt32, "int64": math.MaxInt64, "float": math.MaxFloat32, "double": math.MaxFloat64}[s.Format]
	if f, _ := x.Float64(); limit > 0 && math.Abs(f) >= limit {
		return unsure
	}
	return takes
}

// decodeJSON decodes one JSON value for judge.
func decodeJSON(text []byte) any {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// sameJSON reports whether two values are one to JSON Schema, which compares
// numbers by value.
func sameJSON(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		return ok && ratOf(x).Cmp(ratOf(y)) == 0
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, sameJSON)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, value := range x {
			if other, ok := y[name]; !ok || !sameJSON(value, other) {
				return false
			}
		}
		return true
	}
	return a == b
}
