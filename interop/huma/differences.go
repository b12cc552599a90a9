package main

// A difference is what a request gets other than before, on purpose: the fields of answer, with
// the values of those that other fields follow from, and why.
type difference struct{ what, why string }

const (
	whyEmail     = "the formats email, uri and so on are those of ajv-formats; huma takes what net/mail and net/url parse"
	whyUnknown   = "Options.Strict refuses unknown query parameters too"
	whyCase      = "names of members have one spelling"
	whyNoBody    = "no body is a broken rule, which has one status; emptyBodies of doc/moving.md makes it {}"
	whyOrder     = "the file is the last part of a form, so that it is read while it arrives"
	whyType      = "a media type that is not taken is 415, without a place in the body"
	whyFormPlace = "a field of a form is in the body, as that of JSON is"
)

// differences has the table "on the wire", by the names of requests.
var differences = map[string]difference{
	"an unknown parameter":       {"Status 422, was 200; ContentType; Body; Locations [query.color], was []", whyUnknown},
	"a mail of one label":        {"Status 422, was 200; ContentType; ETag; Body; Locations [body.mail], was []", whyEmail},
	"a relative URI":             {"Status 422, was 200; ContentType; ETag; Body; Locations [body.site], was []", whyEmail},
	"a member in another case":   {"Status 422, was 200; ContentType; ETag; Body; Locations [body body.NAME], was []", whyCase},
	"no body":                    {"Status 422, was 400; Body; Locations [body], was []", whyNoBody},
	"another Content-Type":       {"Locations [], was [body]", whyType},
	"a photo of another type":    {"Status 415, was 422; Body; Locations [], was [photo]", whyType},
	"a photo as JSON":            {"Status 415, was 422; Body; Locations [], was [body]", whyType},
	"a photo before its fields":  {"Status 422, was 201; ContentType; Body; Locations [body.caption], was []", whyOrder},
	"a form without its file":    {"Locations [body], was [photo]", whyFormPlace},
	"a form without a field":     {"Locations [body.caption], was [form.caption]", whyFormPlace},
	"a form with a long field":   {"Locations [body.caption], was [form.caption]", whyFormPlace},
	"a form with a wrong number": {"Locations [body.width], was [form.width form.width]", whyFormPlace},
}
