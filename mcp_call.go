package svc

// This file calls tools: tools/call.

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// callTool answers tools/call. What the caller can put right, with arguments
// that are wrong and errors of the method among it, is a result with isError,
// which models get to see; what a program has to put right is an error.
func (x *exchange) callTool(m *message) *mcpError {
	if !isText(m.name) {
		return invalidParams("params.name is required and must be a string")
	}
	name := textOf(m.name)
	if x.modern && !x.hasHeader("Mcp-Name", name) {
		return badRequest(mcpHeaderMismatch, "the header Mcp-Name must be there once and be params.name")
	}
	t := x.h.tools[string(name)]
	if t == nil {
		return invalidParams("there is no tool of this name; tools/list has all")
	}
	if x.modern {
		if failure := x.checkParamHeaders(t, m.arguments); failure != nil {
			return failure
		}
		if failure := t.checkCapabilities(m.meta.capabilities); failure != nil {
			return failure
		}
	}
	x.info.Resource, x.info.Method = t.resource, t.method.name
	out, err := x.runTool(t, m)
	if err == nil {
		if err = x.appendToolResult(t, m, out); err == nil {
			return nil
		}
		return toolFault(err)
	}
	if panicIn(err) != nil {
		return toolFault(err)
	}
	logMCP(x.h.config, x.r, err, x.info.Method)
	x.openResult()
	x.add(`"content":[{"type":"text","text":`)
	x.sc.buf = appendQuoted(x.sc.buf, errorText(ErrorFrom(err)))
	x.add(`}],"isError":true`)
	x.closeResult(m)
	return nil
}

// toolFault is the answer where the server itself is at fault.
func toolFault(err error) *mcpError {
	e := rpcError(http.StatusOK, mcpInternalError, "internal error")
	e.cause = err
	return e
}

// runTool calls the method with the arguments of m.
func (x *exchange) runTool(t *tool, m *message) (out any, err error) {
	in, err := x.bind(t, m.arguments)
	if err != nil {
		return nil, err
	}
	done := false
	defer func() {
		if !done { // the method aborts the connection
			x.stream.abandon()
		}
	}()
	x.stream.start(x, m)
	invoke := t.intercepted
	if x.h.invoke != nil {
		invoke = x.h.invoke
	}
	if t.stream != "" {
		out, err = x.runStream(t, invoke, in)
	} else {
		out, err = t.invokeBy(invoke, x, in)
	}
	x.stream.stop()
	done = true
	return out, err
}

// runStream calls a method with more than one output and returns the record
// that has them all, as []byte. Each is progress, of a total that nobody knows.
func (x *exchange) runStream(t *tool, invoke InvokeFunc, in any) (any, error) {
	ctx, cancel := context.WithCancelCause(x)
	defer cancel(nil)
	out, err := t.invokeBy(invoke, ctx, in)
	if err != nil {
		return nil, err
	}
	return t.appendItems(cancel, new(encoder), nil, out, func(n int) { x.stream.item(x, n) })
}

// bind makes the method's input of the arguments, which are an object or nil.
func (x *exchange) bind(t *tool, arguments []byte) (in any, err error) {
	defer func() { // Validate and UnmarshalJSON are the application's
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	d := &x.sc.decoder
	if t.method.bind != nil {
		v, err := t.method.bind.object(d, arguments)
		return v.Interface(), err
	}
	d.start(nil)
	if arguments != nil {
		eachMember(arguments, func(name, _ []byte) {
			d.push(string(name))
			d.violate(isUnknown)
			d.pop()
		})
	}
	return nil, d.finish()
}

// checkCapabilities refuses a client that cannot do what the tool needs.
func (t *tool) checkCapabilities(declared []byte) *mcpError {
	if t.required == nil {
		return nil
	}
	missing := len(t.options.RequiredCapabilities)
	eachMember(declared, func(name, value []byte) {
		for _, required := range t.options.RequiredCapabilities {
			if string(name) == required && value[0] == '{' {
				missing--
			}
		}
	})
	if missing == 0 {
		return nil
	}
	e := badRequest(mcpMissingCapability, "the tool needs capabilities that the client does not declare")
	e.data = []byte(`{"requiredCapabilities":` + string(t.required) + `}`)
	return e
}

// appendToolResult appends the result of a call that succeeded.
func (x *exchange) appendToolResult(t *tool, m *message, out any) error {
	x.openResult()
	switch {
	case t.out == nil:
		x.add(`"content":[]`)
	case t.blocks:
		content, err := contentOf(out)
		if err != nil {
			return err
		}
		x.add(`"content":`)
		if x.sc.buf, err = appendContent(x.sc.buf, content, x.version); err != nil {
			return err
		}
	default:
		x.add(`"structuredContent":`)
		start := len(x.sc.buf)
		if t.wrapped {
			x.add(`{"result":`)
		}
		var err error
		if t.stream != "" {
			x.sc.buf = append(x.sc.buf, out.([]byte)...)
		} else if x.sc.buf, err = t.appendOutput(&x.sc.encoder, x.sc.buf, out); err != nil {
			return err
		}
		if t.wrapped {
			x.add(`}`)
		}
		text := x.sc.buf[start:]
		x.add(`,"content":[{"type":"text","text":`)
		x.sc.buf = appendQuotedJSON(x.sc.buf, text)
		x.add(`}]`)
	}
	x.add(`,"isError":false`)
	x.closeResult(m)
	return nil
}

// appendQuotedJSON appends a JSON text as a string. There is nothing in one that
// wants escaping but quotes and what escapes them.
func appendQuotedJSON(dst, text []byte) []byte {
	dst = slices.Grow(dst, 2*len(text)+2)
	n := len(dst)
	out := dst[n : n+2*len(text)+2]
	out[0] = '"'
	i := 1
	for _, c := range text {
		out[i] = '\\' // overwritten if it is not wanted: a branch would be mispredicted
		i += int(escapeLenInJSON[c])
		out[i] = c
		i++
	}
	out[i] = '"'
	return dst[:n+i+1]
}

// escapeLenInJSON says what to put in front of a byte of JSON in a string.
var escapeLenInJSON = [256]uint8{'"': 1, '\\': 1}

// errorText says what a model needs to know of an error to do better: the code
// and the message, a line for each violation, and the other details.
func errorText(e *Error) string {
	var text strings.Builder
	text.WriteString(string(e.code()) + ": " + e.message())
	details := maps.Clone(e.Details)
	if list, ok := details["violations"].([]Violation); ok {
		delete(details, "violations")
		for _, v := range list {
			line := strings.TrimSpace(v.Path + " " + v.Message)
			if len(list) > 1 || !strings.HasSuffix(e.message(), line) {
				text.WriteString("\n- " + line)
			}
		}
	}
	if len(details) > 0 {
		text.WriteString("\ndetails: " + string(appendDetailsObject(nil, details)))
	}
	return text.String()
}
