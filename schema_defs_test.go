package svc

// This file tests schemas that share types by $defs.

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type defsOrder struct {
	Billing  defsAddress            `json:"billing"`
	Shipping *defsAddress           `json:"shipping,omitempty"`
	Lines    []defsLine             `json:"lines"`
	Returned []defsLine             `json:"returned,omitempty" maxItems:"9"`
	ByName   map[string]defsAddress `json:"byName,omitempty"`
	Small    defsSmall              `json:"small,omitzero"`
	Other    defsSmall              `json:"other,omitzero"`
}

type defsAddress struct {
	Name   string `json:"name" doc:"The name of the person or of the company." maxLength:"200"`
	Street string `json:"street" doc:"The street with the number of the house." maxLength:"200"`
	City   string `json:"city" doc:"The city, without its postal code." maxLength:"200"`
	Code   string `json:"code,omitempty" doc:"The postal code, as it is written there." pattern:"^[A-Z0-9 -]+$"`
	Land   string `json:"land" doc:"The country by ISO 3166, in two letters." minLength:"2" maxLength:"2"`
	Mail   string `json:"mail,omitempty" doc:"Where to write to." format:"email"`
	Phone  string `json:"phone,omitempty" doc:"Where to call, with the code of the country."`
	Note   string `json:"note,omitempty" doc:"What the driver should know, such as a gate that is closed at night."`
}

type defsLine struct {
	Sender  defsAddress `json:"sender"`
	From    defsAddress `json:"from,omitzero" doc:"Where it is sent from."`
	Product string      `json:"product" doc:"The number of the product, as it is in the catalog."`
	Count   int         `json:"count" minimum:"1" maximum:"1000"`
}

type defsSmall struct {
	A string `json:"a"`
}

// A defsTree adds a type that contains itself.
type defsTree struct {
	Order defsOrder  `json:"order"`
	Kids  []defsTree `json:"kids,omitempty"`
}

// defsUses are the forms of schemas with $defs.
var defsUses = []struct {
	name   string
	writer schemaWriter
}{{"document", schemaWriter{}}, {"input", schemaWriter{use: forToolInput}}, {"output", schemaWriter{use: forToolOutput}}}

func defsShape(t *testing.T, typ reflect.Type) *shape {
	t.Helper()
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(typ, typ.String())
	c.finishShapes()
	for _, err := range p.list {
		t.Fatal(err)
	}
	return s
}

// Verify by eye a schema of more than 4 KiB: testdata/schema/defs.json.
func TestDefsGolden(t *testing.T) {
	text := appendBundle(nil, defsShape(t, reflect.TypeFor[defsOrder]()), schemaWriter{use: forToolInput})
	plain := forToolInput.appendFor(nil, (&schemaWriter{use: forToolInput}).appendShape(nil, defsShape(t, reflect.TypeFor[defsOrder]())))
	if len(plain) <= maxWrittenOut || len(text) >= len(plain) {
		t.Errorf("written out it has %d bytes, and %d with $defs", len(plain), len(text))
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "\t"); err != nil {
		t.Fatal(err)
	}
	indented.WriteByte('\n')
	golden(t, "schema/defs.json", indented.Bytes())
}

// Verify $defs against the plain thing: with each $ref replaced by what it refers to, the schema
// is the one that is written out. Each type under $defs is used, and small ones are not there.
func TestDefsAgree(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[defsOrder](), reflect.TypeFor[[]defsOrder](), reflect.TypeFor[defsLine](),
		reflect.TypeFor[defsAddress]()} {
		for _, use := range defsUses {
			t.Run(typ.String()+" "+use.name, func(t *testing.T) {
				var got, want map[string]any
				s, plain := defsShape(t, typ), use.writer
				if err := json.Unmarshal(appendBundle(nil, s, use.writer), &got); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(plain.use.appendFor(nil, plain.appendShape(nil, s)), &want); err != nil {
					t.Fatal(err)
				}
				defs, _ := got["$defs"].(map[string]any)
				delete(got, "$defs")
				used := make(map[string]bool)
				if expanded := expandRefs(t, got, defs, used); !reflect.DeepEqual(expanded, any(want)) {
					t.Errorf("got %v\nwant %v", expanded, want)
				}
				if len(used) != len(defs) {
					t.Errorf("%d types are used of %d", len(used), len(defs))
				}
				if strings.HasSuffix(typ.String(), "defsOrder") && use.name == "input" && len(defs) == 0 {
					t.Error("nothing is shared")
				}
			})
		}
	}
	for _, use := range defsUses {
		var schema map[string]any
		json.Unmarshal(appendBundle(nil, defsShape(t, reflect.TypeFor[defsTree]()), use.writer), &schema)
		used := make(map[string]bool)
		resolveRefs(t, schema, schema["$defs"].(map[string]any), used)
		if len(used) != len(schema["$defs"].(map[string]any)) || len(used) == 0 {
			t.Errorf("%s: of %d recursive types %d are used", use.name, len(schema["$defs"].(map[string]any)), len(used))
		}
	}
}

// expandRefs returns v with each $ref replaced. What is beside a $ref wins over the same keyword in
// what it refers to, as a description does.
func expandRefs(t *testing.T, v any, defs map[string]any, used map[string]bool) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = expandRefs(t, v[i], defs, used)
		}
		return out
	case map[string]any:
		out := make(map[string]any)
		if ref, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, defsPrefix)
			target, found := defs[name].(map[string]any)
			if !found {
				t.Fatalf("%s leads nowhere", ref)
			}
			used[name] = true
			out = expandRefs(t, target, defs, used).(map[string]any)
		}
		for name, value := range v {
			if name != "$ref" {
				out[name] = expandRefs(t, value, defs, used)
			}
		}
		return out
	}
	return v
}

// resolveRefs looks each $ref up.
func resolveRefs(t *testing.T, v any, defs map[string]any, used map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			resolveRefs(t, item, defs, used)
		}
	case map[string]any:
		for name, value := range v {
			if ref, ok := value.(string); ok && name == "$ref" {
				def := strings.TrimPrefix(ref, defsPrefix)
				if used[def] = true; defs[def] == nil {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			resolveRefs(t, value, defs, used)
		}
	}
}
