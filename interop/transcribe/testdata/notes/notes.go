// Package notes is the API "Notes API" as Go interfaces, written by transcribe from its OpenAPI
// document. Change it as you like.
package notes

import (
	"context"
	"time"

	"example.com/svc"
)

// Notes that people share.
//   - They have colors.
//   - They have photos.
type NotesAPI interface {
	// Search by text.
	Search(ctx context.Context, in *SearchIn) (*Notes, error)

	// Edit a note.
	//
	// Members that are absent stay.
	Edit(ctx context.Context, in *EditIn) (*EditOut, error)
	Watch(ctx context.Context) (svc.Stream[Note], error)
	Chat(ctx context.Context, in *ChatIn) (*svc.ValueOrStream[Note, ChatEvent], error)
	SetPhoto(ctx context.Context, in *SetPhotoIn) error
	GetPhoto(ctx context.Context, in *GetPhotoIn) (*GetPhotoOut, error)
}

var methods = map[string]svc.MethodOptions{
	"Search":   {HTTP: "QUERY /notes", OperationID: "searchNotes"},
	"Edit":     {HTTP: "PATCH /notes/{id}", Errors: []*svc.Error{errThereIsNoSuchNote}, OperationID: "editNote"},
	"Watch":    {HTTP: "GET /notes/events", OperationID: "watchNotes"},
	"Chat":     {HTTP: "POST /chat", OperationID: "chat"},
	"SetPhoto": {HTTP: "PUT /notes/{id}/photo", OperationID: "setPhoto"},
	"GetPhoto": {HTTP: "GET /notes/{id}/photo", OperationID: "getPhoto"},
}

type SearchIn struct {
	Text  string `json:"text" maxLength:"80"`
	Limit int    `json:"limit" default:"20" minimum:"1" maximum:"100"`
}

// A note on the board.
type Note struct {
	ID      int       `json:"id" example:"7"`
	Text    string    `json:"text"`
	Color   Color     `json:"color,omitempty"`
	Level   *Level    `json:"level,omitempty" nullable:"false"`
	Author  *string   `json:"author,omitempty"`
	Created time.Time `json:"created"`
}

// What a note looks like.
type Color string

const (
	ColorRed       Color = "red"
	ColorLightBlue Color = "light-blue"
)

// Enum returns the only values.
func (Color) Enum() []Color {
	return []Color{ColorRed, ColorLightBlue}
}

type Level int

const (
	LevelLow  Level = 1 // can wait
	LevelHigh Level = 2
)

// Enum returns the only values.
func (Level) Enum() []Level {
	return []Level{LevelLow, LevelHigh}
}

type Notes []Note

type NoteEdit struct {
	Text   string               `json:"text,omitempty" minLength:"1" maxLength:"80"`
	Author svc.Optional[string] `json:"author,omitzero"` // null takes the author away
}

type EditIn struct {
	ID int `json:"id" minimum:"1"`
	NoteEdit
}

type EditOut struct {
	ETag string `json:"-" header:"ETag"`
	Note
}

type ChatContent struct {
	svc.ByType
	Text *string
	List []Part
}

type Part struct {
	Type  string     `json:"type" discriminator:"true"`
	Text  *TextPart  `variant:"text"`
	Image *ImagePart `variant:"image"`
}

type TextPart struct {
	Text string `json:"text"`
}

type ImagePart struct {
	URL string `json:"url" format:"uri"`
}

type ChatIn struct {
	Stream  *bool       `json:"stream,omitempty" nullable:"false"`
	Content ChatContent `json:"content"`
}

type ChatEvent struct {
	Word string `json:"word,omitempty"`
}

type SetPhotoIn struct {
	ID   int      `json:"id" minimum:"1"`
	Body svc.Body `contentType:"image/png,image/jpeg"`
}

type GetPhotoIn struct {
	ID int `json:"id" minimum:"1"`
}

type GetPhotoOut struct {
	svc.File `contentType:"image/png,image/jpeg"`
}
