package main

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ruleTags returns the rule tags of a field.
func (c *converter) ruleTags(f *field) []string {
	t, s := f.t, f.s
	switch t.kind {
	case kList:
		tags := sizeTags(s, "minItems", "maxItems")
		if s.rules["uniqueItems"] == "true" {
			if t.elem.isScalar() && t.elem.kind != kTime && t.elem.kind != kBytes && !t.elem.null() {
				tags = append(tags, tag("uniqueItems", "true"))
			} else {
				c.lack(lackUnique, s.at, f.json)
			}
		}
		if t.elem.s != nil && t.elem.takesRules() {
			return append(tags, c.scalarTags(t.elem.s, t.elem)...)
		}
		c.innerRules(t.elem)
		return tags
	case kMap:
		c.innerRules(t)
		return sizeTags(s, "minProperties", "maxProperties")
	}
	if s != nil && t.takesRules() {
		return c.scalarTags(s, t)
	}
	if (t.kind == kTime || t.kind == kBytes) && (len(s.rules) > 0 || s.pattern != "") {
		c.lack(lackLimit, s.at, "rules of "+kindWords[t.kind])
	}
	return nil
}

// takesRules reports whether the rules of strings or numbers are for the type.
func (t *typ) takesRules() bool { return t.kind == kString || t.kind == kInt || t.kind == kFloat }

// innerRules reports rules of values inside of maps and of lists in lists, which no tag says.
func (c *converter) innerRules(t *typ) {
	if t.kind != kList && t.kind != kMap {
		return
	}
	e := t.elem
	if e.s == nil {
		return
	}
	if e.takesRules() && len(c.scalarTags(e.s, e)) > 0 || e.kind == kList && len(sizeTags(e.s, "minItems", "maxItems", "uniqueItems")) > 0 {
		c.lack(lackInnerRules, e.s.at, "rules of values")
	}
	c.innerRules(e)
}

// sizeTags returns the tags of limits that are whole numbers.
func sizeTags(s *schema, names ...string) []string {
	var tags []string
	for _, n := range names {
		v := strings.TrimSuffix(s.rules[n], ".0")
		if _, err := strconv.ParseUint(v, 10, 31); err == nil && !(v == "0" && strings.HasPrefix(n, "min")) {
			tags = append(tags, tag(n, v))
		}
	}
	return tags
}

func (c *converter) scalarTags(s *schema, t *typ) []string {
	if len(s.enum) > 0 {
		if tags := c.enumTags(s, t); tags != nil {
			return tags
		}
	}
	if t.kind == kString {
		return c.textTags(s)
	}
	return c.numberTags(s, t)
}

// enumTags returns the tag enum and, on a text, a format that is only published.
func (c *converter) enumTags(s *schema, t *typ) []string {
	var vals []string
	for _, v := range s.enum {
		isNum := v.kind == isNumber && (t.kind == kFloat || valueType(v) == "integer" && len(v.text) < 10)
		if t.kind == kString && (v.kind == isString || v.kind == isNumber) || t.kind != kString && isNum {
			vals = append(vals, v.text)
		}
	}
	if len(vals) < len(s.enum) || !fitsTag(s.enum) {
		c.lack(lackEnumText, s.at, "values with commas or of other types")
		return nil
	}
	tags := []string{tag("enum", strings.Join(vals, ","))}
	if t.kind == kString && s.format != "" && s.format != "binary" && checkedFormats[s.format] == nil && !isNearFormat(s.format) && isPrintable(s.format) {
		tags = append(tags, tag("format", s.format))
	}
	return tags
}

func (c *converter) textTags(s *schema) []string {
	tags := sizeTags(s, "minLength", "maxLength")
	if s.pattern != "" {
		if p, why := goPattern(s.pattern); why == "" {
			tags = append(tags, tag("pattern", p))
		} else {
			c.lack(lackPattern, s.at, s.pattern+" "+why)
		}
	}
	switch {
	case s.format == "" || s.format == "binary" || s.format == "string" || !isPrintable(s.format):
	case isNearFormat(s.format):
		c.lack(lackFormat, s.at, s.format)
	default:
		tags = append(tags, tag("format", s.format))
	}
	return tags
}

func (c *converter) numberTags(s *schema, t *typ) []string {
	var tags []string
	for _, n := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		v := s.rules[n]
		x, err := strconv.ParseFloat(v, 64)
		switch {
		case v == "" || n == "multipleOf" && v == "1" && t.kind == kInt:
			continue
		case err != nil || n == "multipleOf" && x <= 0 || t.kind == kInt && !fitsInt(x, t.name):
			if !(n == "minimum" && x < 0 || n == "maximum" && x > 0) { // else the type has the limit already
				c.lack(lackLimit, s.at, n+" "+v)
			}
			continue
		case t.kind == kInt && strings.ContainsAny(v, ".eE"):
			v = strconv.FormatInt(int64(x), 10)
		}
		tags = append(tags, tag(n, v))
	}
	return tags
}

// fitsInt reports whether x is a value of an integer type.
func fitsInt(x float64, name string) bool {
	switch {
	case x != math.Trunc(x) || x > 9e18 || x < -9e18:
		return false
	case name == "int32":
		return math.MinInt32 <= x && x <= math.MaxInt32
	}
	return x >= 0 || !strings.HasPrefix(name, "u")
}

// checkedFormats are patterns of texts that surely have the formats that svc checks.
var checkedFormats = map[string]*regexp.Regexp{
	"date":      regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$`),
	"uuid":      regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`),
	"uri":       regexp.MustCompile(`^[a-z][a-z0-9+.-]*://[A-Za-z0-9._~/?#&=:@+-]+$`),
	"email":     regexp.MustCompile(`^[A-Za-z0-9_+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9]+)+$`),
	"ipv4":      regexp.MustCompile(`^(\d|[1-9]\d|1\d\d|2[0-4]\d)(\.(\d|[1-9]\d|1\d\d|2[0-4]\d)){3}$`),
	"hostname":  regexp.MustCompile(`^[a-z0-9]+(\.[a-z0-9]+)*$`),
	"time":      regexp.MustCompile(`^[01]\d:[0-5]\d:[0-5]\dZ$`),
	"ipv6":      regexp.MustCompile(`^([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$`),
	"date-time": regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T[01]\d:[0-5]\d:[0-5]\dZ$`),
}

// takes reports whether a text surely meets the rules of s.
func takes(s *schema, text string) bool {
	if len(s.enum) > 0 && !slices.ContainsFunc(s.enum, func(v *node) bool { return v.text == text }) {
		return false
	}
	n := utf8.RuneCountInString(text)
	if m, err := strconv.Atoi(s.rules["minLength"]); err == nil && n < m {
		return false
	}
	if m, err := strconv.Atoi(s.rules["maxLength"]); err == nil && n > m {
		return false
	}
	if s.pattern != "" {
		p, why := goPattern(s.pattern)
		if why != "" {
			return false
		}
		if re, err := regexp.Compile(p); err != nil || !re.MatchString(text) {
			return false
		}
	}
	re := checkedFormats[s.format]
	return re == nil || len(s.enum) > 0 || re.MatchString(text)
}

// inRange reports whether a number surely meets the rules of s.
func inRange(s *schema, text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || s.rules["multipleOf"] != "" {
		return false
	}
	if len(s.enum) > 0 {
		return slices.ContainsFunc(s.enum, func(v *node) bool { return v.text == text })
	}
	if m, err := strconv.ParseFloat(s.rules["minimum"], 64); err == nil && x < m {
		return false
	}
	if m, err := strconv.ParseFloat(s.rules["maximum"], 64); err == nil && x > m {
		return false
	}
	return s.rules["exclusiveMinimum"] == "" && s.rules["exclusiveMaximum"] == ""
}
