package svc

// This file reads the constraint tags of a field. A constraint is one rule: the
// keyword that schemas publish and the check that inputs must pass, made from
// the same tag at the same time.

import (
	"cmp"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A rule is one constraint on the values of a field.
type rule struct {
	keyword string   // of JSON Schema 2020-12
	value   []byte   // of the keyword, as JSON
	wrong   *mistake // what a client is told
	// broken reports whether a value, with pointers followed, is against the rule.
	broken func(v reflect.Value) bool
}

// A ruleTag makes a rule from the text of a constraint tag, for values of shape
// s. What is wrong with the tag comes back as want: what would be right.
type ruleTag struct {
	name string
	fits func(s *shape) bool
	on   string // what fits, for messages
	make func(s *shape, text string) (r rule, want string)
}

// ruleTags lists the constraint tags in the order in which schemas have them.
var ruleTags = [...]ruleTag{
	{"enum", isEnumerable, "a string or a number", makeEnum},
	{"minLength", isString, "a string", makeLength("minLength")},
	{"maxLength", isString, "a string", makeLength("maxLength")},
	{"pattern", isString, "a string", makePattern},
	{"minimum", isBoundable, "a number", makeBound("minimum", "must be at least ", func(c int) bool { return c < 0 })},
	{"exclusiveMinimum", isBoundable, "a number", makeBound("exclusiveMinimum", "must be more than ", func(c int) bool { return c <= 0 })},
	{"maximum", isBoundable, "a number", makeBound("maximum", "must be at most ", func(c int) bool { return c > 0 })},
	{"exclusiveMaximum", isBoundable, "a number", makeBound("exclusiveMaximum", "must be less than ", func(c int) bool { return c >= 0 })},
	{"multipleOf", isBoundable, "a number", makeMultiple},
	{"minItems", isSlice, "a slice", makeItems("minItems")},
	{"maxItems", isSlice, "a slice", makeItems("maxItems")},
	{"uniqueItems", isScalarList, "a slice or an array of strings, booleans or numbers", makeUnique},
}

func isString(s *shape) bool { return s.kind == kindString }
func isBoundable(s *shape) bool {
	return s.kind == kindInt || s.kind == kindUint || s.kind == kindFloat
}
func isEnumerable(s *shape) bool { return isString(s) || isBoundable(s) }
func isSlice(s *shape) bool      { return s.kind == kindSlice }
func isScalarList(s *shape) bool {
	return (isSlice(s) || s.kind == kindArray) && (isEnumerable(s.elem) || s.elem.kind == kindBool)
}

// applyTags reads every tag of a field but its names.
func (c *shapes) applyTags(f *field, tag reflect.StructTag, at string) {
	target := f.shape.deref()
	for _, t := range ruleTags {
		c.checkSpelling(tag, t.name, at)
		text, ok := tag.Lookup(t.name)
		switch {
		case !ok:
		case f.quoted:
			c.addf("%s: %s fits %s, and `json:\",string\"` makes this a string of another kind", at, t.name, t.on)
		case !t.fits(target):
			c.addf("%s: %s fits %s, and the field's type is %v", at, t.name, t.on, f.shape.typ)
		default:
			r, want := t.make(target, text)
			if want != "" {
				c.addf("%s: %s:%q: want %s", at, t.name, text, want)
				continue
			}
			f.rules = append(f.rules, r)
			if t.name == "minItems" {
				f.minItems, _ = strconv.Atoi(text)
			}
		}
	}
	f.doc, f.format = tag.Get("doc"), tag.Get("format")
	if own, _, _ := target.format(); f.format != "" && f.format != own && (target.kind == kindTime || target.kind == kindBytes) {
		c.addf("%s: format:%q does not change that a %v is read from %s; leave it out", at, f.format, target.typ, own)
	}
	for _, name := range [...]string{"default", "example", "format", "doc", "path", "query", "mcpheader"} {
		c.checkSpelling(tag, name, at)
	}
	if text, ok := tag.Lookup("default"); ok {
		f.def = c.literal(f, "default", text, at)
	}
	if text, ok := tag.Lookup("example"); ok {
		f.example = c.literal(f, "example", text, at)
	}
}

// checkSpelling notes a tag that is there in lower case only: reflect would
// pass over it without a word.
func (c *shapes) checkSpelling(tag reflect.StructTag, name, at string) {
	if lower := strings.ToLower(name); lower != name {
		if _, ok := tag.Lookup(lower); ok {
			c.addf("%s: the tag %s is spelt %s", at, lower, name)
		}
	}
}

// literal returns the JSON of a value written in a tag: as it is for strings,
// as JSON for everything else.
func (c *shapes) literal(f *field, tag, text, at string) []byte {
	if f.quoted || f.shape.deref().kind.isStringy() {
		return appendQuoted(nil, text)
	}
	if !isJSON([]byte(text)) {
		c.addf("%s: %s:%q: want a JSON value", at, tag, text)
		return nil
	}
	return []byte(text)
}

// isJSON reports whether text is one JSON value.
func isJSON(text []byte) bool {
	s := scanner{data: text}
	s.skip()
	s.end()
	return s.fault == nil
}

func makeEnum(s *shape, text string) (rule, string) {
	const want = "different values with commas between them, all of the field's type"
	r := rule{keyword: "enum", wrong: &mistake{"enum", "must be one of " + strings.ReplaceAll(text, ",", ", ")}}
	parts := strings.Split(text, ",")
	r.value = append(r.value, '[')
	for i, part := range parts {
		if i > 0 {
			r.value = append(r.value, ',')
		}
		if slices.ContainsFunc(parts[:i], func(other string) bool { return sameValue(s, part, other) }) {
			return r, want
		}
		if isString(s) {
			r.value = appendQuoted(r.value, part)
		} else {
			r.value = append(r.value, part...)
		}
	}
	r.value = append(r.value, ']')
	if isString(s) {
		r.broken = func(v reflect.Value) bool {
			text := v.String()
			for _, part := range parts {
				if text == part {
					return false
				}
			}
			return true
		}
		return r, ""
	}
	var values []func(reflect.Value) int
	for _, part := range parts {
		compare, ok := comparison(s, part)
		if !ok {
			return r, want
		}
		values = append(values, compare)
	}
	r.broken = func(v reflect.Value) bool {
		for _, compare := range values {
			if compare(v) == 0 {
				return false
			}
		}
		return true
	}
	return r, ""
}

// sameValue reports whether two values of an enum are one to JSON Schema, to
// which 1 and 1.0 are.
func sameValue(s *shape, a, b string) bool {
	if isString(s) || a == b {
		return a == b
	}
	_, okA := jsonNumber(a)
	_, okB := jsonNumber(b)
	if !okA || !okB {
		return false // which is another mistake
	}
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) == 0
}

// makeLength counts characters, as JSON Schema does: Unicode code points.
func makeLength(keyword string) func(*shape, string) (rule, string) {
	return func(_ *shape, text string) (rule, string) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || strconv.Itoa(n) != text {
			return rule{}, "a whole number of characters"
		}
		r := rule{keyword: keyword, value: []byte(text)}
		if keyword == "minLength" {
			r.wrong = &mistake{keyword, "must have at least " + counted(n, "character")}
			r.broken = func(v reflect.Value) bool {
				s := v.String()
				return len(s) < n || len(s) < n*utf8.UTFMax && utf8.RuneCountInString(s) < n
			}
		} else {
			r.wrong = &mistake{keyword, "must have at most " + counted(n, "character")}
			r.broken = func(v reflect.Value) bool {
				s := v.String()
				return len(s) > n && utf8.RuneCountInString(s) > n
			}
		}
		return r, ""
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func makePattern(_ *shape, text string) (rule, string) {
	re, err := compilePattern(text)
	if err != nil {
		return rule{}, "a regular expression that Go and ECMAScript share: " + err.Error()
	}
	return rule{
		keyword: "pattern",
		value:   appendQuoted(nil, text),
		wrong:   &mistake{"pattern", "must match the pattern " + text},
		broken:  func(v reflect.Value) bool { return !re.MatchString(v.String()) },
	}, ""
}

// makeBound makes a rule that compares a value with the number in the tag;
// outside tells by the comparison's result whether the value is against it.
func makeBound(keyword, message string, outside func(int) bool) func(*shape, string) (rule, string) {
	return func(s *shape, text string) (rule, string) {
		compare, ok := comparison(s, text)
		if !ok {
			return rule{}, "a number of the field's type, spelt as in JSON"
		}
		return rule{
			keyword: keyword,
			value:   []byte(text),
			wrong:   &mistake{keyword, message + text},
			broken:  func(v reflect.Value) bool { return outside(compare(v)) },
		}, ""
	}
}

// comparison returns a function that compares values of shape s with the
// number that text spells in JSON. Integers are compared as such: as doubles,
// those beyond 2^53 would be equal to their neighbours.
func comparison(s *shape, text string) (func(reflect.Value) int, bool) {
	num, ok := jsonNumber(text)
	if !ok {
		return nil, false
	}
	switch s.kind {
	case kindInt:
		mag, neg, bad := parseInteger(num)
		n, ok := signed(mag, neg)
		return func(v reflect.Value) int { return cmp.Compare(v.Int(), n) }, ok && bad == integerOK && s.holds(bound{mag, neg && mag > 0})
	case kindUint:
		mag, neg, bad := parseInteger(num)
		return func(v reflect.Value) int { return cmp.Compare(v.Uint(), mag) }, bad == integerOK && s.holds(bound{mag, neg && mag > 0})
	}
	x, err := strconv.ParseFloat(text, s.bits)
	return func(v reflect.Value) int { return cmp.Compare(v.Float(), x) }, err == nil
}

// jsonNumber returns text as a JSON number, if it is one from end to end.
func jsonNumber[T string | []byte](text T) ([]byte, bool) {
	s := scanner{data: []byte(text)}
	num := s.number()
	return num, s.fault == nil && s.pos == len(s.data)
}

// signed returns the int64 of a magnitude and a sign, and whether it is one.
func signed(mag uint64, neg bool) (int64, bool) {
	if neg {
		return -int64(mag), mag <= 1<<63
	}
	return int64(mag), mag < 1<<63
}

func makeMultiple(s *shape, text string) (rule, string) {
	const want = "a number above 0 of the field's type, spelt as in JSON"
	num, ok := jsonNumber(text)
	if !ok || num[0] == '-' {
		return rule{}, want
	}
	r := rule{keyword: "multipleOf", value: num, wrong: &mistake{"multipleOf", "must be a multiple of " + text}}
	if s.kind == kindFloat {
		// In decimals, as the schema's reader would do it: 0.3 is a multiple of
		// 0.1, which the nearest doubles are not.
		unit, ok := new(big.Rat).SetString(text)
		r.broken = func(v reflect.Value) bool {
			x, _ := new(big.Rat).SetString(strconv.FormatFloat(v.Float(), 'g', -1, s.bits))
			return !x.Quo(x, unit).IsInt()
		}
		if !ok || unit.Sign() <= 0 {
			return r, want
		}
		return r, ""
	}
	mag, _, bad := parseInteger(num)
	if bad != integerOK || mag == 0 {
		return r, want
	}
	if s.kind == kindInt {
		r.broken = func(v reflect.Value) bool { return magnitude(v.Int())%mag != 0 }
	} else {
		r.broken = func(v reflect.Value) bool { return v.Uint()%mag != 0 }
	}
	return r, ""
}

// magnitude returns |n|, which for the smallest int64 is no int64.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func makeItems(keyword string) func(*shape, string) (rule, string) {
	return func(_ *shape, text string) (rule, string) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || strconv.Itoa(n) != text {
			return rule{}, "a whole number of items"
		}
		r := rule{keyword: keyword, value: []byte(text)}
		if keyword == "minItems" {
			r.wrong = &mistake{keyword, "must have at least " + counted(n, "item")}
			r.broken = func(v reflect.Value) bool { return v.Len() < n }
		} else {
			r.wrong = &mistake{keyword, "must have at most " + counted(n, "item")}
			r.broken = func(v reflect.Value) bool { return v.Len() > n }
		}
		return r, ""
	}
}

func makeUnique(_ *shape, text string) (rule, string) {
	if text != "true" {
		return rule{}, `"true"`
	}
	return rule{
		keyword: "uniqueItems",
		value:   []byte("true"),
		wrong:   &mistake{"uniqueItems", "must not have the same item twice"},
		broken:  hasRepeated,
	}, ""
}

// hasRepeated reports whether a list of scalars holds one twice.
func hasRepeated(list reflect.Value) bool {
	seen := make(map[any]struct{}, list.Len())
	for i := range list.Len() {
		item := list.Index(i).Interface()
		if _, ok := seen[item]; ok {
			return true
		}
		seen[item] = struct{}{}
	}
	return false
}
