package main

// This file is what a careful author writes by hand, as lean as it can be
// without giving up what callers and operators rely on: bodies are bounded, every
// rule is checked, an error says where and what, and nothing is written before it
// is complete. It decodes with one call of Unmarshal and makes violations only
// where there are some. REST comes first, then JSON-RPC, then MCP.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"
)

// A codec is a version of encoding/json.
type codec struct {
	unmarshal func([]byte, any) error
	marshal   func(any) ([]byte, error)
	write     func(io.Writer, any) error
}

var withJSON = codec{json.Unmarshal, json.Marshal, func(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }}

// byHand serves TodoAPI with one codec.
type byHand struct {
	codec
	api TodoAPI
}

// mount registers the routes of h by handle, which is that of some router.
func (h byHand) mount(handle func(method, path string, fn http.HandlerFunc)) {
	handle("POST", "/todos", h.create)
	handle("GET", "/todos", h.list)
	handle("GET", "/todos/{id}", h.get)
	handle("POST", "/todos/import", h.bulk)
	handle("POST", "/rpc", h.rpc)
	handle("POST", "/mcp", h.mcp)
}

func (h byHand) create(w http.ResponseWriter, r *http.Request) {
	var in Create
	if !h.read(w, r, &in) {
		return
	}
	if list := checkCreate(&in); list != nil {
		h.refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "the input is invalid", list)
		return
	}
	out, err := h.api.Create(r.Context(), &in)
	h.answer(w, out, err)
}

func (h byHand) get(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var list violations
	in := Get{ID: r.PathValue("id"), Lang: query.Get("lang"), Fields: query.Get("fields")}
	in.Depth = list.number(query, "depth", 0, 9)
	if text := query.Get("expand"); text != "" {
		var err error
		if in.Expand, err = strconv.ParseBool(text); err != nil {
			list.add("query", "/expand", "type", "must be true or false")
		}
	}
	list.length("query", "/lang", in.Lang, 0, 8)
	list.length("query", "/fields", in.Fields, 0, 200)
	if list != nil {
		h.refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "the input is invalid", list)
		return
	}
	out, err := h.api.Get(r.Context(), &in)
	h.answer(w, out, err)
}

func (h byHand) list(w http.ResponseWriter, r *http.Request) {
	var list violations
	in := List{Limit: list.number(r.URL.Query(), "limit", 1, 100)}
	if list != nil {
		h.refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "the input is invalid", list)
		return
	}
	out, err := h.api.List(r.Context(), &in)
	h.answer(w, out, err)
}

func (h byHand) bulk(w http.ResponseWriter, r *http.Request) {
	var in Import
	if !h.read(w, r, &in) {
		return
	}
	if list := checkImport(&in); list != nil {
		h.refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "the input is invalid", list)
		return
	}
	out, err := h.api.Import(r.Context(), &in)
	h.answer(w, out, err)
}

// readAll reads a body within the limit, or answers with an error.
func (h byHand) readAll(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if t := r.Header.Get("Content-Type"); t != "application/json" {
		h.refuse(w, http.StatusUnsupportedMediaType, "INVALID_ARGUMENT", "the body must be application/json", nil)
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		status := http.StatusBadRequest
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		h.refuse(w, status, "INVALID_ARGUMENT", "the body could not be read", nil)
		return nil, false
	}
	return body, true
}

// read decodes the body into in, or answers with an error.
func (h byHand) read(w http.ResponseWriter, r *http.Request, in any) bool {
	body, ok := h.readAll(w, r)
	if ok && h.unmarshal(body, in) != nil {
		h.refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "the body is not acceptable JSON", nil)
		return false
	}
	return ok
}

func (h byHand) answer(w http.ResponseWriter, out any, err error) {
	if err != nil {
		h.refuse(w, http.StatusInternalServerError, "INTERNAL", "internal error", nil)
		return
	}
	h.write(w, http.StatusOK, out)
}

func (h byHand) write(w http.ResponseWriter, status int, value any) {
	body, err := h.marshal(value)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(body)
}

type violation struct {
	In      string `json:"in"`
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

type details struct {
	Violations violations `json:"violations"`
}

type failure struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Details *details `json:"details,omitempty"`
}

func (h byHand) refuse(w http.ResponseWriter, status int, code, message string, list violations) {
	f := failure{Code: code, Message: message}
	if list != nil {
		f.Details = &details{list}
	}
	h.write(w, status, struct {
		Error failure `json:"error"`
	}{f})
}

// violations is what is wrong with an input; nil means nothing.
type violations []violation

func (vs *violations) add(in, path, rule, message string) {
	*vs = append(*vs, violation{in, path, rule, message})
}

func (vs *violations) between(in, path, what string, n, least, most int) {
	if n < least || n > most {
		vs.add(in, path, "range", what+" must be between "+strconv.Itoa(least)+" and "+strconv.Itoa(most))
	}
}

// length counts characters only if the bytes are too many.
func (vs *violations) length(in, path, s string, least, most int) {
	if n := len(s); n < least || n > most {
		vs.between(in, path, "the length", utf8.RuneCountInString(s), least, most)
	}
}

func (vs *violations) number(query url.Values, name string, least, most int) int {
	text := query.Get(name)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		vs.add("query", "/"+name, "type", "must be an integer")
		return 0
	}
	vs.between("query", "/"+name, "the value", n, least, most)
	return n
}

func checkCreate(in *Create) (vs violations) {
	vs.length("body", "/title", in.Title, 1, 100)
	vs.length("body", "/description", in.Description, 0, 1000)
	vs.between("body", "/tags", "the number of items", len(in.Tags), 0, 8)
	vs.between("body", "/priority", "the value", in.Priority, 1, 5)
	return vs
}

func checkImport(in *Import) (vs violations) {
	vs.between("body", "/records", "the number of items", len(in.Records), 1, 1000)
	for i := range in.Records {
		before := len(vs)
		vs.checkRecord(&in.Records[i])
		for j := before; j < len(vs); j++ { // spell a place only where something is wrong
			vs[j].Path = "/records/" + strconv.Itoa(i) + vs[j].Path
		}
	}
	return vs
}

func (vs *violations) checkRecord(r *Record) {
	vs.length("body", "/title", r.Title, 1, 100)
	vs.between("body", "/priority", "the value", r.Priority, 1, 5)
	if r.Estimate < 0 {
		vs.add("body", "/estimate", "minimum", "must be at least 0")
	}
	vs.between("body", "/tags", "the number of items", len(r.Tags), 0, 8)
	vs.length("body", "/owner/name", r.Owner.Name, 1, 1<<20)
	vs.length("body", "/owner/email", r.Owner.Email, 3, 254)
	for j := range r.Steps {
		if r.Steps[j].Text == "" {
			vs.add("body", "/steps/"+strconv.Itoa(j)+"/text", "minLength", "must not be empty")
		}
	}
}

// JSON-RPC: a call is decoded in two steps, envelope and params.

type rpcCall struct {
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
}

type rpcReply struct {
	Version string          `json:"jsonrpc"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
	ID      json.RawMessage `json:"id"`
}

type rpcError struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Data    *failure `json:"data,omitempty"`
}

var nullID = json.RawMessage("null")

func (h byHand) rpc(w http.ResponseWriter, r *http.Request) {
	body, ok := h.readAll(w, r)
	if !ok {
		return
	}
	if len(body) == 0 || body[0] != '[' {
		if reply := h.call(r.Context(), body); reply != nil {
			h.write(w, http.StatusOK, reply)
		} else {
			w.WriteHeader(http.StatusNoContent)
		}
		return
	}
	var calls []json.RawMessage
	if err := h.unmarshal(body, &calls); err != nil || len(calls) == 0 || len(calls) > 1000 {
		h.write(w, http.StatusOK, &rpcReply{Version: "2.0", Error: &rpcError{Code: -32600, Message: "Invalid Request"}, ID: nullID})
		return
	}
	replies := make([]*rpcReply, 0, len(calls))
	for _, call := range calls {
		if reply := h.call(r.Context(), call); reply != nil {
			replies = append(replies, reply)
		}
	}
	if len(replies) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.write(w, http.StatusOK, replies)
}

// call answers one call, or returns nil if it wants no answer.
func (h byHand) call(ctx context.Context, text []byte) *rpcReply {
	var call rpcCall
	if err := h.unmarshal(text, &call); err != nil {
		return &rpcReply{Version: "2.0", Error: &rpcError{Code: -32700, Message: "Parse error"}, ID: nullID}
	}
	if call.Version != "2.0" || call.Method == "" {
		return &rpcReply{Version: "2.0", Error: &rpcError{Code: -32600, Message: "Invalid Request"}, ID: nullID}
	}
	reply := &rpcReply{Version: "2.0", ID: call.ID}
	switch call.Method {
	case "todos.create":
		reply.Result, reply.Error = h.callCreate(ctx, call.Params)
	default:
		reply.Error = &rpcError{Code: -32601, Message: "Method not found"}
	}
	if call.ID == nil {
		return nil
	}
	return reply
}

func (h byHand) callCreate(ctx context.Context, params []byte) (any, *rpcError) {
	var in Create
	if err := h.unmarshal(params, &in); err != nil {
		return nil, &rpcError{Code: -32602, Message: "the params are not acceptable JSON"}
	}
	if list := checkCreate(&in); list != nil {
		return nil, &rpcError{Code: -32602, Message: "the input is invalid", Data: &failure{Code: "INVALID_ARGUMENT", Details: &details{list}}}
	}
	out, err := h.api.Create(ctx, &in)
	if err != nil {
		return nil, &rpcError{Code: -32603, Message: "internal error"}
	}
	return out, nil
}

// MCP, stateless and in both eras: a call is decoded in three steps, since the
// method says what the params are, and the tool what the arguments are.

type mcpCall struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type mcpParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      struct {
		Version      string           `json:"io.modelcontextprotocol/protocolVersion"`
		Capabilities *json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	} `json:"_meta"`
}

type mcpReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type mcpResult struct {
	Type       string          `json:"resultType,omitempty"`
	Content    []mcpText       `json:"content"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError"`
}

type mcpText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

const modernEra = "2026-07-28"

func (h byHand) mcp(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" {
		http.Error(w, "this origin is not allowed", http.StatusForbidden)
		return
	}
	version := r.Header.Get("Mcp-Protocol-Version")
	switch version {
	case modernEra, "2025-11-25", "2025-06-18", "2025-03-26", "":
	default:
		http.Error(w, "this protocol version is not supported", http.StatusBadRequest)
		return
	}
	body, ok := h.readAll(w, r)
	if !ok {
		return
	}
	var call mcpCall
	if err := h.unmarshal(body, &call); err != nil || call.Version != "2.0" || call.Method == "" {
		h.refuseMCP(w, http.StatusBadRequest, nullID, -32600, "Invalid Request")
		return
	}
	switch {
	case call.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case call.Method != "tools/call":
		h.refuseMCP(w, http.StatusOK, call.ID, -32601, "Method not found")
	default:
		h.callTool(w, r, &call, version == modernEra)
	}
}

func (h byHand) callTool(w http.ResponseWriter, r *http.Request, call *mcpCall, modern bool) {
	var params mcpParams
	if len(call.Params) > 0 && h.unmarshal(call.Params, &params) != nil {
		h.refuseMCP(w, http.StatusOK, call.ID, -32602, "the params are not acceptable JSON")
		return
	}
	if modern && (r.Header.Get("Mcp-Method") != call.Method || r.Header.Get("Mcp-Name") != params.Name || params.Meta.Version != modernEra || params.Meta.Capabilities == nil) {
		h.refuseMCP(w, http.StatusBadRequest, call.ID, -32602, "the header and _meta do not say what the message says")
		return
	}
	if params.Name != "todos_create" {
		h.refuseMCP(w, http.StatusOK, call.ID, -32602, "unknown tool")
		return
	}
	var in Create
	result := mcpResult{}
	if modern {
		result.Type = "complete"
	}
	if err := h.unmarshal(params.Arguments, &in); err != nil {
		result.IsError, result.Content = true, []mcpText{{"text", "the arguments are not acceptable JSON"}}
	} else if list := checkCreate(&in); list != nil {
		result.IsError = true
		text := "the input is invalid:"
		for _, v := range list {
			text += "\n" + v.Path + " " + v.Message
		}
		result.Content = []mcpText{{"text", text}}
	} else {
		out, err := h.api.Create(r.Context(), &in)
		if err == nil {
			result.Structured, err = h.marshal(out)
		}
		if err != nil {
			h.refuseMCP(w, http.StatusOK, call.ID, -32603, "internal error")
			return
		}
		result.Content = []mcpText{{"text", string(result.Structured)}}
	}
	h.write(w, http.StatusOK, &mcpReply{Version: "2.0", ID: call.ID, Result: &result})
}

func (h byHand) refuseMCP(w http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	h.write(w, status, &mcpReply{Version: "2.0", ID: id, Error: &rpcError{Code: code, Message: message}})
}
