package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"

	"example.com/svc"
)

// A registry keeps everything in memory.
type registry struct {
	mu      sync.Mutex
	repos   map[string]*repository
	uploads map[string][]byte // what has come, by the id
	started int               // uploads
	mounts  int               // blobs that were not uploaded
}

type repository struct {
	blobs     map[string][]byte
	manifests map[string]manifest // by digest
	tags      map[string]string   // the digest of each
}

type manifest struct {
	mediaType string
	text      []byte
	parts     struct { // what referrers are found by
		ArtifactType string            `json:"artifactType"`
		Config       Descriptor        `json:"config"`
		Subject      *Descriptor       `json:"subject"`
		Annotations  map[string]string `json:"annotations"`
	}
}

// errUnknown returns the error of the specification about what is not there.
func errUnknown(what string) error {
	return svc.Errorf(svc.CodeNotFound, "the %s is not known to this registry", what).WithReason(what + "_unknown")
}

func errDigest() error {
	return svc.Errorf(svc.CodeInvalidArgument, "the content has another digest").WithReason("digest_invalid")
}

// in calls do with the repository of a name, if the caller may do action there. A push makes it.
func (g *registry) in(ctx context.Context, name, action string, do func(*repository) error) error {
	if err := checkAccess(ctx, name, action); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.repos[name]
	if r == nil {
		if action != "push" {
			return errUnknown("name")
		}
		r = &repository{make(map[string][]byte), make(map[string]manifest), make(map[string]string)}
		g.repos[name] = r
	}
	return do(r)
}

func digestOf(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

func (g *registry) Ping(context.Context) (*Pong, error) { return &Pong{"registry/2.0"}, nil }

func (g *registry) ListRepositories(context.Context) (*Repositories, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := &Repositories{Names: []string{}}
	for name := range g.repos {
		out.Names = append(out.Names, name)
	}
	slices.Sort(out.Names)
	return out, nil
}

func (g *registry) StartUpload(ctx context.Context, in *StartUpload) (out *UploadState, err error) {
	var mounted []byte
	if in.Mount != "" && in.From != "" {
		g.in(ctx, in.From, "pull", func(r *repository) error { // without access, the blob is uploaded
			mounted = r.blobs[in.Mount]
			return nil
		})
	}
	err = g.in(ctx, in.Name, "push", func(r *repository) error {
		if mounted != nil {
			g.mounts++
			r.blobs[in.Mount] = mounted
			out = &UploadState{Status: 201, Progress: Progress{Location: "/v2/" + in.Name + "/blobs/" + in.Mount}}
			return nil
		}
		g.started++
		id := fmt.Sprintf("upload-%d", g.started)
		g.uploads[id] = []byte{}
		out = &UploadState{Status: 202, Progress: progressOf(in.Name, id, nil)}
		return nil
	})
	return out, err
}

func progressOf(name, id string, content []byte) Progress {
	return Progress{"/v2/" + name + "/blobs/uploads/" + url.PathEscape(id), fmt.Sprintf("0-%d", max(0, len(content)-1)), id}
}

// upload adds a chunk to an upload, and returns what has come.
func (g *registry) upload(ctx context.Context, in UploadID, chunk io.Reader) (content []byte, err error) {
	added, err := io.ReadAll(chunk)
	if err != nil {
		return nil, err
	}
	err = g.in(ctx, in.Name, "push", func(*repository) error {
		before, ok := g.uploads[in.ID]
		if !ok {
			return errUnknown("blob_upload")
		}
		content = slices.Concat(before, added)
		g.uploads[in.ID] = content
		return nil
	})
	return content, err
}

func (g *registry) GetUpload(ctx context.Context, in *UploadID) (*Progress, error) {
	return g.AppendUpload(ctx, &UploadChunk{UploadID: *in, Chunk: svc.NewBody(strings.NewReader(""), "")})
}

func (g *registry) AppendUpload(ctx context.Context, in *UploadChunk) (*Progress, error) {
	content, err := g.upload(ctx, in.UploadID, &in.Chunk)
	if err != nil {
		return nil, err
	}
	out := progressOf(in.Name, in.ID, content)
	return &out, nil
}

func (g *registry) FinishUpload(ctx context.Context, in *LastChunk) (*Stored, error) {
	content, err := g.upload(ctx, in.UploadID, &in.Chunk)
	if err != nil {
		return nil, err
	}
	err = g.in(ctx, in.Name, "push", func(r *repository) error {
		delete(g.uploads, in.ID)
		if digestOf(content) != in.Digest {
			return errDigest()
		}
		r.blobs[in.Digest] = content
		return nil
	})
	return &Stored{Location: "/v2/" + in.Name + "/blobs/" + in.Digest, Digest: in.Digest}, err
}

func (g *registry) CancelUpload(ctx context.Context, in *UploadID) error {
	return g.in(ctx, in.Name, "push", func(*repository) error {
		if _, ok := g.uploads[in.ID]; !ok {
			return errUnknown("blob_upload")
		}
		delete(g.uploads, in.ID)
		return nil
	})
}

// contentOf returns a File with the content, which can be read in parts.
func contentOf(content []byte, mediaType, digest string) *Content {
	return &Content{svc.File{Content: bytes.NewReader(content), ContentType: mediaType, ETag: `"` + digest + `"`}, digest}
}

func (g *registry) GetBlob(ctx context.Context, in *BlobID) (out *Content, err error) {
	err = g.in(ctx, in.Name, "pull", func(r *repository) error {
		content, ok := r.blobs[in.Digest]
		if !ok {
			return errUnknown("blob")
		}
		out = contentOf(content, "application/octet-stream", in.Digest)
		return nil
	})
	return out, err
}

func (g *registry) DeleteBlob(ctx context.Context, in *BlobID) error {
	return g.in(ctx, in.Name, "delete", func(r *repository) error {
		if _, ok := r.blobs[in.Digest]; !ok {
			return errUnknown("blob")
		}
		delete(r.blobs, in.Digest)
		return nil
	})
}

// digestFor returns the digest of a tag, or a digest itself.
func (r *repository) digestFor(reference string) string {
	if digest, ok := r.tags[reference]; ok {
		return digest
	}
	return reference
}

func (g *registry) GetManifest(ctx context.Context, in *ManifestID) (out *Content, err error) {
	err = g.in(ctx, in.Name, "pull", func(r *repository) error {
		digest := r.digestFor(in.Reference)
		m, ok := r.manifests[digest]
		if !ok {
			return errUnknown("manifest")
		}
		out = contentOf(m.text, m.mediaType, digest)
		return nil
	})
	return out, err
}

func (g *registry) PutManifest(ctx context.Context, in *PutManifest) (out *Stored, err error) {
	m := manifest{mediaType: in.Manifest.ContentType}
	if m.text, err = io.ReadAll(&in.Manifest); err != nil {
		return nil, err
	}
	if err = json.Unmarshal(m.text, &m.parts); err != nil {
		return nil, svc.Errorf(svc.CodeInvalidArgument, "the manifest is not JSON: %w", err).WithReason("manifest_invalid")
	}
	digest := digestOf(m.text)
	if strings.HasPrefix(in.Reference, "sha256:") && in.Reference != digest {
		return nil, errDigest()
	}
	err = g.in(ctx, in.Name, "push", func(r *repository) error {
		r.manifests[digest] = m
		if in.Reference != digest {
			r.tags[in.Reference] = digest
		}
		return nil
	})
	out = &Stored{Location: "/v2/" + in.Name + "/manifests/" + digest, Digest: digest}
	if m.parts.Subject != nil {
		out.Subject = m.parts.Subject.Digest
	}
	return out, err
}

func (g *registry) DeleteManifest(ctx context.Context, in *ManifestID) error {
	return g.in(ctx, in.Name, "delete", func(r *repository) error {
		if _, ok := r.tags[in.Reference]; ok { // the tag alone
			delete(r.tags, in.Reference)
			return nil
		}
		if _, ok := r.manifests[in.Reference]; !ok {
			return errUnknown("manifest")
		}
		delete(r.manifests, in.Reference)
		for tag, digest := range r.tags {
			if digest == in.Reference {
				delete(r.tags, tag)
			}
		}
		return nil
	})
}

func (g *registry) ListTags(ctx context.Context, in *ListTags) (*Tags, error) {
	out := &Tags{Name: in.Name, Tags: []string{}}
	err := g.in(ctx, in.Name, "pull", func(r *repository) error {
		for tag := range r.tags {
			if tag > in.After {
				out.Tags = append(out.Tags, tag)
			}
		}
		slices.Sort(out.Tags)
		if in.Most != nil && *in.Most < len(out.Tags) {
			out.Tags = out.Tags[:*in.Most]
			if n := *in.Most; n > 0 {
				out.Next = fmt.Sprintf(`</v2/%s/tags/list?n=%d&last=%s>; rel="next"`, in.Name, n, url.QueryEscape(out.Tags[n-1]))
			}
		}
		return nil
	})
	return out, err
}

func (g *registry) ListReferrers(ctx context.Context, in *ListReferrers) (*Referrers, error) {
	out := &Referrers{Version: 2, MediaType: indexType, Manifests: []Descriptor{}}
	if in.ArtifactType != "" {
		out.Filters = "artifactType"
	}
	err := g.in(ctx, in.Name, "pull", func(r *repository) error {
		for digest, m := range r.manifests {
			kind := m.parts.ArtifactType
			if kind == "" {
				kind = m.parts.Config.MediaType
			}
			if m.parts.Subject != nil && m.parts.Subject.Digest == in.Digest && (in.ArtifactType == "" || in.ArtifactType == kind) {
				out.Manifests = append(out.Manifests, Descriptor{m.mediaType, len(m.text), digest, kind, m.parts.Annotations})
			}
		}
		slices.SortFunc(out.Manifests, func(a, b Descriptor) int { return strings.Compare(a.Digest, b.Digest) })
		return nil
	})
	return out, err
}
