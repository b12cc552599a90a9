package svc

import (
	"regexp"
	"strings"
	"testing"
)

// Verify that functions which read short texts by hand accept what a pattern says: all texts of
// up to four pieces, of which some are inside of the pattern and some are not. They are not
// patterns themselves, since a pattern is compiled whenever a program starts.
func TestTextsByPattern(t *testing.T) {
	key := regexp.MustCompile(`^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$`)
	version := regexp.MustCompile(`^/([vV][0-9]+(?:\.[0-9]+)*)/`)
	oneRange := regexp.MustCompile(`^bytes=([0-9]+-[0-9]*|-0*[1-9][0-9]*)$`)
	license := regexp.MustCompile(`^\(*[\w.+-]+\)*( (AND|OR|WITH) \(*[\w.+-]+\)*)*$`)
	operation := regexp.MustCompile(`^[^\s\x{a0}]+$`)
	wrapVerb := regexp.MustCompile(`%[-+# 0-9.*\[\]]*[%w]`)
	for _, test := range []struct {
		name   string
		pieces []string
		got    func(text string) any
		want   func(text string) any
	}{
		{"isKeyHeader", []string{`"`, `\`, `\"`, `\\`, `\x41`, "!", "~", " ", "é", "'", strings.Repeat("k", 127)},
			func(text string) any { return isKeyHeader(text) }, func(text string) any { return key.MatchString(text) }},
		{"pathVersion", []string{"/", "v", "V", "1", "20", ".", "todos", ""},
			func(text string) any { return pathVersion("/" + text) },
			func(text string) any { return strings.Trim(version.FindString("/"+text), "/") }},
		{"clampRange", []string{"bytes=", "-", "0", "7", "00", " ", ",", "+"},
			func(text string) any { _, ok := clampRange(text); return ok }, func(text string) any { return oneRange.MatchString(text) }},
		{"isLicense", []string{"(", ")", "MIT", " AND ", " OR ", "+", " ", "é"},
			func(text string) any { return isLicense(text) },
			func(text string) any {
				return license.MatchString(text) && strings.Count(text, "(") == strings.Count(text, ")")
			}},
		{"isOperationID", []string{"a", "_", "0", "/", "\t", "\u00a0", " ", "é"},
			func(text string) any { return isOperationID(text) }, func(text string) any { return operation.MatchString(text) }},
		{"spoilWrapping", []string{"%", "w", "-8", "[1]", " ", "d", "%w", "é"},
			func(text string) any { return spoilWrapping(text) },
			func(text string) any {
				return wrapVerb.ReplaceAllStringFunc(text, func(verb string) string {
					if flags, ok := strings.CutSuffix(verb, "w"); ok {
						return "%%!w(" + flags + "T)"
					}
					return verb
				})
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			texts, longest := []string{""}, 4
			for range longest {
				for _, text := range texts {
					for _, piece := range test.pieces {
						texts = append(texts, text+piece)
					}
				}
			}
			for _, text := range texts {
				if got, want := test.got(text), test.want(text); got != want {
					t.Fatalf("%q: %v, want %v", text, got, want)
				}
			}
		})
	}
	for text, want := range map[string]string{
		"bytes=00-99999999999999999999": "bytes=0-9223372036854775807",
		"bytes=-99999999999999999999":   "bytes=-9223372036854775807",
		"bytes=007-":                    "bytes=7-",
	} {
		if got, ok := clampRange(text); !ok || got != want {
			t.Errorf("clampRange(%q) = %q, %v; want %q", text, got, ok, want)
		}
	}
}
