package svc

// This file decides who may pass: middleware that asks for a name and a
// password, that looks at the address of the connection, and that applies
// other middleware to a part of a site.

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
)

// BasicAuth is middleware that lets through who gives a name and a password of
// users by the Basic scheme (RFC 7617), on every method, and answers everyone
// else with 401, WWW-Authenticate and an UNAUTHENTICATED error by onError, or
// by [WriteError] if that is nil. An unknown name takes the same path and the
// same time as a wrong password.
//
// Users maps names to passwords. It is copied; nil or empty refuses everyone.
// So does an empty password, whatever the client sends, since that is what an
// unset environment variable gives. Names and passwords are UTF-8, which the
// challenge says, and are compared byte by byte: give them in Unicode's
// normalisation form C, as browsers send them.
//
// The scheme sends the password in the clear: use it over TLS or on a machine
// of one's own. BasicAuth panics if the realm or a name has a control
// character, or a name a colon (RFC 7617, section 2).
func BasicAuth(realm string, users map[string]string, onError ErrorHandler) func(http.Handler) http.Handler {
	if strings.ContainsFunc(realm, isControl) {
		panic(fmt.Sprintf("svc: BasicAuth: the realm %q has a control character", realm))
	}
	known := newCredentials(users)
	challenge := `Basic realm=` + quotedString(realm) + `, charset="UTF-8"`
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if known.has(r) {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("WWW-Authenticate", challenge)
			refuse(w, r, Errorf(CodeUnauthenticated, "a valid name and password are required"), onError)
		})
	}
}

// credentials are the hashes of "name:password" of everyone who may pass. A
// name has no colon, so no two pairs give the same text.
type credentials [][sha256.Size]byte

func newCredentials(users map[string]string) credentials {
	var known credentials
	for _, name := range slices.Sorted(maps.Keys(users)) { // so that a panic is the same each time
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

// has reports whether r carries one of the credentials. What it does depends
// on the request's own text alone: it hashes name and password together and
// compares with all there are, so neither the time nor the path tells whether
// the name is known. Two Authorization headers are refused, since a proxy in
// front may have looked at the other one.
func (known credentials) has(r *http.Request) bool {
	name, password, ok := r.BasicAuth()
	if !ok || len(r.Header.Values("Authorization")) != 1 {
		return false
	}
	given := sha256.Sum256([]byte(name + ":" + password))
	found := 0
	for i := range known {
		found |= subtle.ConstantTimeCompare(given[:], known[i][:])
	}
	return found == 1
}

// AllowIPs is middleware that lets through connections from addresses within
// prefixes and answers all others with 403 and a PERMISSION_DENIED error by
// onError, or by [WriteError] if that is nil. No prefix at all refuses
// everyone.
//
// It goes by the address of the connection, http.Request.RemoteAddr as
// net/http sets it, and never by a header such as X-Forwarded-For, which
// anyone can send: behind a proxy it sees the proxy. An IPv4 address counts as
// such in its IPv6 form too (::ffff:192.0.2.1; RFC 4291, section 2.5.5.2), in
// the connection and in prefixes, and an IPv6 zone is not looked at. A
// RemoteAddr that is no IP address with a port, as on a Unix socket, is
// refused.
//
// AllowIPs panics if a prefix is not valid.
func AllowIPs(onError ErrorHandler, prefixes ...netip.Prefix) func(http.Handler) http.Handler {
	allowed := make([]netip.Prefix, len(prefixes))
	for i, prefix := range prefixes {
		if !prefix.IsValid() {
			panic(fmt.Sprintf("svc: AllowIPs: prefix %d is not valid", i+1))
		}
		allowed[i] = unmapPrefix(prefix)
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if addr, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && containsIP(allowed, addr.Addr()) {
				next.ServeHTTP(w, r)
				return
			}
			refuse(w, r, Errorf(CodePermissionDenied, "this address may not come here"), onError)
		})
	}
}

// unmapPrefix returns a prefix of IPv4-mapped addresses as one of IPv4.
func unmapPrefix(p netip.Prefix) netip.Prefix {
	const mappedBits = 96 // of ::ffff:0:0/96
	if p.Addr().Is4In6() && p.Bits() >= mappedBits {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mappedBits)
	}
	return p
}

func containsIP(prefixes []netip.Prefix, addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("") // Prefix.Contains knows neither
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// Under is middleware that applies mw to requests whose path is prefix or
// below it, on segment boundaries, and leaves the others alone: /admin covers
// /admin and /admin/users, not /administrator. Trailing slashes of prefix do
// not count; "" and "/" cover everything.
//
// Since mw is often a guard, a path that gets below prefix only by cleaning
// (//admin, /x/../admin) is covered as well: handlers such as http.FileServer
// clean it. Letters are compared exactly.
//
// Under panics if prefix is not empty and does not start with a slash, or is
// not clean itself.
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
