package main

import (
	"regexp"
	"strconv"
	"strings"
)

// The patterns that svc takes: those that mean the same in Go and in ECMAScript. schema_rules.go
// of svc has the same expressions with the reasons; svc does not export them.
const (
	sharedChar    = `\\[tnvfr^$\\.*+?()\[\]{}|/]|\\x[0-9A-Fa-f]{2}`
	sharedSet     = `\\[dDwW]|\\[pP]\{(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfo])\}`
	classChar     = `(?:[^\\\[\]-]|\\-|` + sharedChar + `)`
	classItem     = `(?:` + classChar + `(?:-` + classChar + `)?|` + sharedSet + `)`
	classFirst    = `(?:-|(?:[^\\\[\]^-]|\\-|` + sharedChar + `)(?:-` + classChar + `)?|` + sharedSet + `)`
	classStart    = `\[\^?` + classFirst + classItem + `*`
	sharedEnd     = `[\^$|]|\\[bB]|\(\?:|\(`
	sharedAtom    = `[^\\^$.*+?()\[\]{}|]|\)|` + sharedChar + `|` + sharedSet + `|` + classStart + `-?\]`
	sharedRepeat  = `(?:[*+?]|\{(?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*)?)?\})\??`
	sharedPattern = `(?s)^(?:` + sharedEnd + `|(?:` + sharedAtom + `)(?:` + sharedRepeat + `)?)*$`
)

var shared = regexp.MustCompile(sharedPattern)

// goPattern writes a pattern of ECMAScript as svc takes it, or says why it cannot.
func goPattern(p string) (pattern, why string) {
	if len(p) > 2 && strings.HasPrefix(p, "/") && strings.HasSuffix(p, "/") {
		p = p[1 : len(p)-1]
	}
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(p, look) {
			return "", "looks around"
		}
	}
	w := patternWriter{p: groupName.ReplaceAllString(p, "(")}
	for w.i < len(w.p) {
		if why := w.next(); why != "" {
			return "", why
		}
	}
	out := w.b.String()
	if _, err := regexp.Compile(out); err != nil || !isPrintable(out) {
		return "", "is not a pattern of Go"
	}
	if !shared.MatchString(out) {
		return "", "does not mean the same in Go and in ECMAScript"
	}
	return out, ""
}

var groupName = regexp.MustCompile(`\(\?P?<[A-Za-z_]\w*>`)

// A patternWriter writes a pattern piece by piece.
type patternWriter struct {
	p       string
	i       int
	b       strings.Builder
	class   bool // between [ and ]
	first   bool // at the first item of a class
	ends    bool // the last item of the class was a set or a range: no range begins with it
	isRange bool // the next item ends a range
}

// next writes one piece of the pattern.
func (w *patternWriter) next() (why string) {
	ch := w.p[w.i]
	switch {
	case ch == '\\' && w.i+1 < len(w.p):
		return w.escape()
	case w.class && ch == ']':
		w.class = false
	case w.class && ch == '-':
		w.dash()
		return ""
	case w.class && ch == '[':
		w.b.WriteByte('\\')
		w.item(false)
	case w.class:
		w.item(false)
	case ch == '[':
		w.class, w.first, w.ends, w.isRange = true, true, false, false
		if strings.HasPrefix(w.p[w.i:], "[^") {
			w.b.WriteByte('[')
			w.i++
			ch = '^'
		}
	case ch == ']':
		w.b.WriteByte('\\')
	case ch == '.':
		w.b.WriteString(`[^\n\r]`)
		w.i++
		return ""
	}
	w.b.WriteByte(ch)
	w.i++
	return ""
}

// item notes an item of a class.
func (w *patternWriter) item(set bool) {
	w.ends = set || w.isRange
	w.first, w.isRange = false, false
}

// dash writes a dash in a class: it is one at both ends and beside a set or a range, and else makes
// a range.
func (w *patternWriter) dash() {
	rest := w.p[w.i+1:]
	set := len(rest) > 1 && rest[0] == '\\' && strings.IndexByte("dDwWsSpP", rest[1]) >= 0
	switch {
	case w.first, strings.HasPrefix(rest, "]"):
		w.b.WriteByte('-')
		w.item(true)
	case w.ends, w.isRange, set:
		w.b.WriteString(`\-`)
		w.item(false)
	default:
		w.b.WriteByte('-')
		w.isRange = true
	}
	w.i++
}

// blanks are the characters of \s that Go and ECMAScript share.
const blanks = ` \t\n\r\f\v`

func (w *patternWriter) escape() (why string) {
	next := w.p[w.i+1]
	size := 2
	switch {
	case next == 's' && w.class:
		w.b.WriteString(blanks)
	case next == 's':
		w.b.WriteString("[" + blanks + "]")
	case next == 'S' && w.class:
		return `has \S in a class`
	case next == 'S':
		w.b.WriteString("[^" + blanks + "]")
	case next == 'u' && unicodeEscape.MatchString(w.p[w.i:]):
		code, _ := strconv.ParseUint(w.p[w.i+2:w.i+6], 16, 32)
		w.b.WriteRune(rune(code))
		size = 6
	case isPunct(next) && strings.IndexByte(`^$\.*+?()[]{}|/`, next) < 0 && !(next == '-' && w.class):
		w.b.WriteByte(next) // the backslash says nothing
	default:
		w.b.WriteString(w.p[w.i : w.i+2])
	}
	if w.class {
		w.item(strings.IndexByte("dDwWsSpP", next) >= 0)
	}
	w.i += size
	return ""
}

var unicodeEscape = regexp.MustCompile(`^\\u(?:00[a-fA-F][0-9a-fA-F]|0[1-9a-fA-F][0-9a-fA-F]{2}|[1-9a-cA-C][0-9a-fA-F]{3}|[fF][0-9a-eA-E][0-9a-fA-F]{2})`)

func isPunct(c byte) bool {
	return ' ' <= c && c <= '~' && !isDigit(c) && !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z')
}

// isNearFormat reports whether svc takes a format for a slip of one that it checks: a name that
// differs in case, _ and -, or by at most two letters.
func isNearFormat(format string) bool {
	if checkedFormats[format] != nil {
		return false
	}
	if format == "url" || format == "URL" {
		return true
	}
	sent := foldFormat(format)
	most := min(2, len([]rune(sent))/3)
	if len(sent) <= 3 {
		most = 0
	}
	for name := range checkedFormats {
		if len(sent) <= 64 && distance(sent, foldFormat(name)) <= most {
			return true
		}
	}
	return false
}

func foldFormat(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// distance returns how many letters must be inserted, deleted, replaced or swapped with their
// neighbor to turn a into b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case x[i-1] == y[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(x)][len(y)]
}
