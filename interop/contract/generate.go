package main

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A generator makes bodies from the schema of the 3.1 document: most of their
// parts right, at or near a limit, some of them wrong in a way that a client
// might be.
type generator struct {
	*rand.Rand
	document map[string]any
	wrongs   float64 // the chance that a part is wrong
}

// body returns a body for o, as JSON text.
func (g *generator) body(o *operation) string {
	g.document = o.document
	g.wrongs = [...]float64{0, 0, 0.01, 0.04, 0.15}[g.IntN(5)]
	return g.value(o.schema, "", 0)
}

// value returns a value for the schema of the member of that name.
func (g *generator) value(schema map[string]any, member string, depth int) string {
	if ref, ok := schema["$ref"].(string); ok {
		return g.value(dig(g.document, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), member, depth)
	}
	if g.Float64() < g.wrongs {
		return g.anything(2)
	}
	if g.Float64() < g.wrongs/2 {
		return "null" // everywhere
	}
	if all, ok := schema["allOf"].([]any); ok {
		return g.value(merged(schema, all[0].(map[string]any)), member, depth)
	}
	if alternatives, ok := schema["oneOf"].([]any); ok {
		i := g.IntN(len(alternatives))
		if depth > 4 {
			i = len(alternatives) - 1 // which ends
		}
		return g.value(alternatives[i].(map[string]any), member, depth)
	}
	if value, ok := schema["const"]; ok {
		return g.spell(value)
	}
	if branches, ok := schema["anyOf"].([]any); ok {
		i := g.IntN(len(branches))
		if depth > 4 {
			i = len(branches) - 1
		}
		return g.value(branches[i].(map[string]any), member, depth)
	}
	if enum, ok := schema["enum"].([]any); ok && g.IntN(10) > 0 {
		return g.spell(enum[g.IntN(len(enum))])
	}
	switch schema["type"] {
	case "object":
		return g.object(schema, member, depth)
	case "array":
		return g.array(schema, depth)
	case "string":
		if examples, ok := schema["examples"].([]any); ok && g.IntN(4) > 0 {
			return g.quote(examples[0].(string)) // the only one that is right for an address
		}
		return g.quote(g.text(schema))
	case "integer", "number":
		return g.number(schema)
	case "boolean":
		return g.pick("true", "false")
	case "null":
		return "null"
	}
	return g.anything(3)
}

// merged returns a schema with what the only schema of its allOf says in its place.
func merged(schema, only map[string]any) map[string]any {
	both := maps.Clone(only)
	for name, value := range schema {
		if name != "allOf" {
			both[name] = value
		}
	}
	return both
}

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

// object returns an object, which is the member of that name of another.
func (g *generator) object(schema map[string]any, member string, depth int) string {
	var members []string
	add := func(name, value string) { members = append(members, g.quote(name)+g.space()+":"+value) }
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range sortedKeys(properties) {
		needed := false
		for _, r := range required {
			needed = needed || r == name
		}
		switch leave := g.Float64() < g.wrongs/4; {
		case needed && leave, !needed && (depth > 4 || g.IntN(2) == 0):
		case leave:
			add(strings.ToUpper(name), g.value(properties[name].(map[string]any), name, depth+1))
		default:
			add(name, g.value(properties[name].(map[string]any), name, depth+1))
		}
	}
	extra, isMap := schema["additionalProperties"].(map[string]any)
	switch {
	case isMap && depth < 5:
		seen := make(map[string]bool)
		for range g.IntN(4) {
			name := g.name(schema)
			if member == "byAddress" && g.Float64() >= g.wrongs {
				name = g.pick("::1", "127.0.0.1", "::2", "::0:2")
			}
			if !seen[name] {
				seen[name] = true
				add(name, g.value(extra, "", depth+1))
			}
		}
	case !isMap && g.Float64() < g.wrongs/2:
		add("unknown", g.anything(2))
	}
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ","+g.space()) + "}"
}

// name returns a name for a member of a map.
func (g *generator) name(schema map[string]any) string {
	if names, ok := schema["propertyNames"].(map[string]any); ok {
		if enum, ok := names["enum"].([]any); ok && g.Float64() >= g.wrongs {
			return enum[g.IntN(len(enum))].(string)
		}
		if g.Float64() >= g.wrongs {
			return g.text(names)
		}
	}
	return g.pick(texts...)
}

func (g *generator) array(schema map[string]any, depth int) string {
	low, high := 0, 3
	if n, ok := schema["minItems"].(json.Number); ok {
		low, _ = strconv.Atoi(string(n))
	}
	if n, ok := schema["maxItems"].(json.Number); ok {
		high, _ = strconv.Atoi(string(n))
	}
	if depth > 5 {
		high = low
	}
	n := low + g.IntN(max(high-low, 0)+1)
	if g.Float64() < g.wrongs/2 {
		n = g.IntN(high + 3)
	}
	items, _ := schema["items"].(map[string]any)
	list := make([]string, n)
	for i := range list {
		list[i] = g.value(items, "", depth+1)
		if i > 0 && g.Float64() < 0.05 {
			list[i] = list[g.IntN(i)]
		}
	}
	return "[" + strings.Join(list, g.space()+",") + "]"
}

// texts are strings that mean something to someone.
var texts = []string{
	"", "a", "ab", "abc", "abcde", "abcdef", "é", "日本語日本", "日本語日本語", "\U0001f600\U0001f600", "\U0001f600\U0001f600\U0001f600\U0001f600\U0001f600", "red", "Red", "green", "blue",
	"AB-1", "AB-", "ab-1", "AB-12345\n", "top", "x\x00y", "\u2028", "<&>", "~/", "null", "true", "false", "TRUE", "True",
	"0", "-0", "1", "-1", "+1", "01", "00", " 1", "1 ", "1.0", "1e2", "1E0", "1.", ".5", "0.5", "-1.5e-3", "1e999", "-1e999", "1e-999", "NaN", "Infinity", "0x10", "1_000", "１",
	"127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32768", "-32769", "65535", "65536", "100000",
	"2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9999999999",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
	"18446744073709551615", "18446744073709551616", "99999999999999999999", "100000000000000000000", "12345678901234567890123",
	"\"\"", "\"x\"", "\"\\u00e9\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\q\"", "\"a\nb\"", "\"a\\nb\"", " \"x\"", "\"x\" ", "\"x", "\"\\\"\"", "\"a\"b\"", "\"\\uD83D\\u0041\"",
	"2006-01-02T15:04:05Z", "2006-01-02T15:04:05.123456789Z", "2006-01-02T15:04:05.1234567891234Z", "2006-01-02T15:04:05+01:00", "2006-01-02T15:04:05-23:59", "2006-01-02T15:04:05+24:00",
	"0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2006-01-02t15:04:05z", "2006-01-02T15:04:05z", "2016-12-31T23:59:60Z", "2006-02-29T00:00:00Z", "2004-02-29T00:00:00Z",
	"2006-01-02T24:00:00Z", "2006-01-02T15:04Z", "2006-01-02 15:04:05Z", "2006-01-02T15:04:05", "2006-01-02T15:04:05,5Z", "2006-01-02T5:04:05Z", "2006-01-02T15:04:05.Z", "2006-01-02T15:04:05+0100", "2006-13-02T15:04:05Z", "2006-01-02",
	"1h", "1h30m", "1.5s", "-2ms", "+3us", "4µs", "4μs", "5ns", ".5h", "5.h", "1h1h", "3000000h", "1d", "1", "h", "9223372036854775807ns", "9223372036854775808ns",
	"AA==", "AAA=", "AAAA", "AA", "AB==", "A", "A===", "AA=A", "+/+/", "-_-_", "AA\n==", "AAAA\r\nAAAA", "é===",
	"::1", "127.0.0.1", "::ffff:127.0.0.1", "127.1", "fe80::1%eth0", "::1 ",
	"a@b.test", "A.b+c@b-c.d.test", "a@b", "a@b.test ", "\"a\"@b.test", "urn:uuid:123E4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-426614174000",
}

func isStrictBase64(text string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && !strings.ContainsAny(text, "\r\n")
}

// text returns a string for a schema.
func (g *generator) text(schema map[string]any) string {
	if g.Float64() < g.wrongs {
		return g.pick(texts...)
	}
	right := rightTexts(schema)
	if len(right) == 0 {
		return g.pick(texts...)
	}
	return right[g.IntN(len(right))]
}

// rightTexts returns the texts that a schema takes, as far as it says.
func rightTexts(schema map[string]any) []string {
	var right []string
	pattern, _ := schema["pattern"].(string)
	re := regexp.MustCompile(pattern)
	low, high := 0, 1<<20
	if n, ok := schema["minLength"].(json.Number); ok {
		low, _ = strconv.Atoi(string(n))
	}
	if n, ok := schema["maxLength"].(json.Number); ok {
		high, _ = strconv.Atoi(string(n))
	}
	format, _ := schema["format"].(string)
	for _, text := range texts {
		n := utf8.RuneCountInString(text)
		if n < low || n > high || !re.MatchString(text) {
			continue
		}
		switch {
		case format == "date-time" && (len(text) < 20 || text[4] != '-'):
		case format == "byte" && !isStrictBase64(text):
		case checked[format] != nil && !checked[format].MatchString(text):
		default:
			right = append(right, text)
		}
	}
	return right
}

// quote writes a string, now and then with escapes that it does not need.
func (g *generator) quote(text string) string {
	quoted, _ := json.Marshal(text) // valid UTF-8
	if text == "" || g.IntN(50) > 0 {
		return string(quoted)
	}
	r, n := utf8.DecodeRuneInString(text)
	if r > 0xffff {
		return string(quoted)
	}
	rest, _ := json.Marshal(text[n:])
	hex := strconv.FormatInt(int64(r), 16)
	return `"\u` + strings.Repeat("0", 4-len(hex)) + hex + string(rest[1:])
}

func (g *generator) space() string {
	if g.IntN(20) > 0 {
		return ""
	}
	return g.pick(" ", "\n", "\t", "\r\n ")
}

// number returns a number at, near or within the limits of a schema.
func (g *generator) number(schema map[string]any) string {
	low, high := limits(schema)
	candidates := []*big.Rat{low, high, big.NewRat(0, 1), big.NewRat(1, 1), new(big.Rat).Quo(new(big.Rat).Add(low, high), big.NewRat(2, 1))}
	x := new(big.Rat).Set(candidates[g.IntN(len(candidates))])
	isInt := schema["type"] == "integer"
	step := big.NewRat(1, 1)
	if !isInt {
		step = big.NewRat(1, 8)
	}
	if schema["format"] == "float" && g.IntN(2) == 0 {
		step = big.NewRat(1, 1e9) // which a float of 32 bits loses
	}
	if n, ok := schema["multipleOf"].(json.Number); ok && g.IntN(4) > 0 {
		step.SetString(string(n))
		x.SetInt64(0)
	}
	x.Add(x, new(big.Rat).Mul(step, big.NewRat(int64(g.IntN(7)-3), 1)))
	if g.Float64() >= g.wrongs { // most are to be within
		if x.Cmp(low) < 0 {
			x.Add(low, step)
		}
		if x.Cmp(high) > 0 {
			x.Sub(high, step)
		}
	}
	if isInt && !x.IsInt() && g.Float64() >= g.wrongs {
		x.SetInt(new(big.Int).Quo(x.Num(), x.Denom()))
	}
	return g.spellNumber(x)
}

// limits returns the least and the greatest number that a schema takes, or what
// stands for them where it does not say.
func limits(schema map[string]any) (low, high *big.Rat) {
	low, high = big.NewRat(-1<<40, 1), big.NewRat(1<<40, 1)
	switch schema["format"] {
	case "int32":
		low, high = big.NewRat(-1<<31, 1), big.NewRat(1<<31-1, 1)
	case "int64":
		low, high = big.NewRat(-1<<63, 1), big.NewRat(1<<63-1, 1)
	}
	for keyword, bound := range map[string]*big.Rat{"minimum": low, "maximum": high, "exclusiveMinimum": low, "exclusiveMaximum": high} {
		if n, ok := schema[keyword].(json.Number); ok {
			tighter, _ := new(big.Rat).SetString(string(n))
			if (tighter.Cmp(bound) > 0) == (bound == low) {
				bound.Set(tighter)
			}
		}
	}
	return low, high
}

// spellNumber writes a number in one of the spellings that JSON has for it.
func (g *generator) spellNumber(x *big.Rat) string {
	text := strings.TrimRight(x.FloatString(12), "0")
	text = strings.TrimSuffix(text, ".")
	switch g.IntN(12) {
	case 0:
		if x.IsInt() {
			return text + ".0"
		}
	case 1:
		if x.IsInt() {
			return text + "e0"
		}
	case 2:
		if x.IsInt() && text != "0" && text != "-0" {
			return text + "00E-2"
		}
	case 3:
		if x.IsInt() && strings.HasSuffix(text, "0") && len(text) > 2 {
			return text[:len(text)-1] + "e+1"
		}
	}
	return text
}

// spell writes a value that a document has.
func (g *generator) spell(v any) string {
	switch v := v.(type) {
	case string:
		return g.quote(v)
	case json.Number:
		r, _ := new(big.Rat).SetString(string(v))
		return g.spellNumber(r)
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// anything returns any value at all.
func (g *generator) anything(depth int) string {
	n := 10
	if depth == 0 {
		n = 8
	}
	switch g.IntN(n) {
	case 0:
		return "null"
	case 1:
		return g.pick("true", "false")
	case 2, 3:
		return g.quote(g.pick(texts...))
	case 4:
		return strconv.Itoa(g.IntN(600) - 300)
	case 5, 6:
		return g.pick("0", "-0", "-0.0", "1.0", "1.5", "1e2", "100", "-1", "127", "128", "-129", "255", "256", "32768", "65536", "2147483648", "-2147483649", "4294967296",
			"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
			"1e20", "1e39", "1e400", "-1e400", "1e-400", "0.30000000000000001", "0.3", "0.1", "1.00000000000000000001", "15e-1", "10e-1", "123456789e-3", "0.99999999999999999", "1e18", "3.4028235e38", "3.5e38")
	case 7:
		return g.pick("[]", "{}", "[[]]", "[null]", `{"":0}`)
	case 8:
		list := make([]string, g.IntN(3))
		for i := range list {
			list[i] = g.anything(depth - 1)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	var members []string
	for i := range g.IntN(3) {
		members = append(members, `"`+string(rune('a'+i))+`":`+g.anything(depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}
