package svc

// This file implements the extension Tasks of MCP 2026-07-28, io.modelcontextprotocol/tasks. A tool
// whose method has MethodOptions.Task answers with a task instead of a record that is still
// working, and the client polls the task with tasks/get until it has ended. In this order: tasks
// when the handler is made; their ids; tools/call; the requests for a task; their answers; and
// questions.
//
// The server stores no tasks and runs no work. The record of the application is the task, and the
// task id contains everything needed to read it:
//
//	bytes  what
//	-----  -------------------------------------------------------------------
//	32     the seal, which also covers the digest of the caller
//	8      when the task began, in milliseconds of Unix time
//	       the method, such as exports.create; it has no brace
//	       the input of the method that reads the record, a JSON object
//
// So any replica can answer, even after a restart. An id is sealed, but not secret.
//
// The state of a record maps to a status and, if the work has ended, an outcome:
//
//	TaskState               status          and
//	----------------------  --------------  ------------------------------------------
//	working                 working
//	an error of Ask         input_required  the questions
//	completed               completed       the result that tools/call would have had
//	failed, with a message  completed       a result with isError and the message
//	failed, without one     failed          the error -32603, since the server is at fault
//	cancelled               cancelled
//
// A tool that fails has completed, because failed is only for JSON-RPC errors (Tasks, Task Status).

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"time"
)

// modernExtensions returns the extensions that server/discover declares. initialize does not
// declare tasks, which older revisions do not have.
func (h *mcpHandler) modernExtensions() map[string]any {
	all := maps.Clone(h.options.Extensions)
	if len(h.tasks) > 0 {
		if all == nil {
			all = make(map[string]any)
		}
		all[tasksExtension] = struct{}{}
	}
	return all
}

// taskName returns the name of a method in task ids. It does not depend on options of MCP, so that
// old ids stay valid when a tool is renamed.
func taskName(m *method) string { return m.resource + "." + m.name }

// withoutTasks is the error for a client that does not declare the extension.
var withoutTasks = missingCapabilities("the client does not declare the extension "+tasksExtension, []string{tasksExtension})

const (
	// taskLabel makes the seals of ids differ from the seals of other texts with the same key.
	taskLabel = "svc mcp task\x00"
	// maxTaskID is the longest id, in bytes. Clients send it in a header too.
	maxTaskID = 1024
	// taskStart is how many bytes of an id say when its task began.
	taskStart = 8
)

// sealTask returns the id of a new task of the caller, for a record that is a JSON object.
func (x *exchange) sealTask(t *mcpTask, began time.Time, record []byte) string {
	payload := binary.BigEndian.AppendUint64(nil, uint64(began.UnixMilli()))
	payload = append(payload, taskName(t.start.method)...)
	payload = append(payload, pickMembers(record, t.start.task.reads)...)
	return x.h.sessions.key.seal(taskLabel+storeID(x, ""), payload)
}

// openTask returns the task of an id that sealTask made for the same caller, or nil.
func (x *exchange) openTask(id string) *taskCall {
	if len(id) > maxTaskID {
		return nil
	}
	payload, err := x.h.sessions.key.open(taskLabel+storeID(x, ""), id)
	if err != nil || len(payload) < taskStart {
		return nil
	}
	millis, rest := int64(binary.BigEndian.Uint64(payload)), payload[taskStart:]
	name, input := rest, []byte(nil)
	if i := bytes.IndexByte(rest, '{'); i >= 0 {
		name, input = rest[:i], rest[i:]
	}
	t := x.h.tasks[string(name)]
	if t == nil || input == nil {
		return nil
	}
	return &taskCall{mcpTask: t, id: id, began: time.UnixMilli(millis), input: input}
}

// pickMembers returns an object with the members of object that are in fields. It leaves out null,
// which an input may not allow.
func pickMembers(object []byte, fields []*field) []byte {
	m := openMembers(nil)
	for name, value := range eachMember(object) {
		isField := func(f *field) bool { return f.name == string(name) }
		if slices.ContainsFunc(fields, isField) && !isJSONNull(value) {
			m.addRaw(string(name), value)
		}
	}
	return m.close()
}

// addOutputOrTask adds the output of a tool to the result, for a client that knows tasks. If the
// work goes on, it makes the result a task instead.
func (x *exchange) addOutputOrTask(out any) error {
	t := x.h.tasks[taskName(x.method)]
	state, message, err := stateOf(out)
	if err != nil {
		return err
	}
	if state != taskWorking {
		return x.addOutput(out)
	}
	record, err := appendRecord(new(encoder), nil, out, t.start.encode)
	if err != nil {
		return err
	}
	task := &taskCall{mcpTask: t, began: x.h.now()}
	if task.id = x.sealTask(t, task.began, record); len(task.id) > maxTaskID {
		x.log(x, Errorf(CodeInternal, "the id of a task would have %d bytes, over %d, so the answer is the record; "+
			"make what %s needs shorter", len(task.id), maxTaskID, t.read.goName))
		return x.addOutput(out)
	}
	m := openMembers(beginRPCResult(x.ws.enc.buf[:0]))
	m.add("resultType", "task", "_meta", []byte("{"+x.h.texts.serverInfo+"}"))
	task.addMembers(&m, x.h.now(), taskWorking, message)
	x.ws.enc.buf = m.buf
	return nil
}

// addMembers adds the members that every task has. Clients should ask the less often the older the
// task is: from every second to every minute.
func (t *taskCall) addMembers(m *members, now time.Time, status, message string) {
	const layout = "2006-01-02T15:04:05.000Z"
	pause := min(max(now.Sub(t.began)/10, time.Second), time.Minute)
	m.add("taskId", t.id, "status", status, "statusMessage", clip(message, maxMessage),
		"createdAt", t.began.UTC().Format(layout), "lastUpdatedAt", now.UTC().Format(layout),
		"ttlMs", []byte("null"), "pollIntervalMs", strconv.AppendInt(nil, pause.Milliseconds(), 10))
}

// answerTask answers a request for a task. The checks are in the order of the specification's
// errors. Then it calls the method that reads the record or ends the work, as a separate call.
func (x *exchange) answerTask() error {
	m, value, id := x.message, memberAt(x.message.params, "taskId"), []byte(nil)
	if isText(value) {
		id = textOf(value)
	}
	method := string(m.method)
	switch {
	case !x.agreesOn("Mcp-Name", id):
		return protocolError(mcpHeaderMismatch, "the request must have one Mcp-Name header, equal to params.taskId")
	case !m.declaresTasks():
		return withoutTasks
	}
	if x.task = x.openTask(string(id)); x.task == nil {
		return noTask
	}
	m.tool, x.add = x.task.read, (*exchange).acknowledge
	switch {
	case method == "tasks/get":
		x.add = (*exchange).addTask
	case method == "tasks/update" && !isJSONObject(m.responses):
		return protocolError(rpcInvalidParams, "params.inputResponses must be an object")
	case method == "tasks/cancel" && x.task.cancel == nil:
		x.openResult()
		return x.acknowledge(nil)
	case method == "tasks/cancel":
		m.tool, x.task.input = x.task.cancel, pickMembers(x.task.input, x.task.start.task.ends)
	}
	m.meta.token, m.meta.logLevel = nil, nil // tasks have neither progress nor log messages (Tasks, Task Status Notifications)
	m.arguments, x.method, x.capabilities = x.task.input, m.tool.method, m.meta.capabilities
	x.readTaskAnswers()
	return methodError(x.makeCall(nil, (*exchange).answerTaskError), CodeInvalidArgument, CodeNotFound)
}

// noTask is the same for every invalid id, so that callers cannot find out the ids of others.
var noTask = protocolError(rpcInvalidParams,
	"params.taskId is the id of no task of this caller; send a taskId as tools/call has answered it")

// acknowledge ends the empty result of tasks/update and tasks/cancel.
func (x *exchange) acknowledge(any) error {
	x.ws.enc.buf = x.resultSoFar().buf
	return nil
}

// resultSoFar returns the modern result that openResult has begun, to add members.
func (x *exchange) resultSoFar() members { return members{bytes.TrimSuffix(x.ws.enc.buf, []byte(","))} }

// addTask adds a task to the result of tasks/get. out is its record.
func (x *exchange) addTask(out any) error {
	state, message, err := stateOf(out)
	if err != nil {
		return err
	}
	status := state
	if state == taskFailed && message != "" {
		status = taskCompleted
	}
	m := x.resultSoFar()
	x.task.addMembers(&m, x.h.now(), status, message)
	switch {
	case status == taskCompleted:
		m.addName("result")
		x.ws.enc.buf = append(append(m.buf, '{'), x.h.texts.modern...)
		x.addOutcome(out, state, message)
		x.addJSON("}")
		return nil
	case status == taskFailed:
		m.addRaw("error", object("code", strconv.AppendInt(nil, rpcInternalError, 10), "message", (&Error{Code: CodeInternal}).message()))
	}
	x.ws.enc.buf = m.buf
	return nil
}

// addOutcome adds the answer that tools/call would have given if the work had already ended: the
// record, or the message of a failure. A record that does not fit into an answer is a failure too.
func (x *exchange) addOutcome(out any, state, message string) {
	x.message.tool = x.task.start
	begin := len(x.ws.enc.buf)
	if state == taskFailed {
		x.addErrorText(x.cutErrorText([]byte(message), nil))
		return
	}
	if err := x.addOutput(out); err != nil {
		x.log(x, err)
		x.ws.enc.buf = append(x.ws.enc.buf[:begin-len(x.h.texts.modern)], x.h.texts.modern...) // without MCPResultMeta
		x.addErrorText(x.cutErrorText(appendErrorText(nil, ErrorFrom(err)), err))
	}
}

// answerTaskError makes the answer of a request for a task whose method ended with err, or returns
// the error to send:
//
//	The request   ended with                             Answer
//	------------  -------------------------------------  ------------------------
//	tasks/get     questions                              the task, input_required
//	tasks/update  an answer that breaks its form         error -32602
//	tasks/update  questions, or a no of the user         {}
//	tasks/cancel  FAILED_PRECONDITION or ABORTED         {}, the work has ended
//	any           INVALID_ARGUMENT or NOT_FOUND          error -32602
//	any           any other error                        error -32603
func (x *exchange) answerTaskError(err error) error {
	questions, method := appendQuestions(err, nil), string(x.message.method)
	switch {
	case method == "tasks/get" && len(questions) > 0:
		x.openResult()
		m := x.resultSoFar()
		x.task.addMembers(&m, x.h.now(), "input_required", "")
		m.addRaw("inputRequests", encodeQuestions(questions))
		x.ws.enc.buf = m.buf
		return nil
	case method == "tasks/update":
		errs := appendErrors(err, nil)
		if i := slices.IndexFunc(errs, func(e *Error) bool { return e.code() == CodeInvalidArgument }); i >= 0 {
			return errs[i]
		}
		if len(questions) == 0 && !slices.ContainsFunc(errs, func(e *Error) bool { return e != nil && e.reason == reasonNotConfirmed }) {
			return err
		}
	case method == "tasks/cancel":
		// A question of the method cannot be asked here, and does not mean that the work has ended.
		e := ErrorFrom(err)
		if e.code() != CodeFailedPrecondition && e.code() != CodeAborted || e.Is(errUnanswered) {
			return err
		}
	default:
		return err
	}
	x.openResult()
	return x.acknowledge(nil)
}

// appendErrors returns list with the errors of svc in err, wrapped and joined ones too.
func appendErrors(err error, list []*Error) []*Error {
	switch e := err.(type) {
	case *Error:
		return append(list, e)
	case interface{ Unwrap() error }:
		return appendErrors(e.Unwrap(), list)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			list = appendErrors(err, list)
		}
	}
	return list
}

// readTaskAnswers reads the answers in a request for a task. Only tasks/update has answers, and
// tasks/cancel cannot ask.
func (x *exchange) readTaskAnswers() {
	switch string(x.message.method) {
	case "tasks/cancel":
		x.capabilities = nil
	case "tasks/update":
		for key, text := range eachMember(x.message.responses) {
			if !isJSONNull(text) {
				x.keepAnswer(string(key), text)
			}
		}
	}
}
