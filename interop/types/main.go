// Types registers the public types of well-known modules in inputs and outputs. It sends a value of
// each that registers over REST and wants it back, and tries the remedies in the texts for those that
// are refused.
//
// Usage:
//
//	go run .
package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"time"

	"example.com/svc"
	gofrs "github.com/gofrs/uuid/v5"
	"github.com/google/go-github/v75/github"
	"github.com/google/uuid"
	"github.com/guregu/null/v6"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oklog/ulid/v2"
	"github.com/shopspring/decimal"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A Holder is the input and the output of a method, with a member of the type in question.
type Holder[T any] struct {
	V T `json:"v"`
}

// An OptionalHolder has that member as an Optional.
type OptionalHolder[T any] struct {
	V svc.Optional[T] `json:"v,omitzero"`
}

// Echo is a service with one method.
type Echo[T any] interface {
	Echo(ctx context.Context, in *T) (*T, error)
}

type echo[T any] struct{}

func (echo[T]) Echo(_ context.Context, in *T) (*T, error) { return in, nil }

// A row is a type and what is expected of it.
type row struct {
	name string
	try  func() error
	then []row // the remedies, if it is refused
}

// takes is a row for a type that registers. The samples are its JSON, which comes back; one with an
// arrow comes back as what is behind it.
func takes[T any](samples ...string) row {
	return row{name: reflect.TypeFor[T]().String(), try: func() error { return exchange[Holder[T]](nil, samples) }}
}

// takesOptional is takes for an Optional of T. The member is also null or absent.
func takesOptional[T any](sample string) row {
	return row{name: "svc.Optional of " + reflect.TypeFor[T]().String(), try: func() error {
		return exchange[OptionalHolder[T]](nil, []string{sample, "null", ""})
	}}
}

// described is takes with a schema in Options.Schemas, which the document must have. Its keywords are
// in the order of the alphabet.
func described[T any](schema, sample string) row {
	return row{name: reflect.TypeFor[T]().String() + " with Options.Schemas", try: func() error {
		return exchange[Holder[T]](map[reflect.Type]string{reflect.TypeFor[T](): schema}, []string{sample})
	}}
}

// refused is a row for a type that does not register, with a part of each text about it.
func refused[T any](texts []string, then ...row) row {
	try := func() error {
		_, err := register[Holder[T]](nil)
		if err == nil {
			return errors.New("it registers")
		}
		for _, text := range texts {
			if !strings.Contains(err.Error(), text) {
				return fmt.Errorf("the text is %v\nand lacks %s", err, text)
			}
		}
		if found := strings.Count(err.Error(), "\n"); found != len(texts) {
			return fmt.Errorf("there are %d mistakes and not %d: %v", found, len(texts), err)
		}
		return nil
	}
	return row{reflect.TypeFor[T]().String() + " is refused", try, then}
}

// register registers a service whose method takes and returns a T.
func register[T any](schemas map[reflect.Type]string) (*svc.Service, error) {
	return svc.Register[Echo[T]](echo[T]{}, &svc.Options{Resource: "types", Schemas: schemas})
}

// exchange registers the service and sends it the samples.
func exchange[T any](schemas map[reflect.Type]string, samples []string) error {
	service, err := register[T](schemas)
	if err != nil {
		return err
	}
	document := answer(service, "GET", "/openapi.json?openapi=3.1", "")
	for t, schema := range schemas {
		if !strings.Contains(document, `"v":`+schema) {
			return fmt.Errorf("the document has no %s for %v", schema, t)
		}
	}
	for _, sample := range samples {
		sent, want, found := strings.Cut(sample, " -> ")
		if !found {
			want = sent
		}
		if got := answer(service, "POST", "/types/echo", object(sent)); !sameJSON(got, object(want)) {
			return fmt.Errorf("%s comes back as %s, want %s", object(sent), got, object(want))
		}
	}
	return nil
}

// object returns the JSON of an object with the member v, or without it for the value "".
func object(value string) string {
	if value == "" {
		return "{}"
	}
	return `{"v":` + value + "}"
}

// sameJSON reports whether two texts are the same JSON.
func sameJSON(a, b string) bool {
	var x, y any
	d, e := json.NewDecoder(strings.NewReader(a)), json.NewDecoder(strings.NewReader(b))
	d.UseNumber()
	e.UseNumber()
	return d.Decode(&x) == nil && e.Decode(&y) == nil && reflect.DeepEqual(x, y)
}

// answer returns the body of the answer to a request.
func answer(service *svc.Service, verb, path, body string) string {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(verb, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	handler := service.REST()
	if verb == "GET" {
		handler = service.OpenAPI()
	}
	handler.ServeHTTP(w, r)
	var compact bytes.Buffer
	if json.Compact(&compact, w.Body.Bytes()) != nil {
		return w.Body.String()
	}
	return compact.String()
}

const (
	id        = `"123e4567-e89b-42d3-a456-426614174000"`
	uuidText  = `{"format":"uuid","type":"string"}`
	anyNumber = `{"type":["number","null"]}`
)

// rows has the verdict on each type.
func rows() []row {
	pointer := func(t string) []string { return []string{"write *" + t + ", or svc.Optional[" + t + "]"} }
	return []row{
		takes[pgtype.Text](`"a"`, "null"), described[pgtype.Text](`{"type":["string","null"]}`, "null"),
		takes[pgtype.Numeric]("1.25", "null"), described[pgtype.Numeric](anyNumber, "1.25"),
		takes[pgtype.Timestamptz](`"2026-01-02T03:04:05Z"`, "null"), takes[pgtype.Date](`"2026-01-02"`, "null"),
		takes[pgtype.UUID](id, "null"), takes[pgtype.Int4]("7", "null"), takes[pgtype.Bool]("true", "null"),
		takes[pgtype.Float8]("0.5", "null"), takes[pgtype.Hstore](`{"a":"b","c":null}`),
		refused[pgtype.Time](pointer("int64"), takes[*int64]("7", "null"), takesOptional[int64]("7")),
		refused[pgtype.Interval]([]string{"a struct of your own that has Microseconds, Days, Months, or an svc.Optional of it"},
			takes[*Interval](`{"microseconds":1,"days":2,"months":3}`, "null"),
			takesOptional[Interval](`{"microseconds":1,"days":2,"months":3}`),
			takes[Span](`"P3D"`)),
		refused[sql.NullString](pointer("string"), takes[*string](`"a"`, "null"), takesOptional[string](`"a"`)),
		refused[sql.NullInt64](pointer("int64"), takes[*int64]("7", "null"), takesOptional[int64]("7")),
		refused[sql.NullInt32](pointer("int32"), takes[*int32]("7", "null"), takesOptional[int32]("7")),
		refused[sql.NullFloat64](pointer("float64"), takes[*float64]("0.5", "null"), takesOptional[float64]("0.5")),
		refused[sql.NullBool](pointer("bool"), takes[*bool]("true", "null"), takesOptional[bool]("true")),
		refused[sql.NullTime](pointer("time.Time"), takes[*time.Time](`"2026-01-02T03:04:05Z"`, "null"),
			takesOptional[time.Time](`"2026-01-02T03:04:05Z"`)),
		refused[sql.Null[string]](pointer("string"), takes[*string](`"a"`, "null")),
		takes[PgxAuthor](`{"id":1,"name":"a","bio":null,"rate":2.5,"created":"2026-01-02T03:04:05Z","ref":` + id + `,"mood":"ok","tags":["a"],"extra":{}}`),
		refused[SQLAuthor]([]string{"SQLAuthor.Bio: ", "SQLAuthor.Age: ", "write *main.Mood, or svc.Optional[main.Mood]"},
			takes[AuthorView](`{"id":1,"bio":null,"age":7,"mood":"ok"}`)),
		takes[uuid.UUID](id), described[uuid.UUID](uuidText, id), takes[uuid.NullUUID](id, "null"),
		takes[gofrs.UUID](id), described[gofrs.UUID](uuidText, id), takes[gofrs.NullUUID](id, "null"),
		takes[ulid.ULID](`"01ARZ3NDEKTSV4RRFFQ69G5FAV"`),
		described[ulid.ULID](`{"pattern":"^[0-7][0-9A-HJKMNP-TV-Z]{25}$","type":"string"}`, `"01ARZ3NDEKTSV4RRFFQ69G5FAV"`),
		takes[decimal.Decimal](`"1.25"`, `1.25 -> "1.25"`),
		described[decimal.Decimal](`{"type":"string"}`, `"1.25"`), takes[Money](`"1.25"`),
		takes[decimal.NullDecimal](`"1.25"`, "null"),
		takes[null.String](`"a"`, "null"), takes[null.Int]("7", "null"), takes[null.Time](`"2026-01-02T03:04:05Z"`, "null"),
		described[null.String](`{"type":["string","null"]}`, "null"),
		takes[github.Issue](`{"number":7,"title":"a","user":{"login":"b"},"created_at":"2026-01-02T03:04:05Z"}`),
		takes[github.Repository](`{"id":1,"name":"a"}`),
		takes[github.PullRequest](`{"number":7}`), takes[github.Timestamp](`"2026-01-02T03:04:05Z"`),
		takes[metav1.ObjectMeta](`{"name":"a","labels":{"b":"c"},"creationTimestamp":"2026-01-02T03:04:05Z"}`),
		takes[metav1.LabelSelector](`{"matchLabels":{"a":"b"}}`), takes[resource.Quantity](`"100m"`), takes[intstr.IntOrString]("80", `"http"`),
		takes[corev1.Pod](`{"metadata":{"name":"a"},"spec":{"containers":[{"name":"b","resources":{"limits":{"cpu":"1"}}}]},"status":{}}`),
		takes[corev1.Service](`{"metadata":{},"spec":{"ports":[{"port":80,"targetPort":"http"}]},"status":{"loadBalancer":{}}}`),
	}
}

// run tries the rows of list, and returns how many failed.
func run(list []row, indent string) (failed int) {
	for _, r := range list {
		verdict := "ok"
		if err := r.try(); err != nil {
			verdict = "FAILED: " + err.Error()
			failed++
		}
		fmt.Printf("%s%s: %s\n", indent, r.name, verdict)
		failed += run(r.then, indent+"    then ")
	}
	return failed
}

func main() {
	if failed := run(rows(), ""); failed > 0 {
		fmt.Printf("FAILED: %d\n", failed)
		os.Exit(1)
	}
}
