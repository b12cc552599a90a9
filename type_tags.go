package svc

// This file parses struct tags. A slip in a tag would silently cost its field a rule, on the server
// and in every document: reflect stops parsing there, and a misspelled key looks like a key of a
// different library. Tags of a field that is not in the JSON would lose their rules in the same
// way.

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ownTags returns the keys of struct tags that svc reads.
func ownTags() []string {
	own := append(whereTags(), "json", "mcpheader", "status", "variant", "discriminator", "default", "example", "doc",
		"patternHint", "nullable", keyTag, "contentType", "maxBytes", orderTag, inlineTag)
	for _, row := range ruleRows {
		own = append(own, row.keyword)
	}
	return own
}

// nearTag returns the tag of svc that key probably misspells, or "". The two differ only in case, _
// and -, or in one or two letters of many. Keys of three letters are never misspellings, and
// neither are some known keys of other libraries. Most fields of a service use the same few keys of
// other libraries, so results are kept.
func (c *shapes) nearTag(key string) string {
	switch key {
	case "bson", "hjson", "jsonb", "json5", "patch", "xpath":
		return ""
	}
	meant, known := c.near[key]
	if !known {
		meant = nearName(key, c.ownTags)
		c.near[key] = meant
	}
	return meant
}

// nearName returns the first of names that differs from name only in case, _ and -, or else the one
// with the least edit distance to it without these: 1 for 4 letters, and 2 from 6 on. It returns ""
// if there is none.
func nearName(name string, names []string) (meant string) {
	folded := strings.ToLower(foldName(name))
	sent := []rune(folded)
	least := min(maxSteps, len(sent)/3) + 1
	if len(sent) <= 3 {
		least = 1
	}
	for _, known := range names {
		if steps := editDistance(sent, []rune(strings.ToLower(foldName(known)))); steps < least {
			meant, least = known, steps
		}
	}
	return meant
}

// checkStructTags notes the slips in the tags of the struct t. If t has no name, messages name its
// place at. It checks each struct once.
func (c *shapes) checkStructTags(t reflect.Type, at string) {
	if c.tagged[t] {
		return
	}
	c.tagged[t] = true
	if t.Name() != "" {
		at = t.String()
	}
	for i := range t.NumField() {
		if sf := t.Field(i); sf.Tag != "" {
			c.checkTag(sf, at+"."+sf.Name)
		}
	}
}

// checkTag notes the slips in the tag of sf.
func (c *shapes) checkTag(sf reflect.StructField, at string) {
	var keys []string
	rest := strings.TrimLeft(string(sf.Tag), " ")
	for rest != "" {
		key, value, after, ok := cutPair(rest)
		if !ok {
			c.addf("%s: Go reads nothing of the tag from %s on: %s", at, tagExcerpt(rest), whyUnread(rest))
			return
		}
		rest = strings.TrimLeft(after, " ")
		switch own := slices.Contains(c.ownTags, key); {
		case own && slices.Contains(keys, key):
			c.addf("%s: the tag has %s twice, and only the first counts; drop one of them", at, key)
		case key == "json":
			c.checkJSONTag(value, at)
		case own && (key == "header" || key == "cookie"):
			c.checkPlaceOptions(key, value, at)
		case !own:
			if meant := c.nearTag(key); meant != "" {
				c.addf("%s: svc does not read the tag %s; did you mean %s?", at, key, meant)
			}
		}
		keys = append(keys, key)
	}
}

// cutPair returns the first pair of a tag and the rest, by the grammar of reflect, which does not
// require a space before the next pair. ok is false if reflect would read nothing.
func cutPair(tag string) (key, value, after string, ok bool) {
	n := strings.IndexFunc(tag, func(r rune) bool { return r <= ' ' || r == ':' || r == '"' || r == 0x7f })
	if n <= 0 || !strings.HasPrefix(tag[n:], `:"`) {
		return "", "", tag, false
	}
	quoted, err := strconv.QuotedPrefix(tag[n+1:])
	if err != nil {
		return "", "", tag, false
	}
	value, err = strconv.Unquote(quoted)
	return tag[:n], value, tag[n+1+len(quoted):], err == nil
}

// tagExcerpt returns the beginning of text, a part of a tag, for a message.
func tagExcerpt(text string) string {
	text = clip(text, 60)
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '`' }) {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

// whyUnread explains why reflect cannot parse rest, and how to fix it.
func whyUnread(rest string) string {
	first := rest[0]
	if strings.IndexByte(",;|\t\n\r", first) >= 0 {
		return fmt.Sprintf("%q stands before the pair, where only a blank may be", string(first))
	}
	key, value, found := strings.Cut(rest, ":")
	name := strings.TrimSpace(key)
	switch {
	case !found || name == "" || strings.ContainsAny(name, "\" \t\n"):
		return `a tag is pairs such as json:"name", with a blank between them`
	case name != key || value != strings.TrimLeft(value, " \t\n"):
		return "a blank stands beside the colon; write " + name + `:"…"`
	case !strings.HasPrefix(value, `"`):
		word, _, _ := strings.Cut(value, " ")
		return "the value has no quotes; write " + name + ":" + strconv.Quote(strings.Trim(word, "'`,;"))
	}
	return "the value of " + name + " has no quote at its end, or an escape that Go does not have"
}

// checkJSONTag notes what encoding/json would pass over in a tag json, or would take for something
// else than its author.
func (c *shapes) checkJSONTag(tag, at string) {
	jsonOptions := []string{"omitempty", "omitzero", "string"}
	name, options, hasOptions := strings.Cut(tag, ",")
	if tag == "-" {
		return
	}
	for option := range strings.SplitSeq(options, ",") {
		if option == "" || slices.Contains(jsonOptions, option) {
			continue
		}
		meant := "encoding/json has omitempty, omitzero and string"
		if near := nearName(strings.TrimSpace(option), jsonOptions); near != "" {
			meant = "did you mean " + near + "?"
		}
		c.addf("%s: json:%q: there is no option %q; %s", at, tag, option, meant)
	}
	bare := strings.TrimSpace(name)
	isOption := func(option string) bool {
		before, found := strings.CutSuffix(bare, option)
		return found && (option != "string" && before == "" || before != "" && strings.ContainsAny(before[len(before)-1:], ":;| "))
	}
	i := slices.IndexFunc(jsonOptions, isOption)
	bad := strings.IndexFunc(name, isBadInName)
	switch {
	case name == "-" && hasOptions && options != "":
		c.addf("%s: json:%q: the comma makes this a member that is called -; write json:\"-\" to leave the field out, or json:\"-,\" for such "+
			"a member", at, tag)
	case i >= 0:
		c.addf("%s: json:%q: this is a member that is called %q; write a comma before the option, as in json:\",%s\"", at, tag, name,
			jsonOptions[i])
	case bad >= 0:
		c.addf("%s: json:%q: encoding/json takes no name with the character %q, and would write the name of the field; rename the member",
			at, tag, []rune(name[bad:])[0])
	case bare != name && bare != "":
		c.addf("%s: json:%q: the blank is a part of the name; remove it", at, tag)
	}
}

// isBadInName reports whether encoding/json rejects names that contain r.
func isBadInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
}

// checkPlaceOptions notes an option of a tag header or cookie that svc does not know.
func (c *shapes) checkPlaceOptions(key, tag, at string) {
	_, options, _ := strings.Cut(tag, ",")
	for option := range strings.SplitSeq(options, ",") {
		c.addIf(option != "" && option != "omitempty" && option != "omitzero",
			"%s: %s:%q: there is no option %q; svc knows omitempty and omitzero", at, key, tag, option)
	}
}

// checkUnread notes the tags of svc on sf, a field that is not in the JSON. The reason is that it
// is not exported, or that its own fields are members in its place.
func (c *shapes) checkUnread(sf reflect.StructField, at, reason string, also ...string) {
	for rest := strings.TrimLeft(string(sf.Tag), " "); rest != ""; {
		key, value, after, ok := cutPair(rest)
		if !ok {
			return // checkTag has noted it
		}
		rest = strings.TrimLeft(after, " ")
		name, _ := parseJSONTag(value)
		isRead := key == "json" && (name == "" || name == "-" || !slices.Contains(also, key)) || key == keyTag || key == "status" ||
			!slices.Contains(c.ownTags, key)
		c.addIf(!isRead, "%s: nothing reads the tag %s:%q, since the field %s", at, key, value, reason)
	}
}

// checkFormat notes a format that is nearly one of the checked formats.
func (p *mistakes) checkFormat(f *field, format string) {
	if format == "" || formatNamed(format) != nil {
		return
	}
	meant := "uri"
	if format != "url" && format != "URL" {
		meant = nearName(format, formatNames())
	}
	p.addIf(meant != "", "%s: format:%q is not checked; did you mean %q?", f.place, format, meant)
}

// formatNames returns the names of checkedFormats.
func formatNames() (names []string) {
	for _, f := range checkedFormats {
		names = append(names, f.name)
	}
	return names
}

// checkVanished notes each name of all, the fields of t, that is missing in left: two fields with
// that name hide each other, and encoding/json drops both. It sets hides of the others.
func (c *shapes) checkVanished(t reflect.Type, all, left []*field, at string) {
	for i, f := range all {
		isSame := func(o *field) bool { return o.name == f.name }
		if k := slices.IndexFunc(left, isSame); k >= 0 {
			if left[k] != f {
				left[k].hides = append(left[k].hides, f)
			}
			continue
		}
		if slices.IndexFunc(all, isSame) != i {
			continue
		}
		j := i + 1 + slices.IndexFunc(all[i+1:], func(o *field) bool { return o.name == f.name && len(o.index) == len(f.index) })
		by, other := f.declaredBy(t), all[j].declaredBy(t)
		who := fmt.Sprintf("%v.%s and %v.%s hide each other", by, f.goName, other, all[j].goName)
		if by == other {
			who = fmt.Sprintf("%v, which has it, is embedded in two ways that hide each other", by)
		}
		c.addf("%s: the member %q is lost, since %s: encoding/json drops both; declare a field of that name in the struct itself, or give one "+
			"of them another", at, f.name, who)
	}
}

// checkHidden notes each field of the input s that hides one from clients, and not from the Validate
// method of an embedded struct around that one.
func (c *shapes) checkHidden(s *shape) {
	for _, f := range s.fields {
		for _, hidden := range f.hides {
			for n := 1; n < len(hidden.index); n++ {
				by := (&field{index: hidden.index[:n+1]}).declaredBy(s.typ)
				if hasMethods(by, typeValidator) && suppliesValidate(by) {
					c.addf("%s: hides %s of the embedded %v, whose Validate then reads a value that no client sends; give the field another name, "+
						"or declare all fields of %v yourself", f.place, hidden.goName, by, by)
					break
				}
			}
		}
	}
}

// checkTakeover notes the members of the struct t that are lost because t inherits the JSON or text
// method of an embedded type: encoding/json calls it for the whole of t.
func (c *shapes) checkTakeover(t reflect.Type, u use, at *placeText) {
	if t.Kind() != reflect.Struct {
		return
	}
	ifaces := []reflect.Type{typeJSONMarshaler, typeTextMarshaler}
	if u == asInput || u == asReadOutput || u == asStored {
		ifaces = []reflect.Type{typeJSONUnmarshaler, typeTextUnmarshaler}
	}
	i := slices.IndexFunc(ifaces, func(iface reflect.Type) bool { return hasMethods(t, iface) })
	if i < 0 {
		return
	}
	lost, by := lostMembers(t, ifaces[i])
	c.addIf(lost != nil, "%s: the method %s of %v, which %v embeds, stands for all of it, so that %s would be lost; "+
		"write a name before %[3]v, so that it is a member",
		at, ifaces[i].Method(0).Name, by, t, strings.Join(lost, ", "))
}

// lostMembers returns the exported fields of the struct t other than the embedded type from which t
// inherits the method of iface, and that type. It returns nil if t declares the method.
func lostMembers(t reflect.Type, iface reflect.Type) (lost []string, by reflect.Type) {
	if declaresMethod(t, iface.Method(0).Name) {
		return nil, nil
	}
	for i := range t.NumField() {
		switch sf := t.Field(i); {
		case sf.Anonymous && by == nil && (sf.Type.Implements(iface) || hasMethods(sf.Type, iface)):
			by = sf.Type
			if e, ok := embeddedStruct(sf); ok {
				inner, _ := lostMembers(e, iface)
				lost = append(lost, inner...)
			}
		case sf.Tag.Get("json") == "-" || !sf.IsExported() && !sf.Anonymous:
		default:
			lost = append(lost, sf.Name)
		}
	}
	return lost, by
}

// isDatabaseNull reports whether t is a value of a database that may be null, such as
// sql.NullString: a struct with a bool Valid, and the methods with which package database/sql reads
// and writes it.
func isDatabaseNull(t reflect.Type) bool {
	valid, ok := t.FieldByName("Valid")
	_, scans := reflect.PointerTo(t).MethodByName("Scan")
	_, gives := reflect.PointerTo(t).MethodByName("Value")
	return ok && valid.Type.Kind() == reflect.Bool && scans && gives
}

// addDatabaseNull notes that t, for which isDatabaseNull is true, would have surprising JSON.
func (c *shapes) addDatabaseNull(t reflect.Type, at string) {
	var names []string
	inner := "T"
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.Name != "Valid" && f.IsExported() {
			names, inner = append(names, f.Name), f.Type.String()
		}
	}
	write := "*" + inner + ", or svc.Optional[" + inner + "]"
	if len(names) > 1 {
		write = "a pointer to a struct of your own that has " + strings.Join(names, ", ") + ", or an svc.Optional of it"
	}
	c.addf("%s: a %v is for databases, and its JSON would be an object with a member Valid; "+
		"write %s where a client says absent and null apart",
		at, t, write)
}
