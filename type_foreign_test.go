package svc

import (
	"reflect"
	"strings"
	"testing"
)

// foreignMistakes returns the mistakes of a type in inputs, and in outputs, as the types of documents
// with comments have them.
func foreignMistakes(t reflect.Type, u use) string {
	p := new(mistakes)
	c := newShapes(p)
	c.checkUse(c.shapeFor(t, "In"), u, "In")
	c.finishShapes()
	var texts []string
	for _, err := range p.list {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "\n")
}

// Verify that a tag of another library is refused if it is a rule there, and passed if it says what
// svc does anyway, or is for readers of their own.
func TestForeignTags(t *testing.T) {
	for _, test := range []struct {
		name string
		typ  reflect.Type
		in   string // the mistake in an input; "" for none
		out  string // in an output
	}{
		{"const", tagged[string](`json:"a" const:"x"`), "the tag const: write `enum:\"x\"`, an enum of one value", ""},
		{"const of its own name", tagged[string](`json:"a" const:"a"`), "the tag const: write `enum:\"a\"`", ""},
		{"const beside its enum", tagged[string](`json:"a" const:"x" enum:"x"`), "", ""},
		{"contentEncoding", tagged[string](`json:"a" contentEncoding:"base64"`), "the tag contentEncoding: a []byte is base64", ""},
		{"contentEncoding of bytes", tagged[[]byte](`json:"a" contentEncoding:"base64"`), "", ""},
		{"another of bytes", tagged[[]byte](`json:"a" contentEncoding:"base16"`), "the tag contentEncoding: a []byte is base64", ""},
		{"collectionFormat", tagged[[]string](`json:"a" collectionFormat:"csv"`), "the tag collectionFormat: a list in a query is a parameter for each", ""},
		{"collection_format", tagged[[]string](`json:"a" collection_format:"pipes"`), "the tag collection_format: a list", ""},
		{"collectionFormat multi", tagged[[]string](`json:"a" collectionFormat:"multi"`), "", ""},
		{"collection_format multi", tagged[[]string](`json:"a" collection_format:"multi"`), "", ""},
		{"in of httpin", tagged[string](`in:"query=page;required"`), "the tag in: write `query:\"page\"`", ""},
		{"in with two names", tagged[string](`in:"query=page,p"`), "the tag in: write `query:\"page\"`", ""},
		{"in of a path", tagged[string](`in:"path=id"`), "the tag in: write `path:\"id\"`", ""},
		{"in of a header", tagged[string](`in:"header=X-Token"`), "the tag in: write `header:\"X-Token\"`", ""},
		{"in of a form", tagged[string](`json:"a" in:"form=page"`), "the tag in: write `json:\"page\"`", ""},
		{"in of a body", tagged[string](`json:"a" in:"body=json"`), "the tag in: write `json:\"json\"`", ""},
		{"in of another form", tagged[string](`json:"a" in:"query"`), "", ""},
		{"in of another library", tagged[string](`json:"a" in:"store=page"`), "", ""},
		{"deprecated", tagged[string](`json:"a" deprecated:"true"`), "write a paragraph that begins with Deprecated: in its comment, and set Options.Comments", "the tag deprecated"},
		{"not deprecated", tagged[string](`json:"a" deprecated:"false"`), "", ""},
		{"additionalProperties", reflect.TypeFor[struct {
			_ struct{} `additionalProperties:"false"`
			A string   `json:"a"`
		}](), "the tag additionalProperties of its field _: unknown members are refused if Options.Strict is set, and else ignored", ""},
		{"a field _ without it", reflect.TypeFor[struct {
			_ struct{} `title:"x"`
			A string   `json:"a"`
		}](), "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, side := range []struct {
				use  use
				want string
			}{{asInput, test.in}, {asOutput, test.out}} {
				got := foreignMistakes(test.typ, side.use)
				if (got == "") != (side.want == "") || !strings.Contains(got, side.want) {
					t.Errorf("%s: %q, want %q", side.use, got, side.want)
				}
			}
		})
	}
}

// Verify that tags which other libraries read, and that check or bind nothing, pass.
func TestTagsOfOthersPass(t *testing.T) {
	for _, tag := range []string{
		`title:"Name"`, `db:"name"`, `gorm:"primaryKey;size:255"`, `bson:"name,omitempty"`, `xml:"name,attr"`, `yaml:"name"`, `toml:"name"`,
		`csv:"name"`, `mapstructure:"name"`, `env:"NAME"`, `flag:"name"`, `protobuf:"bytes,1,opt,name=name"`, `dynamodbav:"name"`, `msgpack:"name"`,
		`avro:"name"`, `parquet:"name"`, `bigquery:"name"`, `firestore:"name"`, `datastore:"name,noindex"`, `redis:"name"`, `bun:"name,pk"`,
		`pg:"name"`, `ent:"name"`, `swaggertype:"string"`, `swaggerignore:"true"`, `extensions:"x-order=1"`, `label:"Name"`, `faker:"name"`,
		`copier:"Name"`, `structs:"name"`, `graphql:"name"`, `header_name:"x"`, `in:"name"`, `log:"-"`,
	} {
		t.Run(rowName(tag), func(t *testing.T) {
			if got := foreignMistakes(tagged[string](`json:"a" `+tag), asInput); got != "" {
				t.Error(got)
			}
		})
	}
}
