package svc

// This file restricts tool schemas to the keywords that all MCP hosts accept. Hosts pass them to
// models whose APIs support only parts of JSON Schema, and may refuse every tool of a server
// because of one keyword:
//
//	keyword                              in place of it
//	-----------------------------------  ------------------------------------------------
//	additionalProperties false           nothing; the server refuses unknown arguments
//	uniqueItems, propertyNames,          words in the description
//	  multipleOf, exclusive bounds
//	an enum of numbers or booleans       words
//	an enum with an empty text           the others, and words
//	const                                an enum of one text
//	anyOf beside other members           anyOf alone, whose first branch has these
//	anyOf in anyOf                       one list
//
// Formats are words already; see sayFormat. The server enforces the rules in any case.

import (
	"bytes"
	"slices"
	"strings"
)

// appendToolSchema appends a schema as all hosts take it.
func appendToolSchema(dst, schema []byte) []byte {
	if !isJSONObject(schema) { // true or false
		return append(dst, schema...)
	}
	if branches := toolBranches(schema); branches != nil {
		return append(append(append(dst, `{"anyOf":[`...), bytes.Join(branches, []byte(","))...), "]}"...)
	}
	words := strings.Join(toolWords(schema), "; ")
	m, isDescribed := openMembers(dst), words == ""
	eachMember(schema, func(name, value []byte) {
		switch keyword := string(name); {
		case keyword == "additionalProperties" && string(value) == "false", slices.Contains(unknownToTools, keyword):
		case keyword == ruleEnum, keyword == "const":
			if texts := toolEnum(value); texts != nil {
				m.addRaw(ruleEnum, texts)
			}
		case keyword == "description" && words != "":
			isDescribed = true
			m.addText(keyword, addWords(textAt(value), words))
		default:
			m.addName(keyword)
			m.buf = appendToolPart(m.buf, keyword, value)
		}
	})
	if !isDescribed {
		m.addText("description", words)
	}
	return m.close()
}

// unknownToTools are keywords that some models do not know. toolWords says them in words.
var unknownToTools = []string{"uniqueItems", "propertyNames", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"}

// appendToolPart appends the value of a keyword, with the schemas in it as all hosts take them.
func appendToolPart(dst []byte, keyword string, value []byte) []byte {
	switch keyword {
	case "items", "additionalProperties":
		return appendToolSchema(dst, value)
	case "properties", "$defs":
		m := openMembers(dst)
		eachMember(value, func(name, schema []byte) {
			m.addName(string(name))
			m.buf = appendToolSchema(m.buf, schema)
		})
		return m.close()
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if items := itemsOf(value); items != nil {
			for i, schema := range items {
				items[i] = appendToolSchema(nil, schema)
			}
			return append(append(append(dst, '['), bytes.Join(items, []byte(","))...), ']')
		}
	}
	return append(dst, value...)
}

// toolWords returns words for the keywords of a schema that hosts do not accept.
func toolWords(schema []byte) (words []string) {
	eachMember(schema, func(name, value []byte) {
		switch keyword := string(name); {
		case keyword == "propertyNames":
			words = append(words, nameWords(value))
		case keyword == "uniqueItems" && string(value) != "true":
		case keyword == ruleEnum, keyword == "const":
			if text := enumWords(value); text != "" {
				words = append(words, text)
			}
		case slices.Contains(unknownToTools, keyword):
			for _, row := range ruleRows {
				if row.keyword == keyword {
					words = append(words, strings.ReplaceAll(row.must, "#", string(value)))
				}
			}
		}
	})
	return words
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

// annotations are the keywords that do not constrain values, so the first branch of an anyOf can
// hold them instead.
var annotations = []string{"description", "title", "default", "examples", "deprecated", "x-mcp-header"}

// toolBranches returns the branches of a schema that is only an anyOf, in the form that all hosts
// accept: one list, with the annotations moved into the first branch. It returns nil for any other
// schema.
func toolBranches(schema []byte) (branches [][]byte) {
	list, isUnion := itemsOf(memberAt(schema, "anyOf")), true
	eachMember(schema, func(name, _ []byte) {
		isUnion = isUnion && (string(name) == "anyOf" || slices.Contains(annotations, string(name)))
	})
	if !isUnion || len(list) == 0 {
		return nil
	}
	for _, branch := range list {
		if inner := toolBranches(branch); inner != nil {
			branches = append(branches, inner...)
		} else {
			branches = append(branches, appendToolSchema(nil, branch))
		}
	}
	branches[0] = annotateBranch(branches[0], schema)
	return branches
}

// annotateBranch returns a branch with the annotations of the schema around it. Of two descriptions
// the one of the schema comes first; of other annotations it wins.
func annotateBranch(branch, schema []byte) []byte {
	if !isJSONObject(branch) {
		return branch
	}
	m := openMembers(nil)
	eachMember(branch, func(name, value []byte) {
		if memberAt(schema, string(name)) == nil || !slices.Contains(annotations, string(name)) {
			m.addRaw(string(name), value)
		}
	})
	for _, name := range annotations {
		switch value := memberAt(schema, name); {
		case value == nil:
		case name == "description" && textAt(branch, name) != "":
			m.addText(name, textAt(value)+" "+textAt(branch, name))
		default:
			m.addRaw(name, value)
		}
	}
	return m.close()
}
