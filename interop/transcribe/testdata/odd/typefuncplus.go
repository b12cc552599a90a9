// Package odd is the API "type \"func\"// +build ignore `x`" as Go interfaces, written by
// transcribe from its OpenAPI document. Change it as you like.
package odd

import (
	"context"
	"encoding/json"

	"example.com/svc"
)

// TypeFuncPlusAPI has the methods of type func plus.
type TypeFuncPlusAPI interface {
	Select(ctx context.Context, in *SelectIn) (*Func, error)
	DeleteRange(ctx context.Context, in *DeleteRangeIn) error
	GetRange(ctx context.Context, in *GetRangeIn) error
	GetA(ctx context.Context, in *GetAIn) error
	GetB(ctx context.Context, in *GetBIn) error
	GetRoot(ctx context.Context, in *GetRootIn) error
	Main(ctx context.Context) error
	CreateF(ctx context.Context, in *Circle) (*CreateFOut, error)
	UpdateG(ctx context.Context, in *Mixed) (*UpdateGOut, error)
}

var methods = map[string]svc.MethodOptions{
	"Select":      {HTTP: "GET /range/{path_type}"},
	"DeleteRange": {HTTP: "DELETE /range/{type}"},
	"GetRange":    {HTTP: "GET /range/{type}/"},
	"GetA":        {HTTP: "GET /a/{x}"},
	"GetB":        {Transports: []svc.Transport{svc.TransportRPC, svc.TransportMCP}},
	"GetRoot":     {Transports: []svc.Transport{svc.TransportRPC, svc.TransportMCP}},
	"Main":        {HTTP: "POST /e", Status: 200},
	"CreateF":     {HTTP: "POST /f", Status: 201},
	"UpdateG":     {HTTP: "PUT /g"},
}

type SelectX string

const (
	SelectXAB    SelectX = "a,b"
	SelectXEmpty SelectX = ""
)

// Enum returns the only values.
func (SelectX) Enum() []SelectX {
	return []SelectX{SelectXAB, SelectXEmpty}
}

type SelectIn struct {
	PathType string  `json:"path_type"`
	Type     string  `json:"type,omitempty"`
	X        SelectX `json:"日本,omitempty"`
}

type Func struct {
	Type   string `json:"type"`
	Plus1  int    `json:"+1"`
	Minus1 int    `json:"-1"`
	Self   *Func  `json:"self"`
	// line break */ //go:embed x
	//
	// 	code
	X    string    `json:"日本,omitempty"`
	Any  any       `json:"any,omitempty"`
	Both *FuncBoth `json:"both,omitempty"`
	No   any       `json:"no,omitempty"`
}

type FuncBoth struct {
	svc.ByType
	Text   *string
	Number *int
}

type DeleteRangeIn struct {
	Type string `json:"type"`
}

type GetRangeIn struct {
	Type string `json:"type"`
}

type GetAIn struct {
	X string `json:"x"`
}

type GetBIn struct {
	Y string `json:"y"`
}

type GetRootIn struct {
	AB string `json:"a_b" pattern:"^[^/]+-[^/]+$"` // the whole segment {a}-{b}
}

type Circle struct {
	C    *Circle `json:"c,omitempty" nullable:"false"`
	List []any   `json:"list,omitempty"`
	Loop any     `json:"loop,omitempty"`
	F    *Func2  `json:"f,omitempty" nullable:"false"`
}

type Func2 struct {
	X *Func `json:"x,omitempty" nullable:"false"`
}

type CreateFOut struct {
	Location string `json:"-" header:"Location"`
}

type Mixed struct {
	N *float64                     `json:"n,omitempty" exclusiveMinimum:"1" nullable:"false"`
	M *int                         `json:"m,omitempty" nullable:"false"`
	P string                       `json:"p,omitempty"`
	U svc.Optional[map[string]any] `json:"u,omitzero"`
	E svc.Optional[int]            `json:"e,omitzero"`
}

type UpdateGOut struct{ Value any }

func (v UpdateGOut) MarshalJSON() ([]byte, error) { return json.Marshal(v.Value) }

func (v *UpdateGOut) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &v.Value) }
