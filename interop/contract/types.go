package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file makes up Go types, for releases.go: services whose versions differ in a few
// places each, as Go sources of the package dist, which is compiled with the tag pairs.

// A madeType is a Go type, and a madeField a field of a struct with its tags.
type madeType struct {
	text string // in Go; S0 and the like stand for the structs of the method
	kind string // string, int, float, bool, list, struct, and other
	elem *madeType
}

type madeField struct {
	name     string
	typ      madeType
	rules    []string // tags
	options  string   // of the json tag
	def      string   // the default, if there is one
	place    string   // path, query, header or cookie
	nameless bool
}

// A madeMethod has the structs of a method, of which the first is its input. The others are
// the alternatives of the union U, of which the last may be missing.
type madeMethod struct {
	alternatives int
	structs      [][]*madeField
	route        string
	transports   string
	query        bool   // all fields come from the query
	body         string // the tags of a svc.Body, if it has one
	maxBody      int    // of MethodOptions, if it has one
}

// A maker makes types up.
type maker struct{ *rand.Rand }

func (m maker) pick(of ...string) string { return of[m.IntN(len(of))] }

func (m maker) chance(percent int) bool { return m.IntN(100) < percent }

// scalar returns a type that a query can carry.
func (m maker) scalar() madeType {
	switch m.IntN(12) {
	case 0, 1, 2:
		return madeType{text: "string", kind: "string"}
	case 3, 4:
		return madeType{text: m.pick("int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"), kind: "int"}
	case 5:
		return madeType{text: m.pick("float32", "float64"), kind: "float"}
	case 6:
		return madeType{text: "bool", kind: "bool"}
	case 7:
		return madeType{text: m.pick("time.Time", "time.Duration", "[]byte"), kind: "other"}
	case 8:
		return madeType{text: m.pick("netip.Addr", "Even", "Tone"), kind: "other"}
	case 9:
		return madeType{text: m.pick("Colour", "Colours", "Level"), kind: "other"}
	}
	return madeType{text: m.pick("string", "Name"), kind: "string"}
}

// value returns any type; structs has the number of structs that there are.
func (m maker) value(depth, structs int) madeType {
	if depth == 0 {
		return m.scalar()
	}
	switch m.IntN(16) {
	case 0, 1:
		e := m.value(depth-1, structs)
		if e.text == "uint8" { // a list of which is base64
			e.text = "uint16"
		}
		return madeType{text: "[]" + e.text, kind: "list", elem: &e}
	case 2:
		e := m.value(depth-1, structs)
		return madeType{text: "[" + strconv.Itoa(m.IntN(3)) + "]" + e.text, kind: "array", elem: &e}
	case 3:
		return madeType{text: "map[" + m.pick("string", "string", "int8", "uint16", "Colour", "netip.Addr") + "]" + m.value(depth-1, structs).text, kind: "other"}
	case 4, 5:
		if structs > 1 && m.chance(40) {
			return madeType{text: m.pick("*U", "[]U", "[]*U", "map[string]U"), kind: "union"}
		}
		if structs > 1 {
			s := "S" + strconv.Itoa(1+m.IntN(structs-1))
			return madeType{text: m.pick("*"+s, "[]"+s, "[]*"+s, "map[string]"+s), kind: "struct"}
		}
	case 6:
		return madeType{text: m.pick("any", "json.RawMessage", "json.Number", "Money"), kind: "other"}
	}
	return m.scalar()
}

// field returns a field of a struct.
func (m maker) field(name string, structs int, param bool) *madeField {
	f := &madeField{name: name}
	if f.typ = m.value(2, structs); param {
		if f.typ = m.scalar(); m.chance(20) {
			e := f.typ
			if e.text == "uint8" {
				e.text = "uint16"
			}
			f.typ = madeType{text: "[]" + e.text, kind: "list", elem: &e}
		}
	}
	if f.typ.kind == "other" && f.typ.text == "[][]byte" {
		f.typ.text = "[]byte"
	}
	m.reoption(f, param)
	m.rerule(f, param)
	return f
}

// reoption decides whether a field is optional, a pointer or an Optional.
func (m maker) reoption(f *madeField, param bool) {
	f.options = m.pick("", "", ",omitempty", ",omitzero")
	bare := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(f.typ.text, "svc.Optional["), "]"), "*")
	if strings.HasPrefix(f.typ.text, "svc.Optional[") || strings.HasPrefix(f.typ.text, "*") {
		f.typ.text = bare
	}
	if f.typ.kind == "union" {
		f.typ.text = m.pick("*U", "[]U", "map[string]U")
		return
	}
	if f.typ.kind == "struct" { // of which one must be able to end
		f.typ.text = m.pick("*", "[]", "map[string]") + "S" + f.typ.text[strings.LastIndexByte(f.typ.text, 'S')+1:]
		return
	}
	switch {
	case m.chance(15):
		f.typ.text = "*" + f.typ.text
	case m.chance(8) && !param && !strings.Contains(f.typ.text, "U"):
		f.typ.text, f.options, f.def = "svc.Optional["+f.typ.text+"]", ",omitzero", ""
	}
}

// rerule gives a field rules, and perhaps a default.
func (m maker) rerule(f *madeField, param bool) {
	f.rules, f.def = nil, ""
	item := f.typ
	if f.typ.kind == "list" || f.typ.kind == "array" {
		item = *f.typ.elem
		if f.typ.kind == "list" && m.chance(60) {
			low, high := m.IntN(3), 2+m.IntN(3)
			if m.chance(50) && !strings.ContainsAny(f.typ.text, "SU") { // of which one must be able to end
				f.rules = append(f.rules, "minItems", strconv.Itoa(low))
			}
			if m.chance(60) {
				f.rules = append(f.rules, "maxItems", strconv.Itoa(high))
			} else if m.chance(2) {
				f.rules = append(f.rules, "maxItems", m.pick("131072", "140000", "600000"))
			}
		}
		if (item.text == "string" || item.text == "int" || item.text == "uint16") && m.chance(30) {
			f.rules = append(f.rules, "uniqueItems", "true")
		}
	}
	bare := strings.TrimPrefix(item.text, "*")
	unique := slices.Contains(f.rules, "uniqueItems")
	switch item.kind {
	case "string":
		m.stringRules(f, unique)
	case "int":
		m.intRules(f, bare, unique)
	case "float":
		m.floatRules(f)
	case "bool":
		if f.typ.kind == "bool" && m.chance(20) {
			f.def = "true"
		}
	case "other":
		if (bare == "Colour" || bare == "Colours") && m.chance(20) {
			f.rules = append(f.rules, "enum", m.pick("red", "red,green"))
		}
	}
	optional := strings.HasPrefix(f.typ.text, "svc.Optional[")
	if f.typ.kind == "list" && !optional && m.chance(10) && !slices.Contains(f.rules, "minItems") {
		f.def = "[]"
	} else if f.typ.kind == "list" || f.typ.kind == "array" || optional {
		f.def = ""
	}
	if quotable := !param && (item.kind == "int" || item.kind == "float") && f.typ.kind == item.kind && !optional; quotable && m.chance(6) {
		f.rules, f.def = nil, ""
		f.options += ",string"
	}
}

var patterns = []string{`^[a-z]+$`, `^[a-z]*$`, `^[a-z0-9-]*$`, `^[A-Z]{2}-[0-9]+$`, `[0-9]`, `^(ab|cde)+$`, `^\d{3}$`, `^\d{2,4}$`, `^[^ ]*$`, `^a?b{2,4}$`, `\bx`, `^é*$`, `^(red|green|blue)$`, `^[a-c]{1,3}$`, `^$|^[0-9]+$`, `^\p{Lu}`, `^[a-f]{1,3}$`, `^[a-z_]{4}$`, `^([A-Za-z0-9+/]{4})*$`, `^[A-P]{2}==$`, `^[0-9]{2}[smh]$`, `^2006-01-0[0-9]T15:04:05Z$`}

func (m maker) stringRules(f *madeField, unique bool) {
	low, high := m.IntN(4), 3+m.IntN(20)
	switch m.IntN(6) {
	case 0, 1:
		if m.chance(60) {
			f.rules = append(f.rules, "minLength", strconv.Itoa(low))
		}
		if m.chance(60) {
			f.rules = append(f.rules, "maxLength", strconv.Itoa(high))
		}
		if m.chance(20) {
			f.def = strings.Repeat("d", max(low, 1))
		} else if m.chance(3) { // of which no text fits into a line
			f.rules = []string{"maxLength", m.pick("131071", "131072", "140000", "150000", "3000000")}
		}
	case 2:
		f.rules = append(f.rules, "pattern", m.pick(patterns...))
		if m.chance(30) {
			f.rules = append(f.rules, "maxLength", strconv.Itoa(high+10))
		}
		if m.chance(20) {
			f.rules = append(f.rules, "minLength", strconv.Itoa(low))
		}
	case 3:
		if !unique {
			f.rules = append(f.rules, "enum", m.pick("a,b,c", "a,b", "a,b,c,d", "red,green", "a"))
			if m.chance(30) {
				f.def = "a"
				if strings.Contains(f.rules[len(f.rules)-1], "red") {
					f.def = "red"
				}
			}
		}
	}
}

func (m maker) intRules(f *madeField, typ string, unique bool) {
	low, high := m.IntN(3), 20+m.IntN(80)
	switch m.IntN(5) {
	case 0, 1:
		if m.chance(60) {
			f.rules = append(f.rules, m.pick("minimum", "exclusiveMinimum"), strconv.Itoa(low))
		}
		if m.chance(60) {
			f.rules = append(f.rules, m.pick("maximum", "exclusiveMaximum"), strconv.Itoa(high))
		}
		if m.chance(30) {
			f.rules = append(f.rules, "multipleOf", m.pick("2", "3", "4", "7"))
		} else if m.chance(20) {
			f.def = "11"
		}
	case 2:
		if !unique {
			f.rules = append(f.rules, "enum", m.pick("1,2,3", "1,2", "2", "1,2,3,4", "0,100"))
		}
	case 3:
		if typ == "int64" || typ == "uint64" {
			f.rules = append(f.rules, m.pick("minimum", "maximum"), m.pick("9007199254740993", "9223372036854775806", "9223372036854775807"))
		}
	}
}

func (m maker) floatRules(f *madeField) {
	switch m.IntN(4) {
	case 0:
		f.rules = append(f.rules, m.pick("minimum", "exclusiveMinimum"), m.pick("0", "-1.5", "0.1"))
		if m.chance(50) {
			f.rules = append(f.rules, m.pick("maximum", "exclusiveMaximum"), m.pick("10", "2.5", "1e3"))
		}
	case 1:
		f.rules = append(f.rules, "multipleOf", m.pick("0.1", "0.25", "0.5", "1"))
	case 2:
		f.rules = append(f.rules, "enum", m.pick("0.5,1,2", "0.5", "1"))
	}
}

// method makes a method up.
func (m maker) method(i int) *madeMethod {
	method := &madeMethod{alternatives: 1 + m.IntN(2), route: fmt.Sprintf("POST /m%d", i), transports: m.pick("", "", "", "svc.TransportREST", "svc.TransportRPC")}
	n := 1 + m.IntN(3)
	kind := m.IntN(5)
	if method.query = kind == 0; method.query {
		n, method.route = 1, fmt.Sprintf("GET /m%d", i)
	}
	for s := range n {
		var fields []*madeField
		for k := range 1 + m.IntN(5) {
			fields = append(fields, m.field(fmt.Sprintf("f%d", k), n, method.query && s == 0))
		}
		method.structs = append(method.structs, fields)
	}
	if kind == 1 {
		m.addParams(method)
	}
	if method.query && m.chance(40) {
		method.route, method.transports, method.body = fmt.Sprintf("POST /m%d", i), "svc.TransportREST", m.bodyTags()
	}
	return method
}

// bodyTags returns the tags of a svc.Body.
func (m maker) bodyTags() string {
	return m.pick(` `, `maxBytes:"20" `, `maxBytes:"30" `) + m.pick(``, `contentType:"image/png"`, `contentType:"image/png,image/jpeg"`)
}

// addParams adds fields that come from elsewhere than from the body.
func (m maker) addParams(method *madeMethod) {
	for i, place := range []string{"path", "query", "header", "cookie"} {
		if i > 0 && m.chance(40) {
			continue
		}
		f := m.field("p"+strconv.Itoa(i), 0, true)
		for f.typ.kind == "list" && place != "query" || strings.HasPrefix(f.typ.text, "*") {
			f = m.field("p"+strconv.Itoa(i), 0, true)
		}
		if f.place = place; i > 1 && m.chance(50) {
			f.nameless, f.options, f.def = true, ",omitempty", ""
		}
		if place == "path" {
			f.options, f.def = "", ""
			method.route += "/{p0}"
		}
		method.structs[0] = append(method.structs[0], f)
	}
}

// change returns a copy of a method in which a few things differ.
func (m maker) change(old *madeMethod, n int) *madeMethod {
	method := *old
	method.structs = nil
	for _, fields := range old.structs {
		var copied []*madeField
		for _, f := range fields {
			g := *f
			copied = append(copied, &g)
		}
		method.structs = append(method.structs, copied)
	}
	if m.chance(10) {
		method.alternatives = 3 - method.alternatives
	}
	if method.body != "" && m.chance(30) {
		method.body = m.bodyTags()
	}
	if !method.query && method.transports != "svc.TransportRPC" && m.chance(5) {
		method.maxBody = 600 + m.IntN(600)
	}
	for range n {
		s := m.IntN(len(method.structs))
		fields := method.structs[s]
		param := method.query && s == 0
		i := m.IntN(len(fields))
		f := fields[i]
		switch m.IntN(9) {
		case 8: // a text becomes one of another kind, or such a text a string
			if f.typ.kind == "string" && f.place == "" {
				f.typ, f.rules, f.def = madeType{text: m.pick("[]byte", "[]byte", "time.Time", "time.Duration", "netip.Addr", "Even"), kind: "other"}, nil, ""
			} else if t := f.typ.text; f.place == "" && (t == "[]byte" || t == "time.Time" || t == "time.Duration") {
				f.typ = madeType{text: "string", kind: "string"}
				m.rerule(f, param)
			}
			f.options = strings.TrimSuffix(f.options, ",string")
		case 0, 1, 2:
			f.options = strings.TrimSuffix(f.options, ",string")
			m.rerule(f, param || f.place != "")
		case 3:
			if f.place == "" {
				m.reoption(f, param)
			}
		case 4:
			if f.place == "" {
				fields[i] = m.field(f.name, len(method.structs), param)
			}
		case 5:
			if f.typ.kind == "int" && !slices.Contains(f.rules, "minimum") && !slices.Contains(f.rules, "maximum") {
				f.typ.text = m.pick("int8", "int16", "int64", "uint32", "float64", "int")
				if f.rules, f.def = nil, ""; f.typ.text == "float64" {
					f.typ.kind = "float"
				}
			}
		case 6:
			g := m.field(fmt.Sprintf("n%d", len(fields)), len(method.structs), param)
			if m.chance(60) && g.options == "" {
				g.options = ",omitzero"
			}
			if !slices.ContainsFunc(fields, func(f *madeField) bool { return f.name == g.name }) {
				method.structs[s] = append(slices.Clip(fields), g)
			}
		case 7:
			if f.place == "" && len(fields) > 1 {
				method.structs[s] = slices.Delete(fields, i, i+1)
			}
		}
		for _, f := range method.structs[s] {
			if f.nameless || f.place == "path" {
				f.def = ""
			}
		}
	}
	return &method
}

var unionName = regexp.MustCompile(`\bU\b`)

// writeStruct writes a struct in Go.
func writeStruct(b *strings.Builder, name, suffix string, fields []*madeField, body string) {
	fmt.Fprintf(b, "type %s struct {\n", name)
	if body != "" {
		fmt.Fprintf(b, "\tUpload svc.Body `%s`\n", body)
	}
	for _, f := range fields {
		text := f.typ.text
		for k := range 4 {
			text = strings.ReplaceAll(text, fmt.Sprintf("S%d", k), fmt.Sprintf("S%d%s", k, suffix))
		}
		text = unionName.ReplaceAllString(text, "U"+suffix)
		tag := fmt.Sprintf("json:%q", f.name+f.options)
		if f.nameless {
			tag = fmt.Sprintf("json:\"-\" %s:%q", f.place, "X-"+f.name+",omitempty")
		} else if body != "" {
			tag = fmt.Sprintf("json:%q query:%q", f.name+f.options, f.name)
		} else if f.place != "" {
			tag = fmt.Sprintf("json:%q %s:%q", f.name+f.options, f.place, f.name)
		}
		for i := 0; i < len(f.rules); i += 2 {
			tag += fmt.Sprintf(" %s:%q", f.rules[i], f.rules[i+1])
		}
		if f.def != "" {
			tag += fmt.Sprintf(" default:%q", f.def)
		}
		fmt.Fprintf(b, "\t%s %s `%s`\n", strings.ToUpper(f.name), text, tag)
	}
	b.WriteString("}\n\n")
}

const madeHead = `//go:build pairs

package dist

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"

	"example.com/svc"
)

var (
	_ json.Number
	_ netip.Addr
	_ time.Time
)

`

const madeCommon = `//go:build pairs

// Package dist has made-up services, as main has written them.
package dist

import (
	"encoding/json"
	"errors"
)

type Name string

type Colour string

func (Colour) Enum() []Colour { return []Colour{"red", "green", "blue"} }

type Colours string

func (Colours) Enum() []Colours { return []Colours{"red", "green", "blue", "grey"} }

type Level int16

func (Level) Enum() []Level { return []Level{1, 2, 300} }

// Even is a text of even length.
type Even string

func (e Even) MarshalText() ([]byte, error) { return []byte(e), nil }

func (e *Even) UnmarshalText(text []byte) error {
	if len(text)%2 != 0 {
		return errors.New("odd")
	}
	*e = Even(text)
	return nil
}

// Tone is a text with a list of its values.
type Tone int

func (Tone) Enum() []Tone { return []Tone{0, 1} }

func (t Tone) MarshalText() ([]byte, error) { return []byte([]string{"low", "high"}[t]), nil }

func (t *Tone) UnmarshalText(text []byte) error {
	*t = Tone(len(text) - 3)
	return nil
}

// Money is a number of cents.
type Money int

func (m Money) MarshalJSON() ([]byte, error) { return json.Marshal(int(m)) }

func (m *Money) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, (*int)(m)) }
`

// makeServices writes the sources of services: groups of so many methods in so many
// versions. The third version of each is strict.
func makeServices(dir string, groups, methods, versions int, seed uint64) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	m := maker{rand.New(rand.NewPCG(seed, 29))}
	all := madeCommon + "\n// Services are the versions of each service.\nvar Services = [][]func() *svc.Service{\n"
	all = strings.Replace(all, "\"errors\"\n", "\"errors\"\n\n\t\"example.com/svc\"\n", 1)
	for g := range groups {
		base := make([]*madeMethod, methods)
		for i := range base {
			base[i] = m.method(i)
		}
		all += "\t{"
		for v := range versions {
			var b strings.Builder
			b.WriteString(madeHead)
			name := fmt.Sprintf("%dv%d", g, v)
			iface, impl, options := "", "", ""
			for i := range base {
				method := base[i]
				if v > 0 {
					method = m.change(method, m.IntN(4))
				}
				for k, fields := range method.structs {
					suffix := fmt.Sprintf("m%dg%s", i, name)
					body := ""
					if k == 0 {
						body = method.body
					}
					writeStruct(&b, fmt.Sprintf("S%d%s", k, suffix), suffix, fields, body)
				}
				if n := min(method.alternatives, len(method.structs)-1); n > 0 {
					fmt.Fprintf(&b, "type Um%dg%s struct {\n\tType string `json:\"type\" discriminator:\"true\"`\n", i, name)
					for k := range n {
						fmt.Fprintf(&b, "\tA%d *S%dm%dg%s `variant:\"a%d\"`\n", k, k+1, i, name, k)
					}
					b.WriteString("}\n\n")
				}
				iface += fmt.Sprintf("\tMethod%d(context.Context, *S0m%dg%s) error\n", i, i, name)
				impl += fmt.Sprintf("func (impl%s) Method%d(context.Context, *S0m%dg%s) error { return nil }\n", name, i, i, name)
				options += fmt.Sprintf("\t\t\"Method%d\": {HTTP: %q", i, method.route)
				if method.transports == "svc.TransportRPC" {
					options = strings.TrimSuffix(options, fmt.Sprintf("HTTP: %q", method.route)) + "Transports: []svc.Transport{svc.TransportRPC}"
				} else if method.transports != "" {
					options += ", Transports: []svc.Transport{" + method.transports + "}"
				}
				if method.maxBody > 0 {
					options += fmt.Sprintf(", MaxBody: %d", method.maxBody)
				}
				options += "},\n"
				if v > 0 && strings.Contains(method.route, "{") && method.transports != "svc.TransportRPC" && m.chance(40) {
					// A route that takes requests of the method, if its path has the text.
					iface += fmt.Sprintf("\tTaker%d(context.Context) error\n", i)
					impl += fmt.Sprintf("func (impl%s) Taker%d(context.Context) error { return nil }\n", name, i)
					options += fmt.Sprintf("\t\t\"Taker%d\": {HTTP: %q},\n", i, strings.Replace(method.route, "{p0}", m.pick("a", "0", "1", "true", "red", "abc", "1h", "AA=="), 1))
				}
			}
			fmt.Fprintf(&b, "type API%s interface {\n%s}\n\ntype impl%s struct{}\n\n%s\n", name, iface, name, impl)
			fmt.Fprintf(&b, "func service%s() *svc.Service {\n\treturn svc.MustRegister[API%s](impl%s{}, &svc.Options{Resource: \"s\", Strict: %t, Methods: map[string]svc.MethodOptions{\n%s\t}})\n}\n", name, name, name, v == 3, options)
			if err := os.WriteFile(filepath.Join(dir, "service"+name+".go"), []byte(b.String()), 0o666); err != nil {
				return err
			}
			all += "service" + name + ", "
		}
		all += "},\n"
	}
	return os.WriteFile(filepath.Join(dir, "common.go"), []byte(all+"}\n"), 0o666)
}
