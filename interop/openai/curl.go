package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// runCurl makes calls as the examples of OpenAI's documentation do, and shows what comes over the wire.
func runCurl(url string) (rows []row, err error) {
	json := func(body string) []string { return []string{"-H", "Content-Type: application/json", "-d", body} }
	const hello = `"model":"gpt-small","messages":[{"role":"user","content":"hello"}]`
	for _, c := range []struct {
		name, path string
		args       []string
	}{
		{"the text of a chat", "/chat/completions", json(`{` + hello + `}`)},
		{"the text of a stream", "/chat/completions", json(`{` + hello + `,"stream":true}`)},
		{"the text of a stream with usage", "/chat/completions", json(`{` + hello + `,"stream":true,"stream_options":{"include_usage":true}}`)},
		{"the text of a stream that fails", "/chat/completions", json(`{` + strings.Replace(hello, "small", "broken", 1) + `,"stream":true}`)},
		{"the text of a stream of a response", "/responses", json(`{"model":"gpt-small","input":"hi","stream":true}`)},
		{"the text of embeddings", "/embeddings", json(`{"model":"gpt-small","input":"hello","encoding_format":"base64"}`)},
		{"upload, the file first", "/files", []string{"-F", "file=@-;filename=a.txt", "-F", "purpose=user_data"}},
		{"upload, the file last", "/files", []string{"-F", "purpose=user_data", "-F", "file=@-;filename=a.txt"}},
		{"transcription, the file first", "/audio/transcriptions", []string{"-F", "file=@-;filename=s.mp3", "-F", "model=whisper-1"}},
		{"the text of a list", "/files?limit=1", nil},
		{"the text of an error", "/models/llama", nil},
		{"the text of a violation", "/chat/completions", json(`{"model":"gpt-small"}`)},
		{"JSON that is cut", "/chat/completions", json(`{"model":`)},
		{"a verb that is not there", "/models", []string{"-X", "POST", "-d", ""}},
	} {
		args := append([]string{"-sS", "-N", "-m", "60", "-H", "Authorization: Bearer sk-all", url + "/v1" + c.path}, c.args...)
		cmd := exec.Command("curl", args...)
		cmd.Stdin = strings.NewReader("some sound")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("curl %s: %w", c.path, err)
		}
		calls, err := fetchCalls(url, 0)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{c.name, strings.TrimSpace(string(out)), calls})
	}
	return rows, nil
}
