package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Limits of documents. Published ones are nested less than 60 levels deep, and have names of less
// than 300 bytes.
const (
	maxNesting = 400
	maxName    = 4096
)

// A node is a value of the document. An object keeps the order of its members, so that the Go
// source has the order of the document. A node knows its place, for the report.
type node struct {
	parent *node
	key    string // in its parent: the name of a member, or the index of an item
	kind   nodeKind
	keys   []string // of an object, in the order of the document
	member map[string]*node
	items  []*node // of a list
	text   string  // a string; or a number, a boolean or null as written
	sum    string  // see fingerprint
	made   int     // how many times it was combined from others; 0 for a node of the document
}

type nodeKind byte

const (
	isNull nodeKind = iota
	isObject
	isList
	isString
	isNumber
	isBool
)

// parse reads the JSON of a document. It also returns members that occur twice, of which the
// last counts.
func parse(data []byte) (root *node, twice []*node, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p := &jsonParser{d: json.NewDecoder(bytes.NewReader(data))}
	p.d.UseNumber()
	root, err = p.value(nil, "", 0)
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, nil, err
	}
	if _, err := p.d.Token(); err != io.EOF {
		return nil, nil, fmt.Errorf("there is text after the JSON")
	}
	return root, p.twice, nil
}

type jsonParser struct {
	d     *json.Decoder
	twice []*node
}

func (p *jsonParser) value(parent *node, key string, depth int) (*node, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("nested more than %d levels deep", maxNesting)
	}
	t, err := p.d.Token()
	if err != nil {
		return nil, err
	}
	n := &node{parent: parent, key: key}
	switch t := t.(type) {
	case json.Delim:
		return n, p.inside(n, t, depth)
	case string:
		n.kind, n.text = isString, t
	case json.Number:
		n.kind, n.text = isNumber, t.String()
	case bool:
		n.kind, n.text = isBool, strconv.FormatBool(t)
	default:
		n.kind, n.text = isNull, "null"
	}
	return n, nil
}

// inside reads the members of an object or the items of a list, and its end.
func (p *jsonParser) inside(n *node, open json.Delim, depth int) error {
	n.kind = isList
	if open == '{' {
		n.kind, n.member = isObject, map[string]*node{}
	}
	for p.d.More() {
		key := strconv.Itoa(len(n.items))
		if n.kind == isObject {
			t, err := p.d.Token()
			if err != nil {
				return err
			}
			if key = t.(string); len(key) > maxName {
				return fmt.Errorf("a name is longer than %d bytes", maxName)
			}
		}
		v, err := p.value(n, key, depth+1)
		if err != nil {
			return err
		}
		switch {
		case n.kind == isList:
			n.items = append(n.items, v)
			continue
		case n.member[key] == nil:
			n.keys = append(n.keys, key)
		default:
			p.twice = append(p.twice, v)
		}
		n.member[key] = v
	}
	_, err := p.d.Token()
	return err
}

// newObject returns an object that is not in the document, but stands for the place of at.
func newObject(at *node) *node {
	return &node{parent: at.parent, key: at.key, kind: isObject, member: map[string]*node{}}
}

func (n *node) set(key string, v *node) {
	if n.member[key] == nil {
		n.keys = append(n.keys, key)
	}
	n.member[key] = v
}

// pointer returns the place of the node, as a JSON Pointer (RFC 6901).
func (n *node) pointer() string {
	var keys []string
	for ; n != nil && n.parent != nil; n = n.parent {
		keys = append(keys, escapePointer.Replace(n.key))
	}
	slices.Reverse(keys)
	return "/" + strings.Join(keys, "/")
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// get returns the member at the path, or nil. It takes a nil node.
func (n *node) get(path ...string) *node {
	for _, key := range path {
		switch {
		case n == nil:
			return nil
		case n.kind == isList:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		default:
			n = n.member[key]
		}
	}
	return n
}

// str returns the member at the path if it is a string, or "".
func (n *node) str(path ...string) string {
	if v := n.get(path...); v != nil && v.kind == isString {
		return v.text
	}
	return ""
}

// isTrue reports whether the member at the path is true.
func (n *node) isTrue(path ...string) bool {
	v := n.get(path...)
	return v != nil && v.kind == isBool && v.text == "true"
}

// members yields the members of an object in the order of the document.
func (n *node) members(yield func(string, *node) bool) {
	if n == nil {
		return
	}
	for _, k := range n.keys {
		if !yield(k, n.member[k]) {
			return
		}
	}
}

// list returns the items of the list at the path.
func (n *node) list(path ...string) []*node {
	if v := n.get(path...); v != nil {
		return v.items
	}
	return nil
}

// names returns the names of the members.
func (n *node) names() []string {
	if n == nil {
		return nil
	}
	return n.keys
}

// notOfValues are members of a schema that say nothing about its values.
var notOfValues = wordSet("description title example examples externalDocs deprecated xml")

// fingerprint is equal for schemas that take the same values, as far as their text says.
func (n *node) fingerprint() string { return n.fingerprintIn(false) }

func (n *node) fingerprintIn(properties bool) string {
	if n.sum != "" {
		return n.sum
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %q", n.kind, n.text)
	for _, k := range slices.Sorted(slices.Values(n.keys)) {
		if !properties && (notOfValues[k] || strings.HasPrefix(k, "x-")) {
			continue
		}
		fmt.Fprintf(h, " %q:%s", k, n.member[k].fingerprintIn(k == "properties" && !properties))
	}
	for _, v := range n.items {
		fmt.Fprintf(h, " %s", v.fingerprintIn(false))
	}
	n.sum = fmt.Sprintf("%x", h.Sum(nil)[:16])
	return n.sum
}
