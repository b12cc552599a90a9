package main

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"
)

// These types are as sqlc generates them from a table and an enum, with emit_json_tags and
// emit_db_tags: for pgx/v5, and for database/sql.

// A Mood is an enum of the database.
type Mood string

// A NullMood is a Mood or NULL.
type NullMood struct {
	Mood  Mood `json:"mood"`
	Valid bool `json:"valid"`
}

// Scan reads a value of the database.
func (m *NullMood) Scan(value any) error {
	text, ok := value.(string)
	m.Mood, m.Valid = Mood(text), ok
	return nil
}

// Value returns the value for the database.
func (m NullMood) Value() (driver.Value, error) {
	if !m.Valid {
		return nil, nil
	}
	return string(m.Mood), nil
}

// A PgxAuthor is a row by pgx/v5.
type PgxAuthor struct {
	ID      int64              `db:"id" json:"id"`
	Name    string             `db:"name" json:"name"`
	Bio     pgtype.Text        `db:"bio" json:"bio"`
	Rate    pgtype.Numeric     `db:"rate" json:"rate"`
	Created pgtype.Timestamptz `db:"created" json:"created"`
	Ref     pgtype.UUID        `db:"ref" json:"ref"`
	Mood    Mood               `db:"mood" json:"mood"`
	Tags    []string           `db:"tags" json:"tags"`
	Extra   json.RawMessage    `db:"extra" json:"extra"`
}

// An SQLAuthor is a row by database/sql.
type SQLAuthor struct {
	ID   int64          `db:"id" json:"id"`
	Bio  sql.NullString `db:"bio" json:"bio"`
	Age  sql.NullInt32  `db:"age" json:"age"`
	Mood NullMood       `db:"mood" json:"mood"`
}

// An AuthorView is the SQLAuthor that the texts of its mistakes lead to.
type AuthorView struct {
	ID   int64   `json:"id"`
	Bio  *string `json:"bio"`
	Age  *int32  `json:"age"`
	Mood *Mood   `json:"mood"`
}

// Money embeds the type of another module, to give it a schema.
type Money struct{ decimal.Decimal }

// JSONSchema returns the schema of the JSON that a Decimal writes.
func (Money) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": `^-?[0-9]+(\.[0-9]+)?$`}
}

// A Span embeds the type of another module, to give it a form.
type Span struct{ pgtype.Interval }

// MarshalText writes the days of s.
func (s Span) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "P%dD", s.Days), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Span) UnmarshalText(text []byte) error {
	s.Valid = true
	_, err := fmt.Sscanf(string(text), "P%dD", &s.Days)
	return err
}

// An Interval is the struct that the text for pgtype.Interval leads to.
type Interval struct {
	Microseconds int64 `json:"microseconds"`
	Days         int32 `json:"days"`
	Months       int32 `json:"months"`
}
