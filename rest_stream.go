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
// place. What the method returned is run to its end in any case, also if nobody
// listens: what the method holds for it is released only there.
func (h *restHandler) serveStream(w http.ResponseWriter, r *http.Request, sc *scratch) error {
	m := h.method
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	in, err := h.input(ctx, w, r, sc)
	if err != nil {
		return err
	}
	out, err := m.invoke(&callContext{ctx, h.info(w, r)}, in)
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		setEventHeader(w.Header())
		w.WriteHeader(http.StatusOK)
		cancel(errNobodyListens)
		h.drop(ctx, r, out)
		return nil
	}
	events, err := startEvents(w, m.eventTimes, cancel)
	if err != nil {
		cancel(err)
		h.drop(ctx, r, out)
		return err
	}
	defer events.close()
	if err := m.sendItems(ctx, events, sc, out); err != nil {
		m.log(ctx, r, err, m)
		events.send(&Event{Name: eventError}, appendEnvelope(nil, ErrorFrom(err))) // OnError writes whole responses
	}
	return nil
}

var errNobodyListens = errors.New("nobody listens to the stream")

// drop runs what a method returned without sending any of it. ctx is canceled,
// so the end comes soon, and what it says of that is not worth hearing.
func (h *restHandler) drop(ctx context.Context, r *http.Request, out any) {
	err := h.method.iterate(out, func(any) error { return errNobodyListens })
	if panicIn(err) != nil {
		h.method.log(ctx, r, err, h.method)
	}
}

// sendItems sends each item of what the method returned, and that there are no
// more. A stream that ends because its ctx is canceled has not come to its end.
func (m *method) sendItems(ctx context.Context, events *eventStream, sc *scratch, out any) error {
	err := m.iterate(out, func(item any) (err error) {
		if sc.buf, err = m.appendRecord(&sc.encoder, sc.buf[:0], item); err != nil {
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
