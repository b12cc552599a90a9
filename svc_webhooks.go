package svc

// This file compiles the events that a service sends as webhooks, for documents and contracts.
// webhook.go signs and verifies them.

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Webhooks are the events that a service sends to its subscribers; see [WebhooksOf] and
// [Options].Webhooks.
type Webhooks struct {
	methods  []*method // their out is the payload: what a service sends is an output
	types    []*shape
	mistakes []error
}

// WebhooksOf returns the events that the methods of the interface I describe, for [Options].Webhooks:
//
//	type NoteEvents interface {
//		Created(ctx context.Context, in *NoteCreated) error
//	}
//
//	Webhooks: []*svc.Webhooks{svc.WebhooksOf[NoteEvents](nil)},
//
// Each method is an event, and its input is the payload: the JSON body of a POST to the URL of a
// subscriber. It has no output, since any 2xx is a success, and its fields are members of the body,
// since nothing else is signed. If several events go to one URL, they are one method whose input is a
// union. A receiver in Go registers the same interface behind [VerifyWebhook].
//
// Of opts it reads Name, Resource, Description, Comments and Schemas, and of Methods Resource,
// Description, Deprecated and Deprecation. [Register] reports mistakes. svc has no route for webhooks
// and does not send them: [SignWebhook] signs a request, and doc/webhooks.md has a sender.
func WebhooksOf[I any](opts *Options) *Webhooks { return compileWebhooks(reflect.TypeFor[I](), opts) }

// compileWebhooks is WebhooksOf without the type parameter.
func compileWebhooks(iface reflect.Type, opts *Options) *Webhooks {
	p, given := new(mistakes), *cmp.Or(opts, new(Options))
	if iface.Kind() != reflect.Interface {
		p.addf("%v is not an interface; write WebhooksOf[NoteEvents](…) with the interface of the events", iface)
		return &Webhooks{mistakes: p.list}
	}
	read := Options{Name: given.Name, Resource: given.Resource, Description: given.Description, Comments: given.Comments, Schemas: given.Schemas,
		Methods: given.Methods}
	o := read.withDefaults(iface)
	c := newMethodCompiler(p, iface, struct{}{}, o) // an implementation, since servers read comments
	c.addIf(iface.NumMethod() == 0, "%v has no methods, and each is an event", iface)
	p.addIf(!isResource(o.Resource), "Options.Resource is %q; want letters, digits, - and _, since the names of events begin with it", o.Resource)
	p.checkMethodNames(iface, o.Methods)
	textsOf, hooks := c.methodComments(), new(Webhooks)
	for i := range iface.NumMethod() {
		m := c.compileWebhook(iface.Method(i))
		m.setComment(textsOf(m.goName))
		hooks.methods = append(hooks.methods, m)
	}
	c.where = ""
	c.shapes.finishShapes()
	hooks.types, hooks.mistakes = c.shapes.named, p.list
	return hooks
}

// compileWebhook compiles one event.
func (c *methodCompiler) compileWebhook(rm reflect.Method) *method {
	c.where = c.titleOf(rm.Name)
	o := c.opts.Methods[rm.Name]
	c.addIf(o.Resource != "" && !isResource(o.Resource),
		"MethodOptions.Resource is %q; want letters, digits, - and _, since the names of events begin with it", o.Resource)
	sig := c.readSignature(rm.Type)
	c.addIf(sig.in == nil, "an event needs an input, which is the payload")
	c.addIf(sig.out != nil, "an event has no output: subscribers answer with a status alone; return an error")
	m := &method{
		config: c.config, goName: rm.Name, name: strings.Join(splitWords(rm.Name), "_"), resource: cmp.Or(o.Resource, c.opts.Resource),
		methodTexts: methodTexts{
			about: plainProse(o.Description), described: o.Description != "",
			deprecated: o.Deprecated || o.Deprecation != nil, deprecation: c.compileDeprecation(o.Deprecation),
		},
	}
	m.out = c.compileObject(sig.in, asOutput)
	if m.out != nil {
		c.addIf(m.out.kind != kindObject, "the payload %v is not a JSON object of fields; put it into a field of a struct", sig.in)
		c.checkSigned(sig.in)
	}
	return m
}

// checkSigned notes the fields of a payload that would not be members of the body.
func (c *methodCompiler) checkSigned(t reflect.Type) {
	for _, l := range levelsOf(t, embeddedStruct) {
		for i := range l.typ.NumField() {
			f := l.typ.Field(i)
			for _, tag := range whereTags() {
				value, ok := lookupTag(f.Tag, tag)
				c.addIf(ok, "%v.%s: the tag %s:%q is about a request to a service, and of a webhook the body alone is signed; write `json:%q`",
					t, f.Name, tag, value, value)
			}
			c.addIf(f.Type == typeBody || f.Type == typeFile, "%v.%s: a %v is not JSON, which the body of a webhook is", t, f.Name, f.Type)
		}
	}
}

// eventName returns the name of an event in documents and contracts: "note.created".
func (m *method) eventName() string { return m.resource + "." + m.name }

// listWebhooks returns the events of a service, sorted by their names. It notes mistakes in them, and
// names that are there twice.
func listWebhooks(p *mistakes, list []*Webhooks) (events []*method) {
	known := make(map[string]bool)
	for i, hooks := range list {
		if hooks == nil {
			p.addf("Options.Webhooks[%d] is nil; is a package variable set later than it is used here?", i)
			continue
		}
		if slices.Contains(list[:i], hooks) { // of joined services
			continue
		}
		p.list = append(p.list, hooks.mistakes...)
		for _, m := range hooks.methods {
			p.addIf(known[m.eventName()], "Options.Webhooks: two events have the name %s; set MethodOptions.Resource of one, in the options of its WebhooksOf",
				m.eventName())
			known[m.eventName()] = true
			events = append(events, m)
		}
	}
	slices.SortFunc(events, func(a, b *method) int { return strings.Compare(a.eventName(), b.eventName()) })
	return events
}

// webhookTypes returns the named types that the payloads of events reach.
func webhookTypes(list []*Webhooks) (types []*shape) {
	for i, hooks := range list {
		if hooks != nil && !slices.Contains(list[:i], hooks) {
			types = append(types, hooks.types...)
		}
	}
	return types
}
