package svc

// This file has the security schemes, two guards, BasicAuth (names and passwords) and
// AllowIPs (addresses), and Under, which applies middleware to a part of a site.
// auth_bearer.go has the identity of callers, Bearer and APIKey.

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
)

// A Scheme is a kind of credentials: a Security Scheme Object of OpenAPI, for
// Options.Schemes. Each Type needs the fields of its row, and no others:
//
//	Type             Credentials                               Fields
//	---------------  ----------------------------------------  ----------
//	"bearer"         a bearer token (RFC 6750)                 none
//	"basic"          a user and a password (RFC 7617)          none
//	"apiKey"         a key in a header of its own              Header
//	"openIdConnect"  a bearer token from an OpenID provider    URL
//	"oauth2"         a bearer token, by an authorization code  URL, Token
type Scheme struct {
	Type   string
	Header string // the name of the header that has the key, such as X-Api-Key
	URL    string // of the configuration of the provider; of oauth2: its authorization endpoint (RFC 6749, section 3.1)
	Token  string // the URL of the token endpoint (RFC 6749, section 3.2)
}

// A scheme is a Scheme as documents, the page and the Markdown show it.
type scheme struct {
	Name   string          `json:"name"` // in documents
	source Scheme          // what it describes
	object json.RawMessage // in components.securitySchemes
	Noun   string          `json:"noun"` // what a caller needs, in a sentence
	// challenge is the value of WWW-Authenticate; "" for that of a Bearer. That of API keys
	// is not registered.
	challenge string

	// The page asks for credentials with these labels, and sends them in the header.
	Label  string `json:"label"`
	User   string `json:"user,omitempty"` // "" if there is only a secret; else base64 of both is sent
	Secret string `json:"secret"`
	Header string `json:"header"`
	Prefix string `json:"prefix,omitempty"` // of the header's value
	Curl   string `json:"curl"`             // the arguments of curl; they name the secret and do not contain it
}

// The parts of a scheme that most types share.
const (
	bearerPrefix = "Bearer "
	bearerCurl   = `-H "Authorization: Bearer $TOKEN"`
)

// schemes has the types of schemes, under their names. It is the only statement of what
// a type is. Documents, the page and the Markdown follow it. Words in braces stand for
// the fields of a Scheme, and for the scopes of methods.
var schemes = []scheme{
	{"bearer", Scheme{}, json.RawMessage(`{"type":"http","scheme":"bearer"}`), "a bearer token", "", "Bearer token", "", "Token", "Authorization", bearerPrefix, bearerCurl},
	{"basic", Scheme{}, json.RawMessage(`{"type":"http","scheme":"basic"}`), "a user and password", `Basic realm="api", charset="UTF-8"`, "User and password (Basic)", "User", "Password", "Authorization", "Basic ", `-u "$USER_AND_PASSWORD"`},
	{"apiKey", Scheme{}, json.RawMessage(`{"type":"apiKey","name":"{header}","in":"header"}`), "an API key", `ApiKey header="{header}"`, "API key ({header})", "", "Key", "{header}", "", `-H "{header}: $API_KEY"`},
	{"openIdConnect", Scheme{}, json.RawMessage(`{"type":"openIdConnect","openIdConnectUrl":"{url}"}`), "a token of the OpenID provider", "", "Token (OpenID Connect)", "", "Token", "Authorization", bearerPrefix, bearerCurl},
	{"oauth2", Scheme{}, json.RawMessage(`{"type":"oauth2","flows":{"authorizationCode":{"authorizationUrl":"{url}","tokenUrl":"{token}","scopes":{scopes}}}}`), "an access token", "", "Access token (OAuth 2.0)", "", "Token", "Authorization", bearerPrefix, bearerCurl},
}

// describe returns s as documents show it, under the name of its type. scopes are those
// of the methods that have it, with their descriptions.
func (s Scheme) describe(scopes map[string]string) scheme {
	list, _ := json.Marshal(scopes)
	r := strings.NewReplacer("{header}", s.Header, "{url}", s.URL, "{token}", s.Token, "{scopes}", string(list))
	d := schemes[slices.IndexFunc(schemes, func(d scheme) bool { return d.Name == s.Type })]
	d.source, d.object = s, json.RawMessage(r.Replace(string(d.object)))
	for _, text := range []*string{&d.challenge, &d.Label, &d.Header, &d.Curl} {
		*text = r.Replace(*text)
	}
	return d
}

// checkScheme returns the mistakes in s.
func checkScheme(s Scheme) (bad []string) {
	i := slices.IndexFunc(schemes, func(d scheme) bool { return d.Name == s.Type })
	if i < 0 {
		return []string{fmt.Sprintf(`the Type is %q; want one of "bearer", "basic", "apiKey", "openIdConnect", "oauth2"`, s.Type)}
	}
	for _, f := range [...]struct {
		name, value, example string
		ok                   bool
	}{
		{"Header", s.Header, "X-Api-Key", isToken(s.Header) && headerOwner(s.Header) == ""},
		{"URL", s.URL, "https://login.example/authorize, or for openIdConnect https://login.example/.well-known/openid-configuration", isResourceURL(s.URL)},
		{"Token", s.Token, "https://login.example/token", isResourceURL(s.Token)},
	} {
		switch needed := strings.Contains(string(schemes[i].object), "{"+strings.ToLower(f.name)+"}"); {
		case needed && !f.ok:
			bad = append(bad, fmt.Sprintf("the %s of the scheme %q is %q; want one such as %s", f.name, s.Type, f.value, f.example))
		case !needed && f.value != "":
			bad = append(bad, fmt.Sprintf("the scheme %q has no use for a %s; leave it empty", s.Type, f.name))
		}
	}
	return bad
}

// BasicAuth returns middleware that requires HTTP Basic credentials (RFC 7617)
// and passes requests whose name and password are in users, with a [Principal] of
// that name and no scopes. It also passes requests without such credentials whose
// caller another guard outside has found. Every other request gets 401 with a
// WWW-Authenticate header and an UNAUTHENTICATED error, written by onError, or by
// [WriteError] if onError is nil. Unknown names and wrong passwords take the same time.
//
// users maps names to passwords. BasicAuth copies it. If it is nil or empty, every
// request gets 401. A user with an empty password also gets 401, because an
// environment variable that is not set gives an empty password. Names and passwords
// are compared byte by byte, in UTF-8. Write them in Unicode normalization form C
// (NFC), which browsers send.
//
// Passwords are sent in clear text: use TLS. BasicAuth panics if realm or a name
// contains a control character, or a name contains a colon (RFC 7617, section 2).
func BasicAuth(realm string, users map[string]string, onError ErrorHandler) func(http.Handler) http.Handler {
	if strings.ContainsFunc(realm, isControl) {
		panic(fmt.Sprintf("svc: BasicAuth: the realm %q has a control character", realm))
	}
	known := newCredentials(users)
	g := &guard{
		opts:     BearerOptions{OnError: onError, Logger: slog.New(slog.DiscardHandler)},                            // any client can cause such errors, as often as it likes
		fixed:    `Basic realm="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(realm) + `", charset="UTF-8"`, // a quoted-string (RFC 9110, section 5.6.4)
		required: Errorf(CodeUnauthenticated, "a valid name and password are required"),
	}
	g.identify = func(r *http.Request) (*Principal, error) {
		values := r.Header["Authorization"]
		name, password, ok := r.BasicAuth()
		switch {
		case ok && len(values) == 1 && known.match(name, password): // of two headers a proxy may have checked the other one
			return &Principal{Subject: name}, nil
		case slices.ContainsFunc(values, func(value string) bool { return hasAuthScheme(value, "Basic") }):
			return nil, g.required
		}
		return nil, nil
	}
	return middleware(g.serve)
}

// hasAuthScheme reports whether the value of an Authorization header has a scheme, in
// any case of letters (RFC 9110, section 11.1).
func hasAuthScheme(value, scheme string) bool {
	given, _, _ := strings.Cut(value, " ")
	return strings.EqualFold(given, scheme)
}

// credentials are the SHA-256 hashes of "name:password" for each user with a
// password. Names contain no colon, so two different pairs never give the same
// text. Hashes have one length, which a comparison in constant time needs.
type credentials [][sha256.Size]byte

// newCredentials returns the credentials of users. It panics if the Basic scheme
// cannot carry a name.
func newCredentials(users map[string]string) credentials {
	var known credentials
	for _, name := range slices.Sorted(maps.Keys(users)) { // sorted, so that the panic is always the same
		password := users[name]
		if strings.ContainsFunc(name, isControl) || strings.Contains(name, ":") {
			panic(fmt.Sprintf("svc: BasicAuth: the name %q has a colon or a control character", name))
		}
		if password != "" {
			known = append(known, sha256.Sum256([]byte(name+":"+password)))
		}
	}
	return known
}

// match reports whether a name and a password are among the credentials. It always
// compares with all of them, so its time does not show whether a name is known.
func (known credentials) match(name, password string) bool {
	given := sha256.Sum256([]byte(name + ":" + password))
	found := 0
	for i := range known {
		found |= subtle.ConstantTimeCompare(given[:], known[i][:])
	}
	return found == 1
}

// AllowIPs returns middleware that passes requests on connections from addresses
// within prefixes. Every other request gets 403 with a PERMISSION_DENIED error,
// written by onError, or by [WriteError] if onError is nil. Without prefixes every
// request gets 403.
//
// AllowIPs checks http.Request.RemoteAddr, the address of the connection. It ignores
// headers such as X-Forwarded-For, which any client can send. Behind a proxy it
// therefore sees the address of the proxy. An IPv4 address and its IPv6 form
// (::ffff:192.0.2.1; RFC 4291, section 2.5.5.2) are equal, in connections and in
// prefixes. IPv6 zones are ignored. If RemoteAddr is not an IP address and a port, as
// on a Unix socket, the request gets 403.
//
// AllowIPs panics if a prefix is not valid.
func AllowIPs(onError ErrorHandler, prefixes ...netip.Prefix) func(http.Handler) http.Handler {
	const mappedBits = 96 // of ::ffff:0:0/96
	allowed := make([]netip.Prefix, len(prefixes))
	for i, prefix := range prefixes {
		if !prefix.IsValid() {
			panic(fmt.Sprintf("svc: AllowIPs: prefix %d is not valid", i+1))
		}
		allowed[i] = prefix
		if prefix.Addr().Is4In6() && prefix.Bits() >= mappedBits {
			allowed[i] = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mappedBits)
		}
	}
	return middleware(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		remote, err := netip.ParseAddrPort(r.RemoteAddr)
		ip := remote.Addr().Unmap().WithZone("") // Prefix.Contains does not match other forms
		if err == nil && slices.ContainsFunc(allowed, func(p netip.Prefix) bool { return p.Contains(ip) }) {
			next.ServeHTTP(w, r)
			return
		}
		refuse(w, r, Errorf(CodePermissionDenied, "requests from this address are not allowed"), onError)
	})
}

// Under returns middleware that applies mw to requests whose path is prefix or
// below it. Other requests go directly to the next handler. Under compares whole
// segments: /admin covers /admin and /admin/users, but not /administrator. Case
// matters. Slashes at the end of prefix are ignored; "" and "/" cover every path.
//
// Under also covers paths that are below prefix only after cleaning, such as //admin
// and /x/../admin. mw is often a guard, and handlers such as http.FileServer clean the
// path before they use it.
//
// Under panics if prefix is not empty and does not start with a slash, or if
// path.Clean would change it.
func Under(prefix string, mw func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	prefix = trimmedPrefix("Under", prefix)
	return func(next http.Handler) http.Handler {
		covered := mw(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, plain := cutPrefixPath(r.URL.Path, prefix)
			_, clean := cutPrefixPath(path.Clean("/"+r.URL.Path), prefix)
			if plain || clean || prefix == "" {
				covered.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
