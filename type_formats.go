package svc

// This file checks the texts of formats, in linear time. Dates and times follow RFC 3339, section
// 5.6; the other formats follow ajv-formats 3.0.1 in full mode, which most clients use to check a
// schema. interop/formats compares them.

import (
	"net/netip"
	"reflect"
	"strings"
	"time"
)

// A checkedFormat is a format that is a rule.
type checkedFormat struct {
	name    string
	words   string // what the text is, for messages and for schemas without formats
	isValid func(string) bool
	samples []string // texts in the format; the first is an example for readers
}

// checkedFormats has the formats that are rules. Other formats are published and not checked.
var checkedFormats = [...]*checkedFormat{ // in the order of their names
	{"date", "a date", isDate, []string{"2026-01-02", "2000-02-29", "0000-12-31", "9999-12-31"}},
	{"date-time", "a date and time by RFC 3339", isDateTime,
		[]string{"2026-01-02T15:04:05Z", "2016-12-31T23:59:60z", "0000-12-31T00:00:00.000000001-23:59", "9999-12-31T15:04:05+01:30"}},
	{"email", "an email address", isEmail, []string{"ada@example.com", "a@b.c", "a+b@example.com", "A.B@x-y.example.org", "1@1.1"}},
	{"hostname", "a host name", isHostname, []string{"example.com", "a", "example.com.", "xn--bcher-kva.example", "1.2.3.4"}},
	{"ipv4", "an IPv4 address", isIPv4, []string{"192.0.2.1", "0.0.0.0", "255.255.255.255"}},
	{"ipv6", "an IPv6 address", isIPv6, []string{"2001:db8::1", "::", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1"}},
	{"time", "a time with its offset from UTC", isTime, []string{"15:04:05Z", "23:59:60z", "00:00:00.000000001-23:59", "15:04:05+01:30"}},
	{"uri", "a URI", isURI, []string{"https://example.com/", "a:b", "mailto:ada@example.com", "urn:a:b",
		"http://u:p@[::1]:80/a/b?c=d%20#e"}},
	{"uuid", "a UUID", isUUID, []string{"123e4567-e89b-42d3-a456-426614174000", "00000000-0000-0000-0000-000000000000",
		"123E4567-E89B-42D3-A456-426614174000", "urn:uuid:123e4567-e89b-42d3-a456-426614174000"}},
}

// formatNamed returns the format that is a rule, or nil.
func formatNamed(name string) *checkedFormat {
	for _, f := range checkedFormats {
		if f.name == name {
			return f
		}
	}
	return nil
}

// parseFormat makes the rule for the format of a string.
func parseFormat(_ *shape, text string) (rule, string) {
	format := formatNamed(text)
	if format == nil {
		return rule{}, "one of " + strings.Join(formatNames(), ", ")
	}
	message := "must be " + format.words + ", such as " + format.samples[0]
	return rule{
		value:     appendQuoted(nil, text),
		complaint: &complaint{rule: "format", message: message},
		violates:  func(v reflect.Value) bool { return !format.isValid(v.String()) },
	}, ""
}

func isHexDigit(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isDate reports whether s is a full-date, such as 2026-03-31.
func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isTime reports whether s is a full-time, such as 15:04:05Z. The second 60 is one of the leap
// seconds, which are at 23:59:60 in UTC.
func isTime(s string) bool {
	before, after, isLeap := strings.Cut(s, ":60")
	if isLeap = isLeap && len(before) == len("23:59"); isLeap {
		s = before + ":59" + after
	}
	t, ok := parseTime("2000-01-02T" + s)
	t = t.UTC()
	return ok && (!isLeap || t.Hour() == 23 && t.Minute() == 59)
}

// isDateTime reports whether s is a date-time, such as 2026-03-31T15:04:05Z.
func isDateTime(s string) bool {
	const n = len("2006-01-02")
	return len(s) > n && s[n]|0x20 == 't' && isDate(s[:n]) && isTime(s[n+1:])
}

// isUUID reports whether s is a UUID by RFC 9562, with or without urn:uuid: before it.
func isUUID(s string) bool {
	const urn = "urn:uuid:"
	if len(s) > len(urn) && strings.EqualFold(s[:len(urn)], urn) {
		s = s[len(urn):]
	}
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		isDash := i == 8 || i == 13 || i == 18 || i == 23
		if isDash != (s[i] == '-') || !isDash && !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

// isLabel reports whether s consists of letters, digits and dashes, with no dash at the ends.
func isLabel(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && (s[i] != '-' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != ""
}

// isHostname reports whether s is a host name (RFC 1123, section 2.1), which may end in a dot.
func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label, rest, more := "", s, true; more; {
		label, rest, more = strings.Cut(rest, ".")
		if len(label) > 63 || !isLabel(label) {
			return false
		}
	}
	return true
}

// isEmail reports whether s is a dot-atom, an at sign, and a domain of two labels at least.
func isEmail(s string) bool {
	local, domain, _ := strings.Cut(s, "@")
	for atom, rest, more := "", local, true; more; {
		atom, rest, more = strings.Cut(rest, ".")
		for i := range len(atom) {
			if !isAlphanumeric(atom[i]) && strings.IndexByte("!#$%&'*+/=?^_`{|}~-", atom[i]) < 0 {
				return false
			}
		}
		if atom == "" {
			return false
		}
	}
	for label, rest, more := "", domain, true; more; {
		label, rest, more = strings.Cut(rest, ".")
		if !isLabel(label) {
			return false
		}
	}
	return strings.Contains(domain, ".")
}

// isIPv4 reports whether s is four numbers up to 255 without leading zeros.
func isIPv4(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is4()
}

// isIPv6 reports whether s is an IPv6 address (RFC 4291, section 2.2) without a zone.
func isIPv6(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is6() && address.Zone() == ""
}

// isURI reports whether s is a URI with a scheme (RFC 3986). As in ajv-formats, an authority may be
// empty, but the scheme must be followed by something.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !isASCIILetter(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isAlphanumeric(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	if !hasURIChars(query, ":@/?") || !hasURIChars(fragment, ":@/?") || rest == "" {
		return false
	}
	// ajv-formats reads an invalid authority as a path after an empty authority, so only an address
	// in brackets has to be valid.
	if hasURIChars(rest, ":@/") {
		return true
	}
	authority, ok := strings.CutPrefix(rest, "/")
	if !ok {
		return false
	}
	authority = strings.TrimPrefix(authority, "/")
	path := ""
	if i := strings.IndexByte(authority, '/'); i >= 0 {
		authority, path = authority[:i], authority[i:]
	}
	return isAuthority(authority) && hasURIChars(path, ":@/")
}

// isAuthority reports whether s is an authority: userinfo, a host and a port, which may be empty.
func isAuthority(s string) bool {
	if user, host, ok := strings.Cut(s, "@"); ok {
		if !hasURIChars(user, ":") {
			return false
		}
		s = host
	}
	host, port := s, ""
	if strings.HasPrefix(s, "[") {
		address, rest, ok := strings.Cut(s[1:], "]")
		if !ok || rest != "" && rest[0] != ':' || !isIPv6(address) {
			return false
		}
		host, port = "", strings.TrimPrefix(rest, ":")
	} else if i := strings.LastIndexByte(s, ':'); i >= 0 {
		host, port = s[:i], s[i+1:]
	}
	for i := range len(port) {
		if !isDigit(port[i]) {
			return false
		}
	}
	return hasURIChars(host, "")
}

// hasURIChars reports whether s consists of unreserved characters, sub-delims, the characters in
// also, and % escapes (RFC 3986, section 2).
func hasURIChars(s, also string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%':
			if i+2 >= len(s) || !isHexDigit(s[i+1]) || !isHexDigit(s[i+2]) {
				return false
			}
			i += 2
		case isAlphanumeric(c), strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(also, c) >= 0:
		default:
			return false
		}
	}
	return true
}
