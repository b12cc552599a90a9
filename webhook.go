package svc

// This file signs and verifies webhooks by Standard Webhooks 1.0.0, and keeps their sender away from
// addresses that are not public. In this order: secrets and signatures; SignWebhook; VerifyWebhook;
// PublicOnly.
//
// A webhook is a POST with three headers:
//
//	webhook-id         evt_7                of the event: the same for each attempt
//	webhook-timestamp  1700000000           seconds since 1970, of the attempt
//	webhook-signature  v1,K5oZ… v1,aG9t…    one for each secret
//
// What is signed is the id, the timestamp and the body, with a point between each two. The method,
// the path, the query and all other headers are not.

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The headers of a webhook in their canonical form, and what stands before each signature.
const (
	webhookIDHeader        = "Webhook-Id"
	webhookTimeHeader      = "Webhook-Timestamp"
	webhookSignatureHeader = "Webhook-Signature"
	webhookVersion         = "v1,"
)

// maxWebhookAge is how far a timestamp may be from the time of the receiver, on either side.
const maxWebhookAge = 5 * time.Minute

// maxWebhookID is the largest size of an id, in bytes: that of an idempotency key.
const maxWebhookID = 255

// webhookKeys returns the keys of secrets: whsec_ and the base64 of 24 to 64 bytes. No error has any
// part of a secret.
func webhookKeys(secrets []string) (keys [][]byte, err error) {
	if len(secrets) == 0 {
		return nil, errors.New("there is no secret")
	}
	for i, secret := range secrets {
		text, ok := strings.CutPrefix(secret, "whsec_")
		key, err := base64.StdEncoding.DecodeString(text)
		if !ok || err != nil || len(key) < 24 || len(key) > 64 {
			return nil, fmt.Errorf("secret %d must be whsec_ and the base64 of 24 to 64 random bytes", i+1)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// webhookSignature returns the signature of a webhook by one key: v1,K5oZ…
func webhookSignature(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, id+"."+timestamp+".")
	mac.Write(body)
	return webhookVersion + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// SignWebhook signs a request that sends a webhook: it sets the headers webhook-id,
// webhook-timestamp and webhook-signature by Standard Webhooks 1.0.0. The timestamp is that of now,
// so sign each attempt anew, with the id of its event: receivers run an event once by its id,
// however often and for however many days you send it.
//
// id has 1 to 255 characters of A-Z, a-z, 0-9, - and _. Each secret is whsec_ and the base64 of 24 to
// 64 random bytes. Use one secret for each receiver, and two while you replace one by the other:
// there is a signature for each.
//
// The request must be a POST whose body can be read again ([http.Request].GetBody), as
// [http.NewRequest] makes it of a bytes.Reader. SignWebhook returns an error for any other request,
// id or secret, and never a part of a secret. doc/webhooks.md has a sender.
func SignWebhook(r *http.Request, id string, secrets ...string) error {
	keys, err := webhookKeys(secrets)
	if err != nil {
		return fmt.Errorf("svc: SignWebhook: %w", err)
	}
	if r.Method != http.MethodPost {
		return fmt.Errorf("svc: SignWebhook: the request is a %s; a webhook is a POST", r.Method)
	}
	if id == "" || len(id) > maxWebhookID || strings.ContainsFunc(id, isNoIDCharacter) {
		return fmt.Errorf("svc: SignWebhook: the id %q must have 1 to %d characters of A-Z, a-z, 0-9, - and _", id, maxWebhookID)
	}
	body, err := bodyAgain(r)
	if err != nil {
		return fmt.Errorf("svc: SignWebhook: %w", err)
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	signatures := make([]string, len(keys))
	for i, key := range keys {
		signatures[i] = webhookSignature(key, id, timestamp, body)
	}
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	r.Header.Set(webhookIDHeader, id)
	r.Header.Set(webhookTimeHeader, timestamp)
	r.Header.Set(webhookSignatureHeader, strings.Join(signatures, " "))
	return nil
}

func isNoIDCharacter(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// bodyAgain returns the body that r sends, and leaves it to be sent.
func bodyAgain(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if r.GetBody == nil {
		return nil, errors.New("the body cannot be read twice; give http.NewRequest a bytes.Reader, or set GetBody")
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// errWebhook is the answer to every webhook that is not accepted: a sender needs no more, and a
// stranger learns nothing.
var errWebhook = Errorf(CodeUnauthenticated, "the signature of the webhook is missing, wrong or too old").
	WithHeader("WWW-Authenticate", "StandardWebhooks") // RFC 9110, section 11.6.1

// VerifyWebhook returns middleware that passes only webhooks that were signed with one of the
// secrets, as [SignWebhook] does it: POST requests of at most 1 MiB whose timestamp is within 5
// minutes of now, on either side. It reads the body before it calls the next handler, which gets the
// same bytes.
//
// It sets Idempotency-Key to the webhook-id, whatever the sender sent there. So a method with
// [KeyRequired] and an [Idempotency] store runs once for each event, also if somebody sends a
// captured webhook again within the 5 minutes. The path and the query are not signed: do not decide
// by them.
//
// Other requests get 401 with UNAUTHENTICATED, all with the same message, 405 or 413, in the form of
// [WriteError]. The reason is logged by slog.Default at DEBUG, without any part of a secret or of a
// signature.
//
// Pass two secrets while the sender replaces one by the other. VerifyWebhook panics if there is none,
// and if one is not whsec_ and the base64 of 24 to 64 bytes.
func VerifyWebhook(secrets ...string) func(http.Handler) http.Handler {
	keys, err := webhookKeys(secrets)
	if err != nil {
		panic("svc: VerifyWebhook: " + err.Error())
	}
	limit := limits{DefaultMaxBody, DefaultBodyTimeout}
	return middleware(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != http.MethodPost {
			refuse(w, r, notAllowed(http.MethodPost), ErrorOptions{})
			return
		}
		hook, reason := webhookOf(r.Header)
		if reason == "" {
			limit.setDeadline(w, r)
			body, err := limit.readBody(r, r.Body, nil, keepAll)
			if err != nil {
				refuse(w, r, err, ErrorOptions{})
				return
			}
			hook.body = body
			reason = hook.mistake(keys)
		}
		if reason != "" {
			slog.Default().LogAttrs(r.Context(), slog.LevelDebug, "svc: webhook refused", slog.String("reason", reason))
			refuse(w, r, errWebhook, ErrorOptions{})
			return
		}
		serveCopy(w, r, hook.request(r), next)
	})
}

// A signedWebhook is a webhook as it was received.
type signedWebhook struct {
	id, timestamp string
	signatures    []string
	body          []byte
}

// webhookOf returns the webhook of a header, without its body, or the reason why there is none.
func webhookOf(h http.Header) (hook signedWebhook, reason string) {
	for _, name := range []string{webhookIDHeader, webhookTimeHeader, webhookSignatureHeader} {
		if len(h[name]) != 1 {
			return hook, fmt.Sprintf("%d headers %s", len(h[name]), strings.ToLower(name))
		}
	}
	hook.id, hook.timestamp = h[webhookIDHeader][0], h[webhookTimeHeader][0]
	hook.signatures = strings.Fields(h[webhookSignatureHeader][0])
	// A point in the id could be that before the timestamp.
	isOutside := func(r rune) bool { return r <= ' ' || r >= 0x7F || r == '.' }
	if hook.id == "" || len(hook.id) > maxWebhookID || strings.ContainsFunc(hook.id, isOutside) {
		return hook, "the id is not 1 to 255 visible characters without a point"
	}
	seconds, err := strconv.ParseInt(hook.timestamp, 10, 64)
	if err != nil || strings.Trim(hook.timestamp, "0123456789") != "" {
		return hook, "the timestamp is not a number of seconds"
	}
	if age := time.Since(time.Unix(seconds, 0)); age.Abs() > maxWebhookAge {
		return hook, "the timestamp is " + age.Round(time.Second).String() + " old"
	}
	return hook, ""
}

// mistake returns why none of the keys made one of the signatures, or "" if one did. Signatures of
// other versions do not matter. The time does not depend on how much of a signature is right.
func (hook *signedWebhook) mistake(keys [][]byte) string {
	isSigned := false
	for _, key := range keys {
		want := []byte(webhookSignature(key, hook.id, hook.timestamp, hook.body))
		for _, s := range hook.signatures {
			isSigned = hmac.Equal([]byte(s), want) || isSigned
		}
	}
	if isSigned {
		return ""
	}
	return "no signature v1 is of one of the secrets"
}

// request returns the request for the next handler.
func (hook *signedWebhook) request(r *http.Request) *http.Request {
	inner := r.WithContext(r.Context())
	inner.Header = r.Header.Clone()
	inner.Header[keyHeader] = []string{hook.id}
	inner.Body, inner.ContentLength, inner.TransferEncoding = io.NopCloser(bytes.NewReader(hook.body)), int64(len(hook.body)), nil
	return inner
}

// PublicOnly is the Control function of a [net.Dialer] that connects only to public addresses, on the
// ports 443 and 80, for URLs that strangers give you, such as those of webhooks:
//
//	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: svc.PublicOnly}
//	transport := &http.Transport{DialContext: dialer.DialContext} // without a Proxy
//
// It sees each address after its name is resolved, directly before the connection, so a name that
// resolves to another address the next time does not help an attacker. It returns an error for
// loopback, private, link-local (such as 169.254.169.254, which has the credentials of a machine in a
// cloud), shared, documentation, multicast and reserved addresses, for IPv6 addresses that have an
// IPv4 address inside, for all that no registry has given out, and for networks other than TCP
// (RFC 6890 and its registries). A proxy would connect in its place, and a redirect is a URL of a
// stranger too: use neither.
func PublicOnly(network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	switch {
	case err != nil || !strings.HasPrefix(network, "tcp"):
		return fmt.Errorf("svc: PublicOnly: %s %s is not an address of TCP", network, address)
	case !isPublic(target.Addr()):
		return fmt.Errorf("svc: PublicOnly: %s is not a public address", target.Addr())
	case target.Port() != 443 && target.Port() != 80:
		return fmt.Errorf("svc: PublicOnly: port %d is not 443 or 80", target.Port())
	}
	return nil
}

// isPublic reports whether ip is an address of the public Internet. An address with a zone is not.
func isPublic(ip netip.Addr) bool {
	if ip.Is6() && (ip.Zone() != "" || !netip.MustParsePrefix(globalUnicast6).Contains(ip)) || !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, block := range specialBlocks {
		if netip.MustParsePrefix(block).Contains(ip) {
			return false
		}
	}
	return true
}

// globalUnicast6 has all addresses that IANA gives out (RFC 3587). Loopback, unique local, link-local,
// site-local (fec0::/10), multicast, mapped IPv4 and NAT64 (64:ff9b::/96) are outside.
const globalUnicast6 = "2000::/3"

// specialBlocks has the blocks of IANA's registries of special addresses (RFC 6890) that are not
// public, and that neither net/netip nor globalUnicast6 excludes.
var specialBlocks = [...]string{
	"0.0.0.0/8",       // this network (RFC 791)
	"100.64.0.0/10",   // shared, of carriers and clouds (RFC 6598)
	"192.0.0.0/24",    // protocols (RFC 6890)
	"192.0.2.0/24",    // documentation (RFC 5737)
	"192.88.99.0/24",  // relays of 6to4 (RFC 7526)
	"198.18.0.0/15",   // benchmarks (RFC 2544)
	"198.51.100.0/24", // documentation (RFC 5737)
	"203.0.113.0/24",  // documentation (RFC 5737)
	"240.0.0.0/4",     // reserved, with 255.255.255.255 (RFC 1112)
	"2001::/23",       // protocols, with Teredo, which has IPv4 inside (RFC 4380)
	"2001:db8::/32",   // documentation (RFC 3849)
	"2002::/16",       // 6to4, which has IPv4 inside (RFC 3056)
	"3fff::/20",       // documentation (RFC 9637)
}
