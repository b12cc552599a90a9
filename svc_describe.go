package svc

// This file describes a service to programs: Descriptor.

import (
	"slices"
	"strings"
)

// A ServiceDescriptor says what a service has. It is plain data; as JSON its
// names are in lowerCamelCase, and what is absent is left out.
type ServiceDescriptor struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Resources   []Resource `json:"resources"`
	Types       []TypeInfo `json:"types"` // every named type, once, by name
}

// A Resource is a set of methods with one name in front.
type Resource struct {
	Name    string   `json:"name"`
	Methods []Method `json:"methods"`
}

// A Method is one method of a service.
type Method struct {
	Name        string      `json:"name"` // mark_done for MarkDone
	Description string      `json:"description,omitempty"`
	Input       *TypeInfo   `json:"input,omitempty"`  // nil if there is none
	Output      *TypeInfo   `json:"output,omitempty"` // nil if there is none
	HTTP        HTTPBinding `json:"http"`
	Stream      StreamMode  `json:"stream,omitempty"`
}

// A TypeInfo describes a Go type.
type TypeInfo struct {
	Name   string         `json:"name"`   // as in documents; "" for a type without a name
	Kind   string         `json:"kind"`   // of package reflect: "struct", "string"
	Schema map[string]any `json:"schema"` // JSON Schema 2020-12, needing nothing beside it
}

// An HTTPBinding is the REST route of a method.
type HTTPBinding struct {
	Method string `json:"method"`
	Path   string `json:"path"` // with placeholders, as in "/todos/{id}"
}

// Descriptor returns a description of the service, new at each call.
func (s *Service) Descriptor() *ServiceDescriptor {
	d := &ServiceDescriptor{Name: s.name, Description: s.description, Resources: []Resource{}, Types: []TypeInfo{}}
	for _, m := range s.methods {
		i := slices.IndexFunc(d.Resources, func(r Resource) bool { return r.Name == m.resource })
		if i < 0 {
			i = len(d.Resources)
			d.Resources = append(d.Resources, Resource{Name: m.resource})
		}
		d.Resources[i].Methods = append(d.Resources[i].Methods, Method{
			Name:        m.name,
			Description: m.description,
			Input:       s.typeInfo(m.in),
			Output:      s.typeInfo(m.out),
			HTTP:        HTTPBinding{Method: m.method, Path: s.prefix + m.path},
			Stream:      m.stream,
		})
	}
	done := make(map[string]bool)
	for _, t := range s.types {
		if name := s.typeNames[t]; !done[name] {
			done[name] = true
			d.Types = append(d.Types, *s.typeInfo(t))
		}
	}
	slices.SortFunc(d.Types, func(a, b TypeInfo) int { return strings.Compare(a.Name, b.Name) })
	return d
}

func (s *Service) typeInfo(t *shape) *TypeInfo {
	if t == nil {
		return nil
	}
	return &TypeInfo{Name: s.typeNames[t], Kind: t.typ.Kind().String(), Schema: t.schemaMap()}
}
