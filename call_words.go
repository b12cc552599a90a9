package svc

// This file says violations in the words of an application: Options.Words.

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"unicode/utf8"
)

// maxWords is the largest size of a message of Options.Words, in bytes.
const maxWords = 1000

// inWords returns err as clients get it: with the messages of Options.Words in its violations. The
// log, Options.Observe and Options.Intercept have the English ones, so call it where the response is
// written. ctx is that of the call.
func (c *call) inWords(ctx context.Context, err error) error {
	if c.method == nil || c.method.words == nil || err == nil {
		return err
	}
	e := ErrorFrom(err)
	list := e.sentViolations()
	if len(list) == 0 {
		return err
	}
	c.sayViolations(ctx, list[:min(len(list), maxViolations)])
	worded := e.clone()
	worded.Message, worded.found = e.message(), nil
	if err != e { // errors.Is and errors.As find what err wraps
		worded.cause = err
	}
	worded.Details = maps.Clone(e.Details)
	if worded.Details == nil {
		worded.Details = make(map[string]any)
	}
	worded.Details["violations"] = list
	return worded
}

// sentViolations returns a copy of the violations that clients get.
func (e *Error) sentViolations() []Violation {
	if _, unsent := e.cause.(*unsentViolations); unsent {
		return nil
	}
	return e.Violations()
}

// sayViolations replaces the messages of list by those of Options.Words. After a panic, which is
// logged, the other messages stay as they are.
func (c *call) sayViolations(ctx context.Context, list []Violation) {
	defer func() {
		if v := recover(); v != nil {
			err := fmt.Errorf("Options.Words: %w", &PanicError{Value: v, Stack: debug.Stack()})
			logError(ctx, c.method.logger, err, logPlace{transport: string(c.transport()), resource: c.method.resource, method: c.method.name})
		}
	}()
	for i, v := range slices.Clone(list) {
		if text := c.method.words(ctx, v); text != "" && utf8.ValidString(text) {
			list[i].Message = clip(text, maxWords)
		}
	}
}
