package svc

// This file compiles the patterns of constraint tags. A published pattern is
// read by ECMAScript's rules (JSON Schema 2020-12, section 6.4), ours by Go's;
// only what both have is accepted, and where both have it with another meaning
// ECMAScript's is the one enforced.

import (
	"errors"
	"fmt"
	"regexp"
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

// A patternReader rewrites a pattern piece by piece.
type patternReader struct {
	rest  string
	out   strings.Builder
	class bool // inside [ ]
}

// next rewrites one character or escape.
func (p *patternReader) next() error {
	switch c := p.rest[0]; {
	case c == '\\':
		return p.escape()
	case p.class && c == ']':
		p.class = false
	case p.class && c == '[':
		return errors.New(`write \[ for a bracket inside [ ]`)
	case p.class:
	case c == '[':
		return p.openClass()
	case c == '.':
		p.replace(1, "[^"+ecmaNewline+"]")
		return nil
	case c == '(' && strings.HasPrefix(p.rest, "(?") && !strings.HasPrefix(p.rest, "(?:"):
		return errors.New("of the groups that start with (? only (?: is in both")
	case c == '{':
		return p.repetition()
	case c == ']' || c == '}':
		return fmt.Errorf(`write \%c for the character itself`, c)
	}
	p.copy(1)
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
	if strings.HasPrefix(p.rest[n:], "]") {
		return errors.New("an empty [ ] means different things")
	}
	p.copy(n)
	return nil
}

// repetition copies {n}, {n,} or {n,m}.
func (p *patternReader) repetition() error {
	end := strings.IndexByte(p.rest, '}')
	if end < 0 || strings.Trim(p.rest[1:end], "0123456789,") != "" || !isDigit(p.rest[1]) {
		return errors.New(`write \{ for the character itself`)
	}
	p.copy(end + 1)
	return nil
}

// escape rewrites what starts with a backslash.
func (p *patternReader) escape() error {
	if len(p.rest) < 2 {
		return errors.New("a backslash at the end")
	}
	switch c := p.rest[1]; {
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
	if end != 4 && end != 5 || p.rest[2] != '{' {
		return errors.New(`of \p both have the general categories only, such as \p{L} and \p{Lu}`)
	}
	p.copy(end + 1)
	return nil
}
