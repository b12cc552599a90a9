package svc

// This file writes the comments of a TypeScript client: the documentation of methods, types and
// fields, the rules in the words of their violations, and the errors that methods declare. No text
// can end a comment, or begin a tag such as @ts-ignore.

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxCommentLine is how many characters a line of a comment has, if its words allow it.
const maxCommentLine = 100

// appendComment appends a comment with these lines, which may be too long, or nothing without
// lines.
func appendComment(dst []byte, indent string, lines []string) []byte {
	wrapped := make([]string, 0, len(lines))
	for _, line := range lines {
		wrapped = appendWrapped(wrapped, strings.TrimRight(line, " "), maxCommentLine-len(indent)-len(" * "))
	}
	if len(wrapped) == 0 {
		return dst
	}
	if len(wrapped) == 1 && len(indent)+len(wrapped[0]) <= maxCommentLine {
		return append(append(append(append(dst, indent...), "/** "...), wrapped[0]...), " */\n"...)
	}
	dst = append(append(dst, indent...), "/**\n"...)
	for _, line := range wrapped {
		dst = append(append(dst, indent...), " *"...)
		if line != "" {
			dst = append(append(dst, ' '), line...)
		}
		dst = append(dst, '\n')
	}
	return append(append(dst, indent...), " */\n"...)
}

// appendWrapped appends the lines of a paragraph. A line of code, which begins with spaces, stays
// one. No other line begins with a character that means something there in Markdown.
func appendWrapped(lines []string, text string, width int) []string {
	if len(text) <= width || strings.HasPrefix(text, "    ") {
		return append(lines, text)
	}
	start, end, size := 0, 0, 0 // of the line, and how many characters it has
	for at := 0; at <= len(text); at++ {
		word, _, _ := strings.Cut(text[at:], " ")
		n := utf8.RuneCountInString(word)
		if end > start && size+1+n > width && word != "" && !strings.ContainsAny(word[:1], "#>-+*_=~|@0123456789") {
			lines = append(lines, text[start:end])
			start, size = at, n
		} else {
			if end == start { // blanks at the beginning
				start = at
			}
			size += 1 + n
		}
		at += len(word)
		end = at
	}
	return append(lines, text[start:end])
}

// commentLines returns the lines of a text in a comment. Nothing in it ends the comment or the
// script element around it, is invisible, or begins a tag.
func commentLines(text string) []string {
	if text == "" {
		return nil
	}
	if !isPlainText(text) || strings.ContainsAny(text, "@/") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\t", "    ")
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = safeLine(line)
	}
	return lines
}

// safeLine returns one line of a text in a comment.
func safeLine(line string) string {
	if strings.ContainsAny(line, "/@<‹›") || !isPlainText(line) {
		line = visibleText(line)
		line = strings.NewReplacer("*/", `*\/`, "<!--", `<\!--`, "‹", "<", "›", ">").Replace(line)
		if strings.Contains(strings.ToLower(line), "</script") {
			line = strings.ReplaceAll(line, "</", `<\/`)
		}
		if text := strings.TrimLeft(line, " *"); strings.HasPrefix(text, "@") { // an @ would begin a tag
			line = line[:len(line)-len(text)] + `\` + text
		}
	}
	return line
}

// aboutLines returns the comment of a type.
func (s *shape) aboutLines() []string {
	text := s.about.text
	if own, ok := s.custom["description"].(string); ok {
		text = own
	}
	return s.withValues(describedLines(text, s.gone), s.gone)
}

// withValues adds the list of the values of s to the lines of a comment, before its tag.
func (s *shape) withValues(lines []string, deprecated bool) []string {
	list, end := commentLines(s.valueList().text), len(lines)
	if deprecated {
		end--
	}
	if end > 0 && list != nil {
		list = append([]string{""}, list...)
	}
	return slices.Insert(lines, end, list...)
}

// describedLines returns the lines of a text, and the tag for a deprecated item, whose text has a
// paragraph "Deprecated: …".
func describedLines(text string, deprecated bool) []string {
	if !deprecated {
		return commentLines(text)
	}
	text, why, _ := strings.Cut("\n\n"+text, "\n\nDeprecated: ")
	lines := commentLines(strings.TrimPrefix(text, "\n\n"))
	return append(lines, strings.TrimSpace("@deprecated "+strings.Join(commentLines(strings.Join(strings.Fields(why), " ")), " ")))
}

// lines returns the lines of the comment of a member: its text, its rules, default and example.
// Readers do not count like JavaScript.
func (m *clientMember) lines(forReaders bool) []string {
	lines := m.ownLines(forReaders)
	if target := m.shape.deref(); !target.isComponent() { // a component has the list itself
		lines = target.withValues(lines, m.deprecated)
	}
	return lines
}

// ownLines returns the lines of the comment of a member without the list of its values.
func (m *clientMember) ownLines(forReaders bool) []string {
	lines := describedLines(m.doc.text, m.deprecated)
	facts := m.facts(forReaders)
	if facts == "" {
		return lines
	}
	facts = safeLine(facts)
	end := len(lines) - 1
	switch {
	case len(lines) == 0:
		return []string{facts}
	case m.deprecated || strings.HasPrefix(lines[end], " "):
		return slices.Insert(lines, max(end, 0), facts)
	}
	lines[end] += " " + facts
	if !strings.ContainsAny(m.doc.text[len(m.doc.text)-1:], ".!?:;") {
		lines[end] = strings.TrimSuffix(lines[end], " "+facts) + ". " + facts
	}
	return lines
}

// facts returns the rules of a member, its default and its example in one line.
func (m *clientMember) facts(forReaders bool) string {
	target := m.shape.deref()
	texts := m.ruleTexts(target.rules, "must ")
	if item := target.scalarItem(); item != nil && !item.isEnum {
		texts = append(texts, m.ruleTexts(item.rules, "each item must ")...)
	}
	var facts []string
	if len(texts) > 0 {
		facts = append(facts, capitalized(strings.Join(texts, "; "))+".")
	}
	switch note := kindNotes[target.kind]; {
	case m.quoted:
		facts = append(facts, capitalized(target.quotedNote())+".")
	case target.kind == kindInt || target.kind == kindUint:
		if k := target.typ.Kind(); !forReaders && (k == reflect.Int64 || k == reflect.Uint64) {
			facts = append(facts, "Beyond 2^53 it is not exact, and not sent.")
		}
	case m.in == inHeader && target.kind == kindTime:
		facts = append(facts, "A time as in the header Date.")
	case note != "":
		facts = append(facts, capitalized(note)+".")
	}
	if m.def != nil {
		facts = append(facts, "Default: "+string(m.def)+".")
		if m.optional && m.answered && !m.field.optional {
			facts = append(facts, "Always there in outputs.")
		}
	}
	if m.example != nil {
		facts = append(facts, "Example: "+string(m.example)+".")
	}
	return strings.Join(facts, " ")
}

// ruleTexts returns the messages of rules, starting with the word first. It leaves out rules that
// the type already expresses.
func (m *clientMember) ruleTexts(rules ruleSet, first string) (texts []string) {
	for _, r := range rules {
		text := r.complaint.message
		if r.role == roleValues || r.hint != "" { // a patternHint is in doc
			continue
		}
		if first != "must " {
			text = first + strings.TrimPrefix(text, "must ")
		}
		texts = append(texts, text)
	}
	return texts
}

// clientLines returns the lines of the comment of a method: its text, its scopes, its limits and
// its errors.
func (m *method) clientLines() []string {
	lines := commentLines(m.about.text)
	if len(m.scopes) > 0 {
		lines = append(lines, "Needs the "+plural(len(m.scopes), "scope")+" "+safeLine(strings.Join(m.scopes, ", "))+".")
	}
	if why := m.farewell().text; why != "" {
		why = strings.TrimPrefix(strings.Join(strings.Fields(why), " "), "Deprecated: ")
		lines = append(lines, "@deprecated "+safeLine(why))
	}
	for _, e := range m.errors {
		name := string(e.code())
		if reason := e.sentReason(); reason != "" {
			name = reason + " (" + name + ")"
		}
		lines = append(lines, "@throws "+name+": "+safeLine(strings.Join(strings.Fields(e.message()), " ")))
	}
	return lines
}

// plural returns a noun, with an s unless n is 1.
func plural(n int, noun string) string { return strings.TrimLeft(countText(n, noun), "0123456789 ") }
