package blackbox_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/svc"
)

// This file tests unions by JSON type: what is decoded and refused, what is encoded, what is
// published, and what is a mistake.

type (
	byContent struct {
		svc.ByType
		Text  *string  `maxLength:"9" doc:"What is said."`
		Parts []byPart `minItems:"1"`
	}
	byPart struct {
		Type  string    `json:"type" discriminator:"true"`
		Image *byImage  `variant:"image"`
		Break *struct{} `variant:"break"`
	}
	byImage struct {
		URL    string   `json:"url" minLength:"3"`
		Detail byDetail `json:"detail,omitzero"`
	}
	byDetail struct {
		svc.ByType
		Level *byLevel
		Scale *float64 `minimum:"0" maximum:"1"`
		Off   *bool
		More  *byPart
	}
	byLevel string
	byTree  struct { // contains itself
		svc.ByType
		Leaf *int32
		Kids []byTree `maxItems:"3"`
		Map  map[string]byTree
		At   *time.Time
	}
	byStop struct { // has no text
		svc.ByType
		Tokens []int64
		Limit  *int64 `minimum:"1"`
		Never  *bool
		Reason *byReason
	}
	byReason struct {
		Why string `json:"why"`
	}
	byMessage struct {
		Content byContent               `json:"content"`
		Maybe   *byContent              `json:"maybe,omitempty"`
		Opt     svc.Optional[byContent] `json:"opt,omitzero"`
		Zero    byContent               `json:"zero,omitzero"`
		List    []byContent             `json:"list,omitempty"`
		Map     map[string]byContent    `json:"map,omitempty"`
		Tree    byTree                  `json:"tree,omitzero"`
		Stop    byStop                  `json:"stop,omitzero"`
		Default byStop                  `json:"default" default:"5" example:"[1]"`
		Plain   *struct {
			svc.ByType
			Data []byte
			Pair *[2]int
		} `json:"plain,omitempty"`
	}
)

func (byLevel) Enum() []byLevel { return []byLevel{"low", "high"} }

func (c *byContent) Validate() error {
	if c.Text != nil && *c.Text == "bad" {
		return errors.New("is a bad text")
	}
	return nil
}

type ByTypeAPI interface {
	Create(context.Context, *byMessage) (*byMessage, error)
}

// byImpl returns what it gets.
type byImpl struct{}

func (byImpl) Create(_ context.Context, in *byMessage) (*byMessage, error) { return in, nil }

func byOptions() *svc.Options {
	return &svc.Options{Resource: "messages", Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func byService() *svc.Service { return svc.MustRegister[ByTypeAPI](byImpl{}, byOptions()) }

// byInputs are inputs of Create with what comes back, as unionInputs has them.
var byInputs = []struct{ name, in, want string }{
	{"a text", `{"content":"hi"}`, `{"content":"hi","default":5}`},
	{"a list", ` { "content" : [ {"type":"break"} ] }`, `{"content":[{"type":"break"}],"default":5}`},
	{"a number", `{"content":5}`, `type /content: must be a string or an array, is a number`},
	{"a boolean", `{"content":true}`, `type /content: must be a string or an array, is a boolean`},
	{"null", `{"content":null}`, `type /content: must be a string or an array, is null`},
	{"an object", `{"content":{}}`, `type /content: must be a string or an array, is an object`},
	{"nothing", `{}`, `required /content: is required`},
	{"the rule of a text", `{"content":"0123456789"}`, `maxLength /content: must have at most 9 characters`},
	{"the rule of a list", `{"content":[]}`, `minItems /content: must have at least 1 item`},
	{"Validate", `{"content":"bad"}`, `validate /content: is a bad text`},
	{"null where a pointer is", `{"content":"a","maybe":null,"opt":null}`, `{"content":"a","opt":null,"default":5}`},
	{"null where there is none", `{"content":"a","zero":null,"list":[null]}`, `type /zero: must not be null; leave it out; type /list/0: must be a string or an array, is null`},
	{"inside", `{"content":[{"type":"image","url":"a:b","detail":0.5}],"list":["a",[{"type":"image","url":"a:b","detail":{"type":"break"}}]],"map":{"k":"v"}}`,
		`{"content":[{"type":"image","url":"a:b","detail":0.5}],"list":["a",[{"type":"image","url":"a:b","detail":{"type":"break"}}]],"map":{"k":"v"},"default":5}`},
	{"an enum", `{"content":[{"type":"image","url":"a:b","detail":"big"}]}`, `enum /content/0/detail: must be one of low, high`},
	{"a bound", `{"content":[{"type":"image","url":"a:b","detail":2}]}`, `maximum /content/0/detail: must be at most 1`},
	{"a list where there is none", `{"content":[{"type":"image","url":"a:b","detail":[1]}]}`, `type /content/0/detail: must be a string, a number, a boolean or an object, is an array`},
	{"a union in it that is wrong", `{"content":[{"type":"image","url":"a:b","detail":{"type":"video"}}]}`, `enum /content/0/detail/type: must be one of image, break`},
	{"false and an empty list", `{"content":"","stop":[],"default":false}`, `{"content":"","stop":[],"default":false}`},
	{"an integer", `{"content":"","stop":1.5}`, `type /stop: must be an integer, is a number with a fraction`},
	{"a text with an integer", `{"content":"","stop":"7"}`, `type /stop: must be an array, a number, a boolean or an object, is a string`},
	{"a type that contains itself", `{"content":"","tree":[1,[],{"a":[2],"b":"2006-01-02T15:04:05Z"}]}`, `{"content":"","tree":[1,[],{"a":[2],"b":"2006-01-02T15:04:05Z"}],"default":5}`},
	{"its rules", `{"content":"","tree":[[1,2,3,4],{"a":"noon"},{"b":[true]}]}`, `maxItems /tree/0: must have at most 3 items; type /tree/1/a: must be a date and time by RFC 3339, such as 2026-01-02T15:04:05Z; type /tree/2/b/0: must be a number, an array, an object or a string, is a boolean`},
	{"without a name", `{"content":"","plain":"AQI="}`, `{"content":"","default":5,"plain":"AQI="}`},
	{"an empty text of bytes", `{"content":"","plain":""}`, `{"content":"","default":5,"plain":""}`},
	{"an array", `{"content":"","plain":[1,2]}`, `{"content":"","default":5,"plain":[1,2]}`},
	{"an array that is too short", `{"content":"","plain":[1]}`, `minItems /plain: must have exactly 2 items`},
	{"two members of one name", `{"content":[{"type":"break","type":"break"}]}`, `duplicate /content/0/type: is the name of two members of one object, at byte 35`},
	{"no JSON", `{"content":hi}`, `syntax : the text is not valid JSON: expected a value, at byte 11`},
}

// Verify what becomes of inputs with unions by JSON type, over REST, JSON-RPC and MCP.
func TestByTypeInputs(t *testing.T) {
	service := byService()
	rest, rpc, mcp := service.REST(), service.RPC(), service.MCP(nil)
	for _, test := range byInputs {
		t.Run(test.name, func(t *testing.T) {
			if got := unionOutcome(strings.TrimSpace(postJSON(rest, "/messages", test.in).Body.String())); got != test.want {
				t.Errorf("REST, %s:\n got %s\nwant %s", test.in, got, test.want)
			}
			if strings.HasPrefix(test.want, "duplicate") || strings.HasPrefix(test.want, "syntax") {
				return // of the whole message there
			}
			want := test.want
			if strings.HasPrefix(want, "{") {
				want = `{"jsonrpc":"2.0","result":` + want + `,"id":1}`
			}
			got := unionOutcome(strings.TrimSpace(postJSON(rpc, "/", `{"jsonrpc":"2.0","id":1,"method":"messages.create","params":`+test.in+`}`).Body.String()))
			if got != want {
				t.Errorf("JSON-RPC, %s:\n got %s\nwant %s", test.in, got, want)
			}
			if strings.HasPrefix(test.want, "{") {
				if got := byTool(mcp, test.in); got != test.want {
					t.Errorf("MCP, %s:\n got %s\nwant %s", test.in, got, test.want)
				}
			}
		})
	}
}

// Verify what tools read from strings: nothing where a text is allowed, and else what has the type of
// an alternative.
func TestByTypeReadStrings(t *testing.T) {
	for _, test := range []struct {
		name, in, want string
		strings        bool
	}{
		{"digits", `{"content":"","stop":"7"}`, `{"content":"","stop":7,"default":5}`, false},
		{"a list is not digits", `{"content":"","stop":"[7]"}`, `must be an array, a number, a boolean or an object, is a string`, false},
		{"a list", `{"content":"","stop":"[7,\"8\"]"}`, `{"content":"","stop":[7,8],"default":5}`, true},
		{"an object", `{"content":"","stop":" {\"why\":\"7\"} "}`, `{"content":"","stop":{"why":"7"},"default":5}`, true},
		{"a number", `{"content":"","stop":"7"}`, `{"content":"","stop":7,"default":5}`, true},
		{"a boolean", `{"content":"","stop":"false"}`, `{"content":"","stop":false,"default":5}`, true},
		{"a text", `{"content":"","stop":"seven"}`, `must be an array, a number, a boolean or an object, is a string`, true},
		{"no JSON", `{"content":"","stop":"[7"}`, `must be an array, a number, a boolean or an object, is a string`, true},
		{"a text that is allowed", `{"content":"[1]","maybe":"7"}`, `{"content":"[1]","maybe":"7","default":5}`, true},
		{"a time is a text", `{"content":"","tree":["2006-01-02T15:04:05Z","[1]"]}`, `/tree/1 must be a date and time by RFC 3339`, true},
		{"a list of unions", `{"content":"","list":"[\"[1]\"]"}`, `{"content":"","list":["[1]"],"default":5}`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			mcp := byService().MCP(&svc.MCPOptions{ReadStrings: test.strings})
			if got := byTool(mcp, test.in); got != test.want && (test.want[0] == '{' || !strings.Contains(got, test.want)) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// byTool returns what a tool answers: its structured content, or all of it if there is none.
func byTool(h http.Handler, arguments string) string {
	got := callTool(h, "messages_create", arguments)
	var answer struct {
		Result struct{ StructuredContent json.RawMessage }
	}
	json.Unmarshal([]byte(got), &answer)
	return cmp.Or(string(answer.Result.StructuredContent), got)
}

// A mistaken input has one of the types below, of which each has one mistake.
type (
	byOne struct {
		svc.ByType
		Text *string
	}
	byNone struct{ svc.ByType }
	bySame struct {
		svc.ByType
		Text *string
		At   *time.Time
	}
	byNumbers struct {
		svc.ByType
		Float *float64
		Int   *int
	}
	byObjects struct {
		svc.ByType
		Card  *unionPayment
		Named map[string]int
	}
	byAny struct {
		svc.ByType
		Text *string
		Any  any
	}
	byRaw struct {
		svc.ByType
		Text *string
		Raw  json.RawMessage
	}
	byCustom struct {
		svc.ByType
		Text *string
		Own  *byOwn
	}
	byOwn   struct{}
	byValue struct {
		svc.ByType
		Text string
		List []int
	}
	byArray struct {
		svc.ByType
		Text *string
		List [2]int
	}
	byListPointer struct {
		svc.ByType
		Text *string
		List *[]int
	}
	byPointers struct {
		svc.ByType
		Text **string
		List []int
	}
	byAddress struct {
		svc.ByType
		Text byHost
		List []int
	}
	byHost     []byte
	byOptional struct {
		svc.ByType
		Text svc.Optional[string]
		List []int
	}
	byFile struct {
		svc.ByType
		Text *string
		File *svc.File
	}
	byInside struct {
		svc.ByType
		Number *int
		More   *byContent
	}
	byEmbeds  struct{ byContent }
	byPointer struct {
		*svc.ByType
		Text *string
		List []int
	}
	byMore struct {
		svc.ByType
		byReason
		Text *string
		List []int
	}
	byHidden struct {
		svc.ByType
		text *string //lint:ignore U1000 the mistake is that it is unexported
		Text *string
		List []int
	}
	byNamed struct {
		svc.ByType
		Text *string `json:"text"`
		List []int
	}
	byQueried struct {
		svc.ByType
		Text *string `query:"q"`
		List []int
	}
	byUnkeyed struct {
		svc.ByType
		Text *string `idempotency:"-"`
		List []int
	}
	byDefault struct {
		svc.ByType
		Text *string `default:"x"`
		List []int
	}
	byWrongRule struct {
		svc.ByType
		Text *string `minimum:"1"`
		List []int
	}
	byWrongExample struct {
		svc.ByType
		Text *string `example:"abc" maxLength:"2"`
		List []int
	}
	byMarshals struct {
		svc.ByType
		Text *string
		List []int
	}
	byTagged struct {
		svc.ByType `json:"x"`
		Text       *string
		List       []int
	}
	byField struct {
		T svc.ByType `json:"t"`
	}
	byChan struct {
		svc.ByType
		Text *string
		Chan *chan int
	}
	byEndless struct {
		svc.ByType
		A *byEndless2
		L []byEndless `minItems:"1"`
	}
	byEndless2 struct {
		Next byEndless `json:"next"`
	}
	byFinite struct {
		svc.ByType
		A *byFinite2
		L []byFinite
	}
	byFinite2 struct {
		Next byFinite `json:"next"`
	}
	byEmpty struct {
		C byContent `json:"c,omitempty"`
	}
	byRuled struct {
		C byContent `json:"c" maxLength:"3"`
	}
	byBadDefault struct {
		C byContent `json:"c" default:"7"`
	}
	byLooseDefault struct {
		C byContent `json:"c" default:"hi"`
	}
	byQuery struct {
		C byContent `json:"c" query:"c"`
	}
	byQueries struct {
		C []byContent `json:"c" query:"c"`
	}
	byHeader struct {
		C *byContent `json:"c,omitempty" header:"X-C"`
	}
	byCookie struct {
		C byContent `json:"c" cookie:"c"`
	}
	byPath struct {
		C byContent `path:"id"`
	}
	byQuoted struct {
		C byContent `json:"c,string"` //lint:ignore SA5008 the mistake is the option
	}
	byMapKey struct {
		C map[byContent2]int `json:"c"`
	}
	byContent2 struct {
		svc.ByType
		Text *string
		N    *int
	}
	byValidates struct {
		svc.ByType
		Text *string
		List []int
	}
)

func (byOwn) MarshalJSON() ([]byte, error)          { return []byte("1"), nil }
func (*byOwn) UnmarshalJSON([]byte) error           { return nil }
func (h byHost) MarshalText() ([]byte, error)       { return h, nil }
func (h *byHost) UnmarshalText(text []byte) error   { *h = text; return nil }
func (byMarshals) MarshalJSON() ([]byte, error)     { return []byte("1"), nil }
func (*byValidates) Validate(context.Context) error { return nil }

// Verify what is said of every mistake that one can make with a union by JSON type.
func TestByTypeMistakes(t *testing.T) {
	const post = "POST /x"
	for _, test := range []struct{ name, got, want string }{
		{"message", unionMistake[byMessage](post), `none`},
		{"finite", unionMistake[one[byFinite]](post), `none`},
		{"one alternative", unionMistake[one[byOne]](post), `byOne: byOne has one alternative, so it is nothing but that; add another one, or write a string in its place`},
		{"none", unionMistake[one[byNone]](post), `byNone: a svc.ByType needs alternatives, which are fields such as Text *string and Parts []Part`},
		{"two texts", unionMistake[one[bySame]](post), `bySame.At: Text is a string in JSON too, so that nothing tells the two apart; drop one of them`},
		{"two numbers", unionMistake[one[byNumbers]](post), `byNumbers.Int: Float is a number in JSON too, so that nothing tells the two apart; drop one of them`},
		{"two objects", unionMistake[one[byObjects]](post), `byObjects.Named: Card is an object in JSON too, so that nothing tells the two apart; drop one of them`},
		{"any", unionMistake[one[byAny]](post), `byAny.Any: the JSON of the type interface {} may be of any type, and svc.ByType chooses by that; write a type that is always a string, a number, a boolean, a list or an object`},
		{"raw", unionMistake[one[byRaw]](post), `byRaw.Raw: the JSON of the type ` + reflect.TypeFor[json.RawMessage]().String() + ` may be of any type, and svc.ByType chooses by that; write a type that is always a string, a number, a boolean, a list or an object`},
		{"own JSON", unionMistake[one[byCustom]](post), `byCustom.Own: the JSON of the type byOwn may be of any type, and svc.ByType chooses by that; write a type that is always a string, a number, a boolean, a list or an object`},
		{"no pointer", unionMistake[one[byValue]](post), `byValue.Text: nil says that an alternative is not there; write a *string`},
		{"an array", unionMistake[one[byArray]](post), `byArray.List: nil says that an alternative is not there; write a *[2]int`},
		{"a pointer to a list", unionMistake[one[byListPointer]](post), `byListPointer.List: a list or a map is nil if it is not there, without a pointer; write a []int`},
		{"two pointers", unionMistake[one[byPointers]](post), `byPointers.Text: one pointer says whether an alternative is there; write a *string`},
		{"a list that is a text", unionMistake[one[byAddress]](post), `byAddress.Text: nil says that an alternative is not there; write a *byHost`},
		{"an Optional", unionMistake[one[byOptional]](post), `byOptional.Text: an alternative cannot be an Optional; write a *string, and put the Optional around the struct if that may be null`},
		{"a file", unionMistake[one[byFile]](post), `byFile.File: a svc.File is not JSON, so it cannot be an alternative; give it a method of its own`},
		{"inside another", unionMistake[one[byInside]](post), `byInside.More: byContent is a svc.ByType too; write its alternatives in its place`},
		{"embedded", unionMistake[byEmbeds](post), `byEmbeds: byContent is a svc.ByType, which cannot be embedded; give the field a name`},
		{"a pointer to ByType", unionMistake[one[byPointer]](post), `byPointer.ByType: embed svc.ByType itself, not a pointer to it`},
		{"something else embedded", unionMistake[one[byMore]](post), `byMore.byReason: an alternative cannot be embedded; give the field a name`},
		{"unexported", unionMistake[one[byHidden]](post), `byHidden.text: an alternative must be exported, since svc has to set it`},
		{"a name", unionMistake[one[byNamed]](post), `byNamed.Text: an alternative of a svc.ByType is not a member, and has no name; drop the tag json`},
		{"a query inside", unionMistake[one[byQueried]](post), `byQueried.Text: an alternative of a svc.ByType is not a member, and has no name; drop the tag query`},
		{"unkeyed", unionMistake[one[byUnkeyed]](post), `byUnkeyed.Text: an alternative of a svc.ByType is not a member, and has no name; drop the tag idempotency`},
		{"a default inside", unionMistake[one[byDefault]](post), `byDefault.Text: an alternative of a svc.ByType is not a member, and has no name; drop the tag default`},
		{"a wrong rule", unionMistake[one[byWrongRule]](post), `byWrongRule.Text: minimum fits a number, and the field's type is *string`},
		{"a wrong example", unionMistake[one[byWrongExample]](post), `byWrongExample.Text: the example "abc" is refused: must have at most 2 characters`},
		{"methods for JSON", unionMistake[one[byMarshals]](post), `byMarshals: byMarshals has methods for its own JSON or text, which stand for the alternatives of a svc.ByType; drop them, or svc.ByType`},
		{"a tag of ByType", unionMistake[one[byTagged]](post), `byTagged: svc.ByType has a tag, and nothing reads it; drop it`},
		{"a field", unionMistake[byField](post), `byField.T: svc.ByType is embedded in a struct with one field for each JSON type, such as Text *string and Parts []Part`},
		{"a channel", unionMistake[one[byChan]](post), `byChan.Chan: JSON cannot carry a chan int; hide the field with ` + "`json:\"-\"`" + ` or change its type`},
		{"endless", unionMistake[one[byEndless]](post), `one[byEndless] must contain itself or a type that does, so that no value is finite; make a field on the way optional (omitempty) or a pointer
  - byEndless must contain itself or a type that does, so that no value is finite; make a field on the way optional (omitempty) or a pointer
  - byEndless2 must contain itself or a type that does, so that no value is finite; make a field on the way optional (omitempty) or a pointer`},
		{"omitempty", unionMistake[byEmpty](post), `byEmpty.C: omitempty never leaves out a union; write omitzero, or a pointer`},
		{"a rule of all", unionMistake[byRuled](post), `byRuled.C: maxLength: byContent is one of several JSON types, and rules are about one; put the tag on the alternative`},
		{"a default that is refused", unionMistake[byBadDefault](post), `byBadDefault.C: the default 7 is refused: must be a string or an array, is a number`},
		{"a default without quotes", unionMistake[byLooseDefault](post), `byLooseDefault.C: default:"hi": want a JSON value; a string is in quotes there`},
		{"query", unionMistake[byQuery](post), "byQuery.C: the type byContent cannot come from the query, which carries scalars and lists of them; use POST, PUT or PATCH, whose fields come from the body, or hide it with `json:\"-\"`"},
		{"a list in the query", unionMistake[byQueries](post), "byQueries.C: the type []byContent cannot come from the query, which carries scalars and lists of them; use POST, PUT or PATCH, whose fields come from the body, or hide it with `json:\"-\"`"},
		{"header", unionMistake[byHeader](post), `byHeader.C: the type *byContent cannot come from the header, which carries scalars`},
		{"cookie", unionMistake[byCookie](post), `byCookie.C: the type byContent cannot come from the cookie, which carries scalars`},
		{"path", unionMistake[byPath]("POST /x/{id}"), `byPath.C: the type byContent cannot come from the path, which carries scalars`},
		{"a number in a string", unionMistake[byQuoted](post), "byQuoted.C: `json:\",string\"` is for integers and floats, which it writes as strings, and the field's type is byContent; drop the option"},
		{"a key", unionMistake[byMapKey](post), `byMapKey.C: a JSON object cannot have a byContent2 as its key; use a string, an integer or a type with MarshalText and UnmarshalText`},
		{"a whole input", unionMistake[byContent](post), `the input byContent is not a JSON object; put it into a field of a struct`},
		{"Validate with a context", unionMistake[one[byValidates]](post), `one[byValidates].A: svc does not call byValidates.Validate, since its signature is not Validate() error; change it, and do what needs a context in the method of the service`},
		{"an item", byOutputMistake[byItems](), `byItems.Watch: the items of the stream have the type byContent, which is not a JSON object; put it into a field of a struct`},
		{"a form", byFormMistake(), "byFormed.C: the type byContent cannot come from the form, which carries scalars and lists of them; drop MethodOptions.Form, so that the body is JSON, or hide the field with `json:\"-\"`"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.ReplaceAll(test.got, "example.com/svc/internal/", ""); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

type (
	byItems interface {
		Watch(context.Context) (svc.Stream[byContent], error)
	}
	byForms interface {
		Create(context.Context, *byFormed) error
	}
	byFormed struct {
		C byContent `json:"c"`
	}
	byGives struct{}
)

func (byGives) List(context.Context) (*byContent, error)             { return nil, nil }
func (byGives) Watch(context.Context) (svc.Stream[byContent], error) { return nil, nil }
func (byGives) Create(context.Context, *byFormed) error              { return nil }

// byOutputMistake returns the mistakes of a service that gives a byContent.
func byOutputMistake[T any]() string { return byMistake[T](nil) }

func byFormMistake() string {
	return byMistake[byForms](map[string]svc.MethodOptions{"Create": {HTTP: "POST /x", Form: true}})
}

func byMistake[T any](methods map[string]svc.MethodOptions) string {
	impl, _ := any(byGives{}).(T)
	_, err := svc.Register[T](impl, &svc.Options{Resource: "x", Methods: methods})
	_, list, _ := strings.Cut(fmt.Sprint(err), ":\n  - ")
	return strings.NewReplacer("blackbox_test.", "", "byForms.Create: ", "").Replace(list)
}

// text returns a byContent.
func byText(text string) byContent { return byContent{Text: &text} }

// Verify what is said of values with no alternative or two, and that nothing of them is sent.
func TestByTypeOutputs(t *testing.T) {
	two := byText("a")
	two.Parts = []byPart{}
	for _, test := range []struct {
		name string
		in   *byMessage
		want string
	}{
		{"one", &byMessage{Content: byText("a")}, `none`},
		{"none", &byMessage{}, `/content variant must have exactly one of the alternatives Text, Parts`},
		{"two", &byMessage{Content: two, List: []byContent{two}}, `/content variant must have exactly one of the alternatives Text, Parts; /list/0 variant must have exactly one of the alternatives Text, Parts`},
		{"an empty list is one", &byMessage{Content: byText(""), Tree: byTree{Kids: []byTree{}}, Stop: byStop{Tokens: []int64{}}}, `none`},
		{"a rule", &byMessage{Content: byText("0123456789")}, `/content maxLength must have at most 9 characters`},
		{"a rule of a list", &byMessage{Content: byContent{Parts: []byPart{}}}, `/content minItems must have at least 1 item`},
		{"Validate", &byMessage{Content: byText("bad")}, `/content validate is a bad text`},
		{"inside", &byMessage{Content: byText(""), Tree: byTree{Kids: []byTree{{}, {Map: map[string]byTree{"a": {}}}}}},
			`/tree/0 variant must have exactly one of the alternatives Leaf, Kids, Map, At; /tree/1/a variant must have exactly one of the alternatives Leaf, Kids, Map, At`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var e *svc.Error
			said := "none"
			test.in.Default = byStop{Tokens: []int64{1}}
			_, err := byService().Call(t.Context(), "messages", "create", test.in)
			if errors.As(err, &e) {
				var list []string
				for _, v := range e.Violations() {
					list = append(list, v.Path+" "+v.Rule+" "+v.Message)
				}
				said = strings.Join(list, "; ")
			}
			if said != test.want {
				t.Errorf("Call:\n got %s\nwant %s", said, test.want)
			}
			s := svc.MustRegister[ByTypeAPI](byGiver{test.in}, byOptions())
			got := postJSON(s.REST(), "/messages", `{"content":""}`)
			if isWhole := !strings.Contains(test.want, "variant"); isWhole != (got.Code == http.StatusCreated || got.Code == http.StatusOK) || !isWhole && got.Code != http.StatusInternalServerError {
				t.Errorf("REST: %d %s", got.Code, got.Body)
			}
		})
	}
}

// byGiver returns what it has.
type byGiver struct{ out *byMessage }

func (g byGiver) Create(context.Context, *byMessage) (*byMessage, error) { return g.out, nil }

// Verify that a client leaves an alternative that it does not know nil, and that a codec refuses it.
func TestByTypeUnknown(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"known", `"a"`, `{"content":"a","default":true}`},
		{"a number", `5`, ``},
		{"null", `null`, ``},
		{"an object", `{"a":1}`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := `{"content":` + test.content + `,"default":true}`
			var client struct {
				Create func(context.Context, *byMessage) (*byMessage, error)
			}
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusCreated)
				io.WriteString(w, text)
			})
			if err := svc.Connect[ByTypeAPI](&client, "", &svc.ClientOptions{Service: byOptions(), Handler: h}); err != nil {
				t.Fatal(err)
			}
			in := byText("")
			out, err := client.Create(t.Context(), &byMessage{Content: in})
			if err != nil {
				t.Fatal(err)
			}
			if isNil := reflect.DeepEqual(out.Content, byContent{}); isNil != (test.want == "") || !*out.Default.Never {
				t.Errorf("got %+v", out)
			}
			codec := svc.NewCodec[byMessage]()
			v, err := codec.Decode([]byte(text))
			if test.want == "" {
				if svc.ErrorFrom(err).Code != svc.CodeDataLoss {
					t.Errorf("Decode: %v", err)
				}
				return
			}
			if row, err := codec.Encode(v); err != nil || string(row) != test.want {
				t.Errorf("Encode: %s %v", row, err)
			}
			_, err = codec.Encode(&byMessage{})
			if list := svc.ErrorFrom(err).Violations(); len(list) != 2 || list[0].Path != "/content" || list[0].Rule != "variant" {
				t.Errorf("Encode of no alternative: %v %v", err, list)
			}
		})
	}
}

// byRandom makes random values.
type byRandom struct{ *rand.Rand }

func byPtr[T any](v T) *T { return &v }

func (r byRandom) text() string {
	return []string{"", "a", "[1]", "7", "true", "null", "ä☃\"\\", "{}"}[r.IntN(8)]
}

func (r byRandom) content(depth int) (c byContent) {
	if r.IntN(2) == 0 {
		return byText(r.text())
	}
	for range 1 + r.IntN(3) {
		c.Parts = append(c.Parts, r.part(depth))
	}
	return c
}

func (r byRandom) part(depth int) byPart {
	if depth > 3 || r.IntN(3) == 0 {
		return byPart{Type: "break", Break: &struct{}{}}
	}
	p := byPart{Type: "image", Image: &byImage{URL: "a:" + fmt.Sprint(r.IntN(100))}}
	switch d := &p.Image.Detail; r.IntN(5) {
	case 0:
		d.Level = byPtr([]byLevel{"low", "high"}[r.IntN(2)])
	case 1:
		d.Scale = byPtr(float64(r.IntN(1000)) / 999)
	case 2:
		d.Off = byPtr(r.IntN(2) == 0)
	case 3:
		d.More = byPtr(r.part(depth + 1))
	}
	return p
}

func (r byRandom) tree(depth int) (t byTree) {
	switch n := r.IntN(4); {
	case n == 0 || depth > 4:
		t.Leaf = byPtr(int32(r.Uint32()))
	case n == 1:
		t.Kids = []byTree{}
		for range r.IntN(4) {
			t.Kids = append(t.Kids, r.tree(depth+1))
		}
	case n == 2:
		t.Map = map[string]byTree{}
		for range r.IntN(3) {
			t.Map[r.text()] = r.tree(depth + 1)
		}
	default:
		t.At = byPtr(time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC())
	}
	return t
}

func (r byRandom) stop() (s byStop) {
	switch r.IntN(4) {
	case 0:
		s.Tokens = []int64{}
		for range r.IntN(3) {
			s.Tokens = append(s.Tokens, r.Int64())
		}
	case 1:
		s.Limit = byPtr(1 + r.Int64N(1<<62))
	case 2:
		s.Never = byPtr(r.IntN(2) == 0)
	default:
		s.Reason = &byReason{r.text()}
	}
	return s
}

func (r byRandom) message() *byMessage {
	m := &byMessage{Content: r.content(0), Default: r.stop()}
	some := func() bool { return r.IntN(3) == 0 }
	if some() {
		m.Maybe = byPtr(r.content(0))
	}
	if some() {
		m.Opt.Set(r.content(0))
	} else if some() {
		m.Opt.SetNull()
	}
	if some() {
		m.Zero = r.content(0)
	}
	if some() {
		m.List = []byContent{r.content(0), r.content(1)}
	}
	if some() {
		m.Map = map[string]byContent{"a": r.content(0), r.text(): r.content(2)}
	}
	if some() {
		m.Tree = r.tree(0)
	}
	if some() {
		m.Stop = r.stop()
	}
	return m
}

// plain returns v as values that encoding/json writes as svc is to write v.
func (r byRandom) plain(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case time.Time:
		return x
	case svc.Optional[byContent]:
		if value, ok := x.Get(); ok {
			return r.plain(reflect.ValueOf(value))
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return r.plain(v.Elem())
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, r.plain(v.Index(i)))
		}
		return list
	case reflect.Map:
		members := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			members[it.Key().String()] = r.plain(it.Value())
		}
		return members
	case reflect.Struct:
		return r.plainStruct(v)
	}
	return v.Interface()
}

func (r byRandom) plainStruct(v reflect.Value) any {
	_, isByType := v.Type().FieldByName("ByType")
	members := map[string]any{}
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case isByType && !f.Anonymous && !value.IsNil():
			return r.plain(value)
		case isByType, name == "" && value.IsNil(), options != "" && value.IsZero():
		case name == "": // an alternative with a discriminator
			for name, value := range r.plain(value).(map[string]any) {
				members[name] = value
			}
		default:
			members[name] = r.plain(value)
		}
	}
	return members
}

// Verify that 10,000 random values come back as they were over REST, JSON-RPC, MCP and by Connect, and
// from a codec, and that their JSON is what encoding/json writes of the same without unions.
func TestByTypeRoundTrip(t *testing.T) {
	service, r := byService(), byRandom{rand.New(rand.NewPCG(1, 2))}
	rest, rpc, mcp, codec := service.REST(), service.RPC(), service.MCP(&svc.MCPOptions{ReadStrings: true}), svc.NewCodec[byMessage]()
	var client struct {
		Create func(context.Context, *byMessage) (*byMessage, error)
	}
	if err := svc.Connect[ByTypeAPI](&client, "", &svc.ClientOptions{Service: byOptions(), Handler: rest}); err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 {
		in := r.message()
		row, err := codec.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(r.plain(reflect.ValueOf(in)))
		if got, want := byJSON(row), byJSON(want); !reflect.DeepEqual(got, want) {
			t.Fatalf("%d: the JSON is\n%s\nand not\n%s", i, row, want)
		}
		for name, got := range map[string]string{
			"REST":     postJSON(rest, "/messages", string(want)).Body.String(),
			"JSON-RPC": strings.TrimSuffix(strings.TrimPrefix(postJSON(rpc, "/", `{"jsonrpc":"2.0","id":1,"method":"messages.create","params":`+string(want)+`}`).Body.String(), `{"jsonrpc":"2.0","result":`), `,"id":1}`),
			"MCP":      byTool(mcp, string(want)),
		} {
			if strings.TrimSpace(got) != string(row) {
				t.Fatalf("%d: %s gives\n%s\nof\n%s", i, name, got, row)
			}
		}
		stored, err := codec.Decode(row)
		if err != nil || !reflect.DeepEqual(stored, in) {
			t.Fatalf("%d: Decode of %s: %v", i, row, err)
		}
		if out, err := client.Create(t.Context(), in); err != nil || !reflect.DeepEqual(out, in) {
			t.Fatalf("%d: Connect of %s: %v", i, row, err)
		}
	}
}

func byJSON(text []byte) (v any) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	d.Decode(&v)
	return v
}

// Verify what is published of unions by JSON type.
func TestByTypeDocuments(t *testing.T) {
	document := func(version, name string) string {
		opts := byOptions()
		opts.OpenAPI = version
		w := httptest.NewRecorder()
		svc.MustRegister[ByTypeAPI](byImpl{}, opts).OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		var d struct {
			Components struct{ Schemas map[string]json.RawMessage }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		return string(d.Components.Schemas[name])
	}
	get := func(h http.Handler, accept string) string {
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.Header.Set("Accept", accept)
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	s := byService()
	script, markdown := get(s.TypeScript(), "*/*"), get(s.Docs(nil), "text/markdown")
	tools := postJSON(s.MCP(nil), "/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.String()
	for _, test := range []struct{ name, got, want string }{
		{"3.1", document("3.1", "byContent"), `{"anyOf":[{"type":"string","maxLength":9,"description":"What is said."},{"type":"array","items":{"$ref":"#/components/schemas/byPart"},"minItems":1}]}`},
		{"3.2", document("3.2", "byDetail"), `{"anyOf":[{"$ref":"#/components/schemas/byLevel"},{"type":"number","format":"double","minimum":0,"maximum":1},{"type":"boolean"},{"$ref":"#/components/schemas/byPart"}]}`},
		{"3.0", document("3.0", "byContent"), `{"anyOf":[{"type":"string","maxLength":9,"description":"What is said."},{"type":"array","items":{"$ref":"#/components/schemas/byPart"},"minItems":1}]}`},
		{"one that contains itself", document("3.1", "byTree"), `{"anyOf":[{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647},{"type":"array","items":{"$ref":"#/components/schemas/byTree"},"maxItems":3},{"type":"object","additionalProperties":{"$ref":"#/components/schemas/byTree"}},{"type":"string","format":"date-time"}]}`},
		{"members", document("3.1", "byMessage"), `"content":{"$ref":"#/components/schemas/byContent"},"maybe":{"anyOf":[{"$ref":"#/components/schemas/byContent"},{"type":"null"}]},"opt":`},
		{"a default and an example", document("3.1", "byMessage"), `"default":{"$ref":"#/components/schemas/byStop","default":5,"examples":[[1]]}`},
		{"without a name", document("3.1", "byMessage"), `"plain":{"anyOf":[{"anyOf":[{"type":"string","format":"byte"},{"type":"array","items":{"type":"integer","format":"int64"},"minItems":2,"maxItems":2}]},{"type":"null"}]}`},
		{"without a name in 3.0", document("3.0", "byMessage"), `"plain":{"anyOf":[{"type":"object","nullable":true,"enum":[null]},{"anyOf":[`},
		{"a tool", tools, `"maybe":{"anyOf":[{"type":"string","maxLength":9,"description":"What is said."},{"type":"array","items":{"$ref":"#/$defs/byPart"},"minItems":1}]},"opt":{"anyOf":[{"type":"string","maxLength":9,"description":"What is said."},{"type":"array","items":{"$ref":"#/$defs/byPart"},"minItems":1},{"type":"null"}]}`},
		{"a tool with one that contains itself", tools, `"byTree":{"anyOf":[{"type":"integer","minimum":-2147483648,"maximum":2147483647},{"type":"array","items":{"$ref":"#/$defs/byTree"},"maxItems":3},{"type":"object","additionalProperties":{"$ref":"#/$defs/byTree"}},{"type":"string","format":"date-time"}]}`},
		{"TypeScript", script, `
export type byContent =
  /** What is said. Must have at most 9 characters. */
  | string
  /** Must have at least 1 item. */
  | byPart[];
`},
		{"TypeScript of a recursive one", script, `
export type byTree =
  | number
  /** Must have at most 3 items. */
  | byTree[]
  | { [name: string]: byTree }
  /** A time by RFC 3339. */
  | string;
`},
		{"TypeScript without a name", script, "plain?: string | number[] | null | undefined;"},
		{"numbers that need not be integers", script, `floats: ["detail"]`},
		{"Markdown", markdown, "export type byContent =\n  /** What is said. Must have at most 9 characters. */\n  | string\n"},
		{"the example", markdown, `{"content":"text","default":[1]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("%s\nis not in\n%s", test.want, test.got[max(0, len(test.got)-20000):])
			}
		})
	}
}

// Verify that a strict service has a component of its own for a union with strict objects in it, and
// that the comment of an alternative is its description.
func TestByTypeComponents(t *testing.T) {
	schemas := func(s *svc.Service) map[string]json.RawMessage {
		r, w := httptest.NewRequest("GET", "/?openapi=3.1", nil), httptest.NewRecorder()
		s.OpenAPI().ServeHTTP(w, r)
		var d struct {
			Components struct{ Schemas map[string]json.RawMessage }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		return d.Components.Schemas
	}
	strict, commented := byOptions(), byOptions()
	strict.Resource, strict.Strict = "letters", true
	commented.Comments = svc.ReadComments(fstest.MapFS{"a.go": {Data: []byte(`package blackbox_test

type ByTypeAPI interface {
	// Create keeps a message.
	Create()
}

// A byTree has leaves.
type byTree struct {
	// Leaf is a number.
	Leaf *int32
	// Kids are more of them.
	Kids []byTree
}
`)}})
	both := schemas(svc.Join("both", byService(), svc.MustRegister[ByTypeAPI](byImpl{}, strict)))
	for _, test := range []struct{ name, got, want string }{
		{"open", string(both["byContent"]), `"items":{"$ref":"#/components/schemas/byPart"}`},
		{"strict", string(both["byContentStrict"]), `"items":{"$ref":"#/components/schemas/byPartStrict"}`},
		{"a member of a strict object", string(both["byMessageStrict"]), `"content":{"$ref":"#/components/schemas/byContentStrict"}`},
		{"comments", string(schemas(svc.MustRegister[ByTypeAPI](byImpl{}, commented))["byTree"]), `{"anyOf":[{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647,"description":"Leaf is a number."},{"type":"array","items":{"$ref":"#/components/schemas/byTree"},"maxItems":3,"description":"Kids are more of them."},`},
		{"the comment of the type", string(schemas(svc.MustRegister[ByTypeAPI](byImpl{}, commented))["byTree"]), `"description":"A byTree has leaves."}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("%s\nis not in\n%s", test.want, test.got)
			}
		})
	}
}
