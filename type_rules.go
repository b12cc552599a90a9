package svc

// This file reads the constraint tags of a field and the Enum method of a type. Each makes a rule:
// the keyword that schemas publish, and the check that inputs must pass. Both are made together, so
// they cannot disagree.
//
// In this order: the table ruleRows; applyTags, and the rules of items; unused tags and methods;
// rules that no value meets; Enum; a function for each row of the table; which regular expressions
// are accepted.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lookupTag is tag.Lookup, but first searches for the name, which is faster. Most tags have few of
// the names that are looked up.
func lookupTag(tag reflect.StructTag, name string) (text string, ok bool) {
	if !strings.Contains(string(tag), name) {
		return "", false
	}
	return tag.Lookup(name)
}

// tagText is tag.Get, like lookupTag.
func tagText(tag reflect.StructTag, name string) string {
	text, _ := lookupTag(tag, name)
	return text
}

// A ruleRow defines one rule. Decoders, binders, schemas, documents, the page and contracts read
// it; nothing else looks for a rule by its name.
//
// For example, maxItems:"10" on a list of strings is
//
//	rule{
//		keyword:   "maxItems", // of schemas
//		role:      roleMost,   // so the decoder stores no more than 10, and contracts try 11
//		complaint: &complaint{rule: "maxItems", message: "must have at most 10 items", limit: "10"},
//		value:     []byte("10"),
//		count:     10,
//		violates:  a function that reports whether there are more than 10,
//	}
type ruleRow struct {
	keyword string // of JSON Schema 2020-12, and the name of the tag
	must    string // the message of a violation, with # for the text; the page shows it behind "must"

	fits func(s *shape) bool // reports whether values of shape s can have the rule
	on   string              // the values that fit, for messages

	// parse makes the rule for values of shape s from the text of a tag: its value, and count,
	// values and violates as needed. If the text is a mistake, it returns a description of a
	// correct text in want, and the rule is not used.
	parse func(s *shape, text string) (r rule, want string)

	// role says what the rule limits, for code that needs more than parse. Code that looks at a
	// role treats all its sizes or bounds alike, by value. A contract that adds or changes a rule
	// of roleNone breaks "cannot tell", unless a value for a different rule is refused, because svc
	// cannot make values at its limit.
	role     ruleRole
	opposite ruleRole // of a lower limit, the role of the upper one, which may exclude all that it allows

	costly  bool   // slow, so it runs only if the rules before it hold
	in30    string // the keyword for the value in OpenAPI 3.0.3, where keyword itself is true
	oneLine string // as JSON, true or the largest value for which the page's form uses a one-line input
	html    htmlRule
}

// ruleRows has a row for each constraint tag. Schemas have the keywords in this order, and the
// costly rules come after the rules that save them.
//
// On a list of scalars, format and the tags that fit the items but not the list apply to each item.
//
//	enum:"a,b,c"              one of these; strings and numbers
//	minLength:"1"             Unicode code points, not bytes; strings
//	maxLength:"80"
//	pattern:"^[a-z]+$"        a match somewhere in the text; strings
//	format:"email"            a text of this format, if it is one of checkedFormats; strings
//	minimum:"1"               numbers, in the spelling of JSON
//	exclusiveMinimum:"0"
//	maximum:"1e3"
//	exclusiveMaximum:"1000"
//	multipleOf:"0.25"
//	minItems:"1"              slices
//	maxItems:"10"
//	uniqueItems:"true"        slices and arrays of strings, booleans and numbers
//	minProperties:"1"         maps
//	maxProperties:"10"
//
// patternHint is not a rule: see applyHint.
var ruleRows = []*ruleRow{
	{
		keyword: ruleEnum, must: enumMessage, role: roleValues,
		fits: isEnumerable, on: "a string or a number", parse: parseEnum,
	},
	{
		keyword: "minLength", must: "must have at least # characters", role: roleLeast, opposite: roleMost,
		fits: isString, on: "a string", parse: parseSize("characters", isShorter),
		html: htmlRule{attribute: "minLength"},
	},
	{
		keyword: "maxLength", must: "must have at most # characters", role: roleMost,
		fits: isString, on: "a string", parse: parseSize("characters", isLonger), oneLine: "200",
		html: htmlRule{attribute: "maxLength", value: htmlMaxLength},
	},
	{
		keyword: "pattern", must: "must match the pattern #", role: rolePattern,
		fits: isString, on: "a string", parse: parseRegexp, costly: true, oneLine: "true",
		html: htmlRule{attribute: "pattern", value: htmlPattern},
	},
	{
		keyword: "format", must: "must have the format #", role: roleFormat,
		fits: isString, on: "a string", parse: parseFormat,
	},
	{
		keyword: "minimum", must: "must be at least #", role: roleLow, opposite: roleHigh,
		fits: isBoundable, on: "a number", parse: parseBound(func(c int) bool { return c < 0 }),
		html: htmlRule{attribute: "min"},
	},
	{
		keyword: "exclusiveMinimum", must: "must be more than #", role: roleLow, opposite: roleHigh,
		fits: isBoundable, on: "a number", parse: parseBound(func(c int) bool { return c <= 0 }), in30: "minimum",
		html: htmlRule{attribute: "min", value: htmlBeyond(1)},
	},
	{
		keyword: "maximum", must: "must be at most #", role: roleHigh,
		fits: isBoundable, on: "a number", parse: parseBound(func(c int) bool { return c > 0 }),
		html: htmlRule{attribute: "max"},
	},
	{
		keyword: "exclusiveMaximum", must: "must be less than #", role: roleHigh,
		fits: isBoundable, on: "a number", parse: parseBound(func(c int) bool { return c >= 0 }), in30: "maximum",
		html: htmlRule{attribute: "max", value: htmlBeyond(-1)},
	},
	{
		keyword: "multipleOf", must: "must be a multiple of #", role: roleStep,
		fits: isBoundable, on: "a number", parse: parseMultiple,
		html: htmlRule{attribute: "step"},
	},
	{
		keyword: "minItems", must: "must have at least # items", role: roleLeast, opposite: roleMost,
		fits: isSlice, on: "a slice", parse: parseSize("items", hasFewer),
	},
	{
		keyword: "maxItems", must: "must have at most # items", role: roleMost,
		fits: isSlice, on: "a slice", parse: parseSize("items", hasMore),
	},
	{
		keyword: "uniqueItems", must: "must not have the same item twice", role: roleDistinct,
		fits: isScalarList, on: "a slice or an array of strings, booleans or numbers", parse: parseUnique, costly: true,
	},
	{
		keyword: "minProperties", must: "must have at least # members", role: roleLeast, opposite: roleMost,
		fits: isMap, on: "a map", parse: parseSize("members", hasFewer),
	},
	{
		keyword: "maxProperties", must: "must have at most # members", role: roleMost,
		fits: isMap, on: "a map", parse: parseSize("members", hasMore),
	},
}

// ruleEnum is the keyword of the rule that a method Enum, the alternatives of a union and the
// media types of a file make too.
const ruleEnum = "enum"

// enumMessage is the message of the rule enum.
const enumMessage = "must be one of #"

// parseRule makes a rule from the text of a tag with parse, and completes it from the row.
func (row *ruleRow) parseRule(s *shape, text string) (rule, string) {
	r, want := row.parse(s, text)
	r.keyword, r.role, r.opposite, r.in30, r.costly, r.html = row.keyword, row.role, row.opposite, row.in30, row.costly, row.html
	if r.complaint == nil {
		message := strings.Replace(row.must, "#", text, 1)
		if text == "1" {
			message = strings.TrimSuffix(message, "s") // of the noun
		}
		r.complaint = &complaint{rule: row.keyword, message: message}
		switch row.role {
		case roleLeast, roleMost, roleLow, roleHigh, roleStep:
			r.complaint.limit = json.Number(text) // parse has checked that it is one
		}
	}
	if row.role == roleLeast && isString(s) {
		empty := *r.complaint
		empty.empty = true
		r.empty = &empty
	}
	return r, want
}

// These functions say which types a constraint fits, and hasRules which types any fits. Types with a text form are not
// strings here: only their own methods can interpret their texts. json.Number is
// not a number here: it keeps the text, and bounds would need a decimal.

func isString(s *shape) bool     { return s.kind == kindString }
func isBoundable(s *shape) bool  { return s.kind.isMachineInteger() || s.kind == kindFloat }
func isEnumerable(s *shape) bool { return isString(s) || isBoundable(s) }
func isSlice(s *shape) bool      { return s.kind == kindSlice }
func isMap(s *shape) bool        { return s.kind == kindMap }
func isScalarList(s *shape) bool {
	return (isSlice(s) || s.kind == kindArray) && (isEnumerable(s.elem) || s.elem.kind == kindBool)
}
func hasRules(s *shape) bool {
	return slices.ContainsFunc(ruleRows, func(row *ruleRow) bool { return row.fits(s) })
}

// applyTags reads all tags of a field except for names. A constraint on a pointer applies to the
// value it points to. Null satisfies every constraint.
func (p *mistakes) applyTags(f *field) {
	if text, ok := lookupTag(f.tag, "doc"); ok {
		f.doc = plainProse(text)
	}
	if text, ok := lookupTag(f.tag, "nullable"); ok {
		f.notNull = true
		hasNull := f.shape.kind == kindOptional || f.shape.kind == kindPointer
		p.addIf(text != "false" || !hasNull || f.omit == 0,
			"%s: nullable:%q: want \"false\", on an Optional or on a pointer with omitempty, which can be absent but not null then", f.place, text)
	}
	p.applyRules(f)
	if text, ok := lookupTag(f.tag, keyTag); ok {
		f.unkeyed = true
		p.addIf(text != "-", "%s: %s:%q: want \"-\", for a field that may differ between calls with one idempotency key", f.place,
			keyTag, text)
		p.addIf(f.discriminates, "%s: %s:\"-\": the discriminator says which fields the other members are, so it always counts; drop the tag",
			f.place, keyTag)
	}
	if text, ok := lookupTag(f.tag, "default"); ok {
		if target := f.shape.deref(); f.shape.kind == kindOptional {
			p.addf("%s: default:%q: an Optional says itself that the field is absent; leave the tag out, or give the field the type %v",
				f.place, text, target.typ)
		} else {
			f.def = p.parseLiteral(f, "default", text)
		}
	}
	if text, ok := lookupTag(f.tag, "example"); ok {
		f.example = p.parseLiteral(f, "example", text)
		if target := f.shape.deref(); target.kind == kindText && !target.isEnum {
			like := *target
			like.example = text
			f.shape = f.shape.replaced(target, &like)
		}
	}
}

// applyRules reads the constraint tags of a field, and format, into copies of the shapes of
// the value and of the items of a list, which only this field has. For
//
//	Tags []string `json:"tags" maxItems:"3" minLength:"1"`
//
// f.shape becomes a copy of the shape of []string with maxItems, whose elem is a copy of the
// shape of string with minLength. Other fields of the type []string keep the shape without
// rules.
func (p *mistakes) applyRules(f *field) {
	target := f.shape.deref()
	item := target.scalarItem()
	var rules, itemRules ruleSet
	hasPattern := false // true even if the tag is a mistake
	for _, row := range ruleRows {
		text, ok := lookupTag(f.tag, row.keyword)
		hasPattern = hasPattern || ok && row.role == rolePattern
		on, list := target, &rules // such as uniqueItems of a list, and maxLength of its items
		if item != nil && !row.fits(target) {
			on, list = item, &itemRules
		}
		switch {
		case !ok, row.role == roleFormat && (f.quoted || !isString(on) || formatNamed(text) == nil): // published, and not checked
		case f.quoted:
			p.addf("%s: %s fits %s, and `json:\",string\"` makes this a string of another kind", f.place, row.keyword, row.on)
		case on.kind == kindText && row.role == roleValues && hasMethods(on.typ, typeTextMarshaler):
			r, want := parseTexts(on, text)
			if want != "" {
				p.addf("%s: %s:%q: want %s", f.place, row.keyword, text, want)
				continue
			}
			*list = append(*list, r)
		case on.kind == kindText:
			p.addf("%s: %s: no tag is a rule for %v, which reads its own text; check it in its UnmarshalText, which JSONSchema() map[string]any "+
				"describes, or in a method Validate() error of the struct", f.place, row.keyword, on.typ)
		case on.kind == kindByType:
			p.addf("%s: %s: %v is one of several JSON types, and rules are about one; put the tag on the alternative", f.place,
				row.keyword, on.typ)
		case !hasRules(on) && !hasRules(target):
			p.addf("%s: %s: no tag is a rule for the type %v; check it in a method Validate() error of the struct", f.place,
				row.keyword, f.shape.typ)
		case !row.fits(on):
			p.addf("%s: %s fits %s, and the field's type is %v", f.place, row.keyword, row.on, f.shape.typ)
		default:
			r, want := row.parseRule(on, text)
			if want != "" {
				p.addf("%s: %s:%q: want %s", f.place, row.keyword, text, want)
				continue
			}
			*list = append(*list, r)
		}
	}
	p.applyHint(f, cmp.Or(rules.lookup(rolePattern), itemRules.lookup(rolePattern)), hasPattern)
	format := tagText(f.tag, "format")
	if value := cmp.Or(item, target); isString(value) || value.kind == kindText {
		p.checkFormat(f, format)
	}
	if item != nil {
		p.narrowField(f, item, itemRules, format)
		format = ""
	}
	p.narrowField(f, f.shape.deref(), rules, format)
}

// narrowField gives f a copy of its shape if there are rules or a format for the values of shape s,
// which is the shape of f or of the items of its list. A tag enum replaces the type's Enum, of
// which it lists a subset, and keeps the titles of these values. If Color has Enum red, green, blue
// with the titles Red, Green, Blue, enum:"red,blue" leaves Red and Blue. The copy is not a
// component of documents, because its rules belong to one field.
func (p *mistakes) narrowField(f *field, s *shape, rules ruleSet, format string) {
	p.checkRules(rules, s, format, f.place)
	if rules == nil && (format == "" || !s.kind.isScalar() && s.elem == nil) { // s may be a type around f, whose elem is not set yet
		return
	}
	n := *s
	own, enum := s.rules.lookup(roleValues), rules.lookup(roleValues)
	if enum != nil {
		n.rules, n.valueTexts, n.custom = nil, nil, maps.Clone(s.custom)
		delete(n.custom, ruleEnum)
	}
	if enum != nil && own != nil && len(s.valueTexts) == len(own.values) {
		for _, x := range enum.values {
			if i := slices.IndexFunc(own.values, x.Equal); i >= 0 { // or it is a mistake
				n.valueTexts = append(n.valueTexts, s.valueTexts[i])
			}
		}
	}
	n.rules, n.format, n.isEnum = slices.Concat(n.rules, rules), format, false
	f.shape = f.shape.replaced(s, &n)
}

// applyHint reads the tag patternHint, which explains pattern, the rule of a field or of its items,
// in the author's words. pattern is nil without the tag pattern, or if that is a mistake:
//
//	Code string `json:"code" pattern:"^[A-Z]{2}[0-9]{6}$" patternHint:"two capital letters and six digits"`
//
// Messages show the hint instead of the regular expression. The description includes it, and starts
// with a capital letter if it is the only text.
func (p *mistakes) applyHint(f *field, pattern *rule, hasTag bool) {
	hint, ok := lookupTag(f.tag, "patternHint")
	switch {
	case !ok || pattern == nil && hasTag:
	case pattern == nil:
		p.addf("%s: patternHint says in words what a pattern is, and the field has none; add the tag pattern, or write doc", f.place)
	case hint == "":
		p.addf("%s: patternHint is empty; write what the pattern matches, such as two capital letters and six digits", f.place)
	default:
		pattern.complaint, pattern.hint = &complaint{rule: pattern.keyword, message: "must be " + hint}, hint
		about := prose{strings.TrimSuffix(f.doc.markdown, "."), strings.TrimSuffix(f.doc.text, ".")}
		word, _, _ := strings.Cut(hint, " ")
		if about.text == "" && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) { // a-z stays
			hint = capitalized(hint)
		}
		f.doc = about.join(": ", plainProse(hint))
	}
}

// capitalized returns s with its first letter in upper case.
func capitalized(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// scalarItem returns the shape of the items of a list of scalars or of pointers to them, or nil if
// s is not such a list.
func (s *shape) scalarItem() *shape {
	if s.kind == kindSlice || s.kind == kindArray {
		if item := s.elem.deref(); item.kind.isScalar() {
			return item
		}
	}
	return nil
}

// withoutRules returns a copy of s without its own rules; the rules of items stay.
func (s *shape) withoutRules() *shape {
	n := *s
	n.rules = nil
	return &n
}

// replaced returns a copy of s with other in place of old, which is s or is reached from it by
// elem alone. Of a pointer to a list of strings, all shapes down to old are copied.
func (s *shape) replaced(old, other *shape) *shape {
	if s == old {
		return other
	}
	copied := *s
	copied.elem = s.elem.replaced(old, other)
	return &copied
}

// checkValidate notes a method Validate that looks as if svc called it, but has a different
// signature, such as Validate(ctx). A method with more parameters is for the application itself.
func (p *mistakes) checkValidate(t reflect.Type, at *placeText) {
	m, ok := reflect.PointerTo(t).MethodByName("Validate")
	if !ok || hasMethods(t, typeValidator) ||
		m.Type.NumIn() > 2 || m.Type.NumIn() == 2 && m.Type.In(1) != reflect.TypeFor[context.Context]() {
		return
	}
	p.addf("%s: svc does not call %v.Validate, since its signature is not Validate() error; "+
		"change it, and do what needs a context in the method of the service", at, t)
}

// textComplaint returns the complaint about a text that UnmarshalText refuses. Only the type knows
// which texts it accepts, so the complaint shows the example of the field. IP addresses, the most
// common such types, need no example. It returns nil for other types.
func (s *shape) textComplaint() *complaint {
	switch {
	case s.example != "":
		return &complaint{rule: ruleType, message: "is not in the form that is expected here, such as " + s.example}
	case s.typ == reflect.TypeFor[netip.Addr]():
		return &complaint{rule: ruleType, message: "must be an IP address, such as 192.0.2.1 or 2001:db8::1"}
	case s.typ == reflect.TypeFor[netip.Prefix]():
		return &complaint{rule: ruleType, message: "must be a range of IP addresses, such as 192.0.2.0/24"}
	}
	return nil
}

// parseLiteral returns the JSON of a value in a tag: strings are written verbatim, all other values
// as JSON. Decoding the default later shows whether the type accepts it.
func (p *mistakes) parseLiteral(f *field, tag, text string) []byte {
	if f.quoted || f.shape.deref().kind.isStringy() {
		return appendQuoted(nil, text)
	}
	if isJSON([]byte(text)) {
		return []byte(text)
	}
	form := literalForm(kindTypes[f.shape.deref().kind])
	if f.shape != f.shape.deref() {
		form += ", or null"
	}
	p.addf("%s: %s:%q: want %s", f.place, tag, text, form)
	return nil
}

// literalForm describes the values that tags can have, by the JSON type, for types other than
// strings.
func literalForm(jsonType string) string {
	switch jsonType {
	case "boolean":
		return "true or false"
	case "integer":
		return "an integer"
	case "number":
		return "a number, spelt as in JSON"
	case "array":
		return "a JSON array, such as [] or [1,2]"
	case "object":
		return "a JSON object, such as {}"
	}
	return "a JSON value; a string is in quotes there"
}

// checkRules notes rules and a format that contradict each other or s, the shape of the values: two
// bounds with no value between them, an enum with values that a different rule excludes, and a
// format that the type does not have. Decoding a default later shows whether it keeps the rules.
func (p *mistakes) checkRules(rules ruleSet, s *shape, format, at string) {
	for _, low := range rules {
		for _, high := range rules {
			if low.opposite != roleNone && low.opposite == high.role && low.excludes(&high) {
				p.addf("%s: no value meets %s:%q and %s:%q; lower the first, or raise the second", at, low.keyword, low.value,
					high.keyword, high.value)
			}
		}
	}
	p.checkEnum(rules, s, at)
	if own := kindFormats[s.kind]; own != "" && format != "" && format != own {
		p.addf("%s: format:%q has no effect, since a %v always has the format %s; leave it out", at, format, s.typ, own)
	}
}

// excludes reports whether no value meets both r, a lower bound, and high, an upper one.
func (r *rule) excludes(high *rule) bool {
	if r.values == nil {
		return r.count > high.count
	}
	return r.violates(high.values[0]) || high.violates(r.values[0])
}

// checkEnum notes values of an enum tag that a different rule excludes or that the type does not
// have, and tags that exclude all values of a type with a method Enum.
func (p *mistakes) checkEnum(rules ruleSet, s *shape, at string) {
	enum, own := rules.lookup(roleValues), s.rules.lookup(roleValues)
	listed, closed := s.custom[ruleEnum].([]any)
	switch {
	case enum != nil && s.kind == kindText: // its values are listed by their texts
		for _, v := range enum.values {
			is := func(x reflect.Value) bool { return x.String() == v.String() }
			p.addIf(own != nil && !slices.ContainsFunc(own.values, is),
				"%s: %v.Enum does not return the value %s of the enum; drop it, or add it there", at, s.typ, literalText(v))
			p.addIf(closed && !slices.Contains(listed, any(v.String())),
				"%s: %v.JSONSchema does not have the value %s of the enum; drop it, or add it there", at, s.typ, literalText(v))
		}
	case enum != nil:
		for _, v := range enum.values {
			for _, r := range rules {
				p.addIf(r.violates(v), "%s: the value %s of the enum is against %s:%q; drop one of them", at, literalText(v),
					r.keyword, textOr(string(r.value)))
			}
			p.addIf(own != nil && own.violates(v), "%s: %v.Enum does not return the value %s of the enum; drop it, or add it there",
				at, s.typ, literalText(v))
		}
	case own != nil && !slices.ContainsFunc(own.values, func(v reflect.Value) bool {
		return !slices.ContainsFunc(rules, func(r rule) bool { return r.violates(v) })
	}):
		p.addf("%s: no value that %v.Enum returns meets the tags; drop one of them", at, s.typ)
	}
}

// checkCarried notes the enum values of the field f or of its items for which fits is false,
// because their carrier, such as "header", cannot hold them.
func (p *mistakes) checkCarried(f *field, carrier string, fits func(text string) bool) {
	target := f.shape.deref()
	enum := cmp.Or(target.scalarItem(), target).rules.lookup(roleValues)
	if enum == nil || enum.values[0].Kind() != reflect.String {
		return
	}
	for _, v := range enum.values {
		p.addIf(!fits(v.String()), "%s: no %s can have the value %s of the enum; drop it, or let the field be a member of the body",
			f.place, carrier, literalText(v))
	}
}

// fillEnum gives s, the shape of a type of strings, numbers or booleans, a rule that allows only
// the values that the type's Enum method returns:
//
//	func (Color) Enum() []Color { return []Color{Red, Green, Blue} }
//
// The values of a type with MarshalText are listed by their texts, and other spellings that
// UnmarshalText accepts are not allowed. For types with their own JSON, JSONSchema takes precedence
// over Enum.
//
// The method is called once, on a zero value. It belongs to the application, so it may panic. A
// method that has parameters or does not return a list, as generated for Protocol Buffers, is
// ignored.
//
// The comments of the constants document the values, unless the type has EnumTitles.
func (p *mistakes) fillEnum(comments *Comments, s *shape, at string) {
	method := reflect.New(s.typ).MethodByName("Enum")
	if !method.IsValid() || s.custom != nil || method.Type().NumIn() > 0 || method.Type().NumOut() != 1 ||
		method.Type().Out(0).Kind() != reflect.Slice {
		return
	}
	switch list := method.Type().Out(0); {
	case list.Elem() != s.typ:
		p.addf("%s: %v.Enum returns %v; for the values of the type it has to return []%v", at, s.typ, list, s.typ)
		return
	case s.kind == kindCustom:
		p.addf("%s: %v has Enum and its own JSON; describe that by a method JSONSchema() map[string]any, with an enum in it", at, s.typ)
		return
	case s.kind != kindText && !isString(s) && s.kind != kindInt && s.kind != kindUint, s.kind == kindText &&
		!hasMethods(s.typ, typeTextMarshaler):
		p.addf("%s: %v.Enum is for types whose values are strings, integers, or texts by MarshalText; rename the method", at, s.typ)
		return
	}
	defer func() {
		if v := recover(); v != nil {
			p.addf("%s: %v.Enum or the text of a value panics: %v", at, s.typ, v)
		}
	}()
	list := method.Call(nil)[0]
	p.listValues(s, list, at)
	s.valueTexts = commentsOf(comments, s, list)
	if t, ok := reflect.New(s.typ).Interface().(interface{ EnumTitles() []string }); ok {
		s.valueTexts = nil
		for _, title := range t.EnumTitles() {
			s.valueTexts = append(s.valueTexts, valueText{title, plainProse(title)})
		}
		p.addIf(len(s.valueTexts) != list.Len(), "%s: %v.EnumTitles returns %s for %s of Enum; list one for each", at, s.typ,
			countText(len(s.valueTexts), "title"), countText(list.Len(), "value"))
	}
}

// commentsOf returns the comments of the constants in list, the result of the type's Enum method. A
// value without a comment is its own title. It returns nil if no value has a comment.
func commentsOf(comments *Comments, s *shape, list reflect.Value) (texts []valueText) {
	any := false
	for i := range list.Len() {
		v, value := list.Index(i), ""
		switch {
		case v.Kind() == reflect.String:
			value = constantText(v.String())
		case v.CanInt():
			value = constantText(v.Int())
		case v.CanUint():
			value = constantText(int64(v.Uint())) // larger values have no comment
		}
		about := comments.valueComment(s.typ, value).whole()
		any = any || about.text != ""
		text, _ := s.keyText(v)
		texts = append(texts, valueText{cmp.Or(firstSentence(about.text), text), about})
	}
	if !any {
		return nil
	}
	return texts
}

// valueList returns the documentation of the values of an enum, as a list with an item for each:
//
//   - `r`: Red is the color of fire. It is warm.
//   - `g`
//
// It is empty if none of the values is documented.
func (s *shape) valueList() (list prose) {
	enum := s.rules.lookup(roleValues)
	if enum == nil || s.valueTexts == nil || len(s.valueTexts) != len(enum.values) {
		return prose{}
	}
	for i, value := range itemsOf(enum.value) {
		name := textOr(string(value))
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r == '`' || !unicode.IsPrint(r) }) {
			name = string(value) // its JSON is in one line
		}
		item := prose{"- `" + name + "`", "- " + name}
		if strings.Contains(name, "`") {
			item.markdown = item.text
		}
		about := s.valueTexts[i].about // indented, so that it stays in its item
		about.markdown, about.text = strings.ReplaceAll(about.markdown, "\n", "\n  "), strings.ReplaceAll(about.text, "\n", "\n  ")
		list = list.join("\n", item.join(": ", about))
	}
	return list
}

// listValues gives s the rule that its values are in list.
func (p *mistakes) listValues(s *shape, list reflect.Value, at string) {
	var texts []string
	seen := make(map[string]bool)
	for i := range list.Len() {
		text, err := s.keyText(list.Index(i))
		switch {
		case err != nil:
			p.addf("%s: a value that %v.Enum returns has no text: %v", at, s.typ, err)
			return
		case !utf8.ValidString(text):
			p.addf("%s: %v.Enum returns %q, which is not UTF-8 and so not JSON", at, s.typ, text)
		case seen[text]:
			p.addf("%s: %v.Enum returns %q twice; drop one of them", at, s.typ, text)
		}
		texts = append(texts, text)
		seen[text] = true
	}
	if len(texts) == 0 {
		p.addf("%s: %v.Enum returns no values, so nothing would be valid; list the values, or drop the method", at, s.typ)
		return
	}
	s.rules, s.isEnum = ruleSet{enumOf(s, texts)}, true
}

// enumOf is enumRule for all types. The value of a text is compared by its MarshalText.
func enumOf(s *shape, texts []string) rule {
	r := enumRule(s, texts)
	if s.kind == kindText {
		r.violates = func(v reflect.Value) bool {
			text, err := s.keyText(v)
			return err != nil || !slices.Contains(texts, text)
		}
	}
	return r
}

// parseTexts is parseEnum for a type with MarshalText, of which a tag lists the texts. Whether
// the type reads them is found by decoding them.
func parseTexts(s *shape, text string) (rule, string) {
	r, want := parseEnum(&shape{typ: s.typ, kind: kindString}, text)
	if want != "" {
		return r, want
	}
	return enumOf(s, strings.Split(text, ",")), ""
}

// literalText returns a value of an enum as messages show it.
func literalText(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// parseEnum makes the rule that a value is one of those listed in the tag, separated by commas.
// Numbers are published as written, and compared by value. Different spellings of one value are a
// mistake, since JSON Schema requires the values of an enum to be unique.
func parseEnum(s *shape, text string) (rule, string) {
	const want = "different values with commas between them, all of the field's type"
	parts := strings.Split(text, ",")
	var values []reflect.Value
	for _, part := range parts {
		if strings.TrimSpace(part) != part {
			for j := range parts {
				parts[j] = strings.TrimSpace(parts[j])
			}
			return rule{}, "values without blanks around them, such as enum:" + strconv.Quote(strings.Join(parts, ","))
		}
		x, ok := s.valueFor(part)
		if ok && slices.ContainsFunc(values, x.Equal) {
			return rule{}, "each value once, and " + part + " is there twice"
		}
		if !ok || slices.ContainsFunc(values, x.Equal) {
			return rule{}, want
		}
		values = append(values, x)
	}
	return enumRule(s, parts), ""
}

// shortEnum is up to how many texts comparing each is as fast as a binary search.
const shortEnum = 8

// enumRule returns the rule that allows only the values that texts spell.
func enumRule(s *shape, texts []string) rule {
	var values []reflect.Value
	for _, text := range texts {
		x, _ := s.valueFor(text)
		values = append(values, x)
	}
	shown := slices.Clone(texts)
	if i := slices.Index(texts, ""); i >= 0 {
		shown[i] = `""`
	}
	message := strings.Replace(enumMessage, "#", strings.Join(shown, ", "), 1)
	r := rule{keyword: ruleEnum, role: roleValues, values: values, complaint: &complaint{rule: ruleEnum, message: message}}
	if !isBoundable(s) {
		r.value, _ = plainJSON(texts)
		sorted := slices.Sorted(slices.Values(texts))
		r.violates = func(v reflect.Value) bool {
			_, found := slices.BinarySearch(sorted, v.String())
			return !found
		}
		if len(texts) <= shortEnum {
			r.violates = func(v reflect.Value) bool { return !slices.Contains(texts, v.String()) }
		}
		return r
	}
	r.value = []byte("[" + strings.Join(texts, ",") + "]")
	sorted := slices.SortedFunc(slices.Values(values), compareNumbers)
	r.violates = func(v reflect.Value) bool {
		// compareNumbers takes the value first: it goes by the kind of the second, which valueFor made.
		_, found := slices.BinarySearchFunc(sorted, v, func(x, v reflect.Value) int { return -compareNumbers(v, x) })
		return !found
	}
	return r
}

// parseSize makes a rule that compares the length of a string or a slice with n: it is violated
// where outside returns true. nouns is what the length counts, such as "items". The length of an
// array is part of its type, so a rule would have no effect.
func parseSize(nouns string, outside func(v reflect.Value, n int) bool) func(*shape, string) (rule, string) {
	return func(_ *shape, text string) (rule, string) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || strconv.Itoa(n) != text {
			return rule{}, "a whole number of " + nouns
		}
		return rule{value: []byte(text), count: n, violates: func(v reflect.Value) bool { return outside(v, n) }}, ""
	}
}

// isShorter reports whether a string has less than n characters. They are Unicode code points, as
// JSON Schema counts (2020-12 Validation, section 6.3). It counts only strings of n to 4n bytes.
func isShorter(v reflect.Value, n int) bool {
	s := v.String()
	return len(s) < n || len(s) < n*utf8.UTFMax && utf8.RuneCountInString(s) < n
}

// isLonger reports whether a string has more than n characters.
func isLonger(v reflect.Value, n int) bool {
	s := v.String()
	return len(s) > n && utf8.RuneCountInString(s) > n
}

// hasFewer and hasMore compare the number of items in a list, or of members in a map, with n.

func hasFewer(v reflect.Value, n int) bool { return v.Len() < n }
func hasMore(v reflect.Value, n int) bool  { return v.Len() > n }

// refuseEmpty reports whether an empty text breaks one of rs, the rules of a string.
func (rs ruleSet) refuseEmpty() bool {
	return slices.ContainsFunc(rs, func(r rule) bool { return r.violates(reflect.ValueOf("")) })
}

// htmlMaxLength returns the attribute for a text of at most r.count characters. HTML counts the
// units of UTF-16, of which a character has one or two.
func htmlMaxLength(_ *shape, r *rule) string { return strconv.Itoa(min(2*r.count, math.MaxInt32)) }

// htmlBeyond returns a function that returns the attribute for an exclusive bound: of an integer,
// the next one in the direction of step. A float can be as near to the bound as it likes, so its
// attribute is the bound.
func htmlBeyond(step int64) func(*shape, *rule) string {
	return func(s *shape, r *rule) string {
		switch x := r.values[0]; {
		case s.kind == kindInt && x.Int()+step > x.Int() == (step > 0): // without overflow
			return strconv.FormatInt(x.Int()+step, 10)
		case s.kind == kindUint && x.Uint()+uint64(step) > x.Uint() == (step > 0):
			return strconv.FormatUint(x.Uint()+uint64(step), 10)
		}
		return string(r.value)
	}
}

// countText returns n with the noun, in the plural unless n is 1.
func countText(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// parseRegexp makes the rule that a string contains a match of the pattern: as in
// JSON Schema, a pattern without ^ and $ may match anywhere.
func parseRegexp(_ *shape, text string) (rule, string) {
	re, err := compilePattern(text)
	if err != nil {
		return rule{}, "a regular expression that Go and ECMAScript share: " + err.Error()
	}
	return rule{value: appendQuoted(nil, text), violates: func(v reflect.Value) bool { return !re.MatchString(v.String()) }}, ""
}

// htmlPattern returns the attribute for the pattern of r. HTML compiles a pattern with the flag v,
// which requires more escapes in classes, and matches it against the whole text (HTML, section
// 4.10.5.3.6):
//
//	^[a-z-]+$   ^[a-z\-]+$
//	^a          ^a[^]*
//	a|^b        [^]*(?:a|^b)[^]*
func htmlPattern(_ *shape, r *rule) string {
	var out strings.Builder
	pattern := textOr(string(r.value))
	class, first, depth, alternatives, last := false, false, 0, false, ""
	for rest := pattern; rest != ""; {
		last = rest[:1]
		if rest[0] == '\\' { // all accepted escapes mean the same in HTML
			last = rest[:2]
		} else if n := len(rest) - len(strings.TrimLeft(rest, rest[:1])); !class {
			class, first = last == "[", true
			switch last {
			case "(":
				depth++
			case ")":
				depth--
			case "|":
				alternatives = alternatives || depth == 0
			}
		} else {
			class = last != "]"
			isEdge := first || strings.HasPrefix(rest[1:], "]")
			if strings.Contains("()[{}/|", last) || last == "-" && isEdge || class && n > 1 &&
				strings.Contains("&!#$%*+,.:;<=>?@^`~", last) && !(first && last == "^") {
				out.WriteByte('\\')
			}
			first = first && last == "^"
		}
		out.WriteString(last)
		rest = rest[len(last):]
	}
	text, start, end := out.String(), strings.HasPrefix(pattern, "^"), last == "$"
	if alternatives {
		text, start, end = "(?:"+text+")", false, false
	}
	if !start {
		text = "[^]*" + text
	}
	if !end {
		text += "[^]*"
	}
	return string(appendQuoted(nil, text))
}

// parseBound makes a rule that compares a value with the number in the tag. outside reports whether
// a comparison with this result breaks the rule. A bound that the Go type cannot hold is a mistake:
// it would have no effect or forbid every value.
func parseBound(outside func(int) bool) func(*shape, string) (rule, string) {
	return func(s *shape, text string) (rule, string) {
		x, ok := s.valueFor(text)
		if !ok {
			return rule{}, "a number of the field's type, spelt as in JSON"
		}
		return rule{
			value:    []byte(text),
			values:   []reflect.Value{x},
			violates: func(v reflect.Value) bool { return outside(compareNumbers(v, x)) },
		}, ""
	}
}

// valueFor returns the value that text spells, for rules about values of shape s: the
// string itself, or the number in JSON as an int64, a uint64 or a float64. ok is false if
// the type cannot hold it. A float of 32 bits is not rounded, since rules are about the
// number that a client sends.
func (s *shape) valueFor(text string) (x reflect.Value, ok bool) {
	if !isBoundable(s) {
		return reflect.ValueOf(text), true
	}
	num, ok := jsonNumber(text)
	if !ok {
		return x, false
	}
	mag, neg, bad := parseInteger(num)
	switch s.kind {
	case kindInt:
		n, ok := signed(mag, neg)
		return reflect.ValueOf(n), ok && bad == integerOK && n>>(s.bits-1) == n>>63 // the bits above are all the sign
	case kindUint:
		return reflect.ValueOf(mag), bad == integerOK && mag <= math.MaxUint64>>(64-s.bits) && !(neg && mag > 0)
	}
	_, err := strconv.ParseFloat(text, s.bits)
	f, _ := strconv.ParseFloat(text, 64)
	return reflect.ValueOf(f), err == nil
}

// integerBounds returns the least and the greatest value of an integer type, as
// JSON.
func (s *shape) integerBounds() (low, high string) {
	if s.kind == kindUint {
		return "0", strconv.FormatUint(math.MaxUint64>>(64-s.bits), 10)
	}
	return strconv.FormatInt(math.MinInt64>>(64-s.bits), 10), strconv.FormatInt(math.MaxInt64>>(64-s.bits), 10)
}

// compareNumbers compares a value with a number from valueFor. Integers are
// compared as such: as doubles, those beyond 2^53 would be equal to their
// neighbours.
func compareNumbers(v, x reflect.Value) int {
	switch x.Kind() {
	case reflect.Int64:
		return cmp.Compare(v.Int(), x.Int())
	case reflect.Uint64:
		return cmp.Compare(v.Uint(), x.Uint())
	}
	f := v.Float()
	if v.Kind() == reflect.Float32 { // of Service.Call: the number that JSON would have
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 32), 64)
	}
	return cmp.Compare(f, x.Float())
}

// parseMultiple makes the rule that a number is a multiple of the one in the tag.
func parseMultiple(s *shape, text string) (rule, string) {
	const want = "a number above 0 of the field's type, spelt as in JSON"
	num, ok := jsonNumber(text)
	if !ok || num[0] == '-' { // multipleOf is above 0 (JSON Schema 2020-12 Validation, section 6.2.1)
		return rule{}, want
	}
	r := rule{value: num}
	if s.kind == kindFloat {
		unit, point, over := splitDecimal(num)
		if unit == 0 || over {
			return r, want
		}
		r.violates = func(v reflect.Value) bool { return !isMultiple(v, unit, point) }
		return r, ""
	}
	unit, ok := s.valueFor(text)
	if !ok || unit.IsZero() {
		return r, want
	}
	if s.kind == kindInt {
		r.violates = func(v reflect.Value) bool { return v.Int()%unit.Int() != 0 }
	} else {
		r.violates = func(v reflect.Value) bool { return v.Uint()%unit.Uint() != 0 }
	}
	return r, ""
}

// isMultiple reports whether the float v is a multiple of unit × 10^point, in decimals,
// as the schema's reader would do it: 0.3 is a multiple of 0.1, which the nearest
// doubles are not. It makes no large numbers: 1 MiB of 1e300 would take a second.
func isMultiple(v reflect.Value, unit uint64, point int) bool {
	text := strconv.AppendFloat(make([]byte, 0, 32), math.Abs(v.Float()), 'e', -1, v.Type().Bits())
	if !isDigit(text[0]) {
		return false // NaN or an infinity, of Service.Call
	}
	// The value is mag × 10^exp, so it is a multiple if mag × 10^(exp-point) is a multiple of unit.
	mag, exp, _ := splitDecimal(text)
	if exp < point {
		return mag == 0 // mag does not end in 0
	}
	rest := mag % unit
	for n := min(exp-point, 64); n > 0 && rest > 0; n-- { // a uint64 has at most 64 factors 2 or 5
		high, low := bits.Mul64(rest, 10)
		_, rest = bits.Div64(high, low, unit)
	}
	return rest == 0
}

// parseUnique makes the rule that no two items of a list are the same. The only
// text is "true": without the tag items need not be unique.
func parseUnique(_ *shape, text string) (rule, string) {
	if text != "true" {
		return rule{}, `"true"`
	}
	return rule{value: []byte("true"), violates: hasRepeated}, ""
}

// hasRepeated reports whether a list of scalars contains a value twice. Items compare as Go values
// of one type, which for scalars is how JSON Schema compares: 1 and 1.0 have become one number by
// then.
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

// A published pattern is read by ECMAScript's rules, in practice with the flag u (JSON Schema
// 2020-12, section 6.4), and enforced by Go's. It is published and compiled as written, so svc
// accepts only constructs that mean the same in both:
//
//	x                      the character itself, except for ^$\.*+?()[]{}|
//	\. \* \/               one of these characters, or a slash; inside [ ] also \-
//	\t \n \v \f \r \x41    control characters, and characters below U+0100
//	\d \D \w \W            the digits and word characters of ASCII, and all others
//	\p{Lu} \P{L}           a general category of Unicode, and all others
//	[abc] [^a-z] [\d_-]    classes, which are not empty
//	^ $ \b \B              the ends of the text, and of a word in ASCII
//	x|y (x) (?:x)          alternatives and groups
//	x* x+ x? x{2,3} x+?    repetitions
//
// The general categories are those whose name and meaning are the same in both: C and Cn include
// unassigned characters only since Go 1.25, which also added LC. Each side's version of Unicode
// determines which characters are in a category.
const (
	sharedChar = `\\[tnvfr^$\\.*+?()\[\]{}|/]|\\x[0-9A-Fa-f]{2}`
	sharedSet  = `\\[dDwW]|\\[pP]\{(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfo])\}`

	// A class begins with a ^, a dash or a first item. A dash between items always forms a range,
	// because ECMAScript allows no other dash beside \d and the like.
	classChar  = `(?:[^\\\[\]-]|\\-|` + sharedChar + `)`
	classItem  = `(?:` + classChar + `(?:-` + classChar + `)?|` + sharedSet + `)`
	classFirst = `(?:-|(?:[^\\\[\]^-]|\\-|` + sharedChar + `)(?:-` + classChar + `)?|` + sharedSet + `)`
	classStart = `\[\^?` + classFirst + classItem + `*`

	// Anchors and group starts cannot be repeated. Go would accept ^*.
	sharedEnd     = `[\^$|]|\\[bB]|\(\?:|\(`
	sharedAtom    = `[^\\^$.*+?()\[\]{}|]|\)|` + sharedChar + `|` + sharedSet + `|` + classStart + `-?\]`
	sharedRepeat  = `(?:[*+?]|\{(?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*)?)?\})\??`
	sharedPattern = `(?:` + sharedEnd + `|(?:` + sharedAtom + `)(?:` + sharedRepeat + `)?)*`
)

// unsharedPieces maps each construct that is not shared to its replacement. The
// first row whose piece begins the text counts.
var unsharedPieces = [...]struct{ piece, instead string }{
	{`.`, `[^\n], or [\d\D] for any character: in ECMAScript the point stops at \r, U+2028 and U+2029 too`},
	{`\s`, `the characters, such as [ \t\n]: ECMAScript has more of them than Go`},
	{`\S`, `the characters, such as [^ \t\n]: ECMAScript has more of them than Go`},
	{`\A`, `^`},
	{`\z`, `$`},
	{`\Z`, `$`},
	{`\p`, `a general category, such as \p{L} or \p{Lu}`},
	{`\P`, `a general category, such as \P{L} or \P{Lu}`},
	{`\u`, `the character itself`},
	{`\x`, `the character itself, or \x41 with two digits`},
	{`\`, `the character itself; of the escapes, both have \d \D \w \W \b \B \t \n \v \f \r and a backslash before one of ^$\.*+?()[]{}|/`},
	{`(?`, `( or (?:, and [aA] for a letter in either case; names, flags and lookaheads are not in both`},
	{`[:`, `the characters, such as A-Za-z`},
	{`[`, `\[`},
	{`]`, `\]`},
	{`{`, `\{, or a repetition such as {2}, {2,} or {2,3}`},
	{`}`, `\}`},
	{`-`, `\-, unless it is the first or the last in [ ]`},
	{`^`, `\^ at the start of [ ]`},
	{`*`, `\*: there is nothing to repeat`},
	{`+`, `\+: there is nothing to repeat`},
	{`?`, `\?: there is nothing to repeat`},
}

// compilePattern compiles a pattern that Go and ECMAScript share. It looks for the
// longest shared prefix. If that is not all, the next piece selects the replacement
// that the error suggests. Its errors are for the author of the service.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	rest := pattern[len(regexp.MustCompile(`^`+sharedPattern).FindString(pattern)):]
	if before := pattern[:len(pattern)-len(rest)]; strings.HasPrefix(rest, "?") && strings.HasSuffix(before, "(") {
		rest = "(" + rest
	}
	if strings.HasPrefix(rest, "[") { // the reason is inside
		start := regexp.MustCompile(`^(?:` + classStart + `|\[\^?)`).FindString(rest)
		if rest = rest[len(start):]; rest == "" || rest == "-" {
			return nil, errors.New("a [ is not closed")
		}
	}
	// rest begins with the first piece that is not shared.
	for _, row := range unsharedPieces {
		if strings.HasPrefix(rest, row.piece) {
			return nil, fmt.Errorf("for %s write %s", row.piece, row.instead)
		}
	}
	// Package regexp rejects, for example, an unclosed (, a range that ends before
	// it starts, a repetition above 1000, and text that is not UTF-8.
	re, err := regexp.Compile(pattern)
	if err != nil || rest != "" {
		return nil, errors.New("package regexp does not take it")
	}
	return re, nil
}
