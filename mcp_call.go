package svc

// This file calls tools: tools/call.

import (
	"context"
	"encoding/binary"
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
	err := x.runTool(t, m)
	switch {
	case err == nil:
		return nil
	case panicIn(err) != nil:
		e := rpcError(http.StatusOK, mcpInternalError, "internal error")
		e.cause = err
		return e
	}
	x.log(err)
	x.openResult()
	x.add(`"content":[{"type":"text","text":`)
	x.sc.buf = appendQuoted(x.sc.buf, errorText(ErrorFrom(err)))
	x.add(`}],"isError":true`)
	x.closeResult(m)
	return nil
}

// runTool calls the method with the arguments of m and makes a result of what it
// returns.
func (x *exchange) runTool(t *tool, m *message) error {
	in, err := x.bind(t, m.arguments)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // the method aborts the connection
			x.stream.abandon()
		}
	}()
	x.stream.start(x, m)
	x.openResult()
	if t.stream != "" {
		err = x.collect(t, in)
	} else if out, failure := t.invokeBy(x.invoker(t), x, in); failure == nil {
		err = x.addOutput(t, out)
	} else {
		err = failure
	}
	x.stream.stop()
	done = true
	x.add(`,"isError":false`)
	x.closeResult(m)
	return err
}

// invoker returns what makes the calls of t in place of the method, or nil.
func (x *exchange) invoker(t *tool) InvokeFunc {
	if x.h.invoke != nil {
		return x.h.invoke
	}
	return t.intercepted
}

// bind makes the method's input of the arguments, which are an object or nil.
func (x *exchange) bind(t *tool, arguments []byte) (in any, err error) {
	d := &x.sc.decoder
	if t.method.bind != nil {
		return t.bindObject(d, arguments)
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

// addOutput adds what the method returned to the result.
func (x *exchange) addOutput(t *tool, out any) error {
	switch {
	case t.out == nil:
		x.add(`"content":[]`)
		return nil
	case t.blocks:
		content, err := contentOf(out)
		if err != nil {
			return err
		}
		x.add(`"content":`)
		x.sc.buf, err = appendContent(x.sc.buf, content, x.version)
		return err
	}
	x.add(`"structuredContent":`)
	start := len(x.sc.buf)
	if t.wrapped {
		x.add(`{"result":`)
	}
	var err error
	x.sc.buf, err = t.appendOutput(&x.sc.encoder, x.sc.buf, out)
	if t.wrapped {
		x.add(`}`)
	}
	x.addText(start)
	return err
}

// collect calls a method that returns a stream, adds the items to the result as
// {"items":[…]} and reports each as progress.
func (x *exchange) collect(t *tool, in any) error {
	ctx, cancel := context.WithCancelCause(x)
	defer cancel(nil)
	out, err := t.invokeBy(x.invoker(t), ctx, in)
	if err != nil {
		return err
	}
	x.add(`"structuredContent":`)
	start := len(x.sc.buf)
	x.sc.buf, err = t.appendItems(cancel, &x.sc.encoder, x.sc.buf, out, func(n int) { x.stream.item(x, n) })
	x.addText(start)
	return err
}

// addText adds the structured content, which begins at start, as a text too, for
// clients that do not know it.
func (x *exchange) addText(start int) {
	text := x.sc.buf[start:]
	x.add(`,"content":[{"type":"text","text":`)
	x.sc.buf = appendQuotedJSON(x.sc.buf, text)
	x.add(`}]`)
}

// appendQuotedJSON appends a JSON text as a string. There is nothing in one that
// wants escaping but quotes and what escapes them, and eight bytes without either
// are copied at once.
func appendQuotedJSON(dst, text []byte) []byte {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	dst = slices.Grow(dst, 2*len(text)+2)
	n := len(dst)
	out := dst[n : n+2*len(text)+2]
	out[0] = '"'
	i := 1
	for len(text) > 0 {
		next := text[:min(8, len(text))]
		text = text[len(next):]
		if len(next) == 8 {
			x := binary.LittleEndian.Uint64(next)
			quote, slash := x^('"'*ones), x^('\\'*ones)
			if ((quote-ones)&^quote|(slash-ones)&^slash)&high == 0 {
				binary.LittleEndian.PutUint64(out[i:], x)
				i += 8
				continue
			}
		}
		for _, c := range next {
			out[i] = '\\' // overwritten if it is not wanted: a branch would be mispredicted
			i += int(escapeLenInJSON[c])
			out[i] = c
			i++
		}
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
