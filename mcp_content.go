package svc

// This file is what a tool can show a model beside JSON: blocks of text, images,
// sound and resources.

import (
	"encoding/base64"
	"fmt"
	"time"
)

// A Content is one block of a tool's result. An output type with a method
//
//	MCPContent() []svc.Content
//
// on its pointer decides what models get to see of it; its fields then are for
// the other transports. The block is a text unless Type says otherwise:
//
//	Type           Fields that are required
//	-------------  -----------------------------------
//	text           Text
//	image, audio   Data, MIMEType
//	resource       URI, and either Text or Data
//	resource_link  URI, Name
//
// Clients of revisions that do not know a type get a text in its place. A block
// that lacks a field is a fault of the method.
type Content struct {
	Type        string // "text", "image", "audio", "resource" or "resource_link"; "" is text
	Text        string // of a text or a resource
	Data        []byte // of an image, a sound or a binary resource
	MIMEType    string // of Data, or of what the URI leads to
	URI         string // of a resource
	Name        string // of a linked resource
	Title       string // of a linked resource, for people; "" leaves it out
	Description string // of a linked resource; "" leaves it out

	Audience     []string  // whom the block is for: "user", "assistant" or both; empty leaves it out
	Priority     float64   // how important it is, from 0 to 1, which is required reading; 0 leaves it out
	LastModified time.Time // the zero time leaves it out
}

// contentOf returns the blocks of an output.
func contentOf(out any) (content []Content, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	return out.(contentBringer).MCPContent(), nil
}

// appendContent appends the blocks for a client of a revision.
func appendContent(dst []byte, content []Content, version string) ([]byte, error) {
	dst = append(dst, '[')
	for i := range content {
		if i > 0 {
			dst = append(dst, ',')
		}
		c := content[i]
		if err := c.check(); err != nil {
			return dst, fmt.Errorf("MCPContent()[%d]: %w", i, err)
		}
		c.adapt(version)
		dst = c.append(dst)
	}
	return append(dst, ']'), nil
}

// check returns what is wrong with c.
func (c *Content) check() error {
	lacks := ""
	switch c.Type {
	case "", "text":
	case "image", "audio":
		if c.MIMEType == "" {
			lacks = "MIMEType"
		}
	case "resource":
		if c.URI == "" {
			lacks = "URI"
		}
	case "resource_link":
		if c.URI == "" {
			lacks = "URI"
		} else if c.Name == "" {
			lacks = "Name"
		}
	default:
		return fmt.Errorf("there is no content of type %q", c.Type)
	}
	if lacks != "" {
		return fmt.Errorf("a block of type %s needs a %s", c.Type, lacks)
	}
	for _, who := range c.Audience {
		if who != "user" && who != "assistant" {
			return fmt.Errorf("the audience is user or assistant, not %q", who)
		}
	}
	if !(c.Priority >= 0 && c.Priority <= 1) {
		return fmt.Errorf("the priority %v is not between 0 and 1", c.Priority)
	}
	return nil
}

// adapt makes a text of a block that clients of the revision do not know.
func (c *Content) adapt(version string) {
	switch {
	case c.Type == "resource_link" && version < firstStrict:
		c.Text = c.Name + ": " + c.URI
	case c.Type == "audio" && version < assumed:
		c.Text = "(audio, " + c.MIMEType + ")"
	default:
		return
	}
	c.Type = "text"
}

// append appends the block.
func (c *Content) append(dst []byte) []byte {
	m := openMembers(dst)
	kind := c.Type
	if kind == "" {
		kind = "text"
	}
	m.text("type", kind)
	switch kind {
	case "text":
		m.text("text", c.Text)
	case "image", "audio":
		m.base64("data", c.Data)
		m.text("mimeType", c.MIMEType)
	case "resource":
		m.key("resource")
		r := openMembers(m.buf)
		r.text("uri", c.URI)
		r.optional("mimeType", c.MIMEType)
		if c.Data != nil {
			r.base64("blob", c.Data)
		} else {
			r.text("text", c.Text)
		}
		m.buf = r.close()
	case "resource_link":
		m.text("uri", c.URI)
		m.text("name", c.Name)
		m.optional("title", c.Title)
		m.optional("description", c.Description)
		m.optional("mimeType", c.MIMEType)
	}
	c.annotate(&m)
	return m.close()
}

// annotate writes the annotations, if there are any.
func (c *Content) annotate(m *members) {
	if len(c.Audience) == 0 && c.Priority == 0 && c.LastModified.IsZero() {
		return
	}
	m.key("annotations")
	a := openMembers(m.buf)
	if len(c.Audience) > 0 {
		a.key("audience")
		a.buf = append(a.buf, '[')
		for i, who := range c.Audience {
			if i > 0 {
				a.buf = append(a.buf, ',')
			}
			a.buf = appendQuoted(a.buf, who)
		}
		a.buf = append(a.buf, ']')
	}
	if c.Priority != 0 {
		a.key("priority")
		a.buf = appendFloat(a.buf, c.Priority, 64)
	}
	if !c.LastModified.IsZero() {
		a.text("lastModified", c.LastModified.UTC().Format(time.RFC3339))
	}
	m.buf = a.close()
}

func (m *members) base64(name string, data []byte) {
	m.key(name)
	m.buf = append(base64.StdEncoding.AppendEncode(append(m.buf, '"'), data), '"')
}

// optional writes a member that is left out where it is empty.
func (m *members) optional(name, value string) {
	if value != "" {
		m.text(name, value)
	}
}
