package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"example.com/svc"
)

// What a response is asked.
type (
	CreateResponse struct {
		Model        string            `json:"model" maxLength:"100"`
		Input        ResponseInput     `json:"input"`
		Instructions *string           `json:"instructions,omitempty"`
		Stream       *bool             `json:"stream,omitempty"`
		PreviousID   *string           `json:"previous_response_id,omitempty"`
		Temperature  *float64          `json:"temperature,omitempty" minimum:"0" maximum:"2"`
		MaxTokens    *int              `json:"max_output_tokens,omitempty" minimum:"16"`
		Tools        []ResponseTool    `json:"tools,omitempty" maxItems:"128"`
		Text         *ResponseText     `json:"text,omitempty"`
		Store        *bool             `json:"store,omitempty"`
		Metadata     map[string]string `json:"metadata,omitempty" maxProperties:"16"`
	}
	ResponseInput struct {
		svc.ByType
		Text  *string
		Items []InputItem `minItems:"1" maxItems:"2048"`
	}
	// An InputItem is a message, the call of a function or its output. It would be a union by type,
	// but a message may have no type, and a discriminator cannot be absent.
	InputItem struct {
		Type      string        `json:"type,omitempty" enum:"message,function_call,function_call_output"`
		Role      string        `json:"role,omitempty" enum:"system,developer,user,assistant"`
		Content   *InputContent `json:"content,omitempty"`
		CallID    string        `json:"call_id,omitempty"`
		Name      string        `json:"name,omitempty"`
		Arguments string        `json:"arguments,omitempty"`
		Output    *InputContent `json:"output,omitempty"`
		ID        string        `json:"id,omitempty"`
		Status    string        `json:"status,omitempty"`
	}
	InputContent struct {
		svc.ByType
		Text  *string
		Parts []InputPart `minItems:"1" maxItems:"100"`
	}
	InputPart struct {
		Type   string      `json:"type" discriminator:"true"`
		Text   *TextPart   `variant:"input_text"`
		Output *TextPart   `variant:"output_text"`
		Image  *InputImage `variant:"input_image"`
		File   *InputFile  `variant:"input_file"`
	}
	InputImage struct {
		URL    *string `json:"image_url,omitempty"`
		FileID *string `json:"file_id,omitempty"`
		Detail string  `json:"detail,omitempty" enum:"auto,low,high"`
	}
	InputFile struct {
		FileID *string `json:"file_id,omitempty"`
	}
	ResponseTool struct {
		Type     string    `json:"type" discriminator:"true"`
		Function *Function `variant:"function"`
	}
	ResponseText struct {
		Format *TextFormat `json:"format,omitempty"`
	}
	TextFormat struct {
		Type   string      `json:"type" discriminator:"true"`
		Text   *struct{}   `variant:"text"`
		Schema *TextSchema `variant:"json_schema"`
	}
	TextSchema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict *bool           `json:"strict,omitempty"`
	}
	ResponseID struct {
		ID      string   `path:"id" maxLength:"64"`
		Include []string `query:"include[],omitempty" maxItems:"10"`
	}
)

// What it answers.
type (
	Response struct {
		Limits
		ID                string       `json:"id"`
		Object            string       `json:"object"`
		CreatedAt         int64        `json:"created_at"`
		Status            string       `json:"status"`
		Error             *struct{}    `json:"error"`
		Model             string       `json:"model"`
		Output            []OutputItem `json:"output"`
		ParallelToolCalls bool         `json:"parallel_tool_calls"`
		PreviousID        *string      `json:"previous_response_id"`
		Tools             []string     `json:"tools"`
		ToolChoice        string       `json:"tool_choice"`
	}
	OutputItem struct {
		Type    string         `json:"type" discriminator:"true"`
		ID      string         `json:"id"`
		Status  string         `json:"status"`
		Message *OutputMessage `variant:"message"`
		Call    *OutputCall    `variant:"function_call"`
	}
	OutputMessage struct {
		Role    string       `json:"role"`
		Content []OutputPart `json:"content"`
	}
	OutputCall struct {
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	OutputPart struct {
		Type string      `json:"type" discriminator:"true"`
		Text *OutputText `variant:"output_text"`
	}
	OutputText struct {
		Text        string   `json:"text"`
		Annotations []string `json:"annotations"`
	}
	// A ResponseEvent is a union, and an event of that name.
	ResponseEvent struct {
		Type       string         `json:"type" discriminator:"true"`
		Sequence   int            `json:"sequence_number"`
		Created    *ResponseState `variant:"response.created"`
		InProgress *ResponseState `variant:"response.in_progress"`
		ItemAdded  *ItemState     `variant:"response.output_item.added"`
		PartAdded  *PartState     `variant:"response.content_part.added"`
		TextDelta  *TextDelta     `variant:"response.output_text.delta"`
		TextDone   *TextDone      `variant:"response.output_text.done"`
		PartDone   *PartState     `variant:"response.content_part.done"`
		ItemDone   *ItemState     `variant:"response.output_item.done"`
		Completed  *ResponseState `variant:"response.completed"`
		ArgsDelta  *ArgsDelta     `variant:"response.function_call_arguments.delta"`
		ArgsDone   *ArgsDone      `variant:"response.function_call_arguments.done"`
	}
	ResponseState struct {
		Response Response `json:"response"`
	}
	ItemState struct {
		OutputIndex int        `json:"output_index"`
		Item        OutputItem `json:"item"`
	}
	Place struct {
		ItemID       string `json:"item_id"`
		OutputIndex  int    `json:"output_index"`
		ContentIndex int    `json:"content_index"`
	}
	PartState struct {
		Place
		Part OutputPart `json:"part"`
	}
	TextDelta struct {
		Place
		Delta    string     `json:"delta"`
		Logprobs []struct{} `json:"logprobs"`
	}
	TextDone struct {
		Place
		Text     string     `json:"text"`
		Logprobs []struct{} `json:"logprobs"`
	}
	ArgsDelta struct {
		ItemID      string `json:"item_id"`
		OutputIndex int    `json:"output_index"`
		Delta       string `json:"delta"`
	}
	ArgsDone struct {
		ItemID      string `json:"item_id"`
		OutputIndex int    `json:"output_index"`
		Name        string `json:"name"`
		Arguments   string `json:"arguments"`
	}
)

// SSE gives the event its name.
func (e *ResponseEvent) SSE() svc.Event { return svc.Event{Name: e.Type} }

// Validate says which members an item of its type needs.
func (i *InputItem) Validate() error {
	missing := ""
	switch {
	case i.Type == "function_call" && i.Arguments == "":
		missing = "arguments"
	case i.Type == "function_call_output" && (i.CallID == "" || i.Output == nil):
		missing = "call_id and output"
	case (i.Type == "" || i.Type == "message") && (i.Role == "" || i.Content == nil):
		missing = "role and content"
	}
	if missing != "" {
		return fmt.Errorf("%s needs %s", cmp.Or(i.Type, "message"), missing)
	}
	return nil
}

var responseCodec = svc.NewCodec[CreateResponse]()

func (s *openAI) Respond(ctx context.Context, in *CreateResponse) (*svc.ValueOrStream[Response, ResponseEvent], error) {
	note(s, "Respond", responseCodec, in)
	if err := checkModel(in.Model); err != nil {
		return nil, err
	}
	item := in.answer()
	r := &Response{ID: in.id(), Object: "response", CreatedAt: created, Status: "completed", Model: in.Model,
		Output: []OutputItem{item}, PreviousID: in.PreviousID, ToolChoice: "auto"}
	s.mu.Lock()
	s.responses[r.ID] = *r
	s.mu.Unlock()
	if in.Stream != nil && *in.Stream {
		limitsOf(ctx).setHeaders(ctx)
		return &svc.ValueOrStream[Response, ResponseEvent]{Stream: r.events(item)}, nil
	}
	r.Limits = limitsOf(ctx)
	return &svc.ValueOrStream[Response, ResponseEvent]{Value: r}, nil
}

// id is the same for the same input, so that every client gets the same.
func (in *CreateResponse) id() string {
	text, err := responseCodec.Encode(in)
	if err != nil {
		panic(err)
	}
	h := fnv.New32a()
	h.Write(text)
	return fmt.Sprintf("resp_%08x", h.Sum32())
}

// answer is what the model says; see CreateChat.reply.
func (in *CreateResponse) answer() OutputItem {
	text := ""
	if in.Input.Text != nil {
		text = "you said: " + *in.Input.Text
	} else {
		last := in.Input.Items[len(in.Input.Items)-1]
		if last.Output != nil {
			return message("the tool said: " + last.Output.text())
		}
		text = "you said: " + last.Content.text()
	}
	switch {
	case len(in.Tools) > 0:
		return OutputItem{ID: "fc_1", Status: "completed", Call: &OutputCall{"call_1", in.Tools[0].Function.Name, `{"city":"Paris"}`}}
	case in.Text != nil && in.Text.Format != nil && in.Text.Format.Schema != nil:
		text = `{"city":"Paris","degrees":21}`
	}
	return message(text)
}

func message(text string) OutputItem {
	return OutputItem{ID: "msg_1", Status: "completed", Message: &OutputMessage{"assistant", []OutputPart{textPart(text)}}}
}

func textPart(text string) OutputPart { return OutputPart{Text: &OutputText{text, []string{}}} }

func (c *InputContent) text() string {
	if c.Text != nil {
		return *c.Text
	}
	var words []string
	for _, p := range c.Parts {
		switch {
		case p.Text != nil:
			words = append(words, p.Text.Text)
		case p.Output != nil:
			words = append(words, p.Output.Text)
		case p.Image != nil && p.Image.URL != nil:
			words = append(words, fmt.Sprintf("[image %s %s]", *p.Image.URL, cmp.Or(p.Image.Detail, "auto")))
		case p.File != nil && p.File.FileID != nil:
			words = append(words, fmt.Sprintf("[file %s]", *p.File.FileID))
		}
	}
	return strings.Join(words, " ")
}

// events says how r comes to be.
func (r *Response) events(item OutputItem) svc.Stream[ResponseEvent] {
	return func(yield func(*ResponseEvent, error) bool) {
		sequence := 0
		send := func(name string, e ResponseEvent) bool {
			e.Sequence, e.Type = sequence, name
			sequence++
			return yield(&e, nil)
		}
		begun := *r
		begun.Status, begun.Output = "in_progress", []OutputItem{}
		empty := item
		empty.Status = "in_progress"
		ok := send("response.created", ResponseEvent{Created: &ResponseState{begun}}) &&
			send("response.in_progress", ResponseEvent{InProgress: &ResponseState{begun}})
		if item.Message != nil {
			part := item.Message.Content[0]
			empty.Message = &OutputMessage{"assistant", []OutputPart{}}
			place := Place{ItemID: item.ID}
			ok = ok && send("response.output_item.added", ResponseEvent{ItemAdded: &ItemState{0, empty}}) &&
				send("response.content_part.added", ResponseEvent{PartAdded: &PartState{place, textPart("")}})
			for _, word := range strings.SplitAfter(part.Text.Text, " ") {
				ok = ok && send("response.output_text.delta", ResponseEvent{TextDelta: &TextDelta{Place: place, Delta: word}})
			}
			ok = ok && send("response.output_text.done", ResponseEvent{TextDone: &TextDone{Place: place, Text: part.Text.Text}}) &&
				send("response.content_part.done", ResponseEvent{PartDone: &PartState{place, part}})
		} else {
			call := *item.Call
			empty.Call = &OutputCall{call.CallID, call.Name, ""}
			ok = ok && send("response.output_item.added", ResponseEvent{ItemAdded: &ItemState{0, empty}}) &&
				send("response.function_call_arguments.delta", ResponseEvent{ArgsDelta: &ArgsDelta{item.ID, 0, call.Arguments}}) &&
				send("response.function_call_arguments.done", ResponseEvent{ArgsDone: &ArgsDone{item.ID, 0, call.Name, call.Arguments}})
		}
		_ = ok && send("response.output_item.done", ResponseEvent{ItemDone: &ItemState{0, item}}) &&
			send("response.completed", ResponseEvent{Completed: &ResponseState{*r}})
	}
}

func (s *openAI) GetResponse(_ context.Context, in *ResponseID) (*Response, error) {
	s.noteText("GetResponse " + in.ID + strings.Join(append([]string{""}, in.Include...), " "))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.responses[in.ID]
	if !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "Response with id '%s' not found.", in.ID)
	}
	return &r, nil
}

func (s *openAI) DeleteResponse(_ context.Context, in *ResponseID) (*Deleted, error) {
	s.noteText("DeleteResponse " + in.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.responses[in.ID]; !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "Response with id '%s' not found.", in.ID)
	}
	delete(s.responses, in.ID)
	return &Deleted{in.ID, "response", true}, nil
}
