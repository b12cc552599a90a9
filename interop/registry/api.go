package main

import (
	"context"
	"strings"

	"example.com/svc"
)

// RegistryAPI is the API of a registry, as the OCI Distribution Specification 1.1 has it.
type RegistryAPI interface {
	Ping(ctx context.Context) (*Pong, error)
	ListRepositories(ctx context.Context) (*Repositories, error)

	StartUpload(ctx context.Context, in *StartUpload) (*UploadState, error)
	GetUpload(ctx context.Context, in *UploadID) (*Progress, error)
	AppendUpload(ctx context.Context, in *UploadChunk) (*Progress, error)
	FinishUpload(ctx context.Context, in *LastChunk) (*Stored, error)
	CancelUpload(ctx context.Context, in *UploadID) error

	GetBlob(ctx context.Context, in *BlobID) (*Content, error)
	DeleteBlob(ctx context.Context, in *BlobID) error

	GetManifest(ctx context.Context, in *ManifestID) (*Content, error)
	PutManifest(ctx context.Context, in *PutManifest) (*Stored, error)
	DeleteManifest(ctx context.Context, in *ManifestID) error
	ListTags(ctx context.Context, in *ListTags) (*Tags, error)
	ListReferrers(ctx context.Context, in *ListReferrers) (*Referrers, error)
}

// Inputs.
type (
	Repository struct {
		Name string `path:"name" pattern:"^[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$" maxLength:"255"`
	}
	StartUpload struct {
		Repository
		Mount string `query:"mount,omitempty"` // the digest of a blob that another repository has
		From  string `query:"from,omitempty"`  // that repository
	}
	UploadID struct {
		Repository
		ID string `path:"id"`
	}
	UploadChunk struct {
		UploadID
		Chunk svc.Body
	}
	LastChunk struct {
		UploadID
		Digest string `query:"digest" pattern:"^sha256:[0-9a-f]{64}$"`
		Chunk  svc.Body
	}
	BlobID struct {
		Repository
		Digest string `path:"digest" pattern:"^sha256:[0-9a-f]{64}$"`
	}
	ManifestID struct {
		Repository
		Reference string `path:"reference"` // a tag or a digest
	}
	PutManifest struct {
		ManifestID
		Manifest svc.Body
	}
	ListTags struct {
		Repository
		Most  *int   `query:"n,omitempty" minimum:"0"`
		After string `query:"last,omitempty"`
	}
	ListReferrers struct {
		BlobID
		ArtifactType string `query:"artifactType,omitempty"`
	}
)

// Outputs.
type (
	Pong struct {
		Version string `json:"-" header:"Docker-Distribution-Api-Version"`
	}
	Repositories struct {
		Names []string `json:"repositories"`
	}
	UploadState struct {
		Status int `json:"-" status:"201,202"` // 201 if the blob is mounted
		Progress
	}
	Progress struct {
		Location string `json:"-" header:"Location"`
		Range    string `json:"-" header:"Range"`
		ID       string `json:"-" header:"Docker-Upload-Uuid"`
	}
	Stored struct {
		Location string `json:"-" header:"Location"`
		Digest   string `json:"-" header:"Docker-Content-Digest"`
		Subject  string `json:"-" header:"Oci-Subject"`
	}
	Content struct {
		svc.File
		Digest string `json:"-" header:"Docker-Content-Digest"`
	}
	Tags struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
		Next string   `json:"-" header:"Link"`
	}
	Referrers struct {
		Filters   string       `json:"-" header:"Oci-Filters-Applied"`
		Version   int          `json:"schemaVersion"`
		MediaType string       `json:"mediaType"`
		Manifests []Descriptor `json:"manifests"`
	}
	Descriptor struct {
		MediaType    string            `json:"mediaType"`
		Size         int               `json:"size"`
		Digest       string            `json:"digest"`
		ArtifactType string            `json:"artifactType,omitempty"`
		Annotations  map[string]string `json:"annotations,omitempty"`
	}
)

// Errors is the form of errors of a registry.
type Errors struct {
	Errors []Problem `json:"errors"`
}

type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// form writes errors as Errors. A code of the specification is the reason of an error, in capital
// letters; what is wrong with a name or a digest has a code of its own.
var form = svc.NewErrorForm(func(e *svc.Error) *Errors {
	out := &Errors{}
	for _, v := range e.Violations() {
		code := map[string]string{"/name": "NAME_INVALID", "/digest": "DIGEST_INVALID"}[v.Path]
		if code == "" {
			code = "UNSUPPORTED"
		}
		out.Errors = append(out.Errors, Problem{code, strings.TrimPrefix(v.Path, "/") + " " + v.Message})
	}
	if len(out.Errors) > 0 {
		return out
	}
	code := e.Reason()
	switch {
	case e.Code == svc.CodeUnauthenticated:
		code = "UNAUTHORIZED"
	case e.Code == svc.CodePermissionDenied:
		code = "DENIED"
	case code == "":
		code = "UNSUPPORTED"
	}
	return &Errors{[]Problem{{strings.ToUpper(code), e.Message}}}
}, nil)

// options are the routes of the specification.
func options() *svc.Options {
	return &svc.Options{
		Name: "Registry", Resource: "registry", ErrorForm: form, Schemes: []svc.Scheme{{Type: "basic"}, {Type: "bearer"}}, MaxBody: 64 << 20,
		Methods: map[string]svc.MethodOptions{
			"Ping":             {HTTP: "GET /v2/", Status: 200},
			"ListRepositories": {HTTP: "GET /v2/_catalog"},
			"StartUpload":      {HTTP: "POST /v2/{name}/blobs/uploads/"},
			"GetUpload":        {HTTP: "GET /v2/{name}/blobs/uploads/{id}"},
			"AppendUpload":     {HTTP: "PATCH /v2/{name}/blobs/uploads/{id}", Status: 202},
			"FinishUpload":     {HTTP: "PUT /v2/{name}/blobs/uploads/{id}", Status: 201},
			"CancelUpload":     {HTTP: "DELETE /v2/{name}/blobs/uploads/{id}"},
			"GetBlob":          {HTTP: "GET /v2/{name}/blobs/{digest}"},
			"DeleteBlob":       {HTTP: "DELETE /v2/{name}/blobs/{digest}", Status: 202},
			"GetManifest":      {HTTP: "GET /v2/{name}/manifests/{reference}"},
			"PutManifest":      {HTTP: "PUT /v2/{name}/manifests/{reference}", Status: 201},
			"DeleteManifest":   {HTTP: "DELETE /v2/{name}/manifests/{reference}", Status: 202},
			"ListTags":         {HTTP: "GET /v2/{name}/tags/list"},
			"ListReferrers":    {HTTP: "GET /v2/{name}/referrers/{digest}", ContentType: indexType},
		},
	}
}

const indexType = "application/vnd.oci.image.index.v1+json"
