// Command gofiles sends and receives a photo with the clients that oapi-codegen, ogen and
// openapi-generator make in Go.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	oapi "example.com/svc/interop/generators/dist/oapiphotos"
	ogen "example.com/svc/interop/generators/dist/ogenphotos"
	openapi "example.com/svc/interop/generators/dist/openapigophotos"
)

var photo = []byte("\x89PNG\r\n")

func main() {
	log.SetFlags(0)
	ctx, url := context.Background(), os.Args[1]
	for _, generator := range []struct {
		name string
		call func(context.Context, string) error
	}{{"oapi-codegen", callOapi}, {"ogen", callOgen}, {"openapi-generator go", callOpenAPI}} {
		if err := generator.call(ctx, url); err != nil {
			log.Fatalf("%s: %v", generator.name, err)
		}
		fmt.Println(generator.name + ": a file made its round trip")
	}
}

func callOapi(ctx context.Context, url string) error {
	c, err := oapi.NewClientWithResponses(url)
	if err != nil {
		return err
	}
	set, err := c.PhotosSetPhotoWithBodyWithResponse(ctx, "7", "image/png", bytes.NewReader(photo))
	if err != nil || set.JSON200 == nil || int(set.JSON200.Size) != len(photo) {
		return fmt.Errorf("an upload is answered with %v, %v", set, err)
	}
	got, err := c.PhotosGetPhotoWithResponse(ctx, "7", nil)
	if err != nil || got.StatusCode() != 200 || !bytes.Equal(got.Body, photo) {
		return fmt.Errorf("a download is %v, %v", got, err)
	}
	part := "bytes=1-3"
	got, err = c.PhotosGetPhotoWithResponse(ctx, "7", &oapi.PhotosGetPhotoParams{Range: &part})
	if err != nil || got.StatusCode() != 206 || string(got.Body) != "PNG" {
		return fmt.Errorf("a part is %v, %v", got, err)
	}
	return nil
}

func callOgen(ctx context.Context, url string) error {
	c, err := ogen.NewClient(url)
	if err != nil {
		return err
	}
	set, err := c.PhotosSetPhoto(ctx, ogen.PhotosSetPhotoReq{Data: bytes.NewReader(photo)}, ogen.PhotosSetPhotoParams{ID: "17"})
	if size, ok := set.(*ogen.PhotoSize); err != nil || !ok || int(size.Size) != len(photo) {
		return fmt.Errorf("an upload is answered with %v, %v", set, err)
	}
	got, err := c.PhotosGetPhoto(ctx, ogen.PhotosGetPhotoParams{ID: "17"})
	whole, ok := got.(*ogen.PhotosGetPhotoOKHeaders)
	if err != nil || !ok || whole.ContentDisposition != `attachment; filename="photo.png"` {
		return fmt.Errorf("a download is %v, %v", got, err)
	}
	if data, err := io.ReadAll(whole.Response); err != nil || !bytes.Equal(data, photo) {
		return fmt.Errorf("a download has %q, %v", data, err)
	}
	got, err = c.PhotosGetPhoto(ctx, ogen.PhotosGetPhotoParams{ID: "17", Range: ogen.NewOptString("bytes=1-3")})
	part, ok := got.(*ogen.PhotosGetPhotoPartialContentHeaders)
	if err != nil || !ok || part.ContentRange != fmt.Sprintf("bytes 1-3/%d", len(photo)) {
		return fmt.Errorf("a part is %v, %v", got, err)
	}
	got, err = c.PhotosGetPhoto(ctx, ogen.PhotosGetPhotoParams{ID: "18"})
	if missing, ok := got.(*ogen.PhotosGetPhotoNotFound); err != nil || !ok || missing.Response.Error.Code != ogen.ErrorObjectCodeNOTFOUND {
		return fmt.Errorf("what is not there is %v, %v", got, err)
	}
	return nil
}

// callOpenAPI sends a file of the disk, and receives one: that is all this client knows.
func callOpenAPI(ctx context.Context, url string) error {
	config := openapi.NewConfiguration()
	config.Servers = openapi.ServerConfigurations{{URL: url}}
	api := openapi.NewAPIClient(config).DefaultAPI
	name := filepath.Join(os.TempDir(), fmt.Sprintf("svc-photo-%d", os.Getpid()))
	if err := os.WriteFile(name, photo, 0o600); err != nil {
		return err
	}
	defer os.Remove(name)
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	set, _, err := api.PhotosSetPhoto(ctx, "27").Body(file).Execute()
	if err != nil || int(set.Size) != len(photo) {
		return fmt.Errorf("an upload is answered with %v, %v", set, err)
	}
	for _, test := range []struct {
		get  openapi.ApiPhotosGetPhotoRequest
		want []byte
	}{
		{api.PhotosGetPhoto(ctx, "27"), photo},
		{api.PhotosGetPhoto(ctx, "27").Range_("bytes=1-3"), photo[1:4]},
	} {
		got, _, err := test.get.Execute()
		if err != nil {
			return fmt.Errorf("a download is %v", err)
		}
		defer os.Remove(got.Name())
		defer got.Close()
		if data, err := io.ReadAll(got); err != nil || !bytes.Equal(data, test.want) {
			return fmt.Errorf("a download has %q, %v", data, err)
		}
	}
	return nil
}
