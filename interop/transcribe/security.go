package main

import (
	"fmt"
	"slices"
	"strings"
)

// A scheme is a security scheme of the document, and its Go literal.
type scheme struct{ name, literal string }

// readSchemes reads the security schemes.
func (c *converter) readSchemes() {
	for name, n := range c.root.get("components", "securitySchemes").members {
		if literal := c.schemeLiteral(name, c.resolve(n)); literal != "" {
			c.schemes = append(c.schemes, scheme{name, literal})
		}
	}
}

func (c *converter) schemeLiteral(name string, n *node) string {
	const bearer = `{Type: "bearer"}`
	switch typ := n.str("type"); typ {
	case "http":
		switch strings.ToLower(n.str("scheme")) {
		case "basic":
			return `{Type: "basic"}`
		case "bearer":
		default:
			c.lack(lackScheme, n, "http "+n.str("scheme"))
		}
		return bearer
	case "apiKey":
		return c.keyLiteral(name, n)
	case "openIdConnect":
		if isURL(n.str("openIdConnectUrl")) {
			return fmt.Sprintf(`{Type: "openIdConnect", ConfigURL: %q}`, n.str("openIdConnectUrl"))
		}
		c.lack(lackScheme, n, "openIdConnect without a URL")
		return bearer
	case "oauth2":
		f := n.get("flows", "authorizationCode")
		if isURL(f.str("authorizationUrl")) && isURL(f.str("tokenUrl")) {
			return fmt.Sprintf(`{Type: "oauth2", AuthURL: %q, TokenURL: %q}`, f.str("authorizationUrl"), f.str("tokenUrl"))
		}
		c.lack(lackScheme, n, "OAuth flows "+strings.Join(n.get("flows").names(), ", "))
		return bearer
	default:
		c.lackBut(lackScheme, n, "the type "+typ, "left out")
		return ""
	}
}

func (c *converter) keyLiteral(name string, n *node) string {
	key, place := n.str("name"), n.str("in")
	if !isToken(key) || place != "header" && place != "query" && place != "cookie" {
		c.lackBut(lackScheme, n, "an API key in "+place+" "+key, "left out")
		return ""
	}
	if place == "header" && strings.EqualFold(key, "authorization") {
		return c.authorizationLiteral(name, n)
	}
	if place == "header" && reservedHeader(strings.ToLower(key)) {
		c.lackBut(lackScheme, n, "an API key in "+key, "left out")
		return ""
	}
	return fmt.Sprintf(`{Type: "apiKey", %s: %q}`, exported(place), key)
}

// authorizationLiteral is for an API key in the header Authorization. The document does not say
// which word is before it.
func (c *converter) authorizationLiteral(name string, n *node) string {
	prefix := "Token "
	switch low := strings.ToLower(n.str("description") + " " + name); {
	case strings.Contains(low, "bearer"):
		return `{Type: "bearer"}`
	case strings.Contains(low, "bot"):
		prefix = "Bot "
	}
	c.lackBut(lackScheme, n, "an API key in Authorization, without the word before it", strings.TrimSpace(prefix)+" as the word")
	return fmt.Sprintf(`{Type: "apiKey", Header: "Authorization", Prefix: %q}`, prefix)
}

func isURL(s string) bool {
	return (strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")) && isPrintable(s) && !strings.ContainsAny(s, " {}")
}

// security sets who may call o.
func (c *converter) security(o *operation) {
	if len(c.schemes) == 0 {
		return
	}
	sec := o.n.get("security")
	if sec == nil {
		sec = c.root.get("security")
	}
	if sec == nil || len(sec.items) == 0 {
		o.public = true
		return
	}
	all := true // each requirement has scopes
	for _, req := range sec.items {
		if len(req.names()) == 0 {
			o.public = true
			continue
		}
		if len(req.keys) > 1 {
			c.lack(lackTogether, req, strings.Join(req.keys, " and "))
		}
		before := len(o.scopes)
		c.requirement(o, req)
		all = all && len(o.scopes) > before
	}
	if len(o.scopes) > 0 && (!all || len(sec.items) > 1) {
		c.lack(lackScopes, sec, strings.Join(o.scopes, ", "))
		o.scopes = nil
	}
	if o.public {
		o.scopes = nil
	}
}

// requirement notes the schemes and the scopes of one Security Requirement Object.
func (c *converter) requirement(o *operation, req *node) {
	for name, list := range req.members {
		for _, scope := range list.items {
			if scope.kind == isString && scope.text != "" && isPrintable(scope.text) && !strings.ContainsAny(scope.text, " \"\\") && !slices.Contains(o.scopes, scope.text) {
				o.scopes = append(o.scopes, scope.text)
			}
		}
		if !slices.Contains(c.usedSchemes, name) {
			c.usedSchemes = append(c.usedSchemes, name)
		}
	}
}

// schemeLiterals returns the schemes that an operation asks for.
func (c *converter) schemeLiterals() []string {
	var out []string
	for _, s := range c.schemes {
		if slices.Contains(c.usedSchemes, s.name) && !slices.Contains(out, s.literal) {
			out = append(out, s.literal)
		}
	}
	return out
}
