package svc

// This file finds the name that an unknown name was meant to be: a member that a client sent, or a
// method that the author of a service named.

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	maxSuggested = 64 // the longest unknown name, in bytes, that gets a suggestion
	maxSteps     = 2  // the greatest edit distance of two names of which one is suggested for the other

	// maxSearches limits how many unknown names of one input get a suggestion, because clients
	// choose how many there are. An input with typos has one or two.
	maxSearches = 4
)

// A knownName is a name that an unknown one is compared with.
type knownName struct {
	text, folded string
	runes        []rune
	meant        string // what to suggest for it; "" for the name itself
	note         string // what to say of the suggestion, with a comma: , which changes data
	instead      string // what to say in place of a suggestion: "todos_watch" is served over REST only
}

// newKnownName returns a name that can be suggested.
func newKnownName(name string) knownName {
	return knownName{text: name, folded: foldName(name), runes: []rune(name)}
}

// newKnownNames returns names that can be suggested.
func newKnownNames(names []string) []knownName {
	list := make([]knownName, len(names))
	for i, name := range names {
		list[i] = newKnownName(name)
	}
	return list
}

// suggestName returns the end of a message about an unknown name, or "":
//
//	titel      among title, note: ; did you mean "title"?
//	dueDate    among due_date:    ; did you mean "due_date"?
//	x          among y:           nothing
//
// It prefers a known name that differs only in case, _ and -. Otherwise it takes the first with the
// smallest edit distance, which may be at most 2 and a third of the length. Of two equally near
// names, one without a note comes before one with it.
func suggestName(name string, lists ...[]knownName) string {
	best, ok := findFolded(name, lists)
	if !ok && len(name) <= maxSuggested {
		sent := []rune(name)
		least := min(maxSteps, len(sent)/3) + 1
		for _, list := range lists {
			for i := range list {
				known := &list[i]
				steps := editDistance(sent, known.runes)
				if steps < least || ok && steps == least && best.note != "" && known.note == "" {
					best, ok, least = *known, true, steps
				}
			}
		}
	}
	switch {
	case !ok:
		return ""
	case best.instead != "":
		return "; " + best.instead
	}
	return `; did you mean "` + cmp.Or(best.meant, best.text) + `"` + best.note + "?"
}

// findFolded returns the known name that is name, or else the first that differs from it only in
// case, _ and -. It reports false if there is none.
func findFolded(name string, lists [][]knownName) (found knownName, ok bool) {
	if len(name) > maxSuggested {
		return found, false
	}
	folded := foldName(name)
	for _, list := range lists {
		for i := range list {
			switch known := &list[i]; {
			case known.text == name:
				return *known, true
			case known.folded == folded && !ok:
				found, ok = *known, true
			}
		}
	}
	return found, ok
}

// foldName returns name without _ and -, and replaces each letter by the first of the letters that
// differ from it only in case, by the rules of [strings.EqualFold].
func foldName(name string) string {
	folded := make([]byte, 0, len(name))
	for _, r := range name {
		if r == '_' || r == '-' {
			continue
		}
		first := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			first = min(first, other)
		}
		folded = utf8.AppendRune(folded, first)
	}
	return string(folded)
}

// editDistance returns how many runes must be inserted, deleted, replaced or swapped with their
// neighbor to turn a into b (the restricted Damerau-Levenshtein distance), or maxSteps+1 if it
// takes more than maxSteps.
//
// The distance between the first i runes of a and the first j of b is at least the difference of i
// and j. So in row i only the columns from i-maxSteps to i+maxSteps matter; all others are above
// maxSteps. rows has the last three rows.
func editDistance(a, b []rune) int {
	const most = maxSteps
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return most + 1
	}
	var rows [3][2*most + 3]int // the column j of the row i is at j-i+most+1
	for i := range len(a) + 1 {
		row, above, second := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		for k := range row {
			row[k] = most + 1
		}
		for j := max(0, i-most); j <= min(len(b), i+most); j++ {
			k := j - i + most + 1
			switch {
			case i == 0 || j == 0:
				row[k] = i + j
			case a[i-1] == b[j-1]:
				row[k] = above[k]
			default:
				row[k] = 1 + min(above[k], above[k+1], row[k-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] { // swapping neighbors is one step
				row[k] = min(row[k], 1+second[k])
			}
		}
		if slices.Min(row[:]) > most && slices.Min(above[:]) > most {
			return most + 1
		}
	}
	return min(rows[len(a)%3][len(b)-len(a)+most+1], most+1)
}
