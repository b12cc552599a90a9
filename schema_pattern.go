package svc

// This file compiles the patterns of constraint tags. A published pattern is
// read by ECMAScript's rules (JSON Schema 2020-12, section 6.4), ours by Go's;
// only what both have is accepted, and where both have it with another meaning
// ECMAScript's is the one enforced.

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What \s and the point mean in ECMAScript, as the inside of a Go class.
const (
	ecmaSpace   = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	ecmaNewline = `\n\r\x{2028}\x{2029}`
)

// compilePattern compiles a pattern with its ECMAScript meaning. The errors are
// for the author of the service.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	p := patternReader{rest: pattern}
	for p.rest != "" {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	if p.class {
		return nil, errors.New("a [ is not closed")
	}
	re, err := regexp.Compile(p.out.String())
	if err != nil {
		return nil, errors.New("package regexp does not take it")
	}
	return re, nil
}

// generalCategories are those that both know by one short name and mean alike.
// C and Cn hold what Unicode has not assigned, in ECMAScript and in Go from 1.25
// on; LC is new in Go 1.25.
const generalCategories = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp Cc Cf Co"

// A patternReader rewrites a pattern piece by piece.
type patternReader struct {
	rest  string
	out   strings.Builder
	class bool // inside [ ]
	last  piece
}

// A piece is what a patternReader has just read, as far as that decides what
// may follow.
type piece uint8

const (
	pieceOther     piece = iota
	pieceAssertion       // ^ $ \b \B, which Go lets repeat
	pieceSet             // \d and the like inside [ ], which Go lets stand beside a dash
	pieceDash            // inside [ ], and not first
)

// next rewrites one character or escape.
func (p *patternReader) next() error {
	last := p.last
	p.last = pieceOther
	if p.class {
		return p.nextInClass(last)
	}
	switch c := p.rest[0]; c {
	case '\\':
		return p.escape()
	case '[':
		return p.openClass()
	case '.':
		p.replace(1, "[^"+ecmaNewline+"]")
		return nil
	case '(':
		return p.group()
	case '*', '+', '?', '{':
		if last == pieceAssertion {
			return fmt.Errorf("a %c has nothing to repeat", c)
		}
		if c == '{' {
			return p.repetition()
		}
	case ']', '}':
		return fmt.Errorf(`write \%c for the character itself`, c)
	case '^', '$':
		p.last = pieceAssertion
	}
	p.copy(1)
	return nil
}

// nextInClass is next inside [ ].
func (p *patternReader) nextInClass(last piece) error {
	switch c := p.rest[0]; c {
	case '\\':
		if err := p.escape(); err != nil {
			return err
		}
		if p.last == pieceSet && last == pieceDash {
			return errDash
		}
		return nil
	case '[':
		return errors.New(`write \[ for a bracket inside [ ]`)
	case ']':
		p.class = false
	case '-':
		if p.last = pieceDash; last == pieceSet && !strings.HasPrefix(p.rest, "-]") {
			return errDash
		}
	}
	p.copy(1)
	return nil
}

var errDash = errors.New(`write \- for a dash beside a class such as \d`)

// group copies what opens a group.
func (p *patternReader) group() error {
	switch {
	case strings.HasPrefix(p.rest, "(?:"):
		p.copy(3)
	case strings.HasPrefix(p.rest, "(?"):
		return errors.New("of the groups that start with (? only (?: is in both")
	default:
		p.copy(1)
	}
	return nil
}

func (p *patternReader) copy(n int) {
	p.out.WriteString(p.rest[:n])
	p.rest = p.rest[n:]
}

func (p *patternReader) replace(n int, with string) {
	p.out.WriteString(with)
	p.rest = p.rest[n:]
}

func (p *patternReader) openClass() error {
	p.class = true
	n := 1
	if strings.HasPrefix(p.rest, "[^") {
		n = 2
	}
	switch {
	case strings.HasPrefix(p.rest[n:], "]"):
		return errors.New("an empty [ ] means different things")
	case strings.HasPrefix(p.rest[n:], "-"):
		n++ // the first dash is none between two characters
	}
	p.copy(n)
	return nil
}

// repetition copies {n}, {n,} or {n,m}.
func (p *patternReader) repetition() error {
	end := strings.IndexByte(p.rest, '}')
	if end < 0 {
		end = 0
	}
	low, high, between := strings.Cut(p.rest[min(1, end):end], ",")
	if !isCount(low) || between && high != "" && !isCount(high) {
		return errors.New(`write \{ for the character itself, and numbers without leading zeros for repetitions`)
	}
	p.copy(end + 1)
	return nil
}

// isCount reports whether s is a whole number as Go's patterns have it, without
// leading zeros.
func isCount(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && strconv.Itoa(n) == s
}

// escape rewrites what starts with a backslash.
func (p *patternReader) escape() error {
	if len(p.rest) < 2 {
		return errors.New("a backslash at the end")
	}
	c := p.rest[1]
	switch set := strings.IndexByte("dDwWsSpP", c) >= 0; {
	case set && p.class:
		p.last = pieceSet
	case (c == 'b' || c == 'B') && !p.class:
		p.last = pieceAssertion
	}
	switch {
	case c == 's' && p.class:
		p.replace(2, ecmaSpace)
	case c == 's':
		p.replace(2, "["+ecmaSpace+"]")
	case c == 'S' && !p.class:
		p.replace(2, "[^"+ecmaSpace+"]")
	case strings.IndexByte("dDwWtnrfv", c) >= 0, strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0:
		p.copyEscape(c)
	case (c == 'b' || c == 'B') && !p.class, c == '-' && p.class:
		p.copy(2)
	case c == 'x' && len(p.rest) >= 4 && hexDigit(p.rest[2]) >= 0 && hexDigit(p.rest[3]) >= 0:
		p.copy(4)
	case c == 'p' || c == 'P':
		return p.category()
	default:
		return fmt.Errorf(`they do not share \%c here`, c)
	}
	return nil
}

// copyEscape copies a two-character escape; Go has none for the slash.
func (p *patternReader) copyEscape(c byte) {
	if c == '/' {
		p.replace(2, "/")
		return
	}
	p.copy(2)
}

// category copies \p{L} or \p{Lu}: of the properties, both spell only the
// general categories alike.
func (p *patternReader) category() error {
	end := strings.IndexByte(p.rest, '}')
	if end < 0 || p.rest[2] != '{' || !slices.Contains(strings.Fields(generalCategories), p.rest[3:end]) {
		return errors.New(`of \p both have the general categories only, such as \p{L} and \p{Lu}`)
	}
	p.copy(end + 1)
	return nil
}
