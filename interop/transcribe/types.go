package main

import (
	"maps"
	"slices"
	"strings"
)

type typeKind int

const (
	kAny typeKind = iota
	kString
	kInt
	kFloat
	kBool
	kTime
	kBytes
	kList
	kMap
	kStruct // decl: a struct
	kUnion  // decl: a struct with a discriminator
	kByType // decl: a struct that embeds svc.ByType
	kEnum   // decl: a string or integer type with a method Enum
	kBody   // svc.Body
	kFile   // svc.File
)

// kindWords name kinds in the report.
var kindWords = map[typeKind]string{kAny: "any JSON", kString: "a text", kTime: "a time", kBytes: "base64", kEnum: "a text", kInt: "a number",
	kFloat: "a number", kBool: "a boolean", kList: "a list", kMap: "a map", kUnion: "a union", kByType: "one of several JSON types"}

// A typ is a Go type. Declarations get their names last, so it has no text yet.
type typ struct {
	kind  typeKind
	name  string // of a basic type
	elem  *typ
	decl  *decl
	s     *schema
	lacks []int // of a type without a declaration
}

func basic(kind typeKind, name string) *typ { return &typ{kind: kind, name: name} }

func stringType() *typ { return basic(kString, "string") }

// null reports whether the value may be null.
func (t *typ) null() bool { return t.s != nil && t.s.null }

func (t *typ) isScalar() bool {
	switch t.kind {
	case kString, kInt, kFloat, kBool, kTime, kEnum, kBytes:
		return true
	}
	return false
}

// isStruct reports whether the type is a struct in Go.
func (t *typ) isStruct() bool { return t.kind == kStruct || t.kind == kUnion || t.kind == kByType }

// expr returns the type as Go source.
func (t *typ) expr() string {
	switch t.kind {
	case kList:
		return "[]" + t.elem.inside()
	case kMap:
		return "map[string]" + t.elem.inside()
	case kStruct, kUnion, kByType, kEnum:
		if t.decl != nil {
			return t.decl.name
		}
	case kTime:
		return "time.Time"
	case kBytes:
		return "[]byte"
	case kAny:
		return "any"
	case kBody:
		return "svc.Body"
	case kFile:
		return "svc.File"
	}
	return t.name
}

// inside returns the type as an element of a list or a map.
func (t *typ) inside() string {
	if t.null() && t.kind != kAny {
		return "*" + t.expr()
	}
	return t.expr()
}

// A decl is a type declaration.
type decl struct {
	kind   typeKind // kStruct, kUnion, kByType, kEnum, or kList for a list with a name
	wish   string   // the name that it gets if it is free
	parent *decl    // with suffix, names a type without a name in the document
	suffix string
	name   string
	doc    string
	at     *node

	fields    []*field
	values    []*node      // of an enum
	named     []namedValue // the values, if the document names them
	constants []string     // of an enum: the names of the values
	elem      *typ         // of an enum or a list
	whole     *typ         // of an answer that is no object: what the struct holds

	in, out    bool // clients send it, clients get it
	form       bool // it is the input of a form
	shared     bool // a component, or used more than once
	variant    bool // an alternative: the component without the discriminator
	deprecated bool
	group      *group
	lacks      []int
}

// uses returns the declarations that d refers to.
func (d *decl) uses() []*decl {
	var out []*decl
	for _, f := range d.fields {
		out = f.t.appendDecls(out)
	}
	return d.whole.appendDecls(d.elem.appendDecls(out))
}

// appendDecls appends the declarations that t has. It takes a nil t.
func (t *typ) appendDecls(list []*decl) []*decl {
	for ; t != nil; t = t.elem {
		if t.decl != nil {
			list = append(list, t.decl)
		}
	}
	return list
}

// A field is a field of a struct.
type field struct {
	name       string // in Go; a wish until nameFields
	embedded   bool
	t          *typ
	json       string
	optional   bool
	place      string // path, query, header or cookie
	wire       string // the name there
	body       string // the tag body
	status     string // the statuses of a status field
	variant    string // the value of the discriminator
	disc       bool
	media      string // contentType of a Body or File
	doc        string
	hidden     bool // json:"-"
	pointer    bool // because the struct would contain itself
	s          *schema
	deprecated bool
}

// noRules is a schema for fields without rules.
func noRules() *schema { return newSchema(nil) }

// A typeMaker makes Go types of schemas.
type typeMaker struct {
	*schemaReader
	components map[string]*typ
	making     map[string]bool
	shapes     map[string]*typ // of schemas without a name, by what they take
	decls      []*decl
	nesting    int
	shortEnds  map[string]int // see shortName
}

// typeOf returns the Go type of the schema at n. parent and suffix name a type without a name.
func (m *typeMaker) typeOf(n *node, parent *decl, suffix string) *typ {
	return m.typeOfSchema(m.schema(n), parent, suffix)
}

func (m *typeMaker) typeOfSchema(s *schema, parent *decl, suffix string) *typ {
	m.meet(s.lacks)
	if s.ref == "" {
		return m.nested(s, parent, suffix)
	}
	if t := m.components[s.ref]; t != nil {
		m.meet(t.lacks)
		return t.at(s)
	}
	if m.making[s.ref] {
		m.lack(lackSelf, s.at, "a list, a map or a union that contains itself")
		return &typ{kind: kAny, s: s}
	}
	m.making[s.ref] = true
	var t *typ
	met := m.within(func() { t = m.nested(s, nil, s.ref) })
	delete(m.making, s.ref)
	if t.decl == nil {
		t.lacks = met
	}
	m.meet(met)
	m.components[s.ref] = t
	return t
}

// at returns the type of a component for a schema that refers to it.
func (t *typ) at(s *schema) *typ {
	out := *t
	out.s = s
	if t.decl == nil && t.s != nil && (len(s.alts) > 0 || len(s.types) > 1) {
		out.s = t.s.withTexts(s)
	}
	return &out
}

// withTexts returns s with what other says beside its rules.
func (s *schema) withTexts(other *schema) *schema {
	c := s.copied()
	c.null, c.def, c.example, c.deprecated = other.null, other.def, other.example, other.deprecated
	return c
}

// nested builds a type, unless it is too deep.
func (m *typeMaker) nested(s *schema, parent *decl, suffix string) *typ {
	if m.nesting++; m.nesting > maxDepth {
		m.lack(lackTooDeep, s.at, "members of members")
		m.nesting--
		return &typ{kind: kAny, s: s.bare()}
	}
	defer func() { m.nesting-- }()
	t := m.build(s, parent, suffix)
	if t.s == nil || t.s == s || t.decl != nil || len(s.alts) == 0 && len(s.types) < 2 {
		t.s = s
	} else { // alternatives of one JSON type are one type with rules of its own
		t.s = t.s.withTexts(s)
	}
	return t
}

func (m *typeMaker) build(s *schema, parent *decl, suffix string) *typ {
	switch {
	case len(s.alts) > 0 && len(s.props) > 0:
		return m.object(m.withAlternatives(s), parent, suffix)
	case len(s.alts) > 0:
		return m.union(s, parent, suffix)
	case len(s.types) > 1:
		u := s.copied()
		u.alts = s.eachType()
		return m.union(u, parent, suffix)
	}
	switch s.kind() {
	case "object":
		if len(s.props) > 0 {
			return m.object(s, parent, suffix)
		}
		if s.extra != nil {
			return &typ{kind: kMap, elem: m.typeOf(s.extra, parent, suffix+" value")}
		}
		return &typ{kind: kMap, elem: &typ{kind: kAny}}
	case "array":
		return m.list(s, parent, suffix)
	case "string":
		return m.text(s, parent, suffix)
	case "integer", "number":
		return m.number(s, parent, suffix)
	case "boolean":
		return basic(kBool, "bool")
	}
	return &typ{kind: kAny}
}

// withAlternatives returns an object with the members of s and of all alternatives beside them.
func (m *typeMaker) withAlternatives(s *schema) *schema {
	all := s.copied()
	all.alts = nil
	objects := slices.DeleteFunc(m.flatAlts(s.alts), func(a *schema) bool { return len(a.props) == 0 })
	if len(objects) == 0 {
		return all
	}
	m.lack(lackObjects, s.at, "members beside oneOf or anyOf")
	merged := m.mergedObjects(objects)
	for _, p := range merged.props {
		if all.prop(p.name) == nil {
			all.setProp(p)
		}
	}
	all.require(merged.required)
	return all
}

func (m *typeMaker) list(s *schema, parent *decl, suffix string) *typ {
	if s.items == nil {
		return &typ{kind: kList, elem: &typ{kind: kAny}}
	}
	item := strings.Join(singularWords(words(suffix)), " ")
	if parent == nil && item == strings.Join(words(suffix), " ") {
		item += " item"
	}
	return &typ{kind: kList, elem: m.typeOf(s.items, parent, item)}
}

func (m *typeMaker) text(s *schema, parent *decl, suffix string) *typ {
	if len(s.enum) > 0 && (s.ref != "" || !fitsTag(s.enum)) {
		if t := m.enum(s, stringType(), parent, suffix); t != nil {
			return t
		}
	}
	if len(s.enum) > 0 {
		return stringType()
	}
	switch {
	case s.format == "date-time" && s.pattern == "" && s.rules["maxLength"] == "" && s.rules["minLength"] == "":
		return basic(kTime, "")
	case s.format == "byte", s.format == "base64", s.encoding == "base64":
		return basic(kBytes, "")
	}
	return stringType()
}

func (m *typeMaker) number(s *schema, parent *decl, suffix string) *typ {
	if s.kind() == "number" {
		switch {
		case s.format == "float":
			return basic(kFloat, "float32")
		case strings.HasPrefix(s.format, "int"):
			return basic(kInt, "int64")
		}
		return basic(kFloat, "float64")
	}
	t := basic(kInt, "int")
	switch s.format {
	case "int32", "int64", "uint32", "uint64", "int16", "int8", "uint16", "uint8":
		t.name = s.format
	}
	if len(s.enum) > 0 && s.ref != "" {
		if e := m.enum(s, t, parent, suffix); e != nil {
			return e
		}
	}
	return t
}

// fitsTag reports whether the tag enum can list the values.
func fitsTag(values []*node) bool {
	for _, v := range values {
		if v.text == "" || strings.ContainsAny(v.text, ",\"`\\\n") || strings.TrimSpace(v.text) != v.text || !isPrintable(v.text) {
			return false
		}
	}
	return true
}

// enum returns a type with constants, or nil if a value is not of the type.
func (m *typeMaker) enum(s *schema, elem *typ, parent *decl, suffix string) *typ {
	if t := m.same(s, "enum"); t != nil {
		return t
	}
	var values []*node
	for _, v := range s.enum {
		isInt := v.kind == isNumber && valueType(v) == "integer" && len(v.text) < 10
		if elem.kind == kString && (v.kind == isString || v.kind == isNumber) || elem.kind == kInt && isInt {
			values = append(values, v) // converters of YAML write 4 for "4"
		}
	}
	if len(values) == 0 || elem.kind == kInt && len(values) < len(s.enum) {
		return nil
	}
	d := m.declare(kEnum, s, parent, suffix)
	d.elem, d.values = elem, values
	if len(s.named) == len(values) {
		d.named = s.named
	} else {
		d.named = extensionNames(s.at, len(values))
	}
	return m.remember(s, "enum", &typ{kind: kEnum, decl: d, s: s})
}

// declare adds a declaration.
func (m *typeMaker) declare(kind typeKind, s *schema, parent *decl, suffix string) *decl {
	d := &decl{kind: kind, parent: parent, suffix: suffix, at: s.at, deprecated: s.deprecated, doc: s.desc}
	if s.ref != "" {
		component := m.schema(m.root.get("components", "schemas", s.ref))
		d.wish, d.doc, d.shared = exported(m.shortName(s.ref)), component.desc, true
	}
	if d.doc == "" && s.title != s.ref && strings.Contains(s.title, " ") {
		d.doc = s.title
	}
	m.decls = append(m.decls, d)
	return d
}

func (m *typeMaker) drop(d *decl) {
	m.decls = slices.DeleteFunc(m.decls, func(o *decl) bool { return o == d })
}

// same returns the type of an earlier schema without a name that takes the same values.
func (m *typeMaker) same(s *schema, what string) *typ {
	if s.at == nil || s.ref != "" {
		return nil
	}
	t := m.shapes[what+s.at.fingerprint()]
	if t == nil {
		return nil
	}
	t.decl.shared = true
	return &typ{kind: t.kind, decl: t.decl, s: s}
}

func (m *typeMaker) remember(s *schema, what string, t *typ) *typ {
	if s.ref != "" {
		m.components[s.ref] = t // before its fields, which may contain it
	} else if s.at != nil {
		m.shapes[what+s.at.fingerprint()] = t
	}
	return t
}

// object returns a struct for an object with named members.
func (m *typeMaker) object(s *schema, parent *decl, suffix string) *typ {
	if t := m.same(s, ""); t != nil {
		return t
	}
	d := m.declare(kStruct, s, parent, suffix)
	t := m.remember(s, "", &typ{kind: kStruct, decl: d, s: s})
	d.lacks = m.within(func() {
		m.meet(s.lacks)
		m.fill(d, s, "")
	})
	return t
}

// fill gives d a field for each member but one.
func (m *typeMaker) fill(d *decl, s *schema, without string) {
	if s.open && s.extra != nil {
		m.lack(lackOtherMembers, s.at, "additionalProperties beside properties")
	}
	if s.rules["minProperties"] != "" || s.rules["maxProperties"] != "" {
		m.lack(lackAcross, s.at, "how many members there may be")
	}
	for _, name := range slices.Sorted(maps.Keys(s.required)) {
		if s.prop(name) == nil && s.required[name] {
			m.lack(lackAcross, s.at, "the required member "+name+" is not described")
		}
	}
	for _, p := range s.props {
		if p.name != without {
			d.fields = append(d.fields, m.memberField(d, s, p))
		}
	}
}

func (m *typeMaker) memberField(d *decl, s *schema, p prop) *field {
	ps := m.schema(p.n)
	f := &field{t: m.typeOfSchema(ps, d, p.name), json: p.name, optional: !s.required[p.name], s: ps, deprecated: ps.deprecated, doc: ps.desc}
	if f.t.decl == nil && f.t.s != nil {
		f.s = f.t.s
	}
	if ps.ref != "" && (f.t.decl != nil || len(f.doc) > 200) {
		f.doc = p.n.str("description")
	}
	if f.t.decl != nil && f.t.decl.doc == f.doc {
		f.doc = ""
	}
	return f
}

// shortName returns the end of a name with points, such as io.k8s.api.core.v1.Pod, that no other
// component has.
func (m *typeMaker) shortName(name string) string {
	if !strings.Contains(name, ".") {
		return name
	}
	if m.shortEnds == nil {
		m.shortEnds = map[string]int{}
		for other := range m.root.get("components", "schemas").members {
			for _, end := range endsOf(other) {
				m.shortEnds[exported(end)]++
			}
		}
	}
	best := name
	for _, end := range endsOf(name) {
		if m.shortEnds[exported(end)] == 1 {
			best = end
		}
	}
	return best
}

// endsOf returns what follows each point of a name, and the name. It looks at 20 points at most.
func endsOf(name string) []string {
	out := []string{name}
	for range 20 {
		_, rest, ok := strings.Cut(name, ".")
		if !ok {
			break
		}
		out = append(out, rest)
		name = rest
	}
	return out
}
