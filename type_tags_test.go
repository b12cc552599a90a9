package svc

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

// slipMistakes returns the mistakes of a type as an input and as an output.
func slipMistakes(t reflect.Type) string {
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(t, "In")
	c.checkUse(s, asInput, "In")
	c.checkUse(s, asOutput, "In")
	c.finishShapes()
	return fmt.Sprint(p.list)
}

// tagged returns a struct with a field A of type T that has a tag.
func tagged[T any](tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[T](), Tag: reflect.StructTag(tag)}})
}

// Verify that each slip in a tag is refused, with a text that names what stands there.
func TestTagSlips(t *testing.T) {
	for _, test := range []struct {
		tag, want string
	}{
		{`json:"a", minLength:"3"`, "`, minLength:\"3\"` on: \",\" stands before the pair"},
		{`json:"a"; minLength:"3"`, `";" stands before the pair`},
		{`json:"a" , minLength:"3"`, `"," stands before the pair`},
		{"json:\"a\"\tminLength:\"3\"", `"\t" stands before the pair`},
		{"json:\"a\"\nminLength:\"3\"", `"\n" stands before the pair`},
		{"json:\"a\"\r\nminLength:\"3\"", `"\r" stands before the pair`},
		{"\tminLength:\"3\"", `"\t" stands before the pair`},
		{`json:"a" minLength: "3"`, "`minLength: \"3\"` on: a blank stands beside the colon; write minLength:\"…\""},
		{`json:"a" minLength :"3"`, `a blank stands beside the colon`},
		{`minLength: "5"`, `a blank stands beside the colon`},
		{`json: "a"`, `a blank stands beside the colon; write json:"…"`},
		{"json:\t\"a\"", `a blank stands beside the colon`},
		{`minLength:5`, `the value has no quotes; write minLength:"5"`},
		{`json:"a" minLength:3`, `the value has no quotes; write minLength:"3"`},
		{`json:"a" minLength:'3'`, `the value has no quotes; write minLength:"3"`},
		{`json:a`, `write json:"a"`},
		{`json:"a`, `has no quote at its end`},
		{`json:"a" minLength:"3`, `has no quote at its end`},
		{`json:"a" pattern:"\d"`, `an escape that Go does not have`},
		{`json:"a" required`, "`required` on: a tag is pairs such as"},
		{`json:"a" "b"`, `a tag is pairs such as`},
		{`json`, `a tag is pairs such as`},
		{`:"a"`, `a tag is pairs such as`},
		{`json:"a" minLength="3"`, `a tag is pairs such as`},
		{`json:"a" json:"b"`, `the tag has json twice`},
		{`minLength:"1" minLength:"2"`, `the tag has minLength twice`},
		{`maxLenght:"3"`, `svc does not read the tag maxLenght; did you mean maxLength?`},
		{`minLenght:"3"`, `did you mean minLength?`},
		{`maxlength:"3"`, `did you mean maxLength?`},
		{`MaxLength:"3"`, `did you mean maxLength?`},
		{`max_length:"3"`, `did you mean maxLength?`},
		{`min-length:"3"`, `did you mean minLength?`},
		{`MINLENGTH:"3"`, `did you mean minLength?`},
		{`min_length:"3"`, `did you mean minLength?`},
		{`Minimum:"3"`, `did you mean minimum?`},
		{`minimun:"3"`, `did you mean minimum?`},
		{`minium:"3"`, `did you mean minimum?`},
		{`maxium:"3"`, `did you mean maximum?`},
		{`exclusiveMin:"3"`, ``},
		{`exclusive_minimum:"3"`, `did you mean exclusiveMinimum?`},
		{`multipleof:"3"`, `did you mean multipleOf?`},
		{`multiple:"3"`, `did you mean multipleOf?`},
		{`Pattern:"a"`, `did you mean pattern?`},
		{`patern:"a"`, `did you mean pattern?`},
		{`patterns:"a"`, `did you mean pattern?`},
		{`pattern_hint:"a"`, `did you mean patternHint?`},
		{`enums:"a,b"`, `did you mean enum?`},
		{`Enum:"a,b"`, `did you mean enum?`},
		{`enun:"a,b"`, `did you mean enum?`},
		{`Query:"a"`, `did you mean query?`},
		{`querry:"a"`, `did you mean query?`},
		{`Path:"a"`, `did you mean path?`},
		{`headers:"A"`, `did you mean header?`},
		{`cookies:"a"`, `did you mean cookie?`},
		{`JSON:"a"`, `did you mean json?`},
		{`jsom:"a"`, `did you mean json?`},
		{`Default:"a"`, `did you mean default?`},
		{`defualt:"a"`, `did you mean default?`},
		{`examples:"a"`, `did you mean example?`},
		{`Doc:"a"`, `did you mean doc?`},
		{`docs:"a"`, `did you mean doc?`},
		{`formats:"uuid"`, `did you mean format?`},
		{`nulable:"false"`, `did you mean nullable?`},
		{`minItem:"1"`, `did you mean minItems?`},
		{`max_items:"1"`, `did you mean maxItems?`},
		{`uniqueItem:"true"`, `did you mean uniqueItems?`},
		{`minProperty:"1"`, ``},
		{`contenttype:"image/png"`, `did you mean contentType?`},
		{`maxbytes:"1"`, `did you mean maxBytes?`},
		{`Variant:"a"`, `did you mean variant?`},
		{`discriminater:"true"`, `did you mean discriminator?`},
		{`idempotence:"-"`, `did you mean idempotency?`},
		{`mcp-header:"A"`, `did you mean mcpheader?`},
		{`Order:"any"`, `did you mean order?`},
		{`in_line:"true"`, `did you mean inline?`},
		{`format:"e-mail"`, `format:"e-mail" is not checked; did you mean "email"?`},
		{`format:"Email"`, `did you mean "email"?`},
		{`format:"datetime"`, `did you mean "date-time"?`},
		{`format:"date_time"`, `did you mean "date-time"?`},
		{`format:"DateTime"`, `did you mean "date-time"?`},
		{`format:"UUID"`, `did you mean "uuid"?`},
		{`format:"guid"`, `did you mean "uuid"?`},
		{`format:"url"`, `did you mean "uri"?`},
		{`format:"host-name"`, `did you mean "hostname"?`},
		{`format:"IPv4"`, `did you mean "ipv4"?`},
		{`json:"a,omitemtpy"`, `there is no option "omitemtpy"; did you mean omitempty?`},
		{`json:"a,omitEmpty"`, `did you mean omitempty?`},
		{`json:"a, omitempty"`, `there is no option " omitempty"; did you mean omitempty?`},
		{`json:"a,omit_zero"`, `did you mean omitzero?`},
		{`json:"a,omitzer"`, `did you mean omitzero?`},
		{`json:",inline"`, `there is no option "inline"; encoding/json has omitempty, omitzero and string`},
		{`json:",unknown"`, `there is no option "unknown"`},
		{`json:"a,format:unix"`, `there is no option "format:unix"`},
		{`json:"a,case:ignore"`, `there is no option "case:ignore"`},
		{`json:"a:omitempty"`, `a member that is called "a:omitempty"; write a comma before the option`},
		{`json:"a omitempty"`, `write a comma before the option`},
		{`json:"omitempty"`, `write a comma before the option`},
		{`json:"-,omitempty"`, `the comma makes this a member that is called -`},
		{`json:"a "`, `the blank is a part of the name`},
		{`json:"a\"b"`, `encoding/json takes no name with the character '"'`},
		{`json:"a\\b"`, `encoding/json takes no name with the character '\\'`},
		{`json:"it's"`, `takes no name with the character '\''`},
		{`header:"X,omitemtpy"`, `there is no option "omitemtpy"; svc knows omitempty and omitzero`},
		{`cookie:"x,required"`, `there is no option "required"`},
		{`query:"a,explode"`, `svc does not know explode`},
		{`json:"a,string"`, "`json:\",string\"` is for integers and floats"},
		{`enum:"a,a"`, `each value once, and a is there twice`},
	} {
		t.Run(rowName(test.tag), func(t *testing.T) {
			for _, typ := range []reflect.Type{tagged[string](test.tag), reflect.MapOf(reflect.TypeFor[string](), tagged[string](test.tag))} {
				got := slipMistakes(typ)
				if test.want == "" != (got == "[]") || !strings.Contains(got, test.want) {
					t.Errorf("%s, want %s", got, test.want)
				}
				if got != "[]" && strings.Count(got, "A: ") != 1 {
					t.Errorf("want one line with the place: %s", got)
				}
			}
		})
	}
}

// Verify that what looks like a slip and is none registers.
func TestTagLookAlikes(t *testing.T) {
	for _, tag := range []string{
		``, `json:"a"`, `json:"a"minLength:"3"`, `json:"a"  minLength:"3"`, ` json:"a"`, `json:"a" `, `json:"a" minLength:"3"   `,
		`json:"a,omitempty"`, `json:"a,"`, `json:",omitzero"`, `json:"-"`, `json:"-,"`, `json:" "`, `json:"a-b"`, `json:"größe"`, `json:"$ref"`, `json:"a:b"`, `json:"a.string"`, `json:"string"`,
		`json:"a" db:"a"`, `json:"a" gorm:"column:a;type:varchar(100);not null"`, `gorm:"primaryKey"`, `gorm:"-"`, `json:"a" bson:"a,omitempty"`, `bson:"_id,omitempty" json:"a"`,
		`json:"a" yaml:"a"`, `json:"a" xml:"a,attr"`, `json:"a" toml:"a"`, `json:"a" url:"a,comma"`, `json:"a" msgpack:"a"`, `json:"a" cbor:"1,keyasint"`,
		`json:"a" mapstructure:",squash"`, `json:"a" dynamodbav:"a"`, `json:"a" firestore:"a"`, `json:"a" datastore:"a,noindex"`, `json:"a" bun:"a,pk"`, `json:"a" pg:"a"`, `json:"a" sql:"a"`,
		`json:"a" protobuf:"bytes,1,opt,name=a"`, `json:"a" patchStrategy:"merge" patchMergeKey:"name"`, `json:"a" hjson:"a"`, `json:"a" env:"A" envDefault:"1"`, `json:"a" xpath:"/a"`,
		`json:"a" jsonschema:"title=a"`, `json:"a" swaggertype:"string"`, `json:"a" faker:"name"`, `json:"a" structs:"a"`, `json:"a" ion:"a"`, `json:"a" dec:"a"`, `json:"a" doz:"a"`,
		`json:"a" validate2:"required"`, `json:"a" form:"a"`, `json:"a" graphql:"a"`, `json:"a" parquet:"a"`, `json:"a" csv:"a"`, `json:"a" schema:"a"`, `json:"a" index:"1"`, `json:"a" title:"A"`,
		`format:"email"`, `format:"password"`, `format:"int32"`, `format:"byte"`, `format:"iri"`, `format:"uri-reference"`, `format:"duration"`, `format:"phone"`,
		`query:"a,omitempty"`, `header:"X-A,omitempty"`, `cookie:"a"`,
	} {
		t.Run(rowName(tag), func(t *testing.T) {
			if got := slipMistakes(tagged[string](tag)); got != "[]" {
				t.Errorf("refused: %s", got)
			}
		})
	}
}

type (
	slipRuled struct {
		A    string `json:"a"`
		size int    `minimum:"1"`
	}
	slipFine struct {
		A    string    `json:"a"`
		note string    `json:"-"`
		_    struct{}  `type:"structure"`
		db   *sql.Conn `db:"-"`
	}
	SlipLeft  struct{ Name string }
	SlipRight struct{ Name string }
	slipBoth  struct {
		SlipLeft
		SlipRight
	}
	slipOwn struct {
		SlipLeft
		SlipRight
		Name string
	}
	slipTime struct {
		time.Time
		Name string
	}
	slipBig struct {
		*big.Int
		Name string
	}
	slipAddr struct {
		netip.Addr
		Port int
	}
	slipOptional struct {
		Optional[string]
		Name string
	}
	slipRaw struct {
		json.RawMessage
		Name string
	}
	slipDeep struct {
		slipTime
		Other string
	}
	slipPage struct {
		PageQuery
		PerPage int `json:"per_page,omitempty" maximum:"50"`
	}
	slipFilter struct {
		SlipQuery
		Status int `json:"status,omitempty"`
	}
	slipSpans struct {
		SlipOuter
		From int `json:"from,omitempty"`
	}
	slipStamp  struct{ time.Time }
	slipNamed  struct{ At time.Time }
	slipSchema struct {
		SlipDescribed
		Name string
	}
	SlipDescribed struct{ A int }
	slipOnTop     struct {
		SlipLeft `minLength:"3"`
	}
	slipNull     struct{ A sql.NullString }
	slipNullT    struct{ A sql.Null[int64] }
	slipNullTime struct{ A []sql.NullTime }
	slipNullOwn  struct{ sql.NullBool }
	slipSpan     struct{ A SlipInterval }
	slipUnion    struct {
		Type string    `json:"type" discriminator:"true"`
		Card *slipCard `variant:"card"`
	}
	slipCard struct {
		Number string `json:"number" minLenght:"3"`
	}
	slipOptionals struct {
		A Optional[slipCard] `json:"a,omitzero"`
	}
)

// A SlipQuery has the Validate of PageQuery, which does not look at Status.
type SlipQuery struct {
	PageQuery
	Status string `json:"status,omitempty"`
}

// A SlipOuter has a Validate of its own, which can look at From.
type SlipOuter struct{ SlipInner }
type SlipInner struct {
	From string `json:"from,omitempty"`
}

func (*SlipOuter) Validate() error { return nil }

// A SlipInterval is like the ones of drivers of databases.
type SlipInterval struct {
	Days, Months int32
	Valid        bool
}

func (*SlipInterval) Scan(any) error              { return nil }
func (SlipInterval) Value() (driver.Value, error) { return nil, nil }

func (SlipDescribed) JSONSchema() map[string]any { return nil }
func (SlipDescribed) SchemaName() string         { return "Described" }
func (SlipDescribed) Enum() []string             { return nil }

// Verify that a member that no JSON would have is a mistake, wherever its type is.
func TestVanishingMembers(t *testing.T) {
	hidden := reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: reflect.TypeFor[int]()}, {Name: "name", PkgPath: "app", Type: reflect.TypeFor[string](), Tag: `json:"name"`},
	})
	_ = slipRuled{size: 0}.size
	_ = slipFine{note: "", db: nil}.note
	_ = slipFine{}.db
	for _, test := range []struct {
		typ  reflect.Type
		want string
	}{
		{hidden, `In.name: nothing reads the tag json:"name", since the field is not exported`},
		{reflect.TypeFor[slipRuled](), `slipRuled.size: nothing reads the tag minimum:"1", since the field is not exported`},
		{reflect.TypeFor[slipFine](), ""},
		{reflect.TypeFor[slipBoth](), `slipBoth: the member "Name" is lost, since svc.SlipLeft.Name and svc.SlipRight.Name hide each other`},
		{reflect.TypeFor[slipOwn](), ""},
		{reflect.TypeFor[slipPage](), `slipPage.PerPage: hides PerPage of the embedded svc.PageQuery, whose Validate then reads a value that no client sends`},
		{reflect.TypeFor[slipFilter](), ""},
		{reflect.TypeFor[slipSpans](), `slipSpans.From: hides From of the embedded svc.SlipOuter, whose Validate then reads`},
		{reflect.TypeFor[slipTime](), `UnmarshalJSON of time.Time, which svc.slipTime embeds, stands for all of it, so that Name would be lost; write a name before time.Time`},
		{reflect.TypeFor[slipTime](), `MarshalJSON of time.Time`},
		{reflect.TypeFor[slipBig](), `of *big.Int, which svc.slipBig embeds`},
		{reflect.TypeFor[slipAddr](), `UnmarshalText of netip.Addr, which svc.slipAddr embeds, stands for all of it, so that Port would be lost`},
		{reflect.TypeFor[slipOptional](), `which svc.slipOptional embeds, stands for all of it, so that Name would be lost`},
		{reflect.TypeFor[slipRaw](), `, which svc.slipRaw embeds, stands for all of it, so that Name would be lost`},
		{reflect.TypeFor[slipDeep](), `so that Name, Other would be lost`},
		{reflect.TypeFor[slipStamp](), ""},
		{reflect.TypeFor[slipNamed](), ""},
		{reflect.TypeFor[slipSchema](), ""},
		{reflect.TypeFor[slipOnTop](), `slipOnTop.SlipLeft: nothing reads the tag minLength:"3", since the field is embedded`},
		{reflect.TypeFor[slipNull](), `slipNull.A: a sql.NullString is for databases, and its JSON would be an object with a member Valid; write *string, or svc.Optional[string]`},
		{reflect.TypeFor[slipNullT](), `write *int64, or svc.Optional[int64]`},
		{reflect.TypeFor[slipNullTime](), `write *time.Time, or svc.Optional[time.Time]`},
		{reflect.TypeFor[slipNullOwn](), `write *bool, or svc.Optional[bool]`},
		{reflect.TypeFor[slipSpan](), `write a pointer to a struct of your own that has Days, Months, or an svc.Optional of it`},
		{reflect.TypeFor[[]slipCard](), `slipCard.Number: svc does not read the tag minLenght`},
		{reflect.TypeFor[slipUnion](), `slipCard.Number: svc does not read the tag minLenght`},
		{reflect.TypeFor[slipOptionals](), `slipCard.Number: svc does not read the tag minLenght`},
	} {
		t.Run(rowName(test.typ.String()), func(t *testing.T) {
			got := slipMistakes(test.typ)
			if test.want == "" != (got == "[]") || !strings.Contains(got, test.want) {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
