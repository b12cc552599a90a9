package svc

// This file encodes scalars.

import (
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
)

func encodeString(e *encoder, v reflect.Value) { e.buf = appendQuoted(e.buf, v.String()) }
func encodeBool(e *encoder, v reflect.Value)   { e.buf = strconv.AppendBool(e.buf, v.Bool()) }
func encodeInt(e *encoder, v reflect.Value)    { e.buf = strconv.AppendInt(e.buf, v.Int(), 10) }
func encodeUint(e *encoder, v reflect.Value)   { e.buf = strconv.AppendUint(e.buf, v.Uint(), 10) }

func encodeFloat(bits int) encodeFunc {
	return func(e *encoder, v reflect.Value) { e.float(v.Float(), bits) }
}

func (e *encoder) float(f float64, bits int) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.fail(fmt.Errorf("JSON cannot carry the number %v", f))
		return
	}
	e.buf = appendFloat(e.buf, f, bits)
}

func encodeNumber(e *encoder, v reflect.Value) { e.number(v.String()) }

// number appends a json.Number, whose zero value counts as 0.
func (e *encoder) number(text string) {
	if text == "" {
		text = "0"
	}
	if _, ok := jsonNumber(text); !ok {
		e.fail(errors.New("a json.Number that is not a JSON number"))
		return
	}
	e.buf = append(e.buf, text...)
}

func encodeTime(e *encoder, v reflect.Value) {
	t := v.Addr().Interface().(*time.Time)
	e.buf = append(e.buf, '"')
	if t.Location() == time.UTC {
		if year, month, day := t.Date(); 0 <= year && year <= 9999 {
			e.buf = append(appendUTC(e.buf, *t, year, int(month), day), '"')
			return
		}
	}
	buf, err := t.AppendText(e.buf)
	if err != nil {
		e.fail(err) // a year of five digits, or an offset of more than a day
		return
	}
	e.buf = append(buf, '"')
}

// appendUTC appends a time in UTC, with a year of four digits, by RFC 3339; the
// caller knows its date. It
// is what AppendText appends, in half the time: most times that services keep
// are such.
func appendUTC(dst []byte, t time.Time, year, month, day int) []byte {
	hour, minute, second := t.Clock()
	dst = append(appendTwo(appendTwo(dst, year/100), year%100), '-')
	dst = append(appendTwo(dst, month), '-')
	dst = append(appendTwo(dst, day), 'T')
	dst = append(appendTwo(dst, hour), ':')
	dst = append(appendTwo(dst, minute), ':')
	dst = appendTwo(dst, second)
	if nano := t.Nanosecond(); nano > 0 {
		dst = append(dst, '.')
		for unit := 100_000_000; nano > 0; unit /= 10 {
			dst = append(dst, '0'+byte(nano/unit))
			nano %= unit
		}
	}
	return append(dst, 'Z')
}

// appendTwo appends a number below 100 in two digits.
func appendTwo(dst []byte, n int) []byte {
	return append(dst, '0'+byte(n/10), '0'+byte(n%10))
}

func encodeDuration(e *encoder, v reflect.Value) {
	e.buf = appendQuoted(e.buf, time.Duration(v.Int()).String())
}

func encodeBytes(e *encoder, v reflect.Value) {
	e.buf = append(e.buf, '"')
	e.buf = base64.StdEncoding.AppendEncode(e.buf, v.Bytes())
	e.buf = append(e.buf, '"')
}

func encodeText(e *encoder, v reflect.Value) {
	text, err := v.Addr().Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		e.fail(err)
		return
	}
	e.buf = appendQuoted(e.buf, text)
}
