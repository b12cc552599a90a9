package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"example.com/svc"
)

// FormAPI takes what browsers send for forms.
type FormAPI interface {
	Order(ctx context.Context, in *OrderForm) (*Ordered, error)
	Attach(ctx context.Context, in *AttachForm) (*Attached, error)
}

type OrderForm struct {
	Title string   `json:"title" minLength:"2"`
	Tags  []string `json:"tags,omitempty"`
	Count *int     `json:"count,omitempty" minimum:"1"`
	Gift  bool     `json:"gift,omitempty"`
	Big   int64    `json:"big,string,omitempty"`
}

// Ordered has what the method has read.
type Ordered struct {
	Title string   `json:"title"`
	Tags  []string `json:"tags"`
	Count *int     `json:"count"`
	Gift  bool     `json:"gift"`
	Big   int64    `json:"big,string"`
}

type AttachForm struct {
	Title string   `json:"title"`
	File  svc.Body `json:"file,omitempty" maxBytes:"2000000000" doc:"What to attach."`
}

type Attached struct {
	Title string `json:"title"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	Size  int64  `json:"size"`
	End   string `json:"end"`
}

type formService struct{}

func (formService) Order(_ context.Context, in *OrderForm) (*Ordered, error) {
	return &Ordered{in.Title, in.Tags, in.Count, in.Gift, in.Big}, nil
}

func (formService) Attach(_ context.Context, in *AttachForm) (*Attached, error) {
	out := &Attached{Title: in.Title, Name: in.File.FileName, Type: in.File.ContentType}
	block := make([]byte, 64<<10)
	for {
		n, err := in.File.Read(block)
		out.Size += int64(n)
		out.End = (out.End + string(block[max(0, n-3):n]))
		out.End = out.End[max(0, len(out.End)-3):]
		if err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// ownForms is a page without scripts. Each form goes to a method.
const ownForms = `<!doctype html><link rel="icon" href="data:,">
<form id="plain" method="post" action="order"><input name="title" value="Käse &amp; Brot"><input name="count" type="number">
<select name="tags" multiple><option selected>a b<option>c<option selected>ü+</select><input type="checkbox" name="gift" checked><button name="send" value="1">Send</button></form>
<form id="parts" method="post" action="order" enctype="multipart/form-data"><textarea name="title">two
lines</textarea><input name="count" value="3"><input type="checkbox" name="gift"><button>Send</button></form>
<form id="file" method="post" action="attach" enctype="multipart/form-data"><input name="title" value="t"><input type="file" name="file"><button>Send</button></form>
<form id="wrong" method="post" action="attach" enctype="multipart/form-data"><input type="file" name="file"><input name="title" value="t"><button>Send</button></form>`

// forms returns the page of a service with forms, and a page of its own beside it.
func forms() http.Handler {
	s := svc.MustRegister[FormAPI](formService{}, &svc.Options{Name: "Forms", Resource: "forms", Logger: quiet, Methods: map[string]svc.MethodOptions{
		"Order":  {Form: true, HTTP: "POST /order"},
		"Attach": {Form: true, HTTP: "POST /attach"},
	}})
	mux := http.NewServeMux()
	mux.HandleFunc("/own", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, ownForms)
	})
	mux.HandleFunc("/peak", func(w http.ResponseWriter, _ *http.Request) { // the most memory that the process has had, in KiB
		status, _ := os.ReadFile("/proc/self/status")
		_, text, _ := strings.Cut(string(status), "VmHWM:")
		var peak int
		fmt.Sscan(text, &peak)
		fmt.Fprint(w, peak)
	})
	mux.Handle("/", pages(s, all))
	return mux
}
