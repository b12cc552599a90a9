package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// initialisms are written in capitals in Go names.
var initialisms = wordSet(`acl ai api ascii aws cpu css csv db dns eof gpu guid html http https id ids
	ip ips json jwt lhs mfa oidc os pdf pii qps ram rpc sdk sku sla smtp sms sql ssh sso ssl tcp tls
	totp ttl udp ui uid uris uri url urls utf uuid vat vm vpc vpn xml xmpp xsrf xss yaml`)

// verbs begin the names of methods.
var verbs = wordSet(`accept activate add adjust advance all append apply approve archive assign attach authorize block cancel
	capture check clear clone close complete confirm connect convert copy create decline deactivate
	delete deliver deny destroy detach disable disconnect dismiss download edit enable execute exchange expire
	export fail fetch finalize find follow generate get import increment install invalidate invite issue join kick
	leave link list lock login logout mark merge migrate modify move mute open patch pause ping pin play poll
	post preview promote publish put query read record redact redeliver refresh refund register reject release
	remove rename render reopen reorder replace request rerun reset resend restore resume retrieve retry reverse
	revoke rotate run save schedule search seek send set share ship simulate skip star start stop submit
	subscribe suspend sync terminate test toggle transfer trigger unapply unarchive unassign unblock unfollow
	uninstall unlink unlock unmute unpin unpublish unreject unstar unsubscribe update upgrade upload validate
	verify view void watch withdraw`)

// pluralsOnES lose es and not only s.
var pluralsOnES = wordSet(`addresses aliases batches boxes branches businesses classes indexes mailboxes
	matches passes patches processes searches statuses switches taxes`)

// symbolWords are what signs in a name become: +1 and StartTime< are names of members.
var symbolWords = strings.NewReplacer("+1", " plus 1 ", "-1", " minus 1 ", "+", " plus ", "<", " before ", ">", " after ", "$", " ", "'", "", "’", "")

// words cuts a name at its separators and at the capitals of camelCase, and lowers its letters.
func words(name string) []string {
	if name == "-1" || strings.ContainsAny(name, "+<>$'’") {
		name = symbolWords.Replace(name)
	}
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if beginsWord(runes, i) {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}

// beginsWord reports whether a word of camelCase begins at runes[i]: userID, HTTPServer, IDs.
func beginsWord(runes []rune, i int) bool {
	if i == 0 || !unicode.IsUpper(runes[i]) {
		return false
	}
	prev, next, afterNext := runes[i-1], 'A', 'A'
	if i+1 < len(runes) {
		next = runes[i+1]
	}
	if i+2 < len(runes) {
		afterNext = runes[i+2]
	}
	if unicode.IsLower(prev) || unicode.IsDigit(prev) {
		return true
	}
	plural := next == 's' && unicode.IsUpper(afterNext)
	return unicode.IsUpper(prev) && unicode.IsLower(next) && !plural
}

// goName makes an exported Go name of words.
func goName(ws []string) string {
	var b strings.Builder
	for _, w := range ws {
		switch {
		case w == "":
		case initialisms[w] && strings.HasSuffix(w, "s") && initialisms[w[:len(w)-1]]:
			b.WriteString(strings.ToUpper(w[:len(w)-1]) + "s")
		case initialisms[w]:
			b.WriteString(strings.ToUpper(w))
		default:
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	name := b.String()
	switch {
	case name == "":
		return "X"
	case isDigit(name[0]):
		return "N" + name
	}
	return name
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func exported(name string) string { return goName(words(name)) }

// unexported makes a Go name that begins with a small letter.
func unexported(name string) string {
	ws := words(name)
	if len(ws) == 0 {
		return "x"
	}
	rest := ""
	if len(ws) > 1 {
		rest = strings.TrimPrefix(goName(append([]string{"x"}, ws[1:]...)), "X")
	}
	if isDigit(ws[0][0]) {
		return "n" + ws[0] + rest
	}
	return ws[0] + rest
}

func snake(name string) string { return strings.Join(words(name), "_") }

// irregular plurals of names.
var irregular = map[string]string{"people": "person", "children": "child", "men": "man", "women": "woman", "indices": "index", "vertices": "vertex", "statuses": "status"}

// readActions are verbs at the end of a path that a GET carries out.
var readActions = wordSet("check download export preview search validate verify")

// singular returns the word for one of them. It is good enough for names.
func singular(w string) string {
	switch {
	case irregular[w] != "":
		return irregular[w]
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case pluralsOnES[w]:
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

func isPlural(w string) bool { return singular(w) != w }

// singularWords returns the words with the last one made singular.
func singularWords(ws []string) []string {
	out := slices.Clone(ws)
	if len(out) > 0 {
		out[len(out)-1] = singular(out[len(out)-1])
	}
	return out
}

// sameThing reports whether a and b differ at most in the number: pets, pet.
func sameThing(a, b []string) bool {
	return slices.Equal(a, b) || slices.Equal(singularWords(a), singularWords(b))
}

// pluralName makes the name of a list of its items.
func pluralName(item string) string {
	ws := words(item)
	if len(ws) == 0 {
		return "List"
	}
	w := ws[len(ws)-1]
	switch {
	case isPlural(w):
		return goName(ws) + "List"
	case initialisms[w]:
		return goName(ws) + "s"
	case strings.HasSuffix(w, "y") && len(w) > 2 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		w = w[:len(w)-1] + "ies"
	case strings.HasSuffix(w, "s") || strings.HasSuffix(w, "x") || strings.HasSuffix(w, "ch") || strings.HasSuffix(w, "sh"):
		w += "es"
	default:
		w += "s"
	}
	return goName(append(ws[:len(ws)-1], w))
}

// A namer gives out names, each once.
type namer struct {
	used map[string]bool
	next map[string]int // the number that was tried last, by name
	fold bool           // names that differ only by case are one
}

func (n *namer) key(name string) string {
	if n.fold {
		return strings.ToLower(name)
	}
	return name
}

func newNamer(reserved ...string) *namer {
	n := &namer{used: map[string]bool{}, next: map[string]int{}}
	for _, name := range reserved {
		n.used[name] = true
	}
	return n
}

// take returns the first wish that is free, or else the last wish with a number.
func (n *namer) take(wishes ...string) string {
	for _, w := range wishes {
		if !n.used[n.key(w)] {
			n.used[n.key(w)] = true
			return w
		}
	}
	last := wishes[len(wishes)-1]
	for i := max(n.next[last], 2); ; i++ {
		if w := last + strconv.Itoa(i); !n.used[n.key(w)] {
			n.used[n.key(w)] = true
			n.next[last] = i + 1
			return w
		}
	}
}
