// Huma sends the same requests to a program of huma and to the same program moved to svc, and
// compares the answers. The requests were written for the first; what differs is in differences.
//
// Usage:
//
//	go run .
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"

	"example.com/svc/interop/huma/after"
	"example.com/svc/interop/huma/before"
)

const (
	ada   = "/people/123e4567-e89b-42d3-a456-426614174000"
	bob   = "/people/223e4567-e89b-42d3-a456-426614174000"
	nobly = "/people/323e4567-e89b-42d3-a456-426614174000"
	form  = "multipart/form-data; boundary=b"
)

// A request is what a client of the first program sends.
type request struct {
	name, verb, path, contentType, body string
	anonymous                           bool
}

// part returns a part of a form: of a file, if it has a file name.
func part(name, file, contentType, content string) string {
	text := "--b\r\nContent-Disposition: form-data; name=\"" + name + "\""
	if file != "" {
		text += "; filename=\"" + file + "\"\r\nContent-Type: " + contentType
	}
	return text + "\r\n\r\n" + content + "\r\n"
}

const end, png = "--b--\r\n", "\x89PNG\r\n\x1a\n"

// requests are sent in this order.
var requests = []request{
	{name: "an empty list", verb: "GET", path: "/people"},
	{name: "a new person", verb: "PUT", path: ada, body: `{"name":"Ada","mail":"ada@example.com","born":"1815-12-10","site":"https://example.com/ada","role":"admin","tags":["math","engines"],"level":3}`},
	{name: "the same person again", verb: "PUT", path: ada, body: `{"name":"Ada","born":"1815-12-10","role":"admin","tags":["math"],"level":4}`},
	{name: "a person of defaults", verb: "PUT", path: bob, body: `{"name":"Bob"}`},
	{name: "a person", verb: "GET", path: ada},
	{name: "a person who is not there", verb: "GET", path: nobly},
	{name: "an id that is no UUID", verb: "GET", path: "/people/7"},
	{name: "HEAD", verb: "HEAD", path: ada},
	{name: "all people", verb: "GET", path: "/people"},
	{name: "people by a tag", verb: "GET", path: "/people?tags=math"},
	{name: "people by two tags", verb: "GET", path: "/people?tags=math&tags=engines"},
	{name: "people by role", verb: "GET", path: "/people?role=member"},
	{name: "people by a date", verb: "GET", path: "/people?before=1900-01-01"},
	{name: "one person", verb: "GET", path: "/people?limit=1"},
	{name: "a limit out of range", verb: "GET", path: "/people?limit=101"},
	{name: "a limit that is no number", verb: "GET", path: "/people?limit=x"},
	{name: "a role that is none", verb: "GET", path: "/people?role=boss"},
	{name: "a date that is none", verb: "GET", path: "/people?before=1900-02-30"},
	{name: "an unknown parameter", verb: "GET", path: "/people?color=red"},
	{name: "a person without a name", verb: "PUT", path: ada, body: `{}`},
	{name: "an empty name", verb: "PUT", path: ada, body: `{"name":""}`},
	{name: "a long name", verb: "PUT", path: ada, body: `{"name":"aaaaaaaaaaaaaaaaaaaaa"}`},
	{name: "a mail that is none", verb: "PUT", path: ada, body: `{"name":"A","mail":"a"}`},
	{name: "a date of no calendar", verb: "PUT", path: ada, body: `{"name":"A","born":"2023-02-29"}`},
	{name: "a URI that is none", verb: "PUT", path: ada, body: `{"name":"A","site":"::"}`},
	{name: "a mail of one label", verb: "PUT", path: bob, body: `{"name":"Bob","mail":"bob@localhost"}`},
	{name: "a relative URI", verb: "PUT", path: bob, body: `{"name":"Bob","site":"/bob"}`},
	{name: "an enum", verb: "PUT", path: ada, body: `{"name":"A","role":"boss"}`},
	{name: "the same tag twice", verb: "PUT", path: ada, body: `{"name":"A","tags":["a","a"]}`},
	{name: "too many tags", verb: "PUT", path: ada, body: `{"name":"A","tags":["a","b","c","d"]}`},
	{name: "two things wrong", verb: "PUT", path: ada, body: `{"name":"","level":10}`},
	{name: "a name of another type", verb: "PUT", path: ada, body: `{"name":1}`},
	{name: "a level that is no integer", verb: "PUT", path: ada, body: `{"name":"A","level":1.5}`},
	{name: "an unknown member", verb: "PUT", path: ada, body: `{"name":"A","color":"red"}`},
	{name: "null for a name", verb: "PUT", path: ada, body: `{"name":null}`},
	{name: "text that is no JSON", verb: "PUT", path: ada, body: `{"name"`},
	{name: "no body", verb: "PUT", path: ada},
	{name: "another Content-Type", verb: "PUT", path: ada, contentType: "text/plain", body: `{"name":"A"}`},
	{name: "a conflict", verb: "PUT", path: ada, body: `{"name":"taken"}`},
	{name: "no token", verb: "PUT", path: ada, body: `{"name":"A"}`, anonymous: true},
	{name: "no token, and a wrong body", verb: "PUT", path: ada, body: `{}`, anonymous: true},
	{name: "no token for a read", verb: "GET", path: ada, anonymous: true},
	{name: "a badge", verb: "POST", path: ada + "/badge", body: `{"color":"green","level":7}`},
	{name: "a badge that does not fit", verb: "POST", path: ada + "/badge", body: `{"color":"red","level":7}`},
	{name: "a badge of nobody", verb: "POST", path: nobly + "/badge", body: `{"color":"red","level":1}`},
	{name: "what the badge changed", verb: "GET", path: ada},
	{name: "a photo", verb: "POST", path: ada + "/photo", contentType: form, body: part("caption", "", "", "me") + part("width", "", "", "80") + part("photo", "a.png", "image/png", png) + end},
	{name: "a photo without an optional field", verb: "POST", path: ada + "/photo", contentType: form, body: part("caption", "", "", "me") + part("photo", "ü.png", "image/png", png) + end},
	{name: "a photo before its fields", verb: "POST", path: ada + "/photo", contentType: form, body: part("photo", "a.png", "image/png", png) + part("caption", "", "", "me") + end},
	{name: "a photo of another type", verb: "POST", path: ada + "/photo", contentType: form, body: part("caption", "", "", "me") + part("photo", "a.txt", "text/plain", "x") + end},
	{name: "a form without its file", verb: "POST", path: ada + "/photo", contentType: form, body: part("caption", "", "", "me") + end},
	{name: "a form without a field", verb: "POST", path: ada + "/photo", contentType: form, body: part("photo", "a.png", "image/png", png) + end},
	{name: "a form with a long field", verb: "POST", path: ada + "/photo", contentType: form, body: part("caption", "", "", "aaaaaaaaaaa") + part("photo", "a.png", "image/png", png) + end},
	{name: "a form with a wrong number", verb: "POST", path: ada + "/photo", contentType: form, body: part("caption", "", "", "me") + part("width", "", "", "x") + part("photo", "a.png", "image/png", png) + end},
	{name: "a photo as JSON", verb: "POST", path: ada + "/photo", body: `{"caption":"me"}`},
	{name: "a photo without a token", verb: "POST", path: ada + "/photo", contentType: form, body: end, anonymous: true},
	{name: "the photo", verb: "GET", path: ada + "/photo"},
	{name: "no photo", verb: "GET", path: bob + "/photo"},
	{name: "a removal", verb: "DELETE", path: bob},
	{name: "a second removal", verb: "DELETE", path: bob},
	{name: "who is left", verb: "GET", path: "/people"},
	{name: "a member in another case", verb: "PUT", path: ada, body: `{"NAME":"A"}`},
}

// An answer is what of a response clients look at.
type answer struct {
	Status      int
	ContentType string
	ETag        string
	Challenge   string
	Body        any      // JSON, or the text; of an error its title and status
	Locations   []string // of an error, sorted
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("huma: ")
	theirs, ours := httptest.NewServer(before.New()), httptest.NewServer(after.New())
	defer theirs.Close()
	defer ours.Close()
	bad, same, shown := 0, 0, make(map[string]bool)
	for _, r := range requests {
		was, is := send(theirs.URL, r), send(ours.URL, r)
		known := differences[r.name]
		var found []string
		for i := range reflect.TypeFor[answer]().NumField() {
			x, y := reflect.ValueOf(was).Field(i).Interface(), reflect.ValueOf(is).Field(i).Interface()
			if !reflect.DeepEqual(x, y) {
				text := fmt.Sprintf("%s %v, was %v", reflect.TypeFor[answer]().Field(i).Name, y, x)
				if i >= 1 && i != 5 { // what follows from the status
					text = reflect.TypeFor[answer]().Field(i).Name
				}
				found = append(found, text)
			}
		}
		switch text := strings.Join(found, "; "); {
		case text == "" && known.what == "":
			same++
		case text == known.what:
			shown[known.why] = true
		default:
			bad++
			log.Printf("%s: got %q, listed %q", r.name, text, known.what)
		}
	}
	fmt.Printf("%d requests: %d get the same answer, %d a listed one\n", len(requests), same, len(requests)-same-bad)
	for _, why := range sortedKeys(shown) {
		fmt.Println("  on the wire:", why)
	}
	if bad += compareIDs(theirs.URL, ours.URL); bad > 0 {
		os.Exit(1)
	}
}

func sortedKeys(m map[string]bool) (list []string) {
	for key := range m {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// send sends r and returns the answer.
func send(url string, r request) answer {
	req, err := http.NewRequest(r.verb, url+r.path, strings.NewReader(r.body))
	if err != nil {
		log.Fatal(err)
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	} else if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if !r.anonymous {
		req.Header.Set("Authorization", "Bearer secret")
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	a := answer{Status: response.StatusCode, ETag: response.Header.Get("ETag"), Challenge: response.Header.Get("WWW-Authenticate")}
	a.ContentType, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if !strings.HasSuffix(a.ContentType, "json") {
		a.Body = string(text)
		return a
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&a.Body); err != nil && len(text) > 0 {
		log.Fatalf("%s: %v in %s", r.name, err, text)
	}
	if object, _ := a.Body.(map[string]any); a.Status >= 400 && object != nil {
		list, _ := object["errors"].([]any)
		for _, e := range list {
			a.Locations = append(a.Locations, fmt.Sprint(e.(map[string]any)["location"]))
		}
		slices.Sort(a.Locations)
		a.Body = fmt.Sprint(object["title"], " ", object["status"])
	}
	return a
}

// compareIDs compares the operationIds of both documents, by which generated clients call.
func compareIDs(theirs, ours string) (bad int) {
	ids := func(url string) map[string]bool {
		response, err := http.Get(url + "/openapi.json")
		if err != nil {
			log.Fatal(err)
		}
		defer response.Body.Close()
		var document struct {
			Paths map[string]map[string]struct{ OperationID string }
		}
		if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
			log.Fatal(err)
		}
		list := make(map[string]bool)
		for path, item := range document.Paths {
			for verb, o := range item {
				list[verb+" "+path+" "+o.OperationID] = true
			}
		}
		return list
	}
	if was, is := ids(theirs), ids(ours); len(was) == 0 || !reflect.DeepEqual(was, is) {
		log.Printf("the operations are %v, were %v", sortedKeys(is), sortedKeys(was))
		return 1
	}
	return 0
}
