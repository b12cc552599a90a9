package svc

// This file finds texts that tell two patterns apart. It knows nothing about contracts: textRules
// holds the rules of texts, and searchTexts makes texts for each way in which a reader can respond.
// contract_probe.go calls it for plans.

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textRules are the rules that a text must meet.
type textRules struct {
	pattern     string // as a regular expression; "" for none
	least, most int    // characters
}

// kindPattern returns a pattern that all texts of a kind match, if the kind is a scalar whose JSON
// is a string. For bytes it matches no other text: base64 with padding, whose unused bits are 0.
func kindPattern(kind string) string {
	switch kind {
	case "bytes":
		return `^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`
	case "duration":
		return durationPattern
	case "time":
		return `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$`
	}
	return ""
}

// patternOf returns the pattern that matches values, which are JSON, and no other text.
func patternOf(values [][]byte) string {
	var list []string
	for _, value := range values {
		list = append(list, regexp.QuoteMeta(textOr(string(value))))
	}
	return "^(?:" + strings.Join(list, "|") + ")$"
}

// A textEnd is the state of two patterns after a text. For ^ab*$ and ^a$, the texts "ab" and
// "abb" lead to the same state: the first pattern may end here, and the second has failed.
type textEnd struct {
	a, b string // the states that runProgram returned
	n    int    // characters; from a limit on that limit
}

// A foundText is a text that leads to a textEnd. It holds its last character and a pointer to the
// text before it, because the texts of a search share their beginnings.
type foundText struct {
	textEnd
	before *foundText // nil for the empty text
	last   rune
}

func (t *foundText) String() string {
	var list []rune
	for ; t.before != nil; t = t.before {
		list = append(list, t.last)
	}
	slices.Reverse(list)
	return string(list)
}

// searchTexts returns texts that meet the rules a: wanted texts for each way in which a reader with
// the rules b can respond. It runs both patterns over all texts, one more character in each round,
// and drops a text whose state was reached before. So it finds a text for each possible response;
// sure is false if it gave up early. For the patterns ^[a-z]+$ of a and ^[a-m]+$ of b:
//
//	round 0  ""         neither has matched
//	round 1  "a", "z"   a takes both, and b refuses "z": one text for each response
//	round 2  "aa" leads to the state of "a", and "az" to the state of "z"; nothing is left
func searchTexts(a, b textRules, wanted int) (texts []string, sure bool) {
	limit := max(a.least, b.least) + 8*wanted // beyond this, length changes nothing
	if b.most < a.most {
		limit = max(limit, b.most+1)
	}
	own, reader := compileProgram(a.pattern), compileProgram(b.pattern)
	runes, seen, count := distinctRunes(own, reader), make(map[textEnd]bool), make(map[[3]bool]int)
	layer := []*foundText{{}} // texts of n characters, no two of which lead to the same
	const maxSeen = 1 << 15
	for n := 0; len(layer) > 0 && n <= a.most && len(seen) < maxSeen; n++ {
		var next []*foundText
		for _, t := range layer {
			// Two texts of one answer are refused by b for the same rules, or taken.
			answer := [3]bool{n < b.least, n > b.most, runProgram(reader, t.b, -1) == hasMatched}
			if n >= a.least && count[answer] < wanted && runProgram(own, t.a, -1) == hasMatched {
				count[answer]++
				texts = append(texts, t.String())
			}
			for _, r := range runes {
				u := textEnd{runProgram(own, t.a, r), runProgram(reader, t.b, r), min(n+1, limit)}
				if !seen[u] { // by any text
					seen[u] = true
					next = append(next, &foundText{u, t, r})
				}
			}
		}
		layer = next
	}
	return texts, len(seen) < maxSeen
}

// distinctRunes returns one character of each class that two patterns distinguish, to keep the
// search of searchTexts small. Two characters are in the same class if every instruction of both
// patterns matches both or neither, and both or neither are word characters, for \b. For ^[a-z]+$
// and ^[a-m]+$ it returns a for a to m, 0 for other word characters, - for all other characters,
// and z for n to z.
func distinctRunes(a, b *syntax.Prog) (list []rune) {
	candidates := []rune("a0A-_ .,:/@") // before others, since people read them more easily
	insts := slices.Concat(a.Inst, b.Inst)
	for _, i := range insts {
		for _, r := range i.Rune {
			// A range ends at r, so its neighbours may match differently. For [xX], the program has
			// only X, and a flag that ignores case.
			candidates = append(candidates, r, r-1, r+1, unicode.SimpleFold(r))
		}
	}
	seen := make(map[string]bool)
	for _, r := range candidates {
		key := strconv.AppendBool(nil, syntax.IsWordChar(r))
		for _, i := range insts {
			key = strconv.AppendBool(key, len(i.Rune) > 0 && i.MatchRune(r))
		}
		if utf8.ValidRune(r) && !seen[string(key)] {
			seen[string(key)] = true
			list = append(list, r)
		}
	}
	return list
}

// compileProgram compiles a pattern. It cannot fail: the linker has compiled the patterns of all
// rules.
func compileProgram(pattern string) *syntax.Prog {
	re, _ := syntax.Parse(pattern, syntax.Perl)
	prog, _ := syntax.Compile(re.Simplify())
	return prog
}

// hasMatched is the state of a program that has found a match.
const hasMatched = "!"

// runProgram returns the state of a pattern after one more character, or after the end of the text
// if r is -1. Package regexp matches whole texts only, and a search has to know which texts lead to
// the same state. The state is "" at the start and hasMatched after a match. In between, its first
// character is 'a' if the last character read was a word character and ' ' if not. Each character
// after it is the number of an instruction to continue with.
func runProgram(prog *syntax.Prog, from string, r rune) string {
	if from == hasMatched {
		return from
	}
	before, kind, state := rune(-1), ' ', []rune(from)
	if len(state) > 0 {
		before, state = state[0], state[1:]
	}
	flags := syntax.EmptyOpContext(before, r) // the conditions between before and r: ^, $, \b
	todo := append(state, rune(prog.Start))   // a match may begin anywhere
	done := make([]bool, len(prog.Inst))
	var next []rune
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; done[pc] {
			continue
		}
		done[pc] = true
		switch i := &prog.Inst[pc]; i.Op {
		case syntax.InstMatch:
			return hasMatched
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, rune(i.Out), rune(i.Arg))
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, rune(i.Out))
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^flags == 0 {
				todo = append(todo, rune(i.Out))
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if r >= 0 && i.MatchRune(r) {
				next = append(next, rune(i.Out))
			}
		}
	}
	slices.Sort(next) // so that equal states are equal texts
	if syntax.IsWordChar(r) {
		kind = 'a'
	}
	return string(kind) + string(slices.Compact(next))
}
