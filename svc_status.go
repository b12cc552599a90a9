package svc

// This file decides the status of a success: one for each kind of answer, one of the options, or
// that of a field of the output with which a method chooses:
//
//	Status int `json:"-" status:"200,201"`
//
// It is not a member of the output. Transports other than REST do not send it.

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A success is a kind of answer. Statuses that are not in statuses do not mean success, or require
// headers or a body that svc does not send (RFC 9110, section 15.3).
type success struct {
	name     string // for mistakes
	statuses []int  // that it can have, the usual one first
	tag      string // what a tag status is like, for mistakes
}

// success returns the kind of the answer of m.
func (m *method) success() success {
	switch {
	case m.bare:
		return success{"an output of headers alone", []int{http.StatusNoContent, http.StatusOK, http.StatusCreated, http.StatusAccepted},
			`, since the output is headers alone, such as "201,204"`}
	case m.out == nil:
		return success{"no output", []int{http.StatusNoContent, http.StatusOK, http.StatusAccepted, http.StatusResetContent}, ""}
	case m.stream != "" && !m.either:
		return success{"a stream", []int{http.StatusOK}, ""}
	case m.sendsFile():
		return success{"a File", []int{http.StatusOK}, ""}
	}
	return success{"an output", []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNonAuthoritativeInfo},
		` with commas between them, such as "200,201"`}
}

// sorted returns the statuses in their order.
func (s success) sorted() []int { return slices.Sorted(slices.Values(s.statuses)) }

// setStatus sets the status of a success of m: that of the options, or else the first that the tag
// of the output lists, or the usual one.
func (c *methodCompiler) setStatus(m *method, status int) {
	kind := m.success()
	if status != 0 && !slices.Contains(kind.statuses, status) { // addIf would allocate for each method
		c.addf("MethodOptions.Status is %d; a method with %s can have one of %v", status, kind.name, kind.sorted())
	}
	usual := kind.statuses
	if m.chosen = c.findStatus(m, status, kind); m.chosen != nil {
		usual = m.chosen.allowed
	}
	m.status = cmp.Or(status, usual[0])
}

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
func (c *methodCompiler) findStatus(m *method, status int, kind success) *statusField {
	if m.out == nil || m.out.typ.Kind() != reflect.Struct {
		return nil
	}
	var found *statusField
	for _, sf := range c.statusFields(m.out.typ) {
		text, _ := lookupTag(sf.Tag, statusTag)
		allowed, mistake := kind.parseStatuses(text)
		other := ""
		for _, place := range whereTags() {
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

// isBare reports whether the body of m's output would be empty: each field is a header with
// json:"-", or the status, and there is at least one.
func (c *methodCompiler) isBare(m *method) bool {
	if m.out == nil || m.out.kind != kindObject || m.out.typ.Kind() != reflect.Struct || m.stream != "" || m.out.alternatives != nil {
		return false
	}
	isMember := func(f *field) bool { return !f.hidden || f.bound[whereHeader] == "" }
	return !slices.ContainsFunc(m.out.fields, isMember) && (len(m.out.fields) > 0 || len(c.statusFields(m.out.typ)) > 0)
}

// parseStatuses returns the statuses in the text of a tag.
func (s success) parseStatuses(text string) (list []int, mistake string) {
	for word := range strings.SplitSeq(text, ",") {
		status, _ := strconv.Atoi(word)
		if !slices.Contains(s.statuses, status) || len(word) != 3 || slices.Contains(list, status) {
			want := strings.Trim(fmt.Sprint(s.sorted()), "[]")
			last := max(0, strings.LastIndexByte(want, ' '))
			return nil, "want different ones of " + strings.ReplaceAll(want[:last], " ", ", ") + " and" + want[last:] + s.tag
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
