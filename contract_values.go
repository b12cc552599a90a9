package svc

// This file makes values from published schemas, right ones and damaged ones.
// The random numbers always start alike: a test that fails fails again.

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
)

// A contractMaker makes values.
type contractMaker struct {
	*rand.Rand
	root *contractSchema
}

// contractTexts are strings that some schema or decoder cares about.
var contractTexts = [...]string{
	"a", "ab", "abc", "abcdefgh", "A", "é", "日本語", "x y", "true", "false", "null", "0", "1", "-1", "7", "10", "12", "100", "127", "128", "-129", "255", "256",
	"1.5", "1e2", "+1", "01", "\"x\"", "1h", "1.5s", "-2ms", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.5+01:00", "2006-01-02",
	"AAAA", "AA==", "a@b.test", "::1", "127.0.0.1", "123e4567-e89b-12d3-a456-426614174000", "https://example.test/", "1.2.3",
}

// value returns a value that s takes, as far as it can find one.
func (g *contractMaker) value(s *contractSchema, depth int) any {
	switch {
	case s.Ref != "" && g.root.Defs[s.Ref[len("#/$defs/"):]] != nil:
		return g.value(g.root.Defs[s.Ref[len("#/$defs/"):]], depth+1)
	case len(s.Enum) > 0:
		return decodeJSON(s.Enum[g.IntN(len(s.Enum))])
	case len(s.AnyOf) > 0:
		i := g.IntN(len(s.AnyOf))
		if depth > 6 {
			i = len(s.AnyOf) - 1 // null
		}
		return g.value(s.AnyOf[i], depth)
	case len(s.Examples) > 0 && (s.opaque || g.IntN(2) == 0):
		return decodeJSON(s.Examples[0])
	}
	switch s.Type {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.list(s, depth)
	case "string":
		return g.text(s)
	case "integer", "number":
		return g.number(s)
	case "boolean":
		return g.IntN(2) == 0
	case "":
		return contractOdds[g.IntN(len(contractOdds))]()
	}
	return nil
}

func (g *contractMaker) object(s *contractSchema, depth int) any {
	out := make(map[string]any)
	for _, name := range sortedKeys(s.Properties) {
		if slices.Contains(s.Required, name) || depth < 6 && g.IntN(2) == 0 {
			out[name] = g.value(s.Properties[name], depth+1)
		}
	}
	if s.Additional != nil && !s.Additional.never && s.Properties == nil && depth < 6 {
		for range g.IntN(3) {
			name := contractTexts[g.IntN(len(contractTexts))]
			if s.Names != nil {
				name = g.text(s.Names)
			}
			out[name] = g.value(s.Additional, depth+1)
		}
	}
	return out
}

func (g *contractMaker) list(s *contractSchema, depth int) any {
	low, high := 0, 3
	if s.MinItems != nil {
		low, high = *s.MinItems, *s.MinItems+2
	}
	if s.MaxItems != nil {
		high = min(high, *s.MaxItems)
	}
	if depth > 6 {
		high = low
	}
	out := make([]any, 0, low)
	n := low + g.IntN(max(high-low, 0)+1)
	for tries := 0; len(out) < n && tries < 20*n; tries++ {
		var item any
		if s.Items != nil {
			item = g.value(s.Items, depth+1)
		}
		if !s.UniqueItems || !slices.ContainsFunc(out, func(other any) bool { return sameJSON(item, other) }) {
			out = append(out, item)
		}
	}
	return out
}

// text returns a string that s takes: an example, a known one, or one made to
// length; of a pattern that none of them matches, any.
func (g *contractMaker) text(s *contractSchema) string {
	var right []string
	for _, text := range contractTexts {
		if s.judgeText(text) == takes {
			right = append(right, text)
		}
	}
	for _, example := range s.Examples {
		if text, ok := decodeJSON(example).(string); ok && s.judgeText(text) == takes {
			return text
		}
	}
	if len(right) == 0 {
		n := 1
		if s.MinLength != nil {
			n = *s.MinLength
		}
		long := make([]byte, 0, n)
		for len(long) < n {
			long = append(long, 'x')
		}
		return string(long)
	}
	return right[g.IntN(len(right))]
}

// number returns a number that s takes, often one at a limit.
func (g *contractMaker) number(s *contractSchema) json.Number {
	low, high := big.NewRat(-1000, 1), big.NewRat(1000, 1)
	step := big.NewRat(1, 1)
	if s.MultipleOf != "" {
		step = ratOf(s.MultipleOf)
	}
	for _, limit := range [...]struct {
		bound json.Number
		end   *big.Rat
		other *big.Rat
		away  int64
	}{{s.Minimum, low, high, 1}, {s.Above, low, high, 1}, {s.Maximum, high, low, -1}, {s.Below, high, low, -1}} {
		if limit.bound != "" {
			limit.end.Set(ratOf(limit.bound))
			if (limit.end.Cmp(limit.other) < 0) != (limit.away > 0) { // the other end was only a guess
				limit.other.Add(limit.end, big.NewRat(1000*limit.away, 1))
			}
		}
	}
	from := low
	if g.IntN(2) == 0 {
		from = high
	}
	x := new(big.Rat).Quo(from, step)
	x.SetInt(new(big.Int).Quo(x.Num(), x.Denom())).Mul(x, step)
	for range 5 {
		candidate := new(big.Rat).Add(x, new(big.Rat).Mul(step, big.NewRat(int64(g.IntN(9)-4), 1)))
		if num := numberText(candidate); s.judgeNumber(num) == takes {
			return num
		}
	}
	middle := new(big.Rat).Quo(new(big.Rat).Add(low, high), big.NewRat(2, 1))
	if s.Type == "integer" {
		middle.SetInt(new(big.Int).Quo(middle.Num(), middle.Denom()))
	}
	return numberText(middle)
}

// numberText writes a number with as many digits as it needs.
func numberText(x *big.Rat) json.Number {
	if x.IsInt() {
		return json.Number(x.Num().String())
	}
	f, _ := x.Float64()
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
}

// contractOdds makes values that most schemas refuse. Each is made anew: it
// becomes part of a larger value.
var contractOdds = [...]func() any{
	func() any { return nil },
	func() any { return true },
	func() any { return "" },
	func() any { return "a" },
	func() any { return "10000-01-01T00:00:00Z" },
	func() any { return json.Number("0") },
	func() any { return json.Number("-1") },
	func() any { return json.Number("1.5") },
	func() any { return json.Number("1.0") },
	func() any { return json.Number("1e2") },
	func() any { return json.Number("300") },
	func() any { return json.Number("-300") },
	func() any { return json.Number("70000") },
	func() any { return []any{} },
	func() any { return []any{json.Number("1"), json.Number("1")} },
	func() any { return []any{nil} },
	func() any { return map[string]any{} },
	func() any { return map[string]any{"unknown": nil} },
}

// damage changes one place of v, which s takes, and returns the result: a value
// of another type, one just past a limit, a member too many or one too few.
func (g *contractMaker) damage(s *contractSchema, v any) any {
	if s.Ref != "" && g.root.Defs[s.Ref[len("#/$defs/"):]] != nil {
		return g.damage(g.root.Defs[s.Ref[len("#/$defs/"):]], v)
	}
	for _, branch := range s.AnyOf {
		if branch.judge(g.root, v) != refuses && g.IntN(2) == 0 {
			return g.damage(branch, v)
		}
	}
	switch x := v.(type) {
	case map[string]any:
		if g.IntN(8) > 0 {
			return g.damageObject(s, x)
		}
	case []any:
		if g.IntN(4) > 0 {
			return g.damageList(s, x)
		}
	case json.Number:
		if bounds := s.bounds(); len(bounds) > 0 && g.IntN(2) == 0 {
			past := new(big.Rat).Add(bounds[g.IntN(len(bounds))], big.NewRat(int64(g.IntN(3)-1), 1))
			return numberText(past)
		}
	case string:
		if g.IntN(2) == 0 {
			return contractTexts[g.IntN(len(contractTexts))]
		}
	}
	return contractOdds[g.IntN(len(contractOdds))]()
}

// bounds returns the limits that s sets to numbers.
func (s *contractSchema) bounds() []*big.Rat {
	var out []*big.Rat
	for _, num := range [...]json.Number{s.Minimum, s.Maximum, s.Above, s.Below} {
		if num != "" {
			out = append(out, ratOf(num))
		}
	}
	return out
}

func (g *contractMaker) damageObject(s *contractSchema, v map[string]any) any {
	names := sortedKeys(v)
	if len(names) == 0 || g.IntN(8) == 0 {
		v["unknown"] = contractOdds[g.IntN(len(contractOdds))]()
		return v
	}
	name := names[g.IntN(len(names))]
	switch property := s.Properties[name]; {
	case g.IntN(8) == 0:
		delete(v, name)
	case property != nil:
		v[name] = g.damage(property, v[name])
	case s.Additional != nil:
		v[name] = g.damage(s.Additional, v[name])
	}
	return v
}

func (g *contractMaker) damageList(s *contractSchema, v []any) any {
	switch {
	case len(v) == 0 || g.IntN(4) == 0:
		return append(v, contractOdds[g.IntN(len(contractOdds))]())
	case g.IntN(4) == 0:
		return v[:len(v)-1]
	case g.IntN(4) == 0:
		return append(v, v[0])
	case s.Items != nil:
		i := g.IntN(len(v))
		v[i] = g.damage(s.Items, v[i])
	}
	return v
}
