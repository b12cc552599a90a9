package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// maxBytes is the largest document. The largest published ones have about 10 MB.
const maxBytes = 64 << 20

// A converter makes the model of a document, pass by pass.
type converter struct {
	typeMaker
	opts    options
	version string // of OpenAPI: 3.0, 3.1 or 3.2

	ops            []*operation // with a method
	groups         []*group
	total, covered int             // operations of the document; those that svc serves without a method
	seenIDs        map[string]bool // operationIds
	common         map[string]bool // headers of most answers, in small letters
	lists          map[*decl]*decl // named lists, by their items
	schemes        []scheme
	usedSchemes    []string
	errs           errorTable
}

// convert writes the package of a document.
func convert(name string, data []byte, opts options) (*output, error) {
	c, err := newConverter(data, opts)
	if err != nil {
		return nil, err
	}
	if err := c.model(); err != nil {
		return nil, err
	}
	out := &output{}
	lines := 0
	for i, f := range c.files() {
		src, err := c.source(f, i == 0)
		if err != nil {
			return nil, err
		}
		lines += bytes.Count(src, []byte("\n"))
		out.files = append(out.files, outFile{f.name, src})
	}
	out.summary = c.summarize()
	out.summary.Lines = lines
	out.files = append(out.files, outFile{"REPORT.md", []byte(c.markdown(name, out.summary))})
	return out, nil
}

var openAPI = regexp.MustCompile(`^3\.[012](\.|-|$)`)

// newConverter reads the JSON of a document.
func newConverter(data []byte, opts options) (*converter, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("the document is larger than %d MiB", maxBytes>>20)
	}
	if text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))); len(text) == 0 || text[0] != '{' {
		return nil, fmt.Errorf("this is not a JSON object; convert YAML to JSON first, for example with yq -o json")
	}
	root, twice, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	version := root.str("openapi")
	switch {
	case root.get("swagger") != nil:
		return nil, fmt.Errorf("this is Swagger %s; convert it to OpenAPI 3 first, for example with swagger2openapi", root.str("swagger"))
	case !openAPI.MatchString(version):
		return nil, fmt.Errorf("openapi is %q; this program reads 3.0, 3.1 and 3.2", version)
	}
	rep := &report{known: map[lack]int{}}
	c := &converter{
		typeMaker: typeMaker{
			schemaReader: &schemaReader{report: rep, root: root, done: map[*node]*schema{}, busy: map[*node]bool{}, made: map[[3]any]*node{}},
			components:   map[string]*typ{},
			making:       map[string]bool{},
			shapes:       map[string]*typ{},
		},
		opts:    opts,
		version: version[:3],
		seenIDs: map[string]bool{},
		common:  map[string]bool{},
		lists:   map[*decl]*decl{},
		errs:    errorTable{vars: map[string]string{}, names: newNamer("errorForm"), forms: map[string]*errorForm{}},
	}
	for _, n := range twice {
		c.lack(lackTwice, n, "the name "+n.key)
	}
	return c, nil
}

// model makes the methods, the types and their names.
func (c *converter) model() error {
	if err := c.readOperations(); err != nil {
		return err
	}
	if len(c.ops) == 0 {
		return fmt.Errorf("there is no operation that svc can serve")
	}
	c.findCommonHeaders()
	c.readSchemes()
	c.readServers()
	c.groupOperations()
	c.nameMethods()
	for _, o := range c.ops {
		c.convert(o)
	}
	c.dropUnserved()
	if len(c.ops) == 0 {
		return fmt.Errorf("there is no operation that svc can serve")
	}
	c.reportExamples()
	c.chooseErrorForm()
	c.keepUsed()
	c.dropBadNames()
	c.breakCycles()
	c.nameDecls()
	c.nameFields()
	return nil
}

// readServers reports servers that documents of svc do not have: a second one, and those of a path
// or an operation.
func (c *converter) readServers() {
	c.reportServers(c.root.get("servers"), 1)
	for _, o := range c.ops {
		o.lacks = append(o.lacks, c.within(func() {
			c.reportServers(o.item.get("servers"), 0)
			c.reportServers(o.n.get("servers"), 0)
		})...)
	}
}

func (c *converter) reportServers(servers *node, kept int) {
	if servers == nil || len(servers.items) <= kept {
		return
	}
	var urls []string
	for _, s := range servers.items {
		urls = append(urls, s.str("url"))
	}
	c.lack(lackServers, servers, strings.Join(urls, ", "))
}

// reportExamples reports how many examples of whole bodies and answers are left out.
func (c *converter) reportExamples() {
	count := 0
	for _, o := range c.ops {
		count += examplesIn(c.resolveOrNil(o.n.get("requestBody")))
		for _, r := range o.n.get("responses").members {
			count += examplesIn(c.resolve(r))
		}
	}
	if count > 0 {
		c.lack(lackExamples, c.root.get("paths"), fmt.Sprintf("%d examples of bodies and answers", count))
	}
}

func (c *converter) resolveOrNil(n *node) *node {
	if n == nil {
		return nil
	}
	return c.resolve(n)
}

// examplesIn counts the examples of a request body or a response.
func examplesIn(n *node) int {
	count := 0
	for _, m := range n.get("content").members {
		count += len(m.get("examples").names())
		if m.get("example") != nil {
			count++
		}
	}
	return count
}

// dropUnserved drops the methods that no transport can serve: those with a file without REST.
func (c *converter) dropUnserved() {
	var ops []*operation
	for _, o := range c.ops {
		if o.clashes && o.hasFile {
			c.lackBut(lackClash, o.n, o.route+" has a file", "left out: only REST carries files")
			continue
		}
		ops = append(ops, o)
	}
	c.ops = ops
	var groups []*group
	for _, g := range c.groups {
		var kept []*operation
		for _, o := range g.ops {
			if !(o.clashes && o.hasFile) {
				kept = append(kept, o)
			}
		}
		if g.ops = kept; len(kept) > 0 {
			groups = append(groups, g)
		}
	}
	c.groups = groups
}
