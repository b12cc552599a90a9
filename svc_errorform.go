package svc

// This file implements ErrorForm, which replaces the envelope of errors over REST.

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
)

// An ErrorForm is a form of errors over REST that replaces the envelope of [WriteError]. Documents
// show its schema, and clients of [Connect] with the same Options read it. It never changes.
// [NewErrorForm] makes one; the zero value cannot be used.
type ErrorForm struct {
	shape       *shape
	types       []*shape                   // the named shapes in shape
	mistakes    []error                    // in shape, which Register reports
	write       func(*Error) reflect.Value // returns a value of the type of shape, or the zero Value for errors without this form
	read        func(ptr any) *Error       // the other way round; nil for an error without a read
	encode      encodeFunc                 // nil if there are mistakes
	decode      decodeFunc
	others      map[int]*ErrorForm // of For, by status
	statuses    map[Code]int       // of WithStatus
	ruleStatus  map[string]int     // of WithRuleStatus, by rule; wins over statuses
	contentType string
	logger      *slog.Logger // Options.Logger; nil until Register
}

// NewErrorForm returns a form of the struct T. write gets an error as clients may see it: without
// its cause, with a general message for UNKNOWN, INTERNAL and DATA_LOSS, and with the status to
// send as its HTTPStatus. If write returns nil, panics or returns a value that JSON cannot carry,
// that is logged and the client gets the envelope. read turns the form back into an error, for
// clients. It may leave the Code empty, if the form has no code: they get the code of the status,
// as they do if read is nil or returns nil. NewErrorForm panics if write is nil.
func NewErrorForm[T any](write func(*Error) *T, read func(*T) *Error) *ErrorForm {
	if write == nil {
		panic("svc: NewErrorForm: write must not be nil")
	}
	if read == nil {
		read = func(*T) *Error { return nil }
	}
	p, t := &mistakes{where: "Options.ErrorForm"}, reflect.TypeFor[T]()
	s, d, types := compileReader(p, t, asOutput)
	p.addIf(s.kind != kindObject, "%v is not a JSON object; make it a struct", t)
	for _, member := range s.fields {
		p.addIf(member.bound[whereHeader] != "", "%v.%s has a header tag; headers of errors come from Error.WithHeader", t, member.goName)
	}
	f := &ErrorForm{
		shape: s, types: types, mistakes: p.list, statuses: make(map[Code]int), ruleStatus: make(map[string]int), contentType: contentTypeJSON,
		write: func(e *Error) reflect.Value { return reflect.ValueOf(write(e)).Elem() },
		read:  func(ptr any) *Error { return read(ptr.(*T)) },
	}
	if p.list == nil {
		f.encode, f.decode = newEncoders(false).encoderFor(s), d.decoderFor(s)
	}
	return f
}

// WithStatus returns a copy of f that sends status for errors with this code, such as 422 for
// INVALID_ARGUMENT. Errors with their own status keep it. WithStatus panics if code is not the code
// of an error, or if status is not from 400 to 599.
func (f *ErrorForm) WithStatus(code Code, status int) *ErrorForm {
	if !code.isError() || status < 400 || status > 599 {
		panic(fmt.Sprintf("svc: ErrorForm.WithStatus(%q, %d): want the code of an error, and a status from 400 to 599; "+
			"WithRuleStatus takes rules such as syntax", code, status))
	}
	c := *f
	c.statuses = maps.Clone(f.statuses)
	c.statuses[code] = status
	return &c
}

// WithRuleStatus returns a copy of f that sends status for errors with a [Violation] of this rule,
// such as 400 for "syntax". Errors with their own status keep it. The first such violation decides.
// WithRuleStatus panics if rule is empty or a [Code], or if status is not from 400 to 599.
func (f *ErrorForm) WithRuleStatus(rule string, status int) *ErrorForm {
	// The application may define its own rules, so rule cannot be checked against a list.
	if code := Code(rule); rule == "" || code == CodeOK || code.isError() || status < 400 || status > 599 {
		panic(fmt.Sprintf("svc: ErrorForm.WithRuleStatus(%q, %d): want the rule of a violation, such as syntax, and a status from 400 to 599; "+
			"WithStatus takes codes", rule, status))
	}
	c := *f
	c.ruleStatus = maps.Clone(f.ruleStatus)
	c.ruleStatus[rule] = status
	return &c
}

// For returns a copy of f in which errors with this status have the form other, for APIs with several:
//
//	form = form.For(422, svc.NewErrorForm(writeValidation, readValidation))
//
// f alone decides which status an error has, and the events of streams have f. Documents list the
// status in each operation. For panics if status is not from 400 to 599, or if other is nil or has
// statuses or forms of its own.
func (f *ErrorForm) For(status int, other *ErrorForm) *ErrorForm {
	if status < 400 || status > 599 || other == nil || len(other.statuses)+len(other.ruleStatus)+len(other.others) > 0 {
		panic(fmt.Sprintf("svc: ErrorForm.For(%d, …): want a status from 400 to 599, and a form without WithStatus, WithRuleStatus and For, "+
			"which belong to the form that all errors have", status))
	}
	c := *f
	c.others = maps.Clone(f.others)
	if c.others == nil {
		c.others = make(map[int]*ErrorForm)
	}
	c.others[status] = other
	return &c
}

// formFor returns the form of errors with this status. It is nil if f is.
func (f *ErrorForm) formFor(status int) *ErrorForm {
	if f == nil || f.others[status] == nil {
		return f
	}
	return f.others[status]
}

// forms returns f and the forms of For, in the order of their statuses. It is nil if f is.
func (f *ErrorForm) forms() (list []*ErrorForm) {
	if f == nil {
		return nil
	}
	list = []*ErrorForm{f}
	for _, status := range slices.Sorted(maps.Keys(f.others)) {
		list = append(list, f.others[status])
	}
	return list
}

// WithContentType returns a copy of f with the given media type, such as application/problem+json,
// instead of application/json. It panics if mediaType is not a JSON type.
func (f *ErrorForm) WithContentType(mediaType string) *ErrorForm {
	if !isJSONType(mediaType) {
		panic(fmt.Sprintf("svc: ErrorForm.WithContentType(%q): want application/json, or an application type that ends in +json",
			mediaType))
	}
	c := *f
	c.contentType = mediaType
	return &c
}

// Write is an [ErrorWriter] for middleware. It responds in the form f, like REST to an error of a
// method. nil counts as UNKNOWN.
func (f *ErrorForm) Write(w http.ResponseWriter, r *http.Request, err error) {
	leaveUnknown(w, r)
	e := errorOrUnknown(err)
	body, contentType := f.appendBody(nil, e, r)
	writeErrorBody(w, f.statusOf(e), e.header, contentType, body, new(headerValues))
}

// statusOf returns the status of e in this form: its own, else the status of the first violation
// whose rule has one, else the status of its code. A nil form is the envelope.
func (f *ErrorForm) statusOf(e *Error) int {
	if f == nil || e.status != 0 {
		return e.HTTPStatus()
	}
	for _, v := range e.Violations() {
		if status := f.ruleStatus[v.Rule]; status != 0 {
			return status
		}
	}
	return cmp.Or(f.statuses[e.code()], e.HTTPStatus())
}

// appendBody appends e in the form of its status. If f is nil or the application returns nothing for
// e, the body is the envelope; the latter is logged.
func (f *ErrorForm) appendBody(dst []byte, e *Error, r *http.Request) (body []byte, contentType string) {
	status := f.statusOf(e)
	return f.appendAs(f.formFor(status), dst, e, status, r)
}

// appendEvent appends the data of an event with e, which is in the form f whatever its status, since
// an event has none.
func (f *ErrorForm) appendEvent(dst []byte, e *Error, r *http.Request) []byte {
	body, _ := f.appendAs(f, dst, e, f.statusOf(e), r)
	return body
}

// appendAs is appendBody in the form as, which is f or one of its others.
func (f *ErrorForm) appendAs(as *ErrorForm, dst []byte, e *Error, status int, r *http.Request) (body []byte, contentType string) {
	if f != nil {
		body, err := as.encodeError(dst, e, status)
		if err == nil {
			return body, as.contentType
		}
		logError(r.Context(), f.logger, fmt.Errorf("Options.ErrorForm: %w", err), logPlace{request: r})
	}
	return appendEnvelope(dst, e), contentTypeJSON
}

// encodeError appends the value that write returns for e.
func (f *ErrorForm) encodeError(dst []byte, e *Error, status int) (body []byte, err error) {
	defer recoverTo(&err) // write and MarshalJSON are code of the application
	// Pass a new Error without the cause, which the application may change and keep.
	v := f.write(&Error{
		Code: e.code(), Message: e.message(), Details: maps.Clone(e.wireDetails()),
		sentParts: sentParts{reason: e.sentReason(), found: e.found, status: int32(status), header: e.header},
	})
	if !v.IsValid() {
		return nil, errors.New("write returned nil")
	}
	enc := encoder{buf: dst}
	f.encode(&enc, v)
	return enc.buf, enc.err
}

// nestsError reports whether f has a member error, as the envelope does.
func (f *ErrorForm) nestsError() bool {
	return slices.ContainsFunc(f.shape.fields, func(f *field) bool { return f.name == "error" })
}

// readBody returns the error in a body that has the form as, which is f or one of its others, or nil
// if the body does not have it.
func (f *ErrorForm) readBody(as *ErrorForm, d *decoder, status int, text []byte) (e *Error) {
	defer func() { recover() }() // read is code of the application
	v := reflect.New(as.shape.typ)
	if decodeWhole(d, text, v.Elem(), as.decode) != nil {
		return nil
	}
	if e = as.read(v.Interface()); e != nil {
		e = e.clone()
		e.Code = cmp.Or(e.Code, f.codeOf(status))
		return e
	}
	code := f.codeOf(status)
	return &Error{Code: code, Message: codes[code.row()].text}
}

// codeOf returns the code of an error of which only the status is known. WithStatus may have given
// it to a different code than CodeFromHTTP does.
func (f *ErrorForm) codeOf(status int) Code {
	code := CodeFromHTTP(status)
	for _, row := range codes {
		if f.statuses[row.code] == status {
			code = row.code
		}
	}
	return code
}
