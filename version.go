package svc

// This file detects the API version of a request, stores it in the context of the
// request, and adds headers to the responses of deprecated versions. It does not
// change the path.

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// versionSourceOff is the name of a header or a query parameter that is not read.
const versionSourceOff = "-"

// VersionOptions configures [Version]. The zero value and nil read the header Accept-Version,
// then the query parameter version, and accept every version.
type VersionOptions struct {
	// DefaultVersion is the version of requests that do not name one. If Supported is set, it must
	// be one of them. Empty means that such requests have no version.
	DefaultVersion string
	// Header is the request header that has the version. Empty means Accept-Version, "-" none.
	Header string
	// QueryParam is the query parameter that has the version. Empty means version, "-" none.
	QueryParam string
	// PathPrefix means that the first segment of the path may be a version: v or V followed by
	// numbers separated by dots, as in /v1.2/todos. The next handler gets the whole path.
	PathPrefix bool
	// Supported lists the accepted versions, compared exactly. Empty accepts every version.
	Supported []string
	// Deprecated lists versions whose responses have "Deprecation: true" and "Sunset: See
	// documentation for migration guide". RFC 8594 requires a date: use Deprecations for one.
	Deprecated []string
	// Deprecations maps deprecated versions to the headers of their responses. It takes precedence
	// over Deprecated.
	Deprecations map[string]Deprecation
	// ErrorHandler writes the response to a request for a version that is not in Supported. version
	// is empty, or the client's text: escape it. Nil means the envelope.
	ErrorHandler func(w http.ResponseWriter, r *http.Request, version string)
}

// Version returns middleware that detects the API version of each request, for [GetVersion]. It
// takes the first source that is not empty: opts.Header, opts.QueryParam, the path if
// opts.PathPrefix is set, and opts.DefaultVersion. A version is any text, such as a date.
// doc/versions.md has more.
//
// If Supported is set, a request gets 400 with INVALID_ARGUMENT if it asks for any other version or
// for none, or if the query parameter cannot be decoded. The detail "supported" lists the versions.
//
// Version panics if DefaultVersion is not in Supported, if a Link is not a URL, or if a Sunset
// is before its Since (RFC 9745, section 4).
func Version(opts *VersionOptions) func(http.Handler) http.Handler {
	v := newVersioning(valueOf(opts))
	return middleware(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if v.Header != versionSourceOff {
			addHeader(w.Header(), "Vary", v.Header)
		}
		version, ok := v.detectVersion(r)
		if len(v.Supported) > 0 && (!ok || !slices.Contains(v.Supported, version)) {
			v.refuseVersion(w, r, version)
			return
		}
		setHeaders(w.Header(), v.notices[version])
		serveCopy(w, r, r.WithContext(context.WithValue(r.Context(), versionKey{}, seenVersion{version, v.QueryParam})), next)
	})
}

// VersionFromHeader returns [Version] middleware that reads only the request header name, and
// accepts every version. An empty name means Accept-Version.
func VersionFromHeader(name string) func(http.Handler) http.Handler {
	return Version(&VersionOptions{Header: name, QueryParam: versionSourceOff})
}

// VersionFromQuery returns [Version] middleware that reads only the query parameter name, and
// accepts every version. An empty name means version.
func VersionFromQuery(name string) func(http.Handler) http.Handler {
	return Version(&VersionOptions{Header: versionSourceOff, QueryParam: name})
}

// VersionFromPath returns [Version] middleware that reads only the first segment of the path,
// and accepts every version.
func VersionFromPath() func(http.Handler) http.Handler {
	return Version(&VersionOptions{Header: versionSourceOff, QueryParam: versionSourceOff, PathPrefix: true})
}

// GetVersion returns the version that [Version] detected for the request of ctx. It
// returns "" if the request has no version or did not pass through Version.
func GetVersion(ctx context.Context) string {
	seen, _ := ctx.Value(versionKey{}).(seenVersion)
	return seen.version
}

// Get returns the same as [GetVersion].
func Get(ctx context.Context) string { return GetVersion(ctx) }

// versioning is VersionOptions with the defaults filled in. It never changes.
type versioning struct {
	VersionOptions
	notices map[string]http.Header // of the responses of the deprecated versions
}

// newVersioning compiles opts. It panics at the first mistake: first a DefaultVersion that
// is not supported, then the Deprecations, in the order of the versions.
func newVersioning(opts VersionOptions) *versioning {
	if opts.DefaultVersion != "" && len(opts.Supported) > 0 && !slices.Contains(opts.Supported, opts.DefaultVersion) {
		panic("svc: Version: the DefaultVersion " + strconv.Quote(opts.DefaultVersion) +
			" is not in Supported, so every request without a version would get 400")
	}
	v := &versioning{opts, make(map[string]http.Header)}
	v.Header = http.CanonicalHeaderKey(cmp.Or(opts.Header, "Accept-Version"))
	v.QueryParam = cmp.Or(opts.QueryParam, "version")
	v.Supported = slices.Clone(opts.Supported)
	for _, version := range opts.Deprecated {
		v.notices[version] = http.Header{"Deprecation": {"true"}, "Sunset": {"See documentation for migration guide"}}
	}
	for _, version := range slices.Sorted(maps.Keys(opts.Deprecations)) {
		d := opts.Deprecations[version]
		if mistake := d.mistake(); mistake != "" {
			panic("svc: Version: the deprecation of " + version + ": " + mistake)
		}
		v.notices[version] = d.header()
	}
	return v
}

// detectVersion returns the version that r asks for, or "". It reports false if the query
// parameter cannot be decoded, even if the path has a valid version.
func (v *versioning) detectVersion(r *http.Request) (version string, ok bool) {
	if v.Header != versionSourceOff {
		if version := r.Header.Get(v.Header); version != "" {
			return version, true
		}
	}
	if v.QueryParam != versionSourceOff && r.URL.RawQuery != "" {
		if version, ok := queryParameter(r.URL.RawQuery, v.QueryParam); version != "" {
			return version, ok
		}
	}
	if version := pathVersion(r.URL.Path); version != "" && v.PathPrefix {
		return version, true
	}
	return v.DefaultVersion, true
}

// pathVersion returns the first segment of a path if it is a version, and else "". A slash must
// follow: /v1 alone is a resource called v1.
//
//	/v1.2/todos  v1.2
//	/v1./todos   ""
func pathVersion(path string) string {
	segment, _, isFolder := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !isFolder || !strings.HasPrefix(path, "/v") && !strings.HasPrefix(path, "/V") {
		return ""
	}
	for number := range strings.SplitSeq(segment[1:], ".") {
		if number == "" || strings.Trim(number, "0123456789") != "" {
			return ""
		}
	}
	return segment
}

// queryParameter returns the value of the first query parameter with the name, or "". If the value
// cannot be decoded, it reports false and returns the value as it was sent. Other parameters do not
// matter, even malformed ones. url.ParseQuery drops malformed parameters, so a misspelt version
// would look like a missing one. For well-formed parameters both agree.
//
//	query               name     value  ok
//	version=v%31&x=%    version  v1     true
//	version=v1%         version  v1%    false
//	version=v1;x=2      version  v1;x=2 false: url.ParseQuery rejects semicolons
//	version=&version=2  version         true
func queryParameter(query, name string) (value string, ok bool) {
	for pair := range strings.SplitSeq(query, "&") {
		given, value, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(given); err != nil || decoded != name {
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

// refuseVersion writes the response to a request for a version that is not supported.
// The detail "supported" lists the supported ones. The version that the client sent is
// not repeated.
func (v *versioning) refuseVersion(w http.ResponseWriter, r *http.Request, version string) {
	message := "this version of the API does not exist"
	if version == "" {
		message = "the request must name a version of this API"
	}
	var opts ErrorOptions
	if v.ErrorHandler != nil {
		opts.OnError = func(w http.ResponseWriter, r *http.Request, _ error) { v.ErrorHandler(w, r, version) }
	}
	refuse(w, r, Errorf(CodeInvalidArgument, "%s", message).WithDetail("supported", v.Supported), opts)
}
