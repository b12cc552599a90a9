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

	"example.com/svc"
)

// This file has a service whose types write and read their own JSON and say by
// JSONSchema what that looks like. For all other types the schema and the code
// are made from one plan; these have to keep a promise of their own, so here the
// validator and the type meet: what it writes must satisfy its schema, what the
// schema refuses it must refuse, and what the schema takes it must take.

type customAPI interface {
	EchoCustom(context.Context, *customTypes) (*customTypes, error)
	EchoLists(context.Context, *customLists) (*customLists, error)
}

type customImpl struct{}

func (customImpl) EchoCustom(_ context.Context, in *customTypes) (*customTypes, error) {
	return in, nil
}
func (customImpl) EchoLists(_ context.Context, in *customLists) (*customLists, error) {
	return in, nil
}

// newCustom returns the service of customAPI.
func newCustom() *svc.Service {
	return svc.MustRegister[customAPI](customImpl{}, &svc.Options{
		Name:     "Custom",
		Resource: "customs",
		Strict:   true,
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
		"$defs": map[string]any{"word": map[string]any{"type": "string", "pattern": wordPattern, "minLength": 2}},
		"$ref":  "#/$defs/word", "type": "string", "maxLength": 5,
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
