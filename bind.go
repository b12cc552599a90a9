package svc

// This file builds the input of a method: it reads each field from where the route says, and checks
// the result. It is a layer above decode.go, whose plans and setters it uses, and does not know
// services. In this order:
//
//	binding        the plan of one input, and how it is compiled
//	places         which field comes from where
//	inputs         from an HTTP request, from one JSON object, from a Go value
//	path, header   one value each
//	pairs          of a query, a form and cookies
//	setScalar …    one text into one field
//
// A field comes from one part of a request, by the first line that is true for it. The rows of wheres
// say what is true of each part:
//
//	where    if the field                   read by              Violation.In
//	path     has a tag path:"x"             param.bindPath       "path"
//	header   has a tag header:"X"           param.bindHeader     "header"
//	cookie   has a tag cookie:"x"           binding.bindCookies  "cookie"
//	path     is named like a placeholder    param.bindPath       "path"
//	query    has a tag query:"x"            binding.bindQuery    "query"
//	body     has a tag body:"*", or body:"x" in a DELETE
//	                                        binding.bindBody     "body"
//	query    is in a route without a body   binding.bindQuery    "query"
//	form     is any other, of a form        binding.bindForm     "body"
//	body     is any other                   binding.bindBody     "body"
//
// JSON-RPC and MCP have no such parts. There one object has every field by
// its wire name (bindObject), and a Go value of [Service.Call] has every field
// already (checkValue). Violation.In is the part of the REST route for all
// three, so that a violation has one description on every transport. Over REST, Path
// uses the parameter's name; elsewhere the JSON name. A field with json:"-" and a tag
// header or cookie has no wire name, so only REST has it.

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// A binding builds the input of one method: from an HTTP request by rest, and from a JSON
// object by object. rules checks an input that is a Go value. compileBinding writes a
// binding at registration. After that many goroutines read it, and the documents publish
// its parameters and its body.
//
// Invariants:
//
//	places has the fields in their order, and then the Body
//	placeOf has the same by field, and the fields of a union's alternatives
//	object decodes every field that has a wire name, and sets the defaults of all
//	runsCode is set if decoding calls methods of the application, such as UnmarshalText
type binding struct {
	in       *shape // of an object; nil for no input
	places   []*inputPlace
	placeOf  map[*field]*inputPlace
	rest     restPlan
	object   *objectPlan
	runsCode bool
	sourceOf func(path string) string // sourceAt, made once
}

// A restPlan builds an input from an HTTP request.
//
// Invariants:
//
//	params and the fields of inBody are disjoint, and together hold every field of the
//	  input, each list in the order of the Go fields
//	each name occurs once in a list; for headers, case is ignored
//	body decodes inBody, which is the input itself if all fields come from the
//	  body; both are nil if no field does, and the request's body is then ignored
//	whole is set if the body is the value of a field with body:"*", the one field of
//	  inBody, and not an object with it
//	mayBeEmpty is set if an empty body is an input: none of its fields is required
//	if the body is a form, body is nil, and else params has none of it
//	tail is the one of the path that {name...} fills, or nil; its field is a string
type restPlan struct {
	params [whereBody][]param
	tail   *param
	inBody *shape
	body   *objectPlan

	whole, mayBeEmpty bool
}

// A param is the plan of a field that comes from the path, the query, a header, a cookie
// or a form. compileParam writes it. For IDs []*int `query:"id"`, for example, list is
// the shape of []*int, and value and set are for int.
//
// Invariants:
//
//	set takes the text of one value: of the field, or of an element if list is set
//	value is the shape of this value, behind its pointers
//	list is the shape of a slice in the query or a form, whose parameter can be repeated,
//	  and nil for other fields; most is the largest number of its items
//	two parameters from one part of a request must not have the same canonical name
type param struct {
	inputPlace
	set    setter
	value  *shape
	list   *shape
	most   int
	absent defaultFunc // nil without a default
}

// A route is a verb, which is an HTTP method, and a path. It is zero for a method that REST does
// not serve, whose tags path, query, header and cookie have no effect.
type route struct {
	verb         string   // in capitals
	path         string   // such as /todos/{id}/archive, without Service.prefix
	placeholders []string // such as id, in the order of the path
	tail         bool     // the last placeholder is {name...}, which takes all segments to the end
	instead      string   // a pattern without the placeholder, for an inferred route with one
	form         bool     // the body is a form
	wrong        bool     // it stands for a route with a mistake, to check fields against it
}

// routeVerbs are the verbs that a route may have.
var routeVerbs = []string{http.MethodGet, verbQuery, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// hasBody reports whether the body of a request to the route has a meaning (RFC 9110, section 9.3;
// RFC 10008, section 2).
func (r route) hasBody() bool { return r.verb != http.MethodGet && r.verb != http.MethodDelete }

// isRead reports whether the verb is safe: a client asks for no change (RFC 9110, section 9.2.1;
// RFC 10008, section 2).
func (r route) isRead() bool { return r.verb == http.MethodGet || r.verb == verbQuery }

// isIdempotent reports whether several requests have the intended effect of one (RFC 9110, section
// 9.2.2).
func (r route) isIdempotent() bool {
	return r.isRead() || r.verb == http.MethodPut || r.verb == http.MethodDelete
}

// noBinding returns the binding of a method without an input. Its inputs are nil.
func noBinding(strict bool) *binding {
	return &binding{object: &objectPlan{strict: strict}}
}

// compileBinding compiles the binding of input s for a route. It adds the mistakes to the mistakes
// of the registration; a binding with mistakes is not used.
func compileBinding(c *decoders, s *shape, r route) *binding {
	b := &binding{in: s, placeOf: make(map[*field]*inputPlace), runsCode: s.runsCode()}
	rest := &b.rest
	at := s.typ.String()
	b.findPlaces(c.mistakes, r)
	var body []*field
	for _, place := range b.places {
		switch place.style {
		case styleBytes:
			continue
		case styleWhole:
			rest.whole = true
			body = append(body, place.field)
		case styleJSON:
			body = append(body, place.field)
		case stylePlain:
			checkCarrier(c.mistakes, place)
			rest.params[place.where] = c.appendParam(rest.params[place.where], place)
		}
		checkNameless(c.mistakes, place.field)
	}
	if s.alternatives != nil && b.placeOf[s.fields[0]].in != inBody && c.mistakes.isSound(s) {
		c.mistakes.addf("%s: a union comes from a JSON body, and here %s would come from the %s; "+
			"use POST, PUT or PATCH, and no placeholder of that name", at, s.fields[0].name, b.placeOf[s.fields[0]].where)
	}
	b.checkPlaceholders(c.mistakes, r, at)
	b.findTail(c.mistakes, r)
	b.checkBody(c.mistakes, r, body)
	b.checkForm(c.mistakes, r, at)
	if !c.mistakes.isSound(s) {
		c.tryFields(s)
		return b
	}
	b.object = c.structPlan(s, b.placeOf)
	// If all fields come from the body, one plan serves both.
	switch {
	case len(body) == 0:
	case len(body) == len(s.fields) && !rest.whole:
		rest.inBody, rest.body = s, b.object
	default:
		rest.inBody = s.withFields(body)
		rest.body = c.structPlan(rest.inBody, b.placeOf)
	}
	rest.mayBeEmpty = rest.body != nil && r.verb != verbQuery && !slices.ContainsFunc(rest.inBody.fields, (*field).isRequired)
	rest.applyHTTP(r)
	b.sourceOf = b.sourceAt
	return b
}

// checkBody adds a mistake for a Body, or a field with body:"*", that no request can have together
// with these fields of the body.
func (b *binding) checkBody(p *mistakes, r route, fields []*field) {
	whole := b.in.file
	if whole != nil {
		p.addIf(!r.hasBody(), "%s: requests with GET and DELETE have no body; give the method an HTTP pattern with PUT or POST in "+
			"Options.Methods", whole.place)
	} else if i := slices.IndexFunc(fields, func(f *field) bool { return b.placeOf[f].style == styleWhole }); i >= 0 {
		whole = fields[i]
	} else {
		return
	}
	for _, f := range fields {
		p.addIf(f != whole, "%s: the field %s is the whole body of the request; give this one a tag path, query, header or cookie",
			f.place, whole.goName)
	}
}

// checkForm adds a mistake for a form that no request can have.
func (b *binding) checkForm(p *mistakes, r route, at string) {
	switch f := b.in.file; {
	case !r.form || !p.isSound(b.in):
	case b.in.alternatives != nil:
		p.addf("%s: a union comes from a JSON body, and MethodOptions.Form makes the body a form; drop the option", at)
	case f == nil:
		p.addIf(len(b.rest.params[whereForm]) == 0, "%s: MethodOptions.Form is set, and no field comes from the form; "+
			"drop the option, or a tag path, query, header or cookie", at)
	case f.hidden:
		p.addf("%s: in a form the Body is the part of its JSON name, and json:\"-\" gives it none", f.place)
	case slices.ContainsFunc(b.in.fields, func(other *field) bool { return other.name == f.name && !other.isNameless() }):
		p.addf("%s: another field has the name %q too; give the Body a tag json with another one", f.place, f.name)
	}
}

// runsCode reports whether decoding s calls methods of the application.
func (s *shape) runsCode() bool {
	return s.reaches(make(map[*shape]bool), func(s *shape) bool { return s.kind == kindCustom || s.kind == kindText })
}

// findPlaces sets places and placeOf.
func (b *binding) findPlaces(p *mistakes, r route) {
	add := func(f *field, w where, name string, how style) {
		place := &inputPlace{f, w, name, pointerToken(name), w.canonical(name), wheres[w].in, how}
		if how == styleWhole {
			place.sourceToken = "" // the value has no name in the body
		}
		b.places, b.placeOf[f] = append(b.places, place), place
	}
	for _, f := range b.in.fields {
		w, name := r.placeOf(p, f)
		how := stylePlain
		switch {
		case w == whereBody && f.body == wholeBody && (r.path != "" || r.wrong):
			how = styleWhole
		case w == whereBody:
			how = styleJSON
		}
		add(f, w, name, how)
	}
	if f := b.in.file; f != nil {
		w := whereBody
		if r.form {
			w = whereForm
		}
		add(f, w, f.name, styleBytes)
	}
	for _, a := range b.in.alternatives { // the other fields of an alternative are the fields of b.in
		for _, f := range slices.Concat(a.fields[:1], a.fields[len(b.in.fields):]) {
			b.placeOf[f] = &inputPlace{field: f, where: whereBody, sourceName: f.name, sourceToken: f.token, in: inBody}
		}
	}
}

// placeOf returns the part of a request that the field f comes from and its name there, by the
// table at the top.
func (r route) placeOf(p *mistakes, f *field) (where, string) {
	if r.path == "" && !r.wrong {
		return whereBody, f.name
	}
	var tags []where
	for w, name := range f.bound {
		if name != "" {
			tags = append(tags, where(w))
		}
	}
	name := f.bound[wherePath]
	switch named := slices.Contains(r.placeholders, f.name); {
	case len(tags) > 1:
		p.addf("%s: a field cannot come from the %s and from the %s; drop one of the tags", f.place, tags[0], tags[1])
	case name != "" && !slices.Contains(r.placeholders, name):
		has := strings.ReplaceAll("{"+strings.Join(r.placeholders, "}, {")+"}", "{}", "none")
		p.addf("%s: path:%q names no placeholder of the route, which has %s", f.place, name, has)
	case named && (len(tags) == 0 || f.bound[whereQuery] != ""):
		p.addIf(f.body == wholeBody, "%s: body:\"*\" makes the field the body, and the placeholder {%s} has its name; rename one of the two",
			f.place, f.name)
		return wherePath, f.name
	case f.body != "" && (f.body == wholeBody || !r.hasBody()):
		p.addIf(r.verb == http.MethodGet, "%s: body:%q: a GET has no body; give the method an HTTP pattern with QUERY or POST in "+
			"Options.Methods, or drop the tag", f.place, f.body)
		p.addIf(r.form, "%s: body:%q makes the body JSON, and MethodOptions.Form a form; drop one of the two", f.place, f.body)
		return whereBody, f.name
	case len(tags) == 0 && r.hasBody() && r.form:
		return whereForm, f.name
	case len(tags) == 0 && r.hasBody():
		return whereBody, f.name
	case len(tags) == 0:
		return whereQuery, f.name
	}
	return tags[0], f.bound[tags[0]]
}

// parameters returns the places of the fields that are parameters of a request, which a body is not:
// by where, those of the path in the order of its placeholders, and others in the order of the
// fields.
func (b *binding) parameters(r route) []*inputPlace {
	var list []*inputPlace
	for w := range b.rest.params[:tagCount] {
		for _, place := range b.places {
			if place.where == where(w) {
				list = append(list, place)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *inputPlace) int {
		if a.where != wherePath || b.where != wherePath {
			return cmp.Compare(a.where, b.where)
		}
		return cmp.Compare(slices.Index(r.placeholders, a.sourceName), slices.Index(r.placeholders, b.sourceName))
	})
	return list
}

// appendParam appends the plan of place to those from the same part of the request. Two with one
// name are a mistake: one of the fields may be in an embedded struct, where nothing hides it.
// checkPlaceholders says it of a path.
func (c *decoders) appendParam(list []param, place *inputPlace) []param {
	for _, other := range list {
		c.mistakes.addIf(place.where != wherePath && other.canonical == place.canonical, "%s: %s also takes the %s %q", place.field.place,
			other.goName, wheres[place.where].param, place.sourceName)
	}
	return append(list, c.compileParam(place))
}

// checkCarrier adds a mistake for a name or a value that a header or a cookie cannot carry.
func checkCarrier(p *mistakes, place *inputPlace) {
	switch place.where {
	case whereHeader:
		checkHeaderName(p, place.field)
		p.checkCarried(place.field, "header", isHeaderValue)
	case whereCookie:
		p.addIf(!isToken(place.sourceName), "%s: cookie:%q: want the name of a cookie, in letters, digits and dashes", place.field.place,
			place.sourceName)
		p.checkCarried(place.field, "cookie", isCookieValue)
	}
}

// lastEventID is the header in which a client that comes back to a stream sends the
// ID of the last event it received (WHATWG HTML, section 9.2.4).
const lastEventID = "Last-Event-Id" // in canonical form

// headerAccept is the header that lists the media types a client reads. svc sends one for each
// method, so only the method itself can use it as an input.
const headerAccept = "Accept"

// isAccept reports whether p is the header Accept.
func (p *inputPlace) isAccept() bool { return p.where == whereHeader && p.canonical == headerAccept }

// checkHeaderName adds a mistake for a header tag of an input with an invalid name or
// with a name reserved by HTTP or browsers, and for a required Last-Event-ID.
func checkHeaderName(p *mistakes, f *field) {
	name := f.bound[whereHeader]
	canonical := whereHeader.canonical(name)
	written, _, _ := strings.Cut(tagText(f.tag, "header"), ",")
	p.addIf(!isToken(name), "%s: header:%q: want the name of a header, in letters, digits and dashes", f.place, written)
	instead := headerOwner(name)
	isFree := canonical == headerAccept // it does not describe the body that svc reads
	p.addIf(instead != "" && !isFree, "%s: header:%q: %s", f.place, written, instead)
	p.addIf(canonical == lastEventID && f.isRequired(),
		"%s: a client sends %s only when it reconnects, so the field must be optional (omitempty)", f.place, name)
}

// checkNameless adds a mistake for a field with json:"-" if it is required, or has a tag
// that needs a JSON member.
func checkNameless(p *mistakes, f *field) {
	if !f.isNameless() {
		return
	}
	w, _ := f.firstBound()
	p.addIf(f.isRequired(), "%s: with json:\"-\" the field exists only over REST, so it must be optional: write %s:\"%s,omitempty\", or "+
		"give it a JSON name", f.place, w, f.bound[w])
	p.addIf(f.mcpHeader != "", "%s: mcpheader:%q needs a JSON member, and json:\"-\" makes the field none; drop one of the two",
		f.place, f.mcpHeader)
}

// checkPlaceholders adds a mistake for each placeholder that no field fills, or that
// several fill. A placeholder that svc inferred from the method's name counts too: DELETE
// /users/7 must not act on anything but user 7.
func (b *binding) checkPlaceholders(p *mistakes, r route, at string) {
	for _, name := range r.placeholders {
		n := 0
		for i := range b.rest.params[wherePath] {
			if b.rest.params[wherePath][i].sourceName == name {
				n++
			}
		}
		switch {
		case n > 1:
			p.addf("%s: %d fields fill the placeholder {%s}; rename all but one", at, n, name)
		case n == 0 && (p.isSound(b.in) || !b.in.mayHave(name)): // fields of one name have a mistake, and fill nothing
			p.addf("%s: no field fills the placeholder {%s}; add one with the tag `path:%q`%s", at, name, name, r.orPattern())
		}
	}
}

// findTail sets rest.tail, and adds a mistake if {name...} cannot fill its field.
func (b *binding) findTail(p *mistakes, r route) {
	if !r.tail {
		return
	}
	name := r.placeholders[len(r.placeholders)-1]
	params := b.rest.params[wherePath]
	i := slices.IndexFunc(params, func(p param) bool { return p.sourceName == name })
	if i < 0 {
		return
	}
	f := &params[i]
	switch {
	case !p.isSound(f.shape):
	case f.shape.kind != kindString:
		p.addf("%s: {%s...} takes a text with slashes, and the type is %v; make it a string, or write {%s}", f.place, name, f.shape.typ, name)
	case !f.isRequired():
		p.addf("%s: {%s...} always has a text; drop omitempty, omitzero and the tag default", f.place, name)
	default:
		b.rest.tail = f
	}
}

// mayHave reports whether a Go field of s has this name, or a tag path or json with it. In a union,
// a field of an alternative may have it.
func (s *shape) mayHave(name string) bool {
	return s.alternatives != nil || slices.ContainsFunc(levelsOf(s.typ, embeddedStruct), func(l level) bool {
		for i := range l.typ.NumField() {
			f := l.typ.Field(i)
			if tagged, _ := parseJSONTag(f.Tag.Get("json")); name == f.Name || name == tagged || name == f.Tag.Get("path") {
				return true
			}
		}
		return false
	})
}

// orPattern returns the end of a message about a placeholder without a field: what to write if the
// method needs no placeholder.
func (r route) orPattern() string {
	if r.instead == "" {
		return ""
	}
	return fmt.Sprintf(", or give the method an HTTP pattern without it in Options.Methods, such as {HTTP: %q}", r.instead)
}

// compileParam compiles the plan of the field at place. A path, a header or a cookie has one value,
// so only scalars fit there. Each parameter of a query is a scalar too, and a slice takes several.
func (c *decoders) compileParam(place *inputPlace) param {
	p := param{inputPlace: *place, most: math.MaxInt}
	f, row := place.field, wheres[place.where]
	target := f.shape.deref()
	if !c.mistakes.isSound(f.shape) {
		return p
	}
	if target.kind == kindSlice && row.lists {
		p.list, target = target, target.elem.deref()
		if limit := p.list.rules.lookup(roleMost); limit != nil {
			p.most = limit.count
		}
	}
	if f.shape.kind == kindOptional {
		c.mistakes.addf("%s: an Optional cannot come from the %s, where there is no null; write a *%v in its place", f.place,
			place.where, target.typ)
		return p
	}
	if !target.kind.isScalar() {
		carries := "scalars"
		if row.lists {
			carries = "scalars and lists of them; " + row.instead
		}
		c.mistakes.addf("%s: the type %v cannot come from the %s, which carries %s", f.place, f.shape.typ, place.where, carries)
		return p
	}
	p.set, p.value = c.checkedSetter(target, isParamInteger), target
	p.absent = c.defaultFor(f, c.fieldDecoder(f))
	return p
}

// requestValues is the part of a request that an input comes from. Nothing in the input
// refers to body, so it may be overwritten later.
type requestValues struct {
	path interface {
		PathValue(placeholder string) string // unescaped, like http.Request.PathValue
	}
	query   string // as in the URL, undecoded
	keepURL bool   // strings of the input may be parts of path and query; see isShortURL
	header  map[string][]string
	body    []byte        // the whole body
	raw     reflect.Value // the Body of an input with a Body, instead of body
	form    *formInput    // the fields of a form, instead of body; nil without a form
	unread  []byte        // a body that no field comes from; nil if it does not matter

	strict       bool   // unknown parameters of the query are violations
	versionParam string // the parameter that Version reads, which is not a violation
}

// isShortURL reports whether the strings of an input may be parts of the URL instead of
// copies. A service that keeps the id of GET /todos/17?lang=en then keeps the first line of
// the request in memory, so the line must be no longer than a block of short strings; see
// arenaBlock.
func isShortURL(r *http.Request) bool {
	return len(r.RequestURI) <= arenaBlock && len(r.URL.Path)+len(r.URL.RawQuery) <= arenaBlock
}

// bindRequest returns the input in an HTTP request: a pointer to a struct, or nil for no input. The
// error has the violations of all sources, so that a client learns all of them at once. The decoder
// must be fresh from borrowWorkspace: starting it again would cost every call.
func (b *binding) bindRequest(d *decoder, r *requestValues) (any, error) {
	in, v := b.newInput()
	if r.raw.IsValid() {
		b.in.file.settableIn(v).Set(r.raw)
	}
	d.opts.ahead, d.opts.keepURL = len(r.query), r.keepURL
	params := &b.rest.params
	for i := range params[wherePath] {
		p := &params[wherePath][i]
		p.bindPath(d, v, r.path.PathValue(p.sourceName))
	}
	if len(params[whereQuery]) > 0 || r.strict {
		b.bindQuery(d, v, r.query, r.strict, r.versionParam)
	}
	for i := range params[whereHeader] {
		p := &params[whereHeader][i]
		p.bindHeader(d, v, r.header[p.canonical])
	}
	if len(params[whereCookie]) > 0 {
		b.bindCookies(d, v, r.header["Cookie"])
	}
	d.in, d.opts.ahead = inBody, 0
	if b.rest.body != nil {
		b.bindBody(d, v, r.body)
	} else if r.form != nil {
		b.bindForm(d, v, r.form, r.strict)
	} else if r.unread != nil && !carriesNothing(r.unread) {
		d.addViolation(b.unreadComplaint())
	}
	return in, b.finishInput(d, v, true)
}

// sourceAt returns the Violation.In of a place in the input, which an error of the application
// names: the source of the field, by its JSON name or the name of its parameter, else the body.
func (b *binding) sourceAt(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	token := "/" + first
	if b.in == nil || path == "" {
		return inBody
	}
	i := slices.IndexFunc(b.in.fields, func(f *field) bool { return f.token == token && !f.isNameless() })
	if i < 0 {
		i = slices.IndexFunc(b.in.fields, func(f *field) bool { return b.placeOf[f].sourceToken == token })
	}
	if i < 0 { // no field, or a field of a union's alternative
		return inBody
	}
	return b.placeOf[b.in.fields[i]].in
}

// completeError returns err, which the method returned, and adds sources to the violations that
// lack one.
func (b *binding) completeError(err error) error {
	e := ErrorFrom(err)
	list, isComplete := e.Violations(), true
	for i := range list {
		if list[i].In == "" {
			list[i].In, isComplete = b.sourceAt(list[i].Path), false
		}
	}
	if isComplete {
		return err
	}
	shown := e.WithDetail("violations", list)
	shown.found = nil
	return replaceIn(err, e, shown)
}

// bindPath sets the field of the struct v from the value of its placeholder. Setters take
// bytes, so it copies the value to scratch.
func (p *param) bindPath(d *decoder, v reflect.Value, value string) {
	d.in = inPath
	d.pushToken(p.sourceToken)
	d.scratch = append(d.scratch[:0], value...)
	p.setScalar(d, p.settableIn(v), d.scratch, value)
	d.pop()
}

// bindHeader sets the field of the struct v from the values of its header. Two values are a
// violation (RFC 9110, section 5.3), because a server cannot know which one counts.
func (p *param) bindHeader(d *decoder, v reflect.Value, values []string) {
	d.in = inHeader
	d.pushToken(p.sourceToken)
	switch {
	case len(values) > 1:
		d.addViolation(errRepeated)
	case len(values) == 1 && !p.countsAsAbsent(values[0]):
		d.scratch = append(d.scratch[:0], values[0]...)
		p.setScalar(d, p.settableIn(v), d.scratch, "")
	default:
		p.setAbsent(d, v, errRequired)
	}
	d.pop()
}

// setAbsent sets the default of a parameter that a request does not have, or adds the
// violation c if it is required.
func (p *param) setAbsent(d *decoder, v reflect.Value, c *complaint) {
	if p.absent != nil {
		d.addIfAny(p.absent(d, p.settableIn(v)))
	} else if !p.optional {
		d.addViolation(c)
	}
}

// bindCookies fills the fields that come from cookies, written by RFC 6265, section 5.4:
//
//	a=1; b=2     the fields of the cookies a and b are set from "1" and "2"
//	a=           the empty text, which is a value
//	a="1"        "1": the quotes do not belong to the value, as for net/http
//	a=%20        "%20": nothing is unescaped, as for net/http
//	a=1; a=2     a violation at a: which of them was set for which path is not sent
//	A=1          ignored if no field has A: the case of names counts
//	c            ignored, since it has no =
//
// All lines of the header count: HTTP/2 may split it (RFC 9113, section 8.2.3).
func (b *binding) bindCookies(d *decoder, v reflect.Value, lines []string) {
	r := d.readPairs(v, b.rest.params[whereCookie], inCookie)
	for _, line := range lines {
		for pair := range strings.SplitSeq(line, ";") {
			name, value, ok := strings.Cut(strings.Trim(pair, " \t"), "=")
			i := r.lookup(name)
			if !ok || i < 0 {
				continue
			}
			if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
				value = value[1 : len(value)-1]
			}
			d.scratch = append(d.scratch[:0], value...)
			r.bindText(i, "", nil)
		}
	}
	r.finish(errRequired)
}

// A pairReader binds the pairs of a name and a value that a query, a form or the cookies of a
// request have, to the fields of params.
type pairReader struct {
	*decoder // its seen says which of params were given: no object is open, so its index is theirs
	v        reflect.Value
	params   []param
	strict   bool   // other names are violations
	ignored  string // but not this one
	isForm   bool
}

// readPairs begins to read pairs into the struct v. in is their Violation.In.
func (d *decoder) readPairs(v reflect.Value, params []param, in string) pairReader {
	d.in = in
	d.seen = append(d.seen, make([]bool, len(params))...)
	return pairReader{decoder: d, v: v, params: params}
}

// bindPairs binds the pairs of a text in application/x-www-form-urlencoded. The empty text between
// two & is not a pair, even if a field has the empty name.
func (r *pairReader) bindPairs(text string) {
	d := r.decoder
	for text != "" {
		var pair string
		pair, text, _ = strings.Cut(text, "&")
		name, value, _ := strings.Cut(pair, "=")
		if name == "" && value == "" {
			continue
		}
		i := r.lookupEscaped(name)
		if i < 0 {
			r.addUnknown(name)
			continue
		}
		var c *complaint
		if d.scratch, c = appendQueryText(d.scratch[:0], value); r.isForm {
			r.bindFormText(i, c)
		} else {
			r.bindText(i, value, c)
		}
	}
}

// lookup returns the index of the parameter with this name, or -1.
func (r *pairReader) lookup(name string) int {
	return slices.IndexFunc(r.params, func(p param) bool { return p.sourceName == name })
}

// lookupEscaped is lookup for a name that is escaped, and returns -1 for a malformed one too. Names
// are rarely escaped, so it compares before it decodes.
func (r *pairReader) lookupEscaped(name string) int {
	params := r.params
	for i := range params {
		if params[i].sourceName == name {
			return i
		}
	}
	text, c := appendQueryText(r.scratch[:0], name)
	r.scratch = text
	return slices.IndexFunc(params, func(p param) bool { return c == nil && p.sourceName == string(text) })
}

// addUnknown adds a violation for a name without a parameter, which is escaped, if strict is set.
func (r *pairReader) addUnknown(name string) {
	if !r.strict {
		return
	}
	if text, c := appendQueryText(r.scratch[:0], name); c == nil {
		r.scratch, name = text, string(text)
	}
	if name != r.ignored {
		r.addUnknownParam(name)
	}
}

// addUnknownParam adds a violation for a name without a parameter.
func (d *decoder) addUnknownParam(name string) {
	d.push(strings.ToValidUTF8(name, "\uFFFD"))
	d.addViolation(errUnknownParam)
	d.pop()
}

// bindText sets the field of the parameter i from the text in scratch, or adds the violation c if
// that is not nil. A second value is a violation unless the field is a list. source is as for
// setScalar.
func (r *pairReader) bindText(i int, source string, c *complaint) {
	d, p := r.decoder, &r.params[i]
	d.pushToken(p.sourceToken)
	switch {
	case p.list != nil:
		p.addElement(d, p.settableIn(r.v), d.scratch, source, c)
	case c != nil:
		d.addViolation(c)
	case d.seen[i]:
		d.addViolation(errRepeated)
	default:
		p.setScalar(d, p.settableIn(r.v), d.scratch, source)
	}
	d.seen[i] = true
	d.pop()
}

// bindFormText is bindText for a form; see bindForm.
func (r *pairReader) bindFormText(i int, c *complaint) {
	p := &r.params[i]
	switch {
	case c != nil:
	case len(r.scratch) == 0 && !p.isRequired() && (p.value.kind != kindString || p.value.rules.refuseEmpty()):
		return
	case p.value.kind == kindBool && string(r.scratch) == "on":
		r.scratch = append(r.scratch[:0], "true"...)
	}
	r.bindText(i, "", c)
}

// finish is called when all pairs are bound. In the order of the fields it checks the lists, and
// handles the parameters that are absent according to seen. absent is the complaint about required
// ones.
func (r *pairReader) finish(absent *complaint) {
	d := r.decoder
	for i := range r.params {
		p := &r.params[i]
		d.pushToken(p.sourceToken)
		switch {
		case d.seen[i] && p.list != nil:
			p.checkList(d, p.settableIn(r.v))
		case !d.seen[i]:
			p.setAbsent(d, r.v, absent)
		}
		d.pop()
	}
	d.seen = d.seen[:0]
}

// bindBody decodes the JSON body into the fields of v that come from it. An empty body is {}, if that
// is an input.
func (b *binding) bindBody(d *decoder, v reflect.Value, body []byte) {
	d.scan.data = body
	isEmpty := d.scan.peek() == 0 && d.scan.pos == len(body)
	if b.rest.whole {
		b.rest.body.fields[0].bindWhole(d, v, body, isEmpty)
		return
	}
	if isEmpty && !b.rest.mayBeEmpty {
		d.addViolation(errEmptyBody)
		return
	}
	if isEmpty {
		body = []byte("{}")
		d.scan.data, d.scan.pos = body, 0
	}
	d.noteText(nil, body)
	b.rest.body.decodeObject(d, v)
	d.scan.checkEnd()
}

// maxNothing is how many bytes of a body carriesNothing needs.
const maxNothing = 64

// carriesNothing reports whether a body that no field comes from has no values in it, as far as its
// beginning says. Some clients send an empty object where they have nothing to send.
func carriesNothing(body []byte) bool {
	switch text := trimJSON(body); {
	case len(text) == 0, string(text) == "null":
		return true
	case text[0] == '{' || text[0] == '[':
		inside := trimJSON(text[1:])
		return len(inside) == 1 && inside[0] == text[0]+2 // the bracket that closes
	default:
		return false
	}
}

// unreadComplaint returns the complaint about a body that no field comes from, which says where they
// come from.
func (b *binding) unreadComplaint() *complaint {
	var places []string
	for _, place := range b.places {
		places = append(places, place.sourceName+" comes from the "+place.where.String())
	}
	text := "is not read: the method has no input"
	if len(places) > 0 {
		text = "is not read: " + strings.Join(places, ", ")
	}
	return &complaint{rule: ruleUnknown, message: text}
}

// bindWhole decodes the JSON body into the field f of v. An empty body is an absent field.
func (f *fieldPlan) bindWhole(d *decoder, v reflect.Value, body []byte, isEmpty bool) {
	switch {
	case isEmpty && f.absent != nil:
		d.addIfAny(f.absent(d, f.settableIn(v)))
	case isEmpty && f.isRequired():
		d.addViolation(errEmptyBody)
	case isEmpty:
	default:
		d.noteText(f.field, body)
		if f.notNull && d.scan.peek() == 'n' {
			f.readNull(d, v)
		} else {
			f.decode(d, f.settableIn(v))
		}
		d.scan.checkEnd()
	}
}

// newInput returns a new input, as a pointer and as its struct. Both are zero if the method
// takes no input.
func (b *binding) newInput() (any, reflect.Value) {
	if b.in == nil {
		return nil, reflect.Value{}
	}
	in := reflect.New(b.in.typ)
	return in.Interface(), in.Elem()
}

// bindObject returns the input in a JSON object that has every field by its wire name, as a pointer
// to a struct. A method without an input gets nil, and all members are unknown. An empty text
// counts as {}, because params may be left out (JSON-RPC 2.0, section 4). Any other text that is
// not an object is an error.
func (b *binding) bindObject(d *decoder, text []byte) (any, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	d.start(text)
	d.noteText(nil, text)
	in, v := b.newInput()
	b.object.decodeObject(d, v)
	d.scan.checkEnd()
	return in, b.finishInput(d, v, false)
}

// readObject is bindObject for an object in the middle of the text that d is reading, such
// as the params of a message. The error is about its values: a syntax error stays in
// d.scan. It calls no Validate methods, which must wait until the whole text is read.
func (b *binding) readObject(d *decoder) (any, error) {
	d.startInput()
	in, v := b.newInput()
	b.object.decodeObject(d, v)
	if d.scan.err != nil {
		return nil, nil
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	return in, nil
}

// checkInput checks the input v, if there is one.
func (b *binding) checkInput(c *valueCheck, v reflect.Value) {
	switch {
	case b.in == nil, c.validate && !b.in.validates, !c.validate && !b.in.ruled:
	case b.placeOf != nil:
		c.checkObject(b.in, v, b.placeOf)
	default: // a value of a Codec
		c.check(b.in, v)
	}
}

// checkTail adds a violation if the text in v for {name...} cannot stand in a path, unless the text
// already has one, such as required.
func (b *binding) checkTail(d *decoder, v reflect.Value, forREST bool) {
	tail, token, text := b.rest.tail, b.rest.tail.token, ""
	if forREST {
		token = tail.sourceToken
	}
	if value, ok := tail.valueIn(v); ok {
		text = value.String()
	}
	isHere := func(found Violation) bool { return found.In == inPath && found.Path == token }
	if isTailText(text) || d.scan.err != nil || slices.ContainsFunc(d.report.found.list, isHere) {
		return
	}
	d.in = inPath
	d.pushToken(token)
	d.addViolation(errNotTail)
	d.pop()
}

// isTailText reports whether a text can be the value of {path...}: segments with a slash between
// two, none of which is empty, "." or "..".
func isTailText(text string) bool {
	for s := range strings.SplitSeq(text, "/") {
		if s == "" || s == "." || s == ".." {
			return false
		}
	}
	return true
}

// finishInput calls the Validate methods if the input has no violations so far, and returns the
// error of the input or nil. forREST is valueCheck.forREST.
//
// Validate methods run last and only on a valid input. They can therefore rely on the types, the
// required fields and the rules of the tags. They may also change their receiver, so the rules of
// the tags must be checked first.
func (b *binding) finishInput(d *decoder, v reflect.Value, forREST bool) error {
	if d.wrongKey != nil {
		d.report.found.addViolation(*d.wrongKey)
	}
	d.forgetKey()
	if b.rest.tail != nil {
		b.checkTail(d, v, forREST)
	}
	if b.in != nil && b.in.validates && d.scan.err == nil && len(d.report.found.list) == 0 && !d.report.tooDeep {
		d.in, d.sourceOf = inBody, b.sourceOf
		b.checkInput(&valueCheck{decoder: d, validate: true, forREST: forREST}, v)
	}
	if d.report.tooDeep {
		d.report.dropViolations(d.opts.lean)
		d.addViolation(errInputTooDeep)
	}
	return d.finish()
}

// bindQuery fills the fields that come from the query string, read as
// application/x-www-form-urlencoded (WHATWG URL, section 5.1):
//
//	a=1             the field of parameter a is set from "1"
//	a=1&a=2         both, for a list; a violation for any other field
//	a= or a         the empty text, which is a value
//	a=x+y, a=x%20y  "x y"
//	%61=1           as a=1
//	z=1             ignored if no field has z; clients and proxies add their own.
//	                If strict is set, a violation at z unless it is versionParam
//	z=%zz, %zz=1    likewise
//	a=%FF           a violation at a: not UTF-8
//	a=%zz, a=1;b=2  a violation at a
//
// It reads the text once, from left to right: url.ParseQuery would allocate a map and a list for
// each parameter.
func (b *binding) bindQuery(d *decoder, v reflect.Value, query string, strict bool, versionParam string) {
	r := d.readPairs(v, b.rest.params[whereQuery], inQuery)
	r.strict, r.ignored = strict, versionParam
	r.bindPairs(query)
	r.finish(errRequired)
}

// bindForm fills the fields that come from a form. Each is read as in a query, except for the
// values that browsers send for controls that the user did not fill in:
//
//	an empty text   of an optional field that is not a string, or whose rules refuse it: absent
//	on              of a checkbox: true, since it has no other value
//
// A Body is already set; form.hasFile says whether there is one. Required fields that are missing
// before the file may follow it, in the part that is still unread.
func (b *binding) bindForm(d *decoder, v reflect.Value, form *formInput, strict bool) {
	r := d.readPairs(v, b.rest.params[whereForm], inBody)
	r.strict, r.isForm = strict, true
	r.bindPairs(form.encoded)
	for _, part := range form.parts {
		if i := r.lookup(part.name); i >= 0 {
			d.scratch = append(d.scratch[:0], part.value...)
			r.bindFormText(i, part.wrong)
		} else if strict {
			d.addUnknownParam(part.name)
		}
	}
	absent := errRequired
	if form.hasFile && !form.whole {
		absent = errBehindFile
	}
	r.finish(absent)
	if file := b.in.file; file != nil && !form.hasFile && file.isRequired() {
		d.pushToken(file.token)
		d.addViolation(errRequired)
		d.pop()
	}
}

// appendQueryText appends a name or a value of a query string, decoded. A semicolon
// is a violation, as net/url treats it: some proxies take it as a separator, and two
// programs that differ on where a parameter ends are open to attack.
func appendQueryText(dst []byte, s string) ([]byte, *complaint) {
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '+' && c != '%' && c != ';' {
			continue
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c == ';':
			return dst, errSemicolon
		case c == '+':
			dst = append(dst, ' ')
		default:
			decoded, err := hex.AppendDecode(dst, []byte(s[i+1:min(i+3, len(s))]))
			if err != nil || len(decoded) == len(dst) {
				return dst, errStrayPercent
			}
			dst = decoded
			i += 2
		}
		start = i + 1
	}
	return append(dst, s[start:]...), nil
}

// setScalar sets v, the field or an element of it, to a value, and checks the rules of the value.
// It allocates the targets of pointers: a text cannot be null. source is the string of the URL that
// text was read from, or "" if text is not from a URL. If both are equal, a string of the input
// needs no copy; see isShortURL.
func (p *param) setScalar(d *decoder, v reflect.Value, text []byte, source string) {
	v = filled(v)
	if !utf8.Valid(text) {
		d.addViolation(errNotUTF8)
		return
	}
	d.noteText(p.field, text)
	if d.opts.keepURL && p.value.kind == kindString && source != "" && string(text) == source {
		v.SetString(source)
		d.checkRules(p.value.rules, v)
		return
	}
	c := p.set(d, v, text)
	if c == errNotTime && strings.Contains(source, "+") {
		if _, ok := parseTime(strings.ReplaceAll(string(text), " ", "+")); ok {
			c = errPlusInTime
		}
	}
	d.addIfAny(c)
}

// isParamInteger reports whether text is an integer in the form of all sources but the body: in
// digits, without an exponent or a point. In a JSON body 1e2 is an integer too, by JSON Schema. In
// a URL it is more likely a mistake, and a cache would treat /pages/100 and /pages/1e2 as
// different.
func isParamInteger(text []byte) bool { return isPlainInteger(text) || string(text) == "-0" }

// addElement appends one value to the field v, a list, or adds the violation c in its place.
// checkList checks the rules when the list is complete. It detects a list that is too long by one
// element beyond p.most; further elements are not stored, and none are stored once no more
// violations are kept.
func (p *param) addElement(d *decoder, v reflect.Value, text []byte, source string, c *complaint) {
	if d.report.found.full() {
		return
	}
	v = filled(v)
	n := v.Len()
	if n > p.most {
		return
	}
	v.Grow(1)
	v.SetLen(n + 1)
	if n == p.most {
		return
	}
	d.path = append(d.path, step{index: n})
	if c != nil {
		d.addViolation(c)
	} else {
		p.setScalar(d, v.Index(n), text, source)
	}
	d.pop()
}

// checkList checks the rules of the complete list v. If an element has a violation it checks only
// the maximum size, as for a list in a body. The violations of elements have places that start with
// the place of the list: /ids/3 for /ids.
func (p *param) checkList(d *decoder, v reflect.Value) {
	rules := p.list.rules
	if len(rules) == 0 {
		return
	}
	place := d.place() + "/"
	if slices.ContainsFunc(d.report.found.list, func(f Violation) bool { return f.In == p.in && strings.HasPrefix(f.Path, place) }) {
		rules = slices.DeleteFunc(slices.Clone(rules), func(r rule) bool { return r.role != roleMost })
	}
	list, _ := notNull(v)
	d.checkRules(rules, list)
}
