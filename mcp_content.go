package svc

// This file writes content that an output makes itself: texts, images, sounds, links and embedded
// resources (MCP 2026-07-28, Tools). It also bounds the texts of a result.

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"
)

// addBlocks adds the blocks as a JSON array. It calls appendOne with a copy of each, which
// appendOne may change. size is how many characters the result has beside them. The error names the first
// invalid block.
func (x *exchange) addBlocks(content []MCPContent, size int, appendOne func(dst []byte, c *MCPContent) ([]byte, error)) error {
	x.addJSON("[")
	for i, c := range content {
		if i > 0 {
			x.addJSON(",")
		}
		err := c.checkFields()
		if err == nil {
			x.ws.enc.buf, err = appendOne(x.ws.enc.buf, &c)
		}
		if err != nil {
			return fmt.Errorf("MCPContent()[%d]: %w", i, err)
		}
		if c.Type == "" || c.Type == "text" || c.Type == "resource" && c.Data == nil {
			size += utf8.RuneCountInString(c.Text)
		}
	}
	x.addJSON("]")
	return x.checkSize(size)
}

// checkSize returns an error if n, the number of characters of the texts in a result, is
// more than MCPOptions.MaxResult. Results are never cut, since half a result misleads a
// model.
func (x *exchange) checkSize(n int) error {
	if n <= x.h.options.MaxResult {
		return nil
	}
	text := fmt.Sprintf("the answer has %d characters, at most %d are given; ask for fewer items", n, x.h.options.MaxResult)
	if m := x.message; !m.tool.readOnly && string(m.method) == "tools/call" {
		text += ": the call was carried out, do not repeat it"
	}
	return &Error{Code: CodeResourceExhausted, Message: text, cause: errTooLong}
}

// errTooLong is the cause of the errors of checkSize.
var errTooLong = errors.New("the answer exceeds MCPOptions.MaxResult")

// checkFields returns an error if c lacks a required field or has an invalid value. Data
// and Text may be empty.
func (c *MCPContent) checkFields() error {
	lacks := ""
	switch isLink := c.Type == "resource_link"; {
	case !slices.Contains([]string{"", "text", "image", "audio", "resource", "resource_link"}, c.Type):
		return fmt.Errorf("there is no content of type %q", c.Type)
	case c.MIMEType == "" && (c.Type == "image" || c.Type == "audio"):
		lacks = "MIMEType"
	case c.URI == "" && (c.Type == "resource" || isLink):
		lacks = "URI"
	case c.Name == "" && isLink:
		lacks = "Name"
	}
	if lacks != "" {
		return fmt.Errorf("a block of type %s needs a %s", c.Type, lacks)
	}
	for _, role := range c.Audience {
		if role != "user" && role != "assistant" {
			return fmt.Errorf("the audience is user or assistant, not %q", role)
		}
	}
	if !(c.Priority >= 0 && c.Priority <= 1) {
		return fmt.Errorf("the priority %v is not between 0 and 1", c.Priority)
	}
	return checkIcons(c.Icons)
}

// appendBlock appends a block with the members of its type. If the revision of the client lacks the
// type, it appends a text instead, because clients reject the whole result for an unknown type.
func (x *exchange) appendBlock(dst []byte, c *MCPContent) ([]byte, error) {
	switch {
	case c.Type == "resource_link" && !x.rev.links:
		c.Type, c.Text = "text", c.Name+": "+c.URI
	case c.Type == "audio" && !x.rev.audio:
		c.Type, c.Text = "text", "(audio, "+c.MIMEType+")"
	}
	meta, err := encodeMeta(x.allowedMeta("MCPContent.Meta", c.Meta))
	m := openMembers(dst)
	m.addText("type", cmp.Or(c.Type, "text"))
	switch c.Type {
	case "image", "audio":
		m.addText("data", base64.StdEncoding.EncodeToString(c.Data))
		m.addText("mimeType", c.MIMEType)
	case "resource":
		m.addName("resource")
		m.buf = c.appendContents(m.buf, nil)
	case "resource_link":
		m.add("uri", c.URI, "name", c.Name, "title", c.Title, "description", c.Description, "mimeType", c.MIMEType, "icons",
			encodeIcons(c.Icons))
	default:
		m.addText("text", c.Text)
	}
	at := m.open("annotations", '{') // MCP 2025-11-25, Resources, Annotations
	if len(c.Audience) > 0 {
		m.addRaw("audience", encodeDocument(c.Audience))
	}
	if c.Priority != 0 {
		m.addRaw("priority", appendFloat(nil, c.Priority, 64))
	}
	if !c.LastModified.IsZero() {
		m.addText("lastModified", c.LastModified.UTC().Format(time.RFC3339))
	}
	m.closeSome(at, '}')
	m.add("_meta", meta)
	return m.close(), err
}

// allowedMeta returns meta without the names that MCP does not allow, which are logged: they come after
// the work, and one of them makes clients refuse the whole answer.
func (x *exchange) allowedMeta(source string, meta map[string]any) map[string]any {
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		if !isMetaName(name) {
			wrong = append(wrong, clip(name, 100))
		}
	}
	if wrong == nil {
		return meta
	}
	x.log(x, &Error{Code: CodeInternal, cause: fmt.Errorf("%s has the name %q, which _meta of MCP does not allow, so it is not sent; %s",
		source, wrong, metaNameForm)})
	meta = maps.Clone(meta)
	maps.DeleteFunc(meta, func(name string, _ any) bool { return !isMetaName(name) })
	return meta
}

// addResultMeta adds the members of MCPResultMeta, if out has it, to _meta of the result that has just
// begun. Names of svc win.
func (x *exchange) addResultMeta(out any) error {
	p, ok := out.(resultMetaProvider)
	if !ok {
		return nil
	}
	meta := maps.Clone(x.allowedMeta("MCPResultMeta", p.MCPResultMeta()))
	if x.rev.typed {
		delete(meta, serverInfoName)
	}
	text, err := encodeMeta(meta)
	switch {
	case err != nil:
		return fmt.Errorf("MCPResultMeta: %w", err)
	case text == nil:
	case x.rev.typed:
		x.ws.enc.buf = bytes.TrimSuffix(x.ws.enc.buf, []byte(x.h.texts.modern))
		x.addJSON(`"resultType":"complete","_meta":{` + x.h.texts.serverInfo + `,` + string(text[1:]) + `,`)
	default:
		x.addJSON(`"_meta":` + string(text) + `,`)
	}
	return nil
}

// appendContents appends the contents of c, a resource, with meta as its _meta. It writes
// the text or the blob even if it is empty.
func (c *MCPContent) appendContents(dst, meta []byte) []byte {
	m := openMembers(dst)
	m.add("uri", c.URI, "mimeType", c.MIMEType)
	if c.Data == nil {
		m.addText("text", c.Text)
	} else {
		m.addText("blob", base64.StdEncoding.EncodeToString(c.Data))
	}
	m.add("_meta", meta)
	return m.close()
}
