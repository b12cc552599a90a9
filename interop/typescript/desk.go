package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/svc"
)

// This file has the service with which most of the table is about: each way to answer and to
// fail, keys, pages, streams, a union and files.

//go:embed *.go
var source embed.FS

// Tickets, and each way in which a call can end.
type DeskAPI interface {
	// Write a ticket.
	Create(ctx context.Context, in *NewTicket) (*Ticket, error)
	Get(ctx context.Context, in *TicketID) (*Ticket, error)
	// List tickets by pages with numbers.
	List(ctx context.Context, in *ListTickets) (*svc.PageResponse[Ticket], error)
	// Read tickets by cursors.
	Feed(ctx context.Context, in *FeedTickets) (*svc.CursorResponse[Ticket], error)
	Update(ctx context.Context, in *UpdateTicket) (*Ticket, error)
	Patch(ctx context.Context, in *PatchTicket) (*Ticket, error)
	Delete(ctx context.Context, in *DeleteTicket) error
	// Search by a body.
	Search(ctx context.Context, in *Search) (*Found, error)
	// Pay for a ticket.
	Pay(ctx context.Context, in *Payment) (*Paid, error)
	// Fail as the input says.
	Fail(ctx context.Context, in *Failure) error
	// Count to a number, with ids.
	Watch(ctx context.Context, in *Watch) (svc.Stream[Tick], error)
	// Count to a number without ids, and then fail as the input says.
	Tail(ctx context.Context, in *Tail) (svc.Stream[Line], error)
	Attach(ctx context.Context, in *Attach) (*Attached, error)
	Attachment(ctx context.Context, in *TicketID) (*svc.File, error)
	// Make a thing of a name, once for each key.
	Make(ctx context.Context, in *Thing) (*Made, error)
	// Add one to the number of a name, without a key.
	Add(ctx context.Context, in *Thing) (*Made, error)
	// Say how often Make and Add ran for a name.
	Made(ctx context.Context, in *Thing) (*Made, error)
}

type (
	NewTicket struct {
		Title  string            `json:"title" minLength:"1" maxLength:"20" example:"Broken lamp"`
		Mood   Mood              `json:"mood,omitempty" default:"calm"`
		Labels []string          `json:"labels,omitempty" maxItems:"3" uniqueItems:"true" pattern:"^[a-z]+$"`
		Facts  map[string]string `json:"facts,omitempty"`
		Weight *float64          `json:"weight,omitempty" exclusiveMinimum:"0" maximum:"99.5"`
		Guest  *Guest            `json:"guest,omitempty"`
	}
	// A Guest is who asked.
	Guest struct {
		Name  string `json:"name" minLength:"1" maxLength:"40"`
		Email string `json:"email" pattern:"^[^@]+@[^@]+$" patternHint:"an address such as ada@example.com"`
	}
	Ticket struct {
		ID       int64             `json:"id"`
		Title    string            `json:"title"`
		Mood     Mood              `json:"mood"`
		Labels   []string          `json:"labels"`
		Facts    map[string]string `json:"facts"`
		Weight   *float64          `json:"weight"`
		Guest    *Guest            `json:"guest,omitempty"`
		ETag     string            `json:"-" header:"ETag"`
		Location string            `json:"-" header:"Location"`
	}
	TicketID struct {
		ID          int64  `json:"id" minimum:"1"`
		IfNoneMatch string `json:"-" header:"If-None-Match,omitempty"`
	}
	ListTickets struct {
		svc.PageQuery
		Moods []Mood `json:"mood,omitempty" maxItems:"2"`
	}
	FeedTickets  struct{ svc.CursorQuery }
	UpdateTicket struct {
		ID      int64  `json:"id"`
		Title   string `json:"title" minLength:"1" maxLength:"20"`
		IfMatch string `json:"-" header:"If-Match,omitempty"`
	}
	PatchTicket struct {
		ID     int64                  `json:"id"`
		Title  svc.Optional[string]   `json:"title,omitzero" nullable:"false" minLength:"1"`
		Labels svc.Optional[[]string] `json:"labels,omitzero"`
		Weight svc.Optional[float64]  `json:"weight,omitzero"`
	}
	DeleteTicket struct {
		ID int64 `json:"id"`
	}
	Search struct {
		Words []string `json:"words" minItems:"1"`
		Page  int      `json:"page,omitempty" minimum:"1"`
	}
	Found struct {
		Data  []Ticket `json:"data"`
		Words []string `json:"words"`
	}
	// A Payment is paid in one of several ways.
	Payment struct {
		ID  int64 `json:"id" path:"id"`
		How How   `json:"how"`
	}
	How struct {
		Kind  string    `json:"kind" discriminator:"true"`
		Cents int32     `json:"cents" minimum:"1"`
		Card  *Card     `variant:"card"`
		IBAN  *IBAN     `variant:"iban"`
		Cash  *struct{} `variant:"cash"`
	}
	Card struct {
		Number string `json:"number" pattern:"^[0-9]{4,19}$"`
	}
	IBAN struct {
		IBAN   string `json:"iban" minLength:"5"`
		Holder string `json:"holder,omitempty"`
	}
	Paid struct {
		By   How    `json:"by"`
		Kind string `json:"kind"`
	}
	Failure struct {
		Code       string `json:"code" enum:"NOT_FOUND,ALREADY_EXISTS,FAILED_PRECONDITION,ABORTED,PERMISSION_DENIED,UNAUTHENTICATED,RESOURCE_EXHAUSTED,DEADLINE_EXCEEDED,INTERNAL,UNKNOWN,UNIMPLEMENTED,OUT_OF_RANGE,DATA_LOSS,CANCELED,UNAVAILABLE,INVALID_ARGUMENT"`
		Reason     string `json:"reason,omitempty" pattern:"^[a-z_]+$"`
		Message    string `json:"message,omitempty"`
		Status     int    `json:"status,omitempty"`
		RetryAfter int    `json:"retryAfter,omitempty"`
		Detail     string `json:"detail,omitempty"`
		Place      string `json:"place,omitempty"` // of a violation that the method finds
	}
	Watch struct {
		After int `json:"after,omitempty" header:"Last-Event-ID" minimum:"0"`
		To    int `json:"to"`
	}
	Tick struct {
		N    int    `json:"n"`
		Text string `json:"text"`
	}
	Tail struct {
		To   int    `json:"to"`
		Code string `json:"code,omitempty"`
	}
	Line struct {
		N    int    `json:"n"`
		Text string `json:"text"`
	}
	Attach struct {
		ID    int64    `json:"id"`
		Note  string   `json:"note,omitempty" query:"note"`
		Photo svc.Body `contentType:"image/png,image/jpeg" maxBytes:"2147483648"`
	}
	Attached struct {
		Bytes int64  `json:"bytes"`
		Type  string `json:"type"`
		Note  string `json:"note"`
		Start string `json:"start"`
	}
	Thing struct {
		Name string `json:"name" minLength:"1"`
	}
	Made struct {
		Times int64 `json:"times"`
	}
	// A Mood is how a ticket is meant.
	Mood string
)

func (Mood) Enum() []Mood { return []Mood{"calm", "wild"} }

// SSE gives each tick its place.
func (t *Tick) SSE() svc.Event { return svc.Event{ID: strconv.Itoa(t.N)} }

var (
	errNoTicket = svc.Errorf(svc.CodeNotFound, "there is no such ticket").WithReason("no_ticket")
	errSame     = svc.Errorf(svc.CodeAlreadyExists, "there is a ticket of this title").WithReason("same_title")
	errChanged  = svc.Errorf(svc.CodeFailedPrecondition, "the ticket has changed").WithReason("ticket_changed").WithStatus(http.StatusPreconditionFailed).WithHeader("ETag", `"1"`)
	errBroke    = svc.Errorf(svc.CodeFailedPrecondition, "no money is there").WithReason("broke")
)

// A desk implements DeskAPI.
type desk struct {
	mu      sync.Mutex // protects the fields below
	tickets []Ticket
	made    map[string]int64
	records map[string][]byte
	largest uint64 // resident memory in bytes after an attachment
}

func deskOptions(d *desk) *svc.Options {
	o := &svc.Options{
		Name: "Desk", Resource: "tickets", Comments: svc.ReadComments(source), Logger: quiet,
		Methods: map[string]svc.MethodOptions{
			"Create":     {Status: 201, Errors: []*svc.Error{errSame}},
			"Get":        {Errors: []*svc.Error{errNoTicket}},
			"Feed":       {HTTP: "GET /tickets/feed"},
			"Update":     {Errors: []*svc.Error{errNoTicket, errChanged}},
			"Patch":      {Errors: []*svc.Error{errNoTicket}},
			"Delete":     {Errors: []*svc.Error{errNoTicket}},
			"Search":     {HTTP: "QUERY /tickets"},
			"Pay":        {HTTP: "POST /tickets/{id}/pay", Errors: []*svc.Error{errBroke}},
			"Fail":       {HTTP: "POST /tickets/fail"},
			"Watch":      {HTTP: "GET /tickets/watch"},
			"Tail":       {HTTP: "GET /tickets/tail"},
			"Attach":     {HTTP: "PUT /tickets/{id}/photo"},
			"Attachment": {HTTP: "GET /tickets/{id}/photo", Errors: []*svc.Error{errNoTicket}},
			"Make":       {Resource: "things-x", HTTP: "POST /things", IdempotencyKey: svc.KeyAllowed},
			"Add":        {Resource: "things-x", HTTP: "POST /things/add"},
			"Made":       {Resource: "things-x", HTTP: "GET /things/made"},
		},
	}
	if d != nil {
		o.Idempotency = &svc.Idempotency{Run: d.once}
	}
	return o
}

func newDesk() *desk { return &desk{made: make(map[string]int64), records: make(map[string][]byte)} }

// once is a store of records in memory.
func (d *desk) once(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if record, ok := d.records[id]; ok {
		return record, nil
	}
	record, err := do(ctx)
	if err == nil {
		d.records[id] = record
	}
	return record, err
}

// reset forgets everything, so that each client meets the same desk.
func (d *desk) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tickets, d.made, d.records = nil, make(map[string]int64), make(map[string][]byte)
}

func tag(t *Ticket) string { return fmt.Sprintf(`"%d-%s-%d"`, t.ID, t.Title, len(t.Labels)) }

func (d *desk) Create(_ context.Context, in *NewTicket) (*Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.ContainsFunc(d.tickets, func(t Ticket) bool { return t.Title == in.Title }) {
		return nil, errSame
	}
	t := Ticket{ID: int64(len(d.tickets) + 1), Title: in.Title, Mood: in.Mood, Labels: in.Labels, Facts: in.Facts, Weight: in.Weight, Guest: in.Guest}
	d.tickets = append(d.tickets, t)
	t.ETag, t.Location = tag(&t), fmt.Sprint("/tickets/", t.ID)
	return &t, nil
}

// find returns a ticket. The lock must be held.
func (d *desk) find(id int64) (*Ticket, error) {
	if id < 1 || id > int64(len(d.tickets)) {
		return nil, errNoTicket
	}
	return &d.tickets[id-1], nil
}

// change calls edit with a ticket.
func (d *desk) change(id int64, edit func(*Ticket) error) (*Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.find(id)
	if err != nil {
		return nil, err
	}
	if err := edit(t); err != nil {
		return nil, err
	}
	out := *t
	out.ETag = tag(t)
	return &out, nil
}

func (d *desk) Get(_ context.Context, in *TicketID) (*Ticket, error) {
	return d.change(in.ID, func(*Ticket) error { return nil })
}

func (d *desk) List(_ context.Context, in *ListTickets) (*svc.PageResponse[Ticket], error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Clone(d.tickets)
	if in.Moods != nil {
		all = slices.DeleteFunc(all, func(t Ticket) bool { return !slices.Contains(in.Moods, t.Mood) })
	}
	req := in.PageRequest()
	from := min(req.Offset(), len(all))
	return svc.NewPage(all[from:min(from+req.Size(), len(all))], req, len(all)), nil
}

func (d *desk) Feed(_ context.Context, in *FeedTickets) (*svc.CursorResponse[Ticket], error) {
	after := int64(0)
	if in.Cursor != "" {
		if err := svc.DecodeCursor(in.Cursor, &after); err != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	rest := d.tickets[min(int(after), len(d.tickets)):]
	return svc.NewCursorPage(slices.Clone(rest[:min(in.Limit, len(rest))]), in.Limit, func(t Ticket) string {
		cursor, _ := svc.EncodeCursor(t.ID) // an int64 has JSON
		return cursor
	}), nil
}

func (d *desk) Update(_ context.Context, in *UpdateTicket) (*Ticket, error) {
	return d.change(in.ID, func(t *Ticket) error {
		if !svc.MatchesETag(in.IfMatch, tag(t)) {
			return errChanged.WithHeader("ETag", tag(t))
		}
		t.Title = in.Title
		return nil
	})
}

func (d *desk) Patch(_ context.Context, in *PatchTicket) (*Ticket, error) {
	return d.change(in.ID, func(t *Ticket) error {
		if in.Title.IsSet() {
			t.Title, _ = in.Title.Get()
		}
		if in.Labels.IsSet() {
			t.Labels, _ = in.Labels.Get()
		}
		if in.Weight.IsSet() {
			t.Weight = nil
			if w, ok := in.Weight.Get(); ok {
				t.Weight = &w
			}
		}
		return nil
	})
}

func (d *desk) Delete(_ context.Context, in *DeleteTicket) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.find(in.ID)
	if err == nil && in.ID == int64(len(d.tickets)) {
		d.tickets = d.tickets[:in.ID-1]
	}
	return err
}

func (d *desk) Search(_ context.Context, in *Search) (*Found, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := &Found{Words: in.Words, Data: []Ticket{}}
	for _, t := range d.tickets {
		if slices.ContainsFunc(in.Words, func(w string) bool { return strings.Contains(t.Title, w) }) {
			found.Data = append(found.Data, t)
		}
	}
	return found, nil
}

func (d *desk) Pay(_ context.Context, in *Payment) (*Paid, error) {
	if in.How.Cents > 1000 {
		return nil, errBroke.WithDetail("missing", in.How.Cents-1000)
	}
	return &Paid{By: in.How, Kind: in.How.Kind}, nil
}

func (d *desk) Fail(_ context.Context, in *Failure) error { return in.failure() }

// failure returns the error that f describes.
func (f *Failure) failure() error {
	e := svc.Errorf(svc.Code(f.Code), "%s", f.Message)
	if f.Reason != "" {
		e = e.WithReason(f.Reason)
	}
	if f.Status != 0 {
		e = e.WithStatus(f.Status)
	}
	if f.RetryAfter != 0 {
		e = e.WithHeader("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	if f.Detail != "" {
		e = e.WithDetail("more", f.Detail)
	}
	if f.Place != "" {
		e = e.WithDetail("violations", []svc.Violation{{Path: f.Place, Rule: "taste", Message: "is not to our taste"}})
	}
	return e
}

func (d *desk) Watch(ctx context.Context, in *Watch) (svc.Stream[Tick], error) {
	svc.StreamFrom(ctx, strconv.Itoa(in.After))
	return func(yield func(*Tick, error) bool) {
		for n := in.After + 1; n <= in.To && yield(&Tick{n, tickText(n)}, nil); n++ {
		}
	}, nil
}

// tickText is the text of an event, so that they have several lengths, lines and characters of
// several bytes.
func tickText(n int) string { return strings.Repeat("ü\r\n\u2028😀", n%17) }

func (d *desk) Tail(_ context.Context, in *Tail) (svc.Stream[Line], error) {
	return func(yield func(*Line, error) bool) {
		for n := 1; n <= in.To; n++ {
			if !yield(&Line{n, tickText(n)}, nil) {
				return
			}
		}
		if in.Code != "" {
			yield(nil, (&Failure{Code: in.Code, Reason: "tail_end", Message: "the end of the tail"}).failure())
		}
	}, nil
}

func (d *desk) Attach(_ context.Context, in *Attach) (*Attached, error) {
	start := make([]byte, 8)
	n, err := io.ReadFull(in.Photo, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	rest, err := io.Copy(io.Discard, in.Photo)
	if err != nil {
		return nil, err
	}
	memory := residentPeak()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.largest = max(d.largest, memory)
	return &Attached{int64(n) + rest, in.Photo.ContentType, in.Note, string(start[:n])}, nil
}

func (d *desk) Attachment(_ context.Context, in *TicketID) (*svc.File, error) {
	if in.ID == 404 {
		return nil, errNoTicket
	}
	return &svc.File{Name: "größe.txt", ContentType: "text/plain; charset=utf-8", Content: strings.NewReader("ticket " + strconv.FormatInt(in.ID, 10))}, nil
}

// Make counts under the lock of once.
func (d *desk) Make(_ context.Context, in *Thing) (*Made, error) {
	d.made[in.Name]++
	return &Made{d.made[in.Name]}, nil
}

func (d *desk) Add(_ context.Context, in *Thing) (*Made, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made[in.Name]++
	return &Made{d.made[in.Name]}, nil
}

func (d *desk) Made(_ context.Context, in *Thing) (*Made, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &Made{d.made[in.Name]}, nil
}
