// Command goforms sends forms, with a file and without, with the clients that oapi-codegen, ogen
// and openapi-generator make in Go.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"mime/multipart"
	"os"
	"path/filepath"
	"slices"
	"strings"

	oapi "example.com/svc/interop/generators/dist/oapiforms"
	ogen "example.com/svc/interop/generators/dist/ogenforms"
	openapi "example.com/svc/interop/generators/dist/openapigoforms"
	ogenhttp "github.com/ogen-go/ogen/http"
)

const (
	title   = "Käse & Brot"
	content = "one\r\n--two"
)

var tags = []string{"a b", "c=d"}

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
		fmt.Println(generator.name + ": forms were read")
	}
}

// callOapi writes the form with a file by hand: the client takes its text as it is. Of a list in a
// form, the client writes tags[0]=a, which is another name, and ignored.
func callOapi(ctx context.Context, url string) error {
	c, err := oapi.NewClientWithResponses(url)
	if err != nil {
		return err
	}
	count, gift := int32(3), true
	order, err := c.FormsOrderWithFormdataBodyWithResponse(ctx, oapi.OrderForm{Title: title, Count: &count, Gift: &gift})
	if err != nil || order.JSON200 == nil || order.JSON200.Title != title || order.JSON200.Count != 3 || !order.JSON200.Gift {
		return fmt.Errorf("a form is answered with %s, %v", order.Body, err)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	w.WriteField("title", title)
	file, _ := w.CreateFormFile("file", "a.txt")
	file.Write([]byte(content))
	w.Close()
	attached, err := c.FormsAttachWithBodyWithResponse(ctx, w.FormDataContentType(), &body)
	if err != nil || attached.JSON200 == nil || attached.JSON200.File != content {
		return fmt.Errorf("a file is answered with %s, %v", attached.Body, err)
	}
	return nil
}

// callOgen is refused with a file: the client sends it before all fields, whatever their order in the
// document.
func callOgen(ctx context.Context, url string) error {
	c, err := ogen.NewClient(url)
	if err != nil {
		return err
	}
	answer, err := c.FormsOrder(ctx, &ogen.OrderForm{Title: title, Tags: tags, Count: ogen.NewOptInt32(3), Gift: ogen.NewOptBool(true)})
	seen, ok := answer.(*ogen.FormSeen)
	if err != nil || !ok || seen.Title != title || !slices.Equal(seen.Tags, tags) || seen.Count != 3 || !seen.Gift {
		return fmt.Errorf("a form is answered with %v, %v", answer, err)
	}
	attached, err := c.FormsAttach(ctx, &ogen.AttachmentFormMultipart{Title: title, Tags: tags, File: ogenhttp.MultipartFile{Name: "a.txt", File: bytes.NewReader([]byte(content))}})
	refused, ok := attached.(*ogen.ErrorBodyStatusCode)
	if err != nil || !ok || !strings.Contains(refused.Response.Error.Message, "must come before the file") {
		return fmt.Errorf("a file is answered with %v, %v, and README.md says that it is refused", attached, err)
	}
	return nil
}

// callOpenAPI sends a file of the disk: that is all this client knows. It has the text of a list in
// one part, with commas, so no list is sent with the file.
func callOpenAPI(ctx context.Context, url string) error {
	config := openapi.NewConfiguration()
	config.Servers = openapi.ServerConfigurations{{URL: url}}
	api := openapi.NewAPIClient(config).DefaultAPI
	seen, _, err := api.FormsOrder(ctx).Title(title).Tags(tags).Count(3).Gift(true).Execute()
	if err != nil || seen.Title != title || seen.Count != 3 || !seen.Gift || !slices.Equal(seen.Tags, tags) {
		return fmt.Errorf("a form is answered with %v, %v", seen, err)
	}
	name := filepath.Join(os.TempDir(), fmt.Sprintf("svc-form-%d", os.Getpid()))
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		return err
	}
	defer os.Remove(name)
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if seen, _, err = api.FormsAttach(ctx).Title(title).File(file).Execute(); err != nil || seen.File != content {
		return fmt.Errorf("a file is answered with %v, %v", seen, err)
	}
	return nil
}
