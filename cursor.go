package svc

// This file encodes cursors. A cursor holds the key of the last item that a client has
// seen, so that any replica can continue after it. page.go has the inputs and outputs
// with cursors.
//
// Cursors come from clients, so reading them is strict: one spelling for each cursor,
// valid UTF-8, I-JSON. All cursors that are not accepted get the same error.

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
// 4648, section 5). Strings, and types with MarshalText and UnmarshalText such as
// [time.Time], are stored as text; other types are stored as JSON by encoding/json.
// Pointers are followed. The cursor of the empty string is empty.
//
// EncodeCursor returns an error for a nil key, for a text that is not valid UTF-8 (use
// a []byte, which becomes JSON), and for a value that encoding/json cannot encode. It
// is not an *Error, because the client did not cause it.
//
// Clients can read and forge such cursors. If that matters, use a [CursorKey].
func EncodeCursor(key any) (string, error) {
	payload, err := cursorPayload(key)
	return base64.RawURLEncoding.EncodeToString(payload), err
}

// DecodeCursor decodes a cursor that [EncodeCursor] returned. key is a pointer to a
// value of the type that was encoded.
//
// If the cursor is not base64url without padding, or its text or JSON does not fit the
// type, DecodeCursor returns an *Error with code INVALID_ARGUMENT and one [Violation],
// at the query parameter "cursor". If key is nil or not a pointer, the error is not an
// *Error. After an error the value is unchanged.
//
// The client may have forged the cursor, so check its values like any other input.
func DecodeCursor(cursor string, key any) error {
	payload, err := decodeBase64(cursor)
	if err != nil {
		return cursorError(err)
	}
	return setCursorKey(payload, key)
}

// TimeCursor is a key for lists that are sorted by time and then by ID. The ID tells
// items of the same time apart; otherwise a page that ends between two of them would
// skip or repeat one. Its JSON is {"id":"…","at":"…"}, with At in nanoseconds (RFC
// 3339, section 5.6). The zero value is an ordinary key.
type TimeCursor struct {
	ID string    `json:"id"` // of the last item of the page
	At time.Time `json:"at"` // of the last item of the page; compare it with Equal
}

// CursorKey seals cursors: clients can read a sealed cursor, but cannot change or forge
// it. The zero CursorKey has no key: Encode returns an error and Decode accepts no
// cursor. A CursorKey is safe for concurrent use.
type CursorKey struct {
	keys [][]byte // the first one seals; never written after NewCursorKey
}

// minCursorKey is the smallest number of bytes in a key: 128 bits cannot be guessed.
const minCursorKey = 16

// NewCursorKey returns a CursorKey that seals with the first of keys and accepts
// cursors sealed with any of them. To replace a key, put the new one first and keep
// the old one until its cursors are no longer in use. The keys are copied.
//
// A key should be at least 32 random bytes, the length of the hash (RFC 2104, section
// 3), and the same on every replica. If one list must not accept the cursors of
// another, use different keys.
//
// NewCursorKey panics if there are no keys, or if one is shorter than 16 bytes, such as
// an environment variable that is not set: clients could guess it.
func NewCursorKey(keys ...[]byte) *CursorKey {
	if len(keys) == 0 {
		panic("svc: NewCursorKey: at least one key is needed")
	}
	k := &CursorKey{keys: make([][]byte, len(keys))}
	for i, key := range keys {
		if len(key) < minCursorKey {
			panic(fmt.Sprintf("svc: NewCursorKey: key %d has %d bytes; a key needs at least %d, and should have 32 random ones", i+1, len(key), minCursorKey))
		}
		k.keys[i] = slices.Clone(key)
	}
	return k
}

// Encode returns a cursor like [EncodeCursor], with a seal in front: 32 bytes of
// HMAC-SHA-256 (RFC 2104) over the text or the JSON, in the same base64. It returns an
// error if EncodeCursor does, or if k has no keys.
func (k *CursorKey) Encode(key any) (string, error) {
	if len(k.keys) == 0 {
		return "", errors.New("svc: the CursorKey has no key; make it with NewCursorKey")
	}
	payload, err := cursorPayload(key)
	if err != nil {
		return "", err
	}
	return k.seal(cursorLabel, payload), nil
}

// Decode decodes a cursor that [CursorKey.Encode] returned. key is a pointer to a value
// of the type that was encoded. Errors are those of [DecodeCursor]; a cursor that was
// changed, cut off, or sealed with an unknown key counts as one that does not decode.
// Seals are compared in constant time. Nothing is parsed before a seal matches.
func (k *CursorKey) Decode(cursor string, key any) error {
	payload, err := k.open(cursorLabel, cursor)
	if err != nil {
		return cursorError(err)
	}
	return setCursorKey(payload, key)
}

// cursorLabel is the label of cursors. Labels keep the seals of different uses apart, also
// from what else an application signs with the same key.
const cursorLabel = "svc cursor\x00"

// seal returns a payload behind its seal, in base64url. k must have a key.
func (k *CursorKey) seal(label string, payload []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(sealOf(k.keys[0], label, payload), payload...))
}

// open returns the payload of a text that seal has made with the same label.
func (k *CursorKey) open(label, text string) ([]byte, error) {
	sealed, err := decodeBase64(text)
	if err == nil && len(sealed) < sha256.Size {
		err = errors.New("it is shorter than a seal")
	}
	if err != nil {
		return nil, err
	}
	seal, payload := sealed[:sha256.Size], sealed[sha256.Size:]
	for _, key := range k.keys {
		if hmac.Equal(seal, sealOf(key, label, payload)) {
			return payload, nil
		}
	}
	return nil, errors.New("it was not sealed with any of the keys")
}

// sealOf returns the seal of a payload.
func sealOf(key []byte, label string, payload []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(label))
	mac.Write(payload)
	return mac.Sum(nil)
}

// cursorError returns the error for a cursor that is not accepted. The cause is only
// logged: it would help nobody but those who forge cursors.
func cursorError(cause error) error {
	var vs violations
	vs.addViolation(Violation{In: "query", Path: "/cursor", Rule: ruleType, Message: "must be a cursor from an earlier answer of this list"})
	return ErrorFrom(vs.makeError()).WithCause(cause)
}

// decodeBase64 decodes base64url without padding. It accepts one spelling of each
// payload: no line ends, which package base64 ignores, and no stray bits at the end.
func decodeBase64(cursor string) ([]byte, error) {
	if strings.ContainsAny(cursor, "\r\n") {
		return nil, errors.New("a line break in base64")
	}
	return base64.RawURLEncoding.Strict().DecodeString(cursor)
}

// isTextType reports whether *t has both MarshalText and UnmarshalText. With one of
// them, cursors could not be read back.
func isTextType(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// cursorPayload returns the text or the JSON of key.
func cursorPayload(key any) (payload []byte, err error) {
	v := reflect.ValueOf(key)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return nil, errors.New("svc: the key of a cursor must not be nil")
	case isTextType(v.Type()):
		p := reflect.New(v.Type()) // the methods may want a pointer
		p.Elem().Set(v)
		payload, err = p.Interface().(encoding.TextMarshaler).MarshalText()
	case v.Kind() == reflect.String:
		payload = []byte(v.String())
	default:
		payload, err = json.Marshal(v.Interface())
		if string(payload) == "null" {
			err = errNullKey
		}
	}
	if err == nil && !utf8.Valid(payload) {
		err = errTextKey
	}
	if err != nil {
		return nil, fmt.Errorf("svc: a cursor of type %v: %w", v.Type(), err)
	}
	return payload, nil
}

// setCursorKey decodes payload into the target of key. It decodes into a new value
// first, so that an error leaves the target unchanged.
func setCursorKey(payload []byte, key any) (err error) {
	p := reflect.ValueOf(key)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("svc: the key to decode a cursor into must be a pointer, not %T", key)
	}
	fresh := reflect.New(p.Type().Elem()).Elem()
	target := fresh
	for target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	switch {
	case !utf8.Valid(payload):
		err = errTextKey
	case isTextType(target.Type()):
		err = target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(payload)
	case target.Kind() == reflect.String:
		target.SetString(string(payload))
	default:
		err = unmarshalCursor(payload, target.Addr().Interface())
	}
	if err != nil {
		return cursorError(err)
	}
	p.Elem().Set(fresh)
	return nil
}

// unmarshalCursor calls json.Unmarshal after the scanner has rejected duplicate names
// and lone surrogates (RFC 7493). It rejects null, which json.Unmarshal would accept
// for any type.
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

// The errors of keys that could be written but not read back. Clients do not see them.
var (
	errNullKey = errors.New("the JSON of the key is null")
	errTextKey = errors.New("the text of the key is not UTF-8")
)
