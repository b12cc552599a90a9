package svc

// This file reports tags and methods that mean something else in other libraries. Without these
// mistakes, a type written for such a library would register and silently lose its rules.

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A foreignTag is a tag of other libraries, which svc does not read, and what to write instead;
// NAME stands for the name in the tag.
type foreignTag struct {
	name, instead string
	inOutputs     bool // it also affects how an output is written or described
}

// foreignTags are the tags that are mistakes. A field with one looks as if svc checked or bound it.
// A tag that describes what svc does anyway may stay, because types are often shared with other
// libraries: form:"name" beside json:"name", required:"true" on a required field, and
// readOnly:"false".
var foreignTags = [...]foreignTag{
	{name: "min", instead: "write `minimum`, or `minLength` or `minItems`"},
	{name: "max", instead: "write `maximum`, or `maxLength` or `maxItems`"},
	{name: "len", instead: "write `minLength` and `maxLength`"},
	{name: "oneof", instead: "write `enum:\"a,b\"`"},
	{name: "binding", instead: "a field without omitempty must be there and may be empty; " +
		"rules are tags of their own, such as minLength:\"1\" or enum:\"a,b\""},
	{name: "validate", instead: "a field without omitempty must be there and may be empty; rules are tags of their own, such as " +
		"minLength:\"1\" or enum:\"a,b\". With a method Validate() error of the input, which checks it, the tag may stay"},
	{name: "required", instead: "a field is required unless its json tag has omitempty"},
	{name: "form", instead: "write `json:\"NAME\"`"},
	{name: "uri", instead: "write `path:\"NAME\"`"},
	{name: "param", instead: "write `path:\"NAME\"`"},
	{name: "description", instead: "write `doc`"},
	{name: "readOnly", instead: "remove the field from inputs, or refuse it by a method Validate() error"},
	{name: "dependentRequired", instead: "write a method Validate() error that looks at both fields"},
	{name: "const", instead: "write `enum:\"NAME\"`, an enum of one value"},
	{name: "contentEncoding", instead: "a []byte is base64; for another encoding write a type with MarshalText and UnmarshalText"},
	{name: "collectionFormat", instead: "a list in a query is a parameter for each of its items, as in ?a=1&a=2"},
	{name: "collection_format", instead: "a list in a query is a parameter for each of its items, as in ?a=1&a=2"},
	{"writeOnly", "write a struct for the output that does not have the field", true},
	{"timeFormat", "a time.Time is RFC 3339; for another form write a type with MarshalText and UnmarshalText", true},
	{"encoding", "a []byte is base64; for another encoding write a type with MarshalText and UnmarshalText", true},
	{"deprecated", "write a paragraph that begins with Deprecated: in its comment, and set Options.Comments", true},
	{"hidden", "documents have every field that clients can send or get; `json:\"-\"` removes it from both", true},
}

// checkForeignTags notes the tags of other libraries on the fields of s, a struct of an
// input or an output, once and not for each method. An input that checks itself, by Validate,
// may do so with a library that reads the tag validate.
func (p *mistakes) checkForeignTags(s *shape, u use, checksItself bool) {
	if u == asInput {
		p.checkUnnamed(s)
	}
	for _, f := range s.fields {
		if u == asInput {
			p.checkQueryOptions(f)
			p.checkIn(f)
		}
		for _, foreign := range foreignTags {
			value, ok := lookupTag(f.tag, foreign.name)
			if !ok || u == asOutput && !foreign.inOutputs || f.agreesWith(foreign, value, checksItself) {
				continue
			}
			name, _, _ := strings.Cut(value, ",")
			p.addOnce(fmt.Sprintf("%s: svc does not read the tag %s: %s", f.place, foreign.name,
				strings.ReplaceAll(foreign.instead, "NAME", name)))
		}
	}
}

// agreesWith reports whether the tag with this value describes what svc does with f.
func (f *field) agreesWith(foreign foreignTag, value string, checksItself bool) bool {
	name, _, _ := strings.Cut(value, ",")
	switch foreign.name {
	case "validate":
		return checksItself
	case "required":
		return value == strconv.FormatBool(!f.optional)
	case "readOnly", "writeOnly", "hidden":
		return value == "false"
	case "deprecated":
		return value == "false" || value == "true" && f.deprecated
	case "const":
		return value == f.tag.Get("enum")
	case "contentEncoding":
		return value == "base64" && f.shape.deref().kind == kindBytes
	case "collectionFormat", "collection_format":
		return value == "multi"
	}
	return strings.HasSuffix(foreign.instead, "NAME\"`") && name == f.name
}

// checkIn notes a tag in that says where a field comes from, as httpin reads it: in:"query=page". Other
// libraries write other things there.
func (p *mistakes) checkIn(f *field) {
	place, names, ok := strings.Cut(f.tag.Get("in"), "=")
	name, _, _ := strings.Cut(names, ";") // in:"query=page;required"
	name, _, _ = strings.Cut(name, ",")   // in:"query=page,p": or by another name
	if !ok || !slices.Contains([]string{"query", "path", "header", "form", "body"}, place) {
		return
	}
	if place == "form" || place == "body" {
		place = "json"
	}
	p.addOnce(fmt.Sprintf("%s: svc does not read the tag in: write `%s:%q`", f.place, place, cmp.Or(name, f.name)))
}

// checkUnnamed notes an additionalProperties of huma, on a field _, which says there whether an
// object may have unknown members.
func (p *mistakes) checkUnnamed(s *shape) {
	if s.typ.Kind() != reflect.Struct {
		return
	}
	for i := range s.typ.NumField() {
		if f := s.typ.Field(i); f.Name == "_" && f.Tag.Get("additionalProperties") != "" {
			p.addOnce(fmt.Sprintf("%v: svc does not read the tag additionalProperties of its field _: unknown members are refused if "+
				"Options.Strict is set, and else ignored", s.typ))
		}
	}
}

// checkQueryOptions notes an option of a tag query that svc does not know. Other libraries say
// there how a list is written.
func (p *mistakes) checkQueryOptions(f *field) {
	_, options, _ := strings.Cut(tagText(f.tag, "query"), ",")
	for option := range strings.SplitSeq(options, ",") {
		if option != "" && option != "omitempty" && option != "omitzero" {
			p.addOnce(fmt.Sprintf("%s: svc does not know %s in the tag query:%q; it knows omitempty, and a list is a parameter for each of its "+
				"items, as in ?%s=a&%[4]s=b", f.place, option, tagText(f.tag, "query"), f.bound[whereQuery]))
		}
	}
}

// checkForeignFields notes a field Body or RawBody of s, a whole input or output. In huma it is
// the body of the request or the response. Here it would be a member of the body, with that name.
func (p *mistakes) checkForeignFields(s *shape) {
	for _, f := range s.fields {
		_, named := lookupTag(f.tag, "json")
		switch {
		case named || f.isBound():
		case f.goName == "Body" && f.shape.deref().kind == kindObject:
			p.addf("%s: svc makes it a member of the body that is called Body; move its fields into %v, or write `json:\"Body\"` if clients know "+
				"such a member", f.place, s.typ)
		case f.goName == "RawBody" && !f.shape.hasMistake: // else it is told what to write already
			p.addf("%s: svc makes it a member of the body that is called RawBody; write Body svc.Body for the bytes of the body, or "+
				"`json:\"RawBody\"` if clients know such a member", f.place)
		}
	}
}

// checkResolve notes a method Resolve of huma, which runs checks there. Resolvers are in
// packages that import huma, so the type of a parameter tells them from other methods of
// that name:
//
//	func (in *Input) Resolve(ctx huma.Context) []error
func (p *mistakes) checkResolve(t reflect.Type, at *placeText) {
	m, ok := reflect.PointerTo(t).MethodByName("Resolve")
	if !ok {
		return
	}
	for i := 1; i < m.Type.NumIn(); i++ {
		if name := strings.TrimLeft(m.Type.In(i).String(), "*"); strings.HasPrefix(name, "huma.") {
			p.addf("%s: svc does not call %v.Resolve(%s); write a method Validate() error, and fields with a tag header or cookie for what it "+
				"reads of the request", at, t, name)
			return
		}
	}
}
