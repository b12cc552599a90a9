//lint:file-ignore SA5008,U1000 odd tags and fields that nobody uses are what the oracle is asked about

package svc

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// This file lists the types that the oracle tests of the decoder and the
// encoder share: one of everything that DESIGN.md, section 6 names, and types
// made up at random.

// A codec is a type with its compiled plan.
type codec struct {
	name   string
	typ    reflect.Type
	strict bool
	decode decodeFunc
	encode encodeFunc
	d      decoder // reused, as a service does it: a text must not see the last one's traces
}

// compileType compiles the plan for t.
func compileType(t testing.TB, name string, typ reflect.Type, strict bool) *codec {
	t.Helper()
	p := new(mistakes)
	c := newShapes(p)
	c.strict = strict
	s := c.of(typ, "T")
	c.finish()
	c.check(s, asInput, "T")
	c.check(s, asOutput, "T")
	cod := &codec{name: name, typ: typ, strict: strict, decode: newDecoders(p, strict).decoderFor(s), encode: encoders{}.encoderFor(s)}
	for _, err := range p.list {
		t.Fatalf("%s (%v): %v", name, typ, err)
	}
	return cod
}

// unmarshal decodes text into a new value.
func (c *codec) unmarshal(text []byte) (reflect.Value, error) {
	v := reflect.New(c.typ).Elem()
	c.d.start(text)
	c.decode(&c.d, v)
	c.d.scan.checkEnd()
	return v, c.d.finish()
}

// marshal encodes v, which is addressable.
func (c *codec) marshal(v reflect.Value) ([]byte, error) {
	var e encoder
	c.encode(&e, v)
	return e.buf, e.err
}

// oracleCodecs compiles every type of the table, and then some made at random.
// Every third is strict.
func oracleCodecs(t testing.TB) []*codec {
	t.Helper()
	var all []*codec
	add := func(name string, typ reflect.Type) {
		all = append(all, compileType(t, name, typ, len(all)%3 == 2))
	}
	for _, typ := range oracleTypes() {
		add(typ.String(), typ)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		add("random struct "+strconv.Itoa(i), randomStruct(r, 2))
	}
	add("struct of 130 fields", wideStruct(130))
	return all
}

func oracleTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[oScalars](), reflect.TypeFor[oNamed](), reflect.TypeFor[oPointers](), reflect.TypeFor[oQuoted](),
		reflect.TypeFor[oOmit](), reflect.TypeFor[oOmitZero](), reflect.TypeFor[oArrays](), reflect.TypeFor[oMaps](), reflect.TypeFor[oBytes](),
		reflect.TypeFor[oTimes](), reflect.TypeFor[oTexts](), reflect.TypeFor[oCustoms](), reflect.TypeFor[oNumbers](), reflect.TypeFor[oAnys](),
		reflect.TypeFor[oNode](), reflect.TypeFor[oEven](), reflect.TypeFor[oPair[int, string]](), reflect.TypeFor[oPage[oPair[bool, oID]]](),
		reflect.TypeFor[oNames](), reflect.TypeFor[oHidden](), reflect.TypeFor[struct{}](), reflect.TypeFor[oStd](),

		reflect.TypeFor[oEmbedValue](), reflect.TypeFor[oEmbedPointer](), reflect.TypeFor[oEmbedDeep](), reflect.TypeFor[oEmbedAmbiguous](),
		reflect.TypeFor[oEmbedTagged](), reflect.TypeFor[oEmbedShadow](), reflect.TypeFor[oEmbedUnexported](), reflect.TypeFor[oEmbedScalar](),
		reflect.TypeFor[oEmbedSelf](), reflect.TypeFor[oEmbedTwice](), reflect.TypeFor[oEmbedNamed](), reflect.TypeFor[oEmbedCustom](),

		reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[int64](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](),
		reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[any](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[json.Number](),
		reflect.TypeFor[[]int8](), reflect.TypeFor[[][]string](), reflect.TypeFor[[3]int](), reflect.TypeFor[[0]string](), reflect.TypeFor[[]byte](), reflect.TypeFor[[4]byte](),
		reflect.TypeFor[map[string][]int](), reflect.TypeFor[map[int8]bool](), reflect.TypeFor[map[uint64]*int](), reflect.TypeFor[map[netip.Addr]string](), reflect.TypeFor[map[oFold]int](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[*big.Int](), reflect.TypeFor[**string](), reflect.TypeFor[*oNode](),
		reflect.TypeFor[[]oScalars](), reflect.TypeFor[map[string]oNode](), reflect.TypeFor[[2]oPair[*int, []bool]](), reflect.TypeFor[[]struct{ A, B int }](),
	}
}

type oScalars struct {
	Bool    bool
	Int     int
	Int8    int8
	Int16   int16
	Int32   int32
	Int64   int64
	Uint    uint
	Uint8   uint8
	Uint16  uint16
	Uint32  uint32
	Uint64  uint64
	Uintptr uintptr
	Float32 float32
	Float64 float64
	String  string
}

type (
	oID     string
	oFlag   bool
	oCount  int8
	oSize   uint16
	oRatio  float32
	oList   []oID
	oTable  map[oID]oCount
	oBlob   []byte
	oByte   byte
	oOctets []oByte
	oAny    any
)

type oNamed struct {
	ID     oID     `json:"id"`
	Flag   oFlag   `json:"flag"`
	Count  oCount  `json:"count"`
	Size   oSize   `json:"size"`
	Ratio  oRatio  `json:"ratio"`
	List   oList   `json:"list"`
	Table  oTable  `json:"table"`
	Octets oOctets `json:"octets"`
	Any    oAny    `json:"any"`
}

type oPointers struct {
	Int    *int                `json:"int"`
	String **string            `json:"string"`
	Bool   ***bool             `json:"bool"`
	Slice  *[]int              `json:"slice"`
	Map    *map[string]int     `json:"map"`
	Ints   []*int              `json:"ints"`
	Ptrs   map[string]*float64 `json:"ptrs"`
	Struct *oPair[int, *int]   `json:"struct"`
	Array  *[2]*bool           `json:"array"`
	Opt    *string             `json:"opt,omitempty"`
	OptZ   *int                `json:"optz,omitzero"`
}

type oQuoted struct {
	Bool    bool         `json:"bool,string"`
	Int     int          `json:"int,string"`
	Int8    int8         `json:"int8,string"`
	Uint64  uint64       `json:"uint64,string"`
	Float   float64      `json:"float,string"`
	Float32 oRatio       `json:"float32,string"`
	String  string       `json:"string,string"`
	ID      oID          `json:"id,string,omitempty"`
	PInt    *int64       `json:"pint,string"`
	PString *string      `json:"pstring,omitempty,string"`
	PBool   *bool        `json:"pbool,string"`
	PPInt   **int        `json:"ppint,string"`  // encoding/json looks through one pointer only
	Slice   []int        `json:"slice,string"`  // no scalar, so the option says nothing
	Number  json.Number  `json:"number,string"` // a string to encoding/json, so it does here
	PNumber *json.Number `json:"pnumber,string"`
}

type oOmit struct {
	Bool   bool              `json:"bool,omitempty"`
	Int    int32             `json:"int,omitempty"`
	Uint   uint8             `json:"uint,omitempty"`
	Float  float64           `json:"float,omitempty"`
	String string            `json:"string,omitempty"`
	Slice  []string          `json:"slice,omitempty"`
	Map    map[string]string `json:"map,omitempty"`
	Array  [2]int            `json:"array,omitempty"`
	Empty  [0]int            `json:"empty,omitempty"`
	Struct struct{ A int }   `json:"struct,omitempty"`
	Time   time.Time         `json:"time,omitempty"`
	Any    any               `json:"any,omitempty"`
	Bytes  []byte            `json:"bytes,omitempty"`
	Both   []int             `json:"both,omitempty,omitzero"`
}

type oOmitZero struct {
	Bool    bool             `json:"bool,omitzero"`
	Int     int32            `json:"int,omitzero"`
	Float   float64          `json:"float,omitzero"`
	String  string           `json:"string,omitzero"`
	Slice   []string         `json:"slice,omitzero"`
	Map     map[string]int   `json:"map,omitzero"`
	Array   [2]int           `json:"array,omitzero"`
	Struct  struct{ A int }  `json:"struct,omitzero"`
	Time    time.Time        `json:"time,omitzero"`
	PTime   *time.Time       `json:"ptime,omitzero"`
	Addr    netip.Addr       `json:"addr,omitzero"`
	Zeroer  oZeroer          `json:"zeroer,omitzero"`
	PZeroer *oZeroer         `json:"pzeroer,omitzero"`
	Any     any              `json:"any,omitzero"`
	Both    *map[string]bool `json:"both,omitzero,omitempty"`
}

// An oZeroer has a zero of its own.
type oZeroer int

func (z *oZeroer) IsZero() bool { return *z == 7 }

type oArrays struct {
	None    [0]int                `json:"none"`
	One     [1]string             `json:"one"`
	Bools   [2][2]bool            `json:"bools"`
	Structs [2]oPair[int, string] `json:"structs"`
	Bytes   [4]byte               `json:"bytes"`
	Ptrs    [2]*uint8             `json:"ptrs"`
	Slices  [2][]int              `json:"slices"`
	Maps    [1]map[string]int     `json:"maps"`
}

type oMaps struct {
	String  map[string]int              `json:"string"`
	Named   map[oID]string              `json:"named"`
	Int     map[int]bool                `json:"int"`
	Int8    map[int8]string             `json:"int8"`
	Int64   map[int64]float64           `json:"int64"`
	Uint8   map[uint8]int               `json:"uint8"`
	Uint64  map[oSize]int               `json:"uint64"`
	Text    map[netip.Addr]bool         `json:"text"`
	Fold    map[oFold][]int             `json:"fold"`
	Struct  map[string]oPair[int, *int] `json:"struct"`
	Nested  map[string]map[int]string   `json:"nested"`
	Slice   []map[string]*oID           `json:"slice"`
	Arrays  map[string][2]int           `json:"arrays"`
	Durable map[string]time.Duration    `json:"durable"`
}

type oBytes struct {
	Bytes  []byte            `json:"bytes"`
	Blob   oBlob             `json:"blob"`
	Octets oOctets           `json:"octets"`
	List   [][]byte          `json:"list"`
	Ptr    *[]byte           `json:"ptr"`
	Fixed  [3]byte           `json:"fixed"`
	Named  [2]oByte          `json:"named"`
	Map    map[string][]byte `json:"map"`
}

type oTimes struct {
	Time  time.Time                `json:"time"`
	PTime *time.Time               `json:"ptime"`
	Times []time.Time              `json:"times"`
	Map   map[string]time.Time     `json:"map"`
	Dur   time.Duration            `json:"dur"`
	PDur  *time.Duration           `json:"pdur"`
	Durs  []time.Duration          `json:"durs"`
	Keys  map[time.Duration]string `json:"keys"`
	Opt   time.Duration            `json:"opt,omitempty"`
}

type oTexts struct {
	Addr   netip.Addr      `json:"addr"`
	PAddr  *netip.Addr     `json:"paddr"`
	Prefix netip.Prefix    `json:"prefix"`
	IP     net.IP          `json:"ip"`
	Fold   oFold           `json:"fold"`
	Folds  []oFold         `json:"folds"`
	Pair   oTextStruct     `json:"pair"`
	PPair  *oTextStruct    `json:"ppair"`
	Map    map[oFold]oFold `json:"map"`
	Rat    big.Rat         `json:"rat"`
	Level  slog.Level      `json:"level"`
	Quoted oFold           `json:"quoted,string"`
}

// An oFold is a string in one case, so that two names may be one key.
type oFold string

func (f oFold) MarshalText() ([]byte, error) { return []byte(f), nil }

func (f *oFold) UnmarshalText(text []byte) error {
	if strings.Contains(string(text), "bad") {
		return errors.New("not a word that can be folded")
	}
	*f = oFold(strings.ToUpper(string(text)))
	return nil
}

// An oTextStruct is a struct that is a string in JSON.
type oTextStruct struct{ A, B string }

func (p *oTextStruct) MarshalText() ([]byte, error) { return []byte(p.A + ":" + p.B), nil }

func (p *oTextStruct) UnmarshalText(text []byte) (err error) {
	var ok bool
	if p.A, p.B, ok = strings.Cut(string(text), ":"); !ok {
		err = errors.New("no colon")
	}
	return err
}

type oCustoms struct {
	Big   big.Int              `json:"big"`
	PBig  *big.Int             `json:"pbig"`
	Raw   oVerbatim            `json:"raw"`
	Raws  []oVerbatim          `json:"raws"`
	Map   map[string]oVerbatim `json:"map"`
	PRaw  *oVerbatim           `json:"praw"`
	Picky oPicky               `json:"picky"`
	Opt   *oPicky              `json:"opt,omitempty"`
}

// An oVerbatim keeps the text that its UnmarshalJSON gets.
type oVerbatim struct{ text string }

func (v oVerbatim) MarshalJSON() ([]byte, error) {
	if v.text == "" {
		return []byte("null"), nil
	}
	return []byte(v.text), nil
}

func (v *oVerbatim) UnmarshalJSON(text []byte) error {
	v.text = string(text)
	return nil
}

// An oPicky takes odd integers.
type oPicky int

func (p *oPicky) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(*p)|1, 10), nil }

func (p *oPicky) UnmarshalJSON(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err == nil && n%2 == 0 {
		err = fmt.Errorf("%d is even", n)
	}
	*p = oPicky(n)
	return err
}

type oNumbers struct {
	Number  json.Number            `json:"number"`
	PNumber *json.Number           `json:"pnumber"`
	Numbers []json.Number          `json:"numbers"`
	Map     map[string]json.Number `json:"map"`
	Opt     json.Number            `json:"opt,omitempty"`
}

type oAnys struct {
	Any   any                        `json:"any"`
	PAny  *any                       `json:"pany"`
	Anys  []any                      `json:"anys"`
	Map   map[string]any             `json:"map"`
	Raw   json.RawMessage            `json:"raw"`
	PRaw  *json.RawMessage           `json:"praw"`
	Raws  []json.RawMessage          `json:"raws"`
	RMap  map[string]json.RawMessage `json:"rmap"`
	Named oAny                       `json:"named,omitempty"`
}

type oNode struct {
	Value int               `json:"value"`
	Next  *oNode            `json:"next,omitempty"`
	Kids  []oNode           `json:"kids,omitempty"`
	Names map[string]*oNode `json:"names,omitzero"`
}

type oEven struct {
	Odd *oOdd  `json:"odd"`
	Tag string `json:"tag,omitempty"`
}

type oOdd struct {
	Evens []oEven `json:"evens"`
}

type oPair[A, B any] struct {
	A A `json:"a"`
	B B `json:"b"`
}

type oPage[T any] struct {
	Items []T            `json:"items"`
	Total int            `json:"total"`
	Index map[string]T   `json:"index"`
	First *T             `json:"first,omitempty"`
	Inner oPair[T, [1]T] `json:"inner"`
}

type oNames struct {
	A int `json:"a/b~c"`
	B int `json:" "`
	C int `json:"größe"`
	D int `json:"<&>"`
	E int `json:"$ref"`
	F int
	G int `json:",omitempty"`
	H int `json:"-,"`
	I int `json:"0"`
	J int `json:"a,other,options"`
	K int `json:"ſ"`
	L int `json:"Title"`
	M int `json:"K"` // not the Kelvin sign
	N int `xml:"n"`
}

type oHidden struct {
	Shown  int    `json:"shown"`
	Hidden int    `json:"-"`
	secret string // not seen
	Func   func() `json:"-"`
	Empty  struct{}
}

type oStd struct {
	URL     url.URL          `json:"url"`
	Month   time.Month       `json:"month"`
	Port    netip.AddrPort   `json:"port"`
	IPNet   *net.IPNet       `json:"ipnet"`
	MAC     net.HardwareAddr `json:"mac"`
	Float   *big.Float       `json:"float"`
	HTTP    map[string][]string
	Weekday map[time.Weekday]int `json:"weekday"`
}

type OBase struct {
	ID   int    `json:"id"`
	Name string `json:"name,omitempty"`
}

type OAudit struct {
	By *string   `json:"by"`
	At time.Time `json:"at,omitzero"`
}

type oEmbedValue struct {
	OBase
	Title string `json:"title"`
	OAudit
}

type oEmbedPointer struct {
	*OBase
	Title string `json:"title"`
	*OAudit
}

type OMiddle struct {
	*OBase
	Depth int `json:"depth"`
}

type oEmbedDeep struct {
	OMiddle
	*OAudit
	Last bool `json:"last"`
}

type OLeft struct {
	X    int
	Y    int `json:"y"`
	Only int
}

type ORight struct {
	X int
	Z int `json:"y"`
	W int `json:"w"`
}

type oEmbedAmbiguous struct { // X and y are two fields each, so neither is seen
	OLeft
	*ORight
	Own string
}

type OUntagged struct{ V, W int }

type OTagged struct {
	Q int `json:"V"`
}

type oEmbedTagged struct { // of two as deep, the tagged one is seen
	OUntagged
	OTagged
}

type oEmbedShadow struct { // the outer id hides the inner one
	OMiddle
	ID string `json:"id"`
}

type oInner struct {
	A int `json:"a"`
	b int // not seen
}

type oInnerDeep struct{ oInner }

type oEmbedUnexported struct {
	oInnerDeep
	B string `json:"b"`
}

type OScalar int

type OStrings []string

type oEmbedScalar struct { // no structs, so fields of their own
	OScalar
	*OStrings
	oFlag // not exported, so not seen
}

type oEmbedSelf struct {
	*OLoop
	Own int `json:"own"`
}

type OLoop struct {
	*OLoop `json:"-"`
	Turn   int `json:"turn"`
	*OBase
}

type OPlain struct{ P, Q int }

type OOnce struct{ OPlain }

type OTwice struct{ OPlain }

type oEmbedTwice struct { // OPlain is there twice at one depth, so its fields are not
	OOnce
	OTwice
	Own int
}

type oEmbedNamed struct { // with a name, an embedded struct is a field
	OBase   `json:"base"`
	*OAudit `json:"audit,omitempty"`
	ID      int `json:"id"`
}

type oEmbedCustom struct { // a name keeps the methods of what is embedded from being those of the whole
	Stamp OStamp `json:"stamp"`
	When  oPair[time.Time, big.Int]
}

type OStamp struct{ time.Time }

// randomStruct makes up a struct type.
func randomStruct(r *rand.Rand, depth int) reflect.Type {
	var fields []reflect.StructField
	for i := range r.IntN(7) {
		f := reflect.StructField{Name: "F" + strconv.Itoa(i), Type: randomType(r, depth)}
		name := [...]string{"", "f" + strconv.Itoa(i) + "x", "é" + strconv.Itoa(i)}[r.IntN(3)]
		options := [...]string{"", "", "", ",omitempty", ",omitzero", ",string", ",omitempty,string"}[r.IntN(7)]
		if tag := name + options; tag != "" {
			f.Tag = reflect.StructTag(`json:"` + tag + `"`)
		}
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

func randomType(r *rand.Rand, depth int) reflect.Type {
	leaves := [...]reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint16](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[oID](), reflect.TypeFor[oCount](), reflect.TypeFor[[]byte](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[any](), reflect.TypeFor[json.RawMessage](),
		reflect.TypeFor[json.Number](), reflect.TypeFor[big.Int](), reflect.TypeFor[oPicky](), reflect.TypeFor[oFold](), reflect.TypeFor[oEmbedDeep](), reflect.TypeFor[oNode](),
	}
	if depth == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	keys := [...]reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[oID](), reflect.TypeFor[int8](), reflect.TypeFor[uint32](), reflect.TypeFor[oFold]()}
	switch r.IntN(9) {
	case 0, 1:
		return reflect.SliceOf(randomType(r, depth-1))
	case 2:
		return reflect.ArrayOf(r.IntN(4), randomType(r, depth-1))
	case 3:
		return reflect.MapOf(keys[r.IntN(len(keys))], randomType(r, depth-1))
	case 4:
		return reflect.PointerTo(randomType(r, depth-1))
	case 5:
		return randomStruct(r, depth-1)
	}
	return leaves[r.IntN(len(leaves))]
}

// wideStruct makes up a struct with n fields: more than one word has bits.
func wideStruct(n int) reflect.Type {
	var fields []reflect.StructField
	for i := range n {
		tag := `json:"n` + strconv.Itoa(i) + `"`
		if i%3 == 0 {
			tag = `json:"n` + strconv.Itoa(i) + `,omitempty"`
		}
		fields = append(fields, reflect.StructField{Name: "N" + strconv.Itoa(i), Type: reflect.TypeFor[int8](), Tag: reflect.StructTag(tag)})
	}
	return reflect.StructOf(fields)
}
