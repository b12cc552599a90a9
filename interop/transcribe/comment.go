package main

import (
	"strings"
	"unicode/utf8"
)

const commentWidth = 100

// comment makes a Go comment of Markdown. Lists and code keep their lines, other text is wrapped.
func comment(text, indent string) string {
	text = strings.TrimSpace(plainBreaks.Replace(strings.ToValidUTF8(text, "?")))
	if text == "" {
		return ""
	}
	w := &commentWriter{indent: indent}
	for line := range strings.Lines(text) {
		w.add(strings.TrimRight(line, " \n"))
	}
	w.flush()
	return w.b.String()
}

var plainBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ", "\u2028", " ", "\u2029", " ", "\x00", " ", "\ufeff", "")

// A commentWriter collects the lines of a paragraph or of an item of a list, and writes it wrapped.
type commentWriter struct {
	b           strings.Builder
	indent      string
	para        []string
	first, rest string // what is in front of the first line of the paragraph, and of the others
	code        bool   // between two lines of ```
	blank       bool   // an empty line comes before the next paragraph
}

func (w *commentWriter) line(s string) {
	s = strings.TrimRight(s, " ")
	w.b.WriteString(w.indent + "//")
	if s != "" {
		w.b.WriteString(" " + s)
	}
	w.b.WriteByte('\n')
}

// add takes a line of Markdown.
func (w *commentWriter) add(line string) {
	t := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(t, "```"):
		w.flush()
		if !w.code && w.b.Len() > 0 {
			w.line("")
		}
		w.code = !w.code
		w.blank = !w.code
	case w.code:
		w.line("\t" + line)
	case t == "":
		w.flush()
		w.blank = true
	default:
		w.addText(t)
	}
}

func (w *commentWriter) addText(t string) {
	mark, text := listMark(t)
	switch {
	case mark != "":
		w.flush()
		w.first, w.rest = mark, strings.Repeat(" ", len(mark))
		w.blank = false
	case strings.HasPrefix(t, "#"):
		w.flush()
		text = strings.TrimSpace(strings.TrimLeft(t, "#"))
		w.blank = true
	}
	if w.blank && mark == "" && w.b.Len() > 0 && len(w.para) == 0 {
		w.line("")
	}
	w.blank = false
	w.para = append(w.para, text)
}

// listMark returns the mark of an item as gofmt writes it, and the text behind it.
func listMark(t string) (mark, text string) {
	if len(t) > 2 && (strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* ")) {
		return "  - ", strings.TrimSpace(t[2:])
	}
	if number, text, ok := strings.Cut(t, ". "); ok && 0 < len(number) && len(number) < 3 && strings.Trim(number, "0123456789") == "" {
		return " " + number + ". ", strings.TrimSpace(text)
	}
	return "", t
}

// flush writes the paragraph.
func (w *commentWriter) flush() {
	if len(w.para) == 0 {
		return
	}
	line, empty := w.first, true
	for _, word := range strings.Fields(strings.Join(w.para, " ")) {
		if !empty && len(w.indent)+3+utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > commentWidth {
			w.line(line)
			line, empty = w.rest, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	w.line(line)
	w.para, w.first, w.rest = nil, "", ""
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsRune(".!?:", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}
