package svc

// This file decides how the place where a list goes on is written into a
// cursor and read back. A cursor comes back from the client, so reading one is
// reading input. Lists themselves are page.go's business.

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

// EncodeCursor returns a cursor that holds key: in base64url without padding
// (RFC 4648, section 5), a text as itself and anything else as JSON. A text is
// a string or a type with MarshalText and UnmarshalText, such as time.Time,
// which becomes RFC 3339 with nanoseconds. A pointer counts as what it points
// to, and the empty string gives the empty cursor.
//
// It fails for a nil key, for a text that is not UTF-8 (give a []byte, which
// becomes JSON), and for what encoding/json cannot write.
//
// Clients can read such a cursor and make their own. Where that matters, seal
// it with a [CursorKey].
func EncodeCursor(key any) (string, error) {
	payload, err := cursorPayload(key)
	return base64.RawURLEncoding.EncodeToString(payload), err
}

// DecodeCursor reads what [EncodeCursor] wrote into key, a pointer to a value
// of the same type. A cursor that is not one of ours (not base64url without
// padding, or neither a text nor JSON that fits key's type) gives an *Error
// with INVALID_ARGUMENT and one [Violation], which names the query parameter
// "cursor". Where it fails, it leaves key as it was.
//
// The values in an unsealed cursor are the client's word, like any other
// input.
func DecodeCursor(cursor string, key any) error {
	payload, err := decodeBase64(cursor)
	if err != nil {
		return cursorError(err)
	}
	return setCursorKey(payload, key)
}

// A TimeCursor is the key of a list in order of time. ID tells items of the
// same instant apart, without which a page that ends between two of them
// would skip or repeat one. As JSON it is {"id":"…","at":"…"}, At in RFC 3339
// with nanoseconds.
type TimeCursor struct {
	ID string    `json:"id"` // of the last item of the page
	At time.Time `json:"at"` // of the last item of the page; compare with Equal
}

// A CursorKey seals cursors, so that the server knows a cursor for its own:
// a client can read what is in it and can neither change it nor make one.
// The zero CursorKey has no key: Encode fails and Decode refuses everything.
// A CursorKey is safe for concurrent use.
type CursorKey struct {
	keys [][]byte // the first seals; never written after NewCursorKey
}

// NewCursorKey returns a CursorKey that seals with the first of keys and opens
// what any of them has sealed, so that a key can be replaced without breaking
// the cursors that are out. A key is 32 random bytes or more (RFC 2104,
// section 3), the same on every replica. Give every list keys of its own where
// a cursor of one must not work for another.
//
// It panics without keys, and if one is empty, as an unset environment
// variable is.
func NewCursorKey(keys ...[]byte) *CursorKey {
	if len(keys) == 0 {
		panic("svc: NewCursorKey without a key")
	}
	k := &CursorKey{keys: make([][]byte, len(keys))}
	for i, key := range keys {
		if len(key) == 0 {
			panic(fmt.Sprintf("svc: NewCursorKey: key %d is empty", i+1))
		}
		k.keys[i] = slices.Clone(key)
	}
	return k
}

// Encode is [EncodeCursor] with a seal: HMAC-SHA-256 (RFC 2104) of the key's
// text or JSON, 32 bytes in front of it, all in base64url without padding.
func (k *CursorKey) Encode(key any) (string, error) {
	if len(k.keys) == 0 {
		return "", errors.New("svc: a CursorKey without a key seals nothing: use NewCursorKey")
	}
	payload, err := cursorPayload(key)
	if err != nil {
		return "", err
	}
	sealed := append(sealOf(k.keys[0], payload), payload...)
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Decode is [DecodeCursor] for what Encode wrote. A cursor that was changed,
// cut, or sealed with another key gives the same error as there. The seal is
// compared in constant time, and nothing is parsed before it is found good.
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
		if hmac.Equal(seal, sealOf(candidate, payload)) {
			return setCursorKey(payload, key)
		}
	}
	return cursorError(errors.New("no key has sealed it"))
}

// sealOf returns the seal of a payload. The label keeps a seal apart from
// whatever else an application signs with the same key.
func sealOf(key, payload []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("svc cursor\x00"))
	mac.Write(payload)
	return mac.Sum(nil)
}

// cursorError returns the error of a cursor that is not one of ours. The cause
// is for the log; a client learns the same whatever it was.
func cursorError(cause error) error {
	var vs violations
	vs.addViolation(Violation{In: "query", Path: "/cursor", Rule: ruleType, Message: "must be a cursor from an earlier answer of this list"})
	return ErrorFrom(vs.makeError()).WithCause(cause)
}

// decodeBase64 decodes the one spelling that EncodeCursor gives a text: Strict
// refuses stray bits at the end, and package base64 skips line ends.
func decodeBase64(cursor string) ([]byte, error) {
	if strings.ContainsAny(cursor, "\r\n") {
		return nil, errors.New("a line end in base64")
	}
	return base64.RawURLEncoding.Strict().DecodeString(cursor)
}

// isCursorText reports whether keys of type t are written as text.
func isCursorText(t reflect.Type) bool {
	return t.Kind() == reflect.String || isTextType(t)
}

// isTextType reports whether *t can write and read itself as text.
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

// setCursorKey reads payload into what key points to.
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

// unmarshalCursor is json.Unmarshal for texts that are also good I-JSON.
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

var (
	errNullKey = errors.New("null is no key") // json.Unmarshal takes it for any type
	errTextKey = errors.New("the text is not UTF-8")
)
