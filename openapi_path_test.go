package svc

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// oaPaths has a placeholder of every kind that an OpenAPI 3.0.3 document must
// tell as text.
type oaPaths struct {
	Bool     bool          `path:"a"`
	Int      int           `path:"b"`
	Int8     int8          `path:"c"`
	Int64    int64         `path:"d" minimum:"-5" exclusiveMaximum:"1000"`
	Uint8    uint8         `path:"e"`
	Uint16   uint16        `path:"f" exclusiveMinimum:"9"`
	Uint64   uint64        `path:"g"`
	Enum     int           `path:"h" enum:"1,20,-3"`
	Within   int           `path:"i" enum:"1,20,-3" minimum:"2"`
	Float    float64       `path:"j"`
	Number   json.Number   `path:"k"`
	Text     string        `path:"l" minLength:"2" pattern:"^[0-9]+$"`
	Choice   string        `path:"m" enum:"1,1e2,true"`
	Pointer  *int16        `path:"n" maximum:"12"`
	Duration time.Duration `path:"o"`
}

// Verify that the patterns and enums of placeholders take what the binder takes,
// in every spelling but two: whether 1e2 is an integer, and which, no regular
// expression can tell, nor where the bounds of 64 bits are to the digit.
func TestOpenAPIPathText(t *testing.T) {
	p := new(problems)
	shapes := newShapes(p)
	in := shapes.of(reflect.TypeFor[oaPaths](), "in")
	var placeholders []string
	for _, f := range in.fields {
		placeholders = append(placeholders, f.path)
	}
	bind := compileBinding(newDecoders(p, false), in, bindSpec{placeholders: placeholders, explicit: true})
	if len(p.list) > 0 {
		t.Fatal(p.list)
	}
	texts := slices.Concat(contractTexts[:], []string{
		"-0", "0.0", "-0.0", "1.0", "1.00", "1.", ".1", "1.5", "01", "-01", "+1", " 1", "1 ", "1_0", "0x1", "１", "--1", "-", "1e", "e1", "1e+", "20.0", "-3", "-3.000", "-5", "-6",
		"9", "10", "11", "12", "13", "99", "100", "126", "127", "128", "-127", "-128", "-129", "254", "255", "256", "999", "1000", "1001", "32767", "32768", "65535", "65536",
		"9223372036854775807", "-9223372036854775808", "18446744073709551615", "99999999999999999999999", "True", "TRUE", "NaN", "Inf", "1h30m", "µs", "5µs", "5\n", "100000h",
	})
	for i := range bind.path {
		f := bind.path[i].field
		var schema struct {
			Type, Pattern string
			Enum          []string
			MinLength     int
		}
		if err := json.Unmarshal((&schemaWriter{dialect: openAPI30}).pathParameter(nil, f), &schema); err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile(schema.Pattern)
		for _, text := range texts {
			_, err := bind.request(new(decoder), requestValues{path: onePath{f.path, text}})
			got := violationsOf(err, inPath, f.name) == nil
			want := schema.Type == "string" && re.MatchString(text) && len(text) >= schema.MinLength &&
				(schema.Enum == nil || slices.Contains(schema.Enum, text))
			if f.shape.deref().kind.isNumeric() && strings.ContainsAny(text, "eE") {
				if got && !want {
					t.Errorf("%s: the binder takes %q, and the pattern does not: %s", f.goName, text, schema.Pattern)
				}
				continue
			}
			if got != want {
				t.Errorf("%s: binder %t, schema %t for %q: %s %q", f.goName, got, want, text, schema.Pattern, schema.Enum)
			}
		}
	}
}
