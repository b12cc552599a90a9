package main

import (
	"context"
	"strings"

	"example.com/svc"
)

// OpenAI is a part of OpenAI's API, as its clients call it.
type OpenAI interface {
	Complete(ctx context.Context, in *CreateChat) (*svc.ValueOrStream[Chat, ChatChunk], error)

	Respond(ctx context.Context, in *CreateResponse) (*svc.ValueOrStream[Response, ResponseEvent], error)
	GetResponse(ctx context.Context, in *ResponseID) (*Response, error)
	DeleteResponse(ctx context.Context, in *ResponseID) (*Deleted, error)

	Embed(ctx context.Context, in *CreateEmbeddings) (*Embeddings, error)

	UploadFile(ctx context.Context, in *UploadFile) (*FileObject, error)
	ListFiles(ctx context.Context, in *ListFiles) (*FileList, error)
	GetFile(ctx context.Context, in *FileID) (*FileObject, error)
	GetFileContent(ctx context.Context, in *FileID) (*svc.File, error)
	DeleteFile(ctx context.Context, in *FileID) (*Deleted, error)

	Transcribe(ctx context.Context, in *Transcribe) (*svc.ValueOrStream[Transcription, TranscriptEvent], error)
	Speak(ctx context.Context, in *CreateSpeech) (*Speech, error)

	ListModels(ctx context.Context) (*ModelList, error)
	GetModel(ctx context.Context, in *ModelID) (*Model, error)
}

// Limits are headers of an answer. A stream has them by Info.Header, since headers of a
// ValueOrStream are those of its value.
type Limits struct {
	Limit     int    `json:"-" header:"X-Ratelimit-Limit-Requests"`
	Remaining *int   `json:"-" header:"X-Ratelimit-Remaining-Requests"` // also when it is 0
	Reset     string `json:"-" header:"X-Ratelimit-Reset-Requests"`
}

// Deleted says that a record is gone.
type Deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

type (
	ModelID struct {
		ID string `path:"model"`
	}
	Model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	ModelList struct {
		Object string  `json:"object"`
		Data   []Model `json:"data"`
	}
)

// An ErrorBody is OpenAI's form of errors.
type ErrorBody struct {
	Error ErrorObject `json:"error"`
}

type ErrorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// form writes errors as an ErrorBody, and reads them again. Its codes are the reasons of errors, and
// for what is wrong with an input those that follow from the rule.
var form = svc.NewErrorForm(func(e *svc.Error) *ErrorBody {
	out := ErrorObject{Message: e.Message, Type: "invalid_request_error"}
	code := e.Reason()
	for _, v := range e.Violations() { // OpenAI names the first only
		if out.Message = v.Message; v.Path != "" {
			param := paramOf(v.Path)
			out.Param, out.Message = &param, "'"+param+"' "+v.Message
		}
		code = map[string]string{"required": "missing_required_parameter", "type": "invalid_type"}[v.Rule]
		if code == "" {
			code = "invalid_value"
		}
		break
	}
	switch {
	case code == "invalid_token":
		code = "invalid_api_key"
	case code == "insufficient_quota":
		out.Type = code
	case code == "rate_limit_exceeded":
		out.Type = "requests"
	case e.HTTPStatus() >= 500:
		out.Type = "server_error"
	}
	if code != "" {
		out.Code = &code
	}
	return &ErrorBody{out}
}, func(b *ErrorBody) *svc.Error {
	e := &svc.Error{Message: b.Error.Message} // the code is that of the status
	if b.Error.Code != nil {
		e = e.WithReason(*b.Error.Code)
	}
	if b.Error.Param != nil {
		e = e.WithDetail("param", *b.Error.Param)
	}
	return e
})

// Errors that every method or some return.
var (
	errLimit = svc.Errorf(svc.CodeResourceExhausted, "Rate limit reached for requests. Limit: 2 / min. Please try again in 1s.").
			WithReason("rate_limit_exceeded").WithHeader("Retry-After", "1").WithHeader("X-Ratelimit-Limit-Requests", "2").
			WithHeader("X-Ratelimit-Remaining-Requests", "0").WithHeader("X-Ratelimit-Reset-Requests", "1s")
	errQuota = svc.Errorf(svc.CodeResourceExhausted, "You exceeded your current quota, please check your plan and billing details.").
			WithReason("insufficient_quota").WithHeader("X-Should-Retry", "false")
	errNoModel = svc.Errorf(svc.CodeNotFound, "The model does not exist or you do not have access to it.").WithReason("model_not_found")
	errEmpty   = svc.Errorf(svc.CodeInvalidArgument, "The file is empty.").WithReason("empty_file")
	errGone    = svc.Errorf(svc.CodeNotFound, "There is no such object.")
)

// paramOf writes a JSON Pointer as OpenAI writes places: messages[0].content.
func paramOf(pointer string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case strings.Trim(part, "0123456789") == "":
			out.WriteString("[" + part + "]")
		case out.Len() > 0:
			out.WriteString("." + part)
		default:
			out.WriteString(part)
		}
	}
	return out.String()
}

// options are the routes of OpenAI, below /v1.
func options() *svc.Options {
	to := func(resource, route string, errs ...*svc.Error) svc.MethodOptions {
		return svc.MethodOptions{Resource: resource, HTTP: route, Status: 200, Errors: errs}
	}
	ends := func(m svc.MethodOptions, end string) svc.MethodOptions {
		m.StreamEnd = end
		return m
	}
	isForm := func(m svc.MethodOptions) svc.MethodOptions {
		m.Form = true
		return m
	}
	needs := func(m svc.MethodOptions, scope string) svc.MethodOptions {
		m.Scopes = []string{scope}
		return m
	}
	return &svc.Options{
		Name: "OpenAI", Resource: "openai", ErrorForm: form, Schemes: []svc.Scheme{{Type: "bearer"}}, MaxBody: 25 << 20,
		Errors: []*svc.Error{errLimit, errQuota},
		Methods: map[string]svc.MethodOptions{
			"Complete":       ends(to("chat", "POST /chat/completions", errNoModel), "[DONE]"),
			"Respond":        ends(to("responses", "POST /responses", errNoModel), svc.StreamEndNone),
			"GetResponse":    to("responses", "GET /responses/{id}", errGone),
			"DeleteResponse": to("responses", "DELETE /responses/{id}", errGone),
			"Embed":          to("embeddings", "POST /embeddings"),
			"UploadFile":     isForm(to("files", "POST /files", errEmpty)),
			"ListFiles":      to("files", "GET /files"),
			"GetFile":        to("files", "GET /files/{id}", errGone),
			"GetFileContent": to("files", "GET /files/{id}/content", errGone),
			"DeleteFile":     needs(to("files", "DELETE /files/{id}", errGone), "api.files.write"),
			"Transcribe":     ends(isForm(to("audio", "POST /audio/transcriptions")), svc.StreamEndNone),
			"Speak":          to("audio", "POST /audio/speech"),
			"ListModels":     to("models", "GET /models"),
			"GetModel":       to("models", "GET /models/{model}", errNoModel),
		},
	}
}
