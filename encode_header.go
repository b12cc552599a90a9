package svc

// This file writes the fields of an output that are headers of its response.

import (
	"encoding"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// outputHeaders is the plan of an output that has fields with a header tag, for
// REST: the fields become headers of the response, and the others its body. Only
// the fields of the output itself are headers. Inside another type, in a stream and
// on other transports they are members.
//
// Invariants:
//
//	fields has at least one field, each with a different canonical name
//	body and fields are disjoint, and together hold all fields of the type
type outputHeaders struct {
	fields []outputHeader
	body   *shape     // the output with the fields that stay in the body
	encode encodeFunc // of the body

	exposed string // appended to corsExposed for pages of other origins; or ""
}

// An outputHeader is the plan of one field that is a header. The header is left out of the
// response if omits reports true, if the field is null, and if it is an empty list.
type outputHeader struct {
	memberEncoder
	canonical string // the name in canonical form, as http.Header has it
	shape     *shape // of one value, which encode is for
	list      bool   // each element is a value
}

// compileHeaders returns the plan of the headers of an output, or nil if it has no field with a
// header tag.
func (c *encoders) compileHeaders(p *mistakes, s *shape) *outputHeaders {
	var fields []outputHeader
	for _, f := range s.fields {
		if tagText(f.tag, "cookie") != "" { // for addIf the place would be allocated
			p.addf("%s: a cookie tag is for inputs; an output sets cookies by a field with the tag `header:\"Set-Cookie\"`", f.place)
		}
		if f.bound[whereHeader] == "" {
			continue
		}
		h := c.outputHeader(p, f)
		if i := slices.IndexFunc(fields, func(other outputHeader) bool { return other.canonical == h.canonical }); i >= 0 {
			p.addf("%s: %s takes the header %s too; drop one of them, or make it a list", f.place, fields[i].field.goName, h.canonical)
		}
		fields = append(fields, h)
	}
	if fields == nil || !p.isSound(s) {
		return nil
	}
	body := s.withFields(slices.DeleteFunc(slices.Clone(s.fields), func(f *field) bool { return f.bound[whereHeader] != "" }))
	return &outputHeaders{fields: fields, body: body, encode: c.objectEncoder(body), exposed: listExposed(fields)}
}

// listExposed returns the headers in fields that pages of other origins can read only if they are
// named, each behind a comma. Browsers hide Set-Cookie whatever is named (Fetch, forbidden
// response-header name).
func listExposed(fields []outputHeader) string {
	list := ""
	for _, h := range fields {
		isKnown := func(name string) bool { return strings.EqualFold(name, h.canonical) }
		known := slices.ContainsFunc(strings.Split(corsExposed, ", "), isKnown) || slices.ContainsFunc(corsReadable, isKnown)
		if !known && h.canonical != "Set-Cookie" {
			list += ", " + h.bound[whereHeader]
		}
	}
	return list
}

// outputHeader returns the plan of f. A field with json:"-" counts as optional, because its tag
// cannot say so.
func (c *encoders) outputHeader(p *mistakes, f *field) outputHeader {
	h := outputHeader{canonical: http.CanonicalHeaderKey(f.bound[whereHeader]), shape: f.shape.deref()}
	sound := p.isSound(f.shape)
	if sound {
		h.memberEncoder = c.memberEncoder(f)
	}
	h.field = f
	if h.omits == nil && (f.hidden || f.optional) {
		h.omits = reflect.Value.IsZero
	}
	if h.shape.kind == kindSlice && h.shape.elem.kind == kindString {
		h.list, h.shape = true, h.shape.elem
	}
	if sound && h.shape.kind.isScalar() {
		h.encode = c.encoderFor(h.shape)
	}
	if h.isETag() {
		p.checkCarried(f, "ETag", func(text string) bool { return isHeaderValue(text) && isEntityTag(text) })
	} else {
		p.checkCarried(f, "header", isHeaderValue)
	}
	switch {
	case !isToken(f.bound[whereHeader]):
		p.addf("%s: header:%q: want the name of a header, in letters, digits and dashes", f.place, f.bound[whereHeader])
	case h.canonical == "Content-Type":
		p.addf("%s: header:%q: svc sets it by the option ContentType of the method or the service; drop the field", f.place, f.bound[whereHeader])
	case !isResponseHeader(h.canonical):
		p.addf("%s: header:%q: svc, the server or CORS sets this header of responses; choose another name", f.place, f.bound[whereHeader])
	case !sound:
	case f.shape.kind == kindOptional:
		p.addf("%s: a header has no null; give the field the type %v, and header:%q with json:\"-\"", f.place, h.shape.typ, f.bound[whereHeader])
	case !h.shape.kind.isScalar():
		p.addf("%s: the type %v cannot be a header of a response, which is a scalar or a list of strings", f.place, f.shape.typ)
	case h.isETag() && (h.list || h.shape.kind != kindString && h.shape.kind != kindText):
		p.addf("%s: an ETag is one text in quotation marks, such as \"1\" with them; give the field the type string", f.place)
	}
	return h
}

// isSent reports whether every response has the header.
func (h *outputHeader) isSent() bool {
	return !h.optional && h.omits == nil && !h.list && h.field.shape == h.shape
}

// isETag reports whether the header is an entity tag (RFC 9110, section 8.8.3).
func (h *outputHeader) isETag() bool { return h.canonical == "Etag" }

// encodeHeader returns the headers of the output v, or an error for a value that a header cannot
// carry: net/http would send a different text, and CR and LF would start a new header.
func (o *outputHeaders) encodeHeader(v reflect.Value) (http.Header, error) {
	// The errors do not quote the texts, which may be secret: the errors are logged.
	header := make(http.Header, len(o.fields))
	for i := range o.fields {
		h := &o.fields[i]
		values, err := h.valuesIn(v)
		for _, text := range values {
			if !isHeaderValue(text) {
				err = errors.New("the text has characters that no header can hold, or spaces around it")
			} else if h.isETag() && !isEntityTag(text) {
				err = errors.New("the text is not an entity tag, which is in quotation marks")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("the header %s of the output: %w", h.canonical, err)
		}
		if len(values) > 0 {
			header[h.canonical] = values
		}
	}
	return header, nil
}

// valuesIn returns the values of the header in the output v.
func (h *outputHeader) valuesIn(v reflect.Value) ([]string, error) {
	value, ok := h.valueIn(v)
	if !ok || h.omits != nil && h.omits(value) {
		return nil, nil
	}
	if value, ok = notNull(value); !ok {
		return nil, nil
	}
	if !h.list {
		text, err := h.textOf(value)
		return []string{text}, err
	}
	values := make([]string, value.Len())
	for i := range values {
		values[i] = value.Index(i).String()
	}
	return values, nil
}

// textOf returns the text of one value: its JSON without the quotes. A time is an HTTP-date (RFC
// 9110, section 5.6.7), and a duration spells µs as us.
func (h *outputHeader) textOf(v reflect.Value) (string, error) {
	switch h.shape.kind {
	case kindString:
		return v.String(), nil
	case kindText:
		text, err := v.Addr().Interface().(encoding.TextMarshaler).MarshalText()
		return string(text), err
	case kindTime:
		t := v.Interface().(time.Time).UTC()
		if year := t.Year(); year < 0 || year > 9999 {
			return "", errors.New("a date has a year of four digits")
		}
		return t.Format(http.TimeFormat), nil
	case kindDuration:
		return strings.Replace(time.Duration(v.Int()).String(), "µ", "u", 1), nil
	}
	var e encoder
	h.encode(&e, v)
	return strings.Trim(string(e.buf), `"`), e.err
}
