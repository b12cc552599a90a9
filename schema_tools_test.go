package svc

import "testing"

// Verify what the readers of MCP get of each keyword, which JSONSchema or Options.Schemas may have too.
// A pattern, a default or a oneOf that a form lacks is in the row of the input.
func TestKeywordsForHosts(t *testing.T) {
	for _, test := range []struct{ name, schema, input, output string }{
		{"no rules", `{"type":"string"}`, `{"type":"string"}`, `{"type":"string"}`},
		{"any value", `true`, `true`, `true`},
		{"an enum of texts", `{"type":"string","enum":["open","closed"],"description":"The state."}`,
			`{"type":"string","enum":["open","closed"],"description":"The state."}`, `{"type":"string","description":"The state (one of open, closed)."}`},
		{"an enum without a type", `{"enum":["",1,null]}`, `{"description":"must be one of an empty text, 1, null"}`, `{"description":"one of an empty text, 1, null"}`},
		{"a const", `{"const":"a"}`, `{"enum":["a"]}`, `{}`},
		{"the text of a discriminator", `{"type":"string","svc:only":"a"}`, `{"type":"string"}`, `{"type":"string","const":"a"}`},
		{"rules", `{"type":"number","minimum":0,"exclusiveMaximum":9,"multipleOf":0.01}`,
			`{"type":"number","minimum":0,"description":"must be less than 9; must be a multiple of 0.01"}`, `{"type":"number"}`},
		{"bounds of 64 bits", `{"minimum":-9223372036854775808,"maximum":9223372036854775807}`, `{}`, `{}`},
		{"items that may be the same", `{"items":{"minLength":1},"uniqueItems":false}`, `{"items":{"minLength":1}}`, `{"items":{}}`},
		{"rules in lists and maps", `{"items":{"additionalProperties":{"enum":[1]}}}`,
			`{"items":{"additionalProperties":{"description":"must be 1"}}}`, `{"items":{"additionalProperties":{"description":"one of 1"}}}`},
		{"properties that look like keywords", `{"properties":{"enum":{"maxLength":1},"pattern":true}}`,
			`{"properties":{"enum":{"maxLength":1},"pattern":true}}`, `{"properties":{"enum":{},"pattern":true}}`},
		{"a closed object", `{"type":"object","additionalProperties":false}`, `{"type":"object"}`, `{"type":"object"}`},
		{"a format", `{"type":"string","format":"date","description":"The day"}`, `{"type":"string","description":"The day (a date, such as 2026-01-02)"}`,
			`{"type":"string","description":"The day"}`},
		{"formats of other types", `{"items":{"type":"integer","format":"int32"},"format":"date"}`, `{"items":{"type":"integer"}}`, `{"items":{"type":"integer"}}`},
		{"a class of Unicode", `{"type":"string","pattern":"^\\p{L}+$","maxLength":3}`,
			`{"type":"string","maxLength":3,"description":"must match the pattern ^\\p{L}+$"}`, `{"type":"string"}`},
		{"names with a class of Unicode", `{"propertyNames":{"pattern":"^\\p{L}+$"}}`, `{"description":"names must match the pattern ^\\p{L}+$"}`, `{}`},
		{"alternatives", `{"oneOf":[{"type":"string","pattern":"a"},{"type":"integer"}],"description":"Both."}`,
			`{"anyOf":[{"type":"string","pattern":"a","description":"Both."},{"type":"integer"}]}`,
			`{"anyOf":[{"type":"string"},{"type":"integer"}],"description":"Both."}`},
		{"alternatives in alternatives", `{"anyOf":[{"oneOf":[{"type":"string"},{"type":"integer"}]},{"type":"null"}]}`,
			`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, `{"anyOf":[{"anyOf":[{"type":"string"},{"type":"integer"}]},{"type":"null"}]}`},
		{"alternatives beside a rule", `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"type":"object","description":"must fit the JSON Schema {\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}"}`,
			`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`},
		{"several types", `{"type":["string","null"],"format":"date","description":"The day.","default":null}`,
			`{"anyOf":[{"type":"string","description":"The day (a date, such as 2026-01-02)."},{"type":"null"}]}`,
			`{"type":["string","null"],"description":"The day."}`},
		{"items by their place", `{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`,
			`{"description":"must fit the JSON Schema {\"prefixItems\":[{\"type\":\"string\"}],\"items\":{\"type\":\"integer\"}}"}`, `{}`},
		{"members by their names", `{"patternProperties":{"^a":{}},"additionalProperties":{"type":"integer"},"properties":{"b":{}}}`,
			`{"properties":{"b":{}},"description":"must fit the JSON Schema {\"patternProperties\":{\"^a\":{}},\"additionalProperties\":{\"type\":\"integer\"}}"}`,
			`{"properties":{"b":{}}}`},
		{"a condition", `{"type":"string","allOf":[{"pattern":"a"}],"$comment":"b","x-c":1}`,
			`{"type":"string","description":"must fit the JSON Schema {\"allOf\":[{\"pattern\":\"a\"}]}"}`, `{"type":"string"}`},
		{"annotations", `{"title":"A","default":1,"examples":[1],"deprecated":true,"x-mcp-header":"A"}`,
			`{"title":"A","default":1,"examples":[1],"deprecated":true,"x-mcp-header":"A"}`, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, reader := range []struct {
				use  schemaUse
				want string
			}{{forDocument, test.schema}, {forToolInput, test.input}, {forToolOutput, test.output}} {
				got := string(reader.use.appendFor(nil, []byte(test.schema)))
				if got != reader.want {
					t.Errorf("for %d: %s\nwant %s", reader.use, got, reader.want)
				}
			}
		})
	}
}

// Verify which patterns tools have as a keyword.
func TestPlainPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern string
		isPlain bool
	}{
		{`^[a-z]+(?:\.\d{2,3}|\w\b)$`, true},
		{`[\d_\-&|~-]\\p`, true},
		{`[é\t\x41][^\]\[]\(\?`, true},
		{`\\\\P`, true},
		{`(\s|\S.)`, true},
		{`\p{Lu}`, false},
		{`[^\P{L}]`, false},
		{`\\\p{L}`, false},
		{`[a&&b]`, false},
		{`[a||b]`, false},
		{`[~~]`, false},
		{`[+--]`, false},
		{`[[a]`, false},
		{`a&&b||c~~d--e`, true},
		{`[😀-😎]`, false},
		{`😀+`, false},
		{`(?i)a`, false},
		{`(?=a)`, false},
		{`\Aa\z`, false},
		{`(a)\1`, false},
	} {
		t.Run(test.pattern, func(t *testing.T) {
			if got := isPlainPattern(test.pattern); got != test.isPlain {
				t.Errorf("%v, want %v", got, test.isPlain)
			}
		})
	}
}
