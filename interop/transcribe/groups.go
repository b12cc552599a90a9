package main

import (
	"slices"
	"strings"
	"unicode"
)

// A group is the operations of one interface.
type group struct {
	name  string // such as Pets
	iface string // such as PetsAPI
	doc   string
	ops   []*operation
}

// smallDocument is how many operations are one interface, if no flag says otherwise.
const smallDocument = 12

// groupOperations puts each operation into a group: by its first tag, by the first word of its
// path, or all into one.
func (c *converter) groupOperations() {
	by := c.opts.group
	if by == "" {
		by = c.usualGroups()
	}
	prefix := ""
	if by == "tag" {
		prefix = c.tagPrefix()
	}
	named := map[string]*group{}
	ifaces := newNamer()
	for _, o := range c.ops {
		name := c.groupName(o, by, prefix)
		g := named[name]
		if g == nil {
			g = &group{name: name, iface: ifaces.take(strings.TrimSuffix(name, "API")+"API", name+"API")}
			if by == "tag" && o.tag != "" {
				g.doc = c.tagDoc(o.tag)
			}
			named[name] = g
			c.groups = append(c.groups, g)
		}
		o.group = g
		g.ops = append(g.ops, o)
	}
}

// usualGroups chooses tags if there are several. Two tags of which one has nearly everything, such
// as core_v1 of Kubernetes, say nothing.
func (c *converter) usualGroups() string {
	if len(c.ops) <= smallDocument {
		return "none"
	}
	tags := c.tagCounts()
	if len(tags) < 2 {
		return "path"
	}
	if len(tags) == 2 && tags[""] == 0 && len(c.ops) > 100 {
		for _, n := range tags {
			if n*10 > len(c.ops)*9 {
				return "path"
			}
		}
	}
	return "tag"
}

func (c *converter) tagCounts() map[string]int {
	tags := map[string]int{}
	for _, o := range c.ops {
		tags[o.tag]++
	}
	return tags
}

func (c *converter) tagDoc(tag string) string {
	for _, t := range c.root.list("tags") {
		if t.str("name") == tag {
			return t.str("description")
		}
	}
	return ""
}

// tagPrefix returns what all tags begin with: Api20100401 of Api20100401Account.
func (c *converter) tagPrefix() string {
	tags := c.tagCounts()
	delete(tags, "")
	if len(tags) < 3 {
		return ""
	}
	prefix, first := "", true
	for t := range tags {
		if first {
			prefix, first = t, false
		}
		for !strings.HasPrefix(t, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = strings.TrimRightFunc(prefix, unicode.IsLetter)
	if len(prefix) < 3 {
		return ""
	}
	return prefix
}

func (c *converter) groupName(o *operation, by, prefix string) string {
	if by == "none" {
		return c.titleName()
	}
	if by == "tag" && o.tag != "" {
		return exported(strings.TrimPrefix(o.tag, prefix))
	}
	if kind := o.n.str("x-kubernetes-group-version-kind", "kind"); kind != "" {
		return exported(kind)
	}
	for seg := range strings.SplitSeq(o.path, "/") {
		if seg != "" && !strings.HasPrefix(seg, "{") && !isVersion(seg) {
			return exported(strings.TrimSuffix(seg, ".json"))
		}
	}
	return "Root"
}

// isVersion reports whether a segment says nothing about what is below it: api, v1, 2010-04-01.
func isVersion(seg string) bool {
	if seg == "api" || seg == "apis" || seg == "rest" || len(seg) > 1 && seg[0] == 'v' && isDigit(seg[1]) {
		return true
	}
	ws := words(seg)
	return len(ws) > 0 && strings.Trim(strings.Join(ws, ""), "0123456789") == ""
}

// titleNoise are words that titles of documents have and names do not need.
var titleNoise = wordSet("api openapi rest the swagger specification")

// titleName makes a name of the title of the document.
func (c *converter) titleName() string {
	ws := slices.DeleteFunc(words(c.root.str("info", "title")), func(w string) bool { return titleNoise[w] || isVersion(w) })
	if len(ws) == 0 {
		return "Service"
	}
	return goName(ws[:min(len(ws), 3)])
}

// noun is what the names of the input and the output begin with: GetPet for the method Get of pets,
// if there are several groups.
func (o *operation) noun(c *converter) string {
	if len(c.groups) < 2 {
		return o.name
	}
	ws, thing := words(o.name), words(o.group.name)
	one := singularWords(thing)
	for i := 0; i+len(thing) <= len(ws); i++ {
		if slices.Equal(singularWords(ws[i:i+len(thing)]), one) {
			return o.name
		}
	}
	if (ws[0] == "list" || ws[0] == "find" || ws[0] == "search") && (len(ws) == 1 || shortWords[ws[1]]) {
		one = thing
	}
	if verbs[ws[0]] {
		return goName(slices.Concat(ws[:1], one, ws[1:]))
	}
	return goName(slices.Concat(one, ws))
}

// nameMethods names the methods of each group. If several want one name, the first gets it.
func (c *converter) nameMethods() {
	for _, g := range c.groups {
		wishes := map[*operation]string{}
		for _, o := range g.ops {
			wishes[o] = c.methodName(o)
		}
		names := newNamer()
		names.fold = true // as JSON-RPC's names
		var late []*operation
		for _, o := range g.ops {
			if names.used[names.key(wishes[o])] {
				late = append(late, o)
				continue
			}
			o.name = names.take(wishes[o])
		}
		for _, o := range late {
			if full := goName(words(o.id)); o.id != "" && full != "X" {
				o.name = names.take(full, routeName(o, nil))
			} else {
				o.name = names.take(routeName(o, nil))
			}
		}
	}
}

// shortWords may follow the name of the group in an operationId that still reads well without it.
var shortWords = wordSet("by for from in of to with")

// verbsAtEnd are moved to the front: assetReportGet becomes GetAssetReport.
var verbsAtEnd = wordSet("get create list update delete remove post put patch")

// methodName returns the operationId without the words of the group, or a name of the route if the
// operationId only repeats that.
func (c *converter) methodName(o *operation) string {
	thing, tag := words(o.group.name), words(o.tag)
	ws := words(o.id)
	if len(ws) == 0 || o.repeatsRoute() {
		return routeName(o, thing)
	}
	if len(tag) > 0 && len(ws) > len(tag) && slices.Equal(ws[:len(tag)], tag) {
		ws = ws[len(tag):] // issues/list-for-repo
	} else if len(ws) > len(thing) && sameThing(ws[:len(thing)], thing) {
		ws = ws[len(thing):]
	}
	ws = withoutTag(ws, tag)
	ws = withoutThing(ws, thing)
	if ws[0] == "get" && o.readsList(thing) && (len(ws) == 1 || shortWords[ws[1]]) {
		ws = append([]string{"list"}, ws[1:]...) // getTasks beside getTask
	}
	if n := len(ws); n > 1 && !verbs[ws[0]] && verbsAtEnd[ws[n-1]] {
		ws = append([]string{ws[n-1]}, ws[:n-1]...)
	}
	if len(ws) > 1 && (ws[0] == "a" || ws[0] == "an") {
		ws = ws[1:]
	}
	if len(ws) > 1 && (ws[1] == "a" || ws[1] == "an" || ws[1] == "the") {
		ws = append(ws[:1:1], ws[2:]...)
	}
	return goName(ws)
}

// readsList reports whether the operationId names several things, and the path no single one.
func (o *operation) readsList(thing []string) bool {
	id := words(o.id)
	i := slices.Index(id, "get") + 1
	return o.verb == "GET" && !strings.HasSuffix(o.path, "}") && i > 0 && i+len(thing) <= len(id) && isPlural(id[i+len(thing)-1])
}

// withoutTag takes a tag of several words out: listCoreV1NamespacedPod of core_v1.
func withoutTag(ws, tag []string) []string {
	if len(tag) < 2 {
		return ws
	}
	for i := 1; i+len(tag) < len(ws); i++ {
		if slices.Equal(ws[i:i+len(tag)], tag) {
			return append(ws[:i:i], ws[i+len(tag):]...)
		}
	}
	return ws
}

// withoutThing takes the group out behind the verb: listIssues of issues, getPetById of pets.
func withoutThing(ws, thing []string) []string {
	end := 1 + len(thing)
	if len(ws) < end || len(ws) < 2 || !verbs[ws[0]] || !sameThing(ws[1:end], thing) {
		return ws
	}
	if end == len(ws) || shortWords[ws[end]] {
		return append(ws[:1:1], ws[end:]...)
	}
	return ws
}

// repeatsRoute reports whether the operationId is the verb and the words of the path.
func (o *operation) repeatsRoute() bool {
	id := strings.Join(words(o.id), "")
	rest, ok := strings.CutPrefix(id, strings.ToLower(o.verb))
	if !ok {
		return false
	}
	var all, fixed, current, short []string
	for seg := range strings.SplitSeq(o.path, "/") {
		ws := words(strings.Trim(seg, "{}"))
		all = append(all, ws...)
		if !isVersion(seg) {
			current = append(current, ws...)
		}
		if strings.HasPrefix(seg, "{") {
			short = append(short, "id")
		} else {
			fixed = append(fixed, ws...)
			short = append(short, ws...)
		}
	}
	if o.verb == "GET" && len(fixed) < 2 && !strings.Contains(o.path, "{") && len(words(o.id)) < 3 {
		return false // getAccount of /account is a name
	}
	for _, ws := range [][]string{all, fixed, current, short} {
		if rest == strings.Join(ws, "") {
			return true
		}
	}
	return strings.ReplaceAll(rest, "id", "") == strings.ReplaceAll(strings.Join(current, ""), "id", "")
}

// routeName makes a name of the verb and the path: GET /notes/{id} is Get.
func routeName(o *operation, thing []string) string {
	var segs []string
	var fixed [][]string
	lastFixed := -1
	for seg := range strings.SplitSeq(strings.ReplaceAll(o.path, ":", "/"), "/") { // levels:append
		if seg == "" || isVersion(seg) {
			continue
		}
		seg = strings.TrimSuffix(seg, ".json")
		if ws := words(seg); !strings.HasPrefix(seg, "{") && len(ws) > 0 {
			fixed = append(fixed, ws)
			lastFixed = len(segs)
		}
		segs = append(segs, seg)
	}
	if len(fixed) == 0 {
		fixed = [][]string{{"root"}}
	}
	item := len(segs) > 0 && strings.HasPrefix(segs[len(segs)-1], "{")
	end := fixed[len(fixed)-1]
	verb := routeVerb(o.verb, end, item)
	if o.verb == "PUT" && o.item.get("post") == nil && o.item.get("patch") == nil {
		verb = "update"
	}
	behindItem := lastFixed > 0 && strings.HasPrefix(segs[lastFixed-1], "{")
	action := !item && !isPlural(end[len(end)-1]) && (o.verb == "POST" && verbs[end[0]] && (behindItem || verb == "create") || o.verb == "GET" && readActions[end[0]])
	one := item || o.verb == "POST"
	name := []string{verb}
	if action {
		name, fixed = slices.Clone(end), fixed[:len(fixed)-1]
	}
	for i, ws := range fixed {
		switch {
		case i == 0 && thing != nil && sameThing(ws, thing):
		case i < len(fixed)-1 || one:
			name = append(name, singularWords(ws)...)
		default:
			name = append(name, ws...)
		}
	}
	return goName(name)
}

// routeVerb returns the word for what a verb of HTTP does at a list or an item.
func routeVerb(verb string, end []string, item bool) string {
	plural := isPlural(end[len(end)-1])
	switch {
	case verb == "GET" && plural && !item:
		return "list"
	case verb == "POST" && item:
		return "update"
	case verb == "POST":
		return "create"
	}
	return strings.ToLower(verb)
}
