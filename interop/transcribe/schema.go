package main

import (
	"maps"
	"slices"
	"strings"
)

// A schema is what a Schema Object says, with references followed, allOf merged, and null taken
// out of types, anyOf, oneOf and enum.
type schema struct {
	at    *node
	ref   string // the component that it is, if it adds no rule to it
	types []string
	null  bool
	typed bool // a part of allOf has said a type
	*members
	shared   bool  // another schema has the same members: see own
	extra    *node // additionalProperties, if it is a schema
	open     bool  // additionalProperties is true or a schema
	closed   bool  // additionalProperties is false
	items    *node
	alts     []*schema         // of oneOf and anyOf
	disc     string            // the name of the discriminator
	values   map[string]string // the discriminator's value for each component
	enum     []*node
	named    []namedValue      // the values of enum, if the document names them
	rules    map[string]string // the keywords of ruleWords, as written
	format   string
	pattern  string
	encoding string // contentEncoding
	title    string
	desc     string
	def      *node
	example  *node
	lacks    []int // what svc cannot say of it

	deprecated, readOnly bool
}

type prop struct {
	name string
	n    *node
}

// members are the members of an object. Schemas may share them.
type members struct {
	props    []prop
	index    map[string]int // in props, by name
	required map[string]bool
}

func newSchema(at *node) *schema {
	return &schema{at: at, members: &members{index: map[string]int{}, required: map[string]bool{}}, rules: map[string]string{}}
}

// prop returns the member of the name, or nil.
func (m *members) prop(name string) *node {
	if i, ok := m.index[name]; ok {
		return m.props[i].n
	}
	return nil
}

// setProp adds or replaces a member.
func (s *schema) setProp(p prop) {
	s.own()
	if i, ok := s.index[p.name]; ok {
		s.props[i] = p
		return
	}
	s.index[p.name] = len(s.props)
	s.props = append(s.props, p)
}

// own gives s members of its own, before a change.
func (s *schema) own() {
	if s.shared {
		s.members = &members{slices.Clone(s.props), maps.Clone(s.index), maps.Clone(s.required)}
		s.shared = false
	}
}

// require makes members required.
func (s *schema) require(names map[string]bool) {
	if len(names) > 0 {
		s.own()
		maps.Copy(s.required, names)
	}
}

// kind returns the only JSON type of the schema, or "".
func (s *schema) kind() string {
	if len(s.types) == 1 {
		return s.types[0]
	}
	return ""
}

// isObjectOf reports whether the schema is an object with named members.
func (s *schema) isObjectOf() bool { return s.kind() == "object" && len(s.props) > 0 }

// bare returns a schema without any rule, for the place of s.
func (s *schema) bare() *schema {
	b := newSchema(s.at)
	b.desc, b.deprecated, b.lacks = s.desc, s.deprecated, s.lacks
	return b
}

// copied returns a copy that may be changed.
func (s *schema) copied() *schema {
	s.shared = true
	c := *s
	c.rules = maps.Clone(s.rules)
	return &c
}

// maxDepth is how long a chain of schemas may be, by references and members.
const maxDepth = 1000

// A schemaReader reads the schemas of a document. It keeps what it has read.
type schemaReader struct {
	*report
	root  *node
	done  map[*node]*schema
	busy  map[*node]bool
	depth int
	made  map[[3]any]*node // see combined
	spent int              // see spend
}

// maxWork bounds what is done again for each use of a schema. Large documents need about 15,000.
const maxWork = 500_000

// spend counts members and alternatives that are merged, and reports whether to go on. So unions of
// unions of unions come to an end.
func (r *schemaReader) spend(n int, at *node) bool {
	if r.spent += n; r.spent <= maxWork {
		return true
	}
	r.lack(lackTooDeep, at, "very many members or alternatives")
	return false
}

// resolve follows the references at n. It returns an empty object for one that leads nowhere.
func (r *schemaReader) resolve(n *node) *node {
	for range 50 {
		ref := n.str("$ref")
		if ref == "" {
			return n
		}
		to := r.target(ref)
		if to == nil {
			r.lack(lackReference, n, "the reference "+ref)
			return newObject(n)
		}
		n = to
	}
	r.lack(lackReference, n, "references in a circle")
	return newObject(n)
}

// target returns what a reference within the document names, or nil.
func (r *schemaReader) target(ref string) *node {
	if ref == "#" {
		return r.root
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	n := r.root
	for key := range strings.SplitSeq(path, "/") {
		next := n.get(unescapePointer.Replace(key))
		if next == nil {
			next = n.get(unescapePointer.Replace(percentDecoded(key)))
		}
		if n = next; n == nil {
			return nil
		}
	}
	return n
}

// component returns the name of the schema component that ref names, or "".
func (r *schemaReader) component(ref string) string {
	name, ok := strings.CutPrefix(ref, "#/components/schemas/")
	if !ok || strings.Contains(name, "/") {
		return ""
	}
	if plain := unescapePointer.Replace(name); r.root.get("components", "schemas", plain) != nil {
		return plain
	}
	return unescapePointer.Replace(percentDecoded(name))
}

// schema returns what n says. A nil n is any JSON.
func (r *schemaReader) schema(n *node) *schema {
	if n == nil {
		n = newObject(r.root)
	}
	if s := r.done[n]; s != nil {
		if r.busy[n] {
			r.lack(lackSelf, n, "a schema that is defined by itself")
		}
		r.meet(s.lacks)
		return s
	}
	s := newSchema(n)
	r.done[n] = s
	if n.kind != isObject {
		return s
	}
	r.depth++
	r.busy[n] = true
	s.lacks = r.within(func() {
		if r.depth > maxDepth {
			r.lack(lackTooDeep, n, "a chain of references")
			return
		}
		r.read(s, n)
	})
	delete(r.busy, n)
	r.depth--
	r.meet(s.lacks)
	return s
}

// read sets s to what n says.
func (r *schemaReader) read(s *schema, n *node) {
	if ref := n.str("$ref"); ref != "" {
		r.follow(s, n, ref)
	}
	parts := n.list("allOf")
	own := saysMore(n)
	for _, part := range parts {
		p := r.schema(part)
		if len(parts) == 1 && !own && s.ref == "" {
			*s = *p.copied()
			s.at = n
			continue
		}
		r.merge(s, p)
	}
	if len(parts) > 0 && (len(parts) > 1 || own) || s.ref != "" && own {
		s.ref = ""
	}
	r.fill(s, n)
}

// follow makes s a copy of what a reference names.
func (r *schemaReader) follow(s *schema, n *node, ref string) {
	to := r.target(ref)
	if to == nil {
		r.lack(lackReference, n, "the reference "+ref)
		return
	}
	*s = *r.schema(to).copied()
	if s.ref == "" {
		s.ref = r.component(ref)
	}
	if s.ref != "" || saysMore(n) { // else it is what it refers to, such as #/paths/…/schema
		s.at = n
	}
}

// saysMore reports whether n has a rule of its own beside $ref or allOf.
func saysMore(n *node) bool {
	for _, k := range []string{"properties", "type", "oneOf", "anyOf", "items", "enum", "required", "additionalProperties"} {
		if v := n.get(k); v != nil && !(k == "type" && v.text == "object") {
			return true
		}
	}
	return false
}

// ruleWords are the keywords that limit a value by a number or a boolean.
var ruleWords = []string{"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}

// unknownWords are keywords that are neither read nor without meaning.
var unknownWords = []string{"not", "if", "prefixItems", "contains", "propertyNames", "dependentSchemas", "dependentRequired",
	"unevaluatedItems", "$dynamicRef", "$recursiveRef", "$defs"}

// fill reads the keywords of n itself.
func (r *schemaReader) fill(s *schema, n *node) {
	s.fillTypes(n)
	for name, p := range n.get("properties").members {
		s.setProp(prop{name, p})
	}
	required := map[string]bool{}
	for _, v := range n.list("required") {
		required[v.text] = true
	}
	s.require(required)
	r.fillOpen(s, n)
	if items := n.get("items"); items != nil && items.kind == isObject {
		s.items = items
	}
	s.fillRules(n)
	s.fillEnum(n)
	s.fillTexts(n)
	r.fillAlts(s, n)
	if len(s.types) == 0 && len(s.alts) == 0 {
		s.inferType()
	}
	for _, k := range unknownWords {
		if v := n.get(k); v != nil {
			r.lack(lackKeyword, v, k)
		}
	}
}

func (s *schema) fillTypes(n *node) {
	if t := n.get("type"); t != nil {
		s.types = nil
		for _, v := range append([]*node{t}, t.items...) {
			switch {
			case v.kind != isString:
			case v.text == "null":
				s.null = true
			case slices.Contains(s.types, v.text):
			default:
				s.types = append(s.types, v.text)
			}
		}
	}
	if v := n.get("nullable"); v != nil {
		s.null = v.text == "true"
	}
}

// fillOpen reads which members may be there beside the named ones.
func (r *schemaReader) fillOpen(s *schema, n *node) {
	if a := n.get("additionalProperties"); a != nil {
		s.open, s.closed = a.kind == isObject || a.text == "true", a.text == "false"
		if a.kind == isObject && len(a.keys) > 0 {
			s.extra = a
		}
	}
	p := n.get("patternProperties")
	if names := p.names(); len(names) > 0 {
		s.open, s.extra = true, p.member[names[0]]
		r.lack(lackKeyword, p, "patternProperties "+strings.Join(names, ", "))
	}
}

func (s *schema) fillRules(n *node) {
	for _, k := range ruleWords {
		if v := n.get(k); v != nil && (v.kind == isNumber || v.kind == isBool) {
			s.rules[k] = v.text
		}
	}
	for _, pair := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		switch exclusive, limit := pair[0], pair[1]; s.rules[exclusive] { // booleans in OpenAPI 3.0
		case "true":
			if s.rules[exclusive] = s.rules[limit]; s.rules[limit] == "" {
				delete(s.rules, exclusive)
			}
			delete(s.rules, limit)
		case "false":
			delete(s.rules, exclusive)
		}
	}
}

func (s *schema) fillEnum(n *node) {
	if n.list("enum") != nil {
		s.enum, s.named = nil, nil
	}
	seen := map[string]bool{}
	for _, v := range n.list("enum") {
		key := string(rune('0'+v.kind)) + v.text
		switch {
		case v.kind == isNull:
			s.null = true
		case !seen[key]:
			seen[key] = true
			s.enum = append(s.enum, v)
		}
	}
	if v := n.get("const"); v != nil {
		s.enum = []*node{v}
	}
}

func (s *schema) fillTexts(n *node) {
	for _, t := range []struct {
		word string
		to   *string
	}{{"format", &s.format}, {"pattern", &s.pattern}, {"contentEncoding", &s.encoding}, {"title", &s.title}, {"description", &s.desc}} {
		if v := n.str(t.word); v != "" {
			*t.to = v
		}
	}
	if v := n.get("default"); v != nil {
		s.def = v
	}
	if v := n.get("example"); v != nil {
		s.example = v
	} else if list := n.list("examples"); len(list) > 0 {
		s.example = list[0]
	}
	s.deprecated = s.deprecated || n.isTrue("deprecated")
	s.readOnly = s.readOnly || n.isTrue("readOnly")
}

// inferType sets the type of a schema that does not say it.
func (s *schema) inferType() {
	typ := ""
	switch {
	case len(s.props) > 0 || s.open:
		typ = "object"
	case s.items != nil:
		typ = "array"
	case len(s.enum) > 0:
		typ = valueType(s.enum[0])
	case s.rules["minLength"] != "" || s.rules["maxLength"] != "" || s.pattern != "":
		typ = "string"
	}
	if typ != "" {
		s.types = []string{typ}
	}
}

// valueType returns the JSON type of a scalar, or "".
func valueType(v *node) string {
	switch v.kind {
	case isString:
		return "string"
	case isBool:
		return "boolean"
	case isNumber:
		if strings.ContainsAny(v.text, ".eE") {
			return "number"
		}
		return "integer"
	}
	return ""
}

// fillAlts reads oneOf and anyOf.
func (r *schemaReader) fillAlts(s *schema, n *node) {
	word := "oneOf"
	list := n.list(word)
	if list == nil {
		word = "anyOf"
		list = n.list(word)
	}
	if list == nil {
		return
	}
	if word == "oneOf" && n.list("anyOf") != nil {
		r.lack(lackTwoUnions, n, "oneOf beside anyOf")
	}
	alts, ok := r.alternatives(s, n, list)
	if !ok || len(s.props) == 0 && s.becomeEnum(alts) {
		return
	}
	if len(alts) == 1 && len(s.props) == 0 {
		s.become(alts[0])
		return
	}
	s.alts = alts
	if len(s.props) == 0 {
		s.types = nil
	}
	d := n.get("discriminator")
	if d == nil {
		return
	}
	s.disc, s.values = d.str("propertyName"), map[string]string{}
	for value, ref := range d.get("mapping").members {
		name := r.component(ref.text)
		if name == "" {
			name = ref.text
		}
		if s.values[name] == "" {
			s.values[name] = value
		}
	}
}

// A namedValue is a value of an enum with a title and a description.
type namedValue struct{ title, desc string }

// becomeEnum makes s an enum if each alternative is one scalar, all of one type.
func (s *schema) becomeEnum(alts []*schema) bool {
	for _, a := range alts {
		if len(a.enum) != 1 || a.kind() == "" || a.kind() != alts[0].kind() || valueType(a.enum[0]) == "" {
			return false
		}
	}
	if len(alts) < 2 && alts[0].at.get("const") == nil {
		return false
	}
	s.types, s.enum, s.named = alts[0].types, nil, nil
	for _, a := range alts {
		s.enum = append(s.enum, a.enum[0])
		s.named = append(s.named, namedValue{a.title, a.desc})
	}
	return true
}

// alternatives returns the schemas of list without null. It reports false if they only say which
// members of s are required.
func (r *schemaReader) alternatives(s *schema, n *node, list []*node) ([]*schema, bool) {
	var alts []*schema
	for _, a := range list {
		if r.busy[r.resolve(a)] {
			r.lack(lackSelf, n, "an alternative of itself")
			continue
		}
		as := r.schema(a)
		says := len(as.types) > 0 || len(as.enum) > 0 || len(as.alts) > 0 || len(as.props) > 0
		switch {
		case a.str("type") == "null", as.null && !says:
			s.null = true
			continue
		case a.get("required") != nil && len(as.alts) == 0 && (!says || onlyRequires(as, s)):
			r.lack(lackAcross, n, "one of several sets of required members")
			return nil, false
		case a.get("not") != nil && len(as.types) == 0:
			continue // reported as a keyword
		}
		s.null = s.null || as.null
		alts = append(alts, as)
	}
	return alts, len(alts) > 0
}

// onlyRequires reports whether a has no member that s lacks.
func onlyRequires(a, s *schema) bool {
	if len(a.props) == 0 && len(s.props) == 0 {
		return false
	}
	for _, p := range a.props {
		if s.prop(p.name) == nil {
			return false
		}
	}
	return true
}

// become makes s the only alternative, with its own texts.
func (s *schema) become(only *schema) {
	old := *s
	*s = *only.copied()
	s.at = old.at
	s.null = s.null || old.null
	s.deprecated = s.deprecated || old.deprecated
	if old.desc != "" {
		s.desc = old.desc
	}
	if old.def != nil {
		s.def = old.def
	}
	if old.example != nil {
		s.example = old.example
	}
}
