package svc

// This file encodes values whose type no schema knows: those in an any.

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

func encodeAny(e *encoder, v reflect.Value) { e.any(v.Interface()) }

// any appends a value whose type is known only now.
func (e *encoder) any(x any) {
	switch x := x.(type) {
	case nil:
		e.buf = append(e.buf, "null"...)
	case string:
		e.buf = appendQuoted(e.buf, x)
	case bool:
		e.buf = strconv.AppendBool(e.buf, x)
	case float64:
		e.float(x, 64)
	case int:
		e.buf = strconv.AppendInt(e.buf, int64(x), 10)
	case int64:
		e.buf = strconv.AppendInt(e.buf, x, 10)
	case json.Number:
		e.number(string(x))
	case *any:
		e.anyPointer(x)
	case map[string]any:
		e.anyMap(x)
	case []any:
		e.anyList(x)
	default:
		e.dynamic(x)
	}
}

// anyPointer appends what x points to, which may be x.
func (e *encoder) anyPointer(x *any) {
	if x == nil {
		e.buf = append(e.buf, "null"...)
	} else if e.enter() {
		e.any(*x)
		e.depth--
	}
}

func (e *encoder) anyMap(m map[string]any) {
	if !e.enter() {
		return
	}
	names := make([]string, 0, len(m))
	for name := range m {
		if !utf8.ValidString(name) {
			e.depth--
			e.repairedMap(m)
			return
		}
		names = append(names, name)
	}
	slices.Sort(names)
	e.buf = append(e.buf, '{')
	for i, name := range names {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = append(appendQuoted(e.buf, name), ':')
		e.any(m[name])
	}
	e.buf = append(e.buf, '}')
	e.depth--
}

// repairedMap appends a map with names that are not UTF-8 by the names that
// appendQuoted makes of them.
func (e *encoder) repairedMap(m map[string]any) {
	valid := make(map[string]any, len(m))
	for name, x := range m {
		valid[string([]rune(name))] = x
	}
	if len(valid) < len(m) {
		e.fail(errors.New("a map with two keys of the same text"))
		return
	}
	e.anyMap(valid)
}

func (e *encoder) anyList(list []any) {
	if !e.enter() {
		return
	}
	e.buf = append(e.buf, '[')
	for i, x := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.any(x)
	}
	e.buf = append(e.buf, ']')
	e.depth--
}

func encodeDynamic(e *encoder, v reflect.Value) { e.dynamic(v.Addr().Interface()) }

// dynamic leaves to encoding/json what no schema says anything of.
func (e *encoder) dynamic(x any) {
	buf := bytes.NewBuffer(e.buf)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		e.fail(err)
		return
	}
	start := len(e.buf)
	e.buf = bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	e.check(e.buf[start:])
}
