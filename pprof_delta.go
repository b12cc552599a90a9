package svc

// This file subtracts one profile from another. Both come from runtime/pprof,
// as gzipped protocol buffers of the message Profile in
// github.com/google/pprof/proto/profile.proto, which numbers what it repeats:
// a sample names its locations by id, a location its functions, and everything
// its strings. The ids of two profiles differ, so each message is rewritten
// with ids of the result; then equal messages are equal bytes.

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
)

// The fields of the message Profile that are touched.
const (
	profileSample   = 2
	profileMapping  = 3
	profileLocation = 4
	profileFunction = 5
	profileString   = 6
	profileTime     = 9  // in nanoseconds since 1970
	profileDuration = 10 // in nanoseconds
)

// A fieldRule says what a field of a message refers to, and so how it is
// rewritten.
type fieldRule struct {
	table  int               // the Profile field whose messages or strings it names by number, or 0
	nested map[int]fieldRule // the rules of the message in it, or nil
	omit   bool              // it is left out: the message's own id, and the values of a sample
}

// profileRules returns the rules for messages that are a field of Profile; a
// field without a rule is kept as it is.
func profileRules(field int) map[int]fieldRule {
	ownID, text := fieldRule{omit: true}, fieldRule{table: profileString}
	switch field {
	case profileSample:
		label := map[int]fieldRule{1: text, 2: text, 4: text} // key, str, num_unit
		return map[int]fieldRule{1: {table: profileLocation}, 2: {omit: true}, 3: {nested: label}}
	case profileMapping:
		return map[int]fieldRule{1: ownID, 5: text, 6: text} // filename, build_id
	case profileLocation:
		line := map[int]fieldRule{1: {table: profileFunction}}
		return map[int]fieldRule{1: ownID, 2: {table: profileMapping}, 4: {nested: line}}
	case profileFunction:
		return map[int]fieldRule{1: ownID, 2: text, 3: text, 4: text} // name, system_name, filename
	}
	return nil
}

// sampleValues is the field of a sample that holds its numbers, and messageID
// that of every other message that holds its id.
const (
	sampleValues = 2
	messageID    = 1
)

var errProfile = errors.New("not a profile")

// A protoField is one field of a protocol buffer: a number, or bytes.
type protoField struct {
	field  int
	number uint64
	bytes  []byte // nil for a number
}

// protoFields returns the fields of a message in order. A profile has nothing
// but numbers in base 128 and bytes (wire types 0 and 2).
func protoFields(msg []byte) ([]protoField, error) {
	var fields []protoField
	for len(msg) > 0 {
		tag, n := binary.Uvarint(msg)
		if n <= 0 {
			return nil, errProfile
		}
		value, m := binary.Uvarint(msg[n:])
		if m <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
			return nil, errProfile
		}
		msg = msg[n+m:]
		f := protoField{field: int(tag >> 3), number: value}
		switch tag & 7 {
		case 0:
		case 2:
			if value > uint64(len(msg)) {
				return nil, errProfile
			}
			f.bytes = msg[:value:value]
			msg = msg[value:]
		default:
			return nil, errProfile
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// protoNumbers returns the numbers in a repeated field, which may be packed
// into bytes.
func protoNumbers(f protoField) ([]uint64, error) {
	if f.bytes == nil {
		return []uint64{f.number}, nil
	}
	var numbers []uint64
	for b := f.bytes; len(b) > 0; {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errProfile
		}
		numbers = append(numbers, x)
		b = b[n:]
	}
	return numbers, nil
}

func appendProtoNumber(dst []byte, field int, x uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(dst, uint64(field)<<3), x)
}

func appendProtoBytes(dst []byte, field int, b []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(field)<<3|2)
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// A profileDelta adds up profiles.
type profileDelta struct {
	tables  map[int]*profileTable // of the fields mapping, location, function and string
	index   map[string]int        // from a rewritten sample to its place in samples
	samples []profileSum
}

// A profileTable numbers the messages of one field of the result, or its
// strings. Strings count from 0, which is "", and messages from 1.
type profileTable struct {
	first    uint64
	ids      map[string]uint64
	messages [][]byte // without their ids
}

func (t *profileTable) add(message []byte) uint64 {
	id, ok := t.ids[string(message)]
	if !ok {
		id = t.first + uint64(len(t.messages))
		t.ids[string(message)] = id
		t.messages = append(t.messages, message)
	}
	return id
}

// A profileSum is one sample of the result.
type profileSum struct {
	message []byte // without its values
	values  []int64
}

func newProfileDelta() *profileDelta {
	d := &profileDelta{tables: make(map[int]*profileTable), index: make(map[string]int)}
	for _, field := range [...]int{profileString, profileMapping, profileFunction, profileLocation} {
		d.tables[field] = &profileTable{first: 1, ids: make(map[string]uint64)}
	}
	d.tables[profileString].first = 0
	d.tables[profileString].add(nil)
	return d
}

// A profileSide is one profile while it is added up: ids leads from its own
// numbers, by field, to those of the result.
type profileSide struct {
	delta *profileDelta
	sign  int64
	ids   map[int]map[uint64]uint64
}

// add adds sign times the profile with the given fields.
func (d *profileDelta) add(fields []protoField, sign int64) error {
	side := &profileSide{delta: d, sign: sign, ids: make(map[int]map[uint64]uint64)}
	// What others refer to comes first, whatever the order in the profile.
	for _, field := range [...]int{profileString, profileMapping, profileFunction, profileLocation, profileSample} {
		side.ids[field] = make(map[uint64]uint64)
		for _, f := range fields {
			if f.field != field {
				continue
			}
			if err := side.addMessage(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// addMessage adds one sample, or one entry of a table.
func (s *profileSide) addMessage(f protoField) error {
	if f.field == profileString {
		ids := s.ids[profileString]
		ids[uint64(len(ids))] = s.delta.tables[profileString].add(f.bytes)
		return nil
	}
	message, err := s.rewrite(f.bytes, profileRules(f.field))
	if err != nil {
		return err
	}
	parts, err := protoFields(f.bytes)
	if err != nil {
		return err
	}
	if f.field == profileSample {
		return s.addSample(message, parts)
	}
	for _, part := range parts {
		if part.field == messageID {
			s.ids[f.field][part.number] = s.delta.tables[f.field].add(message)
		}
	}
	return nil
}

func (s *profileSide) addSample(message []byte, parts []protoField) error {
	at, ok := s.delta.index[string(message)]
	if !ok {
		at = len(s.delta.samples)
		s.delta.index[string(message)] = at
		s.delta.samples = append(s.delta.samples, profileSum{message: message})
	}
	sum, n := &s.delta.samples[at], 0
	for _, part := range parts {
		if part.field != sampleValues {
			continue
		}
		numbers, err := protoNumbers(part)
		if err != nil {
			return err
		}
		for _, x := range numbers {
			if n == len(sum.values) {
				sum.values = append(sum.values, 0)
			}
			sum.values[n] += s.sign * int64(x)
			n++
		}
	}
	return nil
}

// rewrite returns a message with the ids of the result.
func (s *profileSide) rewrite(message []byte, rules map[int]fieldRule) ([]byte, error) {
	fields, err := protoFields(message)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, f := range fields {
		switch rule := rules[f.field]; {
		case rule.omit:
		case rule.nested != nil:
			nested, err := s.rewrite(f.bytes, rule.nested)
			if err != nil {
				return nil, err
			}
			out = appendProtoBytes(out, f.field, nested)
		case rule.table != 0:
			numbers, err := protoNumbers(f)
			if err != nil {
				return nil, err
			}
			for _, x := range numbers {
				out = appendProtoNumber(out, f.field, s.ids[rule.table][x]) // 0, nothing, where there is no such id
			}
		case f.bytes != nil:
			out = appendProtoBytes(out, f.field, f.bytes)
		default:
			out = appendProtoNumber(out, f.field, f.number)
		}
	}
	return out, nil
}

// appendTo appends what was added up as fields of a Profile. Samples that come
// to nothing are left out.
func (d *profileDelta) appendTo(dst []byte) []byte {
	for _, sum := range d.samples {
		message, zero := sum.message, true
		for _, v := range sum.values {
			message = appendProtoNumber(message, sampleValues, uint64(v))
			zero = zero && v == 0
		}
		if !zero {
			dst = appendProtoBytes(dst, profileSample, message)
		}
	}
	for _, field := range [...]int{profileMapping, profileLocation, profileFunction} {
		for i, message := range d.tables[field].messages {
			withID := append(appendProtoNumber(nil, messageID, uint64(i+1)), message...)
			dst = appendProtoBytes(dst, field, withID)
		}
	}
	for _, s := range d.tables[profileString].messages {
		dst = appendProtoBytes(dst, profileString, s)
	}
	return dst
}

// writeProfileDelta writes the profile after less the profile before, gzipped
// like both of them. Its time is that of after, its duration lies between.
func writeProfileDelta(w io.Writer, before, after []byte) error {
	old, err := gunzipProfile(before)
	if err != nil {
		return err
	}
	fields, err := gunzipProfile(after)
	if err != nil {
		return err
	}
	delta := newProfileDelta()
	// The strings of after come first and keep their numbers, since
	// runtime/pprof writes none twice. So its other fields, which name types
	// and units, need no rewriting.
	if err := delta.add(fields, 1); err != nil {
		return err
	}
	if err := delta.add(old, -1); err != nil {
		return err
	}
	zw := gzip.NewWriter(w)
	zw.Write(delta.appendTo(profileHead(fields, old)))
	return zw.Close()
}

// profileHead returns the fields of a delta that are no messages of its own:
// those of after, and how long it is since before.
func profileHead(after, before []protoField) []byte {
	var head []byte
	for _, f := range after {
		switch {
		case profileRules(f.field) != nil || f.field == profileString || f.field == profileDuration:
		case f.bytes != nil:
			head = appendProtoBytes(head, f.field, f.bytes)
		default:
			head = appendProtoNumber(head, f.field, f.number)
		}
	}
	return appendProtoNumber(head, profileDuration, profileNanos(after)-profileNanos(before))
}

func profileNanos(fields []protoField) (nanos uint64) {
	for _, f := range fields {
		if f.field == profileTime {
			nanos = f.number
		}
	}
	return nanos
}

func gunzipProfile(data []byte) ([]protoField, error) {
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	msg, err := io.ReadAll(zr)
	if err != nil {
		return nil, err
	}
	return protoFields(msg)
}
