package svc

// This file serves methods with more than one output over REST: as server-sent
// events, from the moment that the method has returned without an error.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// The names of the events that end a stream.
const (
	eventDone  = "done"
	eventError = "error"
)

// serveStream answers with a stream, or returns the error to answer with in its
// place.
func (h *restHandler) serveStream(w http.ResponseWriter, r *http.Request, sc *scratch) error {
	m := h.method
	ctx, cancel := context.WithCancelCause(&callContext{r.Context(), h.info(w, r)})
	defer cancel(nil)
	in, err := h.input(ctx, w, r, sc)
	if err != nil {
		return err
	}
	out, err := m.invoke(ctx, in)
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		setEventHeader(w.Header())
		w.WriteHeader(http.StatusOK)
		if err := m.drop(cancel, out); err != nil {
			m.log(ctx, r, err, m)
		}
		return nil
	}
	events, err := startEvents(w, m.eventTimes, cancel)
	if err != nil {
		return errors.Join(err, m.drop(cancel, out))
	}
	defer events.close()
	if err := m.sendItems(ctx, cancel, events, sc, out); err != nil {
		h.logEnd(ctx, r, err)
		events.send(&Event{Name: eventError}, appendEnvelope(nil, ErrorFrom(err))) // OnError writes whole responses
	}
	return nil
}

// logEnd logs the error that ended a stream. ctx says whether its client has
// gone, unless it was the error that has canceled ctx.
func (h *restHandler) logEnd(ctx context.Context, r *http.Request, err error) {
	if errors.Is(context.Cause(ctx), err) {
		ctx = r.Context()
	}
	h.method.log(ctx, r, err, h.method)
}

// sendItems sends each item of what the method returned, and that there are no
// more. A stream that ends because its ctx is canceled has not come to its end.
func (m *method) sendItems(ctx context.Context, cancel context.CancelCauseFunc, events *eventStream, sc *scratch, out any) error {
	err := m.iterate(cancel, out, func(item any) (err error) {
		if sc.buf, err = m.appendOutput(&sc.encoder, sc.buf[:0], item); err != nil {
			return err
		}
		e, err := eventOf(item)
		if err != nil {
			return err
		}
		return sendError(events.send(&e, sc.buf))
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ErrorFrom(ctx.Err()).WithCause(context.Cause(ctx))
	}
	// Without data clients would drop the event.
	return sendError(events.send(&Event{Name: eventDone}, []byte("{}")))
}

// sendError returns the error of a stream that ended because err kept an event
// from its client: it has gone, or no longer reads.
func sendError(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeCanceled, cause: fmt.Errorf("sending an event: %w", err)}
}

// eventOf returns what the event of an item has beside its data.
func eventOf(item any) (Event, error) {
	t, ok := item.(interface{ SSE() Event })
	if !ok {
		return Event{}, nil
	}
	e := t.SSE()
	if e.Name == eventDone || e.Name == eventError {
		return e, fmt.Errorf("an item has the event name %q, which ends a stream", e.Name)
	}
	return e, e.check()
}
