package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// limit is how long anything may take. What takes longer counts as hanging for ever.
const limit = 30 * time.Second

// A process serves the tools over HTTP.
type process struct {
	cmd  *exec.Cmd
	addr string
}

// startProcess starts a server at addr. key is the number of what seals its sessions and states.
func startProcess(addr, dir string, key int) (*process, error) {
	c := exec.Command(os.Args[0], "-serve", addr, "-dir", dir, "-key", fmt.Sprint(key))
	c.Stderr = os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	return &process{c, strings.TrimSpace(strings.TrimPrefix(line, "listens at "))}, err
}

// A client is a process that has a session of a client, and calls tools in it. It gets and sends
// lines of JSON:
//
//	to it    {"id": 1, "tool": "trouble_echo", "arguments": "{\"text\":\"a\"}"}
//	from it  {"ready": true}                       once it has a session
//	from it  {"id": 1, "ok": true, "text": "..."}  the result, or the text of an error
//	from it  {"asked": 1}                          its user was asked
//	to it    {"answered": 1}                       what its user says is "Ada"
//
// The arguments are a text, since a client may not be able to read them.
type client struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	events chan event
	ids    int
	early  map[int]event // results that have come
}

// An event is a line from a client.
type event struct {
	Ready bool
	ID    int
	OK    bool
	Text  string
	Asked int
}

// startClient starts a client. log is where its standard error goes.
func startClient(log string, command ...string) (*client, error) {
	c := &client{cmd: exec.Command(command[0], command[1:]...), events: make(chan event, 100), early: make(map[int]event)}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	c.cmd.Stderr = stderr
	in, err1 := c.cmd.StdinPipe()
	out, err2 := c.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, c.cmd.Start()); err != nil {
		return nil, err
	}
	c.in = in
	go func() {
		defer close(c.events)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var e event
			if err := json.Unmarshal(line, &e); err != nil {
				e.Text = fmt.Sprintf("the client says %.100q", line)
			}
			c.events <- e
		}
	}()
	_, err = c.await(2*limit, func(e event) bool { return e.Ready }) // imports may take long
	if err != nil {
		c.stop()
	}
	return c, err
}

// stop ends a client: by the end of its standard input, or else by force. An error says that it did
// not end by itself.
func (c *client) stop() error {
	c.in.Close()
	timer := time.AfterFunc(limit, func() { c.cmd.Process.Kill() })
	for range c.events {
	}
	c.cmd.Wait()
	if !timer.Stop() {
		return errors.New("the client does not end its session")
	}
	return nil
}

var (
	errHangs = fmt.Errorf("nothing has come for %v", limit)
	errGone  = errors.New("the client has ended")
)

// await returns the first event that is wanted.
func (c *client) await(patience time.Duration, wanted func(event) bool) (event, error) {
	for timeout := time.After(patience); ; {
		select {
		case e, ok := <-c.events:
			switch {
			case !ok:
				return e, errGone
			case wanted(e):
				return e, nil
			case e.ID > 0:
				c.early[e.ID] = e
			}
		case <-timeout:
			return event{}, errHangs
		}
	}
}

// surrogate stands for a lone surrogate in a text, which no string of Go has.
const surrogate = "SURROGATE"

// send begins a call, and returns its id.
func (c *client) send(tool, text string) int {
	c.ids++
	arguments := strings.ReplaceAll(`{"text":`+quote(text)+`}`, surrogate, `\ud800`)
	fmt.Fprintf(c.in, `{"id":%d,"tool":"trouble_%s","arguments":%s}`+"\n", c.ids, tool, quote(arguments))
	return c.ids
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		fatal(err)
	}
	return string(b)
}

// result waits for the end of a call.
func (c *client) result(id int, patience time.Duration) (event, error) {
	if e, ok := c.early[id]; ok {
		return e, nil
	}
	e, err := c.await(patience, func(e event) bool { return e.ID == id })
	c.early[e.ID] = e
	return e, err
}

// question waits until the user is asked, or the call has ended.
func (c *client) question(id int) (event, error) {
	return c.await(limit, func(e event) bool { return e.Asked > 0 || e.ID == id })
}

// answer lets the user answer a question.
func (c *client) answer(asked int) { fmt.Fprintf(c.in, `{"answered":%d}`+"\n", asked) }

// call calls a tool.
func (c *client) call(tool, text string) (event, error) { return c.result(c.send(tool, text), limit) }

// count returns how often a line is in the file of the calls.
func count(dir, line string) int {
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		fatal(err)
	}
	return strings.Count("\n"+string(text), "\n"+line+"\n")
}

// awaitCount waits until a line is in the file of the calls.
func awaitCount(dir, line string) error {
	for deadline := time.Now().Add(limit); count(dir, line) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("the server does not say %q", line)
		}
	}
	return nil
}
