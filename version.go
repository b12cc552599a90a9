package svc

// This file detects the API version of a request, puts it into the request's
// context, and adds headers to responses of deprecated versions. It does not
// route: a version in the path stays in the path.

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// versionSourceOff is the name that turns a source of VersionOptions off.
const versionSourceOff = "-"

// VersionOptions configure [Version]. The zero value reads the header
// Accept-Version, then the query parameter version, and accepts every version.
type VersionOptions struct {
	// DefaultVersion is the version of a request that names none. Empty means
	// that such a request has no version.
	DefaultVersion string
	// Header is the name of the request header with the version. Empty means
	// Accept-Version; "-" means that no header is read.
	Header string
	// QueryParam is the name of the query parameter with the version. Empty
	// means version; "-" means that no parameter is read.
	QueryParam string
	// PathPrefix says whether the first segment of the path may be a version: v
	// or V, then numbers with dots between them, as in /v1.2/todos. The next
	// handler gets the path unchanged; Service.At serves such paths.
	PathPrefix bool
	// Supported lists the versions that exist. They are compared exactly. A
	// request for another version, or for none, gets 400. Empty means that every
	// version is accepted.
	Supported []string
	// Deprecated lists versions that still work and should no longer be used.
	// Their responses have the headers "Deprecation: true" and
	// "Sunset: See documentation for migration guide". The latter has no date
	// and so does not follow RFC 8594; for headers that follow the RFCs, use
	// Deprecations.
	Deprecated []string
	// Deprecations maps deprecated versions to details, which replace the
	// headers described at Deprecated. A version need not be in Deprecated too.
	Deprecations map[string]Deprecation
	// ErrorHandler writes the response to a request for a version that is not
	// in Supported. version is empty if the request names none. Otherwise it is
	// the text that the client sent: do not write it into a response unescaped.
	// Nil means the envelope with INVALID_ARGUMENT.
	ErrorHandler func(w http.ResponseWriter, r *http.Request, version string)
}

// A Deprecation says since when a version is deprecated, when it will be removed
// and where to read about it. Zero fields are not sent, with one exception: a
// zero Since sends "Deprecation: true". Times are sent in whole seconds.
type Deprecation struct {
	Since  time.Time // the Deprecation header (RFC 9745, section 2); may be in the future
	Sunset time.Time // the Sunset header (RFC 8594, section 3); not before Since
	Link   string    // a URL, sent as Link with rel="deprecation" (RFC 9745, section 3)
}

// Version returns middleware that detects the API version of each request. It
// takes the first source that gives a value:
//
//	Source            Gives a value if
//	----------------  -----------------------------------------------------
//	opts.Header       it is not empty; if it is sent twice, the first counts
//	opts.QueryParam   it is not empty; if it is sent twice, the first counts;
//	                  one that cannot be decoded is no version in Supported
//	the path          opts.PathPrefix is set and the first segment is a version
//	DefaultVersion    it is not empty
//
// The value is taken as sent, so versions can be dates. A parameter is decoded
// first. One that cannot be decoded still counts as a request for a version. It is
// refused if Supported is set, even if another source has a valid version.
// [GetVersion] returns the value to the handlers behind Version and to methods.
// Version never copies it into a response. If a header is read, Version adds its
// name to Vary (RFC 9110, section 12.5.5), so that caches keep the versions apart.
//
// Version panics if a Link is not a URL, or if a Sunset is before its Since,
// which RFC 9745, section 4 forbids.
func Version(opts VersionOptions) func(http.Handler) http.Handler {
	v := newVersioning(&opts)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if v.header != versionSourceOff {
				addHeader(w.Header(), "Vary", v.header)
			}
			version, ok := v.detectVersion(r)
			if len(v.supported) > 0 && (!ok || !slices.Contains(v.supported, version)) {
				v.refuseVersion(w, r, version)
				return
			}
			v.notices[version].addTo(w.Header())
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), versionKey{}, version)))
		})
	}
}

// VersionFromHeader returns the middleware of [Version] with one source, the
// request header called name. It accepts every version. An empty name means
// Accept-Version.
func VersionFromHeader(name string) func(http.Handler) http.Handler {
	return Version(VersionOptions{Header: name, QueryParam: versionSourceOff})
}

// VersionFromQuery returns the middleware of [Version] with one source, the query
// parameter called name. It accepts every version. An empty name means version.
func VersionFromQuery(name string) func(http.Handler) http.Handler {
	return Version(VersionOptions{Header: versionSourceOff, QueryParam: name})
}

// VersionFromPath returns the middleware of [Version] with one source, the first
// segment of the path. It accepts every version.
func VersionFromPath() func(http.Handler) http.Handler {
	return Version(VersionOptions{Header: versionSourceOff, QueryParam: versionSourceOff, PathPrefix: true})
}

// versionKey is the key of the version in a context.
type versionKey struct{}

// GetVersion returns the version that [Version] detected for the request that ctx
// belongs to, as the client sent it. It returns "" if the request has no version
// or did not pass through Version.
func GetVersion(ctx context.Context) string {
	version, _ := ctx.Value(versionKey{}).(string)
	return version
}

// Get returns the same as [GetVersion].
func Get(ctx context.Context) string { return GetVersion(ctx) }

// versioning is VersionOptions with the defaults filled in. It never changes.
type versioning struct {
	defaultVersion string
	header, query  string // versionSourceOff if the source is off; header is canonical
	path           bool
	supported      []string
	notices        map[string]notice // by version; deprecated versions only
	onError        func(w http.ResponseWriter, r *http.Request, version string)
}

// newVersioning returns opts with defaults. It panics with the first mistake in
// a Deprecation, in the order of the versions.
func newVersioning(opts *VersionOptions) *versioning {
	v := &versioning{
		defaultVersion: opts.DefaultVersion,
		header:         http.CanonicalHeaderKey(cmp.Or(opts.Header, "Accept-Version")),
		query:          cmp.Or(opts.QueryParam, "version"),
		path:           opts.PathPrefix,
		supported:      slices.Clone(opts.Supported),
		notices:        make(map[string]notice),
		onError:        opts.ErrorHandler,
	}
	for _, version := range opts.Deprecated {
		v.notices[version] = notice{deprecation: "true", sunset: "See documentation for migration guide"}
	}
	for _, version := range slices.Sorted(maps.Keys(opts.Deprecations)) {
		v.notices[version] = newNotice(version, opts.Deprecations[version])
	}
	return v
}

// detectVersion returns the version that r asks for, or "". It reports false for
// one that nobody supports, since it cannot be decoded.
func (v *versioning) detectVersion(r *http.Request) (version string, ok bool) {
	if v.header != versionSourceOff {
		if version := r.Header.Get(v.header); version != "" {
			return version, true
		}
	}
	if v.query != versionSourceOff && r.URL.RawQuery != "" {
		if version, ok := findParameter(r.URL.RawQuery, v.query); version != "" {
			return version, ok
		}
	}
	if v.path {
		return cmp.Or(parsePathVersion(r.URL.Path), v.defaultVersion), true
	}
	return v.defaultVersion, true
}

// findParameter returns the value of the first parameter with a name in a query, or
// "". It reports false, and returns the value as it is written, if the value cannot
// be decoded. Other parameters do not matter, even malformed ones. For those that
// can be decoded it agrees with url.ParseQuery, which drops the others and so would
// make a version that is misspelt no version.
//
//	query               name     value  ok
//	version=v%31&x=%    version  v1     true
//	version=v1%         version  v1%    false
//	version=v1;x=2      version  v1;x=2 false: url.ParseQuery takes no semicolon
//	version=&version=2  version         true
func findParameter(query, name string) (value string, ok bool) {
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(key); err != nil || decoded != name {
			continue
		}
		decoded, err := url.QueryUnescape(value)
		if err != nil || strings.Contains(pair, ";") {
			return value, false
		}
		return decoded, true
	}
	return "", true
}

// parsePathVersion returns the first segment of path if it is a version and a
// slash follows it. Otherwise it returns "": /v1 alone is a resource called v1.
func parsePathVersion(path string) string {
	path, rooted := strings.CutPrefix(path, "/")
	segment, _, more := strings.Cut(path, "/")
	if !rooted || !more || !isPathVersion(segment) {
		return ""
	}
	return segment
}

// isPathVersion reports whether s matches [vV][0-9]+(\.[0-9]+)*.
func isPathVersion(s string) bool {
	if s == "" || s[0]|0x20 != 'v' {
		return false
	}
	for number := range strings.SplitSeq(s[1:], ".") {
		if number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return true
}

// refuseVersion writes the response to a request for a version that is not
// supported. It lists the supported ones as the detail "supported" and does not
// repeat the version that the client sent.
func (v *versioning) refuseVersion(w http.ResponseWriter, r *http.Request, version string) {
	message := "there is no such version of this API"
	if version == "" {
		message = "the request must name a version of this API"
	}
	var onError ErrorHandler
	if v.onError != nil {
		onError = func(w http.ResponseWriter, r *http.Request, _ error) { v.onError(w, r, version) }
	}
	refuse(w, r, Errorf(CodeInvalidArgument, "%s", message).WithDetail("supported", v.supported), onError)
}

// A notice holds the header values of one deprecated version. An empty value is not
// sent. The zero notice belongs to versions that are not deprecated.
type notice struct {
	deprecation, sunset, link string
}

// newNotice returns the notice that d describes.
func newNotice(version string, d Deprecation) notice {
	n := notice{deprecation: "true"}
	if !d.Since.IsZero() {
		n.deprecation = "@" + strconv.FormatInt(d.Since.Unix(), 10) // a Date of RFC 9651, section 3.3.7
	}
	if !d.Sunset.IsZero() {
		if d.Sunset.Before(d.Since) {
			panic("svc: Version: the sunset of " + version + " comes before its deprecation (RFC 9745, section 4)")
		}
		n.sunset = d.Sunset.UTC().Format(http.TimeFormat)
	}
	if d.Link != "" {
		if _, err := url.Parse(d.Link); err != nil || strings.ContainsAny(d.Link, "<>\" ") {
			panic("svc: Version: the link of " + version + " is not a URL: " + strconv.Quote(d.Link))
		}
		n.link = "<" + d.Link + `>; rel="deprecation"`
	}
	return n
}

// addTo adds the notice to the header of a response.
func (n notice) addTo(h http.Header) {
	if n.deprecation == "" {
		return
	}
	h.Set("Deprecation", n.deprecation)
	if n.sunset != "" {
		h.Set("Sunset", n.sunset)
	}
	if n.link != "" {
		h.Add("Link", n.link) // Add and not Set: a response may have several (RFC 8288, section 3)
	}
}
