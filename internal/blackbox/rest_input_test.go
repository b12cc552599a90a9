package blackbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/svc"
)

// This file has the tables of bad and border-line input over REST. A row has the
// status, and a file of testdata/rest the whole answer. Each row is sent to the handler
// as a function, over HTTP/1.1 and over HTTP/2, and gets the same answer each time.

// A badInput is one row. The request is to the service at /items.
type badInput struct {
	name string
	wireRequest
	status int
}

var badBodies = []badInput{
	{"empty body", create(""), 400},
	{"white space only", create(" \r\n\t "), 400},
	{"null", create("null"), 400},
	{"array", create("[]"), 400},
	{"string", create(`"title"`), 400},
	{"number", create("1"), 400},
	{"empty object", create("{}"), 400},
	{"white space around", create(" \n{ \"title\" :\t\"a\" }\r\n"), 200},
	{"BOM", create("\ufeff" + `{"title":"a"}`), 400},
	{"BOM inside", create(`{"title":` + "\ufeff" + `"a"}`), 400},
	{"UTF-16", create("\xff\xfe{\x00}\x00"), 400},
	{"NUL before", create("\x00" + `{"title":"a"}`), 400},
	{"NUL after", create(`{"title":"a"}` + "\x00"), 400},
	{"trailing brace", create(`{"title":"a"}}`), 400},
	{"trailing object", create(`{"title":"a"}{"title":"b"}`), 400},
	{"trailing object on a line of its own", create("{\"title\":\"a\"}\n{\"title\":\"b\"}"), 400},
	{"trailing comma", create(`{"title":"a",}`), 400},
	{"trailing word", create(`{"title":"a"} x`), 400},
	{"comment", create(`{"title":"a"/**/}`), 400},
	{"no value", create(`{"title":}`), 400},
	{"no colon", create(`{"title" "a"}`), 400},
	{"no quotes", create(`{title:"a"}`), 400},
	{"single quotes", create(`{'title':'a'}`), 400},
	{"truncated object", create(`{"title":"a"`), 400},
	{"truncated string", create(`{"title":"a`), 400},
	{"truncated escape", create(`{"title":"a\`), 400},
	{"truncated name", create(`{"tit`), 400},
	{"truncated literal", create(`{"title":tru`), 400},
	{"form", with(create("title=a"), "Content-Type: application/x-www-form-urlencoded"), 415},

	{"100,000 open brackets", post("/items/echo", strings.Repeat("[", 100_000)), 400},
	{"100,000 levels, balanced", echo(nested(100_000)), 400},
	{"100,000 levels in an ignored member", create(`{"title":"a","x":` + nested(100_000) + `}`), 400},
	{"100,000 objects", post("/items/echo", strings.Repeat(`{"value":`, 100_000)), 400},
	{"100,000 levels of a recursive type", kinds(`"node":` + strings.Repeat(`{"next":`, 100_000) + "null" + strings.Repeat("}", 100_000)), 400},
	{"1,000 levels", echo(nested(999)), 200},
	{"1,001 levels", echo(nested(1000)), 400},
	{"500 KB of brackets", echo(strings.Repeat("[", 500_000)), 400},
	{"more than MaxBody of brackets", echo(strings.Repeat("[", 5_000_000)), 413},

	{"1e400 into a float64", kinds(`"f64":1e400`), 400},
	{"-1e400 into a float64", kinds(`"f64":-1e400`), 400},
	{"1e39 into a float32", kinds(`"f32":1e39`), 400},
	{"1e400 into any", echo("1e400"), 200},
	{"1e400 into a json.Number", kinds(`"num":1e400`), 200},
	{"1e400 into an int64", kinds(`"i64":1e400`), 400},
	{"1e1000000000 into an int64", kinds(`"i64":1e1000000000`), 400},
	{"1e-1000000000 into an int64", kinds(`"i64":1e-1000000000`), 400},
	{"1e-400 into a float64", kinds(`"f64":1e-400`), 200},
	{"exponent of 100,000 digits", kinds(`"i64":1e` + strings.Repeat("9", 100_000)), 400},
	{"100,000 digits into an int64", kinds(`"i64":` + strings.Repeat("9", 100_000)), 400},
	{"100,000 digits into a float64", kinds(`"f64":` + strings.Repeat("9", 100_000)), 400},
	{"100,000 decimals into a float64", kinds(`"f64":0.` + strings.Repeat("3", 100_000)), 200},
	{"300 into an int8", kinds(`"i8":300`), 400},
	{"-129 into an int8", kinds(`"i8":-129`), 400},
	{"-128 into an int8", kinds(`"i8":-128`), 200},
	{"256 into a uint8", kinds(`"u8":256`), 400},
	{"-1 into a uint8", kinds(`"u8":-1`), 400},
	{"9007199254740993 into an int64", kinds(`"i64":9007199254740993`), 200},
	{"9007199254740993 into any", echo("9007199254740993"), 200},
	{"9007199254740993.0 into an int64", kinds(`"i64":9007199254740993.0`), 200},
	{"the largest int64", kinds(`"i64":9223372036854775807`), 200},
	{"the largest int64 and one", kinds(`"i64":9223372036854775808`), 400},
	{"the smallest int64", kinds(`"i64":-9223372036854775808`), 200},
	{"the smallest int64 less one", kinds(`"i64":-9223372036854775809`), 400},
	{"the largest uint64", kinds(`"u64":18446744073709551615`), 200},
	{"the largest uint64 and one", kinds(`"u64":18446744073709551616`), 400},
	{"30 digits into any", echo("123456789012345678901234567890"), 200},
	{"-0 into an int8", kinds(`"i8":-0`), 200},
	{"-0 into a uint8", kinds(`"u8":-0`), 200},
	{"-0 into a float64", kinds(`"f64":-0`), 200},
	{"-0 into any", echo("-0"), 200},
	{"1.0 into an int8", kinds(`"i8":1.0`), 200},
	{"1e2 into an int8", kinds(`"i8":1e2`), 200},
	{"1200e-2 into an int8", kinds(`"i8":1200e-2`), 200},
	{"1.5 into an int8", kinds(`"i8":1.5`), 400},
	{"1e-1 into an int8", kinds(`"i8":1e-1`), 400},
	{"leading zero", kinds(`"i8":01`), 400},
	{"plus", kinds(`"i8":+1`), 400},
	{"point without digits", kinds(`"f64":1.`), 400},
	{"point first", kinds(`"f64":.5`), 400},
	{"hexadecimal", kinds(`"i64":0x10`), 400},
	{"underscore", kinds(`"i64":1_000`), 400},
	{"NaN", kinds(`"f64":NaN`), 400},
	{"Infinity", kinds(`"f64":-Infinity`), 400},
	{"full-width digit", kinds(`"i64":１`), 400},
	{"exponent without digits", kinds(`"f64":1e+`), 400},

	{"a number for a string", create(`{"title":1}`), 400},
	{"a string for a number", create(`{"title":"a","size":"1"}`), 400},
	{"null for a string", create(`{"title":null}`), 400},
	{"null for a list", create(`{"title":"a","tags":null}`), 400},
	{"null in a list", create(`{"title":"a","tags":[null]}`), 400},
	{"null for a pointer", kinds(`"ptr":null`), 200},
	{"null for any", echo("null"), 200},
	{"null for raw JSON", kinds(`"raw":null`), 200},
	{"an object for a list", create(`{"title":"a","tags":{"0":"a"}}`), 400},
	{"a list for an object", kinds(`"map":[]`), 400},
	{"a number for true", kinds(`"b":1`), 400},
	{"a string for true", kinds(`"b":"true"`), 400},
	{"True", kinds(`"b":True`), 400},
	{"empty title", create(`{"title":""}`), 400},
	{"every member wrong", kinds(`"i8":"a","u8":null,"f64":{},"b":[],"s":1,"time":"now","dur":"1 day","bytes":"?","ptr":1.5,"num":"1","list":[1,"2",300],"pair":[1],"map":{"a":-200,"b":"c"},"keys":{"x":"y"},"node":{"next":1},"quote":5,"enum":"blue","mail":"me","score":2,"set":["a","a"]`), 400},
	{"RFC 3339 time", kinds(`"time":"2026-02-28T23:59:59.5+02:00"`), 200},
	{"a day that is not", kinds(`"time":"2026-02-29T00:00:00Z"`), 400},
	{"a time without a zone", kinds(`"time":"2026-02-28T00:00:00"`), 400},
	{"a date", kinds(`"time":"2026-02-28"`), 400},
	{"a comma in a time", kinds(`"time":"2026-02-28T00:00:00,5Z"`), 400},
	{"a number for a time", kinds(`"time":1760000000`), 400},
	{"duration", kinds(`"dur":"1h30m"`), 200},
	{"a number for a duration", kinds(`"dur":1000`), 400},
	{"a duration that is too long", kinds(`"dur":"9999999999h"`), 400},
	{"base64", kinds(`"bytes":"AP8="`), 200},
	{"base64 without padding", kinds(`"bytes":"AP8"`), 400},
	{"base64 for URLs", kinds(`"bytes":"-_8="`), 400},
	{"base64 with a line end", kinds(`"bytes":"AP8=\n"`), 400},
	{"array too long", kinds(`"pair":[1,2,3]`), 400},
	{"map key out of range", kinds(`"keys":{"300":"x"}`), 400},
	{"map key of another spelling", kinds(`"keys":{"1.0":"x"}`), 400},
	{"number in quotes", kinds(`"quote":"12"`), 200},
	{"number not in its quotes", kinds(`"quote":12`), 400},
	{"number in quotes with a space", kinds(`"quote":" 12"`), 400},

	{"duplicate name", create(`{"title":"a","title":"b"}`), 400},
	{"duplicate name, escaped", create(`{"title":"a","\u0074itle":"b"}`), 400},
	{"duplicate unknown name", create(`{"title":"a","x":1,"x":2}`), 400},
	{"duplicate name in an ignored member", create(`{"title":"a","x":{"y":{"z":1,"z":2}}}`), 400},
	{"duplicate name in any", echo(`[{"a":{"b":1,"b":1}}]`), 400},
	{"duplicate name in raw JSON", kinds(`"raw":{"b":1,"b":1}`), 400},
	{"duplicate map key", kinds(`"map":{"a":1,"a":1}`), 400},
	{"duplicate name with a slash and a tilde", echo(`{"a/b~c":1,"a/b~c":1}`), 400},
	{"upper case name", create(`{"TITLE":"a"}`), 400},
	{"name of another case beside the right one", create(`{"title":"a","Title":"b"}`), 200},
	{"name with a NUL", create(`{"title":"a","title\u0000":"b"}`), 200},
	{"name with a space", create(`{"title ":"a"}`), 400},
	{"name with U+017F for s", post("/items", `{"title":"a","ſize":7,"tagſ":["x"]}`), 200},
	{"name with U+212A for K", kinds(`"ran\u212a":1,"ĸeys":1,"\u212aeys":{"1":"x"}`), 200},
	{"name with U+0130 for i", create(`{"tİtle":"a"}`), 400},
	{"Go name", create(`{"Title":"a"}`), 400},
	{"__proto__", create(`{"title":"a","__proto__":{"size":7}}`), 200},
	{"name of the other source", wireRequest{"PUT /items/1", "", `{"title":"a","id":"2","dry":true}`}, 200},
	{"empty name", create(`{"title":"a","":1}`), 200},

	{"lone high surrogate", create(`{"title":"\ud800"}`), 400},
	{"lone low surrogate", create(`{"title":"\udc00"}`), 400},
	{"surrogates the wrong way round", create(`{"title":"\udc00\ud800"}`), 400},
	{"high surrogate and a letter", create(`{"title":"\ud800a"}`), 400},
	{"two high surrogates", create(`{"title":"\ud83d\ud83d\ude00"}`), 400},
	{"surrogate pair", create(`{"title":"\ud83d\ude00"}`), 200},
	{"lone surrogate in a name", create(`{"title":"a","\ud800":1}`), 400},
	{"lone surrogate in an ignored member", create(`{"title":"a","x":["\udfff"]}`), 400},
	{"lone surrogate in raw JSON", kinds(`"raw":"\udfff"`), 400},
	{"invalid UTF-8", create("{\"title\":\"\xff\"}"), 400},
	{"truncated UTF-8", create("{\"title\":\"\xe2\x82\"}"), 400},
	{"overlong UTF-8", create("{\"title\":\"\xc0\xaf\"}"), 400},
	{"surrogate in UTF-8", create("{\"title\":\"\xed\xa0\x80\"}"), 400},
	{"UTF-8 beyond Unicode", create("{\"title\":\"\xf4\x90\x80\x80\"}"), 400},
	{"invalid UTF-8 in a name", create("{\"title\":\"a\",\"\xff\":1}"), 400},
	{"invalid UTF-8 in an ignored member", create("{\"title\":\"a\",\"x\":\"\xff\"}"), 400},
	{"invalid UTF-8 outside a string", create("{\"title\":\"a\"\xff}"), 400},
	{"U+FFFD", create("{\"title\":\"\ufffd\"}"), 200},
	{"U+2028 and HTML", create(`{"title":"\u2028<script>&</script>"}`), 200},
	{"noncharacter", create("{\"title\":\"\uffff\"}"), 200},
	{"control character", create("{\"title\":\"a\nb\"}"), 400},
	{"escaped control characters", create(`{"title":"\u0000\b\u001f\u007f"}`), 200},
	{"an escape that JSON does not have", create(`{"title":"\x41"}`), 400},
	{"an escape of three digits", create(`{"title":"\u041"}`), 400},
	{"an escape in capitals", create(`{"title":"\U0041"}`), 400},

	{"string of 256 KiB for a number", kinds(`"i64":"` + strings.Repeat("secret", 43_690) + `"`), 400},
	{"string of 256 KiB for an enum", kinds(`"enum":"` + strings.Repeat("secret", 43_690) + `"`), 400},
	{"name of 256 KiB", create(`{"` + strings.Repeat("x", 256<<10) + `":1}`), 400},
	{"duplicate name of 256 KiB", create(`{"` + strings.Repeat("x", 256<<10) + `":1,"` + strings.Repeat("x", 256<<10) + `":1}`), 400},
	{"map key of 256 KiB with a wrong value", kinds(`"map":{"` + strings.Repeat("é", 128<<10) + `":"secret"}`), 400},
	{"1,000 unknown names", create(manyMembers(1000, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) })), 400},
	{"1,000 wrong values", kinds(`"map":` + manyMembers(1000, func(i int) string { return fmt.Sprintf(`"x%d":"secret"`, i) })), 400},
	{"enum", kinds(`"color":"red","level":3.0,"colors":["blue","red"],"byLevel":{"1":1}`), 200},
	{"enum in another case", kinds(`"color":"Red"`), 400},
	{"enum of another type", kinds(`"color":1,"level":"1"`), 400},
	{"enum null", kinds(`"color":null,"level":null,"colors":[null]`), 400},
	{"enum with a rule of the field", kinds(`"level":1`), 400},
	{"enum without it, by a field with a rule", kinds(`"level":4`), 400},
	{"enum in a list, two wrong", kinds(`"colors":["red","","RED"]`), 400},
	{"enum in a list that is too long", kinds(`"colors":["red","red","red","x"]`), 400},
	{"enum as a name, two wrong", kinds(`"byLevel":{"1":1,"4":2,"01":3}`), 400},
	{"items with rules", kinds(`"words":["ab","abcd"],"sizes":[10,null]`), 200},
	{"items with rules, all of them broken", kinds(`"words":["a","abcde","AB"],"sizes":[-2,1.5]`), 400},
	{"1,000 items with rules, all broken", kinds(`"colors":["x"],"words":[` + strings.Repeat(`"A",`, 999) + `"A"]`), 400},
	{"1,000 wrong elements", create(`{"title":"a","tags":[` + strings.Repeat("1,", 999) + `1]}`), 400},
	{"500 wrong values with names of control characters", kinds(`"map":` + manyMembers(500, func(i int) string {
		return fmt.Sprintf(`"%d%s":"secret"`, i, strings.Repeat(`\u0001`, 300))
	})), 400},
}

var badTypes = []badInput{
	{"no type", wireRequest{"POST /items", "-", `{"title":"a"}`}, 200},
	{"empty type", typed(""), 200},
	{"JSON", typed("application/json"), 200},
	{"JSON in capitals", typed("APPLICATION/Json"), 200},
	{"charset", typed("application/json; charset=utf-8"), 200},
	{"charset in capitals and quotes", typed(`application/json;charset="UTF-8"`), 200},
	{"other parameter", typed("application/json; profile=x; v=1"), 200},
	{"trailing semicolon", typed("application/json;"), 200},
	{"problem+json", typed("application/problem+json"), 200},
	{"vendor+json", typed("application/vnd.acme.v2+json; charset=utf-8"), 200},
	{"charset latin-1", typed("application/json; charset=iso-8859-1"), 415},
	{"charset utf-16", typed("application/json; charset=utf-16"), 415},
	{"charset utf8", typed("application/json; charset=utf8"), 415},
	{"charset empty", typed(`application/json; charset=""`), 415},
	{"charset without a value", typed("application/json; charset"), 415},
	{"charset twice", typed("application/json; charset=utf-8; charset=utf-16"), 415},
	{"1 KiB", typed("application/json;" + strings.Repeat(" ", 1<<10-len("application/json;a=b")) + "a=b"), 200},
	{"more than 1 KiB", typed("application/json;" + strings.Repeat(" ", 1<<10-len("application/json;a=b")) + "a=bc"), 415},
	{"text/plain", typed("text/plain"), 415},
	{"text/plain with JSON in it", typed("text/plain; application/json"), 415},
	{"text/json", typed("text/json"), 415},
	{"form type", typed("application/x-www-form-urlencoded"), 415},
	{"multipart", typed("multipart/form-data; boundary=x"), 415},
	{"jsonp", typed("application/jsonp"), 415},
	{"json-seq", typed("application/json-seq"), 415},
	{"ndjson", typed("application/x-ndjson"), 415},
	{"javascript", typed("application/javascript"), 415},
	{"+json alone", typed("application/+json"), 415},
	{"image+json", typed("image/x+json"), 415},
	{"json in the middle", typed("application/json+xml"), 415},
	{"star", typed("*/*"), 415},
	{"star in JSON", typed("application/*"), 415},
	{"two in one header", typed("application/json, application/json"), 415},
	{"two headers", wireRequest{"POST /items", "Content-Type: application/json\nContent-Type: application/json", `{"title":"a"}`}, 415},
	{"two headers that differ", wireRequest{"POST /items", "Content-Type: text/plain\nContent-Type: application/json", `{"title":"a"}`}, 415},
	{"nonsense", typed(";;;,,,q=zzz"), 415},
	{"slash alone", typed("/"), 415},
	{"type without a slash", typed("json"), 415},
	{"gzip", with(create(`{"title":"a"}`), "Content-Type: application/json\nContent-Encoding: gzip"), 415},
	{"identity", with(create(`{"title":"a"}`), "Content-Type: application/json\nContent-Encoding: identity"), 200},
	{"unknown encoding", with(create(`{"title":"a"}`), "Content-Type: application/json\nContent-Encoding: aes128gcm, zstd"), 415},
	{"text/plain and no body", with(create(""), "Content-Type: text/plain"), 415},
	{"text/plain where no body counts", wireRequest{"POST /items/ping", "Content-Type: text/plain\nContent-Encoding: gzip", "hello"}, 204},
	{"not JSON where no body counts", wireRequest{"POST /items/ping", "", "{"}, 204},
	{"a body on GET", wireRequest{"GET /items/1", "Content-Type: text/plain", `{"id":"2"}`}, 400},
	{"an empty object on GET", wireRequest{"GET /items/1", "Content-Type: text/plain", ` {} `}, 200},
	{"a body on DELETE", wireRequest{"DELETE /items/2", "", `{"id":"1"}`}, 400},
	{"a large body on GET", wireRequest{"GET /items/1", "", strings.Repeat("x", 2<<20)}, 413},
	{"any Accept", with(create(`{"title":"a"}`), "Content-Type: application/json\nAccept: ;;;,,,q=zzz"), 200},
	{"Accept of something else", with(get("/items/1"), "Accept: text/html"), 200},
}

var badPaths = []badInput{
	{"plain", get("/items/1"), 200},
	{"escaped digit", get("/items/%31"), 200},
	{"escaped letters of the resource", get("/%69tems/1"), 200},
	{"escaped slash", get("/items/%2F"), 404},
	{"escaped slash inside", get("/items/1%2F..%2F1"), 404},
	{"escaped slash before", get("/items/x%2f1"), 404},
	{"escaped slash for the separator", get("/items%2F1"), 404},
	{"twice escaped slash", get("/items/%252F"), 404},
	{"escaped slash and a character that is not", get("/items/x%2f1日"), 404},
	{"escaped slash for the separator and a character that is not", get("/items%2F1日"), 404},
	{"backslash", get("/items/x%5C..%5C1"), 404},
	{"dot", get("/items/./1"), 404},
	{"dot dot", get("/items/x/../1"), 404},
	{"dot dot at the end", get("/items/.."), 404},
	{"dot dot above the root", get("/../items/1"), 404},
	{"escaped dot dot", get("/items/%2e%2e"), 404},
	{"escaped dot dot in between", get("/items/x/%2e%2e/1"), 404},
	{"half escaped dot dot", get("/items/.%2e/items/1"), 404},
	{"dots and a semicolon", get("/items/..;/1"), 404},
	{"a semicolon", get("/items/1;v=2"), 404},
	{"three dots", get("/items/..."), 404},
	{"two slashes", get("/items//1"), 404},
	{"two slashes first", get("//items/1"), 404},
	{"two slashes and a host", get("//evil.example/%2e%2e"), 404},
	{"slash at the end", get("/items/1/"), 404},
	{"slash after the resource", get("/items/"), 404},
	{"NUL", get("/items/%00"), 404},
	{"1 and a NUL", get("/items/1%00"), 404},
	{"CRLF", get("/items/1%0D%0ASet-Cookie:%20x=1"), 404},
	{"space", get("/items/%201"), 404},
	{"plus is no space", get("/items/+1"), 404},
	{"invalid UTF-8", get("/items/%ff"), 400},
	{"overlong UTF-8", get("/items/%c0%af"), 400},
	{"surrogate in UTF-8", get("/items/%ed%a0%80"), 400},
	{"UTF-8", get("/items/%e6%97%a5"), 404},
	{"UTF-8 not escaped", get("/items/日"), 404},
	{"full-width 1", get("/items/%ef%bc%91"), 404},
	{"placeholder", get("/items/%7Bid%7D"), 404},
	{"percent", get("/items/%25"), 404},
	{"question mark", get("/items/%3Fid=1"), 404},
	{"hash", get("/items/%23"), 404},
	{"64 KiB", get("/items/" + strings.Repeat("x", 64<<10)), 404},
	{"upper case resource", get("/ITEMS/1"), 404},
	{"other resource", get("/users/1"), 404},
	{"root", get("/"), 404},
	{"Go name of the method", post("/items/Kinds", "{}"), 405},
	{"RPC name", post("/items.create", "{}"), 404},
	{"needle in the path", get("/secret/../secret"), 404},

	{"PATCH", wireRequest{"PATCH /items/1", "", `{"title":"a"}`}, 405},
	{"POST to an item", wireRequest{"POST /items/1", "", `{"title":"a"}`}, 405},
	{"DELETE of the collection", wireRequest{line: "DELETE /items"}, 405},
	{"OPTIONS", wireRequest{line: "OPTIONS /items/1"}, 405},
	{"OPTIONS of the collection", wireRequest{line: "OPTIONS /items"}, 405},
	{"OPTIONS of an action", wireRequest{line: "OPTIONS /items/echo"}, 405},
	{"TRACE", wireRequest{"TRACE /items/1", "X-Secret: secret", ""}, 405},
	{"HEAD", wireRequest{line: "HEAD /items/1"}, 200},
	{"HEAD of what is not there", wireRequest{line: "HEAD /items/2"}, 404},
	{"HEAD of an action", wireRequest{line: "HEAD /items/echo"}, 404},
	{"HEAD of no route", wireRequest{line: "HEAD /users"}, 404},
	{"unknown method", wireRequest{line: "BREW /items/1"}, 405},
	{"method in lower case", wireRequest{line: "get /items/1"}, 405},
	{"unknown method of no route", wireRequest{line: "BREW /pots/1"}, 404},
	{"PRI", wireRequest{line: "PRI /items"}, 405},

	{"X-HTTP-Method-Override", wireRequest{"POST /items/1", "X-HTTP-Method-Override: DELETE", "{}"}, 405},
	{"X-HTTP-Method", wireRequest{"POST /items/1", "X-HTTP-Method: DELETE", "{}"}, 405},
	{"X-Method-Override", wireRequest{"GET /items/1", "X-Method-Override: DELETE", ""}, 200},
	{"_method in the query", wireRequest{line: "GET /items/1?_method=DELETE"}, 200},
	{"_method in the body", post("/items/1", `{"_method":"DELETE"}`), 405},
	{"X-Forwarded", wireRequest{"GET /items/1", "X-Forwarded-Host: evil.example\nX-Forwarded-Proto: gopher\nX-Forwarded-For: 127.0.0.1\nX-Forwarded-Prefix: /v2", ""}, 200},
	{"X-Original-URL", wireRequest{"GET /items/2", "X-Original-URL: /items/1\nX-Rewrite-URL: /items/1", ""}, 404},
	{"foreign Origin", wireRequest{"GET /items/1", "Origin: https://evil.example", ""}, 200},
}

var badQueries = []badInput{
	{"none", list(""), 200},
	{"unknown parameter", list("x=1"), 200},
	{"ampersands only", list("&&&"), 200},
	{"equals sign only", list("="), 200},
	{"int", list("i8=12"), 200},
	{"int empty", list("i8="), 400},
	{"int without equals sign", list("i8"), 400},
	{"int twice", list("i8=1&i8=1"), 400},
	{"int three times, the first one wrong", list("i8=a&i8=1&i8=2"), 400},
	{"int out of range", list("i8=300"), 400},
	{"int 1e2", list("i8=1e2"), 400},
	{"int 1.0", list("i8=1.0"), 400},
	{"int 1.5", list("i8=1.5"), 400},
	{"int -0", list("i8=-0"), 200},
	{"int hexadecimal", list("i8=0x10"), 400},
	{"int octal", list("i8=0o17"), 400},
	{"int 007", list("i8=007"), 400},
	{"int with underscore", list("i64=1_000"), 400},
	{"int with comma", list("i64=1,000"), 400},
	{"int with plus", list("i8=%2B1"), 400},
	{"int with space from a plus", list("i8=+1"), 400},
	{"int with space", list("i8=%201"), 400},
	{"int with space after", list("i8=1%20"), 400},
	{"int with line end", list("i8=1%0A"), 400},
	{"int with NUL", list("i8=1%00"), 400},
	{"int full-width", list("i8=%EF%BC%91"), 400},
	{"int Arabic", list("i8=%D9%A1"), 400},
	{"int in quotes", list("i8=%221%22"), 400},
	{"int null", list("i8=null"), 400},
	{"int true", list("i8=true"), 400},
	{"int with brackets", list("i8[]=1"), 200},
	{"int in other case", list("I8=1"), 200},
	{"int of 64 KiB", list("i64=" + strings.Repeat("9", 64<<10)), 400},
	{"int with exponent bomb", list("i64=1e1000000000"), 400},
	{"int64 exact", list("i64=9007199254740993"), 200},
	{"int64 and one", list("i64=9223372036854775808"), 400},
	{"uint negative", list("u8=-1"), 400},
	{"uint64", list("u64=18446744073709551615"), 200},
	{"float", list("f64=-1.5e3"), 200},
	{"float NaN", list("f64=NaN"), 400},
	{"float Inf", list("f64=Inf"), 400},
	{"float hexadecimal", list("f64=0x1p-2"), 400},
	{"float 1e400", list("f64=1e400"), 400},
	{"float .5", list("f64=.5"), 400},
	{"float32 1e39", list("f32=1e39"), 400},
	{"number", list("num=1e400"), 200},
	{"number wrong", list("num=one"), 400},
	{"bool", list("b=true"), 200},
	{"bool 1", list("b=1"), 400},
	{"bool TRUE", list("b=TRUE"), 400},
	{"bool on", list("b=on"), 400},
	{"bool empty", list("b="), 400},
	{"string", list("s=a%20b+c"), 200},
	{"string empty", list("s="), 200},
	{"string without equals sign", list("s"), 200},
	{"string twice", list("s=a&s=b"), 400},
	{"string with equals signs", list("s=a=b=c"), 200},
	{"string escaped ampersand", list("s=a%26i8=x"), 200},
	{"string escaped name", list("%73=a"), 200},
	{"string NUL", list("s=%00"), 200},
	{"string CRLF", list("s=%0D%0AX:1"), 200},
	{"string UTF-8", list("s=%e6%97%a5日"), 200},
	{"string invalid UTF-8", list("s=%ff"), 400},
	{"string invalid UTF-8 not escaped", list("s=\xff"), 400},
	{"string surrogate in UTF-8", list("s=%ed%a0%80"), 400},
	{"string U+017F in the name", list("%c5%bf=a"), 200},
	{"time", list("time=2026-02-28T00:00:00Z"), 200},
	{"time with a plus that is a space", list("time=2026-02-28T00:00:00+02:00"), 400},
	{"time with an escaped plus", list("time=2026-02-28T00:00:00%2B02:00"), 200},
	{"time wrong", list("time=yesterday"), 400},
	{"duration", list("dur=90s"), 200},
	{"duration wrong", list("dur=90"), 400},
	{"base64", list("bytes=AP8%3D"), 200},
	{"base64 wrong", list("bytes=%FF"), 400},
	{"pointer", list("ptr=0"), 200},
	{"pointer null", list("ptr=null"), 400},
	{"list", list("tag=a&tag=b&tag="), 200},
	{"list too long", list("tag=a&tag=b&tag=c&tag=d"), 400},
	{"list with commas", list("tag=a,b"), 200},
	{"enum", list("color=red&level=1&level=3"), 200},
	{"enum in another case", list("color=Red"), 400},
	{"enum empty", list("color="), 400},
	{"enum with a space", list("color=red+"), 400},
	{"enum of ints, two wrong", list("level=1&level=0&level=x&level=4"), 400},
	{"list with rules for its items", list("word=ab&word=abcd"), 200},
	{"list with rules for its items, three wrong", list("word=a&word=ab&word=abcde&word=%ff"), 400},
	{"list of ints", list("list=1&list=2&list=-3"), 200},
	{"list of ints, two wrong", list("list=1&list=x&list=300"), 400},
	{"list of 50,000", list(strings.Repeat("list=1&", 50_000)), 200},
	{"list of 50,000 wrong", list(strings.Repeat("list=x&", 50_000)), 400},
	{"default", list("s=a"), 200},
	{"explicit zero for a default", list("limit=0"), 400},
	{"empty for a default", list("limit="), 400},
	{"bad escape", list("s=%zz"), 400},
	{"bad first digit of an escape", list("s=%z1"), 400},
	{"bad second digit of an escape", list("s=%1z"), 400},
	{"bad escape in a name", list("%zz=1"), 200},
	{"bad escape in an unknown parameter", list("x=%"), 200},
	{"escape cut short", list("s=%4"), 400},
	{"percent alone", list("s=100%"), 400},
	{"semicolon", list("s=a;i8=1"), 400},
	{"semicolon in an unknown parameter", list("x=a;y&limit=5"), 200},
	{"semicolon escaped", list("s=a%3Bb"), 200},
	{"question marks", list("??s=a"), 200},
	{"hash escaped", list("s=%23"), 200},
	{"20,000 unknown parameters", list(manyPairs(20_000)), 200},
	{"everything wrong", list("i8=a&u8=b&i64=c&u64=d&f32=e&f64=f&b=g&time=h&dur=i&bytes=j&ptr=k&num=l&tag=%ff&list=n&limit=o"), 400},
	{"bad escape where there is no query", wireRequest{"POST /items?%zz;", "", `{"title":"a"}`}, 200},
	{"id in the query", wireRequest{line: "GET /items/2?id=1"}, 404},
	{"query of another verb", wireRequest{"PUT /items/1?dry=maybe&title=x", "", `{"title":"a"}`}, 400},
	{"path, query and body wrong", wireRequest{"PUT /items/%ff?dry=1", "", `{"title":1,"size":1.5}`}, 400},
}

func manyPairs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d=%d&", i, i)
	}
	return b.String()
}

// mark sends the lines of a header to the method that has fields for them.
func mark(lines ...string) wireRequest {
	return wireRequest{"POST /items/mark", strings.Join(lines, "\n"), ""}
}

var badHeaders = []badInput{
	{"none", mark("-"), 200},
	{"all", mark("X-Id: 5", "X-Note: n", "If-Modified: 2026-02-28T00:00:00Z", "Cookie: size=8; word=w"), 200},
	{"names in another case", mark("x-id: 5", "X-NOTE: n", "cookie: size=8; WORD=w"), 200},
	{"header empty", mark("X-Note: "), 200},
	{"header of an int empty", mark("X-Id: "), 400},
	{"header of an int 1e2", mark("X-Id: 1e2"), 400},
	{"header of an int 007", mark("X-Id: 007"), 400},
	{"header of an int with plus", mark("X-Id: +1"), 400},
	{"header of an int and one", mark("X-Id: 9223372036854775808"), 400},
	{"header with a comma", mark("X-Id: 1, 2"), 400},
	{"header twice", mark("X-Id: 1", "X-Id: 1"), 400},
	{"header three times, all wrong", mark("X-Id: a", "X-Id: b", "X-Id: c"), 400},
	{"header 1,000 times", mark(repeated("X-Note: n", 1000)...), 400},
	{"header of 256 KiB", mark("X-Note: " + strings.Repeat("x", 256<<10)), 400},
	{"header of an int of 256 KiB", mark("X-Id: " + strings.Repeat("9", 256<<10)), 400},
	{"header in UTF-8", mark("X-Note: 日本"), 200},
	{"header not in UTF-8", mark("X-Note: \xff"), 400},
	{"header with a tab", mark("X-Note: a\tb"), 200},
	{"header of an enum", mark("X-Level: 3"), 200},
	{"header of an enum without it", mark("X-Level: 4"), 400},
	{"header of an enum empty", mark("X-Level: "), 400},
	{"header of a date of HTTP", mark("If-Modified: Sat, 28 Feb 2026 00:00:00 GMT"), 200},
	{"cookie empty", mark("Cookie: word="), 200},
	{"cookie of an int empty", mark("Cookie: size="), 400},
	{"cookie without equals sign", mark("Cookie: size"), 200},
	{"cookie of an int 256", mark("Cookie: size=256"), 400},
	{"cookie of an enum", mark("Cookie: color=red"), 200},
	{"cookie of an enum that the field leaves out", mark("Cookie: color=green"), 400},
	{"cookie of an enum in another case", mark("Cookie: color=RED"), 400},
	{"cookie of an int 007", mark("Cookie: size=007"), 400},
	{"cookie in quotes", mark(`Cookie: size="8"; word="`), 200},
	{"cookie with an escape", mark("Cookie: word=%20"), 200},
	{"cookie with equals signs", mark("Cookie: word=a=b="), 200},
	{"cookie with a space", mark("Cookie: word=a b ;size= 8"), 400},
	{"cookie in UTF-8", mark("Cookie: word=日本"), 200},
	{"cookie not in UTF-8", mark("Cookie: word=\xff"), 400},
	{"cookie twice", mark("Cookie: word=a; word=a"), 400},
	{"cookie twice, in two headers", mark("Cookie: word=a", "Cookie: word=b"), 400},
	{"cookie 1,000 times", mark("Cookie: " + strings.Repeat("word=a; ", 1000) + "word=a"), 400},
	{"cookie of 256 KiB", mark("Cookie: word=" + strings.Repeat("x", 256<<10)), 400},
	{"20,000 unknown cookies", mark("Cookie: " + strings.ReplaceAll(manyPairs(20_000), "&", "; ") + "size=8"), 200},
	{"semicolons only", mark("Cookie: ;;;"), 200},
	{"equals sign only", mark("Cookie: ="), 200},
	{"everything wrong", mark("X-Id: a", "X-Note: 123456789", "If-Modified: b", "Cookie: size=c; word=123456789"), 400},
	{"in the query", wireRequest{"POST /items/mark?id=1&X-ID=1&size=1&word=w", "-", ""}, 200},
}

func repeated(line string, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = line
	}
	return lines
}

// With Options.Strict.
var badStrict = []badInput{
	{"unknown name", create(`{"title":"a","x":1}`), 400},
	{"wrong case", create(`{"title":"a","Title":"b"}`), 400},
	{"U+017F for s", create(`{"title":"a","ſize":1}`), 400},
	{"name of a path field", wireRequest{"PUT /items/1", "", `{"title":"a","id":"2"}`}, 400},
	{"name of a query field", wireRequest{"PUT /items/1", "", `{"title":"a","dry":true}`}, 400},
	{"unknown name of 256 KiB", create(`{"title":"a","` + strings.Repeat("x", 256<<10) + `":1}`), 400},
	{"1,000 unknown names", create(manyMembers(1000, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) })), 400},
	{"500 unknown names of control characters", create(manyMembers(500, func(i int) string {
		return fmt.Sprintf(`"%s%d":1`, strings.Repeat(`\u0001`, 300), i)
	})), 400},
	{"unknown name inside", kinds(`"node":{"next":{"a/b~c":1}}`), 400},
	{"unknown name in any", echo(`{"x":1}`), 200},
	{"unknown query parameter", list("x=1"), 400},
	{"name in the wrong case in the query", list("LIMIT=1"), 400},
}

// badGroups are all rows, by the service that they are asked of.
var badGroups = []struct {
	name   string
	rows   []badInput
	strict bool
}{
	{"bodies", badBodies, false},
	{"types", badTypes, false},
	{"paths", badPaths, false},
	{"queries", badQueries, false},
	{"headers", badHeaders, false},
	{"strict", badStrict, true},
}

// newBad returns the service that a group of rows is asked of.
func newBad(t *testing.T, strict bool) (*svc.Service, *wireStore) {
	t.Helper()
	opts := wireOptions()
	opts.Strict = strict
	return newWire(t, opts)
}

// Verify that every input has one answer, the exact one, and that nothing but a
// success calls a method.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, group := range badGroups {
		t.Run(group.name, func(t *testing.T) {
			s, store := newBad(t, group.strict)
			call := wireDirect(s.REST())
			var cases []goldenCase
			for _, row := range group.rows {
				cases = append(cases, goldenCase{row.name, func(t *testing.T) string {
					store.reset()
					a := call(t, row.wireRequest)
					checkBadInput(t, row, a, store)
					return fmt.Sprintf("# %s\n%s\n%s\n", row.name, clipped(row.line), shortened(a.text()))
				}})
			}
			goldenCases(t, "rest/bad_"+group.name+".txt", cases)
		})
	}
}

func checkBadInput(t *testing.T, row badInput, a wireAnswer, store *wireStore) {
	t.Helper()
	if a.status != row.status {
		t.Errorf("status %d, want %d: %s", a.status, row.status, clipped(a.body))
	}
	if a.status >= 400 && !strings.HasPrefix(row.line, "HEAD ") {
		checkWireError(t, "the answer", a)
	}
	calls := store.calls.Load()
	if executed := a.status < 300 || a.status == 404 && strings.Contains(a.body, "no such item"); !executed && calls > 0 && !strings.HasPrefix(row.line, "HEAD ") {
		t.Errorf("refused, and yet %d methods were called", calls)
	}
	if got := store.items["1"]; got == nil || got.Title != "first" && !strings.HasPrefix(row.line, "PUT ") {
		t.Errorf("the first item is %+v", got)
	}
}

// shortened leaves the middle out of a very long answer.
func shortened(text string) string {
	const most = 20 << 10
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… %d bytes …%s", text[:100], len(text)-200, text[len(text)-100:])
}

// Verify that every input has the same answer over a socket, in HTTP/1.1 and in HTTP/2,
// as from the handler called as a function.
func TestBadInputOverSockets(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		for _, group := range badGroups {
			t.Run(versionName(http2)+"/"+group.name, func(t *testing.T) {
				near, _ := newBad(t, group.strict) // the two get the same requests and so answer alike
				far, _ := newBad(t, group.strict)
				direct := wireDirect(near.REST())
				srv := wireServer(t, far.REST(), http2)
				overSocket := wireClient(srv.Client(), srv.URL)
				for _, row := range group.rows {
					if http2 && strings.HasPrefix(row.line, "TRACE") {
						continue
					}
					t.Run(row.name, func(t *testing.T) {
						want := direct(t, row.wireRequest).text()
						a := overSocket(t, row.wireRequest)
						if a.status == http.StatusRequestHeaderFieldsTooLarge {
							return // from Go 1.27 on, net/http refuses very many fields before svc sees them
						}
						if got := a.text(); got != want {
							t.Errorf("%s\n got %s\nwant %s", clipped(row.line), clipped(got), clipped(want))
						}
					})
				}
			})
		}
	}
}
