package svc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"

	"example.com/svc"
)

// How are unions and files written, and values stored?

// Payment is one of three things.
type Payment struct {
	Type string    `json:"type" discriminator:"true"` // which alternative it is
	ID   string    `json:"id"`                        // every alternative has it
	Card *Card     `variant:"card"`
	IBAN *IBAN     `variant:"iban"`
	Cash *struct{} `variant:"cash"` // has no fields of its own
}

type Card struct {
	Number string `json:"number" pattern:"^[0-9]{4,19}$"`
}

type IBAN struct {
	IBAN string `json:"iban" minLength:"15"`
	Name string `json:"name,omitempty"`
}

type PaymentAPI interface {
	Pay(ctx context.Context, in *PayOrder) (*Receipt, error)
	Get(ctx context.Context, in *OrderID) (*Payment, error)
}

type (
	PayOrder struct {
		Payment Payment `json:"payment"`
	}
	Receipt struct {
		PaidBy string `json:"paidBy"`
	}
	OrderID struct {
		ID string `json:"id"`
	}
)

type payments struct{}

func (payments) Pay(_ context.Context, in *PayOrder) (*Receipt, error) {
	switch {
	case in.Payment.Card != nil:
		return &Receipt{"card " + in.Payment.Card.Number}, nil
	case in.Payment.IBAN != nil:
		return &Receipt{"account " + in.Payment.IBAN.IBAN}, nil
	}
	return &Receipt{"cash"}, nil
}

func (payments) Get(_ context.Context, in *OrderID) (*Payment, error) {
	return &Payment{ID: in.ID, IBAN: &IBAN{IBAN: "DE02120300000000202051"}}, nil
}

// A codec writes unions for a database.
func ExampleNewCodec() {
	store := func() error {
		codec := svc.NewCodec[Payment]() // once: it panics with the mistakes in Payment
		row, err := codec.Encode(&Payment{ID: "7", Card: &Card{Number: "42"}})
		if err != nil {
			return err
		}
		stored, err := codec.Decode(row)
		if err != nil {
			return err
		}
		return codec.Check(stored) // the number is too short
	}
	fmt.Println(store())

	// Output:
	// INVALID_ARGUMENT: invalid input: /number must match the pattern ^[0-9]{4,19}$
}

// A struct with a discriminator is one of several alternatives.
func Example_union() {
	api := svc.MustRegister[PaymentAPI](payments{}, &svc.Options{Resource: "payments"}).REST()
	try(api, "POST", "/payments/pay", `{"payment":{"type":"card","id":"7","number":"4242"}}`)
	try(api, "POST", "/payments/pay", `{"payment":{"type":"cash","id":"7"}}`)
	try(api, "GET", "/payments/7", "")

	// Output:
	// 200 {"paidBy":"card 4242"}
	// 200 {"paidBy":"cash"}
	// 200 {"type":"iban","id":"7","iban":"DE02120300000000202051"}
}

// Content is a text or a list of parts.
type Content struct {
	svc.ByType
	Text  *string `maxLength:"4000"` // "hello"
	Parts []Part  `minItems:"1"`     // [{"type":"text","text":"hello"}]
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
	URL string `json:"url"`
}

type ChatAPI interface {
	Send(ctx context.Context, in *Message) (*Message, error)
}

type Message struct {
	Content Content `json:"content"`
}

type chat struct{}

// Send answers a text with parts, and parts with a text.
func (chat) Send(_ context.Context, in *Message) (*Message, error) {
	if in.Content.Text != nil {
		return &Message{Content{Parts: []Part{{Text: &TextPart{*in.Content.Text}}}}}, nil
	}
	count := fmt.Sprintf("%d parts", len(in.Content.Parts))
	return &Message{Content{Text: &count}}, nil
}

// A struct that embeds ByType is one of several JSON types.
func ExampleByType() {
	api := svc.MustRegister[ChatAPI](chat{}, &svc.Options{Resource: "chat", Logger: noLog}).REST()
	try(api, "POST", "/chat/send", `{"content":"hello"}`)
	try(api, "POST", "/chat/send", `{"content":[{"type":"text","text":"hello"},{"type":"image","url":"https://example.com/a.png"}]}`)
	try(api, "POST", "/chat/send", `{"content":7}`)

	// Output:
	// 200 {"content":[{"type":"text","text":"hello"}]}
	// 200 {"content":"2 parts"}
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /content must be a string or an array, is a number","details":{"violations":[{"in":"body","path":"/content","rule":"type","message":"must be a string or an array, is a number"}]}}}
}

// PhotoAPI takes and gives files, which are not JSON.
type PhotoAPI interface {
	SetPhoto(ctx context.Context, in *SetPhoto) error
	GetPhoto(ctx context.Context) (*svc.File, error)
}

type SetPhoto struct {
	Photo svc.Body `contentType:"image/png" maxBytes:"1048576"`
}

type photos struct{ photo []byte }

// SetPhoto keeps the old photo if the new one is cut or too large.
func (p *photos) SetPhoto(ctx context.Context, in *SetPhoto) error {
	photo, err := io.ReadAll(in.Photo)
	if err != nil {
		return err // 413, 408 or 400
	}
	p.photo = photo
	return nil
}

func (p *photos) GetPhoto(ctx context.Context) (*svc.File, error) {
	return &svc.File{Name: "photo.png", ContentType: "image/png", Content: bytes.NewReader(p.photo)}, nil
}

// A method reads a Body while it arrives, and returns a File.
func ExampleBody() {
	service := svc.MustRegister[PhotoAPI](&photos{}, &svc.Options{
		Resource: "photo",
		Methods: map[string]svc.MethodOptions{
			"SetPhoto": {HTTP: "PUT /photo"},
			"GetPhoto": {HTTP: "GET /photo"},
		},
	})
	r := httptest.NewRequest("PUT", "/photo", strings.NewReader("the picture"))
	r.Header.Set("Content-Type", "image/png")
	w := httptest.NewRecorder()
	service.REST().ServeHTTP(w, r)
	fmt.Println(w.Code)
	try(service.REST(), "GET", "/photo", "")

	// Output:
	// 204
	// 200 the picture
}
