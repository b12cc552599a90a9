package svc

// This file decides which version of an API a request asks for, tells the
// handlers behind it by the context, and tells clients of a deprecated version
// so. It does not route: a version in the path stays in the path.

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

// The places where a version is looked for unless VersionOptions names others,
// and the name that turns a place off.
const (
	defaultVersionHeader = "Accept-Version"
	defaultVersionQuery  = "version"
	versionSourceOff     = "-"
)

// VersionOptions say where [Version] looks for a version and what it makes of
// it. The zero value reads the header Accept-Version, then the query parameter
// version, and takes what it finds.
type VersionOptions struct {
	// DefaultVersion is the version of a request that names none. Empty means
	// that there is none.
	DefaultVersion string

	// Header is the request header that names a version. Empty means
	// Accept-Version, "-" means that no header does.
	Header string

	// QueryParam is the query parameter that names a version. Empty means
	// version, "-" means that no parameter does.
	QueryParam string

	// PathPrefix is whether the first segment of the path may name a version:
	// v or V, then numbers with dots between, as in /v1.2/todos. The path goes
	// on unchanged; serve it with Service.At, for instance.
	PathPrefix bool

	// Supported lists the versions there are, to be compared exactly. A request
	// for another, or for none, is answered with 400. Empty means that every
	// version goes.
	Supported []string

	// Deprecated lists versions that still work and should no longer be used.
	// Their responses carry "Deprecation: true" and a Sunset header with a text
	// in place of a date; an entry in Deprecations does it by the RFCs.
	Deprecated []string

	// Deprecations says more of deprecated versions, whether or not Deprecated
	// lists them too.
	Deprecations map[string]Deprecation

	// ErrorHandler answers a request for a version that is not in Supported;
	// version is empty if the request names none, and else as the client sent
	// it, so take care where you write it. Nil means the envelope with
	// INVALID_ARGUMENT.
	ErrorHandler func(w http.ResponseWriter, r *http.Request, version string)
}

// A Deprecation says when a version became deprecated, when it goes away, and
// where to read about it. What is zero is not sent, except that a Deprecation
// without Since sends "Deprecation: true".
type Deprecation struct {
	Since  time.Time // the Deprecation header (RFC 9745, section 2), to the second; may be in the future
	Sunset time.Time // the Sunset header (RFC 8594, section 3), to the second; not before Since
	Link   string    // a URL, sent as Link with rel="deprecation" (RFC 9745, section 3)
}

// Version is middleware that finds out which version of the API a request asks
// for. The first source that has a value decides:
//
//	Source            Counts if
//	----------------  ---------------------------------------------
//	opts.Header       not empty; of several headers the first counts
//	opts.QueryParam   not empty; of several parameters the first counts
//	path              opts.PathPrefix, and as described there
//	DefaultVersion    not empty
//
// A value is taken as sent, so versions can be dates. Handlers, and methods
// by their context, learn it from [GetVersion]. It never gets into a response
// header, while Vary (RFC 9110, section 12.5.5) gets the name of the header
// that was consulted.
//
// Version panics if a Link is no URL or a Sunset comes before its Since, which
// RFC 9745, section 4 forbids.
func Version(opts VersionOptions) func(http.Handler) http.Handler {
	v := newVersioning(&opts)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if v.header != versionSourceOff {
				w.Header().Add("Vary", v.header)
			}
			version := v.detect(r)
			if len(v.supported) > 0 && !slices.Contains(v.supported, version) {
				v.refuse(w, r, version)
				return
			}
			v.notices[version].write(w.Header())
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), versionKey{}, version)))
		})
	}
}

// VersionFromHeader is [Version] that reads the named request header and
// nothing else, and takes every version. The empty name means Accept-Version.
func VersionFromHeader(name string) func(http.Handler) http.Handler {
	return Version(VersionOptions{Header: name, QueryParam: versionSourceOff})
}

// VersionFromQuery is [Version] that reads the named query parameter and
// nothing else, and takes every version. The empty name means version.
func VersionFromQuery(name string) func(http.Handler) http.Handler {
	return Version(VersionOptions{Header: versionSourceOff, QueryParam: name})
}

// VersionFromPath is [Version] that reads the first segment of the path and
// nothing else, and takes every version.
func VersionFromPath() func(http.Handler) http.Handler {
	return Version(VersionOptions{Header: versionSourceOff, QueryParam: versionSourceOff, PathPrefix: true})
}

type versionKey struct{}

// GetVersion returns the version that [Version] found for the request that ctx
// belongs to, as the client sent it. It returns "" if there is none, and where
// Version does not stand in front.
func GetVersion(ctx context.Context) string {
	version, _ := ctx.Value(versionKey{}).(string)
	return version
}

// Get is another name of [GetVersion].
func Get(ctx context.Context) string { return GetVersion(ctx) }

// versioning is VersionOptions with the defaults filled in and all that is the
// same for every request made ready. It is never written after newVersioning.
type versioning struct {
	defaultVersion string
	header, query  string // "-" is off
	path           bool
	supported      []string
	notices        map[string]notice
	onError        func(w http.ResponseWriter, r *http.Request, version string)
}

func newVersioning(opts *VersionOptions) *versioning {
	v := &versioning{
		defaultVersion: opts.DefaultVersion,
		header:         http.CanonicalHeaderKey(cmp.Or(opts.Header, defaultVersionHeader)),
		query:          cmp.Or(opts.QueryParam, defaultVersionQuery),
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

// detect returns the version that r asks for, or "".
func (v *versioning) detect(r *http.Request) string {
	if v.header != versionSourceOff {
		if version := r.Header.Get(v.header); version != "" {
			return version
		}
	}
	if v.query != versionSourceOff && r.URL.RawQuery != "" {
		if version := r.URL.Query().Get(v.query); version != "" {
			return version
		}
	}
	if v.path {
		if version := pathVersion(r.URL.Path); version != "" {
			return version
		}
	}
	return v.defaultVersion
}

// pathVersion returns the first segment of path if it is a version and another
// slash follows, or "".
func pathVersion(path string) string {
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
	digits := 0
	for i := 1; i < len(s); i++ {
		switch {
		case isDigit(s[i]):
			digits++
		case s[i] == '.' && digits > 0:
			digits = 0
		default:
			return false
		}
	}
	return digits > 0
}

// refuse answers a request for a version that is not supported.
func (v *versioning) refuse(w http.ResponseWriter, r *http.Request, version string) {
	message := "there is no such version of this API"
	if version == "" {
		message = "the request must name a version of this API"
	}
	err := Errorf(CodeInvalidArgument, "%s", message).WithDetail("supported", v.supported)
	if v.onError == nil {
		refuse(w, r, err, nil)
		return
	}
	refuse(w, r, err, func(w http.ResponseWriter, r *http.Request, _ error) {
		v.onError(w, r, version)
	})
}

// A notice holds the header values that tell of one deprecated version; what
// is empty is not sent. The zero notice is that of any other version.
type notice struct {
	deprecation, sunset, link string
}

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

func (n notice) write(h http.Header) {
	if n.deprecation == "" {
		return
	}
	h.Set("Deprecation", n.deprecation)
	if n.sunset != "" {
		h.Set("Sunset", n.sunset)
	}
	if n.link != "" {
		h.Add("Link", n.link) // RFC 8288 allows several; a list has its own
	}
}
