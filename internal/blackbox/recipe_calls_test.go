package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// This file has the code of doc/failures.md and doc/questions.md.

// outcome says what to do after a call that creates a note.
func outcome(err error) string {
	switch {
	case err == nil:
		return "the note is there"
	case svc.MayHaveRun(err):
		return "the note may be there: look before you create it again"
	default:
		return "there is no note: correct the input, or try again"
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRecipeOutcome(t *testing.T) {
	service := svc.MustRegister[NoteAPI](&notes{}, noteOptions())
	answer := func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		service.REST().ServeHTTP(w, r)
		return w.Result(), nil
	}
	for _, test := range []struct {
		name, want string
		trip       tripper
	}{
		{"answer", "the note is there", answer},
		{"no connection", "there is no note", func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}},
		{"lost answer", "the note may be there", func(r *http.Request) (*http.Response, error) {
			if _, err := answer(r); err != nil {
				return nil, err
			}
			return nil, io.ErrUnexpectedEOF
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var client struct {
				Create func(ctx context.Context, in *CreateNote) (*SavedNote, error)
			}
			err := svc.Connect[NoteAPI](&client, "http://notes.example", &svc.ClientOptions{
				Service: noteOptions(), HTTPClient: &http.Client{Transport: test.trip}, Attempts: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Create(t.Context(), &CreateNote{Text: "Buy milk"})
			if got := outcome(err); !strings.HasPrefix(got, test.want) {
				t.Errorf("%v: %s, want %s", err, got, test.want)
			}
		})
	}
}

type TableAPI interface {
	Book(ctx context.Context, in *BookTable) (*Booking, error)
}

type BookTable struct {
	Restaurant string `json:"restaurant"`
}

type Booking struct {
	Restaurant string `json:"restaurant"`
	Guests     int    `json:"guests"`
}

type tables struct{}

// A Party is the form that the user fills in.
type Party struct {
	Guests int    `json:"guests" minimum:"1" maximum:"8"`
	Day    string `json:"day" format:"date"`
}

func (tables) Book(ctx context.Context, in *BookTable) (*Booking, error) {
	party, err := svc.Ask[Party](ctx, "party", "For how many guests, and on which day?")
	if err != nil {
		return nil, err // the question itself, or the reason why there is no answer
	}
	return &Booking{Restaurant: in.Restaurant, Guests: party.Guests}, nil // with an answer that fits the rules
}

func Example_ask() {
	service := svc.MustRegister[TableAPI](tables{}, &svc.Options{Resource: "tables", Logger: slog.New(slog.DiscardHandler)})
	call := `"name":"tables_book","arguments":{"restaurant":"Mario"}`
	for _, answer := range []string{"", `,"inputResponses":{"party":{"action":"accept","content":{"guests":4,"day":"2026-12-24"}}}`} {
		text := mcpPost(service.MCP(nil), mcpAsk(everyCapability, "tools/call", call+answer)).Body.String()
		fmt.Println(strings.Contains(text, "For how many guests"), strings.Contains(text, `"structuredContent":{"restaurant":"Mario","guests":4}`))
	}
	show(service.REST(), request("POST", "/tables/book", `{"restaurant":"Mario"}`))
	// Output:
	// true false
	// false true
	// 400 {"error":{"code":"FAILED_PRECONDITION","message":"not done, since this client cannot be asked; let the user do it elsewhere, or in a client that can ask. The question: For how many guests, and on which day?","reason":"cannot_ask"}}
}
