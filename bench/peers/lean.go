package main

// This file is the leanest handler by hand that still does the job: it writes
// answers straight to the response, sends no header that it need not,
// and reports the first violation only. An output that JSON cannot carry would be cut
// off after the status. byhand.go is the handler to compare with; this one shows how
// much of its time goes into care.

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf8"
)

// lean serves TodoAPI with as little as can be.
type lean struct {
	byHand // reads bodies, and has the types of the messages
}

func (h lean) mount(mux *http.ServeMux) {
	mux.HandleFunc("POST /todos", h.create)
	mux.HandleFunc("GET /todos", h.list)
	mux.HandleFunc("GET /todos/{id}", h.get)
	mux.HandleFunc("POST /todos/import", h.bulk)
	mux.HandleFunc("POST /rpc", h.rpc)
	mux.HandleFunc("POST /mcp", h.mcp)
}

func (h lean) create(w http.ResponseWriter, r *http.Request) {
	var in Create
	if !h.read(w, r, &in) {
		return
	}
	if v := firstOfCreate(&in); v != nil {
		h.refuseFirst(w, v)
		return
	}
	out, err := h.api.Create(r.Context(), &in)
	h.answer(w, out, err)
}

func (h lean) get(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	in := Get{ID: r.PathValue("id"), Lang: query.Get("lang"), Fields: query.Get("fields")}
	var err error
	if text := query.Get("depth"); text != "" {
		if in.Depth, err = strconv.Atoi(text); err != nil || in.Depth < 0 || in.Depth > 9 {
			h.refuseFirst(w, &violation{"query", "/depth", "range", "must be an integer from 0 to 9"})
			return
		}
	}
	if text := query.Get("expand"); text != "" {
		if in.Expand, err = strconv.ParseBool(text); err != nil {
			h.refuseFirst(w, &violation{"query", "/expand", "type", "must be true or false"})
			return
		}
	}
	if !fits(in.Lang, 0, 8) {
		h.refuseFirst(w, &violation{"query", "/lang", "maxLength", "must have at most 8 characters"})
		return
	}
	if !fits(in.Fields, 0, 200) {
		h.refuseFirst(w, &violation{"query", "/fields", "maxLength", "must have at most 200 characters"})
		return
	}
	out, err := h.api.Get(r.Context(), &in)
	h.answer(w, out, err)
}

func (h lean) list(w http.ResponseWriter, r *http.Request) {
	var in List
	if text := r.URL.Query().Get("limit"); text != "" {
		var err error
		if in.Limit, err = strconv.Atoi(text); err != nil || in.Limit < 1 || in.Limit > 100 {
			h.refuseFirst(w, &violation{"query", "/limit", "range", "must be an integer from 1 to 100"})
			return
		}
	}
	out, err := h.api.List(r.Context(), &in)
	h.answer(w, out, err)
}

func (h lean) bulk(w http.ResponseWriter, r *http.Request) {
	var in Import
	if !h.read(w, r, &in) {
		return
	}
	if v := firstOfImport(&in); v != nil {
		h.refuseFirst(w, v)
		return
	}
	out, err := h.api.Import(r.Context(), &in)
	h.answer(w, out, err)
}

func (h lean) answer(w http.ResponseWriter, out any, err error) {
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	h.encode(w, http.StatusOK, out)
}

func (h lean) refuseFirst(w http.ResponseWriter, v *violation) {
	h.encode(w, http.StatusBadRequest, struct {
		Error failure `json:"error"`
	}{failure{Code: "INVALID_ARGUMENT", Message: "the input is invalid", Details: &details{violations{*v}}}})
}

func (h lean) encode(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	h.codec.write(w, value)
}

// fits reports whether s has from least to most characters.
func fits(s string, least, most int) bool {
	n := len(s)
	if n > most {
		n = utf8.RuneCountInString(s)
	}
	return n >= least && n <= most
}

func firstOfCreate(in *Create) *violation {
	switch {
	case !fits(in.Title, 1, 100):
		return &violation{"body", "/title", "length", "must have 1 to 100 characters"}
	case !fits(in.Description, 0, 1000):
		return &violation{"body", "/description", "maxLength", "must have at most 1000 characters"}
	case len(in.Tags) > 8:
		return &violation{"body", "/tags", "maxItems", "must have at most 8 items"}
	case in.Priority < 1 || in.Priority > 5:
		return &violation{"body", "/priority", "range", "must be from 1 to 5"}
	}
	return nil
}

func firstOfImport(in *Import) *violation {
	if n := len(in.Records); n < 1 || n > 1000 {
		return &violation{"body", "/records", "range", "must have 1 to 1000 items"}
	}
	for i := range in.Records {
		if v := firstOfRecord(&in.Records[i]); v != nil {
			v.Path = "/records/" + strconv.Itoa(i) + v.Path
			return v
		}
	}
	return nil
}

func firstOfRecord(r *Record) *violation {
	switch {
	case !fits(r.Title, 1, 100):
		return &violation{"body", "/title", "length", "must have 1 to 100 characters"}
	case r.Priority < 1 || r.Priority > 5:
		return &violation{"body", "/priority", "range", "must be from 1 to 5"}
	case r.Estimate < 0:
		return &violation{"body", "/estimate", "minimum", "must be at least 0"}
	case len(r.Tags) > 8:
		return &violation{"body", "/tags", "maxItems", "must have at most 8 items"}
	case r.Owner.Name == "":
		return &violation{"body", "/owner/name", "minLength", "must not be empty"}
	case !fits(r.Owner.Email, 3, 254):
		return &violation{"body", "/owner/email", "length", "must have 3 to 254 characters"}
	}
	for j := range r.Steps {
		if r.Steps[j].Text == "" {
			return &violation{"body", "/steps/" + strconv.Itoa(j) + "/text", "minLength", "must not be empty"}
		}
	}
	return nil
}

func (h lean) rpc(w http.ResponseWriter, r *http.Request) {
	body, ok := h.readAll(w, r)
	if !ok {
		return
	}
	if len(body) == 0 || body[0] != '[' {
		if reply := h.call(r.Context(), body); reply != nil {
			h.encode(w, http.StatusOK, reply)
		} else {
			w.WriteHeader(http.StatusNoContent)
		}
		return
	}
	var calls []json.RawMessage
	if err := h.unmarshal(body, &calls); err != nil || len(calls) == 0 {
		h.encode(w, http.StatusOK, &rpcReply{Version: "2.0", Error: &rpcError{Code: -32600, Message: "Invalid Request"}, ID: nullID})
		return
	}
	replies := make([]*rpcReply, 0, len(calls))
	for _, call := range calls {
		if reply := h.call(r.Context(), call); reply != nil {
			replies = append(replies, reply)
		}
	}
	h.encode(w, http.StatusOK, replies)
}

// call answers one call, or returns nil if it wants no answer.
func (h lean) call(ctx context.Context, text []byte) *rpcReply {
	var call rpcCall
	if err := h.unmarshal(text, &call); err != nil {
		return &rpcReply{Version: "2.0", Error: &rpcError{Code: -32700, Message: "Parse error"}, ID: nullID}
	}
	reply := &rpcReply{Version: "2.0", ID: call.ID}
	var in Create
	if call.Method != "todos.create" {
		reply.Error = &rpcError{Code: -32601, Message: "Method not found"}
	} else if err := h.unmarshal(call.Params, &in); err != nil {
		reply.Error = &rpcError{Code: -32602, Message: "the params are not acceptable JSON"}
	} else if v := firstOfCreate(&in); v != nil {
		reply.Error = &rpcError{Code: -32602, Message: v.Path + " " + v.Message}
	} else if out, err := h.api.Create(ctx, &in); err != nil {
		reply.Error = &rpcError{Code: -32603, Message: "internal error"}
	} else {
		reply.Result = out
	}
	if call.ID == nil {
		return nil
	}
	return reply
}

func (h lean) mcp(w http.ResponseWriter, r *http.Request) {
	body, ok := h.readAll(w, r)
	if !ok {
		return
	}
	var call struct {
		mcpCall
		Params mcpParams `json:"params"`
	}
	if err := h.unmarshal(body, &call); err != nil || call.Method != "tools/call" || call.Params.Name != "todos_create" {
		h.encode(w, http.StatusOK, &mcpReply{Version: "2.0", ID: call.ID, Error: &rpcError{Code: -32602, Message: "Invalid params"}})
		return
	}
	var in Create
	result := mcpResult{}
	if r.Header.Get("Mcp-Protocol-Version") == modernEra {
		result.Type = "complete"
	}
	if err := h.unmarshal(call.Params.Arguments, &in); err != nil {
		result.IsError, result.Content = true, []mcpText{{"text", "the arguments are not acceptable JSON"}}
	} else if v := firstOfCreate(&in); v != nil {
		result.IsError, result.Content = true, []mcpText{{"text", v.Path + " " + v.Message}}
	} else if out, err := h.api.Create(r.Context(), &in); err != nil {
		result.IsError, result.Content = true, []mcpText{{"text", "internal error"}}
	} else {
		result.Structured, _ = h.marshal(out)
		result.Content = []mcpText{{"text", string(result.Structured)}}
	}
	h.encode(w, http.StatusOK, &mcpReply{Version: "2.0", ID: call.ID, Result: &result})
}
