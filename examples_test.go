package svc

import (
	"reflect"
	"testing"
)

// Verify which example readers see: the order of the makers, and that what the rules refuse is no
// example.
func TestExamplesInOrder(t *testing.T) {
	for _, test := range []struct {
		name string
		in   any
		want string
	}{
		{"the tag", struct {
			A string `json:"a" example:"x" enum:"x,y" default:"y"`
		}{}, `{"a":"x"}`},
		{"a format", struct {
			City string `json:"city" format:"date"`
		}{}, `{"city":"2026-01-02"}`},
		{"a name", struct {
			City string `json:"homeCity"`
			ID   string `json:"todo_id"`
		}{}, `{"homeCity":"London","todo_id":"1"}`},
		{"the middle", struct {
			N int     `json:"n" minimum:"10" maximum:"15"`
			F float64 `json:"f" minimum:"0" maximum:"1" multipleOf:"0.25"`
		}{}, `{"n":12,"f":0.5}`},
		{"a pattern", struct {
			A string `json:"a" pattern:"^[a-z]{3}$"`
		}{}, `{"a":"abc"}`},
		{"a pattern that no text here has", struct {
			A string `json:"a" pattern:"^q{7}$"`
		}{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newShapes(new(mistakes))
			s := c.shapeFor(reflect.TypeOf(test.in), "in")
			c.finishShapes()
			if got := string(exampleBody(s)); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
