package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/svc"
)

// What a chat is asked.
type (
	CreateChat struct {
		Model          string             `json:"model" maxLength:"100"`
		Messages       []Message          `json:"messages" minItems:"1" maxItems:"2048"`
		Stream         *bool              `json:"stream,omitempty"`
		StreamOptions  *ChatStreamOptions `json:"stream_options,omitempty"`
		N              *int               `json:"n,omitempty" minimum:"1" maximum:"128"`
		Temperature    *float64           `json:"temperature,omitempty" minimum:"0" maximum:"2"`
		TopP           *float64           `json:"top_p,omitempty" minimum:"0" maximum:"1"`
		MaxTokens      *int               `json:"max_completion_tokens,omitempty" minimum:"1"`
		Seed           *int64             `json:"seed,omitempty"`
		Stop           *Stop              `json:"stop,omitempty"`
		Tools          []Tool             `json:"tools,omitempty" maxItems:"128"`
		ToolChoice     *ToolChoice        `json:"tool_choice,omitempty"`
		ResponseFormat *ResponseFormat    `json:"response_format,omitempty"`
		LogitBias      map[string]int     `json:"logit_bias,omitempty" maxProperties:"300"`
		Metadata       map[string]string  `json:"metadata,omitempty" maxProperties:"16"`
		User           string             `json:"user,omitempty" maxLength:"200"`
	}
	ChatStreamOptions struct {
		IncludeUsage *bool `json:"include_usage,omitempty"`
	}
	Stop struct {
		svc.ByType
		Text  *string
		Texts []string `maxItems:"4"`
	}
	Message struct {
		Role      string            `json:"role" discriminator:"true"`
		System    *PlainMessage     `variant:"system"`
		Developer *PlainMessage     `variant:"developer"`
		User      *PlainMessage     `variant:"user"`
		Assistant *AssistantMessage `variant:"assistant"`
		Tool      *ToolMessage      `variant:"tool"`
	}
	PlainMessage struct {
		Content Content `json:"content"`
		Name    string  `json:"name,omitempty" maxLength:"64"`
	}
	AssistantMessage struct {
		Content   *Content   `json:"content,omitempty"`
		Refusal   *string    `json:"refusal,omitempty"`
		ToolCalls []ToolCall `json:"tool_calls,omitempty" maxItems:"128"`
	}
	ToolMessage struct {
		Content Content `json:"content"`
		CallID  string  `json:"tool_call_id"`
	}
	Content struct {
		svc.ByType
		Text  *string
		Parts []Part `minItems:"1" maxItems:"100"`
	}
	Part struct {
		Type  string     `json:"type" discriminator:"true"`
		Text  *TextPart  `variant:"text"`
		Image *ImagePart `variant:"image_url"`
		Audio *AudioPart `variant:"input_audio"`
	}
	TextPart struct {
		Text string `json:"text"`
	}
	ImagePart struct {
		Image ImageURL `json:"image_url"`
	}
	ImageURL struct {
		URL    string `json:"url"`
		Detail string `json:"detail,omitempty" enum:"auto,low,high"`
	}
	AudioPart struct {
		Audio InputAudio `json:"input_audio"`
	}
	InputAudio struct {
		Data   []byte `json:"data"`
		Format string `json:"format" enum:"wav,mp3"`
	}
	Tool struct {
		Type     string    `json:"type" discriminator:"true"`
		Function *ToolKind `variant:"function"`
	}
	ToolKind struct {
		Function Function `json:"function"`
	}
	Function struct {
		Name        string          `json:"name" maxLength:"64"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Strict      *bool           `json:"strict,omitempty"`
	}
	ToolChoice struct {
		svc.ByType
		Mode  *string `enum:"none,auto,required"`
		Named *NamedTool
	}
	NamedTool struct {
		Type     string `json:"type" enum:"function"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	ResponseFormat struct {
		Type   string      `json:"type" discriminator:"true"`
		Text   *struct{}   `variant:"text"`
		Object *struct{}   `variant:"json_object"`
		Schema *JSONSchema `variant:"json_schema"`
	}
	JSONSchema struct {
		Schema struct {
			Name   string          `json:"name" pattern:"^[a-zA-Z0-9_-]{1,64}$"`
			Schema json.RawMessage `json:"schema,omitempty"`
			Strict *bool           `json:"strict,omitempty"`
		} `json:"json_schema"`
	}
)

// What it answers.
type (
	Chat struct {
		Limits
		ID      string   `json:"id"`
		Object  string   `json:"object"`
		Created int64    `json:"created"`
		Model   string   `json:"model"`
		Choices []Choice `json:"choices"`
		Usage   Usage    `json:"usage"`
	}
	Choice struct {
		Index        int             `json:"index"`
		Message      Reply           `json:"message"`
		Logprobs     json.RawMessage `json:"logprobs"`
		FinishReason string          `json:"finish_reason" enum:"stop,length,tool_calls,content_filter"`
	}
	Reply struct {
		Role      string     `json:"role"`
		Content   *string    `json:"content"`
		Refusal   *string    `json:"refusal"`
		ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	}
	ToolCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function FunctionCall `json:"function"`
	}
	FunctionCall struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
	ChatChunk struct {
		ID      string        `json:"id"`
		Object  string        `json:"object"`
		Created int64         `json:"created"`
		Model   string        `json:"model"`
		Choices []ChunkChoice `json:"choices"`
		Usage   *Usage        `json:"usage,omitempty"`
	}
	ChunkChoice struct {
		Index        int     `json:"index"`
		Delta        Delta   `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	}
	Delta struct {
		Role      string          `json:"role,omitempty"`
		Content   *string         `json:"content,omitempty"`
		ToolCalls []ToolCallDelta `json:"tool_calls,omitempty"`
	}
	ToolCallDelta struct {
		Index int `json:"index"`
		ToolCall
	}
)

var chatCodec = svc.NewCodec[CreateChat]()

func (s *openAI) Complete(ctx context.Context, in *CreateChat) (*svc.ValueOrStream[Chat, ChatChunk], error) {
	note(s, "Complete", chatCodec, in)
	if err := checkModel(in.Model); err != nil {
		return nil, err
	}
	reply, finish := in.reply()
	usage := Usage{len(in.Messages), 2, len(in.Messages) + 2}
	if in.Stream != nil && *in.Stream {
		limitsOf(ctx).setHeaders(ctx)
		return &svc.ValueOrStream[Chat, ChatChunk]{Stream: s.chunks(in, reply, finish, usage)}, nil
	}
	out := &Chat{limitsOf(ctx), "chatcmpl-1", "chat.completion", created, in.Model, nil, usage}
	n := 1
	if in.N != nil {
		n = *in.N
	}
	for i := range n {
		out.Choices = append(out.Choices, Choice{Index: i, Message: reply, FinishReason: finish})
	}
	return &svc.ValueOrStream[Chat, ChatChunk]{Value: out}, nil
}

// chunks returns reply word by word. The model gpt-broken fails after the second, and gpt-endless
// repeats the first until the client leaves.
func (s *openAI) chunks(in *CreateChat, reply Reply, finish string, usage Usage) svc.Stream[ChatChunk] {
	return func(yield func(*ChatChunk, error) bool) {
		send := func(usage *Usage, choices ...ChunkChoice) bool {
			ok := yield(&ChatChunk{"chatcmpl-1", "chat.completion.chunk", created, in.Model, choices, usage}, nil)
			if !ok {
				s.noteText("the client has left the stream")
			}
			return ok
		}
		var deltas []Delta
		for i, call := range reply.ToolCalls {
			deltas = append(deltas, Delta{ToolCalls: []ToolCallDelta{{i, call}}})
		}
		if reply.Content != nil {
			for _, word := range strings.SplitAfter(*reply.Content, " ") {
				deltas = append(deltas, Delta{Content: &word})
			}
		}
		deltas[0].Role = "assistant"
		for i, delta := range deltas {
			if i == 2 && in.Model == "gpt-broken" {
				yield(nil, svc.Errorf(svc.CodeUnavailable, "The engine is currently overloaded, please try again later"))
				return
			}
			if !send(nil, ChunkChoice{Delta: delta}) {
				return
			}
			for in.Model == "gpt-endless" {
				if !send(nil, ChunkChoice{Delta: delta}) {
					return
				}
			}
		}
		if !send(nil, ChunkChoice{FinishReason: &finish}) {
			return
		}
		if o := in.StreamOptions; o != nil && o.IncludeUsage != nil && *o.IncludeUsage {
			send(&usage)
		}
	}
}

// reply is what the model says: the result of a tool, a call of the first tool, JSON, or what the
// user has said.
func (in *CreateChat) reply() (reply Reply, finish string) {
	last := in.Messages[len(in.Messages)-1]
	mode := "auto"
	if in.ToolChoice != nil {
		mode = "required"
		if in.ToolChoice.Mode != nil {
			mode = *in.ToolChoice.Mode
		}
	}
	text := ""
	switch {
	case last.Tool != nil:
		text = "the tool said: " + last.Tool.Content.text()
	case len(in.Tools) > 0 && mode != "none":
		name := in.Tools[0].Function.Function.Name
		if in.ToolChoice != nil && in.ToolChoice.Named != nil {
			name = in.ToolChoice.Named.Function.Name
		}
		calls := []ToolCall{{"call_1", "function", FunctionCall{name, `{"city":"Paris"}`}}}
		return Reply{Role: "assistant", ToolCalls: calls}, "tool_calls"
	case in.ResponseFormat != nil && in.ResponseFormat.Text == nil:
		text = `{"city":"Paris","degrees":21}`
	case last.User != nil:
		text = "you said: " + last.User.Content.text()
	default:
		text = "nobody asked"
	}
	return Reply{Role: "assistant", Content: &text}, "stop"
}

// text is what c says in words.
func (c *Content) text() string {
	if c.Text != nil {
		return *c.Text
	}
	var words []string
	for _, p := range c.Parts {
		switch {
		case p.Text != nil:
			words = append(words, p.Text.Text)
		case p.Image != nil:
			words = append(words, fmt.Sprintf("[image %s %s]", p.Image.Image.URL, cmp.Or(p.Image.Image.Detail, "auto")))
		case p.Audio != nil:
			words = append(words, fmt.Sprintf("[%d bytes of %s]", len(p.Audio.Audio.Data), p.Audio.Audio.Format))
		}
	}
	return strings.Join(words, " ")
}
