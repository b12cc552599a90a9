package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An operation is an operation of the document that becomes a method.
type operation struct {
	n, item    *node
	verb, path string
	id, tag    string
	group      *group
	name       string // of the method
	route      string // as MethodOptions.HTTP has it
	segments   []string
	doc        string
	partial    map[string]string // by placeholder: its segment, if that has more text

	in        *decl
	out       *decl
	fileAlone bool // the output is a svc.File alone
	stream    *typ
	value     *decl // the value of a ValueOrStream

	status     string
	media      string
	form       bool
	public     bool
	scopes     []string
	errors     []string // names of variables
	clashes    bool     // REST cannot serve it
	noTool     bool     // MCP cannot serve it
	hasFile    bool
	deprecated bool
	lacks      []int
}

// uses returns the declarations of the input and the output.
func (o *operation) uses() []*decl {
	var out []*decl
	for _, d := range []*decl{o.in, o.out, o.value} {
		if d != nil {
			out = append(out, d)
		}
	}
	return o.stream.appendDecls(out)
}

// maxOperations keeps the search for clashing routes short. Large documents have about 1,200.
const maxOperations = 20_000

var verbWords = []string{"get", "put", "post", "delete", "patch", "query", "head", "options", "trace"}

// readOperations lists the operations of the document, in its order.
func (c *converter) readOperations() error {
	for path, item := range c.root.get("paths").members {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		item := c.resolve(item)
		for verb, n := range item.members {
			if slices.Contains(verbWords, verb) && n.kind == isObject {
				c.readOperation(path, verb, item, n)
			}
		}
		for verb, n := range item.get("additionalOperations").members {
			c.total++
			c.lack(lackVerb, n, verb)
		}
		if c.total > maxOperations {
			return fmt.Errorf("there are more than %d operations", maxOperations)
		}
	}
	if c.total == 0 {
		return fmt.Errorf("there are no operations in paths")
	}
	if w := c.root.get("webhooks"); len(w.names()) > 0 {
		c.lack(lackWebhook, w, fmt.Sprintf("%d webhooks, which the service sends", len(w.keys)))
	}
	c.findClashes()
	return nil
}

func (c *converter) readOperation(path, verb string, item, n *node) {
	c.total++
	switch {
	case verb == "head" && item.get("get") != nil:
		c.lack(lackHead, n, "a HEAD of its own")
		c.covered++
		return
	case verb == "head" || verb == "options" || verb == "trace":
		c.lack(lackVerb, n, strings.ToUpper(verb))
		return
	}
	o := &operation{n: n, item: item, verb: strings.ToUpper(verb), path: path, id: n.str("operationId"), deprecated: n.isTrue("deprecated"), partial: map[string]string{}}
	if tags := n.list("tags"); len(tags) > 0 {
		o.tag = tags[0].text
	}
	ok := false
	o.lacks = c.within(func() { ok = c.setRoute(o) })
	if ok {
		c.ops = append(c.ops, o)
	}
}

var (
	placeholder = regexp.MustCompile(`\{([^/{}]+)\}`)
	notWord     = regexp.MustCompile(`[^A-Za-z0-9_]`)
	escapePath  = strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20", `"`, "%22", "{", "%7B", "}", "%7D", "\\", "%5C", "^", "%5E", "`", "%60", "|", "%7C")
)

// wordOf makes the name of a placeholder, which is a Go identifier.
func wordOf(name string) string {
	w := notWord.ReplaceAllString(name, "_")
	if w == "" || isDigit(w[0]) || w == "_" {
		w = "n" + w
	}
	return w
}

// setRoute sets the route of o. It reports false if the path is no path.
func (c *converter) setRoute(o *operation) bool {
	if !strings.HasPrefix(o.path, "/") || strings.ContainsAny(o.path, "?#") || !isPrintable(o.path) {
		c.lack(lackPath, o.n, o.path)
		return false
	}
	used := newNamer()
	for i, seg := range strings.Split(o.path, "/") {
		if i > 0 {
			o.segments = append(o.segments, c.segment(o, seg, used))
		}
	}
	if slices.ContainsFunc(o.segments[:len(o.segments)-1], func(s string) bool { return s == "" || s == "." || s == ".." }) {
		c.lackBut(lackPath, o.n, o.path, "left out: it has an empty segment")
		return false
	}
	o.route = o.verb + " /" + strings.Join(o.segments, "/")
	return true
}

// segment returns a segment as a route has it: text, or one placeholder.
func (c *converter) segment(o *operation, seg string, used *namer) string {
	found := placeholder.FindAllStringSubmatchIndex(seg, -1)
	if len(found) == 0 && strings.HasPrefix(seg, ":") { // as Express writes a placeholder; svc refuses it as text
		c.lackBut(lackBesidePlaceholder, o.n, seg, "a placeholder")
		return "{" + used.take(wordOf(seg[1:])) + "}"
	}
	if len(found) == 0 {
		return escapePath.Replace(seg)
	}
	whole := len(found) == 1 && found[0][0] == 0 && found[0][1] == len(seg)
	var names []string
	for _, m := range found {
		names = append(names, wordOf(seg[m[2]:m[3]]))
	}
	name := used.take(strings.Join(names, "_"))
	if !whole {
		c.lack(lackBesidePlaceholder, o.n, seg)
		o.partial[name] = seg
	}
	return "{" + name + "}"
}

// placeholders returns the names of the placeholders of the route.
func (o *operation) placeholders() []string {
	var out []string
	for _, seg := range o.segments {
		if strings.HasPrefix(seg, "{") {
			out = append(out, seg[1:len(seg)-1])
		}
	}
	return out
}

// findClashes finds the routes that http.ServeMux calls a conflict, and takes REST from as few
// methods as it can, always from the one that clashes with most others.
func (c *converter) findClashes() {
	alike := map[string][]*operation{}
	for _, o := range c.ops {
		key := o.verb + fmt.Sprint(len(o.segments))
		alike[key] = append(alike[key], o)
	}
	count := map[*operation]int{}
	for _, list := range alike {
		for i, o := range list {
			for _, other := range list[:i] {
				if conflict(o.segments, other.segments) {
					count[o]++
					count[other]++
				}
			}
		}
	}
	for len(count) > 0 {
		worst := c.mostClashes(count)
		if worst == nil {
			return
		}
		delete(count, worst)
		worst.clashes = true
		key := worst.verb + fmt.Sprint(len(worst.segments))
		var first *operation
		for _, other := range alike[key] {
			if other != worst && !other.clashes && conflict(worst.segments, other.segments) {
				count[other]--
				if first == nil {
					first = other
				}
			}
		}
		worst.lacks = append(worst.lacks, c.within(func() {
			c.lack(lackClash, worst.n, worst.route+" and "+first.route)
		})...)
	}
}

func (c *converter) mostClashes(count map[*operation]int) *operation {
	var worst *operation
	for _, o := range c.ops {
		if count[o] > 0 && (worst == nil || count[o] > count[worst] || count[o] == count[worst] && len(o.partial) > len(worst.partial)) {
			worst = o // of two, the one that has lost text beside a placeholder
		}
	}
	return worst
}

// conflict reports whether some path matches both routes and neither is more specific, or whether
// they are the same.
func conflict(a, b []string) bool {
	aWider, bWider := false, false
	for i := range a {
		aAny, bAny := strings.HasPrefix(a[i], "{"), strings.HasPrefix(b[i], "{")
		switch {
		case aAny && bAny:
		case aAny:
			aWider = true
		case bAny:
			bWider = true
		case a[i] != b[i]:
			return false
		}
	}
	return aWider == bWider
}

var identifierText = regexp.MustCompile(`^[\pL\pM\pN\pP\pS]+$`) // as svc takes one

// keepID leaves the operationId away if svc cannot have it, or if another operation has it.
func (c *converter) keepID(o *operation) {
	switch {
	case o.id == "":
	case !identifierText.MatchString(o.id):
		c.lack(lackOperationID, o.n, o.id)
		o.id = ""
	case c.seenIDs[o.id]:
		c.lackBut(lackOperationID, o.n, "another operation is called "+o.id, "")
		o.id = ""
	default:
		c.seenIDs[o.id] = true
	}
}

// convert makes the input, the output and the options of o.
func (c *converter) convert(o *operation) {
	o.lacks = append(o.lacks, c.within(func() {
		o.doc = docOf(o.n)
		c.keepID(o)
		c.input(o)
		c.output(o)
		c.security(o)
		c.errors(o)
		if callbacks := o.n.get("callbacks"); callbacks != nil {
			c.lack(lackCallback, callbacks, "requests that the service sends")
		}
	})...)
}

// docOf returns the summary and the description of an operation.
func docOf(n *node) string {
	summary, desc := sentence(n.str("summary")), strings.TrimSpace(n.str("description"))
	switch {
	case desc == "" || sentence(desc) == summary:
		return summary
	case summary == "":
		return desc
	}
	return summary + "\n\n" + desc
}
