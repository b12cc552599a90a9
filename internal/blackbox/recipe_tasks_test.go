package blackbox_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"example.com/svc"
)

// This file has the recipe of doc/tasks.md for a question while the work goes on; the program of
// that page is example_mcp_tasks_test.go.

type (
	PublishAPI interface {
		Create(context.Context) (*Export, error)
		Get(context.Context, *ExportID) (*Export, error)
	}
	Export struct {
		ID    string `json:"id"`
		State string `json:"state"`
		Title string `json:"title,omitempty"`
	}
	ExportID struct {
		ID string `json:"id"`
	}
	TitleForm struct {
		Title string `json:"title" minLength:"1"`
	}

	// publishing has one record, whose work waits for a title.
	publishing struct {
		mu    sync.Mutex
		title string
	}
)

func (e *Export) TaskState() (state, message string) { return e.State, "" }

func (s *publishing) Create(context.Context) (*Export, error) { return s.record("7"), nil }

func (s *publishing) record(id string) *Export {
	if s.title == "" {
		return &Export{ID: id, State: "working"}
	}
	return &Export{ID: id, State: "completed", Title: s.title}
}

func (s *publishing) Get(ctx context.Context, in *ExportID) (*Export, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.title == "" && svc.CanAsk(ctx, "elicitation") {
		form, err := svc.Ask[TitleForm](ctx, "title", "What is the title of the report?")
		if err != nil {
			return nil, err
		}
		s.title = form.Title // the worker waits for it
	}
	return s.record(in.ID), nil
}

// Verify the question of a task, from its begin to its end.
func TestRecipeTaskQuestion(t *testing.T) {
	h := svc.MustRegister[PublishAPI](new(publishing), &svc.Options{Resource: "reports", Methods: map[string]svc.MethodOptions{"Create": {Task: "Get"}}}).MCP(taskOptions())
	id := beginTask(t, h, `"name":"reports_create"`)
	const canAsk = `caps: "elicitation":{}`
	var asked struct {
		Result struct{ InputRequests map[string]any }
	}
	if err := json.Unmarshal(mcpPost(h, mcpTask("tasks/get", `"taskId":"`+id+`"`, canAsk)).Body.Bytes(), &asked); err != nil || len(asked.Result.InputRequests) != 1 {
		t.Fatalf("it asks %v, %v", asked, err)
	}
	for key := range asked.Result.InputRequests {
		if !strings.HasPrefix(key, "title-") {
			t.Errorf("the key is %s", key)
		}
		answer := `"taskId":"` + id + `","inputResponses":{"` + key + `":{"action":"accept","content":{"title":"A year"}}}`
		if w := mcpPost(h, mcpTask("tasks/update", answer, canAsk)); w.Code != 200 {
			t.Errorf("the answer is %d %s", w.Code, w.Body)
		}
	}
	checkMCPAnswer(t, h, mcpTask("tasks/get", `"taskId":"`+id+`"`), 200, `…"status":"completed"…"structuredContent":{"id":"7","state":"completed","title":"A year"}…`)
}
