package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A lackKind is something that a document says and svc cannot say today. When svc learns the
// word, delete the constant and its row: the compiler then shows where the word is to be written.
type lackKind int

const (
	lackHead lackKind = iota
	lackVerb
	lackWebhook
	lackCallback
	lackPath
	lackBesidePlaceholder
	lackClash
	lackOperationID
	lackNoPlaceholder
	lackNoParameter
	lackTypesInParameter
	lackObjectInParameter
	lackJSONInParameter
	lackCommas
	lackOpenQuery
	lackListOfObjects
	lackOwnHeader
	lackServerHeader
	lackListInHeader
	lackReadBody
	lackBodyMedia
	lackOptionalBody
	lackFiles
	lackJSONPart
	lackFormTypes
	lackEmptyForm
	lackRedirect
	lackNoAnswer
	lackStatusRange
	lackBodyOrNone
	lackStatus
	lackAnswerByStatus
	lackEmptyCreated
	lackCommonHeader
	lackJSONLines
	lackAnswerMedia
	lackListHeaders
	lackUnionHeaders
	lackWholeAnswer
	lackNullAnswer
	lackTogether
	lackScopes
	lackScheme
	lackErrorForms
	lackErrorForm
	lackReference
	lackTwoUnions
	lackAcross
	lackKeyword
	lackSelf
	lackTooDeep
	lackObjects
	lackNumberTag
	lackLists
	lackScalars
	lackOtherMembers
	lackUnique
	lackInnerRules
	lackLimit
	lackPattern
	lackFormat
	lackDefault
	lackExamples
	lackEnumText
	lackName
	lackTwice
	lackServers
	lackKinds // how many kinds there are
)

// A lackRow says what is in the report about the places of one kind.
type lackRow struct {
	title   string
	instead string // what is written, unless a place says something else
	aside   bool   // an operation is whole all the same
}

var lackRows = [lackKinds]lackRow{
	lackHead:              {"HEAD beside GET", "left out: svc answers HEAD as GET, without the body", true},
	lackVerb:              {"HEAD, OPTIONS, TRACE and verbs of its own", "left out", false},
	lackWebhook:           {"webhooks", "left out: they are the interface of another program", true},
	lackCallback:          {"callbacks", "left out: they are the interface of another program", false},
	lackPath:              {"paths with a query or a fragment", "left out: servers see no difference", false},
	lackBesidePlaceholder: {"text beside a placeholder", "one placeholder for the whole segment, with a pattern", false},
	lackClash:             {"routes that clash", "not served over REST", false},
	lackOperationID:       {"operationIds with blanks, or of several operations", "left out: generators make another name", true},
	lackNoPlaceholder:     {"path parameters without a placeholder", "left out", false},
	lackNoParameter:       {"placeholders without a parameter", "a string", false},
	lackTypesInParameter:  {"parameters of several types", "a string", false},
	lackObjectInParameter: {"objects and lists in parameters", "a string", false},
	lackJSONInParameter:   {"JSON in a parameter", "a string, which the method reads", false},
	lackCommas:            {"lists with commas in a query", "a string, which the method splits", false},
	lackOpenQuery:         {"maps in a query or a form", "left out", false},
	lackListOfObjects:     {"lists of objects in a query or a form", "left out", false},
	lackOwnHeader:         {"headers that svc or HTTP owns", "left out: InfoFrom(ctx) has the request and the header of the response", false},
	lackServerHeader:      {"headers that servers and proxies send", "left out", true},
	lackListInHeader:      {"lists in a header or a cookie", "a string, which the method splits", false},
	lackReadBody:          {"bodies of GET, and of DELETE that are no JSON", "left out: svc does not read them", false},
	lackBodyMedia:         {"several media types of one body", "one of them", false},
	lackOptionalBody:      {"forms that may be left out", "a form, which may be empty", false},
	lackFiles:             {"several files in a form", "one file", false},
	lackJSONPart:          {"JSON parts of a form", "a string, which the method reads", false},
	lackFormTypes:         {"form fields of several types", "a string", false},
	lackEmptyForm:         {"forms without fields", "left out", false},
	lackRedirect:          {"answers of 3xx", "left out", false},
	lackNoAnswer:          {"operations without an answer of 2xx", "204 without a body", false},
	lackStatusRange:       {"ranges of statuses", "one status", false},
	lackBodyOrNone:        {"answers with a body or without", "one of them", false},
	lackStatus:            {"other statuses of success", "left out", false},
	lackAnswerByStatus:    {"answers that differ by status", "one of them", false},
	lackEmptyCreated:      {"201 without a body and without headers", "an optional header Location", false},
	lackCommonHeader:      {"headers of every answer", "left out: send them in middleware", true},
	lackJSONLines:         {"lines of JSON", "left out", false},
	lackAnswerMedia:       {"JSON or another media type, by the call", "JSON alone", false},
	lackListHeaders:       {"lists and scalars with headers or several statuses", "the body alone", false},
	lackUnionHeaders:      {"unions with headers or several statuses", "the union alone", false},
	lackWholeAnswer:       {"answers that are neither an object nor a list", "a struct with MarshalJSON and JSONSchema", false},
	lackNullAnswer:        {"answers that may be null", "never null", false},
	lackTogether:          {"several credentials together", "any one of them", true},
	lackScopes:            {"scopes of one of several credentials", "left out", true},
	lackScheme:            {"schemes of credentials", "a bearer token", true},
	lackErrorForms:        {"several forms of errors", "the most frequent form for all", false},
	lackErrorForm:         {"errors that are not an object", "the form of svc", false},
	lackReference:         {"references that lead nowhere", "any JSON", false},
	lackTwoUnions:         {"several unions at one place", "the members of all, optional", false},
	lackAcross:            {"rules on several members", "left out; write a method Validate", false},
	lackKeyword:           {"words of JSON Schema that svc does not have", "left out", false},
	lackSelf:              {"types that contain themselves without an object in between", "any JSON", false},
	lackTooDeep:           {"schemas that are too deep", "any JSON", false},
	lackObjects:           {"several kinds of objects without a discriminator", "one struct with the members of all; those are optional that not all have", false},
	lackNumberTag:         {"discriminators that are numbers or booleans", "one struct with the members of all", false},
	lackLists:             {"several kinds of lists", "a list whose items are of any of the kinds", false},
	lackScalars:           {"several kinds of texts or numbers", "one type without their rules", false},
	lackOtherMembers:      {"other members beside the named ones", "left out: they are ignored and not sent", false},
	lackUnique:            {"uniqueItems of objects", "left out", false},
	lackInnerRules:        {"rules of the values of a map, or of lists in a list", "left out", false},
	lackLimit:             {"limits that the Go type cannot have", "left out", false},
	lackPattern:           {"patterns that Go cannot check", "left out", false},
	lackFormat:            {"formats that svc takes for slips", "left out", false},
	lackDefault:           {"defaults that no tag can say", "left out", false},
	lackExamples:          {"examples", "left out", true},
	lackEnumText:          {"enums that no tag can list", "left out", false},
	lackName:              {"names that svc refuses", "left out", false},
	lackTwice:             {"names that occur twice in an object", "the last one", true},
	lackServers:           {"servers", "the first one that is a whole URL", true},
}

// A lack is a place that svc cannot say.
type lack struct {
	kind          lackKind
	at            string
	what, instead string
}

// A report collects lacks. Each place is in it once, but belongs to all that meet it: scope
// collects the indexes of the lacks of what is being converted.
type report struct {
	lacks []lack
	known map[lack]int
	scope *scope
}

// lack reports a place of the document, and that the current scope meets it.
func (r *report) lack(kind lackKind, n *node, what string) { r.lackBut(kind, n, what, "") }

// lackBut is lack for a place where something else is written than the row says.
func (r *report) lackBut(kind lackKind, n *node, what, instead string) {
	if instead == "" {
		instead = lackRows[kind].instead
	}
	l := lack{kind, n.pointer(), oneLine(what), instead}
	i, ok := r.known[l]
	if !ok {
		i = len(r.lacks)
		r.known[l] = i
		r.lacks = append(r.lacks, l)
	}
	r.meet([]int{i})
}

// A scope has the lacks that something meets, in order.
type scope struct {
	list []int
	has  map[int]bool
}

// meet adds known lacks to the current scope.
func (r *report) meet(lacks []int) {
	if r.scope == nil {
		return
	}
	for _, i := range lacks {
		if !r.scope.has[i] {
			r.scope.has[i] = true
			r.scope.list = append(r.scope.list, i)
		}
	}
}

// within calls do with a scope of its own and returns the lacks that do met.
func (r *report) within(do func()) []int {
	outer, inner := r.scope, &scope{has: map[int]bool{}}
	r.scope = inner
	do()
	r.scope = outer
	return inner.list
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > 300 {
		s = string(runes[:300]) + "…"
	}
	return s
}

// A kindCount says how often a kind of lack occurs.
type kindCount struct {
	Kind       string `json:"kind"`
	Places     int    `json:"places"`
	Operations int    `json:"operations"`
	Aside      bool   `json:"aside,omitempty"`
	kind       lackKind
}

// A summary is the report in numbers.
type summary struct {
	Operations int         `json:"operations"` // of the document
	Written    int         `json:"written"`
	Whole      int         `json:"whole"` // without a lack that is not aside
	Interfaces int         `json:"interfaces"`
	Types      int         `json:"types"`
	Lines      int         `json:"lines"`
	Kinds      []kindCount `json:"kinds"` // the most frequent first
}

// summarize counts lacks by kind, and the operations that meet them.
func (c *converter) summarize() summary {
	s := summary{Operations: c.total, Written: len(c.ops) + c.covered, Whole: c.covered, Interfaces: len(c.groups), Types: len(c.decls)}
	var kinds [lackKinds]kindCount
	for _, l := range c.lacks {
		kinds[l.kind].Places++
	}
	tainted := c.taintedOps(func(k lackKind) bool { return !lackRows[k].aside })
	for _, o := range c.ops {
		if !tainted[o] {
			s.Whole++
		}
	}
	for k := range kinds {
		if kinds[k].Places == 0 {
			continue
		}
		kinds[k].kind, kinds[k].Kind, kinds[k].Aside = lackKind(k), lackRows[k].title, lackRows[k].aside
		kinds[k].Operations = len(c.taintedOps(func(other lackKind) bool { return other == lackKind(k) }))
		s.Kinds = append(s.Kinds, kinds[k])
	}
	slices.SortStableFunc(s.Kinds, func(a, b kindCount) int { return cmp.Compare(b.Places, a.Places) })
	return s
}

// taintedOps returns the operations that meet a lack that counts, directly or by a type.
func (c *converter) taintedOps(counts func(lackKind) bool) map[*operation]bool {
	meets := func(lacks []int) bool {
		return slices.ContainsFunc(lacks, func(i int) bool { return counts(c.lacks[i].kind) })
	}
	users := map[*decl][]*decl{}
	var queue []*decl
	bad := map[*decl]bool{}
	for _, d := range c.decls {
		for _, used := range d.uses() {
			users[used] = append(users[used], d)
		}
		if meets(d.lacks) {
			bad[d] = true
			queue = append(queue, d)
		}
	}
	for len(queue) > 0 {
		d := queue[0]
		queue = queue[1:]
		for _, user := range users[d] {
			if !bad[user] {
				bad[user] = true
				queue = append(queue, user)
			}
		}
	}
	out := map[*operation]bool{}
	for _, o := range c.ops {
		if meets(o.lacks) || slices.ContainsFunc(o.uses(), func(d *decl) bool { return bad[d] }) {
			out[o] = true
		}
	}
	return out
}

// markdown writes the report.
func (c *converter) markdown(name string, s summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What %s says and svc does not\n\n", name)
	fmt.Fprintf(&b, "%d of %d operations are written as methods; %d are written whole. Each place below is left out, or written in another way.\n", s.Written, s.Operations, s.Whole)
	if len(s.Kinds) == 0 {
		b.WriteString("There is none.\n")
		return b.String()
	}
	b.WriteString("Places are JSON Pointers into the document.\n\n| what | places | operations |\n|---|--:|--:|\n")
	for _, k := range s.Kinds {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", k.Kind, k.Places, k.Operations)
	}
	b.WriteString("\nThese kinds do not count against an operation that is whole: ")
	var aside []string
	for _, row := range lackRows {
		if row.aside {
			aside = append(aside, row.title)
		}
	}
	b.WriteString(strings.Join(aside, "; ") + ".\n")
	for _, k := range s.Kinds {
		fmt.Fprintf(&b, "\n## %s\n\n", k.Kind)
		for _, l := range c.lacks {
			if l.kind == k.kind {
				fmt.Fprintf(&b, "- `%s`: %s. Written: %s.\n", strings.ReplaceAll(l.at, "`", "'"), strings.TrimRight(l.what, "."), l.instead)
			}
		}
	}
	return b.String()
}
