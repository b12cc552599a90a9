package svc

// This file makes Go values of an output type.

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"time"
)

// An outputMaker fills outputs. The constraints of a field are for whoever
// returns it to keep, so its values are made from its schema.
type outputMaker struct {
	*rand.Rand
	contract *contract
	decoders *decoders
	schemas  map[*field]*contractSchema
	stuck    bool // some field has no value that keeps its own constraints
}

func newOutputs(c *contract) *outputMaker {
	return &outputMaker{
		Rand:     rand.New(rand.NewPCG(1, 1)),
		contract: c,
		decoders: newDecoders(new(problems), false),
		schemas:  make(map[*field]*contractSchema),
	}
}

// fill sets v, which is settable and zero, to a value of shape s.
func (o *outputMaker) fill(v reflect.Value, s *shape, depth int) {
	switch s.kind {
	case kindPointer:
		if depth < 6 && o.IntN(3) > 0 {
			v.Set(reflect.New(s.elem.typ))
			o.fill(v.Elem(), s.elem, depth+1)
		}
	case kindSlice:
		if n := o.IntN(3); n > 0 && depth < 6 {
			v.Set(reflect.MakeSlice(s.typ, n, n))
		}
		fallthrough
	case kindArray:
		for i := range v.Len() {
			o.fill(v.Index(i), s.elem, depth+1)
		}
	case kindMap:
		if depth < 6 && o.IntN(3) > 0 {
			o.fillMap(v, s, depth)
		}
	case kindObject:
		for _, f := range s.fields {
			if !f.hidden && !(f.optional && (depth > 5 || o.IntN(2) == 0)) {
				o.fillField(f.of(v), f, depth+1)
			}
		}
	default:
		o.fillScalar(v, s)
	}
}

// fillField sets a field, by its example or from its schema if it has
// constraints.
func (o *outputMaker) fillField(v reflect.Value, f *field, depth int) {
	if len(f.rules) == 0 && f.example == nil {
		o.fill(v, f.shape, depth)
		return
	}
	schema := o.schemas[f]
	if schema == nil {
		schema = parseContract((&schemaWriter{}).field(nil, f))
		o.schemas[f] = schema
	}
	g := &contractMaker{o.Rand, schema}
	for range 10 {
		candidate := g.value(schema, depth)
		if schema.judge(schema, candidate) == refuses {
			continue
		}
		d := new(decoder)
		d.start(encodeContract(candidate))
		v.SetZero()
		if o.decoders.fieldDecoder(f)(d, v); d.finish() == nil {
			return
		}
	}
	v.SetZero()
	o.fill(v, f.shape, depth)
	o.stuck = true
	o.contract.skippedf("output: no value of %s keeps its own constraints; give it an example tag", f.goName)
}

func (o *outputMaker) fillMap(v reflect.Value, s *shape, depth int) {
	v.Set(reflect.MakeMap(s.typ))
	for range o.IntN(3) {
		key, elem := reflect.New(s.key.typ).Elem(), reflect.New(s.elem.typ).Elem()
		if s.key.kind != kindText {
			o.fillScalar(key, s.key)
		}
		o.fill(elem, s.elem, depth+1)
		v.SetMapIndex(key, elem)
	}
}

// fillScalar sets a value that has no parts. Those of the application's own
// types stay zero: only they know what else there is.
func (o *outputMaker) fillScalar(v reflect.Value, s *shape) {
	switch s.kind {
	case kindAny:
		if x := contractOdds[o.IntN(len(contractOdds))](); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case kindRaw:
		v.SetBytes([]byte(`{"any":["json"]}`))
	case kindTime:
		t := time.Unix(o.Int64N(1<<33), o.Int64N(1e9)).In(time.FixedZone("", 3600*(o.IntN(5)-2)))
		v.Set(reflect.ValueOf(t))
	case kindDuration:
		v.SetInt(o.Int64N(1<<40) - 1<<39)
	case kindBytes:
		v.SetBytes([]byte(contractTexts[o.IntN(len(contractTexts))]))
	case kindString:
		v.SetString(contractTexts[o.IntN(len(contractTexts))])
	case kindBool:
		v.SetBool(o.IntN(2) == 0)
	case kindInt:
		v.SetInt([...]int64{0, -1, 1, math.MinInt64 >> (64 - s.bits), math.MaxInt64 >> (64 - s.bits)}[o.IntN(5)])
	case kindUint:
		v.SetUint([...]uint64{0, 1, math.MaxUint64 >> (64 - s.bits)}[o.IntN(3)])
	case kindFloat:
		v.SetFloat([...]float64{0, -0.5, 1e21, 1e-7, 3}[o.IntN(5)])
	case kindNumber:
		v.SetString(string([...]json.Number{"0", "1.50", "-1e400"}[o.IntN(3)]))
	}
}
