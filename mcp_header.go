package svc

// This file compares headers with what they repeat from the body, so that a
// gateway that reads only headers and the server that reads only the body act
// on the same request (MCP 2026-07-28, Streamable HTTP, Server Validation).

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// hasHeader reports whether the request has the header once and it stands for
// value.
func (x *exchange) hasHeader(name string, value []byte) bool {
	values := x.r.Header[name]
	if len(values) != 1 {
		return false
	}
	text, ok := decodeHeader(values[0])
	return ok && text == string(value)
}

// decodeHeader returns what a header stands for: itself, or what it has in
// base64 where it is written =?base64?…?=. It reports false for base64 that is
// none and for bytes that a header must not have.
func decodeHeader(value string) (string, bool) {
	const prefix, suffix = "=?base64?", "?="
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return "", false
		}
	}
	if len(value) < len(prefix)+len(suffix) || !strings.HasPrefix(value, prefix) || !strings.HasSuffix(value, suffix) {
		return value, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(value[len(prefix) : len(value)-len(suffix)])
	return string(text), err == nil
}

// checkParamHeaders holds the headers Mcp-Param-* of a call against its
// arguments.
func (x *exchange) checkParamHeaders(t *tool, arguments []byte) *mcpError {
	for _, p := range t.headers {
		values := x.r.Header[p.header]
		value := argumentAt(arguments, p.path)
		if value == nil && len(values) == 0 {
			continue
		}
		if value == nil || len(values) != 1 || !sameArgument(values[0], value) {
			return badRequest(mcpHeaderMismatch, "the header "+p.header+" must be there once and be the argument /"+strings.Join(p.path, "/")+", or not be there if that is absent or null")
		}
	}
	return nil
}

// argumentAt returns the JSON value that a path of properties leads to, or nil
// if it is absent or null.
func argumentAt(object []byte, path []string) []byte {
	for _, property := range path {
		if len(object) == 0 || object[0] != '{' {
			return nil
		}
		var next []byte
		eachMember(object, func(name, value []byte) {
			if string(name) == property {
				next = value
			}
		})
		object = next
	}
	if bytes.Equal(object, []byte("null")) {
		return nil
	}
	return object
}

// maxSafeInteger is the last integer that every client can tell from the next
// one (RFC 7493, section 2.2).
const maxSafeInteger = 1<<53 - 1

// sameArgument reports whether a header stands for a JSON value: a string, a
// boolean, or a number, which is compared as one.
func sameArgument(header string, value []byte) bool {
	text, ok := decodeHeader(header)
	switch {
	case !ok || value[0] == '{' || value[0] == '[':
		return false
	case isText(value):
		return text == string(textOf(value))
	case text == string(value):
		return value[0] == 't' || value[0] == 'f' || isSafeInteger(value)
	case !isSafeInteger(value):
		return false
	}
	if _, ok := jsonNumber(text); !ok {
		return false
	}
	a, aNeg, aBad := parseInteger([]byte(text))
	b, bNeg, _ := parseInteger(value)
	return aBad == integerOK && a == b && (aNeg == bNeg || a == 0)
}

func isSafeInteger(value []byte) bool {
	if value[0] != '-' && !isDigit(value[0]) {
		return false
	}
	mag, _, bad := parseInteger(value)
	return bad == integerOK && mag <= maxSafeInteger
}
