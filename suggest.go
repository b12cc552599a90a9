package svc

// This file finds the name that was meant by an unknown one: of a member by a client, or of a
// method by the author of a service. Clients choose the unknown names and how many there are,
// so a name is compared by length and letters (knownName.leastSteps) before it is compared by
// steps (editDistance), and few comparisons by steps are made for one input (maxDistances).

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// maxSuggested is the largest length of an unknown name, in bytes, for which another one is
// suggested.
const maxSuggested = 64

// maxSteps is the largest edit distance of two names of which one is suggested for the other.
const maxSteps = 2

// maxDistances is how many edit distances are computed for one input. One with typos needs one
// or two; after eight the names are no typos, or an attack.
const maxDistances = 8

// A knownName is a name that can be suggested, with what is compared first.
type knownName struct {
	text    string
	folded  string // by foldName
	letters uint64 // by lettersIn
	runes   int
}

// newKnownNames returns names with what is compared first.
func newKnownNames(names []string) []knownName {
	list := make([]knownName, len(names))
	for i, name := range names {
		runes := []rune(name)
		list[i] = knownName{name, string(foldName(nil, name)), lettersIn(runes), len(runes)}
	}
	return list
}

// suggestName returns the end of a message about an unknown name, or "":
//
//	titel      among title, note: ; did you mean "title"?
//	dueDate    among due_date:    ; did you mean "due_date"?
//	x          among y:           nothing
//
// It prefers a known name that differs only in case, _ and -. Otherwise it takes the first
// with the least edit distance, which may be 2, and no more than a third of the length. distances
// counts those of the input; at maxDistances, nothing is suggested that needs another one.
func suggestName(name string, distances *int, lists ...[]knownName) string {
	meant := ""
	if len(name) <= maxSuggested {
		if meant = findFolded(name, lists); meant == "" {
			meant = findNearest(name, distances, lists)
		}
	}
	if meant == "" {
		return ""
	}
	return `; did you mean "` + meant + `"?`
}

// findFolded returns the first known name that differs from name only in case, _ and -, or "".
func findFolded(name string, lists [][]knownName) string {
	folded := foldName(make([]byte, 0, maxSuggested), name)
	for _, list := range lists {
		if known := findFoldedIn(list, folded); known != "" {
			return known
		}
	}
	return ""
}

// findFoldedIn returns the first of the names that is folded by foldName, or "".
func findFoldedIn(list []knownName, folded []byte) string {
	for i := range list {
		if list[i].folded == string(folded) {
			return list[i].text
		}
	}
	return ""
}

// findNearest returns the first of the known names with the least edit distance from name, or
// "" if there is none. It computes distances in the order of what lengths and letters tell of
// them at least:
//
//	itme7 among item1, item7   item7 has the same letters, so it is compared first. The
//	                           distance is 1, and item1 cannot be nearer: it has another letter
func findNearest(name string, distances *int, lists [][]knownName) string {
	sent := appendRunes(make([]rune, 0, maxSuggested), name)
	letters := lettersIn(sent)
	nearest, index, least := "", 0, min(maxSteps, len(sent)/3)+1
	for bound := 0; bound <= min(least, maxSteps); bound++ {
		i := 0
		for _, list := range lists {
			for k := range list {
				known := &list[k]
				i++
				// A name as far away as the nearest one is better only if it comes first.
				if known.leastSteps(letters, len(sent)) != bound || bound == least && (nearest == "" || i > index) {
					continue
				}
				if *distances == maxDistances {
					return nearest
				}
				*distances++
				steps := editDistance(sent, appendRunes(make([]rune, 0, maxSuggested+maxSteps), known.text), maxSteps)
				if steps < least || steps == least && nearest != "" && i < index {
					nearest, index, least = known.text, i, steps
				}
			}
		}
	}
	return nearest
}

// leastSteps returns a lower bound of the edit distance between k and a name of so many runes
// and these letters. A step changes the length by 1 at most, and adds and removes a letter
// at most.
func (k *knownName) leastSteps(letters uint64, runes int) int {
	return max(k.runes-runes, runes-k.runes, (bits.OnesCount64(k.letters^letters)+1)/2)
}

// lettersIn returns a set that has a bit for each rune of a name. Some share a bit.
func lettersIn(name []rune) uint64 {
	set := uint64(0)
	for _, r := range name {
		set |= 1 << (r % 64)
	}
	return set
}

// foldName appends name without _ and -, and each letter as the first of those that differ
// from it only in case, as [strings.EqualFold] says. That one never has more bytes.
func foldName(dst []byte, name string) []byte {
	for _, r := range name {
		switch {
		case r == '_' || r == '-':
		case 'a' <= r && r <= 'z':
			dst = append(dst, byte(r-'a'+'A'))
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		default:
			dst = utf8.AppendRune(dst, firstFold(r))
		}
	}
	return dst
}

// firstFold returns the first of the letters that differ from r only in case.
func firstFold(r rune) rune {
	first := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		first = min(first, other)
	}
	return first
}

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}

// editDistance returns how many runes must be inserted, deleted, replaced or swapped with
// their neighbor to turn a into b (the restricted Damerau-Levenshtein distance), or most+1 if
// those are more than most. That may be maxSteps at most.
//
// The distance between the first i runes of a and the first j of b is at least the difference
// of i and j. So of the row i only the columns from i-most to i+most matter, and those beside
// them have more than most. rows has the last three rows.
func editDistance(a, b []rune, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return most + 1
	}
	var rows [3][2*maxSteps + 3]int // the column j of the row i is at j-i+most+1
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
	}
	return min(rows[len(a)%3][len(b)-len(a)+most+1], most+1)
}
