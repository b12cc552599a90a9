// Package jsonschema is a small validator for the part of JSON Schema that svc writes: of the
// dialect 2020-12, and of OpenAPI 3.0.3. It knows nothing of svc, so tests can hold what a
// server takes to what its documents say.
package jsonschema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Validator validates values by schemas of one document. Values are those of encoding/json
// with numbers as json.Number.
type Validator struct {
	// Root is the document that has the schemas which are referred to.
	Root map[string]any
	// Match reports whether a text has a match of the pattern of a schema.
	Match func(pattern, text string) (bool, error)
	// Formats has the check of each format that is asserted. The others say nothing.
	Formats map[string]func(value any) bool
}

// A Finding is a place of a value that is against a keyword.
type Finding struct {
	Path    []string // the names of members and the indexes that lead to the place
	Keyword string
	Arg     any // of the keyword
	Value   any // at the place
	// Branches has what is found by each schema of anyOf and oneOf. One of oneOf is empty
	// if several of them hold.
	Branches [][]Finding
}

// Error returns a finding as a text.
func (f *Finding) Error() string {
	return fmt.Sprintf("/%s: %s: %v is not met by %v", strings.Join(f.Path, "/"), f.Keyword, f.Arg, f.Value)
}

// Validate returns what in a value is against a schema.
func (v *Validator) Validate(schema, value any) []Finding { return v.validate(nil, schema, value) }

func (v *Validator) validate(path []string, schema, value any) (all []Finding) {
	if schema == true {
		return nil
	}
	object, ok := schema.(map[string]any)
	if !ok {
		return []Finding{{Path: path, Keyword: "false", Arg: schema, Value: value}}
	}
	for keyword, arg := range object {
		all = append(all, v.keyword(path, object, keyword, arg, value)...)
	}
	return all
}

// notes are keywords that no value is against: x-mcp-header is one of MCP.
var notes = [...]string{
	"$defs", "components", "default", "deprecated", "description", "discriminator", "example", "examples", "title", "nullable", "contentEncoding", "contentMediaType", "x-mcp-header",
}

func (v *Validator) keyword(path []string, schema map[string]any, keyword string, arg, value any) []Finding {
	bad := false
	switch keyword {
	case "$ref":
		return v.validate(path, v.lookup(arg.(string)), value)
	case "allOf":
		var all []Finding
		for _, s := range arg.([]any) {
			all = append(all, v.validate(path, s, value)...)
		}
		return all
	case "anyOf", "oneOf":
		return v.alternatives(path, keyword, arg.([]any), value)
	case "items":
		var all []Finding
		list, _ := value.([]any)
		for i, x := range list {
			all = append(all, v.validate(below(path, strconv.Itoa(i)), arg, x)...)
		}
		return all
	case "properties", "additionalProperties", "propertyNames":
		return v.members(path, schema, keyword, arg, value)
	case "type":
		bad = !hasType(schema, arg, value)
	case "enum":
		bad = !slices.ContainsFunc(arg.([]any), func(x any) bool { return Equal(x, value) })
	case "const":
		bad = !Equal(arg, value)
	case "format":
		check := v.Formats[arg.(string)]
		bad = check != nil && !check(value)
	case "pattern":
		if text, ok := value.(string); ok {
			found, err := v.Match(arg.(string), text)
			if bad = !found; err != nil {
				return []Finding{{Path: path, Keyword: "pattern: " + err.Error(), Arg: arg, Value: value}}
			}
		}
	case "required":
		object, ok := value.(map[string]any)
		bad = ok && slices.ContainsFunc(arg.([]any), func(name any) bool { _, ok := object[name.(string)]; return !ok })
	default:
		if bad = !slices.Contains(notes[:], keyword) && !isMeasured(schema, keyword, arg, value); bad && !isMeasure(keyword) {
			keyword += ", which this validator does not know"
		}
	}
	if bad {
		return []Finding{{Path: path, Keyword: keyword, Arg: arg, Value: value}}
	}
	return nil
}

func below(path []string, name string) []string { return append(slices.Clip(path), name) }

// lookup returns the schema that ref refers to, such as "#/$defs/Note".
func (v *Validator) lookup(ref string) any {
	at := any(v.Root)
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, _ := at.(map[string]any)
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return at
}

func (v *Validator) alternatives(path []string, keyword string, schemas []any, value any) []Finding {
	var branches [][]Finding
	held := 0
	for _, s := range schemas {
		found := v.validate(path, s, value)
		if branches = append(branches, found); len(found) == 0 {
			held++
		}
	}
	if held == 1 || held > 1 && keyword == "anyOf" {
		return nil
	}
	return []Finding{{Path: path, Keyword: keyword, Value: value, Branches: branches}}
}

func (v *Validator) members(path []string, schema map[string]any, keyword string, arg, value any) (all []Finding) {
	object, _ := value.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, member := range object {
		own, known := properties[name]
		switch {
		case keyword == "propertyNames":
			all = append(all, v.validate(below(path, name), arg, name)...)
		case keyword == "properties" && known:
			all = append(all, v.validate(below(path, name), own, member)...)
		case keyword == "additionalProperties" && !known && arg == false:
			all = append(all, Finding{Path: below(path, name), Keyword: keyword, Arg: arg, Value: member})
		case keyword == "additionalProperties" && !known:
			all = append(all, v.validate(below(path, name), arg, member)...)
		}
	}
	return all
}

// hasType reports whether a value has the type, or is null where OpenAPI 3.0.3 says nullable.
func hasType(schema map[string]any, arg, value any) bool {
	number, isNumber := value.(json.Number)
	return typeOf(value) == arg || value == nil && schema["nullable"] == true || arg == "integer" && isNumber && rational(number).IsInt()
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

func isMeasure(keyword string) bool {
	switch keyword {
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return true
	}
	return false
}

// isMeasured reports whether a value is within a limit.
func isMeasured(schema map[string]any, keyword string, arg, value any) bool {
	switch value := value.(type) {
	case string:
		return isWithin(keyword, "Length", arg, len([]rune(value)))
	case map[string]any:
		return isWithin(keyword, "Properties", arg, len(value))
	case []any:
		for i, x := range value {
			if keyword == "uniqueItems" && arg == true && slices.ContainsFunc(value[:i], func(y any) bool { return Equal(x, y) }) {
				return false
			}
		}
		return isWithin(keyword, "Items", arg, len(value))
	case json.Number:
		switch keyword { // OpenAPI 3.0.3 says true beside the bound
		case "exclusiveMinimum", "exclusiveMaximum":
			bound, isNumber := arg.(json.Number)
			if inclusive := strings.ToLower(keyword[len("exclusive"):]); !isNumber && arg == true {
				bound = schema[inclusive].(json.Number)
			} else if !isNumber {
				return true
			}
			return meets(keyword, value, bound)
		case "minimum", "maximum", "multipleOf":
			return meets(keyword, value, arg.(json.Number))
		}
	}
	return isMeasure(keyword)
}

func isWithin(keyword, size string, arg any, n int) bool {
	if keyword != "min"+size && keyword != "max"+size {
		return isMeasure(keyword)
	}
	limit, err := arg.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	if keyword == "min"+size {
		return int64(n) >= limit
	}
	return int64(n) <= limit
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

func meets(keyword string, n, bound json.Number) bool {
	x := rational(n)
	if f, err := strconv.ParseFloat(string(n), 64); f == 0 && err == nil {
		x = new(big.Rat) // 1e-400 is 0 to validators that read doubles
	}
	if keyword == "multipleOf" {
		return new(big.Rat).Quo(x, rational(bound)).IsInt()
	}
	c := x.Cmp(rational(bound))
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

// Equal compares values as JSON Schema does: numbers by their value.
func Equal(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, both := b.(json.Number)
	if isNumber && both {
		return rational(x).Cmp(rational(y)) == 0
	}
	return isNumber == both && reflect.DeepEqual(a, b)
}
