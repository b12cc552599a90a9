package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"example.com/svc"
)

// Files.
type (
	UploadFile struct {
		FileOptions
		File svc.Body `json:"file" order:"any"`
	}
	// FileOptions are the fields beside the file. An object in a form has a field for each member.
	FileOptions struct {
		Purpose string `json:"purpose" enum:"assistants,batch,fine-tune,vision,user_data,evals"`
		Anchor  string `json:"expires_after[anchor],omitempty" enum:"created_at"`
		Seconds *int   `json:"expires_after[seconds],omitempty" minimum:"3600" maximum:"2592000"`
	}
	FileObject struct {
		ID        string `json:"id"`
		Object    string `json:"object"`
		Bytes     int    `json:"bytes"`
		CreatedAt int64  `json:"created_at"`
		ExpiresAt *int64 `json:"expires_at"`
		FileName  string `json:"filename"`
		Purpose   string `json:"purpose"`
		Status    string `json:"status"`
	}
	ListFiles struct {
		Purpose string `query:"purpose,omitempty"`
		Limit   int    `query:"limit" minimum:"1" maximum:"10000" default:"10000"`
		After   string `query:"after,omitempty"`
		Order   string `query:"order" enum:"asc,desc" default:"asc"`
	}
	FileList struct {
		Object  string       `json:"object"`
		Data    []FileObject `json:"data"`
		FirstID *string      `json:"first_id"`
		LastID  *string      `json:"last_id"`
		HasMore bool         `json:"has_more"`
	}
	FileID struct {
		ID string `path:"id" maxLength:"100"`
	}
)

// Audio.
type (
	Transcribe struct {
		TranscribeOptions
		File svc.Body `json:"file" order:"any"`
	}
	// A format text, srt or vtt would be text/plain: a method with JSON cannot answer with a file.
	TranscribeOptions struct {
		Model         string   `json:"model"`
		Language      string   `json:"language,omitempty" maxLength:"10"`
		Prompt        string   `json:"prompt,omitempty" maxLength:"1000"`
		Format        string   `json:"response_format" enum:"json,verbose_json" default:"json"`
		Temperature   *float64 `json:"temperature,omitempty" minimum:"0" maximum:"1"`
		Granularities []string `json:"timestamp_granularities[],omitempty" enum:"word,segment" maxItems:"2"`
		Include       []string `json:"include[],omitempty" maxItems:"1"`
		Stream        *bool    `json:"stream,omitempty"`
		// Either "auto", or an object whose members are fields of the form.
		Chunking     string   `json:"chunking_strategy,omitempty" enum:"auto"`
		ChunkingType string   `json:"chunking_strategy[type],omitempty" enum:"server_vad"`
		Threshold    *float64 `json:"chunking_strategy[threshold],omitempty" minimum:"0" maximum:"1"`
	}
	Transcription struct {
		Limits
		Text     string   `json:"text"`
		Task     string   `json:"task,omitempty"`
		Language string   `json:"language,omitempty"`
		Duration *float64 `json:"duration,omitempty"`
		Words    []Word   `json:"words,omitempty"`
	}
	Word struct {
		Word  string  `json:"word"`
		Start float64 `json:"start"`
		End   float64 `json:"end"`
	}
	TranscriptEvent struct {
		Type  string           `json:"type" discriminator:"true"`
		Delta *TranscriptDelta `variant:"transcript.text.delta"`
		Done  *Transcript      `variant:"transcript.text.done"`
	}
	TranscriptDelta struct {
		Delta string `json:"delta"`
	}
	Transcript struct {
		Text string `json:"text"`
	}
	CreateSpeech struct {
		Model  string   `json:"model"`
		Input  string   `json:"input" maxLength:"4096"`
		Voice  string   `json:"voice"`
		Format string   `json:"response_format" enum:"mp3,wav" default:"mp3"`
		Speed  *float64 `json:"speed,omitempty" minimum:"0.25" maximum:"4"`
	}
	Speech struct {
		svc.File `contentType:"audio/mpeg,audio/wav"`
		Limits
	}
)

// SSE gives the event its name.
func (e *TranscriptEvent) SSE() svc.Event {
	if e.Delta != nil {
		return svc.Event{Name: "transcript.text.delta"}
	}
	return svc.Event{Name: "transcript.text.done"}
}

// Embeddings.
type (
	CreateEmbeddings struct {
		Model      string         `json:"model"`
		Input      EmbeddingInput `json:"input"`
		Format     string         `json:"encoding_format" enum:"float,base64" default:"float"`
		Dimensions int            `json:"dimensions" minimum:"1" maximum:"8" default:"3"`
		User       string         `json:"user,omitempty"`
	}
	EmbeddingInput struct {
		svc.ByType
		Text  *string      `minLength:"1"`
		Items []InputToken `minItems:"1" maxItems:"2048"`
	}
	// An InputToken is a text, a token, or a list of tokens. OpenAI has lists of one of the three.
	InputToken struct {
		svc.ByType
		Text   *string `minLength:"1"`
		Token  *int
		Tokens []int `minItems:"1" maxItems:"2048"`
	}
	Embeddings struct {
		Limits
		Object string         `json:"object"`
		Data   []Embedding    `json:"data"`
		Model  string         `json:"model"`
		Usage  EmbeddingUsage `json:"usage"`
	}
	Embedding struct {
		Object    string `json:"object"`
		Index     int    `json:"index"`
		Embedding Vector `json:"embedding"`
	}
	Vector struct {
		svc.ByType
		Floats []float32
		Bytes  []byte // float32, little endian
	}
	EmbeddingUsage struct {
		Prompt int `json:"prompt_tokens"`
		Total  int `json:"total_tokens"`
	}
)

var (
	fileCodec       = svc.NewCodec[FileOptions]()
	listCodec       = svc.NewCodec[ListFiles]()
	transcribeCodec = svc.NewCodec[TranscribeOptions]()
	speechCodec     = svc.NewCodec[CreateSpeech]()
	embeddingsCodec = svc.NewCodec[CreateEmbeddings]()
)

type storedFile struct {
	FileObject
	content     []byte
	contentType string
}

func (s *openAI) UploadFile(_ context.Context, in *UploadFile) (*FileObject, error) {
	content, err := io.ReadAll(in.File)
	if err != nil {
		return nil, err
	}
	note(s, "UploadFile", fileCodec, &in.FileOptions, in.File.FileName, fmt.Sprintf("%q", content))
	if len(content) == 0 {
		return nil, errEmpty
	}
	// The ID follows from the name, so that each client gets the same.
	f := &storedFile{FileObject{ID: "file-" + strings.ReplaceAll(in.File.FileName, ".", "-"), Object: "file", Bytes: len(content),
		CreatedAt: created, FileName: in.File.FileName, Purpose: in.Purpose, Status: "processed"}, content, in.File.ContentType}
	if in.Seconds != nil {
		at := created + int64(*in.Seconds)
		f.ExpiresAt = &at
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(slices.DeleteFunc(s.files, func(old *storedFile) bool { return old.ID == f.ID }), f)
	return &f.FileObject, nil
}

func (s *openAI) ListFiles(_ context.Context, in *ListFiles) (*FileList, error) {
	note(s, "ListFiles", listCodec, in)
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &FileList{Object: "list", Data: []FileObject{}}
	files := slices.Clone(s.files)
	if in.Order == "desc" {
		slices.Reverse(files)
	}
	after := in.After == ""
	for _, f := range files {
		switch {
		case !after:
			after = f.ID == in.After
		case in.Purpose != "" && f.Purpose != in.Purpose:
		case len(out.Data) == in.Limit:
			out.HasMore = true
		default:
			out.Data = append(out.Data, f.FileObject)
		}
	}
	if n := len(out.Data); n > 0 {
		out.FirstID, out.LastID = &out.Data[0].ID, &out.Data[n-1].ID
	}
	return out, nil
}

// file returns the file of an ID. The caller has the lock.
func (s *openAI) file(id string) (*storedFile, error) {
	i := slices.IndexFunc(s.files, func(f *storedFile) bool { return f.ID == id })
	if i < 0 {
		return nil, svc.Errorf(svc.CodeNotFound, "No such File object: %s", id)
	}
	return s.files[i], nil
}

func (s *openAI) GetFile(_ context.Context, in *FileID) (*FileObject, error) {
	s.noteText("GetFile " + in.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.file(in.ID)
	if err != nil {
		return nil, err
	}
	return &f.FileObject, nil
}

func (s *openAI) GetFileContent(_ context.Context, in *FileID) (*svc.File, error) {
	s.noteText("GetFileContent " + in.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.file(in.ID)
	if err != nil {
		return nil, err
	}
	return &svc.File{Name: f.FileName, ContentType: f.contentType, Content: bytes.NewReader(f.content)}, nil
}

func (s *openAI) DeleteFile(_ context.Context, in *FileID) (*Deleted, error) {
	s.noteText("DeleteFile " + in.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.file(in.ID)
	if err != nil {
		return nil, err
	}
	s.files = slices.DeleteFunc(s.files, func(other *storedFile) bool { return other == f })
	return &Deleted{in.ID, "file", true}, nil
}

func (s *openAI) Transcribe(ctx context.Context, in *Transcribe) (*svc.ValueOrStream[Transcription, TranscriptEvent], error) {
	content, err := io.ReadAll(in.File)
	if err != nil {
		return nil, err
	}
	note(s, "Transcribe", transcribeCodec, &in.TranscribeOptions, in.File.FileName, fmt.Sprintf("%q", content))
	text := strings.TrimSpace("heard " + string(content))
	words := strings.SplitAfter(text, " ")
	if in.Stream != nil && *in.Stream {
		limitsOf(ctx).setHeaders(ctx)
		return &svc.ValueOrStream[Transcription, TranscriptEvent]{Stream: func(yield func(*TranscriptEvent, error) bool) {
			for _, word := range words {
				if !yield(&TranscriptEvent{Delta: &TranscriptDelta{word}}, nil) {
					return
				}
			}
			yield(&TranscriptEvent{Done: &Transcript{text}}, nil)
		}}, nil
	}
	out := &Transcription{Limits: limitsOf(ctx), Text: text}
	if in.Format == "verbose_json" {
		duration := float64(len(words)) + 0.5
		out.Task, out.Language, out.Duration = "transcribe", cmp.Or(in.Language, "en"), &duration
		if slices.Contains(in.Granularities, "word") {
			for i, word := range words {
				out.Words = append(out.Words, Word{strings.TrimSpace(word), float64(i), float64(i) + 0.5})
			}
		}
	}
	return &svc.ValueOrStream[Transcription, TranscriptEvent]{Value: out}, nil
}

func (s *openAI) Speak(ctx context.Context, in *CreateSpeech) (*Speech, error) {
	note(s, "Speak", speechCodec, in)
	out := &Speech{Limits: limitsOf(ctx)}
	out.ContentType = map[string]string{"mp3": "audio/mpeg", "wav": "audio/wav"}[in.Format]
	out.Content = strings.NewReader(in.Voice + " says " + in.Input)
	return out, nil
}

func (s *openAI) Embed(ctx context.Context, in *CreateEmbeddings) (*Embeddings, error) {
	note(s, "Embed", embeddingsCodec, in)
	var sizes []int // of each text
	if in.Input.Text != nil {
		sizes = []int{len(*in.Input.Text)}
	} else if in.Input.Items[0].Token != nil {
		sizes = []int{len(in.Input.Items)}
	} else {
		for _, item := range in.Input.Items {
			if item.Text != nil {
				sizes = append(sizes, len(*item.Text))
			} else {
				sizes = append(sizes, len(item.Tokens))
			}
		}
	}
	out := &Embeddings{Limits: limitsOf(ctx), Object: "list", Model: in.Model}
	for i, size := range sizes {
		var v Vector
		for d := range in.Dimensions {
			x := float32(size) + float32(2*d+1)/8
			if in.Format == "float" {
				v.Floats = append(v.Floats, x)
			} else {
				v.Bytes = binary.LittleEndian.AppendUint32(v.Bytes, math.Float32bits(x))
			}
		}
		out.Data = append(out.Data, Embedding{"embedding", i, v})
		out.Usage.Prompt += size
	}
	out.Usage.Total = out.Usage.Prompt
	return out, nil
}
