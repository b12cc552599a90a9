package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

// created is the time of everything.
const created = 1_700_000_000

// An openAI keeps everything in memory, and a record of its calls.
type openAI struct {
	mu        sync.Mutex
	responses map[string]Response
	files     []*storedFile
	used      map[string]int // requests of each caller with a limit
	calls     []string       // what has arrived since the last take
	changed   chan struct{}  // is closed when calls grows
}

func newOpenAI() *openAI {
	return &openAI{responses: make(map[string]Response), used: make(map[string]int), changed: make(chan struct{})}
}

// keys are the callers.
var keys = map[string]*svc.Principal{
	"sk-all":     {Subject: "all", Scopes: []string{"api.files.write"}},
	"sk-reader":  {Subject: "reader"},
	"sk-limited": {Subject: "limited"},
	"sk-poor":    {Subject: "poor"},
}

// handler serves s below /v1.
func (s *openAI) handler() http.Handler {
	service := s.service()
	guard := svc.Bearer(verify, &svc.BearerOptions{OnError: form.Write})
	mux := http.NewServeMux()
	mux.Handle("/client.ts", service.TypeScript())
	mux.Handle("/", withRequestID(guard(service.REST())))
	return mux
}

func (s *openAI) service() *svc.Service {
	o := options()
	o.Intercept, o.Observe = s.limit, s.observe
	return svc.MustRegister[OpenAI](s, o).At("/v1")
}

func verify(_ context.Context, key string) (*svc.Principal, error) {
	if p := keys[key]; p != nil {
		return p, nil
	}
	return nil, svc.Errorf(svc.CodeUnauthenticated, "Incorrect API key provided.")
}

// withRequestID gives each answer an ID, as doc/recipes.md has it.
func withRequestID(next http.Handler) http.Handler {
	var mu sync.Mutex
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		w.Header().Set("X-Request-Id", fmt.Sprintf("req_%d", n))
		mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

type limitsKey struct{}

// limit counts the calls of a caller. One with a limit may make two, and begins again after a
// refusal.
func (s *openAI) limit(next svc.InvokeFunc) svc.InvokeFunc {
	return func(ctx context.Context, resource, method string, input any) (any, error) {
		limits, err := s.take(ctx)
		if err != nil {
			return nil, err
		}
		return next(context.WithValue(ctx, limitsKey{}, limits), resource, method, input)
	}
}

func (s *openAI) take(ctx context.Context) (Limits, error) {
	caller, _ := svc.PrincipalFrom(ctx)
	most, left := 100, 99
	switch caller.Subject {
	case "poor":
		return Limits{}, errQuota
	case "limited":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.used[caller.Subject]++
		most, left = 2, 2-s.used[caller.Subject]
		if left < 0 {
			s.used[caller.Subject] = 0
			return Limits{}, errLimit
		}
	}
	return Limits{most, &left, "1s"}, nil
}

// limitsOf returns what limit has found out.
func limitsOf(ctx context.Context) Limits {
	l, _ := ctx.Value(limitsKey{}).(Limits)
	return l
}

// setHeaders sets the headers of a stream.
func (l Limits) setHeaders(ctx context.Context) {
	info, _ := svc.InfoFrom(ctx)
	info.Header.Set("X-Ratelimit-Limit-Requests", fmt.Sprint(l.Limit))
	info.Header.Set("X-Ratelimit-Remaining-Requests", fmt.Sprint(*l.Remaining))
	info.Header.Set("X-Ratelimit-Reset-Requests", l.Reset)
}

func checkModel(id string) error {
	if !strings.HasPrefix(id, "gpt-") || id == "gpt-none" {
		return svc.Errorf(svc.CodeNotFound, "The model '%s' does not exist or you do not have access to it.", id).WithReason(errNoModel.Reason())
	}
	return nil
}

func (s *openAI) ListModels(context.Context) (*ModelList, error) {
	s.noteText("ListModels")
	return &ModelList{"list", []Model{{"gpt-small", "model", created, "svc"}, {"gpt-large", "model", created, "svc"}}}, nil
}

func (s *openAI) GetModel(_ context.Context, in *ModelID) (*Model, error) {
	s.noteText("GetModel " + in.ID)
	if err := checkModel(in.ID); err != nil {
		return nil, err
	}
	return &Model{in.ID, "model", created, "svc"}, nil
}

// observe notes each call that was refused.
func (s *openAI) observe(_ context.Context, o svc.Observation) {
	if o.Err != nil && svc.CodeOf(o.Err) != svc.CodeCanceled {
		s.noteText(fmt.Sprintf("%s failed: %d", o.Method, o.Status))
	}
}

// note notes a call with its input, written by a codec, and what else there is to say.
func note[T any](s *openAI, method string, codec *svc.Codec[T], in *T, more ...string) {
	text, err := codec.Encode(in)
	if err != nil {
		panic(err)
	}
	s.noteText(strings.Join(append([]string{method, string(text)}, more...), " "))
}

func (s *openAI) noteText(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, text)
	close(s.changed)
	s.changed = make(chan struct{})
}

// takeCalls returns what has arrived since the last time, once it is at least n calls. What a
// client has not waited for may still be on its way.
func (s *openAI) takeCalls(n int) []string {
	limit := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		calls, changed := s.calls, s.changed
		if len(calls) >= n {
			s.calls = nil
			s.mu.Unlock()
			return calls
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-limit:
			return append(calls, fmt.Sprintf("fewer than %d calls within 30 s", n))
		}
	}
}
