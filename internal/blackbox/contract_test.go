package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// The services of these tests have one method, with an input or an output.
type (
	taker[In any] interface {
		Make(context.Context, *In) error
	}
	giver[Out any] interface {
		Give(context.Context) (*Out, error)
	}
	takes[In any]  struct{}
	gives[Out any] struct{}
)

func (takes[In]) Make(context.Context, *In) error     { return nil }
func (gives[Out]) Give(context.Context) (*Out, error) { return new(Out), nil }

// Outputs that are a header, with and without a member beside it.
type (
	onlyLocation struct {
		Location string `json:"-" header:"Location"`
	}
	hasNote struct {
		onlyLocation
		Note string `json:"note,omitempty"`
	}
)

// taking returns a service that takes an In, with options of the service or the method.
func taking[In any](options ...any) *svc.Service {
	return svc.MustRegister[taker[In]](takes[In]{}, optionsOf("Make", options))
}

// giving returns a service that answers with an Out.
func giving[Out any](options ...any) *svc.Service {
	return svc.MustRegister[giver[Out]](gives[Out]{}, optionsOf("Give", options))
}

// A marker has two methods, of which one has the name that is an alias of the other.
type marker struct{}

func (marker) MarkDone(context.Context, *one[int]) error { return nil }
func (marker) Markdone(context.Context, *one[int]) error { return nil }

var (
	reasonFull = svc.Errorf(svc.CodeFailedPrecondition, "no more room").WithReason("list_full")
	reasonGone = svc.Errorf(svc.CodeNotFound, "no such user").WithReason("user_gone")
)

// spaces returns n spaces, for an input that is longer than MaxBody.
func spaces(n int) string { return strings.Repeat(" ", n) }

// levels returns n levels of objects that have the next twice, as JSON.
func levels(n int) string {
	if n == 0 {
		return "{}"
	}
	return fmt.Sprintf(`{"a":%s,"b":%[1]s}`, levels(n-1))
}

// aliased returns a service with those methods of a marker that are in API.
func aliased[API any](options ...any) *svc.Service {
	return svc.MustRegister[API](any(marker{}).(API), optionsOf("MarkDone", options))
}

// A getter has a route with a placeholder, and routes one more, which takes requests of it.
type (
	getter[In any] interface {
		Get(context.Context, *In) error
	}
	routes[In any] interface {
		getter[In]
		Export(context.Context) error
	}
	routing[In any] struct{}
	routedPair      struct {
		A string `json:"a"`
		Q int    `json:"q"`
	}
)

func (routing[In]) Get(context.Context, *In) error { return nil }
func (routing[In]) Export(context.Context) error   { return nil }

// routed returns a service with those methods of routes that are in API.
func routed[In, API any]() *svc.Service {
	options := svc.Options{Methods: map[string]svc.MethodOptions{"Get": {HTTP: "GET /t/{a}"}}}
	if _, ok := reflect.TypeFor[API]().MethodByName("Export"); ok {
		options.Methods["Export"] = svc.MethodOptions{HTTP: "GET /t/export"}
	}
	return svc.MustRegister[API](any(routing[In]{}).(API), optionsOf("", []any{options}))
}

func optionsOf(method string, options []any) *svc.Options {
	o := svc.Options{}
	for _, option := range options {
		switch option := option.(type) {
		case svc.Options:
			o = option
		case svc.KeyUse:
			o.Methods = map[string]svc.MethodOptions{method: {IdempotencyKey: option}}
		case svc.MethodOptions:
			o.Methods = map[string]svc.MethodOptions{method: option}
		}
	}
	o.Resource, o.Logger = "t", slog.New(slog.DiscardHandler)
	return &o
}

// keptFor returns options with keys that are kept for a time.
func keptFor(d time.Duration) svc.Options {
	return svc.Options{Idempotency: &svc.Idempotency{KeepFor: d, Run: func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		return do(ctx)
	}}}
}

func formOf[T any]() *svc.ErrorForm {
	return svc.NewErrorForm(func(*svc.Error) *T { return new(T) }, nil)
}

type (
	rTwo[T any] struct {
		A T `json:"a"`
		B T `json:"b"`
	}
	// 255 objects, which is nearly as many as an input has that Breaks makes.
	rLevel7 struct {
		rTwo[rTwo[rTwo[rTwo[rTwo[rTwo[rTwo[struct{}]]]]]]]
	}
	rColour  string
	rColours string
	rAttempt struct {
		A string `json:"a" idempotency:"-"`
		B []struct {
			C int `json:"c" idempotency:"-"`
		} `json:"b"`
	}
	rCounted struct {
		A string   `json:"a"`
		B []rCount `json:"b"`
	}
	rCount struct {
		C int `json:"c"`
	}
	rTree struct {
		Value    int8              `json:"value"`
		Children []rTree           `json:"children,omitempty"`
		Named    map[string]*rTree `json:"named,omitempty"`
	}
	rTall struct {
		Value    int8             `json:"value" maximum:"9"`
		Children []rTall          `json:"children,omitempty"`
		Named    map[string]rTall `json:"named,omitempty"`
	}
	rLoop struct {
		Kids []rLoop           `json:"kids"`
		Next *rLoop            `json:"next"`
		By   map[string]*rLoop `json:"by"`
		Nth  int8              `json:"nth"`
	}
	rEndless struct { // each has another in it, since clients of the release send all members
		Kids []rEndless           `json:"kids,omitempty" minItems:"1"`
		Next *rEndless            `json:"next,omitempty" nullable:"false"`
		By   map[string]*rEndless `json:"by"`
		Nth  int8                 `json:"nth" maximum:"9"`
	}
	rDeep map[string]struct {
		Next rDeep `json:"next,omitempty"`
	}
	rPair[A, B any] struct {
		A A `json:"a"`
		B B `json:"b"`
	}
	rSaid  string
	rOwn   string
	rCode  struct{ n byte } // the texts C-0 to C-9
	rShown struct{ rCode }
	rFussy string // panics as a text
)

func (rColour) Enum() []rColour   { return []rColour{"red", "green"} }
func (rColours) Enum() []rColours { return []rColours{"red", "green", "blue"} }

func (rSaid) Enum() []rSaid { return []rSaid{`a "b"\c`} }

func (c rCode) MarshalText() ([]byte, error) { return nil, fmt.Errorf("it is never written") }
func (c *rCode) UnmarshalText(text []byte) error {
	if len(text) != 3 || string(text[:2]) != "C-" {
		return fmt.Errorf("no code")
	}
	c.n = text[2]
	return nil
}
func (rFussy) MarshalText() ([]byte, error) { panic(svc.Errorf(svc.CodeAborted, "secret")) }
func (*rFussy) UnmarshalText([]byte) error  { panic("secret") }
func (rShown) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "examples": []string{"C-8"}}
}
func (o rOwn) MarshalJSON() ([]byte, error)     { return json.Marshal(string(o)) }
func (o *rOwn) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, (*string)(o)) }

// These are unions: the second has one alternative more, and in the third a member may be
// absent.
type (
	rCard struct {
		Number string `json:"number"`
	}
	rCard2 struct {
		Number string `json:"number,omitempty"`
	}
	rPay struct {
		Type string    `json:"type" discriminator:"true"`
		ID   int       `json:"id"`
		Card *rCard    `variant:"card"`
		Cash *struct{} `variant:"cash"`
	}
	rPays struct {
		Type   string    `json:"type" discriminator:"true"`
		ID     int       `json:"id"`
		Card   *rCard    `variant:"card"`
		Cash   *struct{} `variant:"cash"`
		Cheque *struct {
			Name string `json:"name"`
		} `variant:"cheque"`
	}
	rPay2 struct {
		Type string    `json:"type" discriminator:"true"`
		ID   int       `json:"id"`
		Card *rCard2   `variant:"card"`
		Cash *struct{} `variant:"cash"`
	}
)

// These are unions by JSON type: the second has one alternative more, and the third another rule.
type (
	rBy struct {
		svc.ByType
		Text *string
		List []rCard
	}
	rBys struct {
		svc.ByType
		Text *string
		List []rCard
		Off  *bool
		Tree *rByTree
	}
	rBy2 struct {
		svc.ByType
		Text *string `maxLength:"3"`
		List []rCard2
	}
	rByOrder struct {
		svc.ByType
		List []rCard
		Text *string
	}
	rByTree struct {
		Of rByNode `json:"of"`
	}
	rByNode struct {
		svc.ByType
		Kids []rByNode `minItems:"1"`
		Leaf *int
	}
)

// rEvents and rMoreEvents have an enum in each alternative.
type (
	rEvents struct {
		Type    string `json:"type" discriminator:"true"`
		Billing *struct {
			Name string `json:"name" enum:"CARD_EXPIRES"`
		} `variant:"billing"`
		Backup *struct {
			Name string `json:"name" enum:"STARTED,FAILED"`
		} `variant:"backup"`
	}
	rMoreEvents struct {
		Type    string `json:"type" discriminator:"true"`
		Billing *struct {
			Name string `json:"name" enum:"CARD_EXPIRES"`
		} `variant:"billing"`
		Backup *struct {
			Name string `json:"name" enum:"STARTED,FAILED,COPIED"`
		} `variant:"backup"`
		Disk *struct {
			Name string `json:"name" enum:"FULL,SLOW"`
		} `variant:"disk"`
	}
)

// rPick is a union, and the others are structs that it stands in for.
type (
	rPick struct {
		Type string `json:"type" discriminator:"true"`
		A    *struct {
			N int `json:"n" maximum:"9"`
		} `variant:"a"`
		B *struct{} `variant:"b"`
	}
	rChoice struct {
		Type string `json:"type" enum:"a,b"`
		N    int    `json:"n,omitempty" maximum:"9"`
	}
	rChoices struct {
		Type string `json:"type,omitempty"`
		N    int    `json:"n"`
	}
)

// rHeaderA and rHeaderB have one header.
type (
	rHeaderA struct {
		A string `json:"a" header:"X-A"`
	}
	rHeaderB struct {
		B string `json:"b" header:"X-A"`
	}
)

// rBlocks makes its own content for models.
type rBlocks one[int]

func (rBlocks) MCPContent() []svc.MCPContent { return nil }

// rPhoto has a file of two types.
type rPhoto struct {
	A svc.Body `contentType:"image/png,image/jpeg"`
}

// notTools is for methods without a tool.
var notTools = svc.MethodOptions{Transports: []svc.Transport{svc.TransportREST, svc.TransportRPC}}

// alone is for methods over REST alone, and getAlone for those that read no body as well.
var (
	alone    = svc.MethodOptions{Transports: []svc.Transport{svc.TransportREST}}
	getAlone = svc.MethodOptions{Transports: []svc.Transport{svc.TransportREST}, HTTP: "GET /t"}
)

// form is for methods that read a form, and formAlone for those over REST alone.
var (
	form      = svc.MethodOptions{Form: true}
	formAlone = svc.MethodOptions{Form: true, Transports: []svc.Transport{svc.TransportREST}}
)

type (
	rForm struct {
		A    string   `json:"a"`
		List []string `json:"list,omitempty"`
	}
	rFormLess struct {
		A    string   `json:"a,omitempty"`
		List []string `json:"list,omitempty"`
	}
	rFormList struct {
		A    string   `json:"a"`
		List []string `json:"list,omitempty" minItems:"1"`
	}
	rFormFile struct {
		A    int      `json:"a"`
		File svc.Body `json:"file,omitempty"`
	}
	rFormNeeded struct {
		A    int      `json:"a"`
		File svc.Body `json:"file"`
	}
	rFormSmall struct {
		A    int      `json:"a"`
		File svc.Body `json:"file" maxBytes:"10"`
	}
	rFormPNG struct {
		A    int      `json:"a"`
		File svc.Body `json:"file" contentType:"image/png"`
	}
)

func ownErrors(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(500) }

// one is an input with a member a of that type; the others have rules too.
type one[T any] struct {
	A T `json:"a"`
}

// Each row is one kind of break, or one kind of change that is none (want is empty). Behind "; as in"
// a line has a whole input that shows the break: the witness is at its place, and both services get
// the input, over REST and JSON-RPC. A break without a witness may have such an input, too.
var releases = []struct {
	name     string
	old, now *svc.Service
	want     string // the breaks, with their examples, one a line; without the method
}{
	{"the same", taking[one[string]](), taking[one[string]](), ""},
	{"a maxItems that lists of different numbers never reach", taking[struct {
		A []int16  `json:"a" maxItems:"70000" uniqueItems:"true"`
		B []uint16 `json:"b" maxItems:"70000" uniqueItems:"true"`
	}](), taking[struct {
		A []int16  `json:"a" maxItems:"65536" uniqueItems:"true"`
		B []uint16 `json:"b" maxItems:"65536" uniqueItems:"true"`
	}](), ""},
	{"another type name", taking[one[rColour]](), taking[struct {
		A string `json:"a" enum:"red,green"`
	}](), ""},
	// Rules.
	{"maxLength", taking[struct {
		A string `json:"a" maxLength:"4"`
	}](), taking[struct {
		A string `json:"a" maxLength:"2"`
	}](), `input /a: maxLength is 2, was 4; as in {"a":"aaa"}`},
	{"maxLength for none", taking[one[string]](), taking[struct {
		A string `json:"a" maxLength:"2"`
	}](), `input /a: maxLength is 2, was none; as in {"a":"aaa"}`},
	{"a wider rule", taking[struct {
		A string `json:"a" minLength:"2" maxLength:"4"`
		B []int  `json:"b" minItems:"2" maxItems:"4" uniqueItems:"true"`
		C int    `json:"c" minimum:"2" exclusiveMaximum:"4" multipleOf:"4"`
	}](), taking[struct {
		A string `json:"a" minLength:"1" maxLength:"5"`
		B []int  `json:"b" minItems:"1"`
		C int    `json:"c" exclusiveMinimum:"1" maximum:"3" multipleOf:"1"`
	}](), ""},
	{"minLength", taking[one[string]](), taking[struct {
		A string `json:"a" minLength:"1"`
	}](), `input /a: minLength is 1, was none; as in {"a":""}`},
	{"pattern", taking[struct {
		A string `json:"a" pattern:"^[a-z]+$"`
	}](), taking[struct {
		A string `json:"a" pattern:"^[a-y]+$"`
	}](), `input /a: pattern is "^[a-y]+$", was "^[a-z]+$"; as in {"a":"z"}`},
	{"a wider pattern", taking[struct {
		A string `json:"a" pattern:"^[a-c]{2,3}$"`
	}](), taking[struct {
		A string `json:"a" pattern:"^[a-z]+$" maxLength:"3" minLength:"2"`
	}](), ""},
	{"a pattern that no longer takes a letter in either case", taking[struct {
		A string `json:"a" pattern:"^[xX]$"`
	}](), taking[struct {
		A string `json:"a" pattern:"^X$"`
	}](), `input /a: pattern is "^X$", was "^[xX]$"; as in {"a":"x"}`},
	{"a format", taking[struct {
		A string `json:"a"`
	}](), taking[struct {
		A string `json:"a" format:"hostname"`
	}](), `input /a: format is "hostname", was none; as in {"a":" "}`},
	{"a format of items that begin with a letter", taking[struct {
		A []string `json:"a,omitempty" pattern:"^[a-z]"`
	}](), taking[struct {
		A []string `json:"a,omitempty" pattern:"^[a-z]" format:"uri"`
	}](), `input /a/*: format is "uri", was none; as in {"a":["a"]}`},
	{"another format", taking[struct {
		A string `json:"a" format:"ipv4"`
	}](), taking[struct {
		A string `json:"a" format:"ipv6"`
	}](), `input /a: format is "ipv6", was "ipv4"; as in {"a":"192.0.2.1"}`},
	{"a format that is no rule", taking[struct {
		A string `json:"a" format:"ipv4"`
	}](), taking[struct {
		A string `json:"a" format:"address"`
	}](), ``},
	{"a shorter text beside a format", taking[struct {
		A string `json:"a" format:"uri"`
	}](), taking[struct {
		A string `json:"a" format:"uri" maxLength:"10"`
	}](), `input /a: maxLength is 10, was none; as in {"a":"https://example.com/"}`},
	{"a time as a string", taking[struct {
		A time.Time `json:"a"`
	}](), taking[struct {
		A string `json:"a" format:"date-time"`
	}](), ``},
	{"a date-time as a time", taking[struct {
		A string `json:"a" format:"date-time"`
	}](), taking[struct {
		A time.Time `json:"a"`
	}](), `input /a: is time, was string; as in {"a":"2016-12-31T23:59:60z"}`},
	{"a format as a number", taking[struct {
		A string `json:"a" format:"uuid"`
	}](), taking[struct {
		A int `json:"a"`
	}](), `input /a: is int, was string; as in {"a":"123e4567-e89b-42d3-a456-426614174000"}`},
	{"a pattern without an end", taking[struct {
		A string `json:"a" pattern:"^a"`
	}](), taking[struct {
		A string `json:"a" pattern:"^a$"`
	}](), `input /a: pattern is "^a$", was "^a"; as in {"a":"aa"}`},
	{"a pattern in which many ways lead to one place", taking[struct {
		A string `json:"a" pattern:"^(a?b?)*$"`
	}](), taking[struct {
		A string `json:"a" pattern:"^[ab]*$"`
	}](), ""},
	{"a wider pattern for long texts", taking[struct {
		A string `json:"a" pattern:"^a*$" maxLength:"40000"`
	}](), taking[struct {
		A string `json:"a" pattern:"^a*b?$" maxLength:"40000"`
	}](), ""},
	{"a shorter limit for a pattern with too many ways", taking[struct {
		A string `json:"a" pattern:"^a*$" maxLength:"50000"`
	}](), taking[struct {
		A string `json:"a" pattern:"^a*b?$" maxLength:"40000"`
	}](), "input /a: cannot tell: the pattern changed"},
	{"another type for a pattern with too many ways", taking[struct {
		A string `json:"a" pattern:"^(a|b)*a(a|b){30}$"`
	}](), taking[one[int]](), "input /a: cannot tell: is int, was string, but no value was found that the release took"},
	{"a limit for a pattern with too many ways", taking[struct {
		A string `json:"a" pattern:"^(a|b)*a(a|b){30}$" maxLength:"60"`
	}](), taking[struct {
		A string `json:"a" maxLength:"50"`
	}](), "input /a: cannot tell: maxLength is 50, was 60, but no value was found that the release took"},
	{"a wider limit for a pattern with too many ways", taking[struct {
		A string `json:"a" pattern:"^(a|b)*a(a|b){30}$" maxLength:"60"`
	}](), taking[struct {
		A string `json:"a" maxLength:"70"`
	}](), ""},
	{"beside a text that nobody can write", taking[struct {
		A string `json:"a" pattern:"^a$" minLength:"2"`
		B string `json:"b"`
	}](), taking[struct {
		A string `json:"a" pattern:"^a$" minLength:"2"`
		B int    `json:"b"`
	}](), ""},
	{"an enum for a pattern of more", taking[struct {
		A string `json:"a" pattern:"^(red|green|blue)$"`
	}](), taking[one[rColour]](), `input /a: enum is ["red","green"], was none; as in {"a":"blue"}`},
	{"an enum for a pattern of the same", taking[struct {
		A string `json:"a" pattern:"^(red|green)$"`
	}](), taking[one[rColour]](), ""},
	{"a pattern and a length", taking[struct {
		A string `json:"a" pattern:"^(ab|cde)+$"`
	}](), taking[struct {
		A string `json:"a" pattern:"^(ab|cde)+$" minLength:"2" maxLength:"6"`
	}](), `input /a: maxLength is 6, was none; as in {"a":"ababcde"}`},
	{"a bound that its multiples never reach", taking[struct {
		A int `json:"a" minimum:"1" maximum:"10" multipleOf:"4"`
	}](), taking[struct {
		A int `json:"a" minimum:"4" maximum:"8" multipleOf:"2"`
	}](), ""},
	{"multipleOf", taking[struct {
		A int `json:"a" minimum:"0" multipleOf:"4"`
	}](), taking[struct {
		A int `json:"a" minimum:"0" multipleOf:"6"`
	}](), `input /a: multipleOf is 6, was 4; as in {"a":4}`},
	{"a large integer", taking[one[int64]](), taking[struct {
		A int64 `json:"a" maximum:"9223372036854775806"`
	}](), `input /a: maximum is 9223372036854775806, was none; as in {"a":9223372036854775807}`},
	{"a narrow integer", taking[one[int64]](), taking[one[int32]](), `input /a: is int32, was int64; as in {"a":-2147483649}`},
	{"a wide integer", taking[one[int8]](), taking[one[float64]](), ""},
	{"a fraction", taking[one[float64]](), taking[one[int64]](), "input /a: is int64, was float64; as in {\"a\":5e-324}"},
	{"an exclusive bound", taking[struct {
		A float64 `json:"a" minimum:"0"`
	}](), taking[struct {
		A float64 `json:"a" exclusiveMinimum:"0"`
	}](), `input /a: exclusiveMinimum is 0, was none; as in {"a":0}`},
	{"enum", taking[one[rColours]](), taking[one[rColour]](), `input /a: enum is ["red","green"], was ["red","green","blue"]; as in {"a":"blue"}`},
	{"a value more", taking[one[rColour]](), taking[one[rColours]](), ""},
	{"enum for none", taking[one[int]](), taking[struct {
		A int `json:"a" enum:"0,1"`
	}](), `input /a: enum is [0,1], was none; as in {"a":-1}`},
	{"items", taking[one[[]string]](), taking[struct {
		A []string `json:"a" minLength:"1" maxItems:"2"`
	}](), `input /a: maxItems is 2, was none; as in {"a":["a","a","a"]}
input /a/*: minLength is 1, was none; as in {"a":[""]}`},
	{"uniqueItems", taking[one[[]bool]](), taking[struct {
		A []bool `json:"a" uniqueItems:"true"`
	}](), `input /a: uniqueItems is true, was none; as in {"a":[false,false]}`},
	{"elements that are all there are", taking[struct {
		A []rColours `json:"a" minItems:"3" uniqueItems:"true"`
	}](), taking[struct {
		A []bool `json:"a" minItems:"3"`
	}](), `input /a/*: is bool, was string; as in {"a":["red","green","blue"]}`},
	{"unique for lists of one", taking[struct {
		A []int `json:"a" maxItems:"1"`
	}](), taking[struct {
		A []int `json:"a" uniqueItems:"true"`
	}](), ""},
	{"an array", taking[one[[2]int]](), taking[one[[3]int]](), `input /a: is list of 3, was list of 2; as in {"a":[0,0]}`},
	{"an array for a list", taking[one[[]int]](), taking[one[[1]int]](), `input /a: is list of 1, was list; as in {"a":[]}`},
	{"map keys", taking[one[map[string]int]](), taking[one[map[int8]int]](), `input /a/*: there are names that the reader does not take; as in {"a":{"a":0}}`},
	{"map keys with quotes", taking[one[map[rSaid]int]](), taking[one[map[int8]int]](), `input /a/*: there are names that the reader does not take; as in {"a":{"a \"b\"\\c":0}}`},
	{"minProperties", taking[one[map[string]int]](), taking[struct {
		A map[string]int `json:"a" minProperties:"2"`
	}](), `input /a: minProperties is 2, was none; as in {"a":{"a":0}}`},
	{"maxProperties", taking[struct {
		A map[int8]bool `json:"a" maxProperties:"3"`
	}](), taking[struct {
		A map[int8]bool `json:"a" maxProperties:"1"`
	}](), `input /a: maxProperties is 1, was 3; as in {"a":{"0":false,"1":false}}`},
	{"wider sizes of a map", taking[struct {
		A map[string]int `json:"a" minProperties:"2" maxProperties:"2"`
	}](), taking[struct {
		A map[string]int `json:"a" minProperties:"1" maxProperties:"3"`
	}](), ""},
	{"a limit beside a map that is gone", taking[struct {
		A string            `json:"a" maxLength:"10"`
		M map[string]string `json:"m" minProperties:"1"`
	}](), taking[struct {
		A string `json:"a" maxLength:"5"`
	}](), "input /a: maxLength is 5, was 10; as in {\"m\":{\"a\":\"a\"},\"a\":\"aaaaaa\"}\ninput /m: is gone: it is ignored now (refused over MCP without AllowUnknown)"},
	{"values of a map that has two", taking[struct {
		A map[string]int `json:"a" minProperties:"2" maxProperties:"2"`
	}](), taking[struct {
		A map[string]bool `json:"a" minProperties:"2" maxProperties:"2"`
	}](), `input /a/*: is bool, was int; as in {"a":{"a":0,"b":0}}`},
	{"an object for a map with a member", taking[struct {
		A map[string]int `json:"a" minProperties:"1"`
	}](), taking[one[struct {
		B string `json:"b,omitempty"`
	}]](), `input /a: is object, was map: unknown names are ignored now (refused over MCP without AllowUnknown)
input /a/b: is string, was int; as in {"a":{"b":0}}`},
	{"a map that is too small for an object", taking[one[rPair[int, int]]](), taking[struct {
		A map[string]int `json:"a" maxProperties:"1"`
		B int            `json:"b,omitempty"`
	}](), `input /a: maxProperties is 1, was none; as in {"a":{"a":0,"b":0}}`},
	{"map values", taking[one[map[string]*int]](), taking[one[map[string]int]](), `input /a/*: is int, was int or null; as in {"a":{"a":null}}`},
	// Long limits.
	{"a long maxLength", taking[struct {
		A string `json:"a" maxLength:"200000"`
	}](), taking[struct {
		A string `json:"a" maxLength:"150000"`
	}](), `input /a: maxLength is 150000, was 200000; as in {"a":"` + strings.Repeat("a", 150001) + `"}`},
	{"a long minLength", taking[struct {
		A string `json:"a" minLength:"140000"`
	}](), taking[struct {
		A string `json:"a" minLength:"150000"`
	}](), `input /a: minLength is 150000, was 140000; as in {"a":"` + strings.Repeat("a", 140000) + `"}`},
	{"a maxLength that no request reaches", taking[struct {
		A string `json:"a" maxLength:"9000000"`
	}](), taking[struct {
		A string `json:"a" maxLength:"5000000"`
	}](), ""},
	{"a maxLength that large requests reach", taking[struct {
		A string `json:"a" maxLength:"9000000"`
	}](svc.Options{MaxBody: 10 << 20}), taking[struct {
		A string `json:"a" maxLength:"5000000"`
	}](svc.Options{MaxBody: 10 << 20}), "input /a: cannot tell: maxLength is 5000000, was 9000000, but no value was found that shows it"},
	{"a maxLength for none that large requests reach", taking[one[string]](svc.Options{MaxBody: -1}), taking[struct {
		A string `json:"a" maxLength:"5000000"`
	}](svc.Options{MaxBody: -1}), "input /a: cannot tell: maxLength is 5000000, was none, but no value was found that shows it"},
	{"a minLength that no request reaches", taking[struct {
		A string `json:"a" minLength:"1000000000"`
		B int    `json:"b"`
	}](), taking[struct {
		A string `json:"a" minLength:"2000000000"`
		B string `json:"b"`
	}](), ""},
	{"a long pattern", taking[struct {
		A string `json:"a" pattern:"^a*$" maxLength:"200000"`
	}](), taking[struct {
		A string `json:"a" pattern:"^a*$" maxLength:"150000"`
	}](), "input /a: cannot tell: maxLength is 150000, was 200000, but no value was found that shows it"},
	{"a long maxItems", taking[struct {
		A []int `json:"a" maxItems:"200000"`
	}](), taking[struct {
		A []int `json:"a" maxItems:"150000"`
	}](), `input /a: maxItems is 150000, was 200000; as in {"a":[` + strings.Repeat("0,", 150000) + "0]}"},
	{"a maxItems that no request reaches", taking[struct {
		A []int `json:"a" maxItems:"900000"`
	}](), taking[struct {
		A []int `json:"a" maxItems:"600000"`
	}](), ""},
	{"a maxItems of texts that no request reaches", taking[struct {
		A []string `json:"a" maxItems:"900000"`
	}](), taking[struct {
		A []string `json:"a" maxItems:"400000"`
	}](), ""},
	{"a maxItems of texts that a request reaches", taking[struct {
		A []string `json:"a" maxItems:"900000"`
	}](), taking[struct {
		A []string `json:"a" maxItems:"300000"`
	}](), `input /a: maxItems is 300000, was 900000; as in {"a":[` + strings.Repeat(`"",`, 300000) + `""]}`},
	{"a maxItems of objects that no request reaches", taking[struct {
		A []one[int] `json:"a" maxItems:"900000"`
	}](), taking[struct {
		A []one[int] `json:"a" maxItems:"400000"`
	}](), ""},
	{"a maxLength that a small MaxBody does not let through", taking[struct {
		A string `json:"a" maxLength:"5000"`
	}](svc.Options{MaxBody: 1000}), taking[struct {
		A string `json:"a" maxLength:"3000"`
	}](svc.Options{MaxBody: 1000}), ""},
	{"a minItems that no request reaches", taking[struct {
		A []int `json:"a" minItems:"1000000000"`
		B int   `json:"b"`
	}](), taking[struct {
		A []int  `json:"a" minItems:"2000000000"`
		B string `json:"b"`
	}](), ""},
	{"a long maxProperties", taking[struct {
		A map[string]bool `json:"a" maxProperties:"90000"`
	}](), taking[struct {
		A map[string]bool `json:"a" maxProperties:"140000"`
	}](), ""},
	{"a maxProperties that no request reaches", taking[struct {
		A map[string]bool `json:"a" maxProperties:"170000"`
	}](), taking[struct {
		A map[string]bool `json:"a" maxProperties:"160000"`
	}](), ""},
	{"a minProperties that no request reaches", taking[struct {
		A map[string]bool `json:"a" minProperties:"1000000000"`
	}](), taking[struct {
		A map[string]bool `json:"a" minProperties:"2000000000"`
	}](), ""},
	{"a long list of different items that no request reaches", taking[struct {
		A []int `json:"a" minItems:"1000000000" uniqueItems:"true"`
	}](), taking[struct {
		A []string `json:"a" minItems:"1000000000" uniqueItems:"true"`
	}](), ""},
	{"a long array", taking[one[[200000]bool]](), taking[one[[200001]bool]](), `input /a: is list of 200001, was list of 200000; as in {"a":[` + strings.Repeat("true,", 199999) + "true]}"},
	{"a long array that is answered", giving[one[[2000000]bool]](), giving[one[[2000001]bool]](), "output /a: is list of 2000001, was list of 2000000"},
	{"fewer members than keys", taking[one[map[rColour]int]](), taking[struct {
		A map[rColour]int `json:"a" maxProperties:"2"`
	}](), ""},
	{"more keys than members", taking[one[map[rColours]int]](), taking[struct {
		A map[rColours]int `json:"a" maxProperties:"2"`
	}](), `input /a: maxProperties is 2, was none; as in {"a":{"red":0,"green":0,"blue":0}}`},
	{"fewer members than keys that are numbers", taking[one[map[uint8]int]](), taking[struct {
		A map[uint8]int `json:"a" maxProperties:"256"`
	}](), ""},
	{"fewer items than values", taking[struct {
		A []rColour `json:"a" uniqueItems:"true"`
	}](), taking[struct {
		A []rColour `json:"a" uniqueItems:"true" maxItems:"2"`
	}](), ""},
	// Bodies.
	{"a smaller MaxBody", taking[one[int]](), taking[one[int]](svc.Options{MaxBody: 1000}), `input: MaxBody is 1000 over REST, was 1048576; as in {"a":0}` + spaces(1000) + `
input: MaxBody is 1000 over JSON-RPC and MCP, was 1048576; as in {"a":0}` + spaces(1000)},
	{"a smaller MaxBody for many objects", taking[rLevel7](), taking[rLevel7](svc.Options{MaxBody: 10000}), "input: MaxBody is 10000 over REST, was 1048576; as in " + levels(7) + spaces(10000) + "\ninput: MaxBody is 10000 over JSON-RPC and MCP, was 1048576; as in " + levels(7) + spaces(10000)},
	{"a smaller MaxBody of the method", taking[one[int]](svc.Options{MaxBody: 2000}, notTools), taking[one[int]](svc.MethodOptions{MaxBody: 1000, Transports: notTools.Transports}), `input: MaxBody is 1000 over REST, was 2000; as in {"a":0}` + spaces(1000)},
	{"a MaxBody for none", taking[one[int]](svc.Options{MaxBody: -1}, alone), taking[one[int]](svc.Options{MaxBody: 5 << 20}, alone), "input: MaxBody is 5242880 over REST, was none"},
	{"a larger MaxBody", taking[one[int]](svc.Options{MaxBody: 1000}), taking[one[int]](svc.Options{MaxBody: -1}), ""},
	{"a MaxBody that is a few bytes smaller", taking[one[int]](svc.Options{MaxBody: 1000}, alone), taking[one[int]](svc.Options{MaxBody: 999}, alone), "input: MaxBody is 999 over REST, was 1000"},
	{"a smaller MaxBody without a body", taking[struct {
		A int `json:"a,omitempty" query:"a"`
	}](getAlone), taking[struct {
		A int `json:"a,omitempty" query:"a"`
	}](svc.Options{MaxBody: 1000}, getAlone), ""},
	{"maxBytes for a Body without", taking[struct{ A svc.Body }](), taking[struct {
		A svc.Body `maxBytes:"10"`
	}](), `input /A: maxBytes is 10, was 1048576: a body of 11 bytes is refused; as in {"A":"application/octet-stream"}`},
	{"no maxBytes for a Body with more", taking[struct {
		A svc.Body `maxBytes:"2000000" contentType:"image/png"`
	}](), taking[struct {
		A svc.Body `contentType:"image/png"`
	}](), `input /A: maxBytes is 1048576, was 2000000: a body of 1048577 bytes is refused; as in {"A":"image/png"}`},
	{"no maxBytes for a Body with as many", taking[struct {
		A svc.Body `maxBytes:"2000000"`
	}](), taking[struct{ A svc.Body }](svc.Options{MaxBody: 2000000}), ""},
	{"a smaller MaxBody for a Body", taking[struct{ A svc.Body }](svc.Options{MaxBody: -1}), taking[struct{ A svc.Body }](svc.Options{MaxBody: 2000}), `input /A: maxBytes is 2000, was none: a body of 2001 bytes is refused; as in {"A":"application/octet-stream"}`},
	{"a smaller MaxBody beside maxBytes", taking[struct {
		A svc.Body `maxBytes:"10"`
	}](), taking[struct {
		A svc.Body `maxBytes:"10"`
	}](svc.Options{MaxBody: 5}), ""},
	{"no limit for a Body", taking[struct{ A svc.Body }](), taking[struct{ A svc.Body }](svc.Options{MaxBody: -1}), ""},
	// Types.
	{"type", taking[one[string]](), taking[one[int]](), `input /a: is int, was string; as in {"a":"a"}`},
	{"time", taking[one[string]](), taking[one[time.Time]](), `input /a: is time, was string; as in {"a":"a"}`},
	{"time to text", taking[one[time.Time]](), taking[one[string]](), ""},
	{"time to a short text", taking[one[time.Time]](), taking[struct {
		A string `json:"a" maxLength:"24"`
	}](), `input /a: maxLength is 24, was none; as in {"a":"2006-01-02T15:04:05+23:59"}`},
	{"base64", taking[one[[]byte]](), taking[one[time.Duration]](), `input /a: is duration, was bytes; as in {"a":"AA=="}`},
	{"base64 for a text with a pattern", taking[struct {
		A string `json:"a" pattern:"^[a-z_]{4}$"`
	}](), taking[one[[]byte]](), `input /a: is bytes, was string; as in {"a":"aaa_"}`},
	{"base64 for a text with a pattern of base64", taking[struct {
		A string `json:"a" pattern:"^([A-Za-z0-9+/]{4})*$"`
	}](), taking[one[[]byte]](), ""},
	{"base64 for a text with a pattern that leaves bits", taking[struct {
		A string `json:"a" pattern:"^[A-P]{2}==$"`
	}](), taking[one[[]byte]](), `input /a: is bytes, was string; as in {"a":"AB=="}`},
	{"base64 for texts of one length", taking[struct {
		A string `json:"a" minLength:"4" maxLength:"4"`
	}](), taking[one[[]byte]](), `input /a: is bytes, was string; as in {"a":"aaa-"}`},
	{"base64 for an enum", taking[struct {
		A string `json:"a" enum:"abcd,abc"`
	}](), taking[one[[]byte]](), `input /a: is bytes, was string; as in {"a":"abc"}`},
	{"base64 for an enum of base64", taking[struct {
		A string `json:"a" enum:"abcd,abcdefgh"`
	}](), taking[one[[]byte]](), ""},
	{"base64 over REST alone", taking[struct {
		A string `json:"-" header:"X-Match,omitempty" pattern:"^[a-z_]{4}$"`
	}](), taking[struct {
		A []byte `json:"-" header:"X-Match,omitempty"`
	}](), `input /X-Match: is bytes, was string; as in {"X-Match":"aaa_"}`},
	{"a text for base64", taking[one[[]byte]](), taking[struct {
		A string `json:"a" pattern:"^([A-Za-z0-9+/=]{4})*$"`
	}](), ""},
	{"a narrow text for base64", taking[one[[]byte]](), taking[struct {
		A string `json:"a" pattern:"^[A-Za-z0-9+]*=?=?$"`
	}](), `input /a: pattern is "^[A-Za-z0-9+]*=?=?$", was none; as in {"a":"+/+/"}`},
	{"a time for a text with a pattern", taking[struct {
		A string `json:"a" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"`
	}](), taking[one[time.Time]](), `input /a: is time, was string; as in {"a":"0000-00-00T00:00:00Z"}`},
	{"a time for a text with a pattern of times", taking[struct {
		A string `json:"a" pattern:"^2006-01-02T15:0[0-9]:05Z$"`
	}](), taking[one[time.Time]](), "input /a: cannot tell: is time, was string, but no value was found that shows it"},
	{"a duration for a text with a pattern", taking[struct {
		A string `json:"a" pattern:"^[0-9]+[a-z]$"`
	}](), taking[one[time.Duration]](), `input /a: is duration, was string; as in {"a":"0a"}`},
	{"a duration for a text with a pattern of durations", taking[struct {
		A string `json:"a" pattern:"^[0-9]{2}s$"`
	}](), taking[one[time.Duration]](), "input /a: cannot tell: is duration, was string, but no value was found that shows it"},
	{"a text of its own for a text with a pattern", taking[struct {
		A string `json:"a" pattern:"^::[0-9]$"`
	}](), taking[one[netip.Addr]](), "input /a: cannot tell: is net/netip.Addr, was string, and svc does not know a type with its own JSON or text"},
	{"a text for a duration", taking[one[time.Duration]](), taking[struct {
		A string `json:"a" minLength:"1"`
	}](), ""},
	{"a text with a pattern for a duration", taking[one[time.Duration]](), taking[struct {
		A string `json:"a" pattern:"[0-9]"`
	}](), "input /a: cannot tell: the pattern changed"},
	{"a text that is long enough for a time", taking[one[time.Time]](), taking[struct {
		A string `json:"a" minLength:"20"`
	}](), ""},
	{"a text for a number in a string", taking[struct {
		A float64 `json:"a,string"`
	}](), taking[one[string]](), ""},
	{"a short text for a number in a string", taking[struct {
		A float64 `json:"a,string"`
	}](), taking[struct {
		A string `json:"a" maxLength:"400"`
	}](), `input /a: cannot tell: is string, was float64 in a string, but no value was found that shows it
input /a: cannot tell: maxLength is 400, was none, but no value was found that shows it`},
	{"a longer limit beside a pattern", taking[struct {
		A string `json:"a" pattern:"^a*$" maxLength:"40000"`
	}](), taking[struct {
		A string `json:"a" pattern:"^a*$" maxLength:"50000"`
	}](), ""},
	{"in a string", taking[one[int]](), taking[struct {
		A int `json:"a,string"`
	}](), `input /a: is int in a string, was int; as in {"a":0}`},
	{"null", taking[one[*string]](), taking[one[string]](), `input /a: is string, was string or null; as in {"a":null}`},
	{"null more", taking[one[string]](), taking[one[*string]](), ""},
	{"Optional", taking[struct {
		A svc.Optional[string] `json:"a,omitzero"`
	}](), taking[struct {
		A *string `json:"a,omitempty"`
	}](), ""},
	{"no null", taking[struct {
		A *string `json:"a,omitempty"`
	}](), taking[struct {
		A *string `json:"a,omitempty" nullable:"false"`
	}](), `input /a: is string, was string or null; as in {"a":null}`},
	{"any", taking[one[any]](), taking[one[int]](), `input /a: is int, was any; as in {"a":null}`},
	{"any more", taking[one[int]](), taking[one[any]](), ""},
	{"its own JSON", taking[one[rOwn]](), taking[one[rOwn]](), ""},
	{"its own JSON for an enum", taking[struct {
		A string `json:"a" enum:"x"`
	}](), taking[one[rOwn]](), "input /a: cannot tell: is example.com/svc/internal/blackbox_test.rOwn, was string, and svc does not know a type with its own JSON or text"},
	{"no JSON of its own any more", taking[one[rOwn]](), taking[one[string]](), "input /a: cannot tell: is string, was example.com/svc/internal/blackbox_test.rOwn, and svc does not know a type with its own JSON or text"},
	{"a text of its own", taking[one[string]](), taking[one[netip.Addr]](), `input /a: is net/netip.Addr, was string; as in {"a":"a"}`},
	{"a text of its own was one", taking[one[netip.Addr]](), taking[one[string]](), ""},
	{"a text of its own that panics", taking[one[string]](), taking[one[rFussy]](), `input /a: is example.com/svc/internal/blackbox_test.rFussy, was string; as in {"a":"a"}`},
	{"beside a type that is gone", taking[rPair[rOwn, string]](), taking[rPair[string, int]](), `input /a: cannot tell: is string, was example.com/svc/internal/blackbox_test.rOwn, and svc does not know a type with its own JSON or text
input /b: is int, was string; as in {"a":"a","b":"a"}`},
	{"beside a text with an example by a tag", taking[struct {
		A rCode  `json:"a" example:"C-7"`
		B string `json:"b"`
	}](), taking[struct {
		A rCode `json:"a" example:"C-7"`
		B int   `json:"b"`
	}](), `input /b: is int, was string; as in {"a":"C-7","b":"a"}`},
	{"beside a text with an example by JSONSchema", taking[rPair[rShown, string]](), taking[rPair[rShown, int]](), `input /b: is int, was string; as in {"a":"C-8","b":"a"}`},
	{"beside a text without an example", taking[rPair[rCode, string]](), taking[rPair[rCode, int]](), `input /b: is int, was string; as in {"a":"C-7","b":"a"}`},
	{"beside a text without an example, and elsewhere", taking[struct {
		A *rPair[rCode, one[int]] `json:"a,omitempty"`
		B one[int]                `json:"b"`
	}](), taking[struct {
		A *rPair[rCode, one[string]] `json:"a,omitempty"`
		B one[string]                `json:"b"`
	}](), `input /a/b/a: is string, was int; as in {"a":{"a":"C-7","b":{"a":0}},"b":{"a":0}}`},
	{"an object for a map", taking[one[map[string]int]](), taking[one[one[int]]](), `input /a: is object, was map: unknown names are ignored now (refused over MCP without AllowUnknown)
input /a/a: is required, was optional; as in {"a":{}}`},
	{"a map for an object", taking[one[one[int]]](), taking[one[map[string]int]](), ""},
	// Members.
	{"a required field", taking[one[int]](), taking[rPair[int, int]](), `input /b: is required, and is new; as in {"a":0}`},
	{"an optional field", taking[one[int]](), taking[struct {
		A int `json:"a"`
		B int `json:"b,omitempty"`
	}](), ""},
	{"a required field with a default", taking[one[int]](), taking[struct { // oasdiff 549
		A int `json:"a"`
		B int `json:"b" default:"1"`
	}](), ""},
	{"optional no more", taking[struct {
		A int `json:"a,omitempty"`
	}](), taking[one[int]](), `input /a: is required, was optional; as in {}`},
	{"a field that is gone", taking[rPair[int, string]](), taking[one[int]](), "input /b: is gone: it is ignored now (refused over MCP without AllowUnknown)"},
	{"an object for a map of integers, strictly", taking[one[map[int]string]](svc.Options{Strict: true}), taking[one[one[string]]](svc.Options{Strict: true}),
		`input /a: is object, was map: unknown names are refused (Strict); as in {"a":{"0":"a"}}
input /a/a: is required, and is new; as in {"a":{}}`},
	{"an object for a map, strictly", taking[one[map[string]string]](svc.Options{Strict: true}), taking[one[one[string]]](svc.Options{Strict: true}),
		`input /a: is object, was map: unknown names are refused (Strict); as in {"a":{"b":"a"}}
input /a/a: is required, was optional; as in {"a":{}}
input /a/other: is gone, and unknown names are refused (Strict); as in {"a":{"other":"a"}}`},
	{"a field that is gone, strictly", taking[rPair[int, string]](svc.Options{Strict: true}), taking[one[int]](svc.Options{Strict: true}), `input /b: is gone, and unknown names are refused (Strict); as in {"a":0,"b":"a"}`},
	{"renamed", taking[struct {
		A string `json:"title"`
	}](), taking[struct {
		A string `json:"name"`
	}](), `input /name: is required, and is new; as in {"title":"a"}
input /title: is gone: it is ignored now (refused over MCP without AllowUnknown)`},
	{"default", taking[struct {
		A int `json:"a" default:"1"`
	}](), taking[struct {
		A int `json:"a" default:"2"`
	}](), "input /a: default is 2, was 1"},
	{"default in other digits", taking[struct {
		A float64 `json:"a" default:"1"`
	}](), taking[struct {
		A float64 `json:"a" default:"1.0"`
	}](), ""},
	{"default for none", taking[struct {
		A int `json:"a,omitempty"`
	}](), taking[struct {
		A int `json:"a" default:"2"`
	}](), "input /a: default is 2, was none"},
	{"default for required", taking[one[int]](), taking[struct {
		A int `json:"a" default:"2"`
	}](), ""},
	{"Strict", taking[one[int]](), taking[one[int]](svc.Options{Strict: true}), `input: unknown names are refused now (Strict); as in {"a":0,"other":0}`},
	{"Strict no more", taking[one[int]](svc.Options{Strict: true}), taking[one[int]](), ""},
	{"Strict without a body", taking[struct{}](getAlone), taking[struct{}](svc.Options{Strict: true}, getAlone), `input: unknown names are refused now (Strict); as in {"other":0}`},
	{"a query parameter that is gone, strictly", taking[struct {
		A int `json:"a,omitempty"`
	}](svc.Options{Strict: true}, getAlone), taking[struct{}](svc.Options{Strict: true}, getAlone), `input /a: is gone, and unknown names are refused (Strict); as in {"a":0}`},
	{"a header that is gone, strictly", taking[struct {
		A int `json:"-" header:"X-A,omitempty"`
	}](svc.Options{Strict: true}), taking[struct{}](svc.Options{Strict: true}), "input /X-A: is gone: it is ignored now"},
	{"a body that is gone, strictly", taking[one[int]](svc.Options{Strict: true}, alone), taking[struct{}](svc.Options{Strict: true}, alone), "input /a: is gone: it is ignored now"},
	{"a field that is gone, without tools", taking[rPair[int, string]](notTools), taking[one[int]](notTools), "input /b: is gone: it is ignored now"},
	// Recursion.
	{"recursion", taking[rTree](), taking[rTree](), ""},
	{"recursion, narrower", taking[rTree](), taking[rTall](), `input /children/*/named/*: is object, was object or null; as in {"value":0,"children":[{"value":0,"named":{"a":null}}]}
input /children/*/value: maximum is 9, was none; as in {"value":0,"children":[{"value":10}]}
input /named/*: is object, was object or null; as in {"value":0,"named":{"a":null}}
input /value: maximum is 9, was none; as in {"value":10}`},
	{"recursion, without an end for the new one", taking[one[rLoop]](), taking[one[rEndless]](), `input /a/kids: minItems is 1, was none; as in {"a":{"by":{},"next":{"by":{},"kids":[{"by":{},"kids":[],"next":null,"nth":0}],"next":{"by":{},"kids":[],"next":null,"nth":0},"nth":0},"nth":0,"kids":[]}}
input /a/next: is object, was object or null; as in {"a":{"by":{},"kids":[{"by":{},"kids":[{"by":{},"kids":[],"next":null,"nth":0}],"next":{"by":{},"kids":[],"next":null,"nth":0},"nth":0}],"nth":0,"next":null}}
input /a/nth: maximum is 9, was none; as in {"a":{"by":{},"kids":[],"next":null,"nth":10}}`},
	{"recursion, a map for an object", taking[one[rTree]](), taking[one[map[string]rDeep]](), `input /a/*: is map, was list; as in {"a":{"value":0,"children":[]}}
input /a/*: is map, was int8; as in {"a":{"value":0}}
input /a/*/*: is object, was object or null; as in {"a":{"value":0,"named":{"a":null}}}
input /a/*/*/children: is gone: it is ignored now (refused over MCP without AllowUnknown)
input /a/*/*/named: is gone: it is ignored now (refused over MCP without AllowUnknown)
input /a/*/*/value: is gone: it is ignored now (refused over MCP without AllowUnknown)`},
	{"recursion, an object for a map", taking[one[rDeep]](), taking[one[rTree]](), `input /a: is object, was map: unknown names are ignored now (refused over MCP without AllowUnknown)
input /a/children: is list, was object; as in {"a":{"children":{}}}
input /a/named/*: is object or null, was map: unknown names are ignored now (refused over MCP without AllowUnknown)
input /a/named/*/value: is required, was optional; as in {"a":{"named":{"next":{}}}}
input /a/named/*/value: is int8, was object; as in {"a":{"named":{"next":{"value":{}}}}}
input /a/value: is required, was optional; as in {"a":{}}`},
	// Sources.
	{"a source that moved", taking[one[int]](), taking[struct {
		A int `json:"a" query:"a"`
	}](), "input /a: comes from query a, came from body"},
	{"a header alone", taking[struct {
		A string `json:"-" header:"X-Match,omitempty"`
		B int    `json:"b"`
	}](), taking[struct {
		A string `json:"-" header:"X-Match,omitempty" maxLength:"2"`
		B int    `json:"b"`
	}](), `input /X-Match: maxLength is 2, was none; as in {"b":0,"X-Match":"aaa"}`},
	{"a header alone that is a number", taking[struct {
		A string `json:"-" header:"X-Match,omitempty"`
	}](), taking[struct {
		A int `json:"-" header:"X-Match,omitempty"`
	}](), "input /X-Match: cannot tell: is int, was string, and over REST some values of both are the same text"},
	{"a list in a query alone, which is not empty there", taking[struct {
		A []string `json:"a,omitempty" query:"a"`
	}](alone), taking[struct {
		A []string `json:"a,omitempty" query:"a" minItems:"1"`
	}](alone), ""},
	{"a body", taking[struct {
		A int `json:"a,omitempty" query:"a"`
	}](), taking[struct {
		A int `json:"a,omitempty" query:"a"`
		B int `json:"b,omitempty"`
	}](), ""}, // an empty body is {}
	{"a body with a required member", taking[struct {
		A int `json:"a,omitempty" query:"a"`
	}](), taking[struct {
		A int `json:"a,omitempty" query:"a"`
		B int `json:"b"`
	}](), "input: needs a JSON body over REST, needed none; as in {}\ninput /b: is required, and is new; as in {}"},
	{"a whole body", taking[struct {
		A []string `json:"a" body:"*"`
	}](), taking[struct {
		A []string `json:"a" body:"*" maxItems:"1"`
	}](), `input /a: maxItems is 1, was none; as in {"a":["",""]}`},
	{"a member that is the whole body", taking[one[int]](), taking[struct {
		A int `json:"a" body:"*"`
	}](), "input /a: comes from the whole body, came from body"},
	{"a whole body that is a member", taking[struct {
		A int `json:"a,omitempty" body:"*"`
	}](), taking[struct {
		A int `json:"a,omitempty"`
	}](), "input /a: comes from body, came from the whole body"},
	{"a whole body by another name", taking[struct {
		A int `json:"a" body:"*"`
	}](alone), taking[struct {
		B int `json:"b" body:"*"`
	}](alone), ""},
	{"a whole body that must be there", taking[struct {
		A int `json:"a,omitempty" body:"*"`
	}](), taking[struct {
		A int `json:"a" body:"*"`
	}](), "input /a: is required, was optional; as in {}"},
	{"mcpheader", taking[one[string]](), taking[struct {
		A string `json:"a" mcpheader:"Region"`
	}](), "input /a: mcpheader is Region, was none"},
	{"mcpheader no more", taking[struct {
		A string `json:"a" mcpheader:"Region"`
	}](), taking[one[string]](), ""},
	{"mcpheader for no tools", taking[one[string]](notTools), taking[struct {
		A string `json:"a" mcpheader:"Region"`
	}](notTools), ""},
	{"another case of a header's name", taking[struct {
		A string `json:"-" header:"x-a,omitempty"`
		B string `json:"b" header:"x-b"`
	}](), taking[struct {
		A string `json:"-" header:"X-A,omitempty"`
		B string `json:"b" header:"X-B"`
	}](), ""},
	{"another name in JSON, over REST alone", taking[struct {
		A string `json:"a" query:"q"`
	}](alone), taking[struct {
		B string `json:"b" query:"q"`
	}](alone), ""},
	{"two names in JSON that change places, over REST alone", taking[struct {
		A string `json:"a" query:"x"`
		B string `json:"b" query:"y"`
	}](alone), taking[struct {
		A string `json:"a" query:"y"`
		B string `json:"b" query:"x"`
	}](alone), ""},
	{"another type and name in JSON, over REST alone", taking[struct {
		B string `json:"b" query:"a"`
	}](alone), taking[struct {
		A string `json:"a" query:"a" maxLength:"2"`
	}](alone), `input /a: maxLength is 2, was none; as in {"a":"aaa"}`},
	{"a source that moved, over REST alone", taking[struct {
		A string `json:"a,omitempty"`
		B int    `json:"b"`
	}](alone), taking[struct {
		A string `json:"a,omitempty" query:"a" maxLength:"2"`
		B int    `json:"b"`
	}](alone), "input /a: comes from query a, came from body"},
	// Files.
	{"a media type", taking[rPhoto](), taking[struct {
		A svc.Body `contentType:"image/png"`
	}](), `input /A: contentType is ["image/png"], was ["image/png","image/jpeg"]; as in {"A":"image/jpeg"}`},
	{"a media type more", taking[struct {
		A svc.Body `contentType:"image/png"`
	}](), taking[rPhoto](), ""},
	{"media types for any", taking[struct{ A svc.Body }](), taking[rPhoto](), `input /A: is required, was optional; as in {}
input /A: contentType is ["image/png","image/jpeg"], was none; as in {"A":"application/octet-stream"}`},
	{"a file for nothing", taking[struct{}](svc.MethodOptions{Transports: []svc.Transport{svc.TransportREST}}), taking[rPhoto](), `input /A: is required, and is new; as in {}`},
	{"maxBytes", taking[struct {
		A svc.Body `maxBytes:"20"`
	}](), taking[struct {
		A svc.Body `maxBytes:"10"`
	}](), `input /A: maxBytes is 10, was 20: a body of 11 bytes is refused; as in {"A":"application/octet-stream"}`},
	{"a longer file", taking[struct {
		A svc.Body `maxBytes:"20"`
	}](), taking[struct {
		A svc.Body `maxBytes:"30"`
	}](), ""},
	{"a media type that is answered", giving[struct {
		svc.File `contentType:"image/png"`
	}](), giving[struct {
		svc.File `contentType:"image/png,image/jpeg"`
	}](), `output: contentType is ["image/png","image/jpeg"], was ["image/png"]: clients do not know the new ones`},
	{"JSON for a file", giving[struct{ svc.File }](), giving[one[int]](), "output: is object, was file"},
	// Methods.
	{"a method that is gone", taking[one[int]](), giving[one[int]](), "is gone"},
	{"another name, over REST alone", taking[struct{}](getAlone), giving[one[int]](getAlone), "the status is 200, was 204\noutput: is object, was nothing"},
	{"a route", taking[one[int]](), taking[one[int]](svc.MethodOptions{HTTP: "PUT /t"}), "the route is PUT /t, was POST /t/make"},
	{"a route, over REST alone", taking[one[int]](alone), taking[one[int]](svc.MethodOptions{HTTP: "PUT /t", Transports: []svc.Transport{svc.TransportREST}}), "the route is PUT /t, was POST /t/make"},
	{"a new route that takes requests", routed[one[string], getter[one[string]]](), routed[one[string], routes[one[string]]](), `input /a: GET /t/export calls t.export now; as in {"a":"export"}`},
	{"a new route that takes requests of the prefix", routed[one[string], getter[one[string]]]().At("/v1"), routed[one[string], routes[one[string]]]().At("/v1"), `input /a: GET /v1/t/export calls t.export now; as in {"a":"export"}`},
	{"a new route that takes requests, beside a field", routed[routedPair, getter[routedPair]](), routed[routedPair, routes[routedPair]](), `input /a: GET /t/export calls t.export now; as in {"q":0,"a":"export"}`},
	{"a new route that takes requests which were refused", routed[one[int], getter[one[int]]](), routed[one[int], routes[one[int]]](), ""},
	{"a new route that takes values which were not listed", routed[one[rColour], getter[one[rColour]]](), routed[one[rColour], routes[one[rColour]]](), ""},
	{"a route that took requests before", routed[one[string], routes[one[string]]](), routed[one[string], routes[one[string]]](), ""},
	{"a route that takes no more requests", routed[one[string], routes[one[string]]](), routed[one[string], getter[one[string]]](), "is gone"},
	{"a placeholder's name", taking[struct {
		A int `json:"a" path:"a"`
	}](svc.MethodOptions{HTTP: "POST /t/{a}"}), taking[struct {
		A int `json:"a" path:"b"`
	}](svc.MethodOptions{HTTP: "POST /t/{b}"}), ""},
	{"a header beside a text of a path, which is never empty", taking[struct {
		A string `json:"a" path:"a" pattern:"^[.]*[a-z]*$"`
		B string `json:"-" header:"X-Match,omitempty"`
	}](svc.MethodOptions{HTTP: "POST /t/{a}"}), taking[struct {
		A string `json:"a" path:"a" pattern:"^[.]*[a-z]*$"`
		B string `json:"-" header:"X-Match,omitempty" maxLength:"2"`
	}](svc.MethodOptions{HTTP: "POST /t/{a}"}), `input /X-Match: maxLength is 2, was none; as in {"a":"a","X-Match":"aaa"}`},
	{"a transport", taking[one[int]](), taking[one[int]](svc.MethodOptions{Transports: []svc.Transport{svc.TransportRPC, svc.TransportMCP}}), "is not served over rest any more"},
	// Forms.
	{"a file that must be last", taking[LimitedForm](form), taking[struct {
		Model string   `json:"model,omitempty"`
		File  svc.Body `json:"file"`
	}](form), "the file must be the last part of the form, and could be any part"},
	{"the same form", taking[rForm](form), taking[rForm](form), ""},
	{"a form for JSON", taking[one[int]](), taking[one[int]](form), "the body is a form of any type, was JSON\ninput /a: comes from form a, came from body"},
	{"JSON for a form", taking[one[int]](form), taking[one[int]](), "the body is JSON, was a form of any type\ninput /a: comes from body, came from form a"},
	{"a form for nothing", taking[struct {
		Q int `json:"q,omitempty" query:"q"`
	}](), taking[struct {
		Q int `json:"q,omitempty" query:"q"`
		A int `json:"a,omitempty"`
	}](form), "the body is a form of any type, was none"},
	{"a rule of a form", taking[one[string]](form), taking[struct {
		A string `json:"a" maxLength:"2"`
	}](form), `input /a: maxLength is 2, was none; as in {"a":"aaa"}`},
	{"the least length of a text of a form", taking[one[string]](form), taking[struct {
		A string `json:"a" minLength:"1"`
	}](form), `input /a: minLength is 1, was none; as in {"a":""}`},
	{"a field of a form that is required", taking[rFormLess](form), taking[rForm](form), `input /a: is required, was optional; as in {}`},
	{"a list of a form, which is never empty, over REST alone", taking[rForm](formAlone), taking[rFormList](formAlone), ""},
	{"a name in a form, over REST alone", taking[one[int]](formAlone), taking[struct {
		B int `json:"b"`
	}](formAlone), `input /a: is gone: it is ignored now
input /b: is required, and is new; as in {"a":0}`},
	{"an unknown name in a strict form", taking[rForm](svc.Options{Strict: true}, formAlone), taking[one[string]](svc.Options{Strict: true}, formAlone), `input /list: is gone, and unknown names are refused (Strict); as in {"a":"a","list":["a"]}`},
	{"a smaller MaxBody for a form", taking[one[int]](form), taking[one[int]](svc.MethodOptions{Form: true, MaxBody: 500}), "MaxBody is 500 over REST, was 1048576"},
	{"a file in a form", taking[one[int]](formAlone), taking[rFormFile](formAlone), "the body is a form of multipart/form-data, was a form of any type"},
	{"no file in a form", taking[rFormFile](formAlone), taking[one[int]](formAlone), "input /file: is gone: it is ignored now"},
	{"a file that is required", taking[rFormFile](formAlone), taking[rFormNeeded](formAlone), `input /file: is required, was optional; as in {"a":0}`},
	{"a file for a form", taking[struct{ A svc.Body }](formAlone), taking[struct{ A svc.Body }](alone), "the body is a file, was a form of multipart/form-data\ninput /A: comes from the body, came from form A"},
	{"maxBytes of the file of a form", taking[rFormNeeded](formAlone), taking[rFormSmall](formAlone), `input /file: maxBytes is 10, was 1048576: a body of 11 bytes is refused; as in {"a":0,"file":"application/octet-stream"}`},
	{"a media type of the file of a form", taking[rFormNeeded](formAlone), taking[rFormPNG](formAlone), `input /file: contentType is ["image/png"], was none; as in {"a":0,"file":"application/octet-stream"}`},
	{"an alias that calls another method", aliased[interface {
		MarkDone(context.Context, *one[int]) error
	}](), aliased[interface {
		MarkDone(context.Context, *one[int]) error
		Markdone(context.Context, *one[int]) error
	}](), "the JSON-RPC name markdone is gone, or calls another method"},
	{"an alias that nobody uses", aliased[interface {
		MarkDone(context.Context, *one[int]) error
	}](alone), aliased[interface {
		MarkDone(context.Context, *one[int]) error
		Markdone(context.Context, *one[int]) error
	}](alone), ""},
	{"a status", giving[one[int]](), giving[one[int]](svc.MethodOptions{Status: 202}), "the status is 202, was 200"},
	{"a stream mode", giving[one[int]](), giving[one[int]](svc.MethodOptions{Stream: svc.StreamSSE}), `the stream mode is "sse", was ""`},
	{"a Content-Type", giving[one[int]](), giving[one[int]](svc.Options{ContentType: "application/a+json"}), "the Content-Type is application/a+json, was application/json"},
	{"an end of a stream", giving[one[int]](svc.MethodOptions{Stream: svc.StreamSSE}), giving[one[int]](svc.MethodOptions{Stream: svc.StreamSSE, StreamEnd: "[DONE]"}), `StreamEnd is "[DONE]", was ""`},
	{"a stream beside a value", giving[one[int]](svc.MethodOptions{Status: 201}), giving[svc.ValueOrStream[one[int], one[string]]](svc.MethodOptions{Status: 201, StreamEnd: "[DONE]"}), ""},
	{"a value beside a stream", giving[one[int]](svc.MethodOptions{Stream: svc.StreamSSE}), giving[svc.ValueOrStream[struct {
		Tag string `json:"a" header:"X-A"`
	}, one[int]]](svc.MethodOptions{Status: 201, ContentType: "application/a+json"}), ""},
	{"another value, beside a stream", giving[one[int]](), giving[svc.ValueOrStream[one[string], one[int]]](), "output /a: is string, was int"},
	{"other items, beside a value", giving[one[int]](svc.MethodOptions{Stream: svc.StreamSSE}), giving[svc.ValueOrStream[one[int], one[string]]](svc.MethodOptions{StreamEnd: "-"}), `StreamEnd is "-", was ""
output /a: is string, was int`},
	{"no stream any more", giving[svc.ValueOrStream[one[int], one[string]]](), giving[one[int]](), "answers with a value alone, answered with a value or a stream"},
	{"no value any more", giving[svc.ValueOrStream[one[int], one[string]]](), giving[one[string]](svc.MethodOptions{Stream: svc.StreamSSE}), "answers with a stream alone, answered with a value or a stream"},
	{"items of a value or a stream", giving[svc.ValueOrStream[one[int], one[int]]](), giving[svc.ValueOrStream[one[int], one[string]]](svc.MethodOptions{StreamEnd: "-"}), `StreamEnd is "-", was ""
item /a: is string, was int`},
	{"Auth", taking[one[int]](), taking[one[int]](svc.Options{Defaults: svc.Defaults{Auth: "bearer"}}), "needs an identity, needed none"},
	{"Auth for some", taking[one[int]](), taking[one[int]](svc.Options{Defaults: svc.Defaults{Auth: "bearer"}}, svc.MethodOptions{Public: true}), ""},
	{"a scope", taking[one[int]](svc.Options{Defaults: svc.Defaults{Auth: "bearer"}}), taking[one[int]](svc.Options{Defaults: svc.Defaults{Auth: "bearer"}}, svc.MethodOptions{Scopes: []string{"write"}}), "needs the scope write"},
	{"what is not in the contract", taking[one[int]](), taking[struct {
		A int `json:"a" doc:"A number." example:"7"`
	}](svc.Options{Version: "2.0.0", Description: "D", BodyTimeout: time.Hour}, svc.MethodOptions{Description: "M", Deprecated: true}), ""},
	// Keys and forms of errors.
	{"a key that is required", taking[one[int]](keptFor(0), svc.KeyAllowed), taking[one[int]](keptFor(0), svc.KeyRequired), "needs an idempotency key, needed none"},
	{"a key for none", taking[one[int]](), taking[one[int]](keptFor(0), svc.KeyAllowed), ""},
	{"a key no more", taking[one[int]](keptFor(0), svc.KeyAllowed), taking[one[int]](), "takes no idempotency key any more"},
	{"a field that counts for keys", taking[rAttempt](keptFor(0), svc.KeyAllowed), taking[rCounted](keptFor(0), svc.KeyAllowed),
		"input /a: counts for idempotency keys now\ninput /b/*/c: counts for idempotency keys now"},
	{"a field that counts for keys no more", taking[rCounted](keptFor(0), svc.KeyAllowed), taking[rAttempt](keptFor(0), svc.KeyAllowed), ""},
	{"a field that counts for keys for none", taking[rCounted](keptFor(0), svc.KeyAllowed), taking[rCounted](keptFor(0), svc.KeyAllowed), ""},
	{"a field that counts for keys without a key", taking[rAttempt](), taking[rCounted](keptFor(0), svc.KeyAllowed), ""},
	{"a shorter KeepFor", taking[one[int]](keptFor(0), svc.KeyAllowed), taking[one[int]](keptFor(time.Hour), svc.KeyAllowed), "keeps idempotency keys for 1h0m0s, kept them for 24h0m0s"},
	{"a new reason", taking[one[int]](), taking[one[int]](svc.Options{Errors: []*svc.Error{reasonFull}}), ""},
	{"a reason that is gone", taking[one[int]](svc.Options{Errors: []*svc.Error{reasonFull, reasonGone}}), taking[one[int]](svc.Options{Errors: []*svc.Error{reasonGone}}), "the reason list_full of errors is gone"},
	{"two reasons that are gone", taking[one[int]](svc.Options{Errors: []*svc.Error{reasonFull, reasonGone}}), taking[one[int]](), "the reason list_full of errors is gone\nthe reason user_gone of errors is gone"},
	{"another code of a reason", taking[one[int]](svc.Options{Errors: []*svc.Error{reasonFull}}), taking[one[int]](svc.Options{Errors: []*svc.Error{svc.Errorf(svc.CodeAborted, "no more room").WithReason("list_full")}}), "the code of the reason list_full is ABORTED, was FAILED_PRECONDITION"},
	{"another message of a reason", taking[one[int]](svc.Options{Errors: []*svc.Error{reasonFull}}), taking[one[int]](svc.Options{Errors: []*svc.Error{svc.Errorf(svc.CodeFailedPrecondition, "full").WithReason("list_full").WithDetail("most", 5)}}), ""},
	{"a reason of the method itself", taking[one[int]](svc.Options{Errors: []*svc.Error{reasonFull}}), taking[one[int]](svc.MethodOptions{Errors: []*svc.Error{reasonFull}}), ""},
	{"an error without a reason that is gone", taking[one[int]](svc.Options{Errors: []*svc.Error{svc.Errorf(svc.CodeAborted, "no")}}), taking[one[int]](), ""},
	{"a form of errors", taking[one[int]](), taking[one[int]](svc.Options{ErrorForm: formOf[one[string]]()}), "errors are application/json, were the envelope"},
	{"a status that the output chooses", giving[one[int]](), giving[struct {
		A int `json:"a"`
		S int `json:"-" status:"200,202"`
	}](), "the status may be 202, which clients do not know"},
	{"another usual status", giving[struct {
		S int `json:"-" status:"200,202"`
	}](), giving[struct {
		S int `json:"-" status:"202,200"`
	}](), ""},
	{"one status of two", giving[struct {
		S int `json:"-" status:"200,202"`
	}](), giving[struct{}](svc.MethodOptions{Status: 202}), ""},
	{"two statuses that are new", giving[struct {
		S int `json:"-" status:"200,202"`
	}](), giving[struct {
		S int `json:"-" status:"201,200,204"`
	}](), "the status may be 201, which clients do not know\nthe status may be 204, which clients do not know"},
	{"an output of headers alone", giving[hasNote](svc.MethodOptions{Status: 200}), giving[onlyLocation](svc.MethodOptions{Status: 200}), "the response has no body any more"},
	{"an output of headers alone, with 204", giving[hasNote](), giving[onlyLocation](), "the status is 204, was 200\nthe response has no body any more"},
	{"a member beside headers", giving[onlyLocation](svc.MethodOptions{Status: 200}), giving[hasNote](svc.MethodOptions{Status: 200}), ""},
	{"a status of errors", taking[one[int]](svc.Options{ErrorForm: formOf[one[string]]()}), taking[one[int]](svc.Options{ErrorForm: formOf[one[string]]().WithStatus(svc.CodeInvalidArgument, 422)}), "the status of INVALID_ARGUMENT is 422, was 400"},
	{"a status of a rule", taking[one[int]](svc.Options{ErrorForm: formOf[one[string]]().WithStatus(svc.CodeInvalidArgument, 422)}), taking[one[int]](svc.Options{ErrorForm: formOf[one[string]]().WithStatus(svc.CodeInvalidArgument, 422).WithRuleStatus("syntax", 400)}), "the status of syntax is 400, was 422"},
	{"a member of errors", taking[one[int]](svc.Options{ErrorForm: formOf[one[string]]()}), taking[one[int]](svc.Options{ErrorForm: formOf[one[int]]()}), "error /a: is int, was string"},
	{"problems for the envelope", taking[one[int]](), taking[one[int]](svc.Options{OnError: svc.WriteProblem}), "errors are application/problem+json of WriteProblem, were the envelope"},
	{"the envelope by its name", taking[one[int]](), taking[one[int]](svc.Options{OnError: svc.WriteError}), ""},
	{"the envelope for problems", taking[one[int]](svc.Options{OnError: svc.WriteProblem}), taking[one[int]](), "errors are the envelope, were application/problem+json of WriteProblem"},
	{"its own errors", taking[one[int]](), taking[one[int]](svc.Options{OnError: ownErrors}), "errors are those of an OnError, were the envelope"},
	{"its own errors no more", taking[one[int]](svc.Options{OnError: ownErrors}), taking[one[int]](svc.Options{ErrorForm: formOf[one[string]]().WithStatus(svc.CodeInvalidArgument, 422)}), ""},
	// Outputs.
	{"an output's type", giving[one[int]](), giving[one[string]](), "output /a: is string, was int"},
	{"a wider integer", giving[one[int32]](), giving[one[int64]](), "output /a: is int64, was int32"},
	{"a narrower integer", giving[one[int64]](), giving[one[int32]](), ""},
	{"a nullable member", giving[one[string]](), giving[one[*string]](), "output /a: is string or null, was string"},
	{"a member that may be absent", giving[one[string]](), giving[struct {
		A string `json:"a,omitempty"`
	}](), "output /a: may be absent, was always there"},
	{"a member that is gone", giving[rPair[int, int]](), giving[one[int]](), "output /b: is gone, was always there"},
	{"a member more", giving[one[int]](), giving[rPair[int, int]](), ""},
	{"rules of outputs", giving[struct {
		A string `json:"a" maxLength:"2"`
	}](), giving[one[string]](), ""},
	{"a pattern of an output", giving[struct {
		A string `json:"a" pattern:"^[a-z]+$"`
	}](), giving[one[time.Time]](), ""},
	{"an output beside a text without an example", giving[rPair[rCode, string]](), giving[rPair[rCode, int]](), "output /b: is int, was string"},
	{"a value more that is answered", giving[one[[]rColour]](), giving[one[[]rColours]](), `output /a/*: enum is ["red","green","blue"], was ["red","green"]: clients do not know the new ones`},
	{"a value less", giving[one[rColours]](), giving[one[rColour]](), ""},
	{"an item of a list", giving[svc.PageResponse[one[int]]](), giving[svc.PageResponse[one[*int]]](), "output /data/*/a: is int or null, was int"},
	{"an enum for a text of its own", giving[one[rCode]](), giving[one[rColour]](), "output /a: cannot tell: is string, was example.com/svc/internal/blackbox_test.rCode, and svc does not know a type with its own JSON or text"},
	{"an enum of numbers for its own JSON", giving[one[rOwn]](), giving[struct {
		A int `json:"a" enum:"1,2"`
	}](), "output /a: cannot tell: is int, was example.com/svc/internal/blackbox_test.rOwn, and svc does not know a type with its own JSON or text"},
	{"its own JSON for another", giving[one[rOwn]](), giving[one[rCode]](), "output /a: cannot tell: is example.com/svc/internal/blackbox_test.rCode, was example.com/svc/internal/blackbox_test.rOwn, and svc does not know a type with its own JSON or text"},
	{"fewer keys of a map", giving[one[map[string]int]](), giving[one[map[int]int]](), ""},
	{"more keys of a map", giving[one[map[int]int]](), giving[one[map[string]int]](), "output /a/*: there are names that the reader does not take"},
	{"content for models", giving[one[int]](), giving[rBlocks](), "output: is MCPContent over MCP, was structured content"},
	{"content for models, without tools", giving[one[int]](notTools), giving[rBlocks](notTools), ""},
	{"content for models no more", giving[rBlocks](), giving[one[int]](), ""},
	{"another name of a header's member, over REST alone", giving[struct {
		A string `json:"a" header:"X-A"`
	}](alone), giving[struct {
		B string `json:"b" header:"X-A"`
	}](alone), ""},
	{"another name of a header's member, over REST alone, in a type with a name", giving[rHeaderA](alone), giving[rHeaderB](alone), ""},
	{"a header", giving[struct {
		A int    `json:"a"`
		E string `json:"-" header:"ETag"`
	}](), giving[one[int]](), "output header Etag: is gone"},
	{"a header that may be absent", giving[struct {
		E int `json:"e" header:"X-E"`
	}](alone), giving[struct {
		E int `json:"e,omitempty" header:"X-E"`
	}](alone), "output header X-E: may be absent, was always there"},
	{"a header more", giving[one[int]](), giving[struct {
		A int    `json:"a"`
		E string `json:"-" header:"ETag"`
	}](), ""},
	{"a member that became a header", giving[rPair[int, string]](), giving[struct {
		A int    `json:"a"`
		B string `json:"b" header:"X-B"`
	}](), "output /b: is the header X-B over REST, was a member"},
	// Unions.
	{"the same union", taking[one[[]rPay]](), taking[one[[]rPay]](), ""},
	{"an alternative more", taking[one[rPay]](), taking[one[rPays]](), ""},
	{"an alternative that is gone", taking[one[rPays]](), taking[one[rPay]](), `input /a/type: enum is ["card","cash"], was ["card","cash","cheque"]; as in {"a":{"type":"cheque","id":0,"name":"a"}}`},
	{"a member of an alternative", taking[one[rPay2]](), taking[one[rPay]](), `input /a/number: is required, was optional; as in {"a":{"type":"card","id":0}}`},
	{"a member of every alternative", taking[one[rPays]](), taking[one[struct {
		Type   string    `json:"type" discriminator:"true"`
		Card   *rCard    `variant:"card"`
		Cash   *struct{} `variant:"cash"`
		Cheque *struct{} `variant:"cheque"`
	}]](), `input /a/id: is gone: it is ignored now (refused over MCP without AllowUnknown)
input /a/name: is gone: it is ignored now (refused over MCP without AllowUnknown)`},
	{"a union as an input", taking[rPays](svc.MethodOptions{Transports: []svc.Transport{svc.TransportREST, svc.TransportRPC}}), taking[rPay](svc.MethodOptions{Transports: []svc.Transport{svc.TransportREST, svc.TransportRPC}}), `input /type: enum is ["card","cash"], was ["card","cash","cheque"]; as in {"type":"cheque","id":0,"name":"a"}`},
	{"a union for a struct", taking[one[rChoice]](), taking[one[rPick]](), `input /a/n: is required, was optional; as in {"a":{"type":"a"}}
input /a/n: is gone where type is "b": it is ignored now (refused over MCP without AllowUnknown)`},
	{"a union for a struct with more values", taking[one[rChoices]](), taking[one[rPick]](), `input /a/n: maximum is 9, was none; as in {"a":{"type":"a","n":10}}
input /a/n: is gone where type is "b": it is ignored now (refused over MCP without AllowUnknown)
input /a/type: is required, was optional; as in {"a":{"n":0}}
input /a/type: enum is ["a","b"], was none; as in {"a":{"n":0,"type":"c"}}`},
	{"a union for a struct without a discriminator", taking[one[one[int]]](), taking[one[rPick]](), `input /a/type: is required, and is new; as in {"a":{"a":0}}`},
	{"a union for a struct that is answered", giving[one[rChoice]](), giving[one[rPick]](), ""},
	{"a struct for a union that is answered", giving[one[rPick]](), giving[one[rChoice]](), "output /a/n: may be absent, was always there"},
	{"oasdiff 314", giving[one[rPay]](), giving[one[rPay2]](), "output /a/number: may be absent, was always there"},
	{"oasdiff 610", giving[one[rPay]](), giving[one[rPays]](), `output /a/type: enum is ["card","cash","cheque"], was ["card","cash"]: clients do not know the new ones`},
	{"an alternative less that is answered", giving[one[rPays]](), giving[one[rPay]](), ""},
	// Unions by JSON type.
	{"the same union by type", taking[one[[]rBy]](), taking[one[[]rByOrder]](), ""},
	{"a type more", taking[one[rBy]](), taking[one[rBys]](), ""},
	{"types that are gone", taking[one[rBys]](), taking[one[rBy]](), `input /a: is list or string, was object or list or string or bool; as in {"a":{"of":[0]}}`},
	{"a type more that is answered", giving[one[rBy]](), giving[one[rBys]](), "output /a: is object or list or string or bool, was list or string"},
	{"types less that are answered", giving[one[rBys]](), giving[one[rBy]](), ""},
	{"a rule of a type", taking[one[rBy]](), taking[one[rBy2]](), `input /a: maxLength is 3, was none; as in {"a":"aaaa"}`},
	{"a member of a type", taking[one[rBy2]](), taking[one[rBy]](), `input /a/*/number: is required, was optional; as in {"a":[{}]}`},
	{"a union by type for one of its types", taking[one[string]](), taking[one[rBy]](), ""},
	{"a union by type for another type", taking[one[int]](), taking[one[rBy]](), `input /a: is list or string, was int; as in {"a":0}`},
	{"a union by type for a type that is answered", giving[one[string]](), giving[one[rBy]](), "output /a: is list or string, was string"},
	{"one of its types", taking[one[rBy]](), taking[one[string]](), `input /a: is string, was list or string; as in {"a":[]}`},
	{"one of its types that is answered", giving[one[rBy]](), giving[one[string]](), ""},
	{"null of a union by type", taking[one[*rBy]](), taking[one[rBy]](), `input /a: is list or string, was list or string or null; as in {"a":null}`},
	{"a union by type for any", taking[one[any]](), taking[one[rBy]](), `input /a: is list or string, was any; as in {"a":null}`},
	{"any for a union by type", taking[one[rBy]](), taking[one[any]](), ""},
	{"a union by type that contains itself", taking[one[rByTree]](), taking[one[rByTree]](), ""},
	{"a member beside one that contains itself", taking[rPair[rByNode, string]](), taking[rPair[rByNode, int]](), `input /b: is int, was string; as in {"a":[0],"b":"a"}`},
	// What others err about.
	{"oasdiff 514", taking[one[rEvents]](), taking[one[rMoreEvents]](), ""},
	{"oasdiff 514, the other way", taking[one[rMoreEvents]](), taking[one[rEvents]](), `input /a/name: enum is ["STARTED","FAILED"], was ["STARTED","FAILED","COPIED"]; as in {"a":{"type":"backup","name":"COPIED"}}
input /a/type: enum is ["backup","billing"], was ["backup","billing","disk"]; as in {"a":{"type":"disk","name":"FULL"}}`},
	{"oasdiff 514, in an answer", giving[one[rEvents]](), giving[one[rMoreEvents]](), `output /a/name: enum is ["STARTED","FAILED","COPIED"], was ["STARTED","FAILED"]: clients do not know the new ones
output /a/type: enum is ["backup","billing","disk"], was ["backup","billing"]: clients do not know the new ones`},
	{"oasdiff 514, in an answer, the other way", giving[one[rMoreEvents]](), giving[one[rEvents]](), ""},
	{"oasdiff 861", taking[struct {
		A string `json:"a,omitempty" query:"a" enum:"a,b,c"`
	}](), taking[struct {
		A string `json:"a,omitempty" query:"a" enum:"a,b"`
	}](), `input /a: enum is ["a","b"], was ["a","b","c"]; as in {"a":"c"}`},
	{"oasdiff 861, in an answer", giving[one[rColours]](), giving[one[rColour]](), ""},
	{"oasdiff 1088", taking[struct {
		A rColour `json:"a,omitempty"`
	}](), taking[struct {
		A *rColour `json:"a,omitempty"`
	}](), ""},
	{"jsonsubschema 14", taking[one[string]](), taking[struct {
		A string `json:"a"`
		B string `json:"b,omitempty"`
	}](), ""},
	{"jsonsubschema 24", taking[struct {
		A string `json:"a"`
		C string `json:"c,omitempty"`
	}](), taking[struct {
		A string  `json:"a"`
		B *string `json:"b" default:"null"`
		C string  `json:"c,omitempty"`
	}](), ""},
	{"a list that was always empty", taking[one[[0]int]](), taking[struct {
		A []string `json:"a" minItems:"2"`
	}](), `input /a: minItems is 2, was none; as in {"a":[]}`},
	{"a number that became an integer", taking[struct {
		A float64 `json:"a" enum:"1,2"`
	}](), taking[one[int]](), ""},
	{"a number that became an integer outside of JSON", taking[struct {
		A float64 `json:"a" query:"a" enum:"1,2"`
	}](), taking[struct {
		A int `json:"a" query:"a"`
	}](), "input /a: cannot tell: is int, was float64, and outside of JSON an integer is written in digits alone"},
	{"a header beside a list that a query cannot leave out", taking[struct {
		A []string `json:"a" query:"a"`
		H string   `json:"-" header:"X-Match,omitempty"`
	}](), taking[struct {
		A []string `json:"a" query:"a"`
		H string   `json:"-" header:"X-Match,omitempty" maxLength:"2"`
	}](), `input /X-Match: maxLength is 2, was none; as in {"a":["a"],"X-Match":"aaa"}`},
	{"jsonsubschema 25", taking[one[rPair[int, []string]]](), taking[struct {
		A struct {
			A int      `json:"a" minimum:"0"`
			B []string `json:"b" maxLength:"1"`
		} `json:"a"`
	}](), `input /a/a: minimum is 0, was none; as in {"a":{"b":[],"a":-1}}
input /a/b/*: maxLength is 1, was none; as in {"a":{"a":0,"b":["aa"]}}`},
}

func TestBreaks(t *testing.T) {
	for _, test := range releases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			breaks, err := test.now.Breaks(test.old.Contract())
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if test.want != "" {
				want = strings.Split(test.want, "\n")
			}
			for i := range max(len(breaks), len(want)) {
				got, text, input, shown := "", "", "", false
				if i < len(want) {
					text, input, shown = strings.Cut(want[i], "; as in ")
				}
				if i < len(breaks) {
					b := breaks[i]
					got = strings.TrimPrefix(strings.TrimSpace(b.Place+": "+b.Reason), ": ")
					checkShown(t, test.old, test.now, b, input, shown)
				}
				if got != text {
					t.Errorf("line %d: got\n%s\nwant\n%s", i, got, text)
				}
			}
		})
	}
}

// checkShown verifies that an input has the witness of a break at its place, and that the release takes
// the input and the service refuses it. A break with a witness must have such an input.
func checkShown(t *testing.T, old, now *svc.Service, b svc.Break, text string, shown bool) {
	t.Helper()
	var input map[string]json.RawMessage
	switch {
	case !shown && b.Witness == nil:
	case !shown:
		t.Errorf("%v: the row has no input that shows it", b)
	case json.Unmarshal([]byte(text), &input) != nil:
		t.Errorf("%v: %s is no input", b, text)
	case b.Witness != nil && !hasAt([]byte(text), strings.TrimPrefix(strings.TrimPrefix(b.Place, "input"), " /"), string(b.Witness)):
		t.Errorf("%v: the value is not at its place in %s", b, text)
	case strings.Contains(b.Reason, " calls "):
		checkTaken(t, old, now, b, input)
	default:
		sendInput(t, old, now, b, text, input)
	}
}

// hasAt reports whether JSON has a value at a place, which is a path such as a/*/b or "". A name of a
// map counts as the value of its member.
func hasAt(text json.RawMessage, place, value string) bool {
	if place == "" {
		return string(text) == value
	}
	part, rest, _ := strings.Cut(place, "/")
	var list []json.RawMessage
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &list) != nil && json.Unmarshal(text, &members) != nil {
		return false
	}
	for name, member := range members {
		quoted, _ := json.Marshal(name)
		if part == "*" && rest == "" && string(quoted) == value {
			return true
		}
		if part == "*" || part == name {
			list = append(list, member)
		}
	}
	return slices.ContainsFunc(list, func(part json.RawMessage) bool { return hasAt(part, rest, value) })
}

// sendInput sends an input that shows a break to two services over REST, where only what is bound
// elsewhere is no member of the body, and over JSON-RPC.
func sendInput(t *testing.T, old, now *svc.Service, b svc.Break, text string, input map[string]json.RawMessage) {
	t.Helper()
	isFile := strings.Contains(string(now.Contract()), `"kind":"file"`)
	for i, s := range []*svc.Service{old, now} {
		methods := s.Descriptor().Resources[0].Methods
		m := methods[max(0, slices.IndexFunc(methods, func(m svc.Method) bool { return b.Method == "t."+m.Name }))]
		path := m.HTTP.Path
		for name, value := range input {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(strings.Trim(string(value), `"`)))
		}
		r := httptest.NewRequest(m.HTTP.Method, path, strings.NewReader(text))
		if value, ok := input["X-Match"]; ok {
			r.Header.Set("X-Match", strings.Trim(string(value), `"`))
		}
		if value, ok := input["a"]; ok && strings.Contains(string(old.Contract()), `"from":"query a"`) {
			r.URL.RawQuery = "a=" + strings.Trim(string(value), `"`)
		}
		if strings.Contains(b.Reason, "JSON body") || m.HTTP.Method == "GET" || m.HTTP.Method == "DELETE" {
			r.Body, r.ContentLength = http.NoBody, 0
		}
		if strings.Contains(string(s.Contract()), `"from":"the whole body"`) {
			r = httptest.NewRequest(m.HTTP.Method, path, bytes.NewReader(input["a"]))
		}
		for name, value := range input { // which nothing reads as a body
			if m.HTTP.Method == "GET" && !strings.Contains(m.HTTP.Path, "{"+name+"}") {
				r.URL.RawQuery = name + "=" + string(value)
			}
		}
		if isFile { // whose media type is in the input, and its length in the reason
			r.Header.Set("Content-Type", strings.Trim(string(input["A"]), `"`))
			n := 0
			if _, text, ok := strings.Cut(b.Reason, "a body of "); ok {
				fmt.Sscan(text, &n)
			}
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("x", n))), int64(n)
		}
		if strings.Contains(string(s.Contract()), `"from":"form `) {
			r = formOfInput(t, m.HTTP.Method, path, b.Reason, input)
		}
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, r)
		if (w.Code < 300) != (i == 0) && !strings.Contains(b.Reason, "over JSON-RPC") {
			t.Errorf("%v: service %d answers %d %s over REST", b, i, w.Code, w.Body)
		}
		if strings.Contains(b.Reason, "over REST") || input["X-Match"] != nil || isFile || !strings.Contains(string(old.Contract()), `"rpc"`) {
			continue
		}
		answer := rpc(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, b.Method, text))
		if strings.Contains(answer, `"result"`) != (i == 0) {
			t.Errorf("%v: service %d answers %s over JSON-RPC", b, i, answer)
		}
	}
}

// formOfInput returns a request with the members of an input as a form. The member file is the
// media type of a file, whose length is in the reason.
func formOfInput(t *testing.T, verb, path, reason string, input map[string]json.RawMessage) *http.Request {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, name := range slices.Sorted(maps.Keys(input)) {
		if name == "file" { // which is sent last
			continue
		}
		var value any
		if err := json.Unmarshal(input[name], &value); err != nil {
			t.Fatal(err)
		}
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, item := range list {
			w.WriteField(name, fmt.Sprint(item))
		}
	}
	if value, ok := input["file"]; ok {
		part, _ := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"`}, "Content-Type": {strings.Trim(string(value), `"`)}})
		n := 0
		if _, text, ok := strings.Cut(reason, "a body of "); ok {
			fmt.Sscan(text, &n)
			n += 8192 // so that it is known before a method reads
		}
		io.WriteString(part, strings.Repeat("x", n))
	}
	w.Close()
	r := httptest.NewRequest(verb, path, &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

// checkTaken sends a request to two services, and verifies that both take it, and that it reaches
// another method of the second.
func checkTaken(t *testing.T, old, now *svc.Service, b svc.Break, input map[string]json.RawMessage) {
	t.Helper()
	verb, path, _ := strings.Cut(strings.Split(b.Reason, " calls ")[0], " ")
	query := url.Values{}
	for name, value := range input {
		if !strings.Contains(path, strings.Trim(string(value), `"`)) {
			query.Set(name, string(value))
		}
	}
	var reached [2]string
	for i, s := range []*svc.Service{old, now} {
		mux := http.NewServeMux()
		s.Mount(mux)
		r, w := httptest.NewRequest(verb, path+"?"+query.Encode(), nil), httptest.NewRecorder()
		_, reached[i] = mux.Handler(r)
		if mux.ServeHTTP(w, r); w.Code >= 300 {
			t.Errorf("%v: service %d answers %d %s", b, i, w.Code, w.Body)
		}
	}
	if reached[0] == reached[1] {
		t.Errorf("%v: both services have the route %s", b, reached[0])
	}
}

func rpc(s *svc.Service, body string) string {
	r := httptest.NewRequest("POST", "/rpc", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.RPC().ServeHTTP(w, r)
	return w.Body.String()
}

// Verify that the contract of a service has one form, and that the services for tests
// keep what they promised.
func TestReleased(t *testing.T) {
	svc.CheckReleased(t, kitchen.Both(), root("testdata/kitchen/released.json"), *update)
	joined := svc.Join("Both", kitchen.Second().At("/v2"), kitchen.Sink(false))
	if !bytes.Equal(kitchen.Both().Contract(), joined.Contract()) {
		t.Error("the contract depends on the order of the services")
	}
}

// Verify that the type of a member that nobody sees is not in the contract.
func TestContractOfHidden(t *testing.T) {
	type nested struct {
		B string   `json:"b"`
		C one[int] `json:"-" header:"X-C"`
	}
	if got := string(taking[one[nested]]().Contract()); strings.Contains(got, `"kind":"int"`) {
		t.Errorf("the contract has the type of a hidden field:\n%s", got)
	}
}

// An rSwapped has the fields of an rOrdered in another order, and so has each type in it.
type (
	rOrdered struct {
		A    int            `json:"a"`
		B    *rOrderedPay   `json:"b,omitempty"`
		H    string         `json:"-" header:"X-H,omitempty"`
		Q    int            `json:"q,omitempty" query:"q"`
		List []rOrderedItem `json:"list,omitempty"`
		Tag  string         `json:"-" header:"X-Tag,omitempty"`
	}
	rSwapped struct {
		Tag  string         `json:"-" header:"X-Tag,omitempty"`
		H    string         `json:"-" header:"X-H,omitempty"`
		List []rSwappedItem `json:"list,omitempty"`
		Q    int            `json:"q,omitempty" query:"q"`
		B    *rSwappedPay   `json:"b,omitempty"`
		A    int            `json:"a"`
	}
	rOrderedItem struct {
		X int    `json:"x"`
		Y string `json:"y,omitempty" maxLength:"3"`
	}
	rSwappedItem struct {
		Y string `json:"y,omitempty" maxLength:"3"`
		X int    `json:"x"`
	}
	rOrderedPay struct {
		Amount int       `json:"amount"`
		Type   string    `json:"type" discriminator:"true"`
		Card   *rCard    `variant:"card"`
		Cash   *struct{} `variant:"cash"`
	}
	rSwappedPay struct {
		Cash   *struct{} `variant:"cash"`
		Type   string    `json:"type" discriminator:"true"`
		Card   *rCard    `variant:"card"`
		Amount int       `json:"amount"`
	}
)

func (rOrdered) SchemaName() string     { return "Order" }
func (rSwapped) SchemaName() string     { return "Order" }
func (rOrderedItem) SchemaName() string { return "Item" }
func (rSwappedItem) SchemaName() string { return "Item" }
func (rOrderedPay) SchemaName() string  { return "Pay" }
func (rSwappedPay) SchemaName() string  { return "Pay" }

// Verify that the contract is the same text for structs whose fields have another order.
func TestContractOrder(t *testing.T) {
	type both[Out, In any] interface {
		giver[Out]
		taker[In]
	}
	was := svc.MustRegister[both[rOrdered, rOrdered]](struct {
		gives[rOrdered]
		takes[rOrdered]
	}{}, optionsOf("Make", nil))
	is := svc.MustRegister[both[rSwapped, rSwapped]](struct {
		gives[rSwapped]
		takes[rSwapped]
	}{}, optionsOf("Make", nil))
	if old, now := was.Contract(), is.Contract(); !bytes.Equal(old, now) {
		t.Errorf("got\n%s\nwant\n%s", now, old)
	}
}

// A recorder is a TestingT that keeps what it is told.
type recorder struct{ texts []string }

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, a ...any) {
	r.texts = append(r.texts, fmt.Sprintf(format, a...))
}
func (r *recorder) Fatalf(format string, a ...any) { r.Errorf("FATAL "+format, a...) }

func TestCheckReleased(t *testing.T) {
	old, now := taking[one[string]](), taking[rPair[int, int]]()
	const first, second = "t.make input /a: is int, was string", "t.make input /b: is required, and is new"
	contract := func(s *svc.Service) string { return string(s.Contract()) }
	damaged := func(a string) string { return strings.Replace(contract(old), `"kind":"string"`, a, 1) }
	for _, test := range []struct {
		name    string
		file    string // "" for none
		update  bool
		allowed []string
		want    string // what the test is told, as a pattern
		written bool
	}{
		{"the same", contract(now), false, []string{"anything"}, "", false},
		{"line ends of Windows", strings.ReplaceAll(contract(now), "\n", "\r\n"), false, nil, "", false},
		{"missing", "", false, nil, "^FATAL .*missing.*-update", false},
		{"missing, update", "", true, nil, "", true},
		{"breaks", contract(old), false, []string{second}, `(?s)^.*\Q` + first + `\E; for example "a".*Undo the change.*\Q"` + first + `",\E$`, false},
		{"two breaks", contract(old), false, nil, `(?s)^.*\Q` + first + `\E.*\Q` + second + `\E.*Undo the change[^\n]*\Q` + "\n\t" + `"` + first + `",` + "\n\t" + `"` + second + `",\E$`, false},
		{"breaks, update", contract(old), true, []string{second}, "clients of the release would break", false},
		{"behind", contract(old), false, []string{first, second}, "promises something else now.*-update", false},
		{"allowed, update", contract(old), true, []string{first, second}, "", true},
		{"not needed", contract(old), true, []string{first, "x", second}, `^\S* no break needs the allowance "x"; delete it$`, true},
		{"no JSON", contract(old)[1:], true, nil, "^FATAL .*damaged", false},
		{"no contract", "{}", true, nil, "^FATAL .*damaged", false},
		{"a kind that is none", strings.Replace(contract(old), `"kind":"string"`, `"kind":"stringy"`, 1), true, nil, `^FATAL .*damaged(?s).*"stringy"`, false},
		{"a rule that is none", strings.Replace(contract(old), `"kind":"string"`, `"kind":"string","rules":{"maxLength":-1}`, 1), true, nil, "^FATAL .*damaged(?s).*maxLength is -1", false},
		{"a rule of another release", strings.Replace(contract(now), `"kind":"int"`, `"kind":"int","rules":{"maxLines":1}`, 1), false, nil, `^\S* clients of the release would break:\s+\S+ input /a: cannot tell: the release has the rule maxLines, which`, false},
		{"beside a rule of another release", strings.Replace(contract(taking[rPair[string, string]]()), `"kind":"string"`, `"kind":"string","rules":{"maxLines":1}`, 1), false, nil, `^\S* clients of the release would break:\s+\S+ input /a: cannot tell: the release has the rule maxLines, which.*\s+\S+ input /b: is int, was string; for example "a"`, false},
		{"a field that is none", strings.Replace(contract(old), `"fields":[`, `"fields":[null,`, 1), true, nil, `^FATAL .*damaged(?s).*"object"`, false},
		{"a name twice, as after a merge", damaged(`"kind":"string","kind":"string"`), true, nil, "^FATAL .*damaged", false},
		{"an enum without values", damaged(`"kind":"string","rules":{"enum":[]}`), true, nil, `^FATAL .*damaged(?s).*enum is \[\]; want values of the type`, false},
		{"an enum that is no list", damaged(`"kind":"string","rules":{"enum":"a"}`), true, nil, `^FATAL .*damaged(?s).*enum is "a"; want values of the type`, false},
		{"an enum of numbers for a text", damaged(`"kind":"string","rules":{"enum":["a",1]}`), true, nil, `^FATAL .*damaged(?s).*enum is \["a",1\]`, false},
		{"an enum of texts for a number", damaged(`"kind":"int","rules":{"enum":["a"]}`), true, nil, `^FATAL .*damaged(?s).*enum is \["a"\]`, false},
		{"a union without a discriminator", damaged(`"kind":"object","fields":[],"union":[{"type":"x","kind":"object","fields":[{"field":"t","kind":"string"}]}]`), true, nil, `^FATAL .*damaged(?s).*"object"`, false},
		{"a union without alternatives", damaged(`"kind":"object","fields":[{"field":"t","kind":"string"}],"union":[]`), true, nil, `^FATAL .*damaged(?s).*"object"`, false},
		{"an alternative without one", damaged(`"kind":"object","fields":[{"field":"t","kind":"string"}],"union":[{"type":"x","kind":"object","fields":[]}]`), true, nil, `^FATAL .*damaged(?s).*"object"`, false},
		{"an object that needs itself, so that it has no value", strings.Replace(damaged(`"kind":"object","object":"x"`), `"types":[`, `"types":[{"type":"x","kind":"object","fields":[{"field":"x","kind":"object","object":"x"}]}`, 1), false, nil, `input /a: is int, was object\n`, false},
		{"another form", strings.Replace(contract(old), `"contract":1`, `"contract":9`, 1), true, nil, "^FATAL .*form 9", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "testdata", "released.json")
			if test.file != "" {
				if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(test.file), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			r := new(recorder)
			svc.CheckReleased(r, now, file, test.update, test.allowed...)
			got := strings.ReplaceAll(strings.Join(r.texts, "\n"), file, "FILE")
			if len(r.texts) > 1 || got == "" != (test.want == "") || !regexp.MustCompile(test.want).MatchString(got) {
				t.Errorf("%s: got %q, want %s", test.name, r.texts, test.want)
			}
			text, _ := os.ReadFile(file)
			if want := test.file; !test.written && string(text) != want || test.written && string(text) != contract(now) {
				t.Errorf("%s: the file has\n%s", test.name, text)
			}
		})
	}
}

// Verify what an author sees who adds a method, writes the file, and takes the method back
// before any release: that needs an allowance, since the file may have been released.
func TestTakeBack(t *testing.T) {
	type both interface {
		taker[one[int]]
		giver[one[int]]
	}
	file := filepath.Join(t.TempDir(), "released.json")
	before, after := taking[one[int]](), svc.MustRegister[both](struct {
		takes[one[int]]
		gives[one[int]]
	}{}, optionsOf("Make", nil))
	third := taking[struct {
		A int `json:"a"`
		B int `json:"b,omitempty"`
	}]()
	const gone = "t.give: is gone"
	for i, step := range []struct {
		service *svc.Service
		update  bool
		allowed []string
		want    string // what the test is told
		file    *svc.Service
	}{
		{before, true, nil, "", before},
		{after, false, nil, "promises something else now", before},
		{after, true, nil, "", after},
		{before, false, nil, gone, after},
		{before, true, nil, gone, after},
		{before, false, []string{gone}, "promises something else now", after},
		{before, true, []string{gone}, "", before},
		{before, false, []string{gone}, "", before}, // it may stay until the next change
		{third, true, []string{gone}, "no break needs the allowance", third},
		{third, false, nil, "", third},
	} {
		t.Run(fmt.Sprint("step ", i+1), func(t *testing.T) {
			r := new(recorder)
			svc.CheckReleased(r, step.service, file, step.update, step.allowed...)
			if got := strings.Join(r.texts, "\n"); !strings.Contains(got, step.want) || got == "" != (step.want == "") {
				t.Errorf("got %q, want %q", got, step.want)
			}
			if text, _ := os.ReadFile(file); !bytes.Equal(text, step.file.Contract()) {
				t.Errorf("the file has\n%s", text)
			}
		})
	}
}

// An rTone reads more texts than it lists.
type rTone int

func (rTone) Enum() []rTone { return []rTone{0, 1} }

func (n rTone) MarshalText() ([]byte, error) { return []byte([]string{"low", "high", "mid"}[n]), nil }

func (n *rTone) UnmarshalText(text []byte) error {
	*n = rTone(slices.Index([]string{"low", "high", "mid"}, string(text)))
	if *n < 0 {
		return fmt.Errorf("no tone")
	}
	return nil
}

// Verify that Breaks says that it cannot tell what a list of values refuses of a text that had
// none, if svc knows no other text of the type.
func TestBreaksOfListedText(t *testing.T) {
	now := taking[one[rTone]]()
	old := strings.Replace(string(now.Contract()), `,"rules":{"enum":["low","high"]}`, "", 1)
	breaks, err := now.Breaks([]byte(old))
	const want = `[t.make input /a: cannot tell: enum is ["low","high"], was none, but no value was found that shows it]`
	if got := fmt.Sprint(breaks); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// Verify that the order of breaks does not depend on chance.
func TestBreaksOrder(t *testing.T) {
	old, now := kitchen.Sink(false).Contract(), kitchen.Sink(true)
	first, err := now.Breaks(old)
	if err != nil || len(first) == 0 {
		t.Fatal(first, err)
	}
	again, _ := now.Breaks(old)
	if !slices.EqualFunc(first, again, func(a, b svc.Break) bool { return a.String() == b.String() }) {
		t.Errorf("got %v, then %v", first, again)
	}
}

// Verify that what is found of an output, whose rules are no promise, does not get into the
// witness of an input with the same rules.
func TestBreaksOfTwoMethods(t *testing.T) {
	type text struct {
		A string `json:"a" minLength:"2"`
	}
	type was struct {
		text
		B string `json:"b"`
	}
	type is struct {
		text
		B int `json:"b"`
	}
	type both[Out, In any] interface {
		giver[Out]
		taker[In]
	}
	old := svc.MustRegister[both[was, was]](struct {
		gives[was]
		takes[was]
	}{}, optionsOf("Make", nil))
	now := svc.MustRegister[both[text, is]](struct {
		gives[text]
		takes[is]
	}{}, optionsOf("Make", nil))
	breaks, err := now.Breaks(old.Contract())
	const want = `[t.give output /b: is gone, was always there t.make input /b: is int, was string; for example "a"]`
	if got := fmt.Sprint(breaks); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
