package svc

// This file implements the idempotency keys of a service. In this order: the options; the plan of a
// method with keys; keys, and the ids of records; headers; and records. keys_print.go compares
// inputs, and keys_call.go makes the calls with a key.

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Idempotency makes a call take effect once, however often a client sends it with the same
// idempotency key: later calls get the answer of the first, over any transport and from any
// replica. After an error, a call with the key runs the method again. The key is the header
// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), or for tools the argument
// idempotency_key. doc/keys.md has more, and doc/keystore.md has a store.
//
// Keys belong to the caller, by [Principal].Subject. Without a Principal all callers share them, so
// keys must be random, or callers read each other's answers. Every answer is read from its record,
// including the first, so unexported fields are lost. The record keeps the headers that the method
// adds to [Info].Header, except Set-Cookie.
type Idempotency struct {
	// Run opens a transaction and calls do in it, at most once for each id. It stores the record
	// that do returns in the same transaction, and returns it. For a known id it returns the stored
	// record without calling do. Pass do a context that carries the transaction and is derived from
	// ctx. If do fails, roll back and return its error. If the method panics, so does do. Run must
	// not be nil.
	//
	// If a call with the same id is still running, do not wait for it: return ABORTED, which
	// clients get as 409 with Retry-After. If Run returns an error that is not an [*Error], the
	// call fails with UNAVAILABLE and Retry-After. If do has begun, that error has the reason
	// outcome_unknown, because the transaction may have been committed. Before that, nothing has
	// happened.
	Run func(ctx context.Context, id string, do func(context.Context) (record []byte, err error)) (record []byte, err error)
	// KeepFor tells documents how long Run keeps a record. Zero means 24 hours; a negative value is
	// a mistake.
	KeepFor time.Duration
}

// A KeyUse says whether calls of a method over a transport must, may or cannot have an idempotency key. For the zero
// value, keys are not read. A [Service.Call] has none, and runs each time.
type KeyUse string

// The uses of keys.
const (
	KeyAllowed  KeyUse = "allowed"  // a call over a transport without a key runs each time
	KeyRequired KeyUse = "required" // a call over a transport without a key fails with INVALID_ARGUMENT
)

// The header, in canonical form, and the argument of tools.
const keyHeader, keyArgument = "Idempotency-Key", "idempotency_key"

// A keyPlan is the part of a method that is about its idempotency keys: how the input becomes a
// fingerprint, and the output a record.
type keyPlan struct {
	*Idempotency
	use    KeyUse
	name   string    // of the method, over JSON-RPC
	bind   *binding  // of the input
	object *sentPlan // object is for the whole input, body for its part in the body of REST requests; nil without an input
	body   *sentPlan
	unions []string     // the discriminators of the unions in the input
	out    reflect.Type // the struct; nil without an output
	output encodeFunc   // writes the output in a record
	decode decodeFunc   // reads it
	status *statusField // of the output; nil without a status field
}

// setKey decides whether calls of m have an idempotency key. compilePlans completes the
// plan. A client needs no store.
func (c *methodCompiler) setKey(m *method, use KeyUse) {
	if use == "" {
		return
	}
	c.addIf(use != KeyAllowed && use != KeyRequired, "MethodOptions.IdempotencyKey is %q; want KeyAllowed or KeyRequired", use)
	hint := ""
	if m.takesBody() {
		hint = "; an upload can be a PUT with an ID of the client in its path, which may be sent again"
	}
	c.addIf(m.route.isRead() || m.stream != "" || m.takesBody() || m.sendsFile(),
		"MethodOptions.IdempotencyKey is for methods that write and answer with JSON, not for a GET, a QUERY, a stream, a Body or a File%s", hint)
	c.addIf(c.impl != nil && c.opts.Idempotency == nil, "MethodOptions.IdempotencyKey needs Options.Idempotency, which keeps the answers")
	m.key = &keyPlan{Idempotency: c.opts.Idempotency, use: use, name: m.resource + "." + m.name}
}

// keyUse says whether calls of m have an idempotency key.
func (m *method) keyUse() KeyUse {
	if m.key == nil {
		return ""
	}
	return m.key.use
}

// compileKey completes the plan of m.
func (c *methodCompiler) compileKey(m *method) {
	p := m.key
	if m.in != nil {
		for _, f := range m.in.fields {
			c.addIf(f.name == keyArgument || http.CanonicalHeaderKey(f.bound[whereHeader]) == keyHeader,
				"%s: MethodOptions.IdempotencyKey takes this name; drop the field, and read the key by IdempotencyKeyFrom", f.place)
		}
	}
	if !c.isSound(m.in) || !c.isSound(m.out) {
		return
	}
	if m.in != nil {
		p.planInput(m.bind)
	}
	if m.out == nil {
		return
	}
	out, d, _ := compileReader(c.mistakes, m.out.typ, asReadOutput)
	for _, f := range out.fields { // a record also has the fields that are not members; only this plan uses out
		if f.isNameless() {
			f.name = "header " + f.name
			f.prefix = `,"` + f.name + `":`
		}
		f.hidden = false
	}
	p.status = m.chosen
	p.out, p.output, p.decode = m.out.typ, newEncoders(false).encoderFor(out), d.decoderFor(out)
}

// keyPattern and keySchema are of a bare key, for documents. They do not say the other form of the
// header: readers see them first, and property tests and gateways send and pass by them.
const (
	keyPattern = "^[!-~]+$"
	keySchema  = `{"type":"string","minLength":1,"maxLength":255,"pattern":"` + keyPattern + `"}`
)

// isKeyHeader reports whether value is a bare key, or one as a structured string (RFC 8941, section
// 3.3.3), which the draft asks for.
func isKeyHeader(value string) bool {
	isOther := func(r rune) bool { return r < '!' || r > '~' }
	if !strings.HasPrefix(value, `"`) {
		return 1 <= len(value) && len(value) <= 255 && !strings.ContainsFunc(value, isOther)
	}
	key, err := strconv.Unquote(value)
	// A structured string has fewer escapes than Go.
	return err == nil && 1 <= len(key) && len(key) <= 255 && !strings.ContainsFunc(key, isOther) && strconv.Quote(key) == value
}

// WithIdempotencyKey returns a copy of ctx with an idempotency key for the next call of a client
// from [Connect]. The key has 1 to 255 visible ASCII characters, or the call fails with
// INVALID_ARGUMENT. Calls that the method itself makes do not get the key. [Service.Call] takes no
// key: for a method with keys it fails with INVALID_ARGUMENT, since a job that sends its call again
// would act twice. Methods without keys ignore it.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	if key == "" || key[0] == '"' || !isKeyHeader(key) { // call.readKey takes others as they are
		key = strconv.QuoteToASCII(key)
	}
	return context.WithValue(ctx, nextKey{}, []string{key})
}

// A nextKey is the key of the header values of WithIdempotencyKey in a context.
type nextKey struct{}

// storeID returns the id of an idempotency key. It must never change, or effects happen twice.
// The length keeps the subject and the key apart: the subject ab with the key c is not the
// subject a with the key bc.
func storeID(ctx context.Context, key string) string {
	text := "nobody:" + key
	if p, ok := PrincipalFrom(ctx); ok {
		text = "caller:" + strconv.Itoa(len(p.Subject)) + ":" + p.Subject + key
	}
	return hashText([]byte(text))
}

// hashText returns 43 characters.
func hashText(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// headerChanges are the changes of a method to Info.Header: the headers that it set or, with no
// values, deleted; and the values that it added to headers of middleware.
type headerChanges struct {
	Set   http.Header `json:"set,omitempty"`
	Added http.Header `json:"added,omitempty"`
}

// compareHeaders returns the changes from one header to the other. It leaves out cookies, because
// only the client of the first call may get them: a record must not give a session to anybody else.
func compareHeaders(before, after http.Header) *headerChanges {
	c := &headerChanges{make(http.Header), make(http.Header)}
	for name, values := range after {
		was := before[name]
		switch {
		case name == "Set-Cookie", slices.Equal(values, was):
		case len(was) > 0 && len(was) < len(values) && slices.Equal(values[:len(was)], was):
			c.Added[name] = values[len(was):]
		default:
			c.Set[name] = values
		}
	}
	for name := range before {
		if _, kept := after[name]; !kept && name != "Set-Cookie" {
			c.Set[name] = nil
		}
	}
	if len(c.Set)+len(c.Added) == 0 {
		return nil
	}
	return c
}

// apply makes the changes in a header, which may be nil. So may c.
func (c *headerChanges) apply(h http.Header) {
	if c == nil || h == nil {
		return
	}
	for name, values := range c.Set {
		if h[name] = values; len(values) == 0 {
			delete(h, name)
		}
	}
	for name, values := range c.Added {
		h[name] = append(slices.Clip(h[name]), values...)
	}
}

// recordVersion is the version of the records that this release writes.
const recordVersion = 3

// A keyRecord is the stored record of a call:
//
//	{"version":3,"method":"notes.create","input":"…","header":{"added":{"Link":["</notes>"]}},
//	"output":{…,"header Location":"notes/7"}}
type keyRecord struct {
	Version int             `json:"version"`
	Method  string          `json:"method"`
	Input   string          `json:"input"` // the fingerprint
	Header  *headerChanges  `json:"header,omitempty"`
	Status  int             `json:"status,omitempty"` // in the field of the output for it
	Output  json.RawMessage `json:"output,omitempty"`
}

// writeRecord returns the record of a call with an input, and the output as later calls
// read it. The first caller gets that too, so all answers are equal, and an output that
// cannot be read again fails before anything is committed.
func (p *keyPlan) writeRecord(input string, out any, header *headerChanges) (record []byte, read any, err error) {
	r := keyRecord{Version: recordVersion, Method: p.name, Input: input, Header: header}
	if p.out != nil {
		if r.Output, err = appendRecord(new(encoder), nil, out, p.output); err != nil {
			return nil, nil, err
		}
	}
	if p.status != nil {
		r.Status, _ = p.status.statusOf(out) // checkOutput has checked it
	}
	record = encodeDocument(r)
	read, _, err = p.readRecord(record, input)
	return record, read, err
}

// errKeyUsed has the status that the draft of the header asks for (section "Error Scenarios").
var errKeyUsed = Errorf(CodeInvalidArgument, "the idempotency key was used with another method or another input; "+
	"use a new key for a new call").WithStatus(http.StatusUnprocessableEntity).withOwnReason(reasonKeyReused)

// readRecord returns the output in a record, or nil if the method has none, and the changes that
// the method made to Info.Header. An unreadable record is UNAVAILABLE, because a different release
// may be able to read it.
func (p *keyPlan) readRecord(record []byte, input string) (out any, header *headerChanges, err error) {
	var r keyRecord
	err = json.Unmarshal(record, &r)
	switch {
	case err != nil || r.Version != recordVersion:
		err = fmt.Errorf("the record of %s is not JSON of version %d; it begins with %.40q", p.name, recordVersion, record)
	case r.Method != p.name || !hmac.Equal([]byte(input), []byte(r.Input)):
		return nil, nil, errKeyUsed
	case p.out == nil:
		return nil, r.Header, nil
	default:
		v := reflect.New(p.out)
		if err = decodeWhole(new(decoder), r.Output, v.Elem(), p.decode); err != nil {
			break
		}
		if p.status != nil && slices.Contains(p.status.allowed, r.Status) { // else it is the first, as in a record without one
			p.status.set(v.Elem(), r.Status)
		}
		if _, err = appendRecord(new(encoder), nil, v.Interface(), p.output); err == nil { // a new union may lack data in the record
			return v.Interface(), r.Header, nil
		}
	}
	return nil, nil, &Error{Code: CodeUnavailable, Message: "the answer to this idempotency key cannot be read now; try again later",
		cause: err}
}
