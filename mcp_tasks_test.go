package svc

import (
	"context"
	"io"
	"log/slog"
	"testing"
)

type (
	taskTestAPI interface {
		Begin(context.Context) (*taskTestRecord, error)
		Get(context.Context, *taskTestID) (*taskTestRecord, error)
	}
	taskTestImpl struct{ taskTestAPI }
	taskTestID   struct {
		ID string `json:"id"`
	}
	taskTestRecord struct {
		ID string `json:"id"`
	}
)

func (taskTestRecord) TaskState() (state, message string) { return "working", "" }

// FuzzTaskID opens ids, and sealed payloads of programs that made them in another way.
func FuzzTaskID(f *testing.F) {
	s := MustRegister[taskTestAPI](taskTestImpl{}, &Options{
		Resource: "work", Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Methods: map[string]MethodOptions{"Begin": {Task: "Get"}},
	})
	h := s.newMCPHandler(&MCPOptions{StateKey: NewCursorKey([]byte("0123456789abcdef0123456789abcdef"))})
	x := newExchange(context.Background(), mcpRequest{h: h, agreed: &h.unagreed}, nil, s.borrowWorkspace(true))
	label := taskLabel + storeID(x, "")
	for _, payload := range []string{"", "1234567", "12345678", "12345678work.begin", `12345678work.begin{"id":"5"}`, `12345678other{}`,
		`{}`} {
		f.Add([]byte(payload))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		id := h.sessions.key.seal(label, payload)
		task := x.openTask(id)
		if task != nil && (task.id != id || task.start.name != "work_begin" || len(task.input) == 0 || task.input[0] != '{') {
			t.Errorf("%q opens as %+v", payload, task)
		}
		if x.openTask(string(payload)) != nil || x.openTask(h.sessions.key.seal(stateLabel, payload)) != nil {
			t.Errorf("%q is an id without the seal of one", payload)
		}
	})
}
