package svc

// This file turns JSON text into Go values. At registration a decoders pass
// compiles each shape (type.go) into a decodeFunc. For each input one decoder
// runs it, once over the text, and collects every violation with its place. In this
// order: decoder, its options and its report; the blocks of short strings; decoders;
// lists and maps; structs and unions; scalars, and setters for their texts; values that
// the application decodes; any.
//
// The shape decides which values are accepted. Everything else is a violation with
// the rule "type":
//
//	kind                    JSON that it takes              decoded by
//	kindPointer             null, or the value behind it   decodePointer
//	kindOptional            null, or the value in it       decodeOptional
//	kindSlice               array                           decodeList, decodeStrings
//	kindArray               array of that length            decodeList
//	kindMap                 object; names are the map keys  decodeMap, setterFor
//	kindObject              object                          objectPlan.decodeObject
//	kindByType              that of any alternative        choicePlan.decodeChoice
//	kindBool                true, false                     decodeBool
//	kindInt, kindUint       number that is an integer       setInteger
//	kindFloat, kindNumber   number                          setFloat, setString
//	kindString              string                          decodeString
//	kindTime                string by RFC 3339              setTime
//	kindDuration            string by time.ParseDuration    setDuration
//	kindBytes               string in base64                setBytes
//	kindText                string for UnmarshalText        setTextOr
//	kindCustom              any, for UnmarshalJSON          decodeCustom
//	kindRaw                 any, kept as text               decodeRaw
//	kindAny                 any                             decodeAny
//
// Null is a value of pointers, Optionals, custom types, raw JSON and any only.
//
// A plan knows which kind of value comes next. So it looks at one byte, asks the scanner (json.go)
// for a value of that kind, and skips a value of any other kind. It builds neither tokens nor a
// tree of values. Every byte passes the same strict checks, even in skipped values.
//
// Values are only decoded into fresh zero values, so functions need not clear old values, or set
// false, 0, nil and "".

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A decoder is the workspace of one input. Transports keep it for the next input, so that decoding
// allocates only the values themselves.
//
// Invariants, between the calls of two decodeFuncs:
//
//	path leads to the value being decoded, and in is its source: together they are
//	  the place of a violation. While the names of a map are checked, naming is set
//	seen is a stack that says of each field of the open objects, outermost first,
//	  whether it was met; see objectPlan.decodeObject
//	texts holds the elements so far of an open list of strings
//	scratch and scan.data are overwritten by the next value or the next input,
//	  so references to them are never stored in a value
//
// After a syntax error the stacks path, seen and texts keep their open levels; start
// clears them.
type decoder struct {
	scan    scanner
	in      string // Violation.In of the current place
	path    []step
	naming  bool // the complaint is about the name at the end of path, a map key, and not about its value
	seen    []bool
	texts   []string
	scratch []byte // for text that is read and not kept: unescaped strings, query values, places
	number  []byte // the text of the last float of 32 bits; see checkRules
	// defaulted counts the bytes of the defaults that forDefaults has decoded; see readDefault. The
	// decoder of a default uses the limit of the input.
	defaulted, defaultLimit int
	forDefaults             *decoder        // nil until an input needs one
	arena                   strings.Builder // the block that takes the next short string; see keepText
	rest                    string          // a short text from its first string on; see keepString
	// sourceOf returns the Violation.In of a place in the input that an error of Validate names. It
	// is set while Validate methods run; see binding.sourceAt.
	sourceOf func(path string) string
	opts     inputOptions
	report   report
	sent     sentNotes  // of a call with an idempotency key, until its input is read; nil for others
	wrongKey *Violation // a violation about the idempotency key, which counts as one of the input; or nil
}

// inputOptions say how one input is read. The transport and the binder set them before
// and after decoder.start, which keeps them; Service.borrowWorkspace sets all of them.
type inputOptions struct {
	// lean is set if only svc reads the error of the input, and no ErrorWriter of the
	// application does. The violations then stay in a list, from which the message is made
	// where it is written: the map of Error.Details costs more than the rest of the error. The
	// list and the error belong to the decoder, which overwrites them with the next input.
	lean bool

	// allow reports whether an unknown member, at path and with this value, is allowed. If it is
	// nil, objectPlan.strict decides.
	allow func(d *decoder, value []byte) bool
	// beside has the arguments of an MCP tool that are not in its input, such as idempotency_key,
	// to suggest them for misspelt members of the root.
	beside []knownName

	// readStrings reads a list, an object, a number or a boolean from a string with its JSON; see
	// MCPOptions.ReadStrings.
	readStrings bool
	// readDigits reads an integer of 64 bits from a string with its digits, since programs in
	// JavaScript round numbers beyond 2^53.
	readDigits bool
	// dropNulls takes a null for a member that may be absent, and not null, as its absence:
	// frameworks of models send null for every argument that the model left out.
	dropNulls bool

	keepURL bool // strings may be parts of the path and the query of the request; see isShortURL
	ahead   int  // how many bytes of the input are not yet in scan.data: the bytes of the query
	fills   bool // checks set empty discriminators of unions: the input is a Go value; see binding.checkValue
}

// A report collects everything that is wrong with one input, as far as it was read. decoder.finish
// turns it into one error, by the first line that applies:
//
//	the text is not JSON (scanner.err)          one violation, of the text
//	a Validate returned any other *Error        validateErr, unchanged
//	a Go value is too deep (tooDeep)            one violation, of the whole input
//	all violations come from one nested         nestedErr, with its own message,
//	error, which came from the application        status and details
//	there are violations                        an error with all of them
//
// A nested error is an *Error with violations that an UnmarshalText, UnmarshalJSON or Validate
// method returned about one value; see addNested.
type report struct {
	found       violations
	validateErr error
	tooDeep     bool
	nestedErr   error // the first nested error
	nestedCount int   // how many violations it has
	searches    int   // how many unknown names were searched for; see maxSearches
	leanErr     Error // the memory of the error if inputOptions.lean is set
}

// reset empties r for the next input.
func (r *report) reset(lean bool) {
	if len(r.found.list) > 0 || r.found.cause != nil { // as few inputs have
		r.dropViolations(lean)
	}
	r.validateErr, r.tooDeep, r.searches = nil, false, 0
}

// dropViolations drops the violations, including nested ones. If lean is set, it keeps the memory
// of the list, which no application has seen.
func (r *report) dropViolations(lean bool) {
	if found := &r.found; lean {
		clear(found.list)
		found.list, found.bytes, found.omitted, found.cause = found.list[:0], 0, 0, nil
		r.leanErr.cause = nil
	} else {
		*found = violations{}
	}
	r.nestedErr, r.nestedCount = nil, 0
}

// A sentNotes is told every text of an input, for the idempotency key of its call: the JSON, with a
// nil field, or a text for the field f from a path, a query, a form, a header or a cookie. It is
// called before a method of the application reads the text, and must not keep it.
type sentNotes interface {
	noteText(f *field, text []byte)
}

// noteText notes a text of the input if its call has an idempotency key.
func (d *decoder) noteText(f *field, text []byte) {
	if d.sent != nil {
		d.sent.noteText(f, text)
	}
}

// forgetKey clears the fields that the call set for its idempotency key.
func (d *decoder) forgetKey() { d.sent, d.wrongKey = nil, nil }

// start prepares d for the next input, whose JSON is data.
func (d *decoder) start(data []byte) {
	d.scan.reset(data)
	d.startInput()
}

// startInput is start for an input that begins where the scanner is: in the middle of a
// message. The arena's block belongs to the values of the last input. Filling it up would
// tie two inputs together: a string kept from one would keep the other's text in memory.
func (d *decoder) startInput() {
	d.report.reset(d.opts.lean)
	d.in, d.naming, d.number = inBody, false, nil
	d.path, d.seen = d.path[:0], d.seen[:0]
	clear(d.texts) // a syntax error leaves some behind
	d.texts = d.texts[:0]
	d.arena.Reset()
	d.rest = ""
	d.defaulted, d.defaultLimit = 0, 0
}

// resetWithin drops all pointers of d into the input. It reports false if d, or one of the buffers,
// keeps more memory than about limit bytes.
func (d *decoder) resetWithin(limit int, buffers ...[]byte) bool {
	isLarge := func(b []byte) bool { return cap(b) > limit }
	if slices.ContainsFunc(buffers, isLarge) || isLarge(d.scratch) || cap(d.scan.names) > limit/16 || len(d.scan.found) > limit/16 ||
		cap(d.texts) > limit/16 || cap(d.seen) > limit {
		return false
	}
	d.start(nil)
	clear(d.scan.names[:cap(d.scan.names)])
	return true
}

// A defaultFunc sets v, which is settable and zero, to the default of a field. It returns a
// complaint about the absence of the field, or nil.
type defaultFunc func(d *decoder, v reflect.Value) *complaint

// A decodeFunc decodes the value at the scanner's position into v, which is
// settable and zero. It always moves the scanner past the value, and adds
// violations to the decoder. After a syntax error (scan.err) v must not be used.
type decodeFunc func(d *decoder, v reflect.Value)

// An inputPlace says where REST takes a field of an input from, by which name, and how its value is
// written there. A field of an inner struct has none: it is where the struct is.
//
//	ID    string   `path:"id" json:"todoId"`   wherePath, "id", inPath, stylePlain
//	Tags  []string `query:"tag"`               whereQuery, "tag", inQuery, stylePlain
//	Name  string   `json:"name"`               whereBody, "name", inBody, styleJSON
//	Patch []patch  `json:"patch" body:"*"`     whereBody, "patch", inBody, styleWhole
//	Photo svc.Body `json:"photo"`              whereForm, "photo", inBody, styleBytes; or whereBody
//
// The binder makes the list of them, and documents, clients and contracts read it.
type inputPlace struct {
	*field
	where       where
	sourceName  string // of the placeholder, the parameter, the header, the cookie, the part or the member
	sourceToken string // the same as a reference token of a JSON Pointer
	canonical   string // the same as where.canonical has it
	in          string // Violation.In
	style       style
}

// addViolation adds a violation at the current place. Once the list is full it only
// counts: an input may have 100,000 violations.
func (d *decoder) addViolation(c *complaint) {
	if d.report.found.full() {
		d.report.found.omitted++
		return
	}
	message := c.message
	if d.naming {
		message = "has a name that " + message
	}
	d.report.found.addViolation(Violation{In: d.in, Path: d.place(), Rule: c.rule, Message: message, Limit: c.limit, Empty: c.empty})
}

// addIfAny adds a violation unless c is nil, for a good value, or errAdded.
func (d *decoder) addIfAny(c *complaint) {
	if c != nil && c != errAdded {
		d.addViolation(c)
	}
}

// place returns the JSON Pointer to the current place, such as /items/3/name. It
// overwrites scratch unless the place is a member of the input itself, the most frequent
// one.
func (d *decoder) place() string {
	if len(d.path) == 1 && d.path[0].token != "" {
		return d.path[0].token
	}
	d.scratch = appendSteps(d.scratch[:0], d.path)
	return string(d.scratch)
}

// push moves the current place to the named member; pop moves it back.
func (d *decoder) push(name string) { d.pushToken(pointerToken(name)) }

// pushToken is push for a name that is a reference token already. Plans keep
// the tokens of their fields.
func (d *decoder) pushToken(token string) { d.path = append(d.path, step{token: token}) }
func (d *decoder) pop()                   { d.path = d.path[:len(d.path)-1] }

// skipIfFull skips the next value and reports true if no more violations are kept. The input will
// be refused, and its values would waste memory: 1 MiB of wrong elements would cost 300 MiB. It
// still scans the value, because a text that is not JSON is a different error. The decodeFuncs of
// lists, maps and pointers, which can allocate many values, call it first.
func (d *decoder) skipIfFull() bool {
	if !d.report.found.full() {
		return false
	}
	d.scan.skipValue()
	return true
}

// skipMismatch skips a value of the wrong type and adds c, with the type that came.
func (d *decoder) skipMismatch(c *complaint) { d.addMismatch(c, d.scan.skipValue()) }

// readInside reads a value that does not begin with begins, as a list or an object does: if it is
// a string with such JSON in it, and inputOptions.readStrings is set, decode decodes that. Else
// the value is skipped as by skipMismatch.
//
// The text in the string is checked first, with the depth of the text around it, so that decode
// cannot fail: a string without JSON is a violation and no syntax error.
func (d *decoder) readInside(begins byte, c *complaint, v reflect.Value, decode decodeFunc) {
	value := d.scan.skipValue()
	inside := []byte(nil)
	if d.opts.readStrings && d.scan.err == nil {
		inside = jsonInside(value, begins, d.scan.depth)
	}
	if inside == nil {
		d.addMismatch(c, value)
		return
	}
	outer := d.scan
	d.scan = scanner{data: inside, depth: outer.depth}
	decode(d, v)
	d.scan = outer
}

// addMismatch adds c, with the type of a value that was skipped.
func (d *decoder) addMismatch(c *complaint, value []byte) {
	switch {
	case d.scan.err != nil:
	case d.report.found.full():
		d.addViolation(c) // it only counts c; the string is not read again
	default:
		d.addViolation(c.about(value))
	}
}

// finish returns the error of the whole input, or nil; see report. A text that is not JSON gets
// only one violation: violations before the syntax error mean little in a text that is cut off or
// garbled.
func (d *decoder) finish() error {
	switch {
	case d.scan.err != nil:
		return d.textError()
	case d.report.validateErr != nil:
		return d.report.validateErr
	case len(d.report.found.list) == 0:
		return nil
	case d.report.nestedErr != nil && d.report.nestedCount == d.report.found.count():
		return d.report.nestedErr
	case d.report.found.haveSources():
		slices.SortStableFunc(d.report.found.list, func(a, b Violation) int {
			return cmp.Compare(orderOf(a.In), orderOf(b.In))
		})
	}
	return d.violationsError()
}

// violationsError returns the error that carries the violations, of which there must be one.
func (d *decoder) violationsError() error {
	vs := &d.report.found
	if !d.opts.lean {
		return vs.err()
	}
	e := &d.report.leanErr // only these fields of it are ever set
	e.Code, e.found, e.cause = CodeInvalidArgument, vs, vs.cause
	return e
}

// textError returns the error of a text that is not acceptable JSON. Its message has the byte
// offset. The violation has a place only for a duplicate name.
func (d *decoder) textError() error {
	v := Violation{In: inBody, Rule: d.scan.err.rule, Message: d.scan.err.describe("the text")}
	if d.scan.err.rule == ruleDuplicate {
		v.Path = string(pointerToName(d.scan.data[:d.scan.err.offset]))
		v.Message = "is the name of two members of one object, at byte " + strconv.Itoa(d.scan.err.offset)
	}
	d.report.dropViolations(d.opts.lean)
	d.report.found.addViolation(v)
	return d.violationsError()
}

// An arena is a block of memory that the short strings of one input share. Without it, a request of
// ten small fields would make ten allocations of a few bytes, which is most of decoding's
// allocations. From {"name":"Ann","city":"Rome","note":"…300 bytes…"} come
//
//	a block    AnnRome                 name and city are parts of it
//	a string   …300 bytes…             of its own
//
// The sizes limit the garbage that sharing keeps alive: a block lives as long as any string in it,
// so a service that keeps one short string of an input keeps at most about 250 extra bytes. A
// larger block would raise this, and save at most one allocation in every 256 bytes of short
// strings.
const (
	arenaBlock = 256 // the most bytes of a block
	arenaText  = 64  // the most bytes of a string that a new block is made for
)

// keepText returns text as a string, in the arena if it is short or fits there.
//
// A strings.Builder makes strings from its buffer without copying and never writes
// the same byte twice, so its substrings stay valid while later strings are
// appended. When the next string does not fit, Reset leaves the block to the
// strings in it. A new block is no longer than the rest of the input, because the
// strings to come cannot be longer: an input with a single word gets a few bytes.
// Strings of at most one byte need no memory: Go keeps all of them.
func (d *decoder) keepText(text []byte) string {
	n := len(text)
	if n <= 1 {
		return string(text)
	}
	if d.arena.Cap()-d.arena.Len() < n {
		if n > arenaText {
			return string(text)
		}
		d.arena.Reset()
		d.arena.Grow(min(arenaBlock, n+max(len(d.scan.data)-d.scan.pos, d.opts.ahead)))
	}
	start := d.arena.Len()
	d.arena.Write(text)
	return d.arena.String()[start:]
}

// keepString reads a string and returns its text, which may be stored in a value. If the whole
// input fits into a block, its strings are parts of one copy of the input, starting at the first
// string. This takes no more memory than a block, and less time than copying each string. A string
// with escapes is copied by itself.
func (d *decoder) keepString() string {
	raw, escaped := d.scan.readString()
	if len(raw) <= 1 || escaped || len(d.scan.data) > arenaBlock {
		return d.keepText(d.unescape(raw, escaped))
	}
	end := len(d.scan.data) - d.scan.pos + len(`"`) // from the end of the text
	if d.rest == "" {
		d.rest = string(d.scan.data[len(d.scan.data)-end-len(raw):])
	}
	return d.rest[len(d.rest)-end-len(raw) : len(d.rest)-end]
}

// decoders is the compile pass of one service: the decodeFunc of every shape that it reaches. It is
// not used after registration. Its functions and plans are then immutable and serve all goroutines.
//
// Invariants:
//
//	byShape has a pointer to nil for a shape that is being compiled
//	pending is empty when open is 0 and no function of it runs
type decoders struct {
	mistakes       *mistakes
	byShape        map[*shape]*decodeFunc
	plans          map[*shape]*objectPlan // of structs inside others
	examples       map[exampleKey]bool    // whose own examples have been tried; see checkExamples
	discriminators *[]string              // the discriminators of all unions; see unionPlan
	strict         bool                   // unknown members are violations
	outputs        bool                   // a client decodes outputs; see objectPlan
	stored         bool                   // a Codec decodes stored values; outputs is set too
	open           int                    // how many shapes are being compiled, nested in each other
	pending        []func()               // called when open is 0: defaults can be tried only by complete decoders
}

func newDecoders(p *mistakes, strict bool) *decoders {
	return &decoders{mistakes: p, byShape: make(map[*shape]*decodeFunc), plans: make(map[*shape]*objectPlan),
		examples: make(map[exampleKey]bool), discriminators: new([]string), strict: strict}
}

// decoderFor returns the decodeFunc for values of shape s.
func (c *decoders) decoderFor(s *shape) decodeFunc {
	c.open++
	decode := compileOnce(c.byShape, s, c.compileDecoder)
	c.open--
	c.runPending()
	return decode
}

// runPending calls the pending functions once all decoders are complete.
func (c *decoders) runPending() {
	for c.open == 0 && len(c.pending) > 0 {
		next := c.pending[0]
		c.pending = c.pending[1:]
		next()
	}
}

// compileDecoder compiles the decodeFunc for s, which also checks the rules of s. It does not check
// a value that has violations inside: such a value is incomplete, and may break rules that the
// client's value does not break. The rule of roleMost is checked while a list or a map is read,
// before its memory is spent. A setter checks the rules of a text.
func (c *decoders) compileDecoder(s *shape) decodeFunc {
	c.checkExamples(s)
	if len(s.rules) == 0 || s.kind == kindText {
		return c.typeDecoder(s)
	}
	if c.outputs {
		return c.typeDecoder(s.withoutRules())
	}
	decode := c.typeDecoder(s)
	careful := s.kind == kindFloat && s.bits == 32 || slices.ContainsFunc(s.rules, func(r rule) bool { return r.costly })
	return func(d *decoder, v reflect.Value) {
		before := d.report.found.count()
		if decode(d, v); d.scan.err != nil || d.report.found.count() != before || d.report.found.full() {
			return
		}
		if careful {
			d.checkRules(s.rules, v)
			return
		}
		// This is checkRules for most values. Calling it would take 2 % of the time of a list
		// of small objects.
		for i := range s.rules {
			if r := &s.rules[i]; r.violates(v) {
				d.addViolation(r.about(v))
			}
		}
	}
}

// plainDecoders has the decodeFuncs of kinds that do not depend on the type.
var plainDecoders = [kindFile + 1]decodeFunc{
	kindAny: decodeAny, kindRaw: decodeRaw, kindCustom: decodeCustom, kindString: decodeString, kindBool: decodeBool,
}

// typeDecoder compiles the decodeFunc for s, by the table at the top. The only rule that it checks
// is roleMost.
func (c *decoders) typeDecoder(s *shape) decodeFunc {
	if plain := plainDecoders[s.kind]; plain != nil {
		return plain
	}
	switch s.kind {
	case kindPointer:
		return decodePointer(c.decoderFor(s.elem), s.elem.typ)
	case kindOptional:
		return decodeOptional(c.decoderFor(s.elem))
	case kindSlice:
		limit := s.rules.lookup(roleMost)
		if s.typ == reflect.TypeFor[[]string]() && len(s.elem.rules) == 0 {
			return decodeStrings(limit)
		}
		return decodeList(c.decoderFor(s.elem), s.typ, limit, nil)
	case kindArray:
		n := s.typ.Len() // the schema states it as minItems and maxItems
		exactly, limit := "must have exactly "+countText(n, "item"), json.Number(strconv.Itoa(n))
		return decodeList(c.decoderFor(s.elem), s.typ,
			&rule{count: n, complaint: &complaint{rule: "maxItems", message: exactly, limit: limit}}, &complaint{rule: "minItems",
				message: exactly, limit: limit})
	case kindMap:
		c.checkExamples(s.key)
		return decodeMap(c.checkedSetter(s.key, isPlainInteger), c.decoderFor(s.elem), s, s.rules.lookup(roleMost))
	case kindObject:
		plan := new(objectPlan)
		c.plans[s] = plan // before the fields, which may lead back to s
		*plan = *c.structPlan(s, nil)
		return plan.decodeObject
	case kindByType:
		return c.choiceDecoder(s)
	}
	return c.decodeScalar(s)
}

// decodePointer returns the decodeFunc of a pointer to t. Null leaves it nil;
// for any other value elem decodes into a new t.
func decodePointer(elem decodeFunc, t reflect.Type) decodeFunc {
	return func(d *decoder, v reflect.Value) {
		if d.scan.peek() == 'n' {
			d.scan.readLiteral("null")
			return
		}
		if d.skipIfFull() {
			return
		}
		p := reflect.New(t)
		elem(d, p.Elem())
		v.Set(p)
	}
}

// decodeOptional returns the decodeFunc of an Optional, whose value elem decodes.
func decodeOptional(elem decodeFunc) decodeFunc {
	return func(d *decoder, v reflect.Value) {
		value, state := v.Addr().Interface().(optionalField).parts()
		if d.scan.peek() == 'n' {
			d.scan.readLiteral("null")
			*state = stateNull
			return
		}
		elem(d, reflect.ValueOf(value).Elem())
		*state = stateValue
	}
}

// decodeList returns the decodeFunc of a slice or an array of type t. An empty array gives
// an empty slice; only an absent one is nil. Elements beyond limit are scanned and not
// stored: an element of three bytes may take a kilobyte in memory. errTooFew is the
// complaint about an array with too few elements for a Go array.
//
// A slice grows in place: first to four elements, then as append grows it. A top-level list
// is usually most of the body, so it grows by an estimate from the bytes left:
//
//	{"items":[…4 elements in 80 bytes, 2,000 bytes left…]}
//
// could have 100 more elements. It gets room for 28, because a list grows at most to eight times
// its length: the bytes left may belong to a different member. A nested list is followed by
// siblings, and an input in a batch by the next calls, so these do not estimate.
func decodeList(elem decodeFunc, t reflect.Type, limit *rule, errTooFew *complaint) decodeFunc {
	grows := t.Kind() == reflect.Slice
	var decode decodeFunc
	decode = func(d *decoder, v reflect.Value) {
		if d.scan.peek() != '[' {
			d.readInside('[', errNotArray, v, decode)
			return
		}
		n, start, factor := 0, d.scan.pos, 0
		if d.scan.depth == 1 { // a member of the whole text
			factor = 7
		}
		count := d.eachElement(limit, func() {
			if grows {
				if n == v.Cap() {
					more := n * (len(d.scan.data) - d.scan.pos) / (d.scan.pos - start)
					v.Grow(max(4, min(more, factor*n)))
				}
				v.SetLen(n + 1)
			}
			elem(d, v.Index(n))
			n++
		})
		if !grows && count < t.Len() && d.scan.err == nil {
			d.addViolation(errTooFew)
		}
		if grows && n == 0 {
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
	}
	return decode
}

// decodeStrings returns the decodeFunc of a []string: decodeList for the most common type of list,
// without reflection. The strings are collected in d.texts until the array ends, so that the slice
// is allocated once with the right length. They are then cleared, or the decoder would keep them in
// memory.
func decodeStrings(limit *rule) decodeFunc {
	var decode decodeFunc
	decode = func(d *decoder, v reflect.Value) {
		if d.scan.peek() != '[' {
			d.readInside('[', errNotArray, v, decode)
			return
		}
		base, before := len(d.texts), d.report.found.count()
		d.eachElement(limit, func() {
			text := ""
			if d.scan.peek() != '"' {
				d.skipMismatch(errNotString)
			} else {
				text = d.keepString()
			}
			d.texts = append(d.texts, text)
		})
		if d.report.found.count() == before { // otherwise the input is refused
			list := make([]string, len(d.texts)-base)
			copy(list, d.texts[base:])
			*v.Addr().Interface().(*[]string) = list
		}
		clear(d.texts[base:])
		d.texts = d.texts[:base]
	}
	return decode
}

// eachElement calls decode for the elements of the array at the position of the scanner,
// with the element as the current place, and returns how many elements there are. It
// skips the elements beyond limit, which together are one violation of the array, and all
// elements once no more violations are kept. limit is the rule of roleMost, or nil.
func (d *decoder) eachElement(limit *rule, decode func()) (count int) {
	d.scan.openBracket()
	d.path = append(d.path, step{})
	top := len(d.path) - 1
	for first := true; d.scan.more(']', first); first = false {
		if limit != nil && count >= limit.count {
			d.scan.skipValue()
		} else if !d.skipIfFull() {
			decode()
		}
		count++
		d.path[top].index++
	}
	d.path = d.path[:top]
	if limit != nil && count > limit.count && d.scan.err == nil {
		d.addViolation(limit.complaint)
	}
	return count
}

// decodeMap returns the decodeFunc of a map of shape s. UnmarshalText may read two names, such as
// "::1" and "0::1", as one map key. That is a violation, because one of the values would be
// dropped. If a name is invalid, its value is not stored: its map key is zero, which may be the key
// of a valid name. Members beyond limit, which may be nil, are scanned and not stored, as in
// eachElement.
func decodeMap(setKey setter, elem decodeFunc, s *shape, limit *rule) decodeFunc {
	var decode decodeFunc
	decode = func(d *decoder, v reflect.Value) {
		if d.scan.peek() != '{' {
			d.readInside('{', errNotObject, v, decode)
			return
		}
		// SetMapIndex copies the key and the value, so one variable of each serves all members.
		m := reflect.MakeMap(s.typ)
		key, value := reflect.New(s.key.typ).Elem(), reflect.New(s.elem.typ).Elem()
		set := nameSet{base: len(d.scan.names)}
		d.scan.openBracket()
		count := 0
		for first := true; d.scan.more('}', first); first = false {
			name := d.scan.readName()
			if set.addName(&d.scan, name); d.scan.err != nil {
				return
			}
			if count++; limit != nil && count > limit.count {
				d.scan.skipValue()
				continue
			}
			if d.skipIfFull() {
				continue
			}
			d.push(string(name))
			key.SetZero()
			value.SetZero()
			d.naming = true
			c := setKey(d, key, name)
			if c == nil && m.MapIndex(key).IsValid() {
				c = errSameMapKey
			}
			d.addIfAny(c)
			d.naming = false
			if elem(d, value); d.scan.err != nil {
				return
			}
			if c == nil {
				m.SetMapIndex(key, value)
			}
			d.pop()
		}
		set.forgetNames(&d.scan)
		if limit != nil && count > limit.count && d.scan.err == nil {
			d.addViolation(limit.complaint)
		}
		v.Set(m)
	}
	return decode
}

// An objectPlan decodes an object into a struct, or into some of its fields: for the body of a
// request, the fields that come from the body. decoders.objectPlan writes it at registration. After
// that decodeObject, the binder and [Service.Call]'s defaults read it.
//
// Invariants:
//
//	fields[:named] have a wire name, in the order of the Go fields, which is the order
//	  of the published schema; see nextMember
//	fields[named:] have no wire name, so no member is decoded into them
//	byName has the index of each field by its wire name
//	known has the wire names to suggest for unknown names, and inside the names one level
//	  further down
//	need has the indexes of the fields that are required or have a default;
//	  completeAbsent looks at no others
//	strict makes unknown members violations
//	stored sets no defaults behind nil embedded pointers: a Codec did not write
//	  their members
type objectPlan struct {
	fields []fieldPlan
	named  int
	byName map[string]int
	known  []knownName
	need   []int
	strict bool
	stored bool         // of a Codec
	union  *unionPlan   // nil for other structs
	inside []insidePlan // of the fields that are objects; empty if unknown members are ignored
}

// An insidePlan is the plan of a field, used to suggest its members.
type insidePlan struct {
	token string // of the field
	plan  *objectPlan
}

// A unionPlan is the part of an objectPlan that finds the alternative of an object in a union. The
// fields of its objectPlan are the fields of all alternatives, the discriminator first. Take a
// discriminator "type" with the values circle and square:
//
//	{"type":"circle","radius":1}   first is `"type":"`, so circle follows at once
//	{"radius":1,"type":"circle"}   scanner.lookAhead finds it to the discriminator
//	{"type":"oval"}                errUnknown
//
// Reading ahead also finds the discriminators of inner unions, by the names in discriminators. It
// lists the discriminators of all unions of the service: all plans share the list, which is
// complete when registration ends.
type unionPlan struct {
	alternatives   map[string]alternativePlan // by the value of the discriminator
	first          []byte                     // the text after { if there is no white space
	errUnknown     *complaint                 // about any other value; nil if a client decodes outputs
	discriminators *[]string
}

// An alternativePlan is the plan of one alternative of a union.
type alternativePlan struct {
	index int // of its Go field in the union
	plan  *objectPlan
}

// A fieldPlan is the part of an objectPlan for one field.
//
// Invariants:
//
//	prefix and token are copies from the field, and at of its ownIndex: reading
//	  them through the pointer takes longer
//	in is inputPlace.in for a field of an input, and empty for a field of an inner struct,
//	  which has the source of the struct
//	inner is the plan of a field that is a struct, or an array of structs, or an array of
//	  such arrays; nil if there is a pointer on the way
type fieldPlan struct {
	*field
	prefix  string
	token   string
	at      int
	in      string
	notNull bool // refusesNull, which hides field.notNull
	decode  decodeFunc
	absent  defaultFunc // nil without a default
	inner   *objectPlan
}

// objectPlan compiles the plan for these fields. For an input, places is set, and every field is
// in the plan: a transport with one object also needs a member for a path parameter, and sets the
// defaults of fields that come only from a header or a cookie. For an inner struct places is nil,
// and fields hidden by json:"-" are left out.
//
// A client checks the type of an output's field, but not its rules, sets no default, and accepts
// its absence. The server, perhaps a different version, has already acted; rejecting its answer
// would hide that. A Codec reads stored values of older versions in the same way, but sets
// defaults, because nobody else adds them.
func (c *decoders) objectPlan(fields []*field, places map[*field]*inputPlace) *objectPlan {
	p := &objectPlan{byName: make(map[string]int), strict: c.strict, stored: c.stored}
	named := slices.DeleteFunc(slices.Clone(fields), func(f *field) bool { return f.isNameless() || places == nil && f.hidden })
	p.named = len(named)
	if places != nil {
		named = append(named, slices.DeleteFunc(slices.Clone(fields), func(f *field) bool { return !f.isNameless() })...)
	}
	p.fields = make([]fieldPlan, 0, len(named))
	for i, f := range named {
		plan := fieldPlan{field: f, prefix: f.prefix, token: f.token, at: f.ownIndex(), notNull: c.refusesNull(f), decode: c.memberDecoder(f)}
		if place := places[f]; place != nil {
			plan.in = place.in
		}
		plan.absent, plan.inner = c.defaultFor(f, c.fieldDecoder(f)), c.plans[f.shape.arrayItem()]
		if f.shape.kind == kindCustom && !c.outputs && !f.isRequired() {
			plan.decode = orAbsent(plan.decode, plan.absent)
		}
		c.checkExample(f, c.fieldDecoder(f))
		if i < p.named {
			p.byName[f.name] = i
		}
		if plan.absent != nil || !c.outputs && !f.optional {
			p.need = append(p.need, i)
		}
		p.fields = append(p.fields, plan)
	}
	if !c.outputs { // unknown members of outputs are ignored
		var names []string
		for _, f := range named[:p.named] {
			names = append(names, f.name)
			if plan := c.plans[f.shape.deref()]; plan != nil && !f.quoted {
				p.inside = append(p.inside, insidePlan{f.token, plan})
			}
		}
		p.known = newKnownNames(names)
	}
	return p
}

// fieldDecoder returns the decodeFunc of a field outside of its object, such as the function for its
// default.
func (c *decoders) fieldDecoder(f *field) decodeFunc {
	decode := c.memberDecoder(f)
	if !c.refusesNull(f) {
		return decode
	}
	return func(d *decoder, v reflect.Value) {
		if d.scan.peek() == 'n' {
			d.skipMismatch(errNull)
			return
		}
		decode(d, v)
	}
}

// memberDecoder is fieldDecoder for a field in its object, which looks for a null first.
func (c *decoders) memberDecoder(f *field) decodeFunc {
	if f.quoted {
		return decodeQuoted(f.shape)
	}
	return c.decoderFor(f.shape)
}

// refusesNull reports whether null is errNull for the field: it can be absent, and not null. An
// output is read as it is.
func (c *decoders) refusesNull(f *field) bool {
	return !c.outputs && (f.notNull || !f.isRequired() && !f.shape.kind.takesNull())
}

// checkRules adds a violation for each rule that v breaks. It skips a costly rule if v already
// breaks a rule: a pattern may take a second for a text of 1 MiB that is too long in any case. It
// compares a float of 32 bits that was just decoded as it was sent: rounded, 0.10000000001 would
// satisfy maximum:"0.1".
func (d *decoder) checkRules(rules ruleSet, v reflect.Value) {
	if v.Kind() == reflect.Float32 && d.number != nil {
		sent, _ := strconv.ParseFloat(string(d.number), 64) // its setter has parsed it
		v = reflect.ValueOf(sent)
	}
	broken := false
	for i := range rules {
		if r := &rules[i]; !(broken && r.costly) && r.violates(v) {
			d.addViolation(r.about(v))
			broken = true
		}
	}
}

// defaultFor returns the function that sets a field to its default, or nil if none is set. The
// default is decoded once at registration, where a violation is a mistake of the service's author.
// Values of some kinds are then copied; see isCopied. Others are decoded again for each input,
// because two inputs must not share a slice or a map.
//
// The default of a field may need itself, so that decoding it would not end:
//
//	type node struct {
//		Next *node `json:"next" default:"{}"` // {} has no next, so next is {}, and so on
//	}
//
// This is detected because the function is called while the default is being tried. A different
// default may need this one before runPending has tried it, so the function tries it too.
func (c *decoders) defaultFor(f *field, decode decodeFunc) defaultFunc {
	if f.def == nil || c.outputs && !c.stored { // the default of an output is the server's matter
		return nil
	}
	value := reflect.New(f.shape.typ).Elem()
	trying, endless := false, false
	try := sync.OnceFunc(func() {
		trying = true
		refusal := decode.refusal(f.def, value)
		trying = false
		c.mistakes.addIf(endless, "%s: the default %s leaves out a field that has it as its default, and so on without end", f.place, f.def)
		c.mistakes.addIf(!endless && refusal != "", "%s: the default %s is refused: %s", f.place, f.def, refusal)
	})
	c.pending = append(c.pending, try)
	c.runPending()
	if f.shape.kind.isCopied() {
		return func(_ *decoder, v reflect.Value) *complaint { v.Set(value); return nil }
	}
	return func(d *decoder, v reflect.Value) *complaint {
		if trying || endless {
			endless = true
			return nil
		}
		try()
		return d.readDefault(decode, f.def, v)
	}
}

// maxDefaults is the maximum length, in bytes of JSON, of all defaults that are decoded for one
// input, unless its own text is longer. 1 MiB of {}, leaves out 350,000 lists, and each default
// would be a new list.
const maxDefaults = 1 << 20

// readDefault decodes text, a default, into v. It returns a complaint about the first default of the
// input that is one too many, and leaves those behind it zero, since the input is refused.
func (d *decoder) readDefault(decode decodeFunc, text []byte, v reflect.Value) *complaint {
	limit := cmp.Or(d.defaultLimit, max(maxDefaults, len(d.scan.data)))
	if d.defaulted > limit {
		return nil
	}
	if d.forDefaults == nil {
		d.forDefaults = new(decoder)
	}
	inner := d.forDefaults
	inner.start(text)
	inner.defaulted, inner.defaultLimit = d.defaulted+len(text), limit
	decode(inner, v)
	if d.defaulted = inner.defaulted; d.defaulted > limit {
		return errManyDefaults
	}
	return nil
}

// refusal decodes a text into v and returns why it is refused, in words for the author of the
// service, or "".
func (decode decodeFunc) refusal(text []byte, v reflect.Value) (why string) {
	defer func() {
		if p := recover(); p != nil { // the UnmarshalText or the UnmarshalJSON of a type
			why = fmt.Sprintf("reading it panics: %v", p)
		}
	}()
	d := new(decoder)
	d.start(text)
	decode(d, v)
	var e *Error
	if !errors.As(d.finish(), &e) {
		return ""
	}
	// The words of the type say more, unless clients see them, as the words of an *Error.
	var own *Error
	if list := e.Violations(); e.cause != nil && !errors.As(e.cause, &own) && len(list) == 1 {
		return strings.TrimLeft(list[0].Path+" "+e.cause.Error(), " ")
	}
	return strings.TrimPrefix(e.Message, codes[CodeInvalidArgument.row()].text+": ")
}

// checkExample notes an example of the field f that the decoder refuses, and values of a tag enum
// that the type refuses. It ignores the outputs of a client, which are never sent.
func (c *decoders) checkExample(f *field, decode decodeFunc) {
	if c.outputs {
		return
	}
	if f.example != nil {
		c.pending = append(c.pending, func() {
			why := decode.refusal(f.example, reflect.New(f.shape.typ).Elem())
			c.mistakes.addIf(why != "", "%s: the example %s is refused: %s", f.place, f.example, why)
		})
	}
	target := f.shape.deref()
	target = cmp.Or(target.scalarItem(), target)
	if enum := target.rules.lookup(roleValues); enum != nil && target.kind == kindText && !target.isEnum {
		c.tryEach(target, itemsOf(enum.value), f.place+": the value %s of the enum is refused: %s")
	}
	c.runPending()
}

// An exampleKey is a type, and whether its method Enum is the rule of the shape, which a tag
// replaces.
type exampleKey struct {
	typ    reflect.Type
	isEnum bool
}

// checkExamples notes each value that a type with its own JSON or text refuses, although its method
// Enum or JSONSchema lists it.
func (c *decoders) checkExamples(s *shape) {
	key := exampleKey{s.typ, s.isEnum}
	if c.outputs || c.examples[key] || s.kind != kindText && s.kind != kindCustom {
		return
	}
	c.examples[key] = true
	name := s.typ.String()
	if enum := s.rules.lookup(roleValues); s.isEnum {
		c.tryEach(s, itemsOf(enum.value), name+".Enum returns %s, which is refused: %s")
	}
	for _, keyword := range [...]string{"enum", "const", "default", "example", "examples"} {
		list, ok := s.custom[keyword].([]any)
		if _, given := s.custom[keyword]; given && keyword != "enum" && keyword != "examples" {
			list, ok = []any{s.custom[keyword]}, true
		}
		for i := 0; ok && i < len(list); i++ {
			text, _ := plainJSON(list[i])
			c.tryEach(s, [][]byte{text}, name+".JSONSchema has %s in "+keyword+", which is refused: %s")
		}
	}
}

// tryFields tries the defaults and the examples at and below s, which has a mistake, unless their
// own types have one.
func (c *decoders) tryFields(s *shape) {
	s.walk(nil, make(map[*shape]bool), func(s *shape, _ *placeText) {
		if !s.hasParts() && s.isSound() {
			c.checkExamples(s)
		}
		for _, f := range s.fields {
			if f.shape.isSound() {
				decode := c.fieldDecoder(f)
				c.defaultFor(f, decode)
				c.checkExample(f, decode)
			}
		}
	})
	c.runPending()
}

// tryEach notes the texts that the type of s refuses, whatever its rules. format is the format of
// the mistake, about the text and the reason.
func (c *decoders) tryEach(s *shape, texts [][]byte, format string) {
	decode := c.typeDecoder(s.withoutRules())
	for _, text := range texts {
		why := decode.refusal(text, reflect.New(s.typ).Elem())
		c.mistakes.addIf(why != "", format, text, why)
	}
}

// isCopied reports whether a copy of a value shares no changeable memory with it. For all other
// kinds each default costs a decoding: a text type may be a slice, such as net.IP, or contain one.
func (k shapeKind) isCopied() bool {
	switch k {
	case kindString, kindBool, kindInt, kindUint, kindFloat, kindNumber, kindTime, kindDuration:
		return true
	}
	return false
}

// decodeObject is the decodeFunc of p. decoder.seen finds known names that are missing or
// duplicate, and a nameSet finds duplicate unknown names.
//
// seen is one stack for all open objects, so that no object allocates. With the fields
// a, b and c, where b is a struct with the field d, it is at the end of {"a":1,"b":{"d":2
//
//	a     b     c      d
//	true  true  false  true
//
// Here base is 0 for the outer object and 3 for the inner one. The code refers to the stack by
// index, because an append for an inner object may move it.
func (p *objectPlan) decodeObject(d *decoder, v reflect.Value) {
	if d.scan.peek() != '{' {
		d.readInside('{', errNotObject, v, p.decodeObject)
		return
	}
	if p.union != nil {
		if p = p.choosePlan(d, v); p == nil {
			return
		}
	}
	base := len(d.seen)
	d.seen = append(d.seen, make([]bool, len(p.fields))...)
	unknown := nameSet{base: len(d.scan.names)}
	d.scan.openBracket()
	next := 0
	for first := true; ; first = false {
		i, name := p.nextMember(d, next, first)
		if i < 0 {
			if name == nil {
				break
			}
			p.skipUnknown(d, &unknown, name)
			continue
		}
		f := &p.fields[i]
		seen := &d.seen[base+i]
		if *seen {
			d.scan.failDuplicate()
			return
		}
		*seen = true
		d.enterMember(f)
		switch {
		case f.notNull && d.scan.peek() == 'n':
			f.readNull(d, v)
		case f.at >= 0:
			f.decode(d, v.Field(f.at))
		default:
			f.decode(d, f.settableIn(v))
		}
		if d.scan.err != nil {
			return
		}
		d.pop()
		next = i + 1
	}
	unknown.forgetNames(&d.scan)
	if d.scan.err == nil {
		p.completeAbsent(d, v, d.seen[base:])
	}
	d.seen = d.seen[:base]
}

// enterMember moves the current place to the member f.
func (d *decoder) enterMember(f *fieldPlan) {
	if f.in != "" {
		d.in = f.in
	}
	d.pushToken(f.token)
}

// readNull reads a null for the member f of the struct v, which null is no value for.
func (f *fieldPlan) readNull(d *decoder, v reflect.Value) {
	if !d.opts.dropNulls || f.isRequired() {
		d.skipMismatch(errNull)
		return
	}
	if d.scan.skipValue(); d.scan.err == nil && f.absent != nil {
		d.addIfAny(f.absent(d, f.settableIn(v)))
	}
}

// orAbsent returns decode for an optional member of a type with UnmarshalJSON, which may read null
// or refuse it. If it refuses, inputOptions.dropNulls applies. absent may be nil.
func orAbsent(decode decodeFunc, absent defaultFunc) decodeFunc {
	return func(d *decoder, v reflect.Value) {
		if !d.opts.dropNulls || d.scan.peek() != 'n' || decode.refusal([]byte("null"), reflect.New(v.Type()).Elem()) == "" {
			decode(d, v)
			return
		}
		if d.scan.skipValue(); d.scan.err == nil && absent != nil {
			d.addIfAny(absent(d, v))
		}
	}
}

// nextMember reads the name of the next member and returns the index of its field,
// or -1 and the name. At the end of the object, and after an error, the name is nil.
//
// It guesses first. Most senders write members in the order of the schema and
// without white space, so the field after the last one is next. After the title in
//
//	{"title":"Water the plants","priority":3}
//
// the prefix of the next field is ,"priority": and one comparison replaces finding the comma,
// reading the name, checking its UTF-8, finding the colon and looking the name up. A prefix never
// matches part of a different name, because it begins and ends outside of the quotes. Optional
// fields are often left out, so it tries a few fields. If all guesses fail, byName decides, and the
// next guess follows the field found.
func (p *objectPlan) nextMember(d *decoder, next int, first bool) (i int, name []byte) {
	const guesses = 3
	for i := next; i < min(next+guesses, p.named); i++ {
		prefix := p.fields[i].prefix
		if first {
			prefix = prefix[1:]
		}
		if end := d.scan.pos + len(prefix); end <= len(d.scan.data) && string(d.scan.data[d.scan.pos:end]) == prefix {
			d.scan.pos = end
			return i, nil
		}
	}
	if !d.scan.more('}', first) {
		return -1, nil
	}
	name = d.scan.readName()
	if i, ok := p.byName[string(name)]; ok {
		return i, nil
	}
	return -1, name
}

// skipUnknown skips a member that is not in the plan. set still finds the second of two
// with the same name (RFC 7493, section 2.3).
func (p *objectPlan) skipUnknown(d *decoder, set *nameSet, name []byte) {
	set.addName(&d.scan, name)
	value := d.scan.skipValue()
	if d.scan.err != nil || !p.strict && d.opts.allow == nil {
		return
	}
	d.push(string(name))
	if d.opts.allow == nil || !d.opts.allow(d, value) {
		d.addViolation(p.unknownComplaint(d, string(name)))
	}
	d.pop()
}

// unknownComplaint returns the complaint about an unknown member, with the suggestion of a
// known one.
func (p *objectPlan) unknownComplaint(d *decoder, name string) *complaint {
	if d.report.found.full() || d.report.searches == maxSearches {
		return errUnknown
	}
	d.report.searches++
	var beside []knownName
	if len(d.path) == 1 {
		beside = d.opts.beside
	}
	meant := p.suggestInside(d, name, p.known, beside)
	if meant == "" {
		meant = suggestName(name, p.known, beside)
	}
	if meant == "" {
		return errUnknown
	}
	return &complaint{rule: ruleUnknown, message: errUnknown.message + meant}
}

// suggestInside returns the end of a message about a member that is one level too high, or "". If
// there is a member filter with a member region:
//
//	{"region":"eu"}              ; did you mean /filter/region?
//	{"stops":[{"region":"eu"}]}  ; did you mean "filter/region"?
//
// Only the first message has the whole place, because a message must not quote names of the client,
// such as the keys of a map. A name on the same level that differs only in case, _ and - takes
// precedence over a name further inside.
func (p *objectPlan) suggestInside(d *decoder, name string, lists ...[]knownName) string {
	if _, ok := findFolded(name, lists); ok || len(p.inside) == 0 {
		return ""
	}
	for i := range p.inside {
		f := &p.inside[i]
		switch member, ok := findFolded(name, [][]knownName{f.plan.known}); {
		case !ok:
		case len(d.path) == 1:
			return "; did you mean " + f.token + pointerToken(member.text) + "?"
		default:
			return `; did you mean "` + f.token[len("/"):] + pointerToken(member.text) + `"?`
		}
	}
	return ""
}

// completeAbsent sets the defaults of absent fields and adds a violation for
// each absent field that is required. seen says which fields were met.
func (p *objectPlan) completeAbsent(d *decoder, v reflect.Value, seen []bool) {
	for _, i := range p.need {
		switch f := &p.fields[i]; {
		case seen[i]:
		case f.absent != nil:
			if _, ok := f.valueIn(v); ok || !p.stored {
				if c := f.absent(d, f.settableIn(v)); c != nil {
					d.enterMember(f)
					d.addViolation(c)
					d.pop()
				}
			}
		default:
			d.enterMember(f)
			d.addViolation(errRequired)
			d.pop()
		}
	}
}

// structPlan compiles the plan of the object s. The plan of a union also has alternatives.
func (c *decoders) structPlan(s *shape, places map[*field]*inputPlace) *objectPlan {
	p := c.objectPlan(s.fields, places)
	if s.alternatives == nil {
		return p
	}
	u := &unionPlan{
		alternatives:   make(map[string]alternativePlan),
		discriminators: c.discriminators,
		first:          []byte(s.fields[0].prefix[1:] + `"`),
	}
	if name := s.fields[0].name; !slices.Contains(*c.discriminators, name) {
		*c.discriminators = append(*c.discriminators, name)
	}
	if enum := s.fields[0].shape.rules.lookup(roleValues); enum != nil && (c.stored || !c.outputs) { // else the discriminator is a mistake
		u.errUnknown = enum.complaint
	}
	for _, a := range s.alternatives {
		u.alternatives[a.value] = alternativePlan{a.index, c.objectPlan(a.fields, places)}
	}
	p.union = u
	return p
}

// choosePlan returns the plan of the alternative of the object at the scanner's position, and
// allocates the alternative in the union v. If the discriminator is missing or wrong, this is the
// only violation of the object; choosePlan skips the object and returns nil. A client that decodes
// an output leaves all alternatives nil: the server may have more.
//
// Encoders write the discriminator as the first member, without white space: then one comparison
// finds it. Otherwise scanner.lookAhead finds it, once for the whole text.
func (p *objectPlan) choosePlan(d *decoder, v reflect.Value) *objectPlan {
	var a alternativePlan // as long as no discriminator is found, the complaint is that it is required
	u, c := p.union, errRequired
	if text, ok := bytes.CutPrefix(d.scan.data[d.scan.pos+1:], u.first); ok {
		a = u.alternatives[string(text[:max(0, bytes.IndexByte(text, '"'))])]
	}
	if a.plan == nil {
		if value := d.scan.lookAhead(*u.discriminators, p.fields[0].name); isText(value) {
			a, c = u.alternatives[string(textOf(value))], u.errUnknown
		} else if value != nil {
			c = errNotString.about(value)
		}
	}
	switch {
	case a.plan != nil:
		alternative := v.Field(a.index)
		alternative.Set(reflect.New(alternative.Type().Elem()))
		return a.plan
	case u.errUnknown == nil:
		return p
	}
	if d.scan.skipValue(); d.scan.err == nil {
		d.enterMember(&p.fields[0])
		d.addViolation(c)
		d.pop()
	}
	return nil
}

// decodeScalar returns the decodeFunc for scalars of shape s. It reads the number, or the
// string without its quotes, and the shape's setter does the rest.
func (c *decoders) decodeScalar(s *shape) decodeFunc {
	set, mismatch := setterFor(s, nil), s.typeComplaint()
	switch {
	case s.kind == kindText:
		set = c.checkedSetter(s, nil)
	case s.kind.isNumeric():
		return func(d *decoder, v reflect.Value) {
			if c := d.scan.peek(); c != '-' && !isDigit(c) {
				d.readNumberInside(s, mismatch, v, set)
				return
			}
			if num := d.scan.readNumber(); d.scan.err == nil {
				d.addIfAny(set(d, v, num))
			}
		}
	}
	return decodeText(set, mismatch)
}

// readNumberInside reads a value that is not a number: if it is a string with a number of the shape
// s in it that the options let through, set sets that. Else the value is skipped as by
// skipMismatch.
func (d *decoder) readNumberInside(s *shape, c *complaint, v reflect.Value, set setter) {
	value := d.scan.skipValue()
	if (d.opts.readDigits || d.opts.readStrings) && d.scan.err == nil && isText(value) {
		text := textOf(value)
		isWide := d.opts.readDigits && s.bits == 64 && s.kind.isInteger() && isPlainInteger(text)
		if isWide || d.opts.readStrings {
			if num, ok := jsonNumber(text); ok {
				d.addIfAny(set(d, v, num))
				return
			}
		}
	}
	d.addMismatch(c, value)
}

// decodeText returns the decodeFunc of a string whose text set sets.
func decodeText(set setter, mismatch *complaint) decodeFunc {
	return func(d *decoder, v reflect.Value) {
		if d.scan.peek() != '"' {
			d.skipMismatch(mismatch)
			return
		}
		if text := d.readText(); d.scan.err == nil {
			d.addIfAny(set(d, v, text))
		}
	}
}

// readText reads a string and returns its text, unescaped. The result is valid
// until the decoder reads on or adds a violation.
func (d *decoder) readText() []byte { return d.unescape(d.scan.readString()) }

// unescape returns the text of a string that the scanner has read. It is valid as long as the
// result of readText.
func (d *decoder) unescape(raw []byte, escaped bool) []byte {
	if escaped {
		d.scratch = appendUnescaped(d.scratch[:0], raw)
		return d.scratch
	}
	return raw
}

func decodeString(d *decoder, v reflect.Value) {
	if d.scan.peek() != '"' {
		d.skipMismatch(errNotString)
		return
	}
	v.SetString(d.keepString())
}

// decodeBool decodes true or false. The value v is already false.
func decodeBool(d *decoder, v reflect.Value) {
	switch d.scan.peek() {
	case 't':
		v.SetBool(d.scan.readLiteral("true"))
	case 'f':
		d.scan.readLiteral("false")
	default:
		value := d.scan.skipValue()
		inside := ""
		if d.opts.readStrings && d.scan.err == nil && isText(value) {
			inside = string(textOf(value))
		}
		if inside != "true" && inside != "false" {
			d.addMismatch(errNotBool, value)
			return
		}
		v.SetBool(inside == "true")
	}
}

// typeComplaints has the complaints about JSON of the wrong type for a scalar. All other kinds are
// strings in JSON.
var typeComplaints = [kindFile + 1]*complaint{
	kindInt: errNotInteger, kindUint: errNotInteger, kindFloat: errNotNumber, kindNumber: errNotNumber,
	kindTime: errNotTime, kindDuration: errNotDuration,
}

func (s *shape) typeComplaint() *complaint { return cmp.Or(typeComplaints[s.kind], errNotString) }

// A setter sets v, which is settable and zero, to the scalar that text spells,
// or returns a complaint. The text is the content of a JSON string, a JSON
// number, a value of a path, query, header or cookie, or a name that is a map key.
// Setters must not keep it: it is in the buffer of the request or in decoder.scratch.
type setter func(d *decoder, v reflect.Value, text []byte) *complaint

// plainSetters has the setters of kinds that do not depend on the type.
var plainSetters = [kindFile + 1]setter{
	kindString: setString, kindNumber: setString, kindBool: setBool, kindTime: setTime, kindDuration: setDuration, kindBytes: setBytes,
}

// setterFor returns the setter for scalars of shape s. In JSON 1e2 and 100.0 are integers
// too. Other texts may not be: "100" and "1e2" would be two names of one map key. spells
// reports whether such a text spells an integer; it is nil for a number of JSON.
func setterFor(s *shape, spells func(text []byte) bool) setter {
	set := plainSetters[s.kind]
	switch s.kind {
	case kindText:
		set = setTextOr(cmp.Or(s.textComplaint(), errWrongForm))
	case kindInt, kindUint:
		set = setInteger(s)
	case kindFloat:
		set = setFloat(s.bits)
	}
	if spells == nil || !s.kind.isNumeric() {
		return set
	}
	if !s.kind.isInteger() {
		spells = isNumberText
	}
	return func(d *decoder, v reflect.Value, text []byte) *complaint {
		if !spells(text) {
			return s.typeComplaint()
		}
		return set(d, v, text)
	}
}

// checkedSetter is setterFor with the rules of the shape, unless a client reads an output. The
// setter adds the violations of rules itself, since there may be several. For a type with
// UnmarshalText, the enum is compared with the text: "A" and "a" may be the same value, and the
// enum lists one spelling.
func (c *decoders) checkedSetter(s *shape, spells func(text []byte) bool) setter {
	set := setterFor(s, spells)
	switch {
	case len(s.rules) == 0 || c.outputs:
		return set
	case s.kind == kindText:
		enum := s.rules.lookup(roleValues)
		return func(d *decoder, v reflect.Value, text []byte) *complaint {
			if !slices.ContainsFunc(enum.values, func(x reflect.Value) bool { return x.String() == string(text) }) {
				return enum.complaint
			}
			return set(d, v, text)
		}
	}
	return func(d *decoder, v reflect.Value, text []byte) *complaint {
		if c := set(d, v, text); c != nil {
			return c
		}
		d.checkRules(s.rules, v)
		return nil
	}
}

// setString sets a string. Its text is already unescaped.
func setString(d *decoder, v reflect.Value, text []byte) *complaint {
	v.SetString(d.keepText(text))
	return nil
}

// setBool sets a bool from a path or a query.
func setBool(_ *decoder, v reflect.Value, text []byte) *complaint {
	switch string(text) {
	case "true":
		v.SetBool(true)
	case "false":
	default:
		return errNotBool
	}
	return nil
}

// setInteger returns the setter for integers of shape s. See parseInteger: 1.0 and 1e2 are
// integers, as in JSON Schema.
func setInteger(s *shape) setter {
	most, below, least := uint64(math.MaxUint64)>>(64-s.bits), uint64(0), "0" // below is the magnitude of least; -0 is 0
	if s.kind == kindInt {
		most /= 2
		below = most + 1
		least = "-" + strconv.FormatUint(below, 10)
	}
	errOutside := &complaint{rule: ruleRange, message: "must be an integer between " + least + " and " + strconv.FormatUint(most, 10)}
	return func(_ *decoder, v reflect.Value, text []byte) *complaint {
		mag, neg, kind := parseInteger(text)
		switch {
		case kind == integerFraction:
			return errFraction
		case kind == integerRange || !neg && mag > most || neg && mag > below:
			return errOutside
		case s.kind == kindUint:
			v.SetUint(mag)
		case neg:
			// The magnitude of the least int64 overflows to that number, which is its own negative.
			v.SetInt(-int64(mag))
		default:
			v.SetInt(int64(mag))
		}
		return nil
	}
}

// setFloat returns the setter for floats of that many bits. The text is a JSON number,
// so the only error of ParseFloat is that it is out of range. checkRules needs the number
// as it was sent, so the text of a float of 32 bits is kept in d.number.
func setFloat(bits int) setter {
	errOutside := &complaint{rule: ruleRange, message: "must be a number that a float of " + strconv.Itoa(bits) + " bits can hold"}
	return func(d *decoder, v reflect.Value, text []byte) *complaint {
		f, err := strconv.ParseFloat(string(text), bits)
		if err != nil {
			return errOutside
		}
		if v.SetFloat(f); bits == 32 {
			d.number = text
		}
		return nil
	}
}

// setTime sets a time.Time by RFC 3339, section 5.6.
func setTime(_ *decoder, v reflect.Value, text []byte) *complaint {
	t, ok := parseTime(string(text))
	if !ok {
		return errNotTime
	}
	*v.Addr().Interface().(*time.Time) = t
	return nil
}

// setDuration sets a time.Duration, spelled as [time.ParseDuration] wants it.
func setDuration(_ *decoder, v reflect.Value, text []byte) *complaint {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return errNotDuration
	}
	v.SetInt(int64(d))
	return nil
}

// setBytes sets a []byte, strictly by RFC 4648, section 4. Package base64 alone also accepts line
// ends anywhere and stray bits at the end ("AB==" for "AA=="), so that a value would have many
// spellings.
func setBytes(_ *decoder, v reflect.Value, text []byte) *complaint {
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(out, text)
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		return errNotBase64
	}
	v.SetBytes(out[:n])
	return nil
}

// setTextOr returns the setter that calls UnmarshalText. If that fails, the complaint is c.
func setTextOr(c *complaint) setter {
	return func(d *decoder, v reflect.Value, text []byte) *complaint {
		return d.complaintFor(v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(text), c)
	}
}

// errAdded means that addNested has added the violations; a setter returns it.
var errAdded = new(complaint)

// addNested adds the violations of err, an error that the application returned about the value at
// the current place. It reports whether err is a nested error: an *Error with INVALID_ARGUMENT and
// violations. Their places begin at the value:
//
//	the current place   of err              added
//	"/home" in "body"   "/zip"              "/home/zip" in "body"
//	"" (the input)      "/id" in "path"     "/id" in "path", unchanged
//	"" (the input)      "/id" in ""         "/id" in the source of the field id
//
// If all violations of the input are from one such error, the client gets that error, with its
// message, status, headers and other details; see report.
func (d *decoder) addNested(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e == nil || e.code() != CodeInvalidArgument {
		return false
	}
	list := e.Violations()
	if len(list) == 0 {
		return false
	}
	at, isWhole := d.place(), len(d.path) == 0
	for i := range list {
		switch v := &list[i]; {
		case !isWhole:
			v.In, v.Path = d.in, at+v.Path
		case v.In == "" && d.sourceOf != nil:
			v.In = d.sourceOf(v.Path)
		}
	}
	e = e.WithDetail("violations", list) // a copy
	e.found = nil
	if d.report.nestedErr == nil {
		d.report.nestedErr, d.report.nestedCount = e, len(list)
	}
	d.report.found.cause = cmp.Or(d.report.found.cause, err)
	for _, v := range list {
		d.report.found.addViolation(v)
	}
	return true
}

// complaintFor returns the complaint for err, which UnmarshalText or UnmarshalJSON has returned, or
// nil for nil. The message of an *Error is written for clients, so they get it. Any other text may
// reveal internals of the service: clients get c, and the first such error becomes the cause, for
// the log.
func (d *decoder) complaintFor(err error, c *complaint) *complaint {
	if err == nil {
		return nil
	}
	if d.addNested(err) {
		return errAdded
	}
	d.report.found.cause = cmp.Or(d.report.found.cause, err)
	var e *Error
	if errors.As(err, &e) && e != nil && e.Message != "" && !e.code().private() {
		return &complaint{rule: ruleType, message: e.Message}
	}
	return c
}

// decodeCustom calls UnmarshalJSON with the text of one value, which the scanner has
// checked.
func decodeCustom(d *decoder, v reflect.Value) {
	if text := d.scan.skipValue(); d.scan.err == nil {
		d.addIfAny(d.complaintFor(v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text), errWrongForm))
	}
}

// decodeQuoted returns the decodeFunc of a number tagged `json:",string"`: a string that
// holds its JSON, such as "7". A pointer takes null too. Integers must be in
// their one plain spelling; see setterFor.
func decodeQuoted(s *shape) decodeFunc {
	target := s.deref()
	decode := decodeText(setterFor(target, isPlainInteger), errNotString)
	if s.kind == kindPointer {
		return decodePointer(decode, target.typ)
	}
	return decode
}

// decodeRaw keeps the text of a value as a json.RawMessage. It copies the text,
// since the buffer of the request is used again.
func decodeRaw(d *decoder, v reflect.Value) {
	if text := d.scan.skipValue(); d.scan.err == nil {
		v.SetBytes(append(make([]byte, 0, len(text)), text...))
	}
}

// decodeAny decodes a value of any type into an interface.
func decodeAny(d *decoder, v reflect.Value) {
	if x := d.decodeAnyValue(); d.scan.err == nil && x != nil {
		v.Set(reflect.ValueOf(x))
	}
}

// decodeAnyValue returns the next value in the types that encoding/json uses,
// with one difference: see exactNumber. Its strings go into the arena, too.
func (d *decoder) decodeAnyValue() any {
	switch d.scan.peek() {
	case '{':
		m := make(map[string]any)
		d.scan.openBracket()
		for first := true; d.scan.more('}', first); first = false {
			name := d.scan.readName()
			if _, twice := m[string(name)]; twice {
				d.scan.failDuplicate()
				return nil
			}
			m[d.keepText(name)] = d.decodeAnyValue()
		}
		return m
	case '[':
		list := []any{}
		d.scan.openBracket()
		for first := true; d.scan.more(']', first); first = false {
			list = append(list, d.decodeAnyValue())
		}
		return list
	case '"':
		return d.keepString()
	case 't':
		return d.scan.readLiteral("true")
	case 'f':
		return !d.scan.readLiteral("false")
	case 'n':
		d.scan.readLiteral("null")
		return nil
	default:
		return exactNumber(d.scan.readNumber())
	}
}

// compileReader returns the parts that a client needs to read outputs of type t: the shape,
// decoders that check no rules and allow absent and unknown members, and the named types in it.
func compileReader(p *mistakes, t reflect.Type, u use) (*shape, *decoders, []*shape) {
	shapes := newShapes(p)
	out := shapes.shapeFor(t, t.String())
	shapes.finishShapes()
	shapes.checkUse(out, u, t.String())
	d := newDecoders(p, false)
	d.outputs = true
	return out, d, shapes.named
}

// decodeWhole decodes an output from text, of which it is the whole.
func decodeWhole(d *decoder, text []byte, v reflect.Value, decode decodeFunc) (err error) {
	defer recoverTo(&err) // UnmarshalJSON is code of the application
	d.start(text)
	decode(d, v)
	d.scan.checkEnd()
	return d.finish()
}
