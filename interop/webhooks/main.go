// Command webhooks exchanges webhooks with the packages of Standard Webhooks for JavaScript and
// Python: what one side signs, the other verifies, with old and new secrets, and with faults.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"time"

	"example.com/svc"
)

const (
	oldSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	newSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	body      = `{"type":"note.created","text":"größer, ‹quoted› and \"so on\""}`
)

func main() {
	log.SetFlags(0)
	failed := 0
	for _, command := range []string{"node webhooks.cjs", ".venv/bin/python webhooks.py"} {
		p, err := start(strings.Fields(command)...)
		if err != nil {
			log.Fatal(err)
		}
		n := tryVerify(p) + trySign(p)
		p.stdin.Close()
		if err := p.cmd.Wait(); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d faults\n", command, n)
		failed += n
	}
	if failed > 0 {
		log.Fatalf("FAILED: %d faults", failed)
	}
}

// A program has one of the packages.
type program struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

func start(command ...string) (p program, err error) {
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Stderr = os.Stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return p, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return p, err
	}
	p.stdout = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// ask sends a message, and returns the answer.
func (p program) ask(kind string, members map[string]any) string {
	text, err := json.Marshal(map[string]any{kind: members})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(p.stdin, "%s\n", text)
	answer, err := p.stdout.ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

// tryVerify signs with svc, and lets the package verify.
func tryVerify(p program) (faults int) {
	for _, row := range []struct {
		name    string
		secrets []string // of the sender
		secret  string   // of the receiver
		body    string   // that arrives
		want    bool
	}{
		{"one secret", []string{newSecret}, newSecret, body, true},
		{"the new of two secrets", []string{oldSecret, newSecret}, newSecret, body, true},
		{"the old of two secrets", []string{oldSecret, newSecret}, oldSecret, body, true},
		{"another secret", []string{newSecret}, oldSecret, body, false},
		{"another body", []string{newSecret}, newSecret, body + " ", false},
	} {
		r, err := http.NewRequest("POST", "http://localhost/", strings.NewReader(body))
		if err == nil {
			err = svc.SignWebhook(r, "evt_7", row.secrets...)
		}
		if err != nil {
			log.Fatal(err)
		}
		headers := make(map[string]string)
		for name := range r.Header {
			headers[strings.ToLower(name)] = r.Header.Get(name)
		}
		answer := p.ask("verify", map[string]any{"secret": row.secret, "headers": headers, "body": row.body})
		if (answer == "ok") != row.want {
			fmt.Printf("FAILED: svc signs, %s: %s\n", row.name, answer)
			faults++
		}
	}
	return faults
}

// trySign signs with the package, and lets svc verify.
func trySign(p program) (faults int) {
	h := svc.VerifyWebhook(newSecret, oldSecret)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, row := range []struct {
		name   string
		secret string
		age    time.Duration
		body   string
		want   int
	}{
		{"the new secret", newSecret, 0, body, 200},
		{"the old secret", oldSecret, 0, body, 200},
		{"another secret", "whsec_" + strings.Repeat("Q", 32), 0, body, 401},
		{"4 minutes ago", newSecret, 4 * time.Minute, body, 200},
		{"6 minutes ago", newSecret, 6 * time.Minute, body, 401},
		{"in 6 minutes", newSecret, -6 * time.Minute, body, 401},
		{"another body", newSecret, 0, body + " ", 401},
	} {
		at := time.Now().Add(-row.age).Unix()
		r := httptest.NewRequest("POST", "/", strings.NewReader(row.body))
		r.Header.Set("webhook-id", "evt_7")
		r.Header.Set("webhook-timestamp", fmt.Sprint(at))
		r.Header.Set("webhook-signature", p.ask("sign", map[string]any{"secret": row.secret, "id": "evt_7", "time": at, "body": body}))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != row.want {
			fmt.Printf("FAILED: the package signs, %s: %d, want %d\n", row.name, w.Code, row.want)
			faults++
		}
	}
	return faults
}
