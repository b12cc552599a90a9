package main

import (
	"os"
	"reflect"
	"testing"
	"time"

	"example.com/svc"
)

// This file keeps a union in a column of the type jsonb, which is for values of svc.NewCodec.

// A target says where a bookmark leads: to a page or to a note.
type target struct {
	Kind string      `json:"kind" discriminator:"true"`
	Page *pageTarget `variant:"page"`
	Note *noteTarget `variant:"note"`
	At   time.Time   `json:"at"`
}

type pageTarget struct {
	URL  string   `json:"url" format:"uri"`
	Tags []string `json:"tags"`
}

type noteTarget struct {
	Text string `json:"text" maxLength:"80"`
	Size int64  `json:"size" default:"1"`
}

// Verify that PostgreSQL gives back what was stored, although it orders members and drops blanks,
// and that it can look into it.
func TestStoredUnion(t *testing.T) {
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		t.Skip("SKIPPED: set DATABASE_URL to a PostgreSQL database for tests")
	}
	p, err := openPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.pool.Close)
	codec := svc.NewCodec[target]()
	if _, err := p.pool.Exec(t.Context(), `create table if not exists targets (id int primary key, data jsonb not null); delete from targets`); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 23, 20, 0, 0, 123456789, time.UTC)
	for id, want := range []*target{
		{Kind: "page", Page: &pageTarget{URL: "https://example.com/ü?a=<b>", Tags: []string{"z", "a", ""}}, At: at},
		{Kind: "note", Note: &noteTarget{Text: "a\tb\\\"\u2028", Size: 9007199254740993}, At: at},
	} {
		text, err := codec.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.pool.Exec(t.Context(), "insert into targets values ($1, $2)", id, string(text)); err != nil {
			t.Fatal(err)
		}
		var kind string
		var stored []byte
		if err := p.pool.QueryRow(t.Context(), "select data->>'kind', data from targets where id = $1", id).Scan(&kind, &stored); err != nil {
			t.Fatal(err)
		}
		got, err := codec.Decode(stored)
		if err != nil || kind != want.Kind || !reflect.DeepEqual(got, want) {
			t.Errorf("%s became %s: %+v, %v", text, stored, got, err)
		}
	}
	// A row of an older release lacks a member that has a default by now.
	var old []byte
	if err := p.pool.QueryRow(t.Context(), `select '{"kind":"note","text":"a","at":"2026-11-23T20:00:00Z","gone":[1]}'::jsonb`).Scan(&old); err != nil {
		t.Fatal(err)
	}
	if got, err := codec.Decode(old); err != nil || got.Note == nil || got.Note.Size != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}
