package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"example.com/svc"
)

// This file has a service whose types write and read their own JSON and say by
// JSONSchema what that looks like, or list their values by Enum. For all other types the schema and the code
// are made from one plan; these have to keep a promise of their own, so here the
// validator and the type meet: what it writes must satisfy its schema, what the
// schema refuses it must refuse, and what the schema takes it must take.

type customAPI interface {
	EchoCustom(context.Context, *customTypes) (*customTypes, error)
	EchoLists(context.Context, *customLists) (*customLists, error)
	EchoEnums(context.Context, *enums) (*enums, error)
	EchoItems(context.Context, *items) (*items, error)
	FindEnums(context.Context, *enumParams) (*enumFound, error)
}

type customImpl struct{}

func (customImpl) EchoCustom(_ context.Context, in *customTypes) (*customTypes, error) {
	return in, nil
}
func (customImpl) EchoLists(_ context.Context, in *customLists) (*customLists, error) {
	return in, nil
}

func (customImpl) EchoEnums(_ context.Context, in *enums) (*enums, error) { return in, nil }
func (customImpl) EchoItems(_ context.Context, in *items) (*items, error) { return in, nil }
func (customImpl) FindEnums(_ context.Context, in *enumParams) (*enumFound, error) {
	return &enumFound{in.Grade, in.Color, in.Color, append(in.Many, in.One)}, nil
}

// newCustom returns the service of customAPI.
func newCustom() *svc.Service {
	return svc.MustRegister[customAPI](customImpl{}, &svc.Options{
		Name:     "Custom",
		Resource: "customs",
		Strict:   true,
		Methods:  map[string]svc.MethodOptions{"FindEnums": {HTTP: "GET /customs/enums/{grade}/{color}/{mood}"}},
		Logger:   slog.New(slog.DiscardHandler),
	})
}

// customTypes has each type as a member of every kind.
type customTypes struct {
	Ticket ticket  `json:"ticket"`
	Level  level   `json:"level"`
	Span   span    `json:"span"`
	Maybe  *ticket `json:"maybe"`
	Absent *span   `json:"absent,omitempty"`
	Either either  `json:"either"`
	Word   word    `json:"word"`
	Spoken *word   `json:"spoken"`
}

// customLists has them in lists and maps.
type customLists struct {
	Tickets []ticket         `json:"tickets" maxItems:"3"`
	Spans   []*span          `json:"spans,omitempty"`
	Levels  map[string]level `json:"levels"`
	Words   []word           `json:"words,omitempty" maxItems:"4"`
	Said    map[string]*word `json:"said,omitempty"`
}

// enums has types with a method Enum in every place where a body has a value. The
// schema is svc's own here.
type enums struct {
	Color   color                `json:"color" default:"red"`
	Warm    color                `json:"warm" enum:"red"`
	Short   *color               `json:"short,omitempty" maxLength:"4"`
	Maybe   *grade               `json:"maybe"`
	Opt     svc.Optional[color]  `json:"opt,omitzero"`
	Grades  []grade              `json:"grades" maxItems:"3" uniqueItems:"true"`
	Colors  [2]*color            `json:"colors"`
	Some    []color              `json:"some,omitempty" enum:"green,blue"`
	Moods   map[string]mood      `json:"moods"`
	Mood    mood                 `json:"mood"`
	ByColor map[color]int8       `json:"byColor"`
	ByGrade map[grade]*color     `json:"byGrade,omitempty"`
	ByMood  map[mood][]mood      `json:"byMood,omitempty"`
	OptList svc.Optional[[]mood] `json:"optList,omitzero" maxItems:"2"`
}

// enumParams has them in parameters.
type enumParams struct {
	Grade  grade    `json:"grade" path:"grade"`
	Color  color    `json:"color" path:"color" enum:"red,blue"`
	Mood   mood     `json:"mood" path:"mood"`
	One    color    `json:"one" default:"green"`
	Two    *grade   `json:"two,omitempty" minimum:"1"`
	Many   []color  `json:"many" maxItems:"2"`
	Moods  []*mood  `json:"moods,omitempty"`
	Words  []string `json:"words,omitempty" minLength:"1" maxLength:"4" pattern:"^[^ ]*$"`
	Sizes  []int8   `json:"sizes,omitempty" minimum:"-5" exclusiveMaximum:"100"`
	Header grade    `json:"header,omitempty" header:"X-Grade,omitempty"`
	Hidden color    `json:"-" header:"X-Color,omitempty" enum:"red,blue"` // no header can have é
	Cookie mood     `json:"cookie,omitempty" cookie:"mood,omitempty"`
	Crumb  *color   `json:"crumb,omitempty" cookie:"crumb,omitempty" enum:"red,blue" maxLength:"4"`
}

// enumFound has them in a body and in headers.
type enumFound struct {
	Grade  grade   `json:"grade"`
	Color  color   `json:"color" header:"X-Color" enum:"red,blue"`
	Hidden color   `json:"-" header:"X-Hidden" enum:"red,blue"`
	Colors []color `json:"colors"`
}

type (
	color string
	grade int16
	mood  uint8 // by its text, of which it reads more spellings than it has
)

func (color) Enum() []color  { return []color{"red", "green", "blue", "é"} }
func (*grade) Enum() []grade { return []grade{1, -1, 100, 32767} }
func (mood) Enum() []mood    { return []mood{0, 1} }

func (m mood) MarshalText() ([]byte, error) { return []byte([]string{"true", "ab"}[m]), nil }

func (m *mood) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "true":
		*m = 0
	case "ab":
		*m = 1
	default:
		return errNotThis
	}
	return nil
}

// items has lists of scalars with rules that are about their items.
type items struct {
	Words   []string               `json:"words" minItems:"1" maxItems:"4" minLength:"1" maxLength:"4" pattern:"^[^ ]*$"`
	Sizes   [2]int8                `json:"sizes" minimum:"-5" exclusiveMaximum:"100"`
	Odds    []*uint32              `json:"odds,omitempty" multipleOf:"3" maximum:"4000000000"`
	Shares  *[]float64             `json:"shares" exclusiveMinimum:"0" maximum:"1" multipleOf:"0.25"`
	Primes  []int64                `json:"primes,omitempty" enum:"2,3,5,9223372036854775807" uniqueItems:"true"`
	Mails   []string               `json:"mails,omitempty" format:"email" maxLength:"8"`
	OptList svc.Optional[[]string] `json:"optList,omitzero" maxItems:"2" enum:"a,b"`
}

var errNotThis = errors.New("is not in the form of the type")

// A ticket is a string with a pattern.
type ticket struct{ text string }

const ticketPattern = `^[A-Z]{2}-[0-9]+$`

func (t ticket) MarshalJSON() ([]byte, error) { return json.Marshal(t.text) }

func (t *ticket) UnmarshalJSON(text []byte) error {
	if len(text) == 0 || text[0] != '"' || json.Unmarshal(text, &t.text) != nil || !regexp.MustCompile(ticketPattern).MatchString(t.text) {
		return errNotThis
	}
	return nil
}

func (ticket) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": ticketPattern}
}

// A word is a string by its text methods, with a pattern and a length.
type word struct{ text string }

const wordPattern = `^[a-z]*$`

func (w word) MarshalText() ([]byte, error) { return []byte(w.text), nil }

func (w *word) UnmarshalText(text []byte) error {
	if len(text) < 2 || len(text) > 5 || !regexp.MustCompile(wordPattern).Match(text) {
		return errNotThis
	}
	w.text = string(text)
	return nil
}

func (word) JSONSchema() map[string]any {
	return map[string]any{
		"allOf": []any{map[string]any{"type": "string", "pattern": wordPattern, "minLength": 2}},
		"type":  "string", "maxLength": 5,
	}
}

// A level is a number in Go and one of three words in JSON.
type level int

var levels = []string{"red", "green", "blue"}

func (l level) MarshalJSON() ([]byte, error) { return json.Marshal(levels[l]) }

func (l *level) UnmarshalJSON(text []byte) error {
	var word string
	if json.Unmarshal(text, &word) != nil || !slices.Contains(levels, word) {
		return errNotThis
	}
	*l = level(slices.Index(levels, word))
	return nil
}

func (level) JSONSchema() map[string]any { return map[string]any{"type": "string", "enum": levels} }

// A span is an object with two members and no other.
type span struct{ from, to uint8 }

func (s span) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"from":%d,"to":%d}`, s.from, s.to), nil
}

func (s *span) UnmarshalJSON(text []byte) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || len(members) != 2 {
		return errNotThis
	}
	for name, end := range map[string]*uint8{"from": &s.from, "to": &s.to} {
		value, ok := members[name]
		r, isNumber := new(big.Rat).SetString(string(value))
		if !ok || value[0] == '"' || !isNumber || !r.IsInt() || r.Sign() < 0 || r.Cmp(big.NewRat(255, 1)) > 0 {
			return errNotThis
		}
		*end = uint8(r.Num().Uint64())
	}
	return nil
}

func (span) JSONSchema() map[string]any {
	end := map[string]any{"type": "integer", "minimum": 0, "maximum": 255}
	return map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"from": end, "to": end},
		"required":             []string{"from", "to"},
		"additionalProperties": false,
	}
}

// An either is a boolean or null.
type either struct{ yes, known bool }

func (e either) MarshalJSON() ([]byte, error) {
	if !e.known {
		return []byte("null"), nil
	}
	return json.Marshal(e.yes)
}

func (e *either) UnmarshalJSON(text []byte) error {
	text = bytes.TrimSpace(text)
	switch string(text) {
	case "null", "true", "false":
		*e = either{string(text) == "true", string(text) != "null"}
		return nil
	}
	return errNotThis
}

func (either) JSONSchema() map[string]any {
	return map[string]any{"enum": []any{nil, true, false}}
}
