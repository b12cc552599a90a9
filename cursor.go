package svc

// This file implements cursors, and CursorKey, which seals them. A cursor holds the cursor key of
// the last item that the client has seen: a value by which the list is sorted, such as an ID, so
// that any replica can continue after the item.
//
// Cursors come from clients, so reading them is strict: one spelling for each cursor, valid UTF-8,
// I-JSON. All invalid cursors get the same error.

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

// EncodeCursor returns a cursor that holds key, the value by which the list is sorted, in base64url
// without padding (RFC 4648, section 5). doc/lists.md says how values are stored. An empty string
// gives an empty cursor. Clients can decode and forge cursors; see [CursorKey].
//
// EncodeCursor returns an error if key is nil, is not valid UTF-8, or cannot be encoded by
// encoding/json. The error is not an [*Error].
func EncodeCursor(key any) (string, error) {
	payload, err := cursorPayload(key)
	return base64.RawURLEncoding.EncodeToString(payload), err
}

// DecodeCursor decodes a cursor that [EncodeCursor] returned. key is a pointer to a value of the
// type that was encoded. The client may have forged the cursor: check its values like any input.
//
// If the cursor does not decode, or does not fit the type, DecodeCursor returns an [*Error] with
// code INVALID_ARGUMENT and one [Violation], at the query parameter "cursor". If key is nil or not
// a pointer, the error is not an *Error. After an error the value is unchanged.
func DecodeCursor(cursor string, key any) error {
	payload, err := decodeBase64(cursor)
	if err != nil {
		return cursorError(err)
	}
	return setCursorKey(payload, key)
}

// TimeCursor is the value to encode in cursors of lists that are sorted by time and then by ID,
// which tells items of the same time apart. Its JSON is {"id":"…","at":"…"}, with At in nanoseconds
// (RFC 3339, section 5.6). The zero value is valid.
type TimeCursor struct {
	ID string    `json:"id"` // of the last item of the page
	At time.Time `json:"at"` // of the last item of the page; compare it with Equal
}

// CursorKey seals cursors: clients can read a sealed cursor but cannot change or forge it. The zero
// CursorKey has no secret: Encode returns an error, and Decode accepts no cursor. A CursorKey is
// safe for concurrent use.
type CursorKey struct {
	secrets [][]byte // the first one seals; never written after NewCursorKey
}

// minCursorKey is the smallest number of bytes in a secret: 128 bits cannot be guessed.
const minCursorKey = 16

// NewCursorKey returns a CursorKey that seals with the first of secrets and accepts cursors
// sealed with any of them. A secret should be at least 32 random bytes, the length of the hash
// (RFC 2104, section 3), and the same on every replica. The secrets are copied. doc/lists.md
// says how to replace one.
//
// NewCursorKey panics without secrets, or if one is shorter than 16 bytes.
func NewCursorKey(secrets ...[]byte) *CursorKey {
	if len(secrets) == 0 {
		panic("svc: NewCursorKey: at least one key is needed")
	}
	k := &CursorKey{secrets: make([][]byte, len(secrets))}
	for i, secret := range secrets {
		if len(secret) < minCursorKey {
			panic(fmt.Sprintf("svc: NewCursorKey: key %d has %d bytes; a key needs at least %d, and should have 32 random ones", i+1,
				len(secret), minCursorKey))
		}
		k.secrets[i] = slices.Clone(secret)
	}
	return k
}

// Encode returns a cursor like [EncodeCursor], with a seal in front: 32 bytes of HMAC-SHA-256
// (RFC 2104). It returns an error if EncodeCursor does, or if k has no secret.
func (k *CursorKey) Encode(key any) (string, error) {
	if len(k.secrets) == 0 {
		return "", errors.New("svc: the CursorKey has no key; make it with NewCursorKey")
	}
	payload, err := cursorPayload(key)
	if err != nil {
		return "", err
	}
	return k.seal(cursorLabel, payload), nil
}

// Decode is like [DecodeCursor], for a cursor that [CursorKey.Encode] returned. A cursor that was
// changed, cut off, or sealed with an unknown secret does not decode. Nothing is parsed before the
// seal matches.
func (k *CursorKey) Decode(cursor string, key any) error {
	payload, err := k.open(cursorLabel, cursor)
	if err != nil {
		return cursorError(err)
	}
	return setCursorKey(payload, key)
}

// cursorLabel is the label of cursors. A seal covers a label and a payload, so a text that was
// sealed for one use, or signed by the application with the same secret, is not accepted for a
// different use.
const cursorLabel = "svc cursor\x00"

// seal returns the seal of a payload and the payload, in base64url. k must have a secret.
func (k *CursorKey) seal(label string, payload []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(sealOf(k.secrets[0], label, payload), payload...))
}

// open returns the payload of a text that seal returned for the same label.
func (k *CursorKey) open(label, text string) ([]byte, error) {
	sealed, err := decodeBase64(text)
	if err == nil && len(sealed) < sha256.Size {
		err = errors.New("it is shorter than a seal")
	}
	if err != nil {
		return nil, err
	}
	seal, payload := sealed[:sha256.Size], sealed[sha256.Size:]
	for _, secret := range k.secrets {
		if hmac.Equal(seal, sealOf(secret, label, payload)) {
			return payload, nil
		}
	}
	return nil, errors.New("it was not sealed with any of the keys")
}

// sealOf returns the seal of a payload. No label is the beginning of another label, so two
// uses never sign the same text.
func sealOf(secret []byte, label string, payload []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(label))
	mac.Write(payload)
	return mac.Sum(nil)
}

// cursorError returns the error for a cursor that is not accepted. The cause is only
// logged, since it would help clients that forge cursors.
func cursorError(cause error) error {
	var vs violations
	vs.addViolation(Violation{In: "query", Path: "/cursor", Rule: ruleType,
		Message: "must be a cursor from an earlier answer of this list"})
	return ErrorFrom(vs.err()).WithCause(cause)
}

// decodeBase64 decodes base64url without padding. It accepts one spelling of each
// payload: no line ends, which package base64 ignores, and no stray bits at the end.
func decodeBase64(cursor string) ([]byte, error) {
	if strings.ContainsAny(cursor, "\r\n") {
		return nil, errors.New("a line break in base64")
	}
	return base64.RawURLEncoding.Strict().DecodeString(cursor)
}

// isTextType reports whether *t has both MarshalText and UnmarshalText. A cursor written by one of
// them can only be read by the other.
func isTextType(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// cursorPayload returns the text or the JSON of a cursor key: "a" => a, 7 => 7, a TimeCursor
// => {"id":"…","at":"…"}.
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

// setCursorKey decodes payload into the value that key points to. It decodes into a new
// value first, so that an error leaves the old one unchanged. EncodeCursor has followed
// pointers, so if the value is a pointer itself, it gets a new value to point to.
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

// The errors of cursor keys that could be written but not read back. Clients do not see them.
var (
	errNullKey = errors.New("the JSON of the key is null")
	errTextKey = errors.New("the text of the key is not UTF-8")
)
