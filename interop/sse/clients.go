package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// An event is what a client says it has got.
type event struct {
	Name string `json:"name"`
	ID   string `json:"id"`
	Data string `json:"data"`
}

// A getter opens a path of the server, after an event if there is one, and
// returns what the client gets until the connection ends.
type getter func(path, lastID string) (string, error)

// viaGo reads with net/http.
func viaGo(client *http.Client, base string) getter {
	return func(path, lastID string) (string, error) {
		r, err := http.NewRequest("GET", base+path, nil)
		if err != nil {
			return "", err
		}
		if lastID != "" {
			r.Header.Set("Last-Event-ID", lastID)
		}
		w, err := client.Do(r)
		if err != nil {
			return "", err
		}
		defer w.Body.Close()
		body, _ := io.ReadAll(w.Body) // the error is that of the cut connection
		return string(body), nil
	}
}

// viaCurl reads with curl -N.
func viaCurl(base string) getter {
	return func(path, lastID string) (string, error) {
		args := []string{"-sSN", "-k", "--max-time", "20", base + path}
		if lastID != "" {
			args = append(args, "-H", "Last-Event-ID: "+lastID)
		}
		out, err := exec.Command("curl", args...).Output()
		if exit, ok := err.(*exec.ExitError); ok && (exit.ExitCode() == 18 || exit.ExitCode() == 92) {
			err = nil // the connection was cut, as curl says of HTTP/1.1 and HTTP/2
		}
		return string(out), err
	}
}

// read gets all events of a path, coming back after each cut until an event
// ends the stream.
func read(get getter, path string) ([]event, error) {
	var list []event
	last := ""
	for range 10 {
		text, err := get(path, last)
		if err != nil {
			return list, err
		}
		more, id := parse(text, last)
		list, last = append(list, more...), id
		if n := len(list); n > 0 && (list[n-1].Name == "done" || list[n-1].Name == "error") {
			return list, nil
		}
	}
	return list, fmt.Errorf("%s does not end", path)
}

// parse reads events line by line, as far as svc writes them.
func parse(text, lastID string) ([]event, string) {
	var list []event
	e := event{Name: "message"}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case lines.Text() == "" && e.Data != "":
			e.ID = lastID
			list = append(list, e)
			e = event{Name: "message"}
		case field == "data":
			e.Data += value
		case field == "event":
			e.Name = value
		case field == "id":
			lastID = value
		}
	}
	return list, lastID
}

// page reads both streams with EventSource and posts what it has got.
const page = `<!doctype html><meta charset=utf-8><title>events</title><script>
const got = {ticks: [], fail: []};
let open = 2;
function end() {
	if (--open == 0) fetch("/result", {method: "POST", body: JSON.stringify(got)});
}
function follow(path, list) {
	const source = new EventSource(path);
	for (const name of ["message", "third", "done", "error"]) {
		source.addEventListener(name, (e) => {
			if (e.data === undefined) return; // the browser's own error event: it comes back
			list.push({name, id: e.lastEventId, data: e.data});
			if (name == "done" || name == "error") {
				source.close();
				end();
			}
		});
	}
}
follow("/ticks", got.ticks);
follow("/fail", got.fail);
</script>`

// browse opens a page in a browser until ctx ends.
func browse(ctx context.Context, url string) error {
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-dev-shm-usage", "--ignore-certificate-errors", "--remote-debugging-port=0", "--user-data-dir="+profile, url)
	// A browser is many processes.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("chromium ended: %v\n%s", err, out)
}
