package svc_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"example.com/svc"
)

// A JWTVerifier checks JSON Web Tokens (RFC 7519) that are signed with RS256 or ES256
// (RFC 7518, section 3), with the keys of one issuer.
type JWTVerifier struct {
	Issuer   string
	Audience string                      // this server; see BearerOptions.Resource
	Keys     map[string]crypto.PublicKey // by key ID: *rsa.PublicKey or *ecdsa.PublicKey
}

// errBadToken returns the error for a token. Responses and logs must not contain the
// token, so the error does not quote it.
func errBadToken(reason string) error {
	return svc.Errorf(svc.CodeUnauthenticated, "the token %s", reason)
}

// Verify is the function that Bearer calls. It reads the claims only after it has
// checked the signature of the issuer.
func (v *JWTVerifier) Verify(_ context.Context, token string) (*svc.Principal, error) {
	parts := strings.SplitN(token, ".", 4)
	if len(parts) != 3 {
		return nil, errBadToken("does not have three parts")
	}
	header := readPart(parts[0])
	if _, critical := header["crit"]; header == nil || critical { // extensions are not supported
		return nil, errBadToken("has a header that cannot be read")
	}
	alg, _ := header["alg"].(string)
	kid, _ := header["kid"].(string)
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !verifySignature(v.Keys[kid], alg, parts[0]+"."+parts[1], signature) {
		return nil, errBadToken("is not signed by the issuer")
	}
	return v.readClaims(readPart(parts[1]))
}

// readClaims checks the claims and returns the Principal that they describe.
func (v *JWTVerifier) readClaims(claims map[string]any) (*svc.Principal, error) {
	issuer, _ := claims["iss"].(string)
	subject, _ := claims["sub"].(string)
	scope, _ := claims["scope"].(string)
	audiences, _ := claims["aud"].([]any) // a string, or a list of them
	notBefore, hasNotBefore := claims["nbf"].(float64)
	expires, _ := claims["exp"].(float64)
	now := float64(time.Now().Unix())
	switch {
	case issuer == "" || issuer != v.Issuer:
		return nil, errBadToken("was issued by another issuer")
	case v.Audience == "" || claims["aud"] != v.Audience && !slices.Contains(audiences, any(v.Audience)):
		return nil, errBadToken("is for another server")
	case expires <= now || expires > 1e11: // without exp, or with a huge one, it would never expire
		return nil, errBadToken("has expired")
	case claims["nbf"] != nil && (!hasNotBefore || notBefore > now):
		return nil, errBadToken("is not valid yet")
	case subject == "":
		return nil, errBadToken("has no subject")
	}
	return &svc.Principal{Subject: subject, Scopes: strings.Fields(scope), Expires: time.Unix(int64(expires), 0)}, nil
}

// readPart returns the members of a part, or nil. A struct would also accept members
// in upper case, such as a SCOPE that a user may be able to set.
func readPart(part string) (members map[string]any) {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil || json.Unmarshal(text, &members) != nil {
		return nil
	}
	return members
}

// verifySignature reports whether the signature is valid. The key decides the algorithm,
// not the token: a token could say "none", or use the public key as an HMAC secret.
func verifySignature(key crypto.PublicKey, alg, signed string, signature []byte) bool {
	hash := sha256.Sum256([]byte(signed))
	switch k := key.(type) {
	case *rsa.PublicKey:
		return alg == "RS256" && rsa.VerifyPKCS1v15(k, crypto.SHA256, hash[:], signature) == nil
	case *ecdsa.PublicKey:
		if alg != "ES256" || len(signature) != 64 {
			return false
		}
		return ecdsa.Verify(k, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	}
	return false // no such key
}

// ParseJWKS reads a JSON Web Key Set (RFC 7517), which issuers publish. Fetch the set
// from time to time, not for each token.
func ParseJWKS(text []byte) (map[string]crypto.PublicKey, error) {
	var set struct {
		Keys []struct{ Kty, Kid, Use, Crv, N, E, X, Y string }
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	number := func(s string) *big.Int {
		b, _ := base64.RawURLEncoding.DecodeString(s)
		return new(big.Int).SetBytes(b)
	}
	keys := make(map[string]crypto.PublicKey)
	for _, k := range set.Keys {
		switch {
		case k.Use != "" && k.Use != "sig":
		case k.Kty == "RSA" && number(k.N).BitLen() >= 2048 && number(k.E).BitLen() < 32:
			keys[k.Kid] = &rsa.PublicKey{N: number(k.N), E: int(number(k.E).Int64())}
		case k.Kty == "EC" && k.Crv == "P-256":
			key := &ecdsa.PublicKey{Curve: elliptic.P256(), X: number(k.X), Y: number(k.Y)}
			if _, err := key.ECDH(); err == nil { // the point is on the curve
				keys[k.Kid] = key
			}
		}
	}
	return keys, nil
}

// The standard library is enough to check JWTs.
func ExampleBearer() {
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	ecKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	encode := base64.RawURLEncoding.EncodeToString
	keys, err := ParseJWKS([]byte(`{"keys":[
		{"kty":"RSA","kid":"r","n":"` + encode(rsaKey.N.Bytes()) + `","e":"AQAB"},
		{"kty":"EC","kid":"e","crv":"P-256","x":"` + encode(ecKey.X.FillBytes(make([]byte, 32))) + `","y":"` + encode(ecKey.Y.FillBytes(make([]byte, 32))) + `"}]}`))
	if err != nil {
		fmt.Println(err)
	}
	verifier := &JWTVerifier{"https://login.example", "https://api.example", keys}
	guard := svc.Bearer(verifier.Verify, &svc.BearerOptions{
		Resource: "https://api.example", AuthorizationServers: []string{"https://login.example"},
		Scopes: []string{"todos"}, Logger: slog.New(slog.DiscardHandler),
	})
	handler := guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := svc.PrincipalFrom(r.Context())
		fmt.Fprint(w, "hello, ", p.Subject)
	}))

	// sign returns a token, as the issuer does.
	sign := func(header, claims string) string {
		signed := encode([]byte(header)) + "." + encode([]byte(claims))
		hash := sha256.Sum256([]byte(signed))
		if strings.Contains(header, `"kid":"r"`) {
			signature, _ := rsa.SignPKCS1v15(rand.Reader, rsaKey, crypto.SHA256, hash[:])
			return signed + "." + encode(signature)
		}
		r, s, _ := ecdsa.Sign(rand.Reader, ecKey, hash[:])
		return signed + "." + encode(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
	}
	const rs256, es256 = `{"alg":"RS256","kid":"r"}`, `{"alg":"ES256","kid":"e"}`
	claims := fmt.Sprintf(`{"iss":"https://login.example","aud":"https://api.example","sub":"ada","scope":"todos","exp":%d}`, time.Now().Add(time.Hour).Unix())
	replaced := func(old, new string) string { return strings.Replace(claims, old, new, 1) }
	good := sign(rs256, claims)
	for _, test := range []struct{ name, token string }{
		{"RS256", good},
		{"ES256", sign(es256, claims)},
		{"several audiences", sign(es256, replaced(`"https://api.example"`, `["https://api.example","x"]`))},
		{"alg none", encode([]byte(`{"alg":"none","kid":"r"}`)) + "." + encode([]byte(claims)) + "."},
		{"alg of the other key", sign(`{"alg":"ES256","kid":"r"}`, claims)},
		{"HMAC with the public key", sign(`{"alg":"HS256","kid":"r"}`, claims)},
		{"an unknown key", sign(`{"alg":"RS256","kid":"x"}`, claims)},
		{"other claims", strings.Join([]string{strings.Split(good, ".")[0], encode([]byte(replaced("ada", "eve"))), strings.Split(good, ".")[2]}, ".")},
		{"another audience", sign(rs256, replaced("https://api.example", "https://other.example"))},
		{"another issuer", sign(rs256, replaced("https://login.example", "https://evil.example"))},
		{"no issuer", sign(rs256, replaced(`"iss"`, `"ISS"`))},
		{"expired", sign(rs256, replaced(`"exp":`, `"exp":1,"was":`))},
		{"good for ever", sign(rs256, replaced(`"exp":`, `"exp":1e300,"was":`))},
		{"not valid yet", sign(rs256, replaced(`"sub"`, `"nbf":9e9,"sub"`))},
		{"an unknown extension", sign(`{"alg":"RS256","kid":"r","crit":["x"],"x":1}`, claims)},
		{"a signature cut short", good[:len(good)-4]},
		{"no subject", sign(rs256, replaced("ada", ""))},
		{"without the scope", sign(rs256, replaced("todos", "notes"))},
		{"a claim that looks like the scope", sign(rs256, replaced(`"scope"`, `"SCOPE"`))},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", "Bearer "+test.token)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		challenge, _, _ := strings.Cut(strings.TrimPrefix(w.Header().Get("WWW-Authenticate"), "Bearer "), ",")
		fmt.Println(strings.TrimSpace(fmt.Sprint(test.name, ": ", w.Code, " ", challenge)))
	}
	// Output:
	// RS256: 200
	// ES256: 200
	// several audiences: 200
	// alg none: 401 error="invalid_token"
	// alg of the other key: 401 error="invalid_token"
	// HMAC with the public key: 401 error="invalid_token"
	// an unknown key: 401 error="invalid_token"
	// other claims: 401 error="invalid_token"
	// another audience: 401 error="invalid_token"
	// another issuer: 401 error="invalid_token"
	// no issuer: 401 error="invalid_token"
	// expired: 401 error="invalid_token"
	// good for ever: 401 error="invalid_token"
	// not valid yet: 401 error="invalid_token"
	// an unknown extension: 401 error="invalid_token"
	// a signature cut short: 401 error="invalid_token"
	// no subject: 401 error="invalid_token"
	// without the scope: 403 error="insufficient_scope"
	// a claim that looks like the scope: 403 error="insufficient_scope"
}
