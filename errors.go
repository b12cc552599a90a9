package svc

// This file has the errors that clients get, on every transport. In this order:
//
//   - Code, and the table of each code's form on each transport
//   - Error: making one, what clients see of it, ErrorFrom
//   - reasons, which tell the errors of one code apart
//   - PanicError, and the recovery of panics
//   - Violation, and the list that collects the violations of one input within limits; errors_complaints.go has the messages
//   - the details of an error as JSON; http.go and the transports frame them
//   - the mistakes of a registration, in the interface, the types and the options

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Code is the kind of an [Error]. Its text is the name in google.rpc.Code, and is sent unchanged.
// doc/codes.md lists the status and the number of each code. An error with the zero value, OK or
// any other name is sent as UNKNOWN.
type Code string

const (
	CodeOK                 Code = "OK"                  // no error; see [CodeOf]
	CodeCanceled           Code = "CANCELED"            // the client has disconnected
	CodeUnknown            Code = "UNKNOWN"             // the cause is unknown
	CodeInvalidArgument    Code = "INVALID_ARGUMENT"    // the input is wrong, whatever the state of the server
	CodeDeadlineExceeded   Code = "DEADLINE_EXCEEDED"   // the call took too long
	CodeNotFound           Code = "NOT_FOUND"           // the call names something that does not exist
	CodeAlreadyExists      Code = "ALREADY_EXISTS"      // the call creates something that exists
	CodePermissionDenied   Code = "PERMISSION_DENIED"   // the caller is known and lacks permission
	CodeResourceExhausted  Code = "RESOURCE_EXHAUSTED"  // a quota, a size or a rate is used up
	CodeFailedPrecondition Code = "FAILED_PRECONDITION" // the state forbids the call; trying again does not help
	CodeAborted            Code = "ABORTED"             // a conflict with a concurrent call; trying again may help
	CodeOutOfRange         Code = "OUT_OF_RANGE"        // the call asks for something past the end
	CodeUnimplemented      Code = "UNIMPLEMENTED"       // the method does not exist
	CodeInternal           Code = "INTERNAL"            // a bug in the server
	CodeUnavailable        Code = "UNAVAILABLE"         // the server cannot answer now; try again
	CodeDataLoss           Code = "DATA_LOSS"           // data is lost or damaged
	CodeUnauthenticated    Code = "UNAUTHENTICATED"     // the caller is not known
)

// codes is the only definition of each Code's form on each transport. A code that is not listed is
// written as the first row.
//
// http is the status of google/rpc/code.proto, except that FAILED_PRECONDITION is not 412, which
// concerns conditions in the headers of a request (RFC 9110, section 15.5.13). rpc is the number of
// JSON-RPC 2.0, section 5.1, if it defines one. The others are -32000 minus the number of the code
// in gRPC, in the range that section 5.1 leaves to servers.
var codes = [...]struct {
	code Code
	http int
	rpc  int
	text string // for clients, if Message is empty or private
	from []int  // the other statuses for which CodeFromHTTP gives the code
}{
	{CodeUnknown, http.StatusInternalServerError, -32002, "unknown error", nil},
	{CodeCanceled, 499, -32001, "the call was canceled", nil}, // not registered; nginx logs it, and no client gets it
	{CodeInvalidArgument, http.StatusBadRequest, -32602, "invalid input", nil},
	{CodeDeadlineExceeded, http.StatusGatewayTimeout, -32004, "the call took too long", []int{http.StatusRequestTimeout}},
	{CodeNotFound, http.StatusNotFound, -32005, "not found", nil},
	{CodeAlreadyExists, http.StatusConflict, -32006, "already exists", nil},
	{CodePermissionDenied, http.StatusForbidden, -32007, "permission denied", nil},
	{CodeResourceExhausted, http.StatusTooManyRequests, -32008, "a limit is reached", []int{http.StatusRequestEntityTooLarge}},
	{CodeFailedPrecondition, http.StatusBadRequest, -32009, "not possible in this state", []int{http.StatusPreconditionFailed}},
	{CodeAborted, http.StatusConflict, -32010, "aborted by a conflict", nil},
	{CodeOutOfRange, http.StatusBadRequest, -32011, "out of range", []int{http.StatusRequestedRangeNotSatisfiable}},
	{CodeUnimplemented, http.StatusNotImplemented, -32012, "not implemented", []int{http.StatusMethodNotAllowed}},
	{CodeInternal, http.StatusInternalServerError, -32603, "internal error", nil},
	{CodeUnavailable, http.StatusServiceUnavailable, -32014, "unavailable", []int{http.StatusBadGateway}},
	{CodeDataLoss, http.StatusInternalServerError, -32015, "data loss", nil},
	{CodeUnauthenticated, http.StatusUnauthorized, -32016, "unauthenticated", nil},
}

// row returns the index of c in codes, and 0, the row of UNKNOWN, for a code that
// is not there.
func (c Code) row() int {
	for i := range codes {
		if codes[i].code == c {
			return i
		}
	}
	return 0
}

// private reports whether the message of an error with this code is for the log only.
// Errors with these codes are made by the server, and their messages often contain texts
// that clients must not see: queries, file names, addresses.
func (c Code) private() bool { return c == CodeUnknown || c == CodeInternal || c == CodeDataLoss }

// CodeFromHTTP returns the code for the status of an HTTP response. Use it in a method that passes
// on the answer of a different server. doc/codes.md has the table.
func CodeFromHTTP(status int) Code {
	for _, row := range codes {
		if row.code != CodeUnknown && (row.http == status || slices.Contains(row.from, status)) { // a 500 is INTERNAL
			return row.code
		}
	}
	switch status / 100 {
	case 2:
		return CodeOK
	case 4:
		return CodeInvalidArgument
	}
	return CodeUnknown
}

// An Error tells clients why a method failed, with the same code, message, reason and details on
// every transport. The zero value is an UNKNOWN error. A nil *Error in an error interface counts as
// INTERNAL. [Errorf] and [Error.WithCause] set the cause, for [errors.Is], [errors.As] and the log.
// Clients never see it.
type Error struct {
	// Code decides the HTTP status and the JSON-RPC number. "", OK and an unknown code count as
	// UNKNOWN.
	Code Code
	// Message is cut after 4 KiB. Clients see a general text if it is empty, and for UNKNOWN,
	// INTERNAL and DATA_LOSS.
	Message string
	// Details are sent as JSON. A value that JSON cannot carry, such as a channel, is left out. If
	// the JSON has more than 16 KiB, only "violations" are sent. The log says so.
	Details map[string]any

	cause error
	base  *Error // the error that a With method copied, for errors.Is
	sentParts
	origin errorOrigin
}

// sentParts are the parts of an [Error] that clients get in addition to its exported fields.
type sentParts struct {
	reason string      // of WithReason, of svc itself, or of the response that a client received
	ours   bool        // isOwnReason is true for reason, and svc has set it for the clients of this call
	found  *violations // sent in place of Details, and of Message if that is empty; see inputOptions.lean
	status int32       // the HTTP status of WithStatus, or of an error about the HTTP exchange itself; 0 means the status of Code
	number int32       // the number of an error about the JSON-RPC message itself; 0 means the number of Code
	header http.Header // of WithHeader; never written after the error is made
}

// An errorOrigin describes the failed call from which a client of [Connect] got an error. It is
// zero for all other errors, and not sent on.
type errorOrigin struct {
	received http.Header // of the response; nil without one. Never written
	unrun    bool        // the call surely did not run
	unsure   bool        // an earlier attempt, or a part of a stream, may have run
}

// Errorf returns an error with a message formatted as by [fmt.Sprintf]. End the format with ": %w"
// to attach the last argument as the cause: clients see only the text before the separator.
// Anywhere else %w is a wrong verb.
//
//	Errorf(CodeNotFound, "no todo %d: %w", 7, err)  // Message "no todo 7", cause err
//	Errorf(CodeNotFound, "no todo %d: %v", 7, err)  // the text of err in Message, no cause
func Errorf(code Code, format string, args ...any) *Error {
	if len(args) == 0 && !strings.Contains(format, "%") {
		return &Error{Code: code, Message: format}
	}
	var cause error
	before, found := strings.CutSuffix(format, "%w")
	text := strings.TrimRight(before, " :;,-–—")
	// %w directly after a word is a wrong verb, as in "no todo %d (%w)": it gives "no todo 7
	// (%!w(*fs.PathError))".
	if found && len(args) > 0 && (before == "" || len(text) < len(before)) {
		if err, ok := args[len(args)-1].(error); ok {
			format, args, cause = text, args[:len(args)-1], err
		}
	}
	return &Error{Code: code, Message: fmt.Sprintf(spoilWrapping(format), args...), cause: cause}
}

// spoilWrapping returns a format in which each verb w gives a text such as
// %!w(*fs.PathError). fmt.Sprintf would add the text of the error.
//
//	%d (%w)   =>  %d (%%!w(%T))
//	%-8w      =>  %%!w(%-8T)
//	100%%w    =>  100%%w
func spoilWrapping(format string) string {
	if !strings.Contains(format, "w") { // most formats
		return format
	}
	text := ""
	for {
		before, rest, found := strings.Cut(format, "%")
		if text += before; !found {
			return text
		}
		format = strings.TrimLeft(rest, "-+# 0123456789.*[]")
		verb := "%" + rest[:len(rest)-len(format)]
		switch {
		case strings.HasPrefix(format, "w"):
			text, format = text+"%%!w("+verb+"T)", format[1:]
		case strings.HasPrefix(format, "%"): // the format is only the verb
			text, format = text+verb+"%", format[1:]
		default:
			text += verb
		}
	}
}

// Error returns the code, the message and the text of the cause, for logs. Clients never
// get this text. It returns a fixed text for a nil e.
func (e *Error) Error() string {
	if e == nil {
		return errNil.Error()
	}
	text := string(e.code())
	if e.Message != "" || e.found != nil {
		text += ": " + cmp.Or(e.Message, e.message())
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

// Is reports, for [errors.Is], whether a With method made e from target, or both have the same code
// and the same non-empty [Error.Reason]. So errors.Is(err, api.ErrFull) finds an error that the
// service declares, also in a client of [Connect].
func (e *Error) Is(target error) bool {
	if t, ok := target.(*Error); ok && e != nil && t != nil && e.reason != "" && e.reason == t.reason && e.code() == t.code() {
		return true
	}
	for e != nil && e.base != nil {
		if e = e.base; target == error(e) {
			return true
		}
	}
	return false
}

// errUnanswered is the base of the errors of questions to the caller; see mcp_ask.go.
var errUnanswered = &Error{Code: CodeFailedPrecondition}

// HTTPStatus returns the status of an HTTP response that carries e: the status of
// [Error.WithStatus], else of the response from which a client of [Connect] got e, else of Code.
// Errors of svc about the HTTP request, such as 405 and 413, have their own status. An [ErrorForm]
// can send a different one.
func (e *Error) HTTPStatus() int {
	return cmp.Or(int(e.status), codes[e.Code.row()].http)
}

// RPCCode returns the number of e in a JSON-RPC error (JSON-RPC 2.0, section 5.1). It follows from
// Code, except for errors about the message itself, such as -32601 for an unknown method.
func (e *Error) RPCCode() int {
	return cmp.Or(int(e.number), codes[e.Code.row()].rpc)
}

// WithDetail returns a copy of e with one more detail. The With methods do not change e, so e may
// be a package variable. [errors.Is] finds e in the copy.
func (e *Error) WithDetail(name string, value any) *Error {
	return e.WithDetails(map[string]any{name: value})
}

// WithDetails is like [Error.WithDetail], for several details. They replace details of the same
// name.
func (e *Error) WithDetails(details map[string]any) *Error {
	c := e.clone()
	c.Details = make(map[string]any, len(e.Details)+len(details))
	maps.Copy(c.Details, e.Details)
	maps.Copy(c.Details, details)
	return c
}

// WithReason returns a copy of e with a reason: a name for programs that tells e apart from other
// errors with the same code, such as list_full. Clients get it on every transport, and [errors.Is]
// finds e by it. It panics if reason is not a lower-case letter followed by at most 62 lower-case
// letters, digits and underscores. The reasons that [Error.Reason] lists belong to svc, and are not
// sent with your errors.
func (e *Error) WithReason(reason string) *Error {
	if !isReason(reason) {
		panic("svc: WithReason(" + strconv.Quote(reason) +
			"): write a name such as list_full, of 1 to 63 lower-case letters, digits and underscores that begins with a letter")
	}
	c := e.clone()
	c.reason, c.ours = reason, false
	return c
}

// Reason returns the reason of e, which [Error.WithReason] set or a client received, or "". svc
// itself uses these reasons:
//
//	overloaded       the server or the caller has too much running (doc/limits.md), and nothing has run
//	not_sent         from a client of Connect: there was no connection, and nothing has run
//	outcome_unknown  the call may have happened: a client of Connect lost the answer, or
//	                 Idempotency.Run failed after it had begun to call the method
//	key_reused       the idempotency key belongs to a different call
//	key_running      a call with the same idempotency key is still running
//	not_confirmed    from Confirm and Ask: the user of the caller has not agreed
//	cannot_ask       from Confirm and Ask: the caller has no user who could be asked
//	invalid_token    from Bearer and APIKey: the credential is not valid
//
// They describe one call. If a method passes on an error from a different service, the error is
// sent without such a reason.
func (e *Error) Reason() string {
	if e == nil {
		return ""
	}
	return e.reason
}

// The reasons of svc itself, which the comment of Reason explains.
const (
	reasonOverloaded     = "overloaded"
	reasonNotSent        = "not_sent"
	reasonOutcomeUnknown = "outcome_unknown"
	reasonKeyReused      = "key_reused"
	reasonKeyRunning     = "key_running"
	reasonNotConfirmed   = "not_confirmed"
	reasonCannotAsk      = "cannot_ask"
	reasonInvalidToken   = "invalid_token"
)

// isOwnReason reports whether reason is one of svc itself.
func isOwnReason(reason string) bool {
	switch reason {
	case reasonOverloaded, reasonNotSent, reasonOutcomeUnknown, reasonKeyReused, reasonKeyRunning, reasonNotConfirmed, reasonCannotAsk,
		reasonInvalidToken:
		return true
	}
	return false
}

// maxReason is the maximum length of a reason in bytes.
const maxReason = 63

// isReason reports whether text can be a reason: it matches ^[a-z][a-z0-9_]{0,62}$.
func isReason(text string) bool {
	for i := range len(text) {
		c := text[i]
		if ('a' > c || c > 'z') && (i == 0 || c != '_' && !isDigit(c)) {
			return false
		}
	}
	return text != "" && len(text) <= maxReason
}

// withOwnReason returns a copy of e with a reason of svc itself, which clients get.
func (e *Error) withOwnReason(reason string) *Error {
	c := e.clone()
	c.reason, c.ours = reason, true
	return c
}

// sentReason returns the reason that clients see. It hides a reason of svc that came with the error
// of a different service, because it does not describe the call of this client.
func (e *Error) sentReason() string {
	if e.ours || !isOwnReason(e.reason) {
		return e.reason
	}
	return ""
}

// messageWithReason returns the message as clients see it, with the reason, for documents.
func (e *Error) messageWithReason() string {
	if reason := e.sentReason(); reason != "" {
		return e.message() + " (reason: " + reason + ")"
	}
	return e.message()
}

// hideReason returns err without a reason that sentReason hides: a method that returns an
// UNAVAILABLE with the reason overloaded from a different service sends UNAVAILABLE without a
// reason. The transports of this package need it only if code of the application writes the error.
func hideReason(err error) error {
	e := ErrorFrom(err)
	if e == nil || e.sentReason() == e.reason {
		return err
	}
	shown := e.clone()
	shown.reason = ""
	return replaceIn(err, e, shown)
}

// replaceIn returns err with the error shown in place of e, which is ErrorFrom(err): clients see
// shown, and the log and errors.Is all of err.
func replaceIn(err error, e, shown *Error) error {
	if err == error(e) {
		return shown
	}
	return &replacedError{err, shown}
}

// A replacedError is an error for which clients see an *Error other than the outermost *Error in
// it.
type replacedError struct {
	error
	shown *Error
}

// Unwrap returns the error itself, for errors.Is.
func (r *replacedError) Unwrap() error { return r.error }

// As lets ErrorFrom find the error for clients.
func (r *replacedError) As(target any) bool {
	p, ok := target.(**Error)
	if ok {
		*p = r.shown
	}
	return ok
}

// WithCause returns a copy of e whose cause is err. A nil err removes the cause.
func (e *Error) WithCause(err error) *Error {
	c := e.clone()
	c.cause = err
	return c
}

// WithStatus returns a copy of e with an HTTP status, such as 402, 412 or 422, that replaces the
// status of its code in REST responses and responses of an [ErrorWriter]. It panics if status is
// not from 400 to 599.
func (e *Error) WithStatus(status int) *Error {
	if status < 400 || status > 599 {
		panic("svc: WithStatus(" + strconv.Itoa(status) + "): the status of an error is from 400 to 599")
	}
	c := e.clone()
	c.status = int32(status)
	return c
}

// WithHeader returns a copy of e with a header, such as Retry-After, for REST responses and
// responses of an [ErrorWriter]. It replaces a header of e with the same name. Invalid names and
// values (RFC 9110, section 5) are not sent, nor are headers that svc sets. doc/errors.md has more.
func (e *Error) WithHeader(name, value string) *Error {
	c := e.clone()
	c.header = make(http.Header, len(e.header)+1)
	maps.Copy(c.header, e.header)
	c.header.Set(name, value)
	return c
}

// Header returns a copy of the headers of e, or nil: the headers of [Error.WithHeader], and of the
// response if a client of [Connect] got e from one. If a method returns an error of a client, only
// Retry-After of that response is sent.
func (e *Error) Header() http.Header {
	switch {
	case e == nil:
		return nil
	case e.origin.received == nil:
		return e.header.Clone()
	}
	h := e.origin.received.Clone()
	maps.Copy(h, e.header.Clone())
	return h
}

// Violations returns a copy of the violations in the details of e, or nil. e may be an error that a
// client received.
func (e *Error) Violations() []Violation {
	if e == nil {
		return nil
	}
	if e.found != nil {
		return slices.Clone(e.found.list)
	}
	if own, ok := e.cause.(*unsentViolations); ok {
		return slices.Clone(own.list)
	}
	switch list := e.Details["violations"].(type) {
	case []Violation:
		return slices.Clone(list)
	case []any:
		return receivedViolations(list)
	}
	return nil
}

// unsentViolations is the cause of an error whose violations are for the program and not for
// clients: they are about a stored value, not about the input of the call.
type unsentViolations struct {
	list  []Violation
	cause error // may be nil
}

// Error returns the text of the first violation, and the text of the cause.
func (u *unsentViolations) Error() string {
	text := strings.TrimLeft(u.list[0].Path+" "+u.list[0].Message, " ")
	if n := len(u.list) - 1; n > 0 {
		text += " (and " + strconv.Itoa(n) + " more)"
	}
	if u.cause != nil {
		text += ": " + u.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (u *unsentViolations) Unwrap() error { return u.cause }

// receivedViolations returns the violations in a list that encoding/json decoded into an any. It
// leaves out elements that are not objects; a member of the wrong type is "".
func receivedViolations(list []any) []Violation {
	var out []Violation
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			text := func(name string) string { s, _ := m[name].(string); return s }
			v := Violation{In: text("in"), Path: text("path"), Rule: text("rule"), Message: text("message")}
			v.Empty, _ = m["empty"].(bool)
			switch n := m["limit"].(type) {
			case json.Number:
				v.Limit = n
			case float64:
				text, _ := plainJSON(n)
				v.Limit = json.Number(text)
			}
			out = append(out, v)
		}
	}
	return out
}

// clone returns a shallow copy of e with e as its base.
func (e *Error) clone() *Error {
	c := *e
	c.base = e
	return &c
}

// code returns the code as clients see it, which is always one of the table.
func (e *Error) code() Code { return codes[e.Code.row()].code }

// isError reports whether c is in the table.
func (c Code) isError() bool { return codes[c.row()].code == c }

// message returns the message as clients see it.
func (e *Error) message() string {
	switch {
	case e.Message == "" && e.found != nil:
		return string(e.found.appendMessage(nil))
	case e.Message == "" || e.code().private():
		return codes[e.Code.row()].text
	}
	return clip(e.Message, maxMessage)
}

// appendMessage appends the message as a JSON string. That of the violations of an input is
// written for this alone.
func (e *Error) appendMessage(dst []byte) []byte {
	if e.Message != "" || e.found == nil {
		return appendQuoted(dst, e.message())
	}
	return e.found.appendQuotedMessage(dst)
}

// Limits, in bytes, on the parts of an error that an application sets.
const (
	maxMessage = 4 << 10
	maxDetails = 16 << 10 // as JSON
)

// wireDetails returns the details as clients see them. If they are too large, only the
// violations are left, within their own limits.
func (e *Error) wireDetails() map[string]any {
	if len(e.Details) == 0 || len(appendDetailsObject(nil, e.Details)) <= maxDetails {
		return e.Details
	}
	var kept violations
	for _, v := range e.Violations() {
		kept.addViolation(v)
	}
	if kept.list == nil {
		return nil
	}
	return map[string]any{"violations": kept.list}
}

// isCut reports whether clients see less of e than the application has provided.
func (e *Error) isCut() bool {
	return len(e.Message) > maxMessage && !e.code().private() || len(e.Details) > 0 && len(appendDetailsObject(nil, e.Details)) > maxDetails
}

// errNil is the text and the cause of a nil *Error in an error interface.
var errNil = errors.New("an error that is a nil *svc.Error")

// ErrorFrom returns the [*Error] that clients get for err: the outermost *Error in the tree of err,
// or else a new one with err as its cause. The code of a new one is INTERNAL, except for the errors
// that doc/codes.md lists. ErrorFrom returns nil for nil.
func ErrorFrom(err error) *Error {
	if e, _ := err.(*Error); err == nil || e != nil {
		return e // errors.As would find the same, and allocate
	}
	var e *Error
	var tooLarge *http.MaxBytesError
	switch {
	case isNilPointer(err): // its methods may not expect that
		return &Error{Code: CodeInternal, cause: fmt.Errorf("an error that is a nil %T", err)}
	case errors.As(err, &e):
		if e != nil {
			return e
		}
		err = errNil // the method returned a nil *Error in an error interface
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeCanceled, cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeDeadlineExceeded, cause: err}
	case errors.As(err, &tooLarge):
		return Errorf(CodeResourceExhausted, "the request body has more than %d bytes: %w", tooLarge.Limit,
			err).WithStatus(http.StatusRequestEntityTooLarge)
	}
	return &Error{Code: CodeInternal, cause: err}
}

// isNilPointer reports whether err is a nil pointer of the application's own type, which a function
// has returned as an error by mistake.
func isNilPointer(err error) bool {
	v := reflect.ValueOf(err)
	return v.Kind() == reflect.Pointer && v.IsNil() && v.Type() != reflect.TypeFor[*Error]()
}

// CodeOf returns the code of the error that [ErrorFrom] returns for err, and OK for nil.
func CodeOf(err error) Code {
	if err == nil {
		return CodeOK
	}
	return ErrorFrom(err).code()
}

// A PanicError is the cause of the INTERNAL error for a panic. It is logged with its
// stack. Clients never see it.
type PanicError struct {
	Value any    // the argument of panic
	Stack []byte // of the goroutine that panicked, as debug.Stack formats it
}

// Error returns "panic: " and the value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// panicError returns the error for the recovered value v. If v is http.ErrAbortHandler,
// with which a handler asks net/http to close the connection, it panics again. Call it
// in the deferred function that recovered, so that the stack shows the panic.
func panicError(v any) error {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

// recoverTo sets *err to the error for a panic. Defer it.
func recoverTo(err *error) {
	if v := recover(); v != nil {
		*err = panicError(v)
	}
}

// panicIn returns the panic in err's tree, or nil.
func panicIn(err error) *PanicError {
	var p *PanicError
	errors.As(err, &p)
	return p
}

// A Violation is one thing that is wrong with an input. An INVALID_ARGUMENT error carries at
// most 32 of them in its details, as "violations".
type Violation struct {
	In string `json:"in"` // "path", "query", "header", "cookie" or "body": where the REST route takes the field from
	// a JSON Pointer (RFC 6901) to the place as it was sent, "/name" for a REST parameter; "" means the whole input
	Path    string `json:"path"`
	Rule    string `json:"rule"`    // for programs: the name of a constraint tag, a word of doc/errors.md such as "required", or your own
	Message string `json:"message"` // for people; never quotes the client's data

	// Limit is the number in the rule, such as 5 for maxItems:"5", so that programs can say it in
	// their own words. It is never a value of the client.
	Limit json.Number `json:"limit,omitempty"`

	// Empty reports whether a text has no characters and breaks minLength, so that programs can say
	// "must not be empty". A field that is absent breaks "required" instead.
	Empty bool `json:"empty,omitempty"`
}

// The values of Violation.In: where the REST route takes a field from.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
	inCookie = "cookie"
	inBody   = "body"
)

// The rules that are neither about JSON text, like ruleSyntax, nor named after a tag.
const (
	ruleRequired = "required"
	ruleType     = "type"
	ruleRange    = "range"
	ruleUnknown  = "unknown"
	ruleVariant  = "variant"
	ruleValidate = "validate"
	ruleOrder    = "order"    // the file is the last part of a form
	ruleMaxBytes = "maxBytes" // a tag of a Body or a File, which is not JSON and not a row of ruleRows
)

// The limits on the size of one error. A client whose input has thousands of violations must not
// get a line of text for each: it would cost the server more than the request costs the client, and
// people read only a few.
//
// No error has more than 16 KiB. The violations take 11 KiB at most, as JSON. The
// message repeats the first one: 256 + 512 bytes and a few words, and each byte
// may need an escape of six, which is less than 5 KiB.
const (
	maxViolations     = 32
	maxViolationBytes = 11 << 10
	maxViolationPath  = 256 // bytes, before escaping; also for In and Rule
	maxViolationText  = 512 // bytes, before escaping
	maxViolationLimit = 64  // bytes; a longer number is left out
)

// violations collects the violations of one input, within the limits.
//
// Invariants:
//
//	len(list) <= maxViolations
//	the JSON of list has at most bytes bytes, and bytes <= maxViolationBytes
//	omitted > 0 implies that list no longer grows
type violations struct {
	list    []Violation
	bytes   int
	omitted int    // how many there were more than list has
	cause   error  // the first error that code of the application returned, for the log
	text    []byte // memory of appendQuotedMessage
}

// addViolation keeps v if there is room. It first counts v as if every byte of its text
// needed an escape, which is quick and nearly always fits. If that does not fit, it
// computes the exact size of the list.
func (vs *violations) addViolation(v Violation) {
	if vs.full() {
		vs.omitted++
		return
	}
	// An application can choose In and Rule too. The first violation must always fit: an input
	// without violations counts as valid.
	v.In, v.Path, v.Rule = clip(v.In, maxViolationPath), clip(v.Path, maxViolationPath), clip(v.Rule, maxViolationPath)
	v.Message = clip(v.Message, maxViolationText)
	if !v.hasLimit() {
		v.Limit = ""
	}
	n := len(`{"in":"","path":"","rule":"","message":"","limit":,"empty":true},`) +
		len(`\u0000`)*(len(v.In)+len(v.Path)+len(v.Rule)+len(v.Message)) + len(v.Limit)
	if vs.bytes+n > maxViolationBytes {
		vs.bytes, n = len(appendViolations(nil, vs.list)), len(appendViolations(nil, []Violation{v}))
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

// hasLimit reports whether the limit is sent: an application could have written any text. Most
// limits are whole numbers, which need no scanner.
func (v *Violation) hasLimit() bool {
	for i := range len(v.Limit) {
		if c := v.Limit[i]; !isDigit(c) || c == '0' && i == 0 && len(v.Limit) > 1 {
			return len(v.Limit) <= maxViolationLimit && isNumberText(v.Limit)
		}
	}
	return v.Limit != "" && len(v.Limit) <= maxViolationLimit
}

// haveSources reports whether the violations are of several sources.
func (vs *violations) haveSources() bool {
	for i := range vs.list {
		if vs.list[i].In != vs.list[0].In {
			return true
		}
	}
	return false
}

// full reports whether no more violations are kept. After the first violation that did not fit none
// is kept, not even a short one: finding its size would require writing out the place of each of
// 100,000 violations. From then on the decoder also skips values, because the input will not be
// used, so the number of violations is a lower limit.
func (vs *violations) full() bool { return vs.omitted > 0 || len(vs.list) == maxViolations }

// count returns how many violations were found, kept or not.
func (vs *violations) count() int { return len(vs.list) + vs.omitted }

// err returns the error that carries the violations in its Details. There must be
// one; the first that is added always fits.
func (vs *violations) err() error {
	return &Error{
		Code:    CodeInvalidArgument,
		Message: string(vs.appendMessage(nil)),
		Details: map[string]any{"violations": vs.list},
		cause:   vs.cause,
	}
}

// appendQuotedMessage appends the message as a JSON string. It first writes the message in place,
// because it seldom contains a character to escape.
func (vs *violations) appendQuotedMessage(dst []byte) []byte {
	start := len(dst)
	dst = vs.appendMessage(append(dst, '"'))
	if plainEnd(dst, start+1) == len(dst) {
		return append(dst, '"')
	}
	vs.text = append(vs.text[:0], dst[start+1:]...)
	return appendQuoted(dst[:start], vs.text)
}

// appendMessage appends the message of the error that carries the violations, of
// which there must be one.
func (vs *violations) appendMessage(dst []byte) []byte {
	first := &vs.list[0]
	dst = append(append(dst, codes[CodeInvalidArgument.row()].text...), ": "...)
	if first.Path != "" {
		dst = append(append(dst, first.Path...), ' ')
	}
	dst = append(dst, first.Message...)
	if n := vs.count() - 1; n > 0 {
		dst = append(dst, " (and "...)
		if vs.full() {
			dst = append(dst, "at least "...)
		}
		dst = append(strconv.AppendInt(dst, int64(n), 10), " more)"...)
	}
	return dst
}

// clip shortens s to at most n bytes, between two characters, and says so with an
// ellipsis.
func clip(s string, n int) string {
	if len(s) <= n { // nearly always; only this is inlined
		return s
	}
	return clipLong(s, n)
}

func clipLong(s string, n int) string {
	const ellipsis = "…"
	n -= len(ellipsis)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ellipsis
}

// appendReason appends the member "reason" of an error with a comma before it, or nothing without a
// reason.
func appendReason(dst []byte, e *Error) []byte {
	reason := e.sentReason()
	if reason == "" {
		return dst
	}
	return append(append(append(dst, `,"reason":"`...), reason...), '"') // isReason needs no escapes
}

// appendDetails appends the member "details" of an error with a comma before it, or nothing without
// details.
func appendDetails(dst []byte, e *Error) []byte {
	if e.found != nil {
		dst = appendViolations(append(dst, `,"details":{"violations":`...), e.found.list)
		return append(dst, '}')
	}
	if len(e.Details) == 0 {
		return dst
	}
	start := len(dst)
	dst = appendDetailsObject(append(dst, `,"details":`...), e.Details)
	if len(dst)-start-len(`,"details":`) <= maxDetails {
		return dst
	}
	return appendDetails(dst[:start], &Error{Details: e.wireDetails()}) // the violations at most
}

// appendDetailsObject appends details in the order of their names. It leaves out a value without
// JSON, such as a channel or NaN: clients need the other details more than a second error.
func appendDetailsObject(dst []byte, details map[string]any) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, name := range slices.Sorted(maps.Keys(details)) {
		before := len(dst)
		if before > start {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, name), ':')
		switch v := details[name].(type) {
		case []Violation:
			dst = appendViolations(dst, v)
		case string:
			dst = appendQuoted(dst, v)
		default:
			if text, ok := plainJSON(v); ok {
				dst = append(dst, text...)
			} else {
				dst = dst[:before]
			}
		}
	}
	return append(dst, '}')
}

// appendViolations appends list as JSON. Answers to bad input are common, and an
// attacker chooses how common, so they are not left to encoding/json.
func appendViolations(dst []byte, list []Violation) []byte {
	dst = append(dst, '[')
	for i := range list {
		v := &list[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(append(dst, `{"in":`...), v.In) // addViolation counts these bytes
		dst = appendQuoted(append(dst, `,"path":`...), v.Path)
		dst = appendQuoted(append(dst, `,"rule":`...), v.Rule)
		dst = appendQuoted(append(dst, `,"message":`...), v.Message)
		if v.hasLimit() {
			dst = append(append(dst, `,"limit":`...), v.Limit...)
		}
		if v.Empty {
			dst = append(dst, `,"empty":true`...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// mistakes collects the mistakes of a registration, so that the service's author can mend
// all of them at once. Compilers note a mistake and go on with something harmless. Their
// plans are used only if list is empty. The zero value is ready for use.
type mistakes struct {
	where string // the method that is being compiled
	list  []error
	told  []string // mistakes of types, which are noted only for the first method with the type
}

// addf notes a mistake. The same text is noted once: a method may lead to one bad type in
// many ways.
func (p *mistakes) addf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.where != "" {
		text = p.where + ": " + text
	}
	if !slices.ContainsFunc(p.list, func(err error) bool { return err.Error() == text }) {
		p.list = append(p.list, errors.New(text))
	}
}

// addIf is addf if broken is true. It keeps a list of conditions to one per line.
func (p *mistakes) addIf(broken bool, format string, args ...any) {
	if broken {
		p.addf(format, args...)
	}
}

// addOnce notes a mistake of a type only once, however many methods have the type.
func (p *mistakes) addOnce(text string) {
	p.addIf(!slices.Contains(p.told, text), "%s", text)
	p.told = append(p.told, text)
}

// err returns an error that lists the mistakes, one per line. what says what they prevent, such as
// "cannot register app.TodoAPI".
func (p *mistakes) err(what string) error {
	text := "svc: " + what + ":"
	for _, err := range p.list {
		text += "\n  - " + strings.ReplaceAll(err.Error(), "\n", "\n    ")
	}
	return errors.New(text)
}

// panicIfAny panics with the text of err if there are mistakes.
func (p *mistakes) panicIfAny(what string) {
	if len(p.list) > 0 {
		panic(p.err(what).Error())
	}
}
