package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// A situation is a column of the table. try returns what has happened, as it is in a cell, or
// an error if the client hangs, or the next call does not work.
type situation struct {
	name     string
	overHTTP bool // not over standard input and output
	try      func(*row) (cell string, err error)
}

// situations are the columns.
var situations = []situation{
	{"oversized call", false, (*row).oversize},
	{"lone surrogate", false, (*row).sendSurrogate},
	{"busy server", true, (*row).keepBusy},
	{"late answer", false, (*row).answerLate},
	{"deploy while its user is asked", true, (*row).deployWhileAsked},
	{"deploy between two calls", true, (*row).deployBetween},
	{"deploy during a call", true, (*row).deployDuring},
	{"deploy that cancels a call", true, (*row).cancel},
	{"process killed during a call", true, (*row).kill},
}

// A row is a client in all situations, over one transport.
type row struct {
	name    string
	dir     string
	command []string // of the client, to which the server comes
	http    bool

	server *process // over HTTP
	client *client  // nil before a situation that needs a new one
	keys   int      // how many keys servers have had before this one
	texts  int
}

// What a call that fails says, where the text is that of the server.
const (
	saidTooLarge  = "has more "
	saidSurrogate = "surrogate"
	saidBusy      = "the server is busy"
	saidLate      = "the answer came too late"
	saidCanceled  = "canceled"
)

// begin lets the row have a client, in a session.
func (r *row) begin() (err error) {
	if r.client != nil {
		return nil
	}
	command := append([]string(nil), r.command...)
	if r.http {
		command = append(command, "http://"+r.server.addr+"/mcp")
	} else {
		command = append(command, os.Args[0], "-serve", "stdio", "-dir", r.dir)
	}
	r.client, err = startClient(r.log(), command...)
	return err
}

// log is the file for what clients write to standard error.
func (r *row) log() string { return filepath.Join(r.dir, "log") }

// end ends the client.
func (r *row) end() error {
	c := r.client
	r.client = nil
	if c == nil {
		return nil
	}
	return c.stop()
}

// text returns a text that no other call has.
func (r *row) text() string {
	r.texts++
	return fmt.Sprintf("text-%d", r.texts)
}

// goesOn checks that the next call works.
func (r *row) goesOn() error {
	text := r.text()
	e, err := r.client.call("echo", text)
	if err != nil {
		return fmt.Errorf("the next call: %w", err)
	}
	if !e.OK || !strings.Contains(e.Text, text) || count(r.dir, "echo "+text) != 1 {
		return fmt.Errorf("the next call ran %d times, and ends with %q", count(r.dir, "echo "+text), e.Text)
	}
	return nil
}

// numbers are what differs from one run to the next.
var numbers = regexp.MustCompile(`127\.0\.0\.1:[0-9]+|0x[0-9a-f]+`)

// cellOf says how a call has ended. said is a part of the text of the server.
func cellOf(e event, said string) string {
	text, _, _ := strings.Cut(strings.TrimSpace(numbers.ReplaceAllString(e.Text, "…")), "\n")
	switch {
	case e.OK:
		return "done"
	case said != "" && strings.Contains(text, said):
		return "told"
	case len(text) > 50:
		text = text[:50] + "…"
	}
	return "fails: " + strings.ReplaceAll(text, "|", "/")
}

// join returns a cell with what has happened in several cases: once, if it is the same.
func join(cells ...string) string {
	for _, cell := range cells[1:] {
		if cell != cells[0] {
			return strings.Join(cells, "; ")
		}
	}
	return cells[0]
}

// refused makes a call that the server must refuse.
func (r *row) refused(text, said string) (cell string, err error) {
	e, err := r.client.call("echo", text)
	if err == nil && e.OK {
		err = errors.New("the call works")
	}
	if err == nil && count(r.dir, fmt.Sprintf("echo %.20s", text)) > 0 {
		err = errors.New("the server has run the call")
	}
	if err == nil {
		err = r.goesOn()
	}
	return cellOf(e, said), err
}

// oversize sends messages that are over the limit: one that is read before it is answered, and one
// that fills all buffers on its way.
func (r *row) oversize() (string, error) {
	some, err := r.refused(r.text()+strings.Repeat("x", 2*maxBody), saidTooLarge)
	if err != nil {
		return "", err
	}
	many, err := r.refused(r.text()+strings.Repeat("x", 8<<20), saidTooLarge)
	return join(some, many), err
}

// sentWait is how long the driver waits for a message of which the server has heard nothing.
const sentWait = 5 * time.Second

// sendSurrogate sends a lone surrogate. If the client cannot write it, the server puts it into the
// message that has a marker.
func (r *row) sendSurrogate() (cell string, err error) {
	id := r.client.send("echo", "a"+surrogate+"b")
	e, err := r.client.result(id, sentWait)
	forms := []string{"escape", "bytes", "replacement"}
	for _, form := range forms {
		if count(r.dir, "lone "+form) == 0 {
			continue
		}
		if err == errHangs {
			e, err = r.client.result(id, limit)
		}
		if err == nil {
			err = r.goesOn()
		}
		if cell = cellOf(e, saidSurrogate); form != "escape" {
			cell += ", sent as " + form
		}
		return cell, err
	}
	switch {
	case err == errHangs, err == errGone:
		cell = "sends nothing, and says nothing"
	default:
		cell = "refuses: " + strings.TrimPrefix(cellOf(e, ""), "fails: ")
	}
	if err != nil || r.goesOn() != nil {
		cell += ", session ends"
		r.end()
		if err := r.begin(); err != nil {
			return cell, err
		}
	}
	e, err = r.client.call("echo", "a"+lone+"b")
	if err == nil && count(r.dir, "lone marker") == 0 {
		err = errors.New("the server has not seen the marker")
	}
	if err == nil {
		err = r.goesOn()
	}
	return cell + "; by a hook: " + cellOf(e, saidSurrogate), err
}

// keepBusy calls while somebody else has the only place of the server: with a small message, and
// with one for which the place is needed before it is read.
func (r *row) keepBusy() (string, error) {
	held := r.text()
	done := make(chan error, 1)
	go func() {
		w, err := http.Post("http://"+r.server.addr+"/hold", "application/json", strings.NewReader(`{"text":"`+held+`"}`))
		if err == nil {
			w.Body.Close()
		}
		done <- err
	}()
	if err := awaitCount(r.dir, "hold "+held); err != nil {
		return "", err
	}
	defer r.release(held)
	var cells []string
	for _, text := range []string{r.text(), r.text() + strings.Repeat("x", maxBody*3/4)} {
		e, err := r.client.call("echo", text)
		if err != nil {
			return "", err
		}
		cells = append(cells, cellOf(e, saidBusy))
		if !e.OK && count(r.dir, fmt.Sprintf("echo %.20s", text)) > 0 {
			return "", errors.New("the server has run a call that it has refused")
		}
	}
	r.release(held)
	if err := <-done; err != nil {
		return "", err
	}
	return join(cells...), r.goesOn()
}

// hold begins a call that ends when it is released, and waits until it runs.
func (r *row) hold() (text string, id int, err error) {
	text = r.text()
	id = r.client.send("hold", text)
	return text, id, awaitCount(r.dir, "hold "+text)
}

// release lets a call of Hold end.
func (r *row) release(text string) {
	if err := os.WriteFile(filepath.Join(r.dir, "release-"+text), nil, 0o600); err != nil {
		fatal(err)
	}
}

// notAsked is for a client that has no handler for questions.
func (r *row) notAsked(e event) (string, error) {
	if !strings.Contains(e.Text, "this client cannot be asked") {
		return "", fmt.Errorf("nobody is asked, and the call ends with %q", e.Text)
	}
	return "none", r.goesOn()
}

// answerLate answers after the question has ended, and then another one in time.
func (r *row) answerLate() (string, error) {
	id := r.client.send("ask", "late-"+r.text())
	e, err := r.client.question(id)
	if err != nil {
		return "", err
	}
	if e.Asked == 0 {
		return r.notAsked(e)
	}
	// Earlier clients hear of the end before the answer, and others when they call again with it.
	asked := e.Asked
	e, err = r.client.result(id, 3*time.Second)
	r.client.answer(asked)
	if err == errHangs {
		e, err = r.client.result(id, limit)
	}
	if err == nil {
		err = r.goesOn()
	}
	if err == nil {
		err = r.answerInTime()
	}
	return cellOf(e, saidLate), err
}

// answerInTime asks again, and answers.
func (r *row) answerInTime() error {
	id := r.client.send("ask", r.text())
	e, err := r.client.question(id)
	if err == nil && e.Asked > 0 {
		r.client.answer(e.Asked)
		e, err = r.client.result(id, limit)
	}
	if err == nil && (!e.OK || !strings.Contains(e.Text, "Ada")) {
		err = fmt.Errorf("an answer in time ends with %q", e.Text)
	}
	return err
}

// deploy replaces the process of the server, which accepts no connections from then on. wait waits
// until the process before has ended.
func (r *row) deploy() (wait func() error, err error) {
	old := r.server
	if err := old.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return nil, err
	}
	if r.server, err = startProcess(old.addr, r.dir, r.keys); err != nil {
		return nil, err
	}
	return func() error {
		ended := make(chan error, 1)
		go func() { ended <- old.cmd.Wait() }()
		select {
		case err := <-ended:
			return err
		case <-time.After(limit):
			return errors.New("the process before does not end")
		}
	}, nil
}

// deployWhileAsked replaces the server with one that has another key, while its user is asked.
func (r *row) deployWhileAsked() (string, error) {
	id := r.client.send("ask", r.text())
	e, err := r.client.question(id)
	if err != nil {
		return "", err
	}
	if e.Asked == 0 {
		return r.notAsked(e)
	}
	asked := e.Asked
	r.keys++
	wait, err := r.deploy()
	if err == nil {
		err = wait()
	}
	if err != nil {
		return "", err
	}
	r.client.answer(asked)
	if e, err = r.client.result(id, limit); err == nil {
		err = r.goesOn()
	}
	if e := r.end(); err == nil { // a new session, since the new server does not know this one
		err = e
	}
	for _, said := range []string{"the server stops before there is an answer", "is not for this call, or is too old"} {
		if strings.Contains(e.Text, said) {
			return "told", err
		}
	}
	return cellOf(e, ""), err
}

// deployBetween replaces the server between two calls.
func (r *row) deployBetween() (string, error) {
	if err := r.goesOn(); err != nil {
		return "", err
	}
	wait, err := r.deploy()
	if err == nil {
		err = wait()
	}
	if err != nil {
		return "", err
	}
	e, err := r.client.call("echo", r.text())
	if err == nil {
		err = r.goesOn()
	}
	return cellOf(e, ""), err
}

// deployDuring replaces the server during a call, which ends there while the next one goes to the
// new process.
func (r *row) deployDuring() (string, error) {
	text, id, err := r.hold()
	if err != nil {
		return "", err
	}
	wait, err := r.deploy()
	if err != nil {
		return "", err
	}
	next := r.client.send("echo", r.text())
	if _, err := r.client.result(next, time.Second); err != nil && err != errHangs { // a client may have one call at a time
		return "", err
	}
	r.release(text)
	e, err := r.client.result(id, limit)
	if err != nil {
		return "", err
	}
	beside, err := r.client.result(next, limit)
	if err == nil {
		err = wait()
	}
	if err == nil {
		err = r.goesOn()
	}
	if err == nil && count(r.dir, "held "+text) != 1 {
		err = errors.New("the call has not run once")
	}
	return join(cellOf(e, ""), cellOf(beside, "")), err
}

// cancel replaces the server during a call, which the server cancels.
func (r *row) cancel() (string, error) {
	_, id, err := r.hold()
	if err != nil {
		return "", err
	}
	wait, err := r.deploy()
	if err != nil {
		return "", err
	}
	name := filepath.Join(r.dir, "cancel")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return "", err
	}
	defer os.Remove(name)
	e, err := r.client.result(id, limit)
	if err == nil {
		err = wait()
	}
	if err == nil {
		err = r.goesOn()
	}
	return cellOf(e, saidCanceled), err
}

// kill kills the server during a call.
func (r *row) kill() (string, error) {
	text, id, err := r.hold()
	if err != nil {
		return "", err
	}
	r.server.cmd.Process.Kill()
	r.server.cmd.Wait()
	if r.server, err = startProcess(r.server.addr, r.dir, r.keys); err != nil {
		return "", err
	}
	r.release(text) // if the client calls again
	e, err := r.client.result(id, limit)
	if err != nil {
		return "", err
	}
	cell := cellOf(e, "")
	if err = r.goesOn(); err != nil && !errors.Is(err, errHangs) {
		r.end()
		return cell + ", session ends", nil
	}
	return cell, err
}
