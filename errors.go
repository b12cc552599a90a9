package svc

// This file says what went wrong, in every dialect: the codes and the one
// table that maps them, Error, and the violations of an input. errors_http.go
// writes errors as responses and turns panics into errors.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Code says what kind of mistake an [Error] is. The names are those of
// google.rpc.Code, spelt as they appear on the wire. An empty or unknown Code,
// and OK, count as UNKNOWN wherever an error is written.
type Code string

const (
	CodeOK                 Code = "OK"                  // no error; see [CodeOf]
	CodeCanceled           Code = "CANCELED"            // the caller has gone
	CodeUnknown            Code = "UNKNOWN"             // nothing is known of the cause
	CodeInvalidArgument    Code = "INVALID_ARGUMENT"    // the input is wrong whatever the state
	CodeDeadlineExceeded   Code = "DEADLINE_EXCEEDED"   // it took too long
	CodeNotFound           Code = "NOT_FOUND"           // what the call names is not there
	CodeAlreadyExists      Code = "ALREADY_EXISTS"      // what the call makes is there already
	CodePermissionDenied   Code = "PERMISSION_DENIED"   // the caller is known and may not
	CodeResourceExhausted  Code = "RESOURCE_EXHAUSTED"  // a quota, a limit, a rate
	CodeFailedPrecondition Code = "FAILED_PRECONDITION" // the state forbids it; trying again will not help
	CodeAborted            Code = "ABORTED"             // a conflict; trying again may help
	CodeOutOfRange         Code = "OUT_OF_RANGE"        // past the end of what there is
	CodeUnimplemented      Code = "UNIMPLEMENTED"       // there is no such method
	CodeInternal           Code = "INTERNAL"            // the server is at fault
	CodeUnavailable        Code = "UNAVAILABLE"         // the server cannot just now; try again
	CodeDataLoss           Code = "DATA_LOSS"           // data is lost or damaged
	CodeUnauthenticated    Code = "UNAUTHENTICATED"     // who the caller is, is not known
)

// statusClientClosedRequest is the status of a CANCELED call. It is not
// registered; nginx made it usual.
const statusClientClosedRequest = 499

// codes is the only statement of how a Code is written on each transport.
// Unlisted codes are written as the first row.
var codes = [...]struct {
	code Code
	http int
	rpc  int    // JSON-RPC 2.0, section 5.1 where it has one, else -32000 minus the gRPC number
	text string // what a client is told where Message is empty or must not be told
}{
	{CodeUnknown, http.StatusInternalServerError, -32002, "unknown error"},
	{CodeCanceled, statusClientClosedRequest, -32001, "the call was canceled"},
	{CodeInvalidArgument, http.StatusBadRequest, -32602, "invalid input"},
	{CodeDeadlineExceeded, http.StatusGatewayTimeout, -32004, "the call took too long"},
	{CodeNotFound, http.StatusNotFound, -32005, "not found"},
	{CodeAlreadyExists, http.StatusConflict, -32006, "already exists"},
	{CodePermissionDenied, http.StatusForbidden, -32007, "permission denied"},
	{CodeResourceExhausted, http.StatusTooManyRequests, -32008, "a limit is reached"},
	{CodeFailedPrecondition, http.StatusBadRequest, -32009, "not possible in this state"},
	{CodeAborted, http.StatusConflict, -32010, "aborted by a conflict"},
	{CodeOutOfRange, http.StatusBadRequest, -32011, "out of range"},
	{CodeUnimplemented, http.StatusNotImplemented, -32012, "not implemented"},
	{CodeInternal, http.StatusInternalServerError, -32603, "internal error"},
	{CodeUnavailable, http.StatusServiceUnavailable, -32014, "unavailable"},
	{CodeDataLoss, http.StatusInternalServerError, -32015, "data loss"},
	{CodeUnauthenticated, http.StatusUnauthorized, -32016, "unauthenticated"},
}

// row returns the index of c in codes.
func (c Code) row() int {
	for i := range codes {
		if codes[i].code == c {
			return i
		}
	}
	return 0
}

// private reports whether the message of an error with this code is for the
// log only: these say that the server is at fault, and such texts tend to hold
// what a client should not see.
func (c Code) private() bool {
	return c == CodeUnknown || c == CodeInternal || c == CodeDataLoss
}

// CodeFromHTTP returns the code that fits the status of an HTTP response, for
// handlers that pass on what another server said. 2xx gives OK; a status that
// has no code of its own gives INVALID_ARGUMENT below 500 and UNKNOWN
// elsewhere.
func CodeFromHTTP(status int) Code {
	switch status {
	case http.StatusUnauthorized:
		return CodeUnauthenticated
	case http.StatusForbidden:
		return CodePermissionDenied
	case http.StatusNotFound:
		return CodeNotFound
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return CodeUnimplemented
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return CodeDeadlineExceeded
	case http.StatusConflict:
		return CodeAlreadyExists
	case http.StatusPreconditionFailed:
		return CodeFailedPrecondition
	case http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return CodeResourceExhausted
	case http.StatusRequestedRangeNotSatisfiable:
		return CodeOutOfRange
	case statusClientClosedRequest:
		return CodeCanceled
	case http.StatusInternalServerError:
		return CodeInternal
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return CodeUnavailable
	}
	switch status / 100 {
	case 2:
		return CodeOK
	case 4:
		return CodeInvalidArgument
	}
	return CodeUnknown
}

// An Error is what a method returns to tell its caller what went wrong: the
// same code, message and details on every transport.
//
// Clients see Code, Details, and Message, except that for UNKNOWN, INTERNAL
// and DATA_LOSS a general text takes the place of Message. The cause, given by
// [Errorf] or [Error.WithCause], is for errors.Is, errors.As and the log;
// clients never see it.
type Error struct {
	Code    Code
	Message string
	Details map[string]any // as JSON; nil or empty is left out

	cause      error
	violations []Violation // to be written as the detail "violations"; see decoder.lean
	status     int         // of a fault of the HTTP exchange itself; 0 means by Code
	number     int         // of a fault of the JSON-RPC exchange itself; 0 means by Code
	origin     *Error      // what the With methods copied, for errors.Is
}

// Errorf returns an error with a formatted message. An error formatted with %w
// is the cause: errors.Is and errors.As find it, the log shows it, and Message
// leaves its text out, since clients see Message. (With %v the text goes into
// Message, by your choice.)
func Errorf(code Code, format string, args ...any) *Error {
	message, cause := formatMessage(format, args)
	return &Error{Code: code, Message: message, cause: cause}
}

// formatMessage formats like fmt.Errorf, but with nothing in the place of each
// error given to %w, and returns those errors.
func formatMessage(format string, args []any) (string, error) {
	if !strings.Contains(format, "%") {
		return format, nil
	}
	// fmt knows which arguments %w takes; an operand in place of each error
	// learns it from what Unwrap returns.
	wrapped := make([]any, len(args))
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			arg = &operand{error: err}
		}
		wrapped[i] = arg
	}
	var causes []error
	var found []error
	switch err := fmt.Errorf(format, wrapped...).(type) {
	case interface{ Unwrap() error }:
		found = []error{err.Unwrap()}
	case interface{ Unwrap() []error }:
		found = err.Unwrap()
	}
	for _, err := range found {
		op := err.(*operand)
		op.hidden = true
		causes = append(causes, op.error)
	}
	for i, arg := range wrapped {
		if op, ok := arg.(*operand); ok && !op.hidden {
			wrapped[i] = op.error
		}
	}
	message := fmt.Errorf(format, wrapped...).Error()
	switch len(causes) {
	case 0:
		return message, nil
	case 1:
		return strings.Trim(message, ": "), causes[0]
	}
	return strings.Trim(message, ": "), errors.Join(causes...)
}

// An operand stands for an error while a message is formatted.
type operand struct {
	error
	hidden bool
}

func (o *operand) Format(fmt.State, rune) {}

// Error returns code, message and cause, for logs. Clients get the message
// alone.
func (e *Error) Error() string {
	if e == nil {
		return errNil.Error()
	}
	text := string(e.code())
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// Is reports whether target is the error that e was made from by the With
// methods, so that errors.Is works with errors kept in package variables.
func (e *Error) Is(target error) bool {
	return e != nil && e.origin != nil && target == error(e.origin)
}

// HTTPStatus returns the status of a response that carries e, by its code.
func (e *Error) HTTPStatus() int {
	if e.status != 0 {
		return e.status
	}
	return codes[e.Code.row()].http
}

// RPCCode returns the number of a JSON-RPC error object that carries e.
func (e *Error) RPCCode() int {
	if e.number != 0 {
		return e.number
	}
	return codes[e.Code.row()].rpc
}

// WithDetail returns a copy of e with one more detail. Errors are often package
// variables, so e itself is never changed.
func (e *Error) WithDetail(key string, value any) *Error {
	return e.WithDetails(map[string]any{key: value})
}

// WithDetails returns a copy of e with more details; a key that is there
// already gets the new value.
func (e *Error) WithDetails(details map[string]any) *Error {
	c := e.copy()
	c.Details = make(map[string]any, len(e.Details)+len(details))
	maps.Copy(c.Details, e.Details)
	maps.Copy(c.Details, details)
	return c
}

// WithCause returns a copy of e with err as its cause.
func (e *Error) WithCause(err error) *Error {
	c := e.copy()
	c.cause = err
	return c
}

func (e *Error) copy() *Error {
	c := *e
	if c.origin == nil {
		c.origin = e
	}
	return &c
}

// code returns the code as clients see it.
func (e *Error) code() Code { return codes[e.Code.row()].code }

// message returns the text as clients see it.
func (e *Error) message() string {
	if e.Message == "" || e.code().private() {
		return codes[e.Code.row()].text
	}
	return e.Message
}

var errNil = errors.New("an error that is a nil *svc.Error")

// ErrorFrom returns the *Error that tells clients of err: the outermost one in
// err's tree if there is one; CANCELED or DEADLINE_EXCEEDED for the errors of
// package context; RESOURCE_EXHAUSTED with status 413 for that of
// http.MaxBytesReader; and for any other error INTERNAL, with err as its cause.
// It returns nil for nil.
func ErrorFrom(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok && e != nil {
		return e // as errors.As would find, which allocates
	}
	var e *Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &e):
		if e != nil {
			return e
		}
		// A nil *Error in an error interface is a mistake of the method's.
		return &Error{Code: CodeInternal, cause: errNil}
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeCanceled, cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeDeadlineExceeded, cause: err}
	case errors.As(err, &tooLarge):
		return &Error{
			Code:    CodeResourceExhausted,
			Message: fmt.Sprintf("the request body has more than %d bytes", tooLarge.Limit),
			cause:   err,
			status:  http.StatusRequestEntityTooLarge,
		}
	}
	return &Error{Code: CodeInternal, cause: err}
}

// CodeOf returns the code of the error that [ErrorFrom] finds, and OK for nil.
func CodeOf(err error) Code {
	if err == nil {
		return CodeOK
	}
	return ErrorFrom(err).code()
}

// A Violation is one reason why an input was refused. An INVALID_ARGUMENT error
// carries all of them, at most 32, in its details as "violations".
type Violation struct {
	In      string `json:"in"`      // "path", "query", "header" or "body": where the REST route takes the field from
	Path    string `json:"path"`    // a JSON Pointer (RFC 6901) to the place; empty for the whole
	Rule    string `json:"rule"`    // what was broken: "required", "type", "range" or the name of a constraint
	Message string `json:"message"` // for people; never quotes what the client sent
}

// The rules that are neither of JSON text nor named after a constraint tag.
const (
	ruleRequired = "required"
	ruleType     = "type"
	ruleRange    = "range"    // outside what the Go type holds
	ruleUnknown  = "unknown"  // a property that is not declared, under Strict
	ruleValidate = "validate" // an application's Validate method
)

// A complaint is what a violation says, without its place.
type complaint struct{ rule, message string }

// Limits on what one error may tell: a client that sends thousands of mistakes
// must not get a page for each. With the message, which repeats the first
// violation and in which every byte may need an escape of six, no error has more
// than 16 KiB.
const (
	maxViolations     = 32
	maxViolationBytes = 11 << 10 // of all violations, as JSON
	maxViolationPath  = 256      // bytes
	maxViolationText  = 512      // bytes
)

// violations collects the mistakes of one input, within the limits.
type violations struct {
	list    []Violation
	bytes   int   // what the list takes as JSON, at most
	omitted int   // how many did not fit
	cause   error // the first that an application gave, for the log
}

// addViolation keeps v if there is room.
func (vs *violations) addViolation(v Violation) {
	if vs.full() {
		vs.omitted++
		return
	}
	v.Path = clip(v.Path, maxViolationPath)
	v.Message = clip(v.Message, maxViolationText)
	n := v.frameLen() + len(`\u0000`)*(len(v.Path)+len(v.Message)) // where every byte is escaped
	if vs.bytes+n > maxViolationBytes {
		vs.bytes, n = 0, v.jsonLen()
		for i := range vs.list {
			vs.bytes += vs.list[i].jsonLen()
		}
	}
	if vs.bytes+n > maxViolationBytes {
		vs.omitted++
		return
	}
	vs.bytes += n
	if vs.list == nil {
		vs.list = make([]Violation, 0, 4)
	}
	vs.list = append(vs.list, v)
}

// jsonLen returns what v takes as JSON in a list.
func (v *Violation) jsonLen() int {
	return v.frameLen() + quotedLen(v.Path) + quotedLen(v.Message)
}

// frameLen returns what v takes without its path and message.
func (v *Violation) frameLen() int {
	return len(`{"in":"","path":"","rule":"","message":""},`) + len(v.In) + len(v.Rule)
}

// full reports whether nothing more is kept: where one did not fit, none after
// it does, or the place of each of 100,000 mistakes would be written to see
// whether it is short enough.
func (vs *violations) full() bool { return vs.omitted > 0 || len(vs.list) == maxViolations }

// count returns how many mistakes there were, kept or not.
func (vs *violations) count() int { return len(vs.list) + vs.omitted }

// makeError returns the error that carries the violations in its details, or nil if
// there are none.
func (vs *violations) makeError() error {
	if len(vs.list) == 0 {
		return nil
	}
	e := vs.makeLeanError()
	e.violations, e.Details = nil, map[string]any{"violations": vs.list}
	return e
}

// makeLeanError returns the error that carries the violations where only svc looks for
// them: the map of the details costs more than all the rest. There must be one.
func (vs *violations) makeLeanError() *Error {
	first := &vs.list[0]
	var buf [maxViolationPath + maxViolationText + 64]byte
	message := append(append(buf[:0], codes[CodeInvalidArgument.row()].text...), ": "...)
	if first.Path != "" {
		message = append(append(message, first.Path...), ' ')
	}
	message = append(message, first.Message...)
	if n := vs.count() - 1; n > 0 {
		message = append(strconv.AppendInt(append(message, " (and "...), int64(n), 10), " more)"...)
	}
	return &Error{
		Code:       CodeInvalidArgument,
		Message:    string(message),
		violations: vs.list,
		cause:      vs.cause,
	}
}

// clip shortens s to at most n bytes, on a character boundary.
func clip(s string, n int) string {
	const ellipsis = "…"
	if len(s) <= n {
		return s
	}
	n -= len(ellipsis)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ellipsis
}

// appendDetails appends the member "details" with a comma before it, or
// nothing if there are none.
func appendDetails(dst []byte, e *Error) []byte {
	if e.violations != nil {
		dst, _ = appendDetail(append(dst, `,"details":{"violations":`...), e.violations)
		return append(dst, '}')
	}
	if len(e.Details) == 0 {
		return dst
	}
	return appendDetailsObject(append(dst, `,"details":`...), e.Details)
}

// appendDetailsObject appends details in the order of their names. A value that
// JSON cannot carry is left out: the rest is worth more than none.
func appendDetailsObject(dst []byte, details map[string]any) []byte {
	var few [4]string
	names := few[:0]
	for name := range details {
		names = append(names, name)
	}
	slices.Sort(names)
	dst = append(dst, '{')
	start := len(dst)
	for _, name := range names {
		before := len(dst)
		if before > start {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, name), ':')
		var ok bool
		if dst, ok = appendDetail(dst, details[name]); !ok {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

func appendDetail(dst []byte, value any) ([]byte, bool) {
	switch v := value.(type) {
	case []Violation:
		dst = append(dst, '[')
		for i := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendViolation(dst, &v[i])
		}
		return append(dst, ']'), true
	case string:
		return appendQuoted(dst, v), true
	}
	text, ok := marshalDetail(value)
	return append(dst, text...), ok
}

// marshalDetail returns the JSON of a detail, if it has any. A MarshalJSON that
// panics has none: an error is told when something has gone wrong already.
func marshalDetail(value any) (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = nil, false
		}
	}()
	text, err := json.Marshal(value)
	return text, err == nil
}

func appendViolation(dst []byte, v *Violation) []byte {
	dst = appendQuoted(append(dst, `{"in":`...), v.In)
	dst = appendQuoted(append(dst, `,"path":`...), v.Path)
	dst = appendQuoted(append(dst, `,"rule":`...), v.Rule)
	dst = appendQuoted(append(dst, `,"message":`...), v.Message)
	return append(dst, '}')
}
