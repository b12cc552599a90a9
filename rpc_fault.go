package svc

// This file makes the errors of JSON-RPC itself, where nothing was called. The
// texts are those of JSON-RPC 2.0, section 5.1, where it has one.

import (
	"log/slog"
	"net/http"
)

// rpcEmptyBatch is the flaw of a batch that is none (JSON-RPC 2.0, section 6).
var rpcEmptyBatch = &Violation{inBody, "", "minItems", "a batch must have a call"}

// rpcFault returns the error for what calls nothing. It is answered with the
// status 200: as far as HTTP goes, all is well. v may be nil.
func rpcFault(number int, code Code, message string, v *Violation) *Error {
	e := &Error{Code: code, Message: message, status: http.StatusOK, number: number}
	if v != nil {
		e.refused = []Violation{*v}
	}
	return e
}

func rpcRequestFault(v *Violation) *Error {
	return rpcFault(rpcInvalidRequest, CodeInvalidArgument, "Invalid Request", v)
}

// rpcTextFault returns the error for a text that is not acceptable JSON.
func rpcTextFault(f *fault) *Error {
	return rpcFault(rpcParseError, CodeInvalidArgument, "Parse error",
		&Violation{In: inBody, Rule: f.rule, Message: "the text is not valid JSON: " + f.Error()})
}

// rpcHTTPFault returns the error for a fault of the HTTP exchange, which keeps
// its status.
func rpcHTTPFault(err error) *Error {
	e := *ErrorFrom(err)
	e.number = rpcInvalidRequest
	return &e
}

// refuse logs err and answers the whole request with it.
func (h *rpcHandler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	logError(r.Context(), h.config.logger, err, func() []slog.Attr {
		return []slog.Attr{slog.String("transport", "rpc"), slog.String("method", r.Method)}
	})
	e := ErrorFrom(err)
	var buf [512]byte
	writeErrorBody(w, e.HTTPStatus(), contentTypeJSON, appendRPCFailure(buf[:0], e, rpcNull))
}

// appendRPCFailure appends the response that tells of e.
func appendRPCFailure(dst []byte, e *Error, id []byte) []byte {
	var buf [512]byte
	return appendRPCError(dst, e.RPCCode(), e.message(), appendRPCErrorData(buf[:0], e), id)
}
