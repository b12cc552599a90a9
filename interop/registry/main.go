// Registry serves an OCI registry with svc, and has crane and remote of go-containerregistry use
// it: behind passwords, and behind a token login.
//
// Usage:
//
//	go run .
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

func main() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	for _, each := range []struct {
		name  string
		serve func(*registry) http.Handler
	}{{"passwords", (*registry).behindPasswords}, {"a token login", (*registry).behindLogin}} {
		c := &checker{g: &registry{repos: make(map[string]*repository), uploads: make(map[string][]byte)}}
		server := httptest.NewServer(each.serve(c.g))
		c.url, c.host = server.URL, strings.TrimPrefix(server.URL, "http://")
		for _, step := range steps {
			if err := step.do(c); err != nil {
				fmt.Printf("FAILED: behind %s: %s: %v\n", each.name, step.name, err)
				os.Exit(1)
			}
		}
		server.Close()
		fmt.Printf("behind %s: %d steps of crane, with %d uploads and %d mounts\n", each.name, len(steps), c.g.started, c.g.mounts)
	}
}

// A checker calls one registry.
type checker struct {
	g         *registry
	url, host string
	image     v1.Image // in library/app
	digest    v1.Hash  // of image
	signature v1.Image // refers to image
}

// as returns the credentials of a user.
func as(user string) authn.Authenticator {
	return &authn.Basic{Username: user, Password: passwords[user]}
}

var writer, reader = crane.WithAuth(as("writer")), crane.WithAuth(as("reader"))

func (c *checker) ref(repo string) string { return c.host + "/" + repo }

// steps are taken in this order.
var steps = []struct {
	name string
	do   func(*checker) error
}{
	{"push", func(c *checker) (err error) {
		if c.image, err = random.Image(100_000, 3); err != nil {
			return err
		}
		if c.digest, err = c.image.Digest(); err != nil {
			return err
		}
		return crane.Push(c.image, c.ref("library/app:v1"), writer)
	}},
	{"push again, which uploads nothing", func(c *checker) error {
		before := c.g.started
		return errors.Join(crane.Push(c.image, c.ref("library/app:v2"), writer), same(c.g.started, before))
	}},
	{"digest by HEAD", func(c *checker) error {
		got, err := crane.Digest(c.ref("library/app:v1"), reader)
		return errors.Join(err, same(got, c.digest.String()))
	}},
	{"pull", func(c *checker) error {
		image, err := crane.Pull(c.ref("library/app:v2"), reader)
		if err != nil {
			return err
		}
		got, err := image.Digest()
		return errors.Join(err, same(got, c.digest), readAll(image))
	}},
	{"pull by digest", func(c *checker) error {
		image, err := crane.Pull(c.ref("library/app@"+c.digest.String()), reader)
		return errors.Join(err, readAll(image))
	}},
	{"copy to another repository, which mounts", func(c *checker) error {
		before := c.g.started
		err := crane.Copy(c.ref("library/app:v1"), c.ref("other/deep/est/app:v1"), writer)
		return errors.Join(err, same(c.g.mounts, 4), same(c.g.started, before)) // three layers and the configuration
	}},
	{"an index", func(c *checker) error {
		index, err := random.Index(1000, 2, 3)
		if err != nil {
			return err
		}
		ref, err := name.NewTag(c.ref("library/index:v1"))
		if err != nil {
			return err
		}
		if err := remote.WriteIndex(ref, index, remote.WithAuth(as("writer"))); err != nil {
			return err
		}
		got, err := remote.Index(ref, remote.WithAuth(as("reader")))
		if err != nil {
			return err
		}
		want, _ := index.Digest()
		digest, err := got.Digest()
		return errors.Join(err, same(digest, want))
	}},
	{"tags, in parts", func(c *checker) error {
		for _, tag := range []string{"v3", "v4", "v5"} {
			if err := crane.Tag(c.ref("library/app:v1"), tag, writer); err != nil {
				return err
			}
		}
		repo, err := name.NewRepository(c.ref("library/app"))
		if err != nil {
			return err
		}
		tags, err := remote.List(repo, remote.WithAuth(as("reader")), remote.WithPageSize(2))
		return errors.Join(err, same(strings.Join(tags, " "), "v1 v2 v3 v4 v5"))
	}},
	{"repositories", func(c *checker) error {
		repos, err := crane.Catalog(c.host, reader)
		return errors.Join(err, same(strings.Join(repos, " "), "library/app library/index other/deep/est/app"))
	}},
	{"push what refers to the image", func(c *checker) error {
		base, err := random.Image(100, 1)
		if err != nil {
			return err
		}
		subject, err := partial.Descriptor(c.image)
		if err != nil {
			return err
		}
		c.signature = mutate.Subject(mutate.Annotations(base, map[string]string{"by": "ada"}).(v1.Image), *subject).(v1.Image)
		return crane.Push(c.signature, c.ref("library/app:signature"), writer)
	}},
	{"referrers", func(c *checker) error {
		digest, err := name.NewDigest(c.ref("library/app@" + c.digest.String()))
		if err != nil {
			return err
		}
		index, err := remote.Referrers(digest, remote.WithAuth(as("reader")))
		if err != nil {
			return err
		}
		list, err := index.IndexManifest()
		if err != nil {
			return err
		}
		want, _ := c.signature.Digest()
		return errors.Join(same(len(list.Manifests), 1), same(list.Manifests[0].Digest, want), same(list.Manifests[0].Annotations["by"], "ada"))
	}},
	{"push by a reader", func(c *checker) error {
		err := crane.Push(c.image, c.ref("library/app:v6"), reader)
		var refused *transport.Error
		if !errors.As(err, &refused) || refused.StatusCode != 401 && refused.StatusCode != 403 {
			return fmt.Errorf("it got %w", err)
		}
		return nil
	}},
	{"a wrong password", func(c *checker) error {
		_, err := crane.Pull(c.ref("library/app:v1"), crane.WithAuth(&authn.Basic{Username: "reader", Password: "x"}))
		return wantError(err, 401, transport.UnauthorizedErrorCode)
	}},
	{"delete a tag", func(c *checker) error {
		if err := crane.Delete(c.ref("library/app:v5"), writer); err != nil {
			return err
		}
		tags, err := crane.ListTags(c.ref("library/app"), reader)
		return errors.Join(err, same(strings.Join(tags, " "), "signature v1 v2 v3 v4"))
	}},
	{"delete a manifest", func(c *checker) error {
		if err := crane.Delete(c.ref("library/app@"+c.digest.String()), writer); err != nil {
			return err
		}
		_, err := crane.Pull(c.ref("library/app:v1"), reader)
		return wantError(err, 404, transport.ManifestUnknownErrorCode)
	}},
	{"a repository that is not there", func(c *checker) error {
		_, err := crane.ListTags(c.ref("none"), reader)
		return wantError(err, 404, transport.NameUnknownErrorCode)
	}},
	{"a blob that is not there", func(c *checker) error {
		layer, err := crane.PullLayer(c.ref("library/app@sha256:"+strings.Repeat("0", 64)), reader)
		if err == nil {
			_, err = layer.Compressed()
		}
		return wantError(err, 404, transport.BlobUnknownErrorCode)
	}},
	{"requests that crane does not make", (*checker).checkRaw},
}

// checkRaw sends requests in the order of a table, as a client with a token or a password does.
func (c *checker) checkRaw() error {
	client, err := c.client("repository:raw/app:pull,push,delete")
	if err != nil {
		return err
	}
	content := "0123456789"
	digest := digestOf([]byte(content))
	uploads, blob := "/v2/raw/app/blobs/uploads/", "/v2/raw/app/blobs/"+digest
	id := fmt.Sprintf("upload-%d", c.g.started+1)
	for _, q := range []struct {
		verb, path, body, header, value string // a header of the request, if it has a colon; else of the answer
		status                          int
		want                            string // the body
	}{
		{"POST", uploads, "", "Location", uploads + id, 202, ""},
		{"PATCH", uploads + id, content[:4], "Range", "0-3", 202, ""},
		{"GET", uploads + id, "", "Range", "0-3", 204, ""},
		{"PATCH", uploads + id, content[4:], "Range", "0-9", 202, ""},
		{"PUT", uploads + id + "?digest=" + digest, "", "Docker-Content-Digest", digest, 201, ""},
		{"PUT", uploads + id + "?digest=" + digest, "", "", "", 404, `{"errors":[{"code":"BLOB_UPLOAD_UNKNOWN","message":"the blob_upload is not known to this registry"}]}`},
		{"HEAD", blob, "", "Content-Length", "10", 200, ""},
		{"GET", blob, "", "Range:", "bytes=2-4", 206, "234"},
		{"POST", uploads, "", "", "", 202, ""},
		{"PUT", uploads + "upload-" + fmt.Sprint(c.g.started+2) + "?digest=" + digest, "x", "", "", 400, `{"errors":[{"code":"DIGEST_INVALID","message":"the content has another digest"}]}`},
		{"POST", uploads, "", "", "", 202, ""},
		{"DELETE", uploads + "upload-" + fmt.Sprint(c.g.started+3), "", "", "", 204, ""},
		{"GET", "/v2/raw/app/blobs/sha256:0", "", "", "", 400, `{"errors":[{"code":"DIGEST_INVALID","message":"digest must match the pattern ^sha256:[0-9a-f]{64}$"}]}`},
		{"GET", "/v2/RAW/app/tags/list", "", "", "", 400, `{"errors":[{"code":"NAME_INVALID","message":"name must match the pattern ^[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$"}]}`},
		{"PUT", "/v2/raw/app/manifests/v1", "{", "", "", 400, `{"errors":[{"code":"MANIFEST_INVALID","message":"the manifest is not JSON"}]}`},
		{"GET", "/v2/raw/app/referrers/" + digest + "?artifactType=a", "", "Content-Type", indexType, 200, `{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[]}`},
		{"GET", "/v2/raw/app/referrers/" + digest + "?artifactType=a", "", "OCI-Filters-Applied", "artifactType", 200, `{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[]}`},
		{"GET", "/v2/raw/app/tags/list?n=0", "", "", "", 200, `{"name":"raw/app","tags":[]}`},
		{"DELETE", blob, "", "", "", 202, ""},
		{"GET", "/v2/", "", "Docker-Distribution-API-Version", "registry/2.0", 200, ""},
		{"GET", "/v2/none", "", "", "", 404, `{"errors":[{"code":"UNSUPPORTED","message":"there is nothing at this path"}]}`},
	} {
		r, err := http.NewRequest(q.verb, c.url+q.path, strings.NewReader(q.body))
		if err != nil {
			return err
		}
		if q.body != "" {
			r.Header.Set("Content-Type", "application/octet-stream")
		}
		header, isSent := strings.CutSuffix(q.header, ":")
		if isSent {
			r.Header.Set(header, q.value)
		}
		a, err := client.Do(r)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode != q.status || strings.TrimSpace(string(text)) != q.want || !isSent && a.Header.Get(header) != q.value && header != "" {
			return fmt.Errorf("%s %s got %d with %s %q: %s (%w)", q.verb, q.path, a.StatusCode, header, a.Header.Get(header), text, err)
		}
	}
	return nil
}

// client returns a client of the writer, which sends a password, or a token for the scope.
func (c *checker) client(scope string) (*http.Client, error) {
	registry, err := name.NewRegistry(c.host)
	if err != nil {
		return nil, err
	}
	t, err := transport.NewWithContext(context.Background(), registry, as("writer"), http.DefaultTransport, []string{scope})
	return &http.Client{Transport: t}, err
}

// readAll reads all layers of an image, which checks their digests.
func readAll(image v1.Image) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	for _, layer := range layers {
		content, err := layer.Compressed()
		if err != nil {
			return err
		}
		if _, err = io.Copy(io.Discard, content); err != nil {
			return err
		}
	}
	return nil
}

// same returns an error if got is not want.
func same[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

// wantError returns an error if err is not one of the registry with a status and a code.
func wantError(err error, status int, code transport.ErrorCode) error {
	var e *transport.Error
	if !errors.As(err, &e) || e.StatusCode != status || !slices.ContainsFunc(e.Errors, func(d transport.Diagnostic) bool { return d.Code == code }) {
		return fmt.Errorf("want %d with %s, got %w", status, code, err)
	}
	return nil
}
