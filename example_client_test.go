package svc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/svc"
)

// How is a service called from Go and TypeScript, and faked in a test?

// BookAPI is a service with eight methods. Its clients need only some of them.
type BookAPI interface {
	Create(ctx context.Context, in *Book) (*Book, error)
	List(ctx context.Context) (*Books, error)
	Get(ctx context.Context, in *BookID) (*Book, error)
	Update(ctx context.Context, in *Book) (*Book, error)
	Delete(ctx context.Context, in *BookID) error
	Lend(ctx context.Context, in *BookID) error
	Return(ctx context.Context, in *BookID) error
	Watch(ctx context.Context) (svc.Stream[Book], error)
}

type (
	BookID struct {
		ID string `json:"id" pattern:"^[a-z]+$"`
	}
	Book struct {
		ID    string `json:"id"`
		Title string `json:"title" minLength:"1"`
	}
	Books struct {
		Books []Book `json:"books"`
	}
)

// A library implements the methods that the examples call.
type library struct{ BookAPI }

func (library) Get(_ context.Context, in *BookID) (*Book, error) {
	if in.ID != "emma" {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no book %q", in.ID)
	}
	return &Book{ID: in.ID, Title: "Emma"}, nil
}

func (library) Watch(context.Context) (svc.Stream[Book], error) {
	return func(yield func(*Book, error) bool) {
		if yield(&Book{ID: "emma", Title: "Emma"}, nil) {
			yield(nil, svc.Errorf(svc.CodeUnavailable, "the library closes"))
		}
	}, nil
}

// bookOptions returns the options of the service, which its clients use too.
func bookOptions() *svc.Options { return &svc.Options{Resource: "books", Logger: noLog} }

// A client declares two of the eight methods and calls them over the network.
func ExampleConnect() {
	server := httptest.NewServer(svc.MustRegister[BookAPI](library{}, bookOptions()).REST())
	defer server.Close()

	var books struct {
		Get   func(ctx context.Context, in *BookID) (*Book, error)
		Watch func(ctx context.Context) (svc.Stream[Book], error)
	}
	if err := svc.Connect[BookAPI](&books, server.URL, &svc.ClientOptions{Service: bookOptions()}); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	book, err := books.Get(ctx, &BookID{ID: "emma"})
	fmt.Println(book.Title, err)
	_, err = books.Get(ctx, &BookID{ID: "dune"})
	fmt.Println(svc.CodeOf(err), err)
	_, err = books.Get(ctx, &BookID{ID: "Emma!"}) // is not sent
	fmt.Println(err)

	stream, err := books.Watch(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for book, err := range stream {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(book.Title)
	}
	// Output:
	// Emma <nil>
	// NOT_FOUND NOT_FOUND: there is no book "dune"
	// INVALID_ARGUMENT: invalid input: /id must match the pattern ^[a-z]+$
	// Emma
	// UNAVAILABLE: the library closes
}

// A ReaderAPI is a service that calls another one.
type ReaderAPI interface {
	Describe(ctx context.Context, in *BookID) (*Description, error)
}

type Description struct{ Text string }

// A reader calls the library. Its field has the methods that it needs.
type reader struct {
	books struct {
		Get func(ctx context.Context, in *BookID) (*Book, error)
	}
}

// Describe passes ctx on, so that the call ends when the client of Describe disconnects.
// It converts errors of the library to errors for that client.
func (r *reader) Describe(ctx context.Context, in *BookID) (*Description, error) {
	book, err := r.books.Get(ctx, in)
	if svc.CodeOf(err) == svc.CodeNotFound {
		return &Description{"unknown"}, nil
	} else if err != nil {
		return nil, svc.Errorf(svc.CodeUnavailable, "the library does not answer: %w", err)
	}
	return &Description{"the book " + book.Title}, nil
}

// A service calls another one in its methods.
func ExampleConnect_service() {
	server := httptest.NewServer(svc.MustRegister[BookAPI](library{}, bookOptions()).REST())
	defer server.Close()

	r := new(reader)
	if err := svc.Connect[BookAPI](&r.books, server.URL, &svc.ClientOptions{Service: bookOptions()}); err != nil {
		fmt.Println(err)
		return
	}
	service := svc.MustRegister[ReaderAPI](r, &svc.Options{Resource: "readers", Logger: noLog})
	try(service.REST(), "POST", "/readers/describe", `{"id":"emma"}`)
	try(service.REST(), "POST", "/readers/describe", `{"id":"dune"}`)
	// Output:
	// 200 {"Text":"the book Emma"}
	// 200 {"Text":"unknown"}
}

// A test sets the field to its own function.
func ExampleConnect_mock() {
	r := new(reader)
	r.books.Get = func(context.Context, *BookID) (*Book, error) {
		return nil, errors.New("the roof is leaking")
	}
	_, err := r.Describe(context.Background(), &BookID{ID: "emma"})
	fmt.Println(err)
	// Output:
	// UNAVAILABLE: the library does not answer: the roof is leaking
}

// A test of both sides uses the handler instead of the network.
func ExampleClientOptions_handler() {
	service := svc.MustRegister[BookAPI](library{}, bookOptions())
	r := new(reader)
	err := svc.Connect[BookAPI](&r.books, "", &svc.ClientOptions{Service: bookOptions(), Handler: service.REST()})
	fmt.Println(err)
	out, err := r.Describe(context.Background(), &BookID{ID: "emma"})
	fmt.Println(out.Text, err)
	// Output:
	// <nil>
	// the book Emma <nil>
}

// A roundTripper is an http.RoundTripper that is a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// withPassword returns a RoundTripper that adds a password to each request. It changes
// a copy, because a RoundTripper must not change the request.
func withPassword(next http.RoundTripper, user, password string) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.SetBasicAuth(user, password)
		return next.RoundTrip(r)
	})
}

// The Transport of the http.Client adds credentials.
func ExampleClientOptions_authentication() {
	guard := svc.BasicAuth("books", map[string]string{"reader": "secret"}, nil)
	server := httptest.NewServer(guard(svc.MustRegister[BookAPI](library{}, bookOptions()).REST()))
	defer server.Close()

	for _, password := range []string{"guess", "secret"} {
		var books struct {
			Get func(ctx context.Context, in *BookID) (*Book, error)
		}
		client := &http.Client{Transport: withPassword(http.DefaultTransport, "reader", password)}
		err := svc.Connect[BookAPI](&books, server.URL, &svc.ClientOptions{Service: bookOptions(), HTTPClient: client})
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = books.Get(context.Background(), &BookID{ID: "emma"})
		fmt.Println(err)
	}
	// Output:
	// UNAUTHENTICATED: a valid name and password are required
	// <nil>
}

// A client sends calls again that may run twice.
func ExampleClientOptions_retries() {
	service, requests := svc.MustRegister[BookAPI](library{}, bookOptions()).REST(), 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests < 3 {
			svc.WriteError(w, r, svc.Errorf(svc.CodeUnavailable, "the library opens soon"))
			return
		}
		service.ServeHTTP(w, r)
	}))
	defer server.Close()

	var books struct {
		Get func(ctx context.Context, in *BookID) (*Book, error)
	}
	err := svc.Connect[BookAPI](&books, server.URL, &svc.ClientOptions{Service: bookOptions(), Attempts: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	book, err := books.Get(context.Background(), &BookID{ID: "emma"})
	fmt.Println(book.Title, err, requests)
	// Output:
	// Emma <nil> 3
}

// The client has the calls of the service by resource, and the types of their inputs and outputs.
func ExampleService_TypeScript() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	mux := http.NewServeMux()
	mux.Handle("/client.ts", service.TypeScript())
	mux.Handle("/", service.REST())

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/client.ts", nil))
	_, api, _ := strings.Cut(w.Body.String(), "export interface Api {\n")
	api, _, _ = strings.Cut(api, "}\n\n")
	fmt.Println(w.Header().Get("Content-Type"))
	fmt.Print(api)
	// Output:
	// text/typescript; charset=utf-8
	//   lamps: {
	//     dim: Call<DimLamp, Lamp>;
	//     list: GetCall<NoInput, Lamps>;
	//     switchOff: Call<LampID, void>;
	//   };
}
