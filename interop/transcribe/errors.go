package main

import (
	"cmp"
	"fmt"
	"maps"
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
	chosen *errorForm            // of all errors
	others map[string]*errorForm // of the errors with one status, where it is another
}

type errorForm struct {
	n     *node
	media string
	t     *typ // a struct, or nil
	count int
	uses  map[string][]*operation // by status, or default
}

// errors declares the errors of o.
func (c *converter) errors(o *operation) {
	for code, r := range o.n.get("responses").members {
		if code == "default" || strings.HasPrefix(code, "4") || strings.HasPrefix(code, "5") {
			c.countForm(o, code, c.resolve(r))
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

// countForm counts the schemas of errors with a status.
func (c *converter) countForm(o *operation, code string, r *node) {
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
			f = &errorForm{n: s, media: mediaBase(media), uses: map[string][]*operation{}}
			c.errs.forms[key] = f
			c.errs.order = append(c.errs.order, f)
		}
		f.count++
		f.uses[code] = append(f.uses[code], o)
		c.errs.total++
		return
	}
}

// chooseErrorForm makes the schema of most errors the form of all, and the one of most errors with a
// status the form of that status, if they are objects.
func (c *converter) chooseErrorForm() {
	e := &c.errs
	e.others = map[string]*errorForm{}
	forms := slices.SortedStableFunc(slices.Values(e.order), func(a, b *errorForm) int { return cmp.Compare(b.count, a.count) })
	for _, f := range forms {
		if t := c.typeOf(f.n, nil, "error body"); t.kind == kStruct {
			if f.t = t; e.chosen == nil {
				e.chosen = f
			}
		}
	}
	for _, code := range errorCodes(forms) {
		if best := mostUsed(forms, code); best != nil && best != e.chosen && isStatus.MatchString(code) {
			e.others[code] = best
		}
	}
	for _, f := range forms {
		c.reportForm(f)
	}
}

var isStatus = regexp.MustCompile(`^[45][0-9][0-9]$`)

// errorCodes returns the statuses of errors that have a schema.
func errorCodes(forms []*errorForm) (codes []string) {
	for _, f := range forms {
		codes = slices.AppendSeq(codes, maps.Keys(f.uses))
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// mostUsed returns the object that most errors with a status have, or nil.
func mostUsed(forms []*errorForm, code string) (best *errorForm) {
	for _, f := range forms {
		if f.t != nil && len(f.uses[code]) > 0 && (best == nil || len(f.uses[code]) > len(best.uses[code])) {
			best = f
		}
	}
	return best
}

// reportForm reports where f is not the form of the errors with its status.
func (c *converter) reportForm(f *errorForm) {
	e := &c.errs
	for _, code := range errorCodes([]*errorForm{f}) {
		of := e.others[code]
		if of == nil {
			of = e.chosen
		}
		if f == of {
			continue
		}
		met := c.within(func() {
			if f.t == nil {
				c.lack(lackErrorForm, f.n, "errors of another kind")
			} else {
				c.lack(lackErrorForms, f.n, fmt.Sprintf("%d answers with the error %s have this form, and others another", len(f.uses[code]), code))
			}
		})
		for _, o := range f.uses[code] {
			o.lacks = append(o.lacks, met...)
		}
	}
}

// chosenForms returns the form of all errors and those of statuses, each once.
func (e *errorTable) chosenForms() (list []*errorForm) {
	if e.chosen == nil {
		return nil
	}
	list = []*errorForm{e.chosen}
	for _, code := range slices.Sorted(maps.Keys(e.others)) {
		if f := e.others[code]; !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// Members of error forms, by what they are filled with.
var (
	codeMembers    = wordSet("code error_code errorcode id error_type type reason")
	messageMembers = wordSet("message error_message detail error description title error_description display_message")
	textMembers    = wordSet("errors messages reasons details")
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
	case text == "[]string" && textMembers[name] && !*said:
		*said = true
		return "[]string{e.Message}"
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

// printErrorForm writes the form of errors, and the forms of statuses.
func (c *converter) printErrorForm(f *file) {
	e := &c.errs
	f.p("// errorForm is the form of errors over REST.\nvar errorForm = %s", c.formLiteral(e.chosen))
	for _, code := range slices.Sorted(maps.Keys(e.others)) {
		f.p(".\n\tFor(%s, %s)", code, c.formLiteral(e.others[code]))
	}
	f.p("\n\n")
}

// formLiteral returns an expression that makes the form.
func (c *converter) formLiteral(form *errorForm) string {
	d := form.t.decl
	text := fmt.Sprintf("svc.NewErrorForm(func(e *svc.Error) *%s {\n\treturn &%[1]s%s\n}, nil)", d.name, c.fillError(d, 0))
	if base := form.media; base != "application/json" && base != "*/*" && isMedia(base) {
		text += fmt.Sprintf(".WithContentType(%q)", base)
	}
	return text
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
