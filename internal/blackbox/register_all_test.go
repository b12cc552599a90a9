package blackbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// AllAPI has a mistake of every sort that one interface can have. The other tests of mistakes
// have the types of most of its methods.
type (
	AllAPI interface {
		ShapeAPI
		ObjectAPI
		TypesAPI
		AliasesAPI
		HiddenAPI

		Both(context.Context, *regBoth) error
		Create(context.Context, *regTagged) error
		Delete(context.Context, *regTree) error
		Edit(context.Context, *regDefaults) error
		Foreign(context.Context, *regForeign) error
		Get(context.Context, *regNoSuchPlace) (*regOut, error)
		GetAll(context.Context) (*regOut, error)
		List(context.Context, *regFilter) (*regOut, error)
		Loop(context.Context, *regEndlessDefault) error
		Move(context.Context, *regTwoPaths) error
		Names(context.Context, *regNames) error
		Put(context.Context, *regPutTree) error
		Query(context.Context, *regQueryNames) (*regOut, error)
		Receive(context.Context, *regReceivers) error
		Same(context.Context, *regSamePlace) error
		Show(context.Context) (*regReceiversOut, error)
		Speak(context.Context, *regSpoken) (*regSpokenOut, error)
		Update(context.Context, *regPathNames) error

		Heap(context.Context, *regHeap) (*regHeapOut, error)
		Pile(*regPile) *regPileOut              // without a context and an error
		Slope(context.Context, *regSlope) error // with a route that is none
		Store(context.Context, *regUpload) error
		Upload(context.Context, *regUpload) (*regDownload, error)
	}
	regAll struct{ AllAPI }

	// A regHeap has a mistake of each stage of registration: in a type, in tags, in sources, and in
	// what options say of them.
	regHeap struct {
		ID      string              `json:"id" path:"other"`
		Chan    chan int            `json:"chan" query:"chan"`
		Tree    regIn               `json:"tree" query:"tree"`
		Host    string              `json:"-" header:"Host"`
		Blank   string              `header:"X Blank" json:"blank"`
		Key     string              `header:"X-Key" json:"key"`
		Crumb   string              `cookie:"a b" json:"crumb"`
		Tongue  regTongue           `header:"X-Tongue" json:"tongue"`
		Range   int                 `json:"range" minimum:"5" maximum:"1"`
		Default int                 `json:"default" maximum:"5" default:"9"`
		Example string              `json:"example" maxLength:"2" example:"long"`
		Opt     svc.Optional[int]   `json:"opt" default:"1" example:"one"`
		Listed  []regWord           `json:"listed" enum:"a,c"`
		Word    regWord             `json:"word"`
		Case    int                 `json:"case"`
		CASE    int                 `json:"CASE"`
		Min     int                 `json:"min" min:"1"`
		Idem    string              `json:"idempotency_key"`
		Inner   struct{ N regStep } `json:"inner"`
	}
	regStep    int // without mistakes, below a type with some
	regHeapOut struct {
		Chan  chan int `json:"chan"`
		Type  string   `header:"Content-Type"`
		Lists []int    `header:"X-Lists"`
	}
	regPile struct {
		Chan    chan int `json:"chan"`
		Default int      `json:"default" default:"1.5"`
		Min     int      `json:"min" max:"1"`
	}
	regPileOut struct {
		Chan chan int `json:"chan"`
		Host string   `header:"X Host"`
	}
	regSlope struct {
		ID      string `json:"id" path:"id"`
		Host    string `header:"Host" json:"host"`
		Default int    `json:"default" default:"1.5"`
	}
	regUpload struct {
		Photo svc.Body `contentType:"image" maxBytes:"many"`
		Name  string   `json:"name"`
	}
	regDownload struct {
		svc.File
		Name string `json:"name"`
	}
	regWord string
)

func (regWord) Enum() []regWord                { return []regWord{"a", "b"} }
func (w regWord) MarshalText() ([]byte, error) { return []byte(w), nil }
func (w *regWord) UnmarshalText(text []byte) error {
	if *w = regWord(text); *w == "b" {
		return svc.Errorf(svc.CodeInvalidArgument, "is no word")
	}
	return nil
}

// regAllOptions has a mistake in each option.
func regAllOptions() *svc.Options {
	return &svc.Options{
		Resource: "all things", Path: "a/{b}", Contact: "nobody", License: "my own", OpenAPI: "2.0",
		Errors:      []*svc.Error{nil, {Code: "not_found"}},
		Schemes:     []svc.Scheme{{Type: "apiKey", Header: "x-key"}, {Type: "digest"}, {Type: "digest"}},
		Defaults:    svc.Defaults{Auth: "basic"},
		Idempotency: &svc.Idempotency{KeepFor: -time.Second},
		Intercept:   func(svc.InvokeFunc) svc.InvokeFunc { return nil },
		Methods: map[string]svc.MethodOptions{
			"Crate":  {},
			"Heap":   {HTTP: "POST /heap/{id}", Status: 302, IdempotencyKey: "maybe", Resource: "to do", Scopes: []string{"a\"b"}, Public: true},
			"Pile":   {Errors: []*svc.Error{nil}},
			"Loop":   {Transports: []svc.Transport{"grpc"}, Stream: "websocket"},
			"Slope":  {HTTP: "POST todos", IdempotencyKey: svc.KeyAllowed},
			"GetURL": {Direct: svc.DirectNone(AliasesAPI.GetURL)},
			"Upload": {HTTP: "GET /upload", IdempotencyKey: svc.KeyRequired},
		},
	}
}

// Verify that one round tells of all: of each stage of registration in one type, of what hides
// behind a wrong signature or a wrong route, and nothing twice.
func TestRegisterAtOnce(t *testing.T) {
	cases := []regCase{{"everything", reg[AllAPI](regAllOptions())}}
	regGolden(t, "all.txt", cases)
	text := regText(cases[0].do)
	seen := make(map[string]bool)
	for _, line := range strings.Split(text, "\n") {
		_, told, _ := strings.Cut(line, ": ")
		if line = strings.TrimSpace(line); seen[line] && line != "" {
			t.Errorf("told twice: %s", told)
		}
		seen[line] = true
	}
	again := regText(reg[AllAPI](regAllOptions()))
	if again != text {
		t.Errorf("another order the second time:\n%s\nand\n%s", text, again)
	}
	for _, want := range []string{
		// One type, all stages.
		`regHeap.Chan: JSON cannot carry a chan int`,
		`regHeap.Opt: an Optional may be absent`,
		`regHeap.Opt: default:"1": an Optional says itself`,
		`regHeap.Opt: example:"one": want an integer`,
		`regHeap.Range: no value meets`,
		`regHeap: the fields Case and CASE`,
		`regHeap.Min: svc does not read the tag min`,
		`regHeap.Listed: blackbox_test.regWord.Enum does not return the value "c"`,
		`regHeap.ID: path:"other" names no placeholder`,
		`regHeap.Tree: the type blackbox_test.regIn cannot come from the query`,
		`regHeap.Host: header:"Host": `,
		`regHeap.Host: with json:"-" the field exists only over REST`,
		`regHeap.Blank: header:"X Blank": want the name of a header`,
		`regHeap.Key: the header X-Key has the key of a scheme`,
		`regHeap.Crumb: cookie:"a b": want the name of a cookie`,
		`regHeap.Tongue: no header can have the value "русский"`,
		`regHeap.Default: the default 9 is refused: must be at most 5`,
		`regHeap.Example: the example "long" is refused: must have at most 2 characters`,
		`regHeap.Idem: MethodOptions.IdempotencyKey takes this name`,
		`blackbox_test.regWord.Enum returns "b", which is refused: is no word`,
		`regHeapOut.Chan: JSON cannot carry a chan int`,
		`regHeapOut.Type: header:"Content-Type": svc sets it by the option ContentType`,
		`regHeapOut.Lists: the type []int cannot be a header of a response`,
		`Heap: MethodOptions.Status is 302`,
		`Heap: MethodOptions.Resource is "to do"`,
		`Heap: MethodOptions.IdempotencyKey is "maybe"`,
		`Heap: the method is Public and has Scopes`,
		// Behind a wrong signature.
		`Pile: the first parameter must be a context.Context`,
		`Pile: the last result must be an error`,
		`Loop: MethodOptions.Transports has "grpc"`,
		`Loop: the stream mode "websocket" is unknown`,
		`regPile.Chan: JSON cannot carry a chan int`,
		`regPile.Default: the default 1.5 is refused`,
		`regPile.Min: svc does not read the tag max`,
		`regPileOut.Host: header:"X Host": want the name of a header`,
		// Behind a wrong route.
		`Slope: the HTTP pattern "POST todos"`,
		`regSlope.Host: header:"Host": `,
		`regSlope.Default: the default 1.5 is refused`,
		// Files.
		`regUpload.Photo: contentType:"image": want media types`,
		`regUpload.Photo: maxBytes:"many": want a number of bytes`,
		`regUpload.Photo: requests with GET and DELETE have no body`,
		`regUpload.Name: the field Photo is the whole body`,
		`regDownload.Name: the File is the whole body of the response`,
		// Options.
		`Options.Methods["Crate"]`, `Options.Resource is "all things"`, `Options.Path is "a/{b}"`, `Options.Contact is "nobody"`, `Options.License is "my own"`,
		`Options.OpenAPI is "2.0"`, `Options.Errors[0] is nil`, `Options.Schemes[1]`, `Options.Schemes[2] is there twice`, `Options.Defaults.Auth is "basic"`,
		`Options.Idempotency needs a Run`, `Options.Intercept returns nil`,
		`GetURL: Direct has a method of blackbox_test.AliasesAPI, not of the interface`,
		// Between methods.
		`AllAPI.GetURL and AllAPI.GetUrl both have the name`,
		// Of the interface.
		`AllAPI.create: the method is not exported`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("not told: %s", want)
		}
	}
}

// Verify that nothing is left for the round after an implementation that is nil.
func TestRegisterNilAtOnce(t *testing.T) {
	_, err := svc.Register[AllAPI](nil, regAllOptions())
	missing, rest := "svc: cannot register blackbox_test.AllAPI:\n  - the implementation of blackbox_test.AllAPI is nil\n", ""
	if err != nil {
		rest = strings.TrimPrefix(err.Error(), missing)
	}
	all := strings.TrimPrefix(regText(reg[AllAPI](regAllOptions())), "svc: cannot register blackbox_test.AllAPI:\n")
	if rest != all {
		t.Errorf("without an implementation:\n%s\nwith one:\n%s", rest, all)
	}
}
