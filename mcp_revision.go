package svc

// This file describes the differences between the revisions of MCP that matter to a server, with
// one row for each in the table revisions. Other code reads the row of a message, such as
// x.rev.links, and never compares dates. doc/mcp.md has the same for authors of clients.
//
// Revisions up to 2025-11-25 are legacy, and revisions since 2026-07-28 are modern (MCP 2026-07-28,
// Versioning). A legacy client agrees with the server on a revision by initialize. Since 2025-06-18
// it repeats the revision in the header MCP-Protocol-Version, so the server need not remember it. A
// modern client sends everything that the server needs in each request.

import "time"

// A revision describes the features of one version of the protocol.
type revision struct {
	date string // its name

	// It is of the modern era: each request says its revision and the capabilities of the client in
	// _meta, and over HTTP its revision, method and name in headers. There are server/discover and
	// subscriptions/listen, and no initialize, ping, logging/setLevel, resources/subscribe and
	// resources/unsubscribe.
	modern bool
	// Results have resultType and the name of the server; lists and contents say how long to cache
	// them.
	typed bool
	// The number of an error decides its status over HTTP. Otherwise most errors have 200.
	statuses bool
	// A method asks by its result, and runs again with the answers. Without it, a request of the
	// server asks while the method waits.
	rounds bool
	// A client gets log messages if the request names a level. Otherwise it gets messages from info
	// on.
	namesLevel bool
	// A tool can answer with a task, which is an extension; see mcp_tasks.go.
	tasks bool
	// Over HTTP there are sessions, in which a client can be asked, and can cancel a call.
	sessions bool

	forms     bool // a client can show a form
	formLists bool // a form can have lists of choices
	pages     bool // a client can open a page; params of questions have a mode
	links     bool // results can have links to resources; otherwise a text
	audio     bool // results can have audio; otherwise a text
	notFound  int  // the number of the error for a resource that does not exist
}

// revisions are the supported revisions, the newest first. server/discover and the error -32022
// list them (MCP 2026-07-28, Versioning).
var revisions = [...]*revision{
	{date: "2026-07-28", modern: true, typed: true, statuses: true, rounds: true, namesLevel: true, tasks: true,
		forms: true, formLists: true, pages: true, links: true, audio: true, notFound: rpcInvalidParams},
	{date: "2025-11-25", sessions: true, forms: true, formLists: true, pages: true, links: true, audio: true, notFound: mcpNotFound},
	{date: "2025-06-18", sessions: true, forms: true, links: true, audio: true, notFound: mcpNotFound},
	{date: "2025-03-26", sessions: true, audio: true, notFound: mcpNotFound},
	{date: "2024-11-05", notFound: mcpNotFound},
}

// mcpNotFound is the number of the error for a resource that does not exist, in revisions that
// define one (MCP 2025-11-25, Resources, Error Handling).
const mcpNotFound = -32002

// The rows that the specification names.
var (
	newestRevision = revisions[0]
	// newestAgreed is the newest one of initialize. It answers a client that asks for an unknown
	// one (MCP 2025-11-25, Lifecycle, Version Negotiation).
	newestAgreed = revisions[1]
	// assumedRevision is the revision of a request that does not name one (MCP 2025-11-25,
	// Transports, Protocol Version Header).
	assumedRevision = revisions[3]
)

// revisionOf returns the row of a date, or nil.
func revisionOf(date string) *revision {
	for _, r := range revisions {
		if r.date == date {
			return r
		}
	}
	return nil
}

// datesUpTo returns the dates of r and all revisions before it, the newest first.
func (r *revision) datesUpTo() (dates []string) {
	for _, other := range revisions {
		if other.date <= r.date { // dates in this form compare as strings
			dates = append(dates, other.date)
		}
	}
	return dates
}

// isModern reports whether a text is the date of a revision of the modern era, known or not. Dates
// in this form compare as strings.
func isModern(date string) bool {
	if date < newestRevision.date {
		return false
	}
	_, err := time.Parse(time.DateOnly, date)
	return err == nil
}
