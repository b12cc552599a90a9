package svc

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// disputedFormats has the texts that ajv-formats takes and RFC 3339, section 5.6, has not: it lets an
// offset do without its colon or its minutes, and has any blank between date and time. svc refuses them,
// and two forms of addresses in brackets: those of a future version, and IPv4 with leading zeros.
var disputedFormats = []string{
	"time 15:04:05+0930", "time 15:04:05-09",
	"date-time 2026-03-31 15:04:05Z", "date-time 2026-03-31\t15:04:05Z",
	"date-time 2026-03-31T15:04:05-09", "date-time 2026-03-31T15:04:05+0930", "date-time 2026-03-31T15:04:05+0120", "date-time 1026-03-31T15:04:05+0130",
}

// The checked formats take what ajv-formats takes in full mode; interop/formats makes the file.
func TestFormats(t *testing.T) {
	data, err := readText("testdata/formats/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for line := range strings.Lines(string(data)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		var text string
		if err := json.Unmarshal([]byte(words[2]), &text); err != nil {
			t.Fatal(err)
		}
		counts[words[0]]++
		isDisputed := slices.Contains(disputedFormats, words[0]+" "+text) || words[0] == "uri" &&
			(strings.Contains(text, "[v1.a]") || strings.Contains(text, "[::01.002.3.4]"))
		want := words[1] == "1" && !isDisputed
		if got := formatNamed(words[0]).isValid(text); got != want {
			t.Errorf("%s %q: %v, want %v", words[0], text, got, want)
		}
	}
	for _, format := range checkedFormats {
		name := format.name
		if counts[name] < 300 {
			t.Errorf("%s has %d texts", name, counts[name])
		}
		for _, text := range format.samples {
			if !format.isValid(text) {
				t.Errorf("%s: the sample %q is none", name, text)
			}
		}
	}
}
