package svc

// This file encodes cursors. A cursor holds the key of the last item that a
// client has seen, so that the next request can go on after it, on any replica.
// Inputs and outputs with cursors are in page.go.
//
// A cursor comes from the client like any other input, so reading one is strict:
// one spelling for each cursor, valid UTF-8, I-JSON. Every cursor that is not
// accepted gets the same answer, for every reason.

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// EncodeCursor returns a cursor that holds key, in base64url without padding (RFC
// 4648, section 5). A string, or a type with MarshalText and UnmarshalText such as
// [time.Time], is held as its text; any other type is held as its JSON by
// encoding/json. A pointer counts as its target. The cursor of the empty string is
// empty.
//
// EncodeCursor returns an error for a nil key, for a text that is not valid
// UTF-8 (use a []byte, which becomes JSON), and for a value that encoding/json
// cannot encode. The error is a plain one, since none of this is the client's
// doing.
//
// Clients can read such a cursor and make their own. Seal cursors with a
// [CursorKey] where that matters.
func EncodeCursor(key any) (string, error) {
	payload, err := cursorPayload(key)
	return base64.RawURLEncoding.EncodeToString(payload), err
}

// DecodeCursor reads a cursor that [EncodeCursor] returned into key, a pointer
// to a value of the type that was encoded.
//
// A cursor that is not base64url without padding, or that holds neither a text
// nor JSON that fits the type, gives an *Error with code INVALID_ARGUMENT and
// one [Violation], at the query parameter "cursor". A key that is not a
// pointer, or a nil one, gives a plain error. After an error the value is
// unchanged.
//
// The client may have made the cursor, so check the values in it like any other
// input.
func DecodeCursor(cursor string, key any) error {
	payload, err := decodeBase64(cursor)
	if err != nil {
		return cursorError(err)
	}
	return setCursorKey(payload, key)
}

// TimeCursor is a key for lists in order of time. Items may have the same
// time. ID tells them apart; without it, a page that ends between two of them
// would skip or repeat one. Its JSON is {"id":"…","at":"…"}, with At by RFC
// 3339, section 5.6, in nanoseconds. The zero value is a key like any other.
type TimeCursor struct {
	ID string    `json:"id"` // of the last item of the page
	At time.Time `json:"at"` // of the last item of the page; compare it with Equal
}

// CursorKey seals cursors, so that a service knows its own: clients can read the
// content of a sealed cursor, but cannot change it or make one. The zero CursorKey
// has no key: Encode returns an error and Decode accepts no cursor. A CursorKey is
// safe for concurrent use.
type CursorKey struct {
	keys [][]byte // the first one seals; never written after NewCursorKey
}

// minCursorKey is the least number of bytes in a key: 128 bits, which nobody can
// try out.
const minCursorKey = 16

// NewCursorKey returns a CursorKey that seals with the first of keys and accepts
// cursors sealed with any of them. To replace a key, put the new one in front and
// keep the old one for as long as its cursors are in use.
//
// A key should be at least 32 random bytes, the length of the hash (RFC 2104,
// section 3), and the same on every replica. Use different keys for different
// lists if a cursor of one must not be accepted by another. The keys are
// copied.
//
// NewCursorKey panics if there are no keys, or one has less than 16 bytes, such
// as an environment variable that is not set: clients that try out keys would find
// it.
func NewCursorKey(keys ...[]byte) *CursorKey {
	if len(keys) == 0 {
		panic("svc: NewCursorKey without a key")
	}
	k := &CursorKey{keys: make([][]byte, len(keys))}
	for i, key := range keys {
		if len(key) < minCursorKey {
			panic(fmt.Sprintf("svc: NewCursorKey: key %d has %d bytes; a key needs %d at least, and should be 32 random ones", i+1, len(key), minCursorKey))
		}
		k.keys[i] = slices.Clone(key)
	}
	return k
}

// Encode returns a cursor that holds key, as [EncodeCursor] does, with a seal
// in front of it: 32 bytes of HMAC-SHA-256 (RFC 2104) over the text or the
// JSON. The base64 is over both. Encode returns an error where EncodeCursor
// does, and for a CursorKey without keys.
func (k *CursorKey) Encode(key any) (string, error) {
	if len(k.keys) == 0 {
		return "", errors.New("svc: a CursorKey without a key seals nothing: use NewCursorKey")
	}
	payload, err := cursorPayload(key)
	if err != nil {
		return "", err
	}
	sealed := append(sealOf(k.keys[0], cursorLabel, payload), payload...)
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Decode reads a cursor that [CursorKey.Encode] returned into key, a pointer to
// a value of the type that was encoded. A cursor that was changed, cut off, or
// sealed with an unknown key gives the error that [DecodeCursor] gives for a
// cursor it does not accept; other errors are the same too. Seals are compared
// in constant time, and nothing is parsed before a seal matches.
func (k *CursorKey) Decode(cursor string, key any) error {
	sealed, err := decodeBase64(cursor)
	if err != nil {
		return cursorError(err)
	}
	if len(sealed) < sha256.Size {
		return cursorError(errors.New("shorter than a seal"))
	}
	seal, payload := sealed[:sha256.Size], sealed[sha256.Size:]
	for _, candidate := range k.keys {
		if hmac.Equal(seal, sealOf(candidate, cursorLabel, payload)) {
			return setCursorKey(payload, key)
		}
	}
	return cursorError(errors.New("no key has sealed it"))
}

// cursorLabel is the label of cursors; see sealOf.
const cursorLabel = "svc cursor\x00"

// sealOf returns the seal of a payload. The label in front separates seals of one
// use from those of another, and from anything else that an application signs with
// the same key.
func sealOf(key []byte, label string, payload []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(label))
	mac.Write(payload)
	return mac.Sum(nil)
}

// cursorError returns the error of a cursor that is not accepted. Clients get
// the same text for every cause, because the cause would help only those who
// forge cursors. The log gets the cause.
func cursorError(cause error) error {
	var vs violations
	vs.addViolation(Violation{In: "query", Path: "/cursor", Rule: ruleType, Message: "must be a cursor from an earlier answer of this list"})
	return ErrorFrom(vs.makeError()).WithCause(cause)
}

// decodeBase64 decodes base64url without padding, in the one spelling that
// EncodeCursor gives a payload. Package base64 alone also takes line ends and,
// unless it is Strict, stray bits at the end.
func decodeBase64(cursor string) ([]byte, error) {
	if strings.ContainsAny(cursor, "\r\n") {
		return nil, errors.New("a line end in base64")
	}
	return base64.RawURLEncoding.Strict().DecodeString(cursor)
}

// isCursorText reports whether keys of type t are held as text.
func isCursorText(t reflect.Type) bool { return t.Kind() == reflect.String || isTextType(t) }

// isTextType reports whether *t can write and read itself as text. One without
// the other would give cursors that cannot be read back.
func isTextType(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// cursorPayload returns the text or the JSON of key.
func cursorPayload(key any) ([]byte, error) {
	v := reflect.ValueOf(key)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil, errors.New("svc: a cursor needs a key, not nil")
	}
	payload, err := writeCursorKey(v)
	if err != nil {
		return nil, fmt.Errorf("svc: a cursor of type %v: %w", v.Type(), err)
	}
	return payload, nil
}

// writeCursorKey returns the text or the JSON of v, which is not a pointer.
func writeCursorKey(v reflect.Value) (payload []byte, err error) {
	switch {
	case !isCursorText(v.Type()):
		payload, err = json.Marshal(v.Interface())
		if string(payload) == "null" {
			err = errNullKey
		}
		return payload, err
	case isTextType(v.Type()):
		p := reflect.New(v.Type()) // the methods may want a pointer
		p.Elem().Set(v)
		payload, err = p.Interface().(encoding.TextMarshaler).MarshalText()
	default:
		payload = []byte(v.String())
	}
	if err == nil && !utf8.Valid(payload) {
		err = errTextKey
	}
	return payload, err
}

// setCursorKey decodes payload into the target of key. It reads into a fresh value
// first, so that an error leaves the caller's value unchanged.
func setCursorKey(payload []byte, key any) error {
	p := reflect.ValueOf(key)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("svc: a cursor is decoded into a pointer, not a %T", key)
	}
	fresh := reflect.New(p.Type().Elem()).Elem()
	target := fresh
	for target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	if err := readCursorKey(payload, target); err != nil {
		return cursorError(err)
	}
	p.Elem().Set(fresh)
	return nil
}

// readCursorKey reads payload into target, which is zero and not a pointer.
func readCursorKey(payload []byte, target reflect.Value) error {
	switch {
	case !isCursorText(target.Type()):
		return unmarshalCursor(payload, target.Addr().Interface())
	case !utf8.Valid(payload):
		return errTextKey
	case isTextType(target.Type()):
		return target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(payload)
	}
	target.SetString(string(payload))
	return nil
}

// unmarshalCursor calls json.Unmarshal after the strict checks of the scanner,
// which refuses duplicate names and lone surrogates (RFC 7493). A null would
// leave the zero value, as if it were the key of an item.
func unmarshalCursor(payload []byte, key any) error {
	s := scanner{data: payload}
	text := s.skipValue()
	s.checkEnd()
	switch {
	case s.err != nil:
		return s.err
	case string(text) == "null":
		return errNullKey
	}
	return json.Unmarshal(payload, key)
}

// The errors of keys that can be written and not read back. They are causes for
// the log and for the author; clients do not see them.
var (
	errNullKey = errors.New("null is no key") // json.Unmarshal takes it for any type
	errTextKey = errors.New("the text is not UTF-8")
)
