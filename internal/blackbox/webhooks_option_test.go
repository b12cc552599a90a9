package blackbox_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	sentEvents interface {
		Created(ctx context.Context, in *sentCreated) error
		Moved(ctx context.Context, in *sentMoved) error
	}
	sentCreated struct {
		ID   int       `json:"id" minimum:"1"`
		Text string    `json:"text" doc:"What it says." maxLength:"200"`
		Kind string    `json:"kind" enum:"a,b"`
		Tags []string  `json:"tags,omitempty"`
		Size int       `json:"size" default:"1"`
		By   *sentUser `json:"by"`
	}
	sentUser struct {
		Name string `json:"name"`
	}
	sentMoved struct {
		Type string            `json:"type" discriminator:"true"`
		Up   *sentUser         `variant:"note.up"`
		Down *struct{ By int } `variant:"note.down"`
	}
	sendingAPI interface {
		List(ctx context.Context) (*sentUser, error)
	}
	sendingImpl struct{ sendingAPI }
)

func sendingService(hooks ...*svc.Webhooks) *svc.Service {
	return svc.MustRegister[sendingAPI](sendingImpl{}, &svc.Options{Name: "Notes", Defaults: svc.Defaults{Auth: "bearer"}, Webhooks: hooks})
}

// sentNotes are the events of the tests.
func sentNotes() *svc.Webhooks {
	return svc.WebhooksOf[sentEvents](&svc.Options{Resource: "note", Methods: map[string]svc.MethodOptions{
		"Created": {Description: "A note was made. It is new."}, "Moved": {Deprecated: true}}})
}

// Verify what documents say of the events that a service sends, in which versions, and that nothing else does.
func TestWebhooksInDocuments(t *testing.T) {
	s := sendingService(sentNotes())
	for _, version := range []string{"3.1", "3.2"} {
		t.Run(version, func(t *testing.T) {
			text := string(kitchenDocument(s, "?openapi="+version))
			for _, want := range []string{
				`"webhooks":{"note.created":{"post":{"summary":"A note was made","description":"A note was made. It is new.","operationId":"note_Created",` +
					`"parameters":[{"name":"webhook-id","in":"header",`,
				`"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/sentCreated"}}}},"responses":{"2XX":{"description":"`,
				`"security":[]}},"note.moved":{"post":{"summary":"note: moved","description":"`, `"deprecated":true,"security":[]}}},"components":{`,
				`"sentUser":{"type":"object"`,
				`"size":{"type":"integer","format":"int64","default":1}`,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("no %s in\n%s", want, text)
				}
			}
		})
	}
	client := getClient(s, "/client.ts").Body.String()
	for name, text := range map[string]string{
		"3.0.3": string(kitchenDocument(s, "")), "client.ts": client,
		"OpenRPC": askInGerman(s.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`),
		"tools":   askInGerman(s.MCP(nil), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(text, "notes") && !strings.Contains(text, "Notes") || strings.Contains(text, "note.created") || strings.Contains(text, "sentCreated") {
				t.Errorf("%s", text)
			}
		})
	}
	t.Run("llms.txt", func(t *testing.T) {
		text := askInGerman(s.Docs(nil), "GET", "/llms.txt", "")
		for _, want := range []string{"\n## Webhooks\n\nEvents that this service sends,", "\n### note.created\n\nA note was made. It is new.\n\nThe JSON Schema of the body:\n\n```json\n{\"type\":\"object\"",
			"\n### note.moved\n\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if text := askInGerman(sendingService().Docs(nil), "GET", "/llms.txt", ""); strings.Contains(text, "Webhooks") {
			t.Errorf("without events there is\n%s", text)
		}
	})
	t.Run("the page", func(t *testing.T) {
		if text := askInGerman(s.Docs(nil), "GET", "/", ""); !strings.Contains(text, `"webhooks":{"note.created":{"post":`) {
			t.Error("the document in the page has no webhooks")
		}
	})
	t.Run("joined", func(t *testing.T) {
		joined := svc.Join("Joined", kitchenSinkless(), s)
		text := string(kitchenDocument(joined, "?openapi=3.1"))
		if !strings.Contains(text, `"webhooks":{"note.created":`) || strings.Count(text, `"sentCreated":`) != 1 {
			t.Errorf("got %s", text)
		}
		if breaks, err := joined.Breaks(s.Contract()); err != nil || len(breaks) > 0 {
			t.Errorf("%v, %v", breaks, err)
		}
	})
	t.Run("a route", func(t *testing.T) {
		if got := askInGerman(s.REST(), "POST", "/note/created", `{}`); !strings.Contains(got, `"NOT_FOUND"`) {
			t.Errorf("got %s", got)
		}
	})
}

type (
	sends[T any] interface {
		Created(ctx context.Context, in *T) error
	}
	sendsMore[T any] interface {
		sends[T]
		Gone(ctx context.Context, in *T) error
	}
	sentUnion[A, B any] struct {
		Type string `json:"type" discriminator:"true"`
		A    *A     `variant:"a"`
		B    *B     `variant:"b"`
	}
	sentSole[A any] struct {
		Type string `json:"type" discriminator:"true"`
		A    *A     `variant:"a"`
	}
)

// Verify that CheckReleased has the roles of a sender: what breaks a receiver is told, and nothing else.
func TestWebhooksReleased(t *testing.T) {
	service := func(hooks *svc.Webhooks) *svc.Service { return sendingService(hooks) }
	type text struct {
		Text string `json:"text"`
	}
	created := func(reason string) string { return "webhook note.created " + reason }
	o := &svc.Options{Resource: "note"}
	for _, test := range []struct {
		name     string
		old, now *svc.Webhooks
		want     string // the breaks; "" for none
	}{
		{"the same", svc.WebhooksOf[sends[text]](o), svc.WebhooksOf[sends[text]](o), ""},
		{"a new member", svc.WebhooksOf[sends[text]](o), svc.WebhooksOf[sends[struct {
			Text string `json:"text"`
			More int    `json:"more"`
		}]](o), ""},
		{"a member is gone", svc.WebhooksOf[sends[struct {
			Text string `json:"text"`
			More int    `json:"more"`
		}]](o), svc.WebhooksOf[sends[text]](o), created("output /more: ")},
		{"a member may be absent", svc.WebhooksOf[sends[text]](o), svc.WebhooksOf[sends[struct {
			Text string `json:"text,omitempty"`
		}]](o), created("output /text: ")},
		{"a member is there always", svc.WebhooksOf[sends[struct {
			Text string `json:"text,omitempty"`
		}]](o), svc.WebhooksOf[sends[text]](o), ""},
		{"another type", svc.WebhooksOf[sends[text]](o), svc.WebhooksOf[sends[struct {
			Text int `json:"text"`
		}]](o), created("output /text: is int, was string")},
		{"a new value of an enum", svc.WebhooksOf[sends[struct {
			Text string `json:"text" enum:"a"`
		}]](o), svc.WebhooksOf[sends[struct {
			Text string `json:"text" enum:"a,b"`
		}]](o), created("output /text: ")},
		{"a value of an enum is gone", svc.WebhooksOf[sends[struct {
			Text string `json:"text" enum:"a,b"`
		}]](o), svc.WebhooksOf[sends[struct {
			Text string `json:"text" enum:"a"`
		}]](o), ""},
		{"a new variant", svc.WebhooksOf[sends[sentSole[text]]](o), svc.WebhooksOf[sends[sentUnion[text, text]]](o), created("output")},
		{"a variant is gone", svc.WebhooksOf[sends[sentUnion[text, text]]](o), svc.WebhooksOf[sends[sentSole[text]]](o), ""},
		{"a wider rule, as of all outputs", svc.WebhooksOf[sends[struct {
			Text string `json:"text" maxLength:"5"`
		}]](o), svc.WebhooksOf[sends[struct {
			Text string `json:"text" maxLength:"9"`
		}]](o), ""},
		{"a new event", svc.WebhooksOf[sends[text]](o), svc.WebhooksOf[sendsMore[text]](o), ""},
		{"an event is gone", svc.WebhooksOf[sendsMore[text]](o), svc.WebhooksOf[sends[text]](o), "webhook note.gone: is gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			breaks, err := service(test.now).Breaks(service(test.old).Contract())
			got := fmt.Sprint(breaks)
			if err != nil || (len(breaks) > 0) != (test.want != "") || !strings.Contains(got, test.want) || len(breaks) > 1 {
				t.Errorf("got %s, %v, want %q", got, err, test.want)
			}
			for _, b := range breaks {
				if b.Witness != nil {
					t.Errorf("%v has a witness", b)
				}
			}
		})
	}
}

// Verify that each mistake of events is reported when the service is registered, with its remedy.
func TestWebhooksMistakes(t *testing.T) {
	type ok struct {
		ID int `json:"id"`
	}
	for _, test := range []struct {
		name  string
		hooks []*svc.Webhooks
		want  string
	}{
		{"nil", []*svc.Webhooks{nil}, `Options\.Webhooks\[0\] is nil`},
		{"no interface", []*svc.Webhooks{svc.WebhooksOf[ok](nil)}, `is not an interface; write WebhooksOf\[NoteEvents\]`},
		{"no method", []*svc.Webhooks{svc.WebhooksOf[interface{}](&svc.Options{Name: "X"})}, `has no methods, and each is an event`},
		{"no input", []*svc.Webhooks{svc.WebhooksOf[interface{ Created(context.Context) error }](&svc.Options{Name: "X"})}, `Created: an event needs an input`},
		{"an output", []*svc.Webhooks{svc.WebhooksOf[interface {
			Created(context.Context, *ok) (*ok, error)
		}](&svc.Options{Name: "X"})}, `Created: an event has no output`},
		{"a query", []*svc.Webhooks{svc.WebhooksOf[sends[struct {
			A string `query:"a"`
		}]](&svc.Options{Name: "X"})}, "\\.A: the tag query:\"a\" is about a request to a service, and of a webhook the body alone is signed; write `json:\"a\"`"},
		{"a header", []*svc.Webhooks{svc.WebhooksOf[sends[struct {
			A string `json:"-" header:"X-A"`
		}]](&svc.Options{Name: "X"})}, `the tag header:"X-A"`},
		{"a Body", []*svc.Webhooks{svc.WebhooksOf[sends[struct{ B svc.Body }]](&svc.Options{Name: "X"})}, `svc\.Body is not JSON`},
		{"a File", []*svc.Webhooks{svc.WebhooksOf[sends[struct{ svc.File }]](&svc.Options{Name: "X"})}, `svc\.File is not JSON`},
		{"a wrong tag", []*svc.Webhooks{svc.WebhooksOf[sends[struct {
			A string `json:"a" maxLength:"x"`
		}]](&svc.Options{Name: "X"})}, `maxLength`},
		{"an unknown method", []*svc.Webhooks{svc.WebhooksOf[sends[ok]](&svc.Options{Name: "X", Methods: map[string]svc.MethodOptions{"Create": {}}})},
			`Options\.Methods\["Create"\]: .*Created`},
		{"a resource", []*svc.Webhooks{svc.WebhooksOf[sends[ok]](&svc.Options{Resource: "a b"})}, `Options\.Resource is "a b"`},
		{"the same name", []*svc.Webhooks{svc.WebhooksOf[sends[ok]](&svc.Options{Resource: "a"}), svc.WebhooksOf[sends[ok]](&svc.Options{Resource: "a"})},
			`two events have the name a\.created`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := svc.Register[sendingAPI](sendingImpl{}, &svc.Options{Webhooks: test.hooks})
			if err == nil || !regexp.MustCompile(test.want).MatchString(err.Error()) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// Verify the option of doc/webhooks.md.
func TestWebhooksRecipe(t *testing.T) {
	s := svc.MustRegister[sendingAPI](sendingImpl{}, &svc.Options{
		Webhooks: []*svc.Webhooks{svc.WebhooksOf[NoteEvents](&svc.Options{Resource: "note"})},
	})
	if text := string(kitchenDocument(s, "?openapi=3.1")); !strings.Contains(text, `"webhooks":{"note.receive":`) || !strings.Contains(text, `"note.created"`) {
		t.Errorf("got %s", text)
	}
}
