package svc

// This file handles the field of an output with which a method chooses the status of its response:
//
//	Status int `json:"-" status:"200,201"`
//
// It is not a member of the output. Transports other than REST do not send it.

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A statusField is the plan of such a field.
type statusField struct {
	goName  string
	index   []int // of the Go field
	allowed []int // by the tag, in its order; the first one stands for 0
}

// statusTag is the name of the tag.
const statusTag = "status"

// findStatus returns the plan of the status field of m, or nil if its output has none. status is
// MethodOptions.Status. Fields of structs inside the output are ordinary members.
func (c *methodCompiler) findStatus(m *method, status int) *statusField {
	if m.out == nil || m.out.typ.Kind() != reflect.Struct {
		return nil
	}
	var found *statusField
	for _, sf := range c.statusFields(m.out.typ) {
		text, _ := lookupTag(sf.Tag, statusTag)
		allowed, mistake := parseStatuses(text, m.bare)
		other := ""
		for _, place := range [...]string{"path", "query", "header", "cookie"} {
			if tagText(sf.Tag, place) != "" {
				other = place
			}
		}
		place := fmt.Sprintf("%v.%s", m.out.typ, sf.Name)
		switch {
		case m.stream != "" && !m.either || m.sendsFile():
			mistake = "a stream and a File have the status 200; drop the field"
		case status != 0:
			mistake = "MethodOptions.Status says the status already; drop one of them"
		case found != nil:
			mistake = "the output has two fields with this tag; drop one of them"
		case !sf.IsExported():
			mistake = "the field has no capital letter, so a client cannot set it; rename it"
		case sf.Type.Kind() != reflect.Int || sf.Tag.Get("json") != "-" || other != "":
			mistake = "a status is an int with json:\"-\" and no tag of another place, since it is no member of the output"
		case hasPointer(m.out.typ, sf.Index):
			mistake = "the field is in a pointer, which may be nil; embed the struct by value"
		}
		if c.addIf(mistake != "", "%s: %s:%q: %s", place, statusTag, text, mistake); mistake == "" {
			found = &statusField{goName: sf.Name, index: sf.Index, allowed: allowed}
		}
	}
	return found
}

// statusFields returns the fields of the struct t with the tag. It looks once for each type.
func (c *methodCompiler) statusFields(t reflect.Type) []reflect.StructField {
	list, known := c.statuses[t]
	if !known {
		isOther := func(sf reflect.StructField) bool { _, ok := lookupTag(sf.Tag, statusTag); return !ok }
		list = slices.DeleteFunc(reflect.VisibleFields(t), isOther)
		c.statuses[t] = list
	}
	return list
}

// hasPointer reports whether a field of t with this index is reached by a pointer.
func hasPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// bareStatuses are the statuses of an output that is headers alone, the usual one first.
var bareStatuses = []int{http.StatusNoContent, http.StatusOK, http.StatusCreated, http.StatusAccepted}

// isBare reports whether the body of m's output would be empty: each field is a header with
// json:"-", or the status, and there is at least one.
func (c *methodCompiler) isBare(m *method) bool {
	if m.out == nil || m.out.kind != kindObject || m.out.typ.Kind() != reflect.Struct || m.stream != "" || m.out.alternatives != nil {
		return false
	}
	isMember := func(f *field) bool { return !f.hidden || f.header == "" }
	return !slices.ContainsFunc(m.out.fields, isMember) && (len(m.out.fields) > 0 || len(c.statusFields(m.out.typ)) > 0)
}

// parseStatuses returns the statuses in the text of a tag. It accepts only statuses that fit a
// response with a body, or without one if bare is set, and that need no support by svc (RFC 9110,
// section 15.3).
func parseStatuses(text string, bare bool) (list []int, mistake string) {
	possible, want := []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNonAuthoritativeInfo},
		`200, 201, 202 and 203 with commas between them, such as "200,201"`
	if bare {
		possible, want = bareStatuses, `200, 201, 202 and 204, since the output is headers alone, such as "201,204"`
	}
	for word := range strings.SplitSeq(text, ",") {
		status, _ := strconv.Atoi(word)
		if !slices.Contains(possible, status) || len(word) != 3 || slices.Contains(list, status) {
			return nil, "want different ones of " + want
		}
		list = append(list, status)
	}
	return list, ""
}

// statuses returns the possible statuses of a success of m over REST, the default first.
func (m *method) statuses() []int {
	if m.chosen != nil {
		return m.chosen.allowed
	}
	return []int{m.status}
}

// statusOf returns the status that the output out asks for. It is an error if the tag does not list
// it.
func (f *statusField) statusOf(out any) (int, error) {
	status := int(reflect.ValueOf(out).Elem().FieldByIndex(f.index).Int())
	switch {
	case status == 0:
		return f.allowed[0], nil
	case !slices.Contains(f.allowed, status):
		tag := strings.ReplaceAll(strings.Trim(fmt.Sprint(f.allowed), "[]"), " ", ",")
		return 0, fmt.Errorf("%T has the status %d, which its tag %s:%q does not have", out, status, statusTag, tag)
	}
	return status, nil
}

// set sets the status in the output v, a struct.
func (f *statusField) set(v reflect.Value, status int) { v.FieldByIndex(f.index).SetInt(int64(status)) }
