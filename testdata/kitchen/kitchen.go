// Package kitchen has services that use every kind of type, every tag and every
// form of route there is. Documents are compared and validated with them, and
// every method that takes something answers with the same, so that what was
// accepted can be seen to come out again as the document says.
package kitchen

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/big"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"example.com/svc"
)

// Sink returns the service that uses everything.
func Sink(strict bool) *svc.Service { return SinkWith(SinkOptions(strict)) }

// SinkWith returns the service of [Sink] with other options.
func SinkWith(opts *svc.Options) *svc.Service { return svc.MustRegister[SinkAPI](sink{}, opts) }

// ObservedSink is Sink with Options.Observe.
func ObservedSink(strict bool, observe func(context.Context, svc.Observation)) *svc.Service {
	opts := SinkOptions(strict)
	opts.Observe = observe
	return svc.MustRegister[SinkAPI](sink{}, opts)
}

// SinkOptions returns the options of [Sink], for its clients.
func SinkOptions(strict bool) *svc.Options {
	return &svc.Options{
		Name:        "Kitchen sink",
		Description: "Every kind, every tag, every route.",
		Version:     "1.2.3",
		Resource:    "sinks",
		Strict:      strict,
		Logger:      slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{
			"Move":        {HTTP: "POST /shelves/{shelf}/{row}/sinks/{ratio}/{wet}/{at}/{for}/{size}/{address}/{digits}", Description: "Moves a sink."},
			"ReadTool":    {Resource: "tools", HTTP: "GET /tools/first", Description: "Reads <b>one</b> tool & its \"handle\"."},
			"ReplaceTool": {Resource: "tools", HTTP: "PUT /tools/{name}"},
			"Watch":       {HTTP: "GET /sinks/watch"},
			"Follow":      {HTTP: "GET /sinks/{id}/follow", Stream: svc.StreamSSE},
			"Pages":       {HTTP: "GET /sinks/pages"},
			"Seek":        {HTTP: "GET /sinks/seek"},
			"Answer":      {HTTP: "POST /sinks/answer"},
			"Relabel":     {HTTP: "PATCH /sinks/{id}/labels"},
			"Rename":      {HTTP: "PUT /sinks/{id}/name"},
			"Unlabel":     {HTTP: "DELETE /sinks/{id}/labels"},
			"Create":      {Status: 201},
			"Archive":     {Status: 202, Deprecated: true},
			"Make":        {Status: 203},
			"Made":        {HTTP: "GET /sinks/made"},
			"Forget":      {Status: 205},
			"Empty":       {Status: 200},
			"Hide":        {Transports: []svc.Transport{svc.TransportRPC, svc.TransportMCP}},
		},
	}
}

// Second returns a strict service that shares types with [Sink] and has paths like
// its own, so that it stands beside it under a prefix. Create needs a scope.
func Second() *svc.Service {
	return svc.MustRegister[SecondAPI](second{}, &svc.Options{
		Name:     "Second",
		Resource: "seconds",
		Path:     "sinks",
		Strict:   true,
		Defaults: svc.Defaults{Auth: "bearer"},
		OnError:  svc.WriteProblem,
		Logger:   slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{
			"Create": {Scopes: []string{Scope}},
			"Get":    {Public: true},
		},
	})
}

// Scope is what callers of Create of [Second] need.
const Scope = "sinks:write"

// Both returns one service out of two.
func Both() *svc.Service { return svc.Join("Both", Sink(false), Second().At("/v2")) }

type SinkAPI interface {
	Create(context.Context, *Numbers) (*Created, error)
	List(context.Context, *Query) (*Page[Inner], error)
	Get(context.Context, *ByID) (*Inner, error)
	Update(context.Context, *Update) (*Update, error)
	Patch(context.Context, *Change) (*Change, error)
	Delete(context.Context, *ByID) error
	Archive(context.Context) error
	Count(context.Context) (*Inner, error)
	Empty(context.Context) error
	Forget(context.Context, *Inner) error
	Hide(context.Context, *Inner) error
	Made(context.Context) (*Made, error)
	Make(context.Context, *Inner) (*Made, error)
	Move(context.Context, *Move) (*Move, error)
	ReadTool(context.Context) (*Tool, error)
	ReplaceTool(context.Context, *NewTool) (*Tool, error)
	Watch(context.Context, *Watch) (svc.Stream[Inner], error)
	Follow(context.Context, *ByID) (*Inner, error)
	Pages(context.Context, *Pages) (*svc.PageResponse[Inner], error)
	Seek(context.Context, *Seek) (*Inner, error)
	Sift(context.Context, *Sift) (*Sifted, error)
	Answer(context.Context, *Question) (*svc.ValueOrStream[Answer, Word], error)
	Relabel(context.Context, *Relabel) (*Relabel, error)
	Rename(context.Context, *Rename) (*Rename, error)
	Unlabel(context.Context, *Unlabel) (*Unlabel, error)

	EchoBounds(context.Context, *Bounds) (*Bounds, error)
	EchoFloats(context.Context, *Floats) (*Floats, error)
	EchoTexts(context.Context, *Texts) (*Texts, error)
	EchoLists(context.Context, *Lists) (*Lists, error)
	EchoMaps(context.Context, *Maps) (*Maps, error)
	EchoOptional(context.Context, *Optional) (*Optional, error)
	EchoQuoted(context.Context, *Quoted) (*Quoted, error)
	EchoFree(context.Context, *Free) (*Free, error)
	EchoFlat(context.Context, *Flat) (*Flat, error)
	EchoTree(context.Context, *Tree) (*Tree, error)
	EchoEnums(context.Context, *Enums) (*Enums, error)
	EchoChoice(context.Context, *ChoiceOrNull) (*ChoiceOrNull, error)
	EchoChoices(context.Context, *Choices) (*Choices, error)
	WatchChoices(context.Context, *Choices) (svc.Stream[Choice], error)
	EchoLetter(context.Context, *Letter) (*Letter, error)
}

// Relabel has a body that is a list.
type Relabel struct {
	ID     int32   `json:"id" minimum:"1"`
	Dry    bool    `query:"dry,omitempty" json:"dry,omitempty"`
	Labels []Inner `json:"labels" body:"*" minItems:"1" maxItems:"3" doc:"The labels of the sink."`
}

// Rename has a body that may be left out.
type Rename struct {
	ID   int32  `json:"id" minimum:"1"`
	Name string `json:"name,omitempty" body:"*" maxLength:"8"`
}

// Unlabel has a body beside its query.
type Unlabel struct {
	ID     int32    `json:"id" minimum:"1"`
	Labels []string `json:"labels" body:"labels" maxItems:"3"`
	Force  bool     `json:"force,omitempty"`
}

// Question asks for one answer, or for a stream of its words.
type Question struct {
	Text   string `json:"text" minLength:"1" maxLength:"40"`
	Stream bool   `json:"stream,omitempty" doc:"Answer with a stream of words."`
}

// Answer is the whole answer to a Question.
type Answer struct {
	Text  string `json:"text"`
	Count int32  `json:"count" doc:"How many words it has."`
}

// Word is a part of an Answer.
type Word struct {
	Text string `json:"text"`
	Last bool   `json:"last,omitempty"`
}

// Letter has unions by JSON type wherever a value can be.
type Letter struct {
	Prose  Prose            `json:"prose"`
	Needed *Prose           `json:"needed"`
	Other  *Prose           `json:"other,omitempty"`
	More   []Prose          `json:"more,omitempty" maxItems:"3"`
	ByName map[string]Prose `json:"byName,omitempty"`
	Hue    Hue              `json:"hue,omitzero"`
}

// Prose is a text, or a list of parts.
type Prose struct {
	svc.ByType
	Text  *string `maxLength:"9" doc:"What is written."`
	Parts []Inner `minItems:"1"`
}

// Hue is one of a few words, or an object.
type Hue struct {
	svc.ByType
	Shade *Shade
	Inner *Inner
}

// Choices has a union wherever an object can be.
type Choices struct {
	One    Choice            `json:"one"`
	List   []Choice          `json:"list,omitempty" maxItems:"4"`
	ByName map[string]Choice `json:"byName,omitempty"`
}

// ChoiceOrNull has a union that may be null.
type ChoiceOrNull struct {
	Needed *Choice              `json:"needed"`
	Other  *Choice              `json:"other,omitempty"`
	Maybe  svc.Optional[Choice] `json:"maybe,omitzero"`
}

// Choice is a union.
type Choice struct {
	Type   string        `json:"type" discriminator:"true" doc:"Which of them it is."`
	ID     int32         `json:"id" minimum:"0"`
	Text   *TextChoice   `variant:"text"`
	Number *NumberChoice `variant:"number"`
	Nested *NestedChoice `variant:"nested"`
	None   *struct{}     `variant:"none"`
}

// TextChoice has a member that NumberChoice has too, of another type.
type TextChoice struct {
	Value string `json:"value" maxLength:"5"`
	Color string `json:"color,omitempty" enum:"red,green"`
}

// NumberChoice is an alternative of Choice.
type NumberChoice struct {
	Value float64 `json:"value" minimum:"-10"`
	Exact bool    `json:"exact" default:"true"`
}

// NestedChoice is an alternative that has others.
type NestedChoice struct {
	Inner Inner    `json:"inner"`
	Parts []Choice `json:"parts" maxItems:"3"`
}

type SecondAPI interface {
	Create(context.Context, *Inner) (*Tree, error)
	Get(context.Context, *ByID) (*Page[Tree], error)
}

// Created is what was sent, and where it can be had.
type Created struct {
	Numbers
	Location string `json:"-" header:"Location" doc:"Of what was created."`
}

// Made is an output with every kind of header.
type Made struct {
	Inner
	ETag     string        `json:"etag" header:"ETag" doc:"Of what was made."`
	Location string        `json:"-" header:"Location"`
	Cookies  []string      `json:"-" header:"Set-Cookie"`
	At       time.Time     `json:"at,omitzero" header:"Last-Modified"`
	Count    int32         `json:"count" header:"X-Count" minimum:"0"`
	Ratio    *float64      `json:"ratio,omitempty" header:"X-Ratio"`
	Done     bool          `json:"-" header:"X-Done"`
	Wait     time.Duration `json:"-" header:"X-Wait"`
}

// Numbers has every kind of number.
type Numbers struct {
	Int     int         `json:"int"`
	Int8    int8        `json:"int8"`
	Int16   int16       `json:"int16"`
	Int32   int32       `json:"int32"`
	Int64   int64       `json:"int64"`
	Uint    uint        `json:"uint"`
	Uint8   uint8       `json:"uint8"`
	Uint16  uint16      `json:"uint16"`
	Uint32  uint32      `json:"uint32"`
	Uint64  uint64      `json:"uint64"`
	Float32 float32     `json:"float32"`
	Float64 float64     `json:"float64"`
	Number  json.Number `json:"number"`
	Bool    bool        `json:"bool"`
}

// Bounds has constraints on integers and strings.
type Bounds struct {
	Between  int64    `json:"between" minimum:"-10" maximum:"10" example:"3" doc:"From -10 to 10."`
	Inside   int16    `json:"inside" exclusiveMinimum:"-10" exclusiveMaximum:"10"`
	Both     int32    `json:"both" minimum:"1" exclusiveMinimum:"0" maximum:"5" exclusiveMaximum:"9"`
	Unsigned uint8    `json:"unsigned" minimum:"1"`
	Large    uint64   `json:"large" maximum:"18446744073709551615" minimum:"1"`
	Small    int8     `json:"small" maximum:"100"`
	Seventh  int      `json:"seventh" multipleOf:"7"`
	Even     uint16   `json:"even" multipleOf:"2"`
	OneOf    int      `json:"oneOf" enum:"1,2,30"`
	Title    string   `json:"title" minLength:"1" maxLength:"5" default:"none"`
	Code     string   `json:"code" pattern:"^[A-Z]{2}-[0-9]+$" example:"AB-1"`
	Colour   string   `json:"colour" enum:"red,green,blue" default:"red"`
	Mail     string   `json:"mail" format:"email"`
	When     *string  `json:"when" minLength:"2" doc:"Null, or at least two characters."`
	Perhaps  *uint8   `json:"perhaps,omitempty" maximum:"9" format:"digit"`
	Port     int32    `json:"port" format:"port" maximum:"65535"`
	Wide     uint64   `json:"wide" format:"wide"`
	Choice   *string  `json:"choice,omitempty" enum:"a,b"`
	Flag     bool     `json:"flag" default:"true"`
	Names    []string `json:"names,omitempty" minItems:"1" maxItems:"3" uniqueItems:"true"`
}

// Floats has constraints on floats.
type Floats struct {
	Between float64   `json:"between" minimum:"-1.5" maximum:"2.5e1"`
	Inside  float32   `json:"inside" exclusiveMinimum:"0" exclusiveMaximum:"1"`
	Tenth   float64   `json:"tenth" multipleOf:"0.1"`
	Quarter float32   `json:"quarter" multipleOf:"0.25"`
	OneOf   float64   `json:"oneOf" enum:"0.5,1,1e3"`
	Both    float64   `json:"both" minimum:"0" exclusiveMinimum:"-1"`
	Unique  []float64 `json:"unique" uniqueItems:"true"`
}

// Texts has every kind that is a string.
type Texts struct {
	String   string        `json:"string"`
	Named    Colour        `json:"named"`
	Time     time.Time     `json:"time"`
	Duration time.Duration `json:"duration"`
	Bytes    []byte        `json:"bytes"`
	Address  netip.Addr    `json:"address" example:"::1"`
	UUID     string        `json:"uuid" format:"uuid"`
}

// Enums has types with a method Enum, and lists with rules for their items.
type Enums struct {
	Shade   Shade                `json:"shade" default:"red" doc:"Of red or green."`
	Warm    Shade                `json:"warm" enum:"red"`
	Depth   Depth                `json:"depth"`
	Maybe   *Shade               `json:"maybe"`
	Perhaps *Depth               `json:"perhaps,omitempty"`
	Opt     svc.Optional[Shade]  `json:"opt,omitzero"`
	Many    []Depth              `json:"many" maxItems:"3" uniqueItems:"true"`
	Some    []*Shade             `json:"some,omitempty"`
	Named   map[string]Shade     `json:"named"`
	ByShade map[Shade]Depth      `json:"byShade"`
	ByDepth map[Depth]bool       `json:"byDepth,omitempty"`
	Words   []string             `json:"words" maxItems:"3" minLength:"1" maxLength:"5" pattern:"^[^ ]*$"`
	Sizes   [2]int16             `json:"sizes" minimum:"-5" exclusiveMaximum:"10"`
	Kinds   *[]string            `json:"kinds,omitempty" enum:"a,b" uniqueItems:"true"`
	Mails   []string             `json:"mails,omitempty" format:"email"`
	OptList svc.Optional[[]int8] `json:"optList,omitzero" maxItems:"2" multipleOf:"3"`
}

// Shade is one of three strings.
type Shade string

func (Shade) Enum() []Shade { return []Shade{"red", "green", "blue"} }

// Depth is one of three numbers.
type Depth int16

func (Depth) Enum() []Depth { return []Depth{1, 2, 300} }

// Colour is a string with a name of its own.
type Colour string

// Lists has every kind of list.
type Lists struct {
	Strings []string     `json:"strings"`
	Matrix  [][]int8     `json:"matrix" maxItems:"3"`
	Pair    [2]uint8     `json:"pair" uniqueItems:"true"`
	None    [0]string    `json:"none"`
	Objects []Inner      `json:"objects"`
	Maybe   []*Inner     `json:"maybe"`
	Nulls   *[]*int8     `json:"nulls"`
	Ints    []int32      `json:"ints" uniqueItems:"true" minItems:"1"`
	Bools   []bool       `json:"bools" uniqueItems:"true"`
	Blobs   [][]byte     `json:"blobs"`
	Times   [1]time.Time `json:"times"`
	Default []int        `json:"default" default:"[1,2]"`
}

// Maps has every kind of map.
type Maps struct {
	Ints      map[string]int16              `json:"ints"`
	Objects   map[string]Inner              `json:"objects"`
	Maybe     map[string]*Inner             `json:"maybe"`
	ByInt     map[int8]bool                 `json:"byInt"`
	ByUint    map[uint16]string             `json:"byUint"`
	ByInt64   map[int64]string              `json:"byInt64"`
	ByColour  map[Colour]float64            `json:"byColour"`
	ByAddress map[netip.Addr]bool           `json:"byAddress"`
	Deep      map[string][]map[string]uint8 `json:"deep"`
	Anything  map[string]any                `json:"anything"`
}

// Optional has every way of not being there.
type Optional struct {
	Empty   string           `json:"empty,omitempty" minLength:"2"`
	Zero    int              `json:"zero,omitzero" minimum:"5"`
	Pointer *int8            `json:"pointer"`
	Maybe   *int8            `json:"maybe,omitempty"`
	Object  *Inner           `json:"object"`
	Perhaps *Inner           `json:"perhaps,omitempty" doc:"If at all."`
	Twice   **bool           `json:"twice"`
	Time    *time.Time       `json:"time,omitempty"`
	List    *[]string        `json:"list,omitempty"`
	Map     *map[string]int8 `json:"map,omitzero"`
	Default *int             `json:"default" default:"7"`
	Null    *int             `json:"null" default:"null"`
	Any     *any             `json:"any,omitempty"`
	Inner   Inner            `json:"inner,omitzero" doc:"An object."`

	Word   svc.Optional[string]  `json:"word,omitzero" minLength:"2" doc:"Null, or at least two characters."`
	Number svc.Optional[int8]    `json:"number,omitzero" minimum:"1"`
	Thing  svc.Optional[Inner]   `json:"thing,omitzero"`
	Many   svc.Optional[[]int16] `json:"many,omitzero" maxItems:"2"`
}

// Quoted has what json:",string" puts into strings.
type Quoted struct {
	Int8    int8    `json:"int8,string"`
	Int     int     `json:"int,string"`
	Int64   int64   `json:"int64,string" default:"5" example:"6"`
	Uint8   uint8   `json:"uint8,string"`
	Uint64  uint64  `json:"uint64,string"`
	Float   float64 `json:"float,string"`
	Pointer *int16  `json:"pointer,string"`
	Maybe   *uint32 `json:"maybe,string,omitempty"`
}

// Free has what no schema says much of.
type Free struct {
	Any    any             `json:"any"`
	Raw    json.RawMessage `json:"raw" doc:"Any JSON."`
	Money  Money           `json:"money"`
	Opaque Opaque          `json:"opaque"`
	Maybe  *Money          `json:"maybe"`
	Moneys []Money         `json:"moneys,omitempty"`
}

// Money writes its own JSON, and says how.
type Money struct{ Cents int64 }

func (m Money) MarshalJSON() ([]byte, error) { return json.Marshal(m.Cents) }

func (m *Money) UnmarshalJSON(text []byte) error {
	var n json.Number
	if err := json.Unmarshal(text, &n); err != nil || len(text) == 0 || text[0] == '"' || text[0] == 'n' {
		return svc.Errorf(svc.CodeInvalidArgument, "must be a number of cents")
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok || !r.IsInt() || r.Sign() < 0 || r.Cmp(big.NewRat(1e6, 1)) > 0 {
		return svc.Errorf(svc.CodeInvalidArgument, "must be a number of cents up to 1000000")
	}
	m.Cents = r.Num().Int64()
	return nil
}

// JSONSchema says what MarshalJSON writes.
func (Money) JSONSchema() map[string]any {
	return map[string]any{"type": "integer", "minimum": 0, "maximum": 1000000}
}

// Opaque writes its own JSON and says nothing.
type Opaque struct{ text string }

func (o Opaque) MarshalJSON() ([]byte, error) {
	if o.text == "" {
		return []byte("null"), nil
	}
	return []byte(o.text), nil
}

func (o *Opaque) UnmarshalJSON(text []byte) error {
	o.text = string(text)
	return nil
}

// Flat embeds.
type Flat struct {
	Inner
	*Extra
	Label string `json:"label"`
	Own   bool   `json:"own"`
	Loose `json:"loose"`
}

// Extra is embedded by a pointer, so that all of it may be absent.
type Extra struct {
	Note  string `json:"note" maxLength:"3"`
	Label int    `json:"label"` // hidden by Flat.Label
}

// Loose is embedded with a name, which makes it a member.
type Loose struct {
	Level uint8 `json:"level,omitempty"`
}

// Inner is an object that many others have.
type Inner struct {
	ID   int32  `json:"id" minimum:"1"`
	Name string `json:"name,omitempty" maxLength:"8"`
}

// Tree contains itself in every way there is.
type Tree struct {
	Value    int8             `json:"value"`
	Left     *Tree            `json:"left,omitempty" doc:"What is less."`
	Right    *Tree            `json:"right"`
	Children []Tree           `json:"children,omitempty"`
	ByName   map[string]*Tree `json:"byName,omitempty"`
	Leaf     *Leaf            `json:"leaf,omitempty"`
}

// Leaf contains Tree, which contains it.
type Leaf struct {
	Up []Tree `json:"up"`
}

// Page is generic.
type Page[T any] struct {
	Data []T `json:"data"`
	Next *T  `json:"next,omitempty"`
}

// Query has everything that a query can carry.
type Query struct {
	Text     string        `json:"text,omitempty" maxLength:"4" doc:"What to look for."`
	Required string        `json:"required"`
	Limit    int           `json:"limit,omitempty" minimum:"1" maximum:"100" default:"20"`
	Tiny     int8          `json:"tiny,omitempty"`
	Unsigned *uint16       `query:"unsigned,omitempty"`
	Ratio    float64       `json:"ratio,omitempty"`
	Number   json.Number   `json:"number,omitempty"`
	On       bool          `json:"on,omitempty"`
	Since    time.Time     `json:"since,omitzero"`
	Within   time.Duration `json:"within,omitempty"`
	Blob     []byte        `json:"blob,omitempty"`
	From     netip.Addr    `json:"from,omitzero"`
	Tags     []string      `query:"tag" json:"tags,omitempty" maxItems:"3"`
	Sizes    []*int8       `json:"sizes,omitempty"`
	Shade    Shade         `json:"shade,omitempty"`
	Depths   []Depth       `json:"depths,omitempty" maxItems:"2"`
	Words    []string      `json:"words,omitempty" minLength:"1" maxLength:"4"`
	Sort     string        `json:"-" query:"sort,omitempty" enum:"asc,desc"`
	Quoted   int64         `json:"quoted,string,omitempty" default:"3"`
}

// Seek has parameters in headers and cookies, two of them over REST alone.
type Seek struct {
	Tenant string `json:"tenant,omitempty" header:"X-Tenant" pattern:"^[a-z]+$" doc:"Whose sinks."`
	Trace  *int32 `json:"-" header:"X-Trace,omitempty" minimum:"1"`
	Theme  string `json:"theme,omitempty" cookie:"theme" enum:"light,dark"`
	Visits uint8  `json:"-" cookie:"visits" default:"1"`
}

// Sift has every kind of value in headers and cookies, some of them required, beside
// a body.
type Sift struct {
	Region  string        `json:"region" header:"X-Region" minLength:"2" maxLength:"8" pattern:"^[ -~]*$" doc:"What an output header can hold."`
	Remark  string        `json:"remark,omitempty" header:"X-Remark" maxLength:"12"`
	Session string        `json:"session" cookie:"session" pattern:"^[a-z0-9]+$" example:"a1"`
	Level   int32         `json:"level" header:"X-Level" minimum:"-5" maximum:"5"`
	Page    uint16        `json:"page" cookie:"page" minimum:"1" multipleOf:"2"`
	On      bool          `json:"on,omitempty" header:"X-On"`
	Off     *bool         `json:"off,omitempty" cookie:"off"`
	Wide    uint64        `json:"wide,omitempty" header:"X-Wide"`
	Tiny    int8          `json:"tiny,omitempty" cookie:"tiny"`
	Ratio   float64       `json:"ratio,omitempty" header:"X-Ratio" minimum:"0" exclusiveMaximum:"1"`
	Share   float32       `json:"share,omitempty" cookie:"share" maximum:"100"`
	Number  json.Number   `json:"number,omitempty" header:"X-Number"`
	Since   time.Time     `json:"since,omitzero" header:"X-Since"`
	Until   *time.Time    `json:"until,omitempty" cookie:"until"`
	Wait    time.Duration `json:"wait,omitempty" header:"X-Wait"`
	Stay    time.Duration `json:"stay,omitempty" cookie:"stay"`
	Blob    []byte        `json:"blob,omitempty" header:"X-Blob"`
	Blot    []byte        `json:"blot,omitempty" cookie:"blot"`
	From    netip.Addr    `json:"from,omitzero" header:"X-From" example:"::1"`
	Sort    string        `json:"-" header:"X-Sort" enum:"asc,desc" default:"asc"`
	Size    int           `json:"-" cookie:"size,omitempty" enum:"1,2,30"`
	Note    string        `json:"note,omitempty" maxLength:"5"`
}

// Sifted has in its headers what was sent in headers.
type Sifted struct {
	Region string  `json:"region" header:"X-Region"`
	Level  int32   `json:"level" header:"X-Level"`
	Wide   uint64  `json:"-" header:"X-Wide"`
	Ratio  float64 `json:"-" header:"X-Ratio,omitempty"`
	Note   string  `json:"note"`
}

type ByID struct {
	ID int64 `json:"id"`
}

// Watch is the input of a stream that can be taken up again.
type Watch struct {
	After int64 `header:"Last-Event-ID" json:"after,omitempty" minimum:"1"`
}

// Pages asks for a page in either way.
type Pages struct {
	svc.PageRequest
	Name string `json:"name,omitempty"`
}

// Update comes from everywhere.
type Update struct {
	ID    string   `path:"id" json:"id" pattern:"^[a-z0-9]+$" example:"a1"`
	Force bool     `query:"force,omitempty"`
	Name  string   `json:"name" minLength:"1"`
	Inner *Inner   `json:"inner,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

// Change is an update of some fields.
type Change struct {
	ID    string                 `path:"id" json:"id" pattern:"^[a-z0-9]+$" example:"a1"`
	Name  svc.Optional[string]   `json:"name,omitzero" minLength:"1"`
	Inner svc.Optional[Inner]    `json:"inner,omitzero"`
	Tags  svc.Optional[[]string] `json:"tags,omitzero" maxItems:"3"`
}

// Move has placeholders of every kind, in another order than the path.
type Move struct {
	Row     int8          `path:"row"`
	Shelf   string        `path:"shelf" enum:"top,bottom"`
	Ratio   float32       `path:"ratio"`
	Wet     bool          `path:"wet"`
	At      time.Time     `path:"at"`
	For     time.Duration `path:"for"`
	Size    uint16        `path:"size" minimum:"1" maximum:"300" example:"12"`
	Address netip.Addr    `path:"address"`
	Digits  int           `path:"digits" enum:"1,10,-5"`
	Carry   string        `json:"carry"`
}

// Tool is an output with an entity-tag.
type Tool struct {
	Name   string `json:"name"`
	Handle string `json:"handle" doc:"Of <wood> & \"steel\"."`
	ETag   string `json:"-" header:"ETag"`
}

// NewTool has a path field that is called otherwise in the route of another method,
// and a condition.
type NewTool struct {
	Name    string `json:"name"`
	Handle  string `json:"handle"`
	IfMatch string `json:"-" header:"If-Match,omitempty" example:"*" doc:"The entity-tag of the tool to replace."`
}

type sink struct{}

func (sink) Hide(context.Context, *Inner) error { return nil }

func (s sink) Made(ctx context.Context) (*Made, error) { return s.Make(ctx, &Inner{ID: 7}) }

func (sink) Make(_ context.Context, in *Inner) (*Made, error) {
	ratio := 0.5
	return &Made{
		Inner: *in, ETag: `"` + strconv.FormatInt(int64(in.ID), 10) + `"`, Location: "/sinks/7", Cookies: []string{"a=1", "b=2"},
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Count: 7, Ratio: &ratio, Done: true, Wait: time.Second,
	}, nil
}

// Create answers with the path of a sink that Get finds.
func (sink) Create(_ context.Context, in *Numbers) (*Created, error) {
	return &Created{Numbers: *in, Location: "/sinks/" + strconv.Itoa(int(in.Uint16)+1)}, nil
}

// ReplaceTool replaces the one tool there is, whose entity-tag is "1".
func (sink) ReplaceTool(_ context.Context, in *NewTool) (*Tool, error) {
	if !svc.MatchesETag(in.IfMatch, toolTag) {
		return nil, svc.Errorf(svc.CodeFailedPrecondition, "the tool has changed").
			WithStatus(http.StatusPreconditionFailed).WithHeader("ETag", toolTag)
	}
	return &Tool{Name: in.Name, Handle: in.Handle, ETag: toolTag}, nil
}

const toolTag = `"1"`

func (sink) Sift(_ context.Context, in *Sift) (*Sifted, error) {
	return &Sifted{Region: in.Region, Level: in.Level, Wide: in.Wide, Ratio: in.Ratio, Note: in.Note}, nil
}

func (sink) Update(_ context.Context, in *Update) (*Update, error)     { return in, nil }
func (sink) Patch(_ context.Context, in *Change) (*Change, error)      { return in, nil }
func (sink) Delete(context.Context, *ByID) error                       { return nil }
func (sink) Archive(context.Context) error                             { return nil }
func (sink) Empty(context.Context) error                               { return nil }
func (sink) Forget(context.Context, *Inner) error                      { return nil }
func (sink) Move(_ context.Context, in *Move) (*Move, error)           { return in, nil }
func (sink) EchoBounds(_ context.Context, in *Bounds) (*Bounds, error) { return in, nil }
func (sink) EchoFloats(_ context.Context, in *Floats) (*Floats, error) { return in, nil }
func (sink) EchoTexts(_ context.Context, in *Texts) (*Texts, error)    { return in, nil }
func (sink) EchoLists(_ context.Context, in *Lists) (*Lists, error)    { return in, nil }
func (sink) EchoMaps(_ context.Context, in *Maps) (*Maps, error)       { return in, nil }
func (sink) EchoOptional(_ context.Context, in *Optional) (*Optional, error) {
	return in, nil
}
func (sink) EchoQuoted(_ context.Context, in *Quoted) (*Quoted, error)             { return in, nil }
func (sink) EchoFree(_ context.Context, in *Free) (*Free, error)                   { return in, nil }
func (sink) EchoFlat(_ context.Context, in *Flat) (*Flat, error)                   { return in, nil }
func (sink) EchoChoice(_ context.Context, in *ChoiceOrNull) (*ChoiceOrNull, error) { return in, nil }
func (sink) EchoChoices(_ context.Context, in *Choices) (*Choices, error)          { return in, nil }
func (sink) WatchChoices(_ context.Context, in *Choices) (svc.Stream[Choice], error) {
	return func(yield func(*Choice, error) bool) {
		for i := range in.List {
			if !yield(&in.List[i], nil) {
				return
			}
		}
	}, nil
}

// Answer answers with the text of the question.
func (sink) Answer(_ context.Context, in *Question) (*svc.ValueOrStream[Answer, Word], error) {
	words := strings.Fields(in.Text)
	if !in.Stream {
		return &svc.ValueOrStream[Answer, Word]{Value: &Answer{Text: in.Text, Count: int32(len(words))}}, nil
	}
	return &svc.ValueOrStream[Answer, Word]{Stream: func(yield func(*Word, error) bool) {
		for i, word := range words {
			if !yield(&Word{Text: word, Last: i == len(words)-1}, nil) {
				return
			}
		}
	}}, nil
}

func (sink) EchoLetter(_ context.Context, in *Letter) (*Letter, error) { return in, nil }

func (sink) Relabel(_ context.Context, in *Relabel) (*Relabel, error) { return in, nil }
func (sink) Rename(_ context.Context, in *Rename) (*Rename, error)    { return in, nil }
func (sink) Unlabel(_ context.Context, in *Unlabel) (*Unlabel, error) { return in, nil }

func (sink) EchoTree(_ context.Context, in *Tree) (*Tree, error)    { return in, nil }
func (sink) EchoEnums(_ context.Context, in *Enums) (*Enums, error) { return in, nil }

func (sink) List(_ context.Context, in *Query) (*Page[Inner], error) {
	return &Page[Inner]{Data: []Inner{{ID: int32(in.Limit), Name: in.Text}}}, nil
}

func (sink) Get(_ context.Context, in *ByID) (*Inner, error) {
	if in.ID < 1 || in.ID > 1<<31-1 {
		return nil, svc.Errorf(svc.CodeNotFound, "no such sink")
	}
	return &Inner{ID: int32(in.ID)}, nil
}

func (sink) Watch(context.Context, *Watch) (svc.Stream[Inner], error) {
	return func(yield func(*Inner, error) bool) { yield(&Inner{ID: 1}, nil) }, nil
}

func (sink) Seek(context.Context, *Seek) (*Inner, error) { return &Inner{ID: 1}, nil }

func (sink) Follow(context.Context, *ByID) (*Inner, error) { return &Inner{ID: 1}, nil }

func (sink) Pages(_ context.Context, in *Pages) (*svc.PageResponse[Inner], error) {
	return svc.NewPage([]Inner{{ID: 1}}, in.PageRequest, 1), nil
}

func (sink) Count(context.Context) (*Inner, error)   { return &Inner{ID: 1}, nil }
func (sink) ReadTool(context.Context) (*Tool, error) { return &Tool{Name: "saw", ETag: toolTag}, nil }

type second struct{}

func (second) Create(_ context.Context, in *Inner) (*Tree, error) {
	return &Tree{Value: int8(in.ID)}, nil
}
func (second) Get(_ context.Context, in *ByID) (*Page[Tree], error) {
	return &Page[Tree]{Data: []Tree{{Value: int8(in.ID)}}}, nil
}
