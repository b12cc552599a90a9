package svc

// This file handles work that continues after its method has returned. The method returns a record
// of the work, and a second method of the interface reads the record again. This file checks that
// the record has everything that the second method needs. mcp_tasks.go shows such a record as an
// MCP task.

import (
	"fmt"
	"reflect"
	"slices"
)

// A taskRecord is the output of a method with MethodOptions.Task.
type taskRecord interface {
	TaskState() (state, message string)
}

// The states that TaskState can return. The work continues only in the first.
const (
	taskWorking   = "working"
	taskCompleted = "completed"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
)

// stateOf returns the result of TaskState of an output. It fails for an unknown state.
func stateOf(out any) (state, message string, err error) {
	state, message = out.(taskRecord).TaskState() // compileTask has checked the type
	switch state {
	case taskWorking, taskCompleted, taskFailed, taskCancelled:
		return state, message, nil
	}
	err = fmt.Errorf("TaskState of %T returned the state %q; there are working, completed, failed and cancelled", out, state)
	return "", "", &Error{Code: CodeInternal, cause: err}
}

// A taskPlan says which methods read and end the work that a method begins, and which members of
// its record their inputs get.
type taskPlan struct {
	reader, canceller *method // canceller may be nil
	reads, ends       []*field
}

// A taskCompiler compiles the tasks of the methods of one interface.
type taskCompiler struct {
	*mistakes
	methods []*method
	options map[string]MethodOptions
}

// compileTasks sets method.task of the methods that have a Task, and adds the mistakes in
// MethodOptions.Task and TaskCancel.
func (c taskCompiler) compileTasks() {
	for _, m := range c.methods {
		c.where = m.title()
		switch o := c.options[m.goName]; {
		case o.Task == "":
			c.addIf(o.TaskCancel != "", "MethodOptions.TaskCancel is %q, and there is no Task; "+
				"name the method that reads the record too", o.TaskCancel)
		case m.call != nil: // else the signature is a mistake, which comes first
			m.task = c.compileTask(m, o)
		}
	}
	c.where = ""
}

// compileTask returns the plan of m, or nil after a mistake.
func (c taskCompiler) compileTask(m *method, o MethodOptions) *taskPlan {
	c.addIf(!m.isTool(), "MethodOptions.Task makes tasks of a tool, and the method is not a tool; "+
		"add TransportMCP to its Transports, take NotTool or Prompt out of its MCP, or drop Task")
	isRecord := m.out != nil && m.stream == "" && !m.sendsFile() && m.outType.Implements(reflect.TypeFor[taskRecord]())
	c.addIf(!isRecord, "MethodOptions.Task: the method returns %s, and must return a record of its work: "+
		"a pointer to a type with the method TaskState() (state, message string)", m.outputName())
	t := &taskPlan{reader: c.lookupMethod(m, "Task", o.Task)}
	if t.reader == nil || !isRecord {
		return nil
	}
	c.addIf(t.reader.outType != m.outType, "MethodOptions.Task: %s returns %s, and the method %s; "+
		"both must return the record, which becomes the result of the tool",
		t.reader.goName, t.reader.outputName(), m.outputName())
	t.reads = c.shareFields("Task", t.reader, "the output", m.out.fields)
	if o.TaskCancel == "" {
		return t
	}
	if t.canceller = c.lookupMethod(m, "TaskCancel", o.TaskCancel); t.canceller != nil {
		t.ends = c.shareFields("TaskCancel", t.canceller, "the input of "+t.reader.goName+", as the output fills it,", t.reads)
	}
	return t
}

// outputName returns the type of the output for mistakes.
func (m *method) outputName() string {
	switch {
	case m.outType == nil:
		return "nothing"
	case m.stream != "" && !m.either:
		return "a Stream"
	}
	return m.outType.String()
}

// lookupMethod returns the method that an option of m names, or notes the mistake and returns nil.
func (c taskCompiler) lookupMethod(m *method, option, name string) *method {
	option = "MethodOptions." + option
	i := slices.IndexFunc(c.methods, func(other *method) bool { return other.goName == name })
	if i < 0 {
		c.addf("%s is %q, and %v has no method of that name%s", option, name, m.iface, suggestMethod(m.iface, name))
		return nil
	}
	switch other := c.methods[i]; {
	case other == m:
		c.addf("%s is %q, the method itself; name another one", option, name)
	case other.call == nil: // its signature is a mistake
	case other.stream != "":
		c.addf("%s: %s sends a Stream, and one answer is wanted; name another method", option, name)
	case !TransportMCP.row().carries(other):
		c.addf("%s: %s takes a Body, which MCP has not; name another method", option, name)
	case c.options[name].Task != "":
		c.addf("%s: %s has a Task of its own; name a method that begins no work", option, name)
	case c.options[name].IdempotencyKey == KeyRequired:
		c.addf("%s: %s requires an idempotency key, and nobody sends one with a task; "+
			"write KeyAllowed there, or name another method", option, name)
	default:
		return other
	}
	return nil
}

// shareFields returns the fields of the input of other that from has with the same name and JSON
// type, and adds a mistake for each required field that from lacks. source describes where from
// comes from.
func (c taskCompiler) shareFields(option string, other *method, source string, from []*field) (shared []*field) {
	if other.in == nil {
		return nil
	}
	for _, f := range other.in.fields {
		isSame := func(g *field) bool { return g.name == f.name && !g.isNameless() && g.jsonType() == f.jsonType() }
		switch {
		case f.isNameless(): // calls over MCP do not have it
		case slices.ContainsFunc(from, isSame):
			shared = append(shared, f)
		case f.isRequired():
			c.addf("MethodOptions.%s: %s needs the member %s (%s), and %s has none of that name and type; "+
				"add it there, or make it optional in the input of %s",
				option, other.goName, f.name, f.jsonType(), source, other.goName)
		}
	}
	return shared
}

// jsonType returns the type in JSON of a field that is not null.
func (f *field) jsonType() string { return f.shape.deref().jsonType(f) }

// describeTask returns documentation of a method with a task, and nothing for other methods. It
// uses method names that are the same on every transport.
func (m *method) describeTask() prose {
	if m.task == nil {
		return prose{}
	}
	name := func(m *method) string { return m.resource + "." + m.name }
	text := "The work may go on after the answer: " + name(m.task.reader) + " says how far it is"
	if m.task.canceller != nil {
		text += ", and " + name(m.task.canceller) + " ends it"
	}
	return plainProse(text + ".")
}
