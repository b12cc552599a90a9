package main

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A finding is one thing that one side holds against a body and the other does
// not. Exactly one of format, keyword and rule is set.
type finding struct {
	dialect int
	in      string   // of the parameter that it is about, or ""
	answer  bool     // it is about an answer, not a body
	value   any      // at the place in question; nil if there is none
	path    []string // of the place
	format  string   // that the validator found broken
	keyword string   // that the validator found broken
	rule    string   // of the server's violation
}

// differences is the list of everything that JSON Schema and svc cannot agree
// on, with the reason for each. A difference that is in no row is a bug.
var differences = [...]struct {
	what  string // and why
	match func(f finding) bool
}{
	{"an integer in a path in 3.0.3: a string there, with a pattern of its spelling and without its bounds",
		func(f finding) bool {
			return f.dialect == 0 && f.in == "path" && f.rule != "" && integerText.MatchString(f.text())
		}},
	{"int beyond int32, in 3.0.3: Go's int is published as int32 there, for clients that have no other, and Go's int is wider",
		func(f finding) bool { return f.dialect == 0 && f.format == "int32" && isInteger(f.value) }},
	{"uint64 beyond int64: there is no format for it, and int64 is what generators make the widest integer of",
		func(f finding) bool { return f.format == "int64" && isInteger(f.value) && !isNegative(f.value) }},
	{"the bounds of int64 where a validator compares doubles (this one does not): as doubles they are equal to their neighbours", never},
	{"integers in strings and in names: the pattern has their spelling and the number of their digits, and not their bounds",
		func(f finding) bool {
			named := len(f.path) > 1 && strings.HasPrefix(f.path[len(f.path)-2], "by")
			return f.rule == "range" && (f.isString() && isJustBeyond(f.value.(string)) || named && isJustBeyond(f.last()))
		}},
	{"a time in lower case or in a leap second: RFC 3339 has them, and Go's time.Time does not",
		func(f finding) bool { return f.rule == "type" && isOddTime(f.value) }},
	{"base64 without padding, with the URL alphabet, with line ends or with spare bits: OpenAPI says byte and not which base64; svc takes and writes RFC 4648, section 4",
		func(f finding) bool { return f.rule == "type" && f.isString() && isBase64(f.value.(string)) }},
	{"a number beyond what a float holds: no keyword says it in a form that people could read",
		func(f finding) bool { return f.rule == "range" && isBeyondFloat(f.text()) }},
	{"a number with more digits than a float holds: svc rounds before it compares, a validator does not",
		func(f finding) bool { return isComparison(f.rule+f.keyword) && anyInexact(f.value, 64) }},
	{"two numbers of a list that are one as floats of 32 bits: a list of floats is compared as it is stored",
		func(f finding) bool { return f.rule+f.keyword == "uniqueItems" && anyInexact(f.value, 32) }},
	{"a float of 32 bits in an answer: the rules are about the number that was sent, which is rounded when it is stored, perhaps onto a bound",
		func(f finding) bool { return f.answer && isComparison(f.keyword) && f.last() == "inside" }},
	{"a duration beyond 292 years: no pattern can add up",
		func(f finding) bool {
			return f.rule == "type" && f.isString() && isHugeDuration(f.value.(string))
		}},
	{"a text that a type with UnmarshalText refuses: only the type knows which",
		func(f finding) bool {
			return f.rule == "type" && (f.last() == "address" || f.last() == "from" || f.last() == "X-From" || len(f.path) > 1 && f.path[0] == "byAddress")
		}},
	{"two names that a type with UnmarshalText takes for one key: JSON Schema compares names as they are written",
		func(f finding) bool { return f.rule == "duplicate" && f.path[0] == "byAddress" }},
	{"the name of a member whose Go key is an integer or an enum, in 3.0.3, which has no propertyNames",
		func(f finding) bool {
			return f.dialect == 0 && len(f.path) > 1 && strings.HasPrefix(f.path[len(f.path)-2], "by") && (f.rule == "type" || f.rule == "range" || f.rule == "enum")
		}},
	{"an empty Last-Event-ID: no event has an empty ID, so a client that sends one has seen none (WHATWG HTML, section 9.2.4)",
		func(f finding) bool { return f.in == "header" && f.path[0] == "Last-Event-ID" && f.value == "" }},
	{"an If-None-Match or If-Modified-Since in two lines, or of no UTF-8: they never fail, and are no fields of an input (RFC 9110, section 13.1)",
		func(f finding) bool {
			return f.in == "header" && (f.path[0] == "If-None-Match" || f.path[0] == "If-Modified-Since")
		}},
	{"an If-Match or If-None-Match of a write that is no list of entity tags: a pattern of that syntax would stand in front of each reader (RFC 9110, section 8.8.3)",
		func(f finding) bool {
			return f.in == "header" && f.rule == "syntax" && (f.path[0] == "If-Match" || f.path[0] == "If-None-Match")
		}},
	{"-0 in a form for an integer that JSON has in a string: a form is read as a query, which takes -0 for an integer, and the pattern is that of the string",
		func(f finding) bool { return f.in == inForm && f.keyword == "pattern" && f.value == "-0" }},
	{"null for an optional pointer with a header of MCP: no anyOf can have one in it (not tested here)", never},
	{"a cookie with percent-encoding, which form style has by the letter: no server of cookies undoes it, and linters do not know the style cookie of 3.2 yet", never},
	{"1.0 for an integer by the letter of 3.0.3 (draft wright-00, section 4.2): read as every later draft and validator reads it", never},
}

func never(finding) bool { return false }

func (f finding) isString() bool { _, ok := f.value.(string); return ok }

func (f finding) last() string {
	if len(f.path) == 0 {
		return ""
	}
	return f.path[len(f.path)-1]
}

// text returns the number or string at the place, or else its name.
func (f finding) text() string {
	switch v := f.value.(type) {
	case json.Number:
		return string(v)
	case string:
		if _, err := strconv.ParseFloat(v, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return v
		}
	}
	return f.last()
}

func isInteger(v any) bool {
	num, ok := v.(json.Number)
	if !ok {
		return false
	}
	r, _ := new(big.Rat).SetString(string(num))
	return r.IsInt()
}

func isNegative(v any) bool { return strings.HasPrefix(string(v.(json.Number)), "-") }

// isJustBeyond reports whether text is an integer that is too large or too small for an integer
// type, and has no more digits than the numbers of the largest one.
func isJustBeyond(text string) bool {
	n, ok := new(big.Int).SetString(text, 10)
	return ok && len(strings.TrimPrefix(text, "-")) <= 20 && (n.Cmp(big.NewInt(127)) > 0 || n.Cmp(big.NewInt(-128)) < 0 || n.Sign() < 0)
}

func isOddTime(v any) bool {
	text, ok := v.(string)
	if !ok || len(text) < len("2006-01-02T15:04:05Z") {
		return false
	}
	upper := strings.ToUpper(text)
	if text[17:19] == "60" {
		upper = upper[:17] + "59" + upper[19:]
	}
	_, err := time.Parse(time.RFC3339Nano, upper)
	return upper != text && err == nil
}

func isBeyondFloat(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	return err != nil && math.IsInf(f, 0) || math.Abs(f) > math.MaxFloat32
}

func isComparison(keyword string) bool {
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enum", "uniqueItems":
		return true
	}
	return false
}

// anyInexact reports whether v is a number that a float of that many bits holds
// only nearly, or a list with one.
func anyInexact(v any, bits int) bool {
	if list, ok := v.([]any); ok {
		for _, item := range list {
			if anyInexact(item, bits) {
				return true
			}
		}
	}
	num, ok := v.(json.Number)
	if !ok {
		return false
	}
	want, _ := new(big.Rat).SetString(string(num))
	f, _ := strconv.ParseFloat(string(num), bits)
	got, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, bits))
	return !ok || got.Cmp(want) != 0
}

func isHugeDuration(text string) bool {
	_, err := time.ParseDuration(text)
	return err != nil && regexp.MustCompile(`^[-+]?([0-9]+(ns|h))+$`).MatchString(text)
}

// compare compares the validator's word on a body with the server's, and
// returns the rows of the differences. It reports false for one in no row.
func (o *operation) compare(dialect int, value any, violations []violation) (rows []int, ok bool) {
	err := o.body[dialect].Validate(value)
	switch {
	case (err == nil) == (len(violations) == 0):
		return nil, true
	case err != nil:
		return explainError(finding{dialect: dialect}, value, err)
	}
	return explainViolations(dialect, value, violations)
}

// checkAnswer holds an answer to the document: its headers, and its body or the items
// of its stream.
func (o *operation) checkAnswer(dialect int, w *httptest.ResponseRecorder) (rows []int, wrong error) {
	schema, body := o.answer[dialect], w.Body.Bytes()
	if w.Code == http.StatusNotModified {
		if !o.unchanged[dialect] || len(body) > 0 || w.Header().Get("ETag") == "" {
			return nil, errors.New("the document has no such answer")
		}
		return nil, nil
	}
	if w.Code >= 400 {
		schema = o.failure[dialect]
	} else if err := o.checkHeaders(dialect, w.Header()); err != nil {
		return nil, err
	}
	if schema == nil {
		if len(body) > 0 {
			return nil, errors.New("the document has no body")
		}
		return nil, nil
	}
	values := []any{}
	if strings.HasPrefix(w.Header().Get("Content-Type"), eventStream) {
		schema = o.item[dialect]
		values, wrong = o.readStream(string(body))
	} else {
		values = append(values, parse(string(body)))
	}
	for _, value := range values {
		if err := schema.Validate(value); err != nil {
			more, ok := explainError(finding{dialect: dialect, answer: true}, value, err)
			if rows = append(rows, more...); !ok {
				return nil, err
			}
		}
	}
	return rows, wrong
}

// explainError returns the rows for what the validator found and the server did
// not: all of it must be in the table. Of the findings f has what is known of them all;
// its path leads to value.
func explainError(f finding, value any, err error) (rows []int, ok bool) {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return nil, false
	}
	if _, any := v.ErrorKind.(*kind.AnyOf); any {
		// One branch is what should have held; the other is null.
		for _, cause := range v.Causes {
			if rows, ok = explainError(f, value, cause); ok {
				return rows, true
			}
		}
		return nil, false
	}
	if len(v.Causes) > 0 {
		for _, cause := range v.Causes {
			more, ok := explainError(f, value, cause)
			if !ok {
				return nil, false
			}
			rows = append(rows, more...)
		}
		return rows, true
	}
	f.path, f.value = slices.Concat(f.path, v.InstanceLocation), at(value, v.InstanceLocation)
	if format, is := v.ErrorKind.(*kind.Format); is {
		f.format = format.Want
	} else if path := v.ErrorKind.KeywordPath(); len(path) > 0 {
		f.keyword = path[len(path)-1]
	}
	return explain(f)
}

// explainViolations returns the rows for what the server found and the validator
// did not.
func explainViolations(dialect int, value any, violations []violation) (rows []int, ok bool) {
	for _, v := range violations {
		path := v.tokens()
		more, ok := explain(finding{dialect: dialect, path: path, value: at(value, path), rule: v.Rule})
		if !ok {
			return nil, false
		}
		rows = append(rows, more...)
	}
	return rows, len(rows) > 0
}

// A violation is one that the server found.
type violation struct{ In, Path, Rule string }

// violationsOf returns the violations of an answer: an envelope, a problem, or the
// data of a JSON-RPC error.
func violationsOf(answer []byte) []violation {
	type details struct{ Violations []violation }
	var body struct {
		Details details
		Error   struct{ Details details }
	}
	if json.Unmarshal(answer, &body) != nil {
		return nil
	}
	return append(body.Error.Details.Violations, body.Details.Violations...)
}

// tokens returns the parts of the path of v.
func (v violation) tokens() []string {
	path := strings.Split(strings.TrimPrefix(v.Path, "/"), "/")
	for i := range path {
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(path[i])
	}
	return path
}

func explain(f finding) (rows []int, ok bool) {
	for i, d := range differences {
		if d.match(f) {
			return []int{i}, true
		}
	}
	return nil, false
}

// at returns the value at a path, or nil.
func at(v any, path []string) any {
	for _, token := range path {
		switch container := v.(type) {
		case map[string]any:
			v = container[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(container) {
				return nil
			}
			v = container[i]
		default:
			return nil
		}
	}
	return v
}
