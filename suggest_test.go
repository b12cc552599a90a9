package svc

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Verify which known name an unknown one is taken for.
func TestSuggestName(t *testing.T) {
	for _, test := range []struct{ name, known, want string }{
		{"Description", "title,description", "description"},
		{"per-page", "page,per_page", "per_page"},
		{"perPage", "page,per_page", "per_page"},
		{"created_at", "createdAt,created", "createdAt"},
		{"__ID", "id", "id"},
		{"titel", "title", "title"}, // one swap
		{"tieltt", "title", ""},     // three of six
		{"titl", "title", "title"},
		{"titlle", "title", "title"},
		{"colour", "color,colors", "color"}, // the first of two
		{"descripton", "description", "description"},
		{"descrptn", "description", ""}, // three of eight
		{"discripton", "description", "description"},
		{"name", "game", "game"},
		{"nam", "name", "name"},
		{"na", "name", ""},
		{"no", "to", ""},
		{"ide", "id", "id"},
		{"x", "y", ""},
		{"", "id", ""},
		{"größe", "grösse", ""},
		{"größen", "größe", "größe"},
		{"ÄRGER", "ärger", "ärger"},
		{"limit", "", ""},
		{strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 65)},
		{strings.Repeat("y", 65), strings.Repeat("y", 64), ""},
		{strings.Repeat("é", 32), strings.Repeat("é", 31) + "e", strings.Repeat("é", 31) + "e"},
		{strings.Repeat("é", 33), strings.Repeat("É", 33), ""}, // 66 bytes
		{"\u212Aelvin", "kelvin", "kelvin"},                    // the sign for kelvin, in another case
		{"stra\u1E9Ee", "straße", "straße"},
		{"itme7", "item1,item2,item3,item4,item5,item6,item7,item8,item9,item10", "item7"},
		{"abcdef", "xbcdef,abcdeg", "xbcdef"},        // the first of two with other letters
		{"abcabc", "axcabc,abccab,bacabc", "axcabc"}, // the first of two, one with the same letters
	} {
		t.Run(rowName(test.name, test.known), func(t *testing.T) {
			want := `; did you mean "` + test.want + `"?`
			if test.want == "" {
				want = ""
			}
			if got := suggestName(test.name, newKnownNames(strings.Split(test.known, ","))); got != want {
				t.Errorf("%q of %s: %q, want %q", test.name, test.known, got, want)
			}
		})
	}
}

// editDistanceByHand is the definition, for an oracle.
func editDistanceByHand(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return editDistanceByHand(a[1:], b[1:])
	}
	least := min(editDistanceByHand(a[1:], b), editDistanceByHand(a, b[1:]), editDistanceByHand(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, editDistanceByHand(a[2:], b[2:]))
	}
	return 1 + least
}

// suggestNameByHand is suggestName by its comment, for an oracle.
func suggestNameByHand(name string, known []string) string {
	letters := strings.NewReplacer("_", "", "-", "")
	nearest, least := "", min(2, utf8.RuneCountInString(name)/3)+1
	if slices.Contains(known, name) {
		return `; did you mean "` + name + `"?`
	}
	for _, candidate := range known {
		if strings.EqualFold(letters.Replace(candidate), letters.Replace(name)) {
			return `; did you mean "` + candidate + `"?`
		}
	}
	for _, candidate := range known {
		if steps := editDistanceByHand([]rune(name), []rune(candidate)); steps < least {
			nearest, least = candidate, steps
		}
	}
	if nearest == "" {
		return ""
	}
	return `; did you mean "` + nearest + `"?`
}

// Both the distance and the suggestion are compared with their definitions.
func FuzzEditDistance(f *testing.F) {
	f.Add("kitten", "sitting")
	f.Add("", "ab")
	f.Add("abcabc", "abccab,bacabc,ab-cabc")
	f.Add("tilte", "title,Tilt,ti_te,ilte")
	f.Add("\u212Aey", "key,KEY,Ke")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := []rune(a), []rune(b)
		x, y = x[:min(len(x), 7)], y[:min(len(y), 30)]
		var known []string
		for name := range strings.FieldsFuncSeq(string(y), func(r rune) bool { return r == ',' }) { // no member has the name ""
			known = append(known, string([]rune(name)[:min(7, utf8.RuneCountInString(name))]))
		}
		if len(known) == 0 || len(known) > 8 {
			return
		}
		want := min(editDistanceByHand(x, []rune(known[0])), maxSteps+1)
		if got := editDistance(x, []rune(known[0])); got != want {
			t.Errorf("%q to %q: %d, want %d", string(x), known[0], got, want)
		}
		if got, want := suggestName(string(x), newKnownNames(known)), suggestNameByHand(string(x), known); got != want {
			t.Errorf("%q of %q: %s, want %s", string(x), known, got, want)
		}
	})
}

// Verify suggestions beside many names, in random typos of names of few letters, so that many
// are near: they are as by the definition.
func TestSuggestNameRandomly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = "abcde_"[random.IntN(6)]
		}
		return string(text)
	}
	suggested := 0
	for range rounds(3_000, 100_000) {
		var known []string
		for range 1 + random.IntN(8) {
			known = append(known, word(1+random.IntN(7)))
		}
		name := known[random.IntN(len(known))]
		i := random.IntN(len(name))
		name = name[:i] + word(random.IntN(3)) + name[min(len(name), i+random.IntN(3)):]
		got, want := suggestName(name, newKnownNames(known)), suggestNameByHand(name, known)
		if got != want {
			t.Fatalf("%q of %q: %s, want %s", name, known, got, want)
		}
		if got != "" {
			suggested++
		}
	}
	if suggested < 500 {
		t.Errorf("%d names were suggested, too few for a test", suggested)
	}
}

// costlyNames returns an object with 31 unknown members of 64 letters, and the binding of an
// input with 40 members whose names are as long and have the same letters.
func costlyNames() (text string, b *binding) {
	letters := strings.Repeat("abcdefgh", 8)
	turned := func(a, b string, i int) string { return a + letters[i:62] + letters[:i] + b }
	var fields []reflect.StructField
	for i := range 40 {
		tag := `json:"` + turned("x", "y", i) + `,omitempty"`
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: reflect.TypeFor[string](), Tag: reflect.StructTag(tag)})
	}
	for i := range 31 {
		text += `,"` + turned("y", "x", i) + `":1`
	}
	c := newShapes(new(mistakes))
	s := c.shapeFor(reflect.StructOf(fields), "T")
	c.finishShapes()
	return "{" + text[1:] + "}", compileBinding(newDecoders(new(mistakes), true), s, route{verb: "POST", path: "/"})
}

// Verify that many unknown names beside many known ones cost few distances, and the memory of
// their violations.
func TestSuggestionsCost(t *testing.T) {
	text, b := costlyNames()
	d := new(decoder)
	read := func() {
		if _, err := b.bindObject(d, []byte(text)); len(ErrorFrom(err).Violations()) != 31 {
			t.Fatalf("%v, want 31 violations", err)
		}
	}
	read()
	if got := d.report.searches; got != maxSearches {
		t.Errorf("%d searches, want %d", got, maxSearches)
	}
	if got := testing.AllocsPerRun(5, read); got > 7*31 {
		t.Errorf("%v allocations for 31 violations", got)
	}
	// The next input has its own.
	d.start([]byte(`{}`))
	if d.report.searches != 0 {
		t.Errorf("the next input begins with %d searches", d.report.searches)
	}
}

func BenchmarkSuggestions(b *testing.B) {
	text, plan := costlyNames()
	d := new(decoder)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := plan.bindObject(d, []byte(text)); err == nil {
			b.Fatal("no error")
		}
	}
}
