package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	"example.com/svc"
)

// A goClient has the methods of OpenAI by Connect.
type goClient struct {
	Complete       func(context.Context, *CreateChat) (*svc.ValueOrStream[Chat, ChatChunk], error)
	Respond        func(context.Context, *CreateResponse) (*svc.ValueOrStream[Response, ResponseEvent], error)
	GetResponse    func(context.Context, *ResponseID) (*Response, error)
	DeleteResponse func(context.Context, *ResponseID) (*Deleted, error)
	Embed          func(context.Context, *CreateEmbeddings) (*Embeddings, error)
	UploadFile     func(context.Context, *UploadFile) (*FileObject, error)
	ListFiles      func(context.Context, *ListFiles) (*FileList, error)
	GetFile        func(context.Context, *FileID) (*FileObject, error)
	GetFileContent func(context.Context, *FileID) (*svc.File, error)
	DeleteFile     func(context.Context, *FileID) (*Deleted, error)
	Transcribe     func(context.Context, *Transcribe) (*svc.ValueOrStream[Transcription, TranscriptEvent], error)
	Speak          func(context.Context, *CreateSpeech) (*Speech, error)
	ListModels     func(context.Context) (*ModelList, error)
	GetModel       func(context.Context, *ModelID) (*Model, error)
}

// A key is sent with each request.
type key string

func (k key) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// connectAs returns a client with an API key that sends each call at most so many times.
func connectAs(url, apiKey string, attempts int) (*goClient, error) {
	c := new(goClient)
	return c, svc.Connect[OpenAI](c, url+"/v1", &svc.ClientOptions{Service: options(), Attempts: attempts,
		HTTPClient: &http.Client{Transport: key(apiKey)}})
}

// A goRun makes the calls of Connect.
type goRun struct {
	*goClient
	url    string
	reader *goClient
	wrong  *goClient
	once   *goClient // has a limit, and sends no call again
	again  *goClient // has a limit
	poor   *goClient
	rows   []row
	err    error
}

func runConnect(url string) ([]row, error) {
	g := &goRun{url: url}
	for _, c := range []struct {
		to       **goClient
		key      string
		attempts int
	}{
		{&g.goClient, "sk-all", 0}, {&g.reader, "sk-reader", 0}, {&g.wrong, "sk-wrong", 0},
		{&g.once, "sk-limited", 1}, {&g.again, "sk-limited", 0}, {&g.poor, "sk-poor", 0},
	} {
		var err error
		if *c.to, err = connectAs(url, c.key, c.attempts); err != nil {
			return nil, err
		}
	}
	for _, part := range []func(){g.models, g.chats, g.chatStreams, g.responses, g.embeddings, g.files, g.audio, g.failures} {
		part()
	}
	return g.rows, g.err
}

var ctx = context.Background()

// row notes what a call got, and what has arrived, at least min calls.
func (g *goRun) row(name string, min int, call func() (any, error)) {
	got, err := call()
	text, isText := got.(string)
	var e *svc.Error
	switch {
	case errors.As(err, &e):
		text = fmt.Sprintf("%d %s %s %v: %s", e.HTTPStatus(), e.Code, orDash(e.Reason()), orDash(fmt.Sprint(e.Details["param"])), e.Message)
	case err != nil:
		text = err.Error()
	case !isText:
		quoted, _ := json.Marshal(got)
		text = string(quoted)
	}
	calls, err := fetchCalls(g.url, min)
	g.err = errors.Join(g.err, err)
	g.rows = append(g.rows, row{name, text, calls})
}

func orDash(text string) string {
	if text == "" || text == "<nil>" {
		return "-"
	}
	return text
}

func p[T any](v T) *T { return &v }

func user(text string) Message { return Message{User: &PlainMessage{Content: words(text)}} }

func words(text string) Content { return Content{Text: &text} }

func weather() []Tool {
	parameters := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)
	return []Tool{{Function: &ToolKind{Function{Name: "weather", Parameters: parameters}}}}
}

func (g *goRun) models() {
	g.row("list models", 0, func() (any, error) {
		list, err := g.ListModels(ctx)
		if err != nil {
			return nil, err
		}
		return list.Data[0].ID + " " + list.Data[1].ID, nil
	})
	for _, m := range []struct{ name, id string }{
		{"get a model", "gpt-small"}, {"get a model with a slash", "gpt-team/own"}, {"a model that is not there", "llama"},
	} {
		g.row(m.name, 0, func() (any, error) {
			model, err := g.GetModel(ctx, &ModelID{m.id})
			if err != nil {
				return nil, err
			}
			return model.ID, nil
		})
	}
}

// chat makes a call of Complete and returns its value as show shows it.
func (g *goRun) chat(name string, in CreateChat, show func(*Chat) any) {
	g.row(name, 0, func() (any, error) {
		out, err := g.Complete(ctx, in.orHello())
		if err != nil {
			return nil, err
		}
		return show(out.Value), nil
	})
}

func (in CreateChat) orHello() *CreateChat {
	if in.Model == "" {
		in.Model = "gpt-small"
	}
	if in.Messages == nil {
		in.Messages = []Message{user("hello")}
	}
	return &in
}

func says(c *Chat) any {
	return fmt.Sprintf("%s (%s, %d tokens)", *c.Choices[0].Message.Content, c.Choices[0].FinishReason, c.Usage.Total)
}

func (g *goRun) chats() {
	g.chat("chat", CreateChat{}, says)
	g.chat("chat with roles", CreateChat{Messages: []Message{
		{Developer: &PlainMessage{Content: words("be brief")}}, {User: &PlainMessage{words("hi"), "ann"}},
		{Assistant: &AssistantMessage{Content: p(words("yes?"))}}, user("hello")}}, says)
	g.chat("chat with parts", CreateChat{Messages: []Message{{User: &PlainMessage{Content: Content{Parts: []Part{
		{Text: &TextPart{"what is this"}}, {Image: &ImagePart{ImageURL{"https://a.example/b.png", "low"}}},
		{Audio: &AudioPart{InputAudio{[]byte("RIFF"), "wav"}}}}}}}}}, says)
	g.chat("chat with options", CreateChat{N: p(2), Stop: &Stop{Texts: []string{"\n", "."}}, Temperature: p(0.5),
		Seed: p(int64(7)), MaxTokens: p(10),
		LogitBias: map[string]int{"50256": -100}, Metadata: map[string]string{"a": "b"}, User: "u"}, func(c *Chat) any { return len(c.Choices) })
	g.chat("chat with a stop that is a text, and nulls", CreateChat{Stop: &Stop{Text: p("x")}}, says)
	g.chat("chat with tools", CreateChat{Tools: weather()}, func(c *Chat) any {
		f := c.Choices[0].Message.ToolCalls[0].Function
		return fmt.Sprintf("%s %s (%s)", f.Name, f.Arguments, c.Choices[0].FinishReason)
	})
	named := &NamedTool{Type: "function"}
	named.Function.Name = "other"
	g.chat("chat with a tool by name", CreateChat{Tools: weather(), ToolChoice: &ToolChoice{Named: named}}, func(c *Chat) any {
		return c.Choices[0].Message.ToolCalls[0].Function.Name
	})
	g.chat("chat without its tools", CreateChat{Tools: weather(), ToolChoice: &ToolChoice{Mode: p("none")}}, says)
	g.chat("chat with the output of a tool", CreateChat{Messages: []Message{user("hello"),
		{Assistant: &AssistantMessage{ToolCalls: []ToolCall{{"call_1", "function", FunctionCall{"weather", `{"city":"Paris"}`}}}}},
		{Tool: &ToolMessage{words("rain"), "call_1"}}}}, says)
	g.chat("chat with JSON", CreateChat{ResponseFormat: &ResponseFormat{Object: &struct{}{}}}, says)
}

// chunks makes a call of Complete for a stream, and returns the chunks.
func (g *goRun) chunks(in CreateChat) (all []*ChatChunk, err error) {
	in.Stream = p(true)
	out, err := g.Complete(ctx, in.orHello())
	if err != nil {
		return nil, err
	}
	for chunk, err := range out.Stream {
		if err != nil {
			return all, err
		}
		if all = append(all, chunk); in.Model == "gpt-endless" && len(all) == 2 {
			break
		}
	}
	return all, nil
}

// joined returns the words of chunks.
func joined(chunks []*ChatChunk) string {
	var texts []string
	for _, c := range chunks {
		if len(c.Choices) > 0 && c.Choices[0].Delta.Content != nil {
			texts = append(texts, *c.Choices[0].Delta.Content)
		} else if len(c.Choices) > 0 {
			texts = append(texts, "")
		}
	}
	return strings.Join(texts, "|")
}

func (g *goRun) chatStreams() {
	g.row("chat in a stream", 0, func() (any, error) {
		chunks, err := g.chunks(CreateChat{})
		return joined(chunks), err
	})
	g.row("chat in a stream, with usage", 0, func() (any, error) {
		chunks, err := g.chunks(CreateChat{StreamOptions: &ChatStreamOptions{p(true)}})
		return chunks[len(chunks)-1].Usage.Total, err
	})
	g.row("tools in a stream", 0, func() (any, error) {
		chunks, err := g.chunks(CreateChat{Tools: weather()})
		return chunks[0].Choices[0].Delta.ToolCalls[0].Function.Name, err
	})
	g.row("a stream that the client leaves", 2, func() (any, error) {
		chunks, err := g.chunks(CreateChat{Model: "gpt-endless"})
		return joined(chunks), err
	})
	g.row("a stream that fails", 2, func() (any, error) {
		chunks, err := g.chunks(CreateChat{Model: "gpt-broken"})
		return fmt.Sprintf("%s, then %v", joined(chunks), err), nil
	})
	g.row("a stream that does not begin", 0, func() (any, error) {
		chunks, err := g.chunks(CreateChat{Model: "llama"})
		return joined(chunks), err
	})
}

// response makes a call of Respond and returns its first item as a text.
func (g *goRun) response(name string, in CreateResponse) {
	g.row(name, 0, func() (any, error) {
		in.Model = "gpt-small"
		out, err := g.Respond(ctx, &in)
		if err != nil {
			return nil, err
		}
		item := out.Value.Output[0]
		if item.Call != nil {
			return item.Type + " " + item.Call.Name + " " + item.Call.Arguments, nil
		}
		return item.Message.Content[0].Text.Text, nil
	})
}

func (g *goRun) responses() {
	hello := ResponseInput{Text: p("hello")}
	g.response("response", CreateResponse{Input: hello})
	g.response("response to items", CreateResponse{Instructions: p("be brief"), Input: ResponseInput{Items: []InputItem{
		{Role: "user", Content: &InputContent{Text: p("hi")}},
		{Type: "message", Role: "user", Content: &InputContent{Parts: []InputPart{
			{Text: &TextPart{"see"}}, {Image: &InputImage{URL: p("https://a.example/b.png"), Detail: "low"}}}}}}}})
	g.response("response with a function", CreateResponse{Input: hello, Tools: []ResponseTool{
		{Function: &Function{Name: "weather", Parameters: json.RawMessage(`{"type":"object"}`), Strict: p(true)}}}})
	g.response("response to the output of a function", CreateResponse{PreviousID: p("resp_1"), Input: ResponseInput{Items: []InputItem{
		{Type: "function_call_output", CallID: "call_1", Output: &InputContent{Text: p("rain")}}}}})
	g.row("response in a stream", 0, func() (any, error) {
		out, err := g.Respond(ctx, &CreateResponse{Model: "gpt-small", Input: hello, Stream: p(true)})
		if err != nil {
			return nil, err
		}
		var types []string
		for e, err := range out.Stream {
			if err != nil {
				return nil, err
			}
			types = append(types, strings.TrimPrefix(e.Type, "response."))
		}
		return strings.Join(types, " "), nil
	})
	made, err := g.Respond(ctx, &CreateResponse{Model: "gpt-small", Input: hello})
	if err != nil {
		g.err = errors.Join(g.err, err)
		return
	}
	id := made.Value.ID
	g.row("get a response", 2, func() (any, error) {
		r, err := g.GetResponse(ctx, &ResponseID{id, []string{"message.output_text.logprobs"}})
		if err != nil {
			return nil, err
		}
		return r.Output[0].Message.Content[0].Text.Text, nil
	})
	g.row("delete a response", 0, func() (any, error) { return g.DeleteResponse(ctx, &ResponseID{ID: id}) })
	g.row("get it again", 0, func() (any, error) { return g.GetResponse(ctx, &ResponseID{ID: id}) })
}

// numbers returns the numbers of v.
func (v Vector) numbers() []float32 {
	out := v.Floats
	for b := v.Bytes; len(b) > 0; b = b[4:] {
		out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return out
}

// embed makes a call of Embed and returns the numbers of the first vector.
func (g *goRun) embed(name string, input EmbeddingInput, format string, size int, show func(*Embeddings) any) {
	g.row(name, 0, func() (any, error) {
		out, err := g.Embed(ctx, &CreateEmbeddings{Model: "gpt-small", Input: input, Format: format, Dimensions: size})
		if err != nil {
			return nil, err
		}
		return show(out), nil
	})
}

func (g *goRun) embeddings() {
	first := func(e *Embeddings) any { return e.Data[0].Embedding.numbers() }
	g.embed("embedding", EmbeddingInput{Text: p("hello")}, "base64", 3, first)
	texts := EmbeddingInput{Items: []InputToken{{Text: p("a")}, {Text: p("bcd")}}}
	g.embed("embeddings as numbers", texts, "float", 2, func(e *Embeddings) any {
		return [][]float32{e.Data[0].Embedding.numbers(), e.Data[1].Embedding.numbers()}
	})
	g.embed("embedding of tokens", EmbeddingInput{Items: []InputToken{{Token: p(1)}, {Token: p(2)}, {Token: p(3)}}}, "base64", 3, first)
	lists := EmbeddingInput{Items: []InputToken{{Tokens: []int{1, 2}}, {Tokens: []int{3}}}}
	g.embed("embeddings of lists of tokens", lists, "base64", 3, func(e *Embeddings) any { return len(e.Data) })
}

// named returns a file for an upload.
func named(name, contentType, content string) svc.Body {
	b := svc.NewBody(strings.NewReader(content), contentType)
	b.FileName = name
	return b
}

func about(f *FileObject) string {
	return fmt.Sprintf("%s: %s, %d bytes, %s, %s", f.ID, f.FileName, f.Bytes, f.Purpose, f.Status)
}

// file makes a call that returns a file, and describes it.
func (g *goRun) file(name string, call func() (*FileObject, error)) {
	g.row(name, 0, func() (any, error) {
		f, err := call()
		if err != nil {
			return nil, err
		}
		return about(f), nil
	})
}

func (g *goRun) files() {
	upload := func(name, purpose string, file svc.Body) {
		g.file(name, func() (*FileObject, error) {
			return g.UploadFile(ctx, &UploadFile{FileOptions{Purpose: purpose}, file})
		})
	}
	upload("upload bytes, the file last", "user_data", named("a.txt", "text/plain", "one"))
	g.row("upload an open file that expires", 0, func() (any, error) {
		file := named("b.jsonl", "application/jsonl", "{\"n\":1}\n")
		f, err := g.UploadFile(ctx, &UploadFile{FileOptions{"batch", "created_at", p(3600)}, file})
		if err != nil {
			return nil, err
		}
		return *f.ExpiresAt, nil
	})
	upload("upload a file with a name and a type", "assistants", named("c.csv", "text/csv", "1;2"))
	upload("upload an empty file", "user_data", named("e.txt", "", ""))
	upload("upload for no purpose", "fun", named("e.txt", "", "x"))
	list := func(name string, in ListFiles) {
		g.row(name, 0, func() (any, error) {
			var ids []string
			for {
				list, err := g.ListFiles(ctx, &in)
				if err != nil {
					return nil, err
				}
				for _, f := range list.Data {
					ids = append(ids, f.ID)
				}
				if !list.HasMore {
					return strings.Join(ids, " "), nil
				}
				in.After = *list.LastID
			}
		})
	}
	list("list files, in pages", ListFiles{Limit: 2, Order: "asc"})
	list("list files of a purpose", ListFiles{Limit: 10000, Purpose: "batch", Order: "desc"})
	g.file("get a file", func() (*FileObject, error) { return g.GetFile(ctx, &FileID{"file-a-txt"}) })
	g.row("read a file", 0, func() (any, error) {
		f, err := g.GetFileContent(ctx, &FileID{"file-c-csv"})
		if err != nil {
			return nil, err
		}
		return read(f)
	})
	g.row("delete a file", 0, func() (any, error) {
		d, err := g.DeleteFile(ctx, &FileID{"file-a-txt"})
		if err != nil {
			return nil, err
		}
		return fmt.Sprintf("%s %s %t", d.Object, d.ID, d.Deleted), nil
	})
	g.file("get it again", func() (*FileObject, error) { return g.GetFile(ctx, &FileID{"file-a-txt"}) })
	g.row("delete without the scope", 0, func() (any, error) { return g.reader.DeleteFile(ctx, &FileID{"file-c-csv"}) })
}

// read reads a file and closes it.
func read(f *svc.File) (string, error) {
	text, err := io.ReadAll(f.Content)
	if closer, ok := f.Content.(io.Closer); ok {
		err = errors.Join(err, closer.Close())
	}
	return string(text), err
}

func (g *goRun) audio() {
	type either = *svc.ValueOrStream[Transcription, TranscriptEvent]
	transcribe := func(name string, o TranscribeOptions, show func(either) (any, error)) {
		g.row(name, 0, func() (any, error) {
			o.Model = "whisper-1"
			out, err := g.Transcribe(ctx, &Transcribe{o, named("s.mp3", "audio/mpeg", "some sound")})
			if err != nil {
				return nil, err
			}
			return show(out)
		})
	}
	transcribe("transcription, the file last", TranscribeOptions{Format: "json"}, func(out either) (any, error) {
		return out.Value.Text, nil
	})
	verbose := TranscribeOptions{Format: "verbose_json", Granularities: []string{"word", "segment"}, Language: "de", Temperature: p(0.0)}
	transcribe("transcription with words", verbose, func(out either) (any, error) {
		var ends []string
		for _, w := range out.Value.Words {
			ends = append(ends, fmt.Sprintf("%s %v", w.Word, w.End))
		}
		return fmt.Sprintf("%s %v %s", out.Value.Language, *out.Value.Duration, strings.Join(ends, ",")), nil
	})
	transcribe("transcription in a stream", TranscribeOptions{Format: "json", Stream: p(true)}, func(out either) (any, error) {
		var texts []string
		for e, err := range out.Stream {
			switch {
			case err != nil:
				return nil, err
			case e.Delta != nil:
				texts = append(texts, e.Delta.Delta)
			default:
				texts = append(texts, "= "+e.Done.Text)
			}
		}
		return strings.Join(texts, "|"), nil
	})
	g.row("speech", 0, func() (any, error) {
		out, err := g.Speak(ctx, &CreateSpeech{Model: "tts-1", Voice: "alloy", Input: "hi", Format: "mp3"})
		if err != nil {
			return nil, err
		}
		return read(&out.File)
	})
	g.row("speech in a stream", 0, func() (any, error) {
		out, err := g.Speak(ctx, &CreateSpeech{Model: "tts-1", Voice: "alloy", Input: "hi", Format: "wav"})
		if err != nil {
			return nil, err
		}
		text, err := read(&out.File)
		return out.ContentType + ": " + text, err
	})
}

func (g *goRun) failures() {
	g.row("a wrong key", 0, func() (any, error) { return g.wrong.ListModels(ctx) })
	g.chat("a number that is too large", CreateChat{Temperature: p(3.0)}, says)
	g.chat("no messages", CreateChat{Messages: []Message{}}, says)
	g.row("headers of an answer", 0, func() (any, error) {
		out, err := g.Complete(ctx, CreateChat{}.orHello())
		if err != nil {
			return nil, err
		}
		return fmt.Sprintf("%d %d %s", out.Value.Limit, *out.Value.Remaining, out.Value.Reset), nil
	})
	g.row("a limit", 0, func() (any, error) {
		var left []string
		for range 2 {
			in := &CreateEmbeddings{Model: "gpt-small", Input: EmbeddingInput{Text: p("x")}, Format: "base64", Dimensions: 3}
			out, err := g.once.Embed(ctx, in)
			if err != nil {
				return nil, err
			}
			left = append(left, fmt.Sprint(*out.Remaining))
		}
		return strings.Join(left, " "), nil
	})
	g.row("beyond a limit", 0, func() (any, error) { return g.once.ListModels(ctx) })
	g.row("beyond a limit, sent again", 0, func() (any, error) {
		var ids []string
		for range 3 {
			list, err := g.again.ListModels(ctx)
			if err != nil {
				return nil, err
			}
			ids = append(ids, list.Data[0].ID)
		}
		return strings.Join(ids, " "), nil
	})
	g.row("no quota", 0, func() (any, error) { return g.poor.ListModels(ctx) })
}
