package svc

// This file reads the constraint tags of a field. A constraint is one rule: the
// keyword that schemas publish and the check that inputs must pass, made from
// the same tag at the same time.
//
// This file compiles the patterns of constraint tags. A published pattern is
// read by ECMAScript's rules (JSON Schema 2020-12, section 6.4), ours by Go's;
// only what both have is accepted, and where both have it with another meaning
// ECMAScript's is the one enforced.

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A rule is one constraint on the values of a field.
type rule struct {
	keyword string     // of JSON Schema 2020-12
	value   []byte     // of the keyword, as JSON
	wrong   *complaint // what a client is told
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

func makeEnum(s *shape, text string) (rule, string) {
	const want = "different values with commas between them, all of the field's type"
	r := rule{keyword: "enum", wrong: &complaint{"enum", "must be one of " + strings.ReplaceAll(text, ",", ", ")}}
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
			r.wrong = &complaint{keyword, "must have at least " + counted(n, "character")}
			r.broken = func(v reflect.Value) bool {
				s := v.String()
				return len(s) < n || len(s) < n*utf8.UTFMax && utf8.RuneCountInString(s) < n
			}
		} else {
			r.wrong = &complaint{keyword, "must have at most " + counted(n, "character")}
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
		wrong:   &complaint{"pattern", "must match the pattern " + text},
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
			wrong:   &complaint{keyword, message + text},
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

func makeMultiple(s *shape, text string) (rule, string) {
	const want = "a number above 0 of the field's type, spelt as in JSON"
	num, ok := jsonNumber(text)
	if !ok || num[0] == '-' {
		return rule{}, want
	}
	r := rule{keyword: "multipleOf", value: num, wrong: &complaint{"multipleOf", "must be a multiple of " + text}}
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

func makeItems(keyword string) func(*shape, string) (rule, string) {
	return func(_ *shape, text string) (rule, string) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || strconv.Itoa(n) != text {
			return rule{}, "a whole number of items"
		}
		r := rule{keyword: keyword, value: []byte(text)}
		if keyword == "minItems" {
			r.wrong = &complaint{keyword, "must have at least " + counted(n, "item")}
			r.broken = func(v reflect.Value) bool { return v.Len() < n }
		} else {
			r.wrong = &complaint{keyword, "must have at most " + counted(n, "item")}
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
		wrong:   &complaint{"uniqueItems", "must not have the same item twice"},
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

// What \s and the point mean in ECMAScript, as the inside of a Go class.
const (
	ecmaSpace   = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	ecmaNewline = `\n\r\x{2028}\x{2029}`
)

// compilePattern compiles a pattern with its ECMAScript meaning. The errors are
// for the author of the service.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	p := patternReader{rest: pattern}
	for p.rest != "" {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	if p.class {
		return nil, errors.New("a [ is not closed")
	}
	re, err := regexp.Compile(p.out.String())
	if err != nil {
		return nil, errors.New("package regexp does not take it")
	}
	return re, nil
}

// generalCategories are those that both know by one short name and mean alike.
// C and Cn hold what Unicode has not assigned, in ECMAScript and in Go from 1.25
// on; LC is new in Go 1.25.
const generalCategories = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp Cc Cf Co"

// A patternReader rewrites a pattern piece by piece.
type patternReader struct {
	rest  string
	out   strings.Builder
	class bool // inside [ ]
	last  piece
}

// A piece is what a patternReader has just read, as far as that decides what
// may follow.
type piece uint8

const (
	pieceOther     piece = iota
	pieceAssertion       // ^ $ \b \B, which Go lets repeat
	pieceSet             // \d and the like inside [ ], which Go lets stand beside a dash
	pieceDash            // inside [ ], and not first
)

// next rewrites one character or escape.
func (p *patternReader) next() error {
	last := p.last
	p.last = pieceOther
	if p.class {
		return p.nextInClass(last)
	}
	switch c := p.rest[0]; c {
	case '\\':
		return p.escape()
	case '[':
		return p.openClass()
	case '.':
		p.replace(1, "[^"+ecmaNewline+"]")
		return nil
	case '(':
		return p.group()
	case '*', '+', '?', '{':
		if last == pieceAssertion {
			return fmt.Errorf("a %c has nothing to repeat", c)
		}
		if c == '{' {
			return p.repetition()
		}
	case ']', '}':
		return fmt.Errorf(`write \%c for the character itself`, c)
	case '^', '$':
		p.last = pieceAssertion
	}
	p.copy(1)
	return nil
}

// nextInClass is next inside [ ].
func (p *patternReader) nextInClass(last piece) error {
	switch c := p.rest[0]; c {
	case '\\':
		if err := p.escape(); err != nil {
			return err
		}
		if p.last == pieceSet && last == pieceDash {
			return errDash
		}
		return nil
	case '[':
		return errors.New(`write \[ for a bracket inside [ ]`)
	case ']':
		p.class = false
	case '-':
		if p.last = pieceDash; last == pieceSet && !strings.HasPrefix(p.rest, "-]") {
			return errDash
		}
	}
	p.copy(1)
	return nil
}

var errDash = errors.New(`write \- for a dash beside a class such as \d`)

// group copies what opens a group.
func (p *patternReader) group() error {
	switch {
	case strings.HasPrefix(p.rest, "(?:"):
		p.copy(3)
	case strings.HasPrefix(p.rest, "(?"):
		return errors.New("of the groups that start with (? only (?: is in both")
	default:
		p.copy(1)
	}
	return nil
}

func (p *patternReader) copy(n int) {
	p.out.WriteString(p.rest[:n])
	p.rest = p.rest[n:]
}

func (p *patternReader) replace(n int, with string) {
	p.out.WriteString(with)
	p.rest = p.rest[n:]
}

func (p *patternReader) openClass() error {
	p.class = true
	n := 1
	if strings.HasPrefix(p.rest, "[^") {
		n = 2
	}
	switch {
	case strings.HasPrefix(p.rest[n:], "]"):
		return errors.New("an empty [ ] means different things")
	case strings.HasPrefix(p.rest[n:], "-"):
		n++ // the first dash is none between two characters
	}
	p.copy(n)
	return nil
}

// repetition copies {n}, {n,} or {n,m}.
func (p *patternReader) repetition() error {
	end := strings.IndexByte(p.rest, '}')
	if end < 0 {
		end = 0
	}
	low, high, between := strings.Cut(p.rest[min(1, end):end], ",")
	if !isCount(low) || between && high != "" && !isCount(high) {
		return errors.New(`write \{ for the character itself, and numbers without leading zeros for repetitions`)
	}
	p.copy(end + 1)
	return nil
}

// isCount reports whether s is a whole number as Go's patterns have it, without
// leading zeros.
func isCount(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && strconv.Itoa(n) == s
}

// escape rewrites what starts with a backslash.
func (p *patternReader) escape() error {
	if len(p.rest) < 2 {
		return errors.New("a backslash at the end")
	}
	c := p.rest[1]
	switch set := strings.IndexByte("dDwWsSpP", c) >= 0; {
	case set && p.class:
		p.last = pieceSet
	case (c == 'b' || c == 'B') && !p.class:
		p.last = pieceAssertion
	}
	switch {
	case c == 's' && p.class:
		p.replace(2, ecmaSpace)
	case c == 's':
		p.replace(2, "["+ecmaSpace+"]")
	case c == 'S' && !p.class:
		p.replace(2, "[^"+ecmaSpace+"]")
	case strings.IndexByte("dDwWtnrfv", c) >= 0, strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0:
		p.copyEscape(c)
	case (c == 'b' || c == 'B') && !p.class, c == '-' && p.class:
		p.copy(2)
	case c == 'x' && len(p.rest) >= 4 && hexDigit(p.rest[2]) >= 0 && hexDigit(p.rest[3]) >= 0:
		p.copy(4)
	case c == 'p' || c == 'P':
		return p.category()
	default:
		return fmt.Errorf(`they do not share \%c here`, c)
	}
	return nil
}

// copyEscape copies a two-character escape; Go has none for the slash.
func (p *patternReader) copyEscape(c byte) {
	if c == '/' {
		p.replace(2, "/")
		return
	}
	p.copy(2)
}

// category copies \p{L} or \p{Lu}: of the properties, both spell only the
// general categories alike.
func (p *patternReader) category() error {
	end := strings.IndexByte(p.rest, '}')
	if end < 0 || p.rest[2] != '{' || !slices.Contains(strings.Fields(generalCategories), p.rest[3:end]) {
		return errors.New(`of \p both have the general categories only, such as \p{L} and \p{Lu}`)
	}
	p.copy(end + 1)
	return nil
}
