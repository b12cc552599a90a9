package svc_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"example.com/svc"
)

// NoteAPI has the methods that clients can call. The first word of the name decides the
// route: POST /notes, GET /notes, GET /notes/{id}.
type NoteAPI interface {
	Create(ctx context.Context, in *CreateNote) (*Note, error)
	List(ctx context.Context, in *ListNotes) (*NoteList, error)
	Get(ctx context.Context, in *GetNote) (*Note, error)
}

type Note struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

type CreateNote struct {
	Text string `json:"text" minLength:"1" maxLength:"80"`
}

type ListNotes struct {
	Limit int `json:"limit" minimum:"1" maximum:"100" default:"20"`
}

type NoteList struct {
	Items []Note `json:"items"`
	Total int    `json:"total"`
}

type GetNote struct {
	ID int `json:"id"`
}

// notes implements NoteAPI. Its inputs have passed the checks in the tags.
type notes struct {
	mu   sync.Mutex
	list []Note
}

func (n *notes) Create(ctx context.Context, in *CreateNote) (*Note, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	note := Note{ID: len(n.list) + 1, Text: in.Text}
	n.list = append(n.list, note)
	return &note, nil
}

func (n *notes) List(ctx context.Context, in *ListNotes) (*NoteList, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	first := n.list[:min(in.Limit, len(n.list))]
	return &NoteList{Items: append([]Note(nil), first...), Total: len(n.list)}, nil
}

func (n *notes) Get(ctx context.Context, in *GetNote) (*Note, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if in.ID < 1 || in.ID > len(n.list) {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no note %d", in.ID)
	}
	note := n.list[in.ID-1]
	return &note, nil
}

// A complete service: an interface, its implementation, and a server.
func Example() {
	service, err := svc.Register[NoteAPI](&notes{}, &svc.Options{Resource: "notes"})
	if err != nil {
		fmt.Println(err) // all mistakes in the types, the tags and the options
		return
	}
	server := httptest.NewServer(service.REST()) // an http.Handler
	defer server.Close()

	for _, request := range []struct{ method, path, body string }{
		{"POST", "/notes", `{"text":"Call home"}`},
		{"POST", "/notes", `{"text":"Buy milk"}`},
		{"POST", "/notes", `{"text":""}`},
		{"GET", "/notes?limit=1", ""},
		{"GET", "/notes/2", ""},
		{"GET", "/notes/3", ""},
	} {
		r, err := http.NewRequest(request.method, server.URL+request.path, strings.NewReader(request.body))
		if err != nil {
			fmt.Println(err)
			return
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		fmt.Printf("%s %s: %d\n  %s\n", request.method, request.path, answer.StatusCode, body)
	}

	// Output:
	// POST /notes: 200
	//   {"id":1,"text":"Call home"}
	// POST /notes: 200
	//   {"id":2,"text":"Buy milk"}
	// POST /notes: 400
	//   {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /text must have at least 1 character","details":{"violations":[{"in":"body","path":"/text","rule":"minLength","message":"must have at least 1 character","limit":1,"empty":true}]}}}
	// GET /notes?limit=1: 200
	//   {"items":[{"id":1,"text":"Call home"}],"total":2}
	// GET /notes/2: 200
	//   {"id":2,"text":"Buy milk"}
	// GET /notes/3: 404
	//   {"error":{"code":"NOT_FOUND","message":"there is no note 3"}}
}
