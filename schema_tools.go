package svc

// This file restricts the schemas of tools and forms to the keywords that the hosts of MCP take. The
// writer writes them whole: which values there are, null among them, with which names and texts. Which
// keywords are published is decided here alone, also for schemas of JSONSchema and Options.Schemas. The
// server enforces the rules in any case.
//
// Hosts pass the schema of an input to models whose APIs support only parts of JSON Schema, and may
// refuse every tool of a server because of one keyword:
//
//	keyword of an input                  in place of it
//	-----------------------------------  ------------------------------------------------
//	additionalProperties false           nothing; the server refuses unknown arguments
//	a default of null, bounds of 64 bits nothing
//	a format but date-time               words in the description, of a string
//	uniqueItems, propertyNames,          words
//	  multipleOf, exclusive bounds
//	an enum of numbers or booleans       words
//	an enum with an empty text           the others, and words
//	a pattern that not all engines read  words; see isPlainPattern
//	not, allOf, if and the like          words with the schema
//	const                                an enum of one text
//	default null                         nothing
//	oneOf, a list of types               anyOf
//	anyOf beside annotations             anyOf alone, whose first branch has these
//	anyOf in anyOf                       one list
//
// Hosts check a result against the schema of its output, and drop the answer of a call that has
// already run if a rule does not hold: an enum can be younger than a stored value, and 19.99 is no
// multiple of 0.01 for a validator that divides floats. So an output promises its structure alone:
//
//	keyword of an output                 in place of it
//	-----------------------------------  ------------------------------------------------
//	type, properties, required, items,   the same
//	  additionalProperties as a schema,
//	  $ref, $defs, description
//	oneOf                                anyOf: without rules several branches can match
//	the text of a discriminator          the same
//	an enum                              words
//	all others                           nothing; the model sees the value

import (
	"bytes"
	"slices"
	"strings"
)

// onlyText is the keyword by which the writer says the one text of a discriminator in the schema of an
// output. It becomes const there, whereas a const of JSONSchema is a rule.
const onlyText = "svc:only"

// These are the keywords that schemas have unchanged. Those that publish looks at are in none of them.
const (
	inputKeywords = " type required description title examples deprecated minLength maxLength minItems maxItems minProperties " +
		"maxProperties contentEncoding properties $defs $ref x-mcp-header "
	outputKeywords = " type required description properties $defs $ref "
	formKeywords   = " type required description title examples enum enumNames const minLength maxLength minimum maximum " +
		"exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems contentEncoding properties anyOf items "
)

// schemaWords are keywords that constrain values, that inputs do not have, and that are no rules: words
// has them as JSON Schema.
const schemaWords = " anyOf oneOf not allOf if then else contains minContains maxContains prefixItems patternProperties dependentRequired " +
	"dependentSchemas dependencies unevaluatedItems unevaluatedProperties "

// annotations are the keywords that do not constrain values, so the first branch of an anyOf can
// hold them instead.
var annotations = []string{"description", "title", "default", "examples", "deprecated", "x-mcp-header"}

func isIn(keywords, name string) bool { return strings.Contains(keywords, " "+name+" ") }

// A keyword is a member of a schema.
type keyword struct {
	name  string
	value []byte
}

// keywords are the members of a schema, in their order.
type keywords []keyword

func readKeywords(schema []byte) (list keywords) {
	for name, value := range eachMember(schema) {
		list = append(list, keyword{string(name), value})
	}
	return list
}

// at returns the value of a keyword, or nil.
func (list keywords) at(name string) []byte {
	if i := slices.IndexFunc(list, func(k keyword) bool { return k.name == name }); i >= 0 {
		return list[i].value
	}
	return nil
}

func (list keywords) encode() []byte {
	m := openMembers(nil)
	for _, k := range list {
		m.addRaw(k.name, k.value)
	}
	return m.close()
}

// appendFor appends a schema of JSON Schema 2020-12 as its readers take it.
func (u schemaUse) appendFor(dst, schema []byte) []byte {
	if u == forDocument || !isJSONObject(schema) { // true or false
		return append(dst, schema...)
	}
	list := readKeywords(schema)
	if branches := list.toBranches(); u == forToolInput && branches != nil {
		return u.appendList(append(dst, `{"anyOf":`...), branches, "}")
	}
	words := strings.Join(u.words(list), "; ")
	m, isDescribed := openMembers(dst), words == ""
	for _, k := range list {
		name, value := u.publish(k, list)
		switch {
		case value == nil:
		case name == "description" && words != "":
			isDescribed = true
			m.addText(name, addWords(textAt(value), words))
		default:
			m.addName(name)
			m.buf = u.appendPart(m.buf, name, value)
		}
	}
	if !isDescribed {
		m.addText("description", words)
	}
	return m.close()
}

// appendPart appends the value of a keyword, with the schemas in it as their readers take them.
func (u schemaUse) appendPart(dst []byte, keyword string, value []byte) []byte {
	switch keyword {
	case "items", "additionalProperties":
		return u.appendFor(dst, value)
	case "properties", "$defs":
		m := openMembers(dst)
		for name, schema := range eachMember(value) {
			m.addName(string(name))
			m.buf = u.appendFor(m.buf, schema)
		}
		return m.close()
	case "anyOf", "oneOf":
		return u.appendList(dst, itemsOf(value), "")
	}
	return append(dst, value...)
}

// appendList appends a list of schemas, and the text behind it.
func (u schemaUse) appendList(dst []byte, schemas [][]byte, end string) []byte {
	dst = append(dst, '[')
	for i, schema := range schemas {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = u.appendFor(dst, schema)
	}
	return append(append(dst, ']'), end...)
}

// publish returns the name and the value that readers get for a keyword of a schema, or nil. A keyword
// that depends on one that is left out is left out too: items is about all items without prefixItems.
func (u schemaUse) publish(k keyword, schema keywords) (name string, value []byte) {
	isKept := false
	switch isObject := isJSONObject(k.value); {
	case k.name == "default": // of null, some hosts compare it with the type
		isKept = u != forToolOutput && !isJSONNull(k.value)
	case u >= forForm:
		isKept = isIn(formKeywords, k.name) || k.name == "format" && u.knowsFormat(k.value) ||
			k.name == "pattern" && isPlainPattern(textOr(string(k.value))) || k.name == "oneOf" && isTitled(k.value)
	case k.name == "items":
		isKept = isObject && schema.at("prefixItems") == nil
	case k.name == "additionalProperties":
		isKept = isObject && schema.at("patternProperties") == nil
	case u == forToolOutput:
		switch {
		case k.name == onlyText:
			return "const", k.value
		case k.name == "anyOf", k.name == "oneOf" && schema.at("anyOf") == nil:
			return "anyOf", k.value
		}
		isKept = isIn(outputKeywords, k.name)
	case k.name == ruleEnum, k.name == "const":
		return ruleEnum, toolEnum(k.value)
	case k.name == "format":
		isKept = u.knowsFormat(k.value)
	case k.name == "pattern":
		isKept = isPlainPattern(textOr(string(k.value)))
	case k.name == "minimum", k.name == "maximum":
		isKept = !slices.Contains(wideBounds, string(k.value))
	default:
		isKept = isIn(inputKeywords, k.name)
	}
	if !isKept {
		return "", nil
	}
	return k.name, k.value
}

// wideBounds are the bounds of integers of 64 bits, which hosts written in JavaScript round.
var wideBounds = []string{"-9223372036854775808", "9223372036854775807", "18446744073709551615"}

// knowsFormat reports whether the readers of the schema know a format.
func (u schemaUse) knowsFormat(format []byte) bool {
	switch textOr(string(format)) {
	case "date-time":
		return true
	case "email", "uri", "date":
		return u >= forForm
	}
	return false
}

// isTitled reports whether a oneOf is a list of values with their titles.
func isTitled(oneOf []byte) bool {
	list := itemsOf(oneOf)
	return len(list) > 0 && !slices.ContainsFunc(list, func(schema []byte) bool { return memberAt(schema, "const") == nil })
}

// isPlainPattern reports whether JavaScript, with the flag u and without, Python and the APIs of models
// compile a pattern as Go does. \p{L} is other letters to an engine without the flag, which has two
// characters for one above U+FFFF, and twice one of &|~- in brackets is an operation on sets. Python
// has more digits and letters for \d and \w than Go: a host then takes more than the server.
func isPlainPattern(pattern string) bool {
	inClass := false
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch c := pattern[i]; {
		case c >= 0xF0, // the first byte of a character above U+FFFF
			c == '[' && inClass,
			c == '(' && !inClass && strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?:"),
			inClass && len(rest) > 1 && strings.IndexByte("&|~-", c) >= 0 && rest[1] == c:
			return false
		case c == '\\':
			if i++; len(rest) > 1 && isAlphanumeric(rest[1]) && strings.IndexByte("dDwWsSbBtnvfrx", rest[1]) < 0 {
				return false
			}
		case c == '[', c == ']':
			inClass = c == '['
		}
	}
	return true
}

// words returns words for what a schema says in keywords that its readers do not get.
func (u schemaUse) words(schema keywords) (words []string) {
	var others keywords
	for _, k := range schema {
		_, published := u.publish(k, schema)
		text := ""
		switch isEnum := k.name == ruleEnum || k.name == "const"; {
		case published != nil && !isEnum: // of an enum the empty text is missing
		case u == forToolOutput:
			if k.name == ruleEnum {
				text = "one of " + listValues(itemsOf(k.value))
			}
		case k.name == "format":
			text = formatWords(schema)
		case k.name == "pattern":
			text = ruleWords(k)
		case u >= forForm:
		case isEnum:
			text = enumWords(k.value)
		case k.name == "propertyNames":
			text = nameWords(k.value)
		case isIn(schemaWords, k.name), k.name == "items" && schema.at("prefixItems") != nil,
			k.name == "additionalProperties" && schema.at("patternProperties") != nil:
			others = append(others, k)
		case k.name != "minimum" && k.name != "maximum": // of 64 bits
			text = ruleWords(k)
		}
		if text != "" {
			words = append(words, text)
		}
	}
	if others != nil {
		words = append(words, "must fit the JSON Schema "+string(others.encode()))
	}
	return words
}

// ruleWords says a rule as its violation does, or returns "" for a keyword that is no rule.
func ruleWords(k keyword) string {
	i := slices.IndexFunc(ruleRows, func(row *ruleRow) bool { return row.keyword == k.name })
	if i < 0 || string(k.value) == "false" { // of uniqueItems
		return ""
	}
	return strings.ReplaceAll(ruleRows[i].must, "#", textOr(string(k.value)))
}

// addWords adds words to a text in parentheses, or as a paragraph behind a list, whose last item
// they would seem to be about.
func addWords(text, words string) string {
	if text == "" {
		return words
	}
	if last := text[strings.LastIndexByte(text, '\n')+1:]; strings.HasPrefix(last, "- ") || strings.HasPrefix(last, "  ") {
		return text + "\n\n" + capitalized(words) + "."
	}
	phrase, isSentence := strings.CutSuffix(text, ".")
	if text = phrase + " (" + words + ")"; isSentence {
		text += "."
	}
	return text
}

// formatWords says the format of a string. An enum says more, and other types have bounds.
func formatWords(schema keywords) string {
	format := textOr(string(schema.at("format")))
	switch known := formatNamed(format); {
	case textOr(string(schema.at("type"))) != "string", schema.at(ruleEnum) != nil, schema.at("const") != nil:
		return ""
	case known != nil:
		return known.words + ", such as " + known.samples[0]
	}
	return "format: " + format
}

// nameWords describes the names of a map in words.
func nameWords(schema []byte) string {
	if values := itemsOf(memberAt(schema, ruleEnum)); values != nil {
		return "names must be one of " + listValues(values)
	}
	if pattern := textAt(schema, "pattern"); pattern != "" {
		return "names must match the pattern " + pattern
	}
	return "names have the JSON Schema " + string(schema)
}

// enumWords returns words for an enum or a const that toolEnum leaves out.
func enumWords(value []byte) string {
	switch values := enumValues(value); {
	case toolEnum(value) == nil && len(values) == 1:
		return "must be " + listValues(values)
	case toolEnum(value) == nil:
		return "must be one of " + listValues(values)
	case slices.ContainsFunc(values, isEmptyText):
		return "or an empty text"
	}
	return ""
}

// toolEnum returns the texts of an enum or a const as JSON, without the empty one. It returns nil
// if a value is not a text, or no text is left.
func toolEnum(value []byte) []byte {
	values := enumValues(value)
	if slices.ContainsFunc(values, func(v []byte) bool { return !isText(v) }) {
		return nil
	}
	if values = slices.DeleteFunc(values, isEmptyText); len(values) == 0 {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(values, []byte(","))...), ']')
}

// enumValues returns the values of an enum, or the value of a const.
func enumValues(value []byte) [][]byte {
	if items := itemsOf(value); items != nil {
		return items
	}
	return [][]byte{value}
}

func isEmptyText(value []byte) bool { return string(value) == `""` }

// listValues returns JSON values for people: a, b, 1.
func listValues(values [][]byte) string {
	var texts []string
	for _, v := range values {
		if isEmptyText(v) {
			texts = append(texts, "an empty text")
			continue
		}
		texts = append(texts, textOr(string(v)))
	}
	return strings.Join(texts, ", ")
}

// toBranches returns the branches of a schema that is a union, by anyOf, oneOf or a list of types: one
// list without unions in it, whose first branch has the annotations of the schema. It returns nil
// for any other schema, such as one with an anyOf beside a constraint.
func (list keywords) toBranches() (branches [][]byte) {
	var union [][]byte
	var others keywords // constrain each branch
	for _, k := range list {
		switch items := itemsOf(k.value); {
		case len(items) > 0 && (k.name == "anyOf" || k.name == "oneOf" || k.name == "type") && union == nil:
			union = items
		case !slices.Contains(annotations, k.name):
			others = append(others, k)
		}
	}
	for i, branch := range union {
		switch {
		case isText(branch): // a type
			branch = append(keywords{{"type", branch}}, others...).encode()
			if string(union[i]) == `"null"` {
				branch = object("type", "null")
			}
		case others != nil:
			return nil
		}
		if i == 0 {
			branch = annotateBranch(branch, list)
		}
		if inner := readKeywords(branch).toBranches(); inner != nil {
			branches = append(branches, inner...)
		} else {
			branches = append(branches, branch)
		}
	}
	return branches
}

// annotateBranch returns a branch with the annotations of the schema around it. Of two descriptions
// the one of the schema comes first; of other annotations it wins.
func annotateBranch(branch []byte, schema keywords) []byte {
	if !isJSONObject(branch) {
		return branch
	}
	own := readKeywords(branch)
	list := slices.DeleteFunc(slices.Clone(own), func(k keyword) bool {
		return slices.Contains(annotations, k.name) && schema.at(k.name) != nil
	})
	for _, name := range annotations {
		switch value := schema.at(name); {
		case value == nil:
		case name == "description" && own.at(name) != nil:
			list = append(list, keyword{name, appendQuoted(nil, textAt(value)+" "+textAt(own.at(name)))})
		default:
			list = append(list, keyword{name, value})
		}
	}
	return list.encode()
}
