package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An errorStatus says what becomes of a status of 4xx or 5xx that svc does not send by itself.
type errorStatus struct {
	code   string // the svc.Code
	status string // of the code
	text   string
}

var errorStatuses = map[string]errorStatus{
	"402": {"FailedPrecondition", "400", "payment required"},
	"404": {"NotFound", "404", "not found"},
	"406": {"FailedPrecondition", "400", "not acceptable"},
	"409": {"AlreadyExists", "409", "conflict"},
	"410": {"NotFound", "404", "gone"},
	"412": {"FailedPrecondition", "400", "precondition failed"},
	"422": {"FailedPrecondition", "400", "cannot be processed"},
	"423": {"FailedPrecondition", "400", "locked"},
	"424": {"FailedPrecondition", "400", "failed dependency"},
	"428": {"FailedPrecondition", "400", "precondition required"},
	"451": {"FailedPrecondition", "400", "unavailable for legal reasons"},
	"501": {"Unimplemented", "501", "not implemented"},
}

// An errorTable has the errors that methods declare, and counts the forms of errors.
type errorTable struct {
	vars   map[string]string // names of variables, by status and text
	names  *namer
	lines  []string // the declarations
	forms  map[string]*errorForm
	order  []*errorForm
	total  int
	chosen *errorForm
	t      *typ // of chosen
}

type errorForm struct {
	n     *node
	media string
	count int
	ops   []*operation
}

// errors declares the errors of o.
func (c *converter) errors(o *operation) {
	for code, r := range o.n.get("responses").members {
		if code == "default" || strings.HasPrefix(code, "4") || strings.HasPrefix(code, "5") {
			c.countForm(o, c.resolve(r))
		}
		if status, ok := errorStatuses[code]; ok {
			v := c.errorVar(code, status, errorText(c.resolve(r).str("description"), status.text))
			if !slices.Contains(o.errors, v) {
				o.errors = append(o.errors, v)
			}
		}
	}
	slices.Sort(o.errors)
}

// errorText returns the first line of a description if it can be a message.
func errorText(desc, otherwise string) string {
	text, _, _ := strings.Cut(strings.TrimSpace(desc), "\n")
	text = strings.TrimRight(strings.TrimSpace(text), ".")
	if text == "" || len(text) > 120 || strings.Contains(text, "%") || strings.HasSuffix(text, ":") || !isPrintable(text) {
		return otherwise
	}
	return text
}

func (c *converter) errorVar(code string, status errorStatus, text string) string {
	key := code + " " + strings.ToLower(text)
	if v := c.errs.vars[key]; v != "" {
		return v
	}
	ws := words(status.text)
	if own := words(text); len(own) > 0 && len(own) <= 5 {
		ws = own
	}
	v := c.errs.names.take("err" + goName(ws))
	c.errs.vars[key] = v
	line := fmt.Sprintf("%s = svc.Errorf(svc.Code%s, %q)", v, status.code, text)
	if status.status != code {
		line += ".WithStatus(" + code + ")"
	}
	c.errs.lines = append(c.errs.lines, line)
	return v
}

// countForm counts the schemas of errors.
func (c *converter) countForm(o *operation, r *node) {
	for media, m := range r.get("content").members {
		s := m.get("schema")
		if s == nil || !isJSON(media) {
			continue
		}
		if what := c.schema(s); len(what.types) == 0 && len(what.alts) == 0 {
			continue // it says nothing
		}
		key := c.resolve(s).fingerprint()
		f := c.errs.forms[key]
		if f == nil {
			f = &errorForm{n: s, media: mediaBase(media)}
			c.errs.forms[key] = f
			c.errs.order = append(c.errs.order, f)
		}
		f.count++
		f.ops = append(f.ops, o)
		c.errs.total++
		return
	}
}

// chooseErrorForm makes the schema of most errors the form of all, if it is an object.
func (c *converter) chooseErrorForm() {
	e := &c.errs
	forms := slices.SortedStableFunc(slices.Values(e.order), func(a, b *errorForm) int { return cmp.Compare(b.count, a.count) })
	for _, f := range forms {
		if t := c.typeOf(f.n, nil, "error body"); t.kind == kStruct {
			e.chosen, e.t = f, t
			break
		}
	}
	for _, f := range forms {
		if f == e.chosen {
			continue
		}
		met := c.within(func() {
			if e.chosen == nil {
				c.lack(lackErrorForm, f.n, "errors of another kind")
			} else {
				c.lack(lackErrorForms, f.n, fmt.Sprintf("%d of %d answers with an error have this form", f.count, e.total))
			}
		})
		for _, o := range f.ops {
			o.lacks = append(o.lacks, met...)
		}
	}
}

// Members of error forms, by what they are filled with.
var (
	codeMembers    = wordSet("code error_code errorcode id error_type type reason")
	messageMembers = wordSet("message error_message detail error description title error_description display_message")
	statusMembers  = wordSet("status code status_code statuscode")
)

// fillError returns the literal that fills a struct of the form of errors from e.
func (c *converter) fillError(d *decl, depth int) string {
	var parts []string
	said := false
	for _, f := range d.fields {
		if f.embedded || f.variant != "" || f.disc {
			continue
		}
		if v := c.errorMember(d, f, &said, depth); v != "" {
			parts = append(parts, f.name+": "+v)
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// errorMember returns what fills a member of an error, or "".
func (c *converter) errorMember(d *decl, f *field, said *bool, depth int) string {
	name, text := strings.ToLower(f.json), c.fieldType(d, f)
	free := text == "string" && len(f.s.enum) == 0
	switch {
	case free && codeMembers[name]:
		return "string(e.Code)"
	case free && (messageMembers[name] && !*said || name == "message"):
		*said = true
		return "e.Message"
	case text == "int" && statusMembers[name]:
		return "e.HTTPStatus()"
	case (text == "int32" || text == "int64") && statusMembers[name]:
		return text + "(e.HTTPStatus())"
	case depth < 3 && (name == "error" || name == "errors"):
		return c.errorObject(f, text, depth)
	case text == "string" && len(f.s.enum) > 0 && !f.optional && f.s.enum[0].kind == isString:
		return strconv.Quote(f.s.enum[0].text)
	}
	return ""
}

// errorObject fills an error inside of an error, or a list of them.
func (c *converter) errorObject(f *field, text string, depth int) string {
	switch {
	case strings.HasPrefix(text, "svc."):
	case f.t.kind == kStruct && strings.HasPrefix(text, "*"):
		return "&" + f.t.decl.name + c.fillError(f.t.decl, depth+1)
	case f.t.kind == kStruct:
		return f.t.decl.name + c.fillError(f.t.decl, depth+1)
	case f.t.kind == kList && f.t.elem.kind == kStruct && !f.t.elem.null() && strings.HasPrefix(text, "[]"):
		return text + "{" + c.fillError(f.t.elem.decl, depth+1) + "}"
	}
	return ""
}

// printErrorForm writes the function that fills the form of errors.
func (c *converter) printErrorForm(f *file) {
	d := c.errs.t.decl
	f.p("// errorForm is the form of errors over REST.\nvar errorForm = svc.NewErrorForm(func(e *svc.Error) *%s {\n", d.name)
	f.p("\treturn &%s%s\n}, nil)", d.name, c.fillError(d, 0))
	if base := c.errs.chosen.media; base != "application/json" && base != "*/*" && isMedia(base) {
		f.p(".WithContentType(%q)", base)
	}
	f.p("\n\n")
}

var notPrintable = regexp.MustCompile(`[^\x20-\x7e]`)

// isPrintable reports whether Go and HTTP can carry the text as it is.
func isPrintable(s string) bool {
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == 0xfffd || r == 0x2028 || r == 0x2029 {
			return false
		}
	}
	return true
}
