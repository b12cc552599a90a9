package odd

import (
	"embed"

	"example.com/svc"
)

// Source is the source of this package, whose comments become the documentation.
//
//go:embed *.go
var Source embed.FS

// Service returns the service of impl.
func Service(impl TypeFuncPlusAPI) *svc.Service {
	return svc.MustRegister[TypeFuncPlusAPI](impl, options(svc.ReadComments(Source), "type_func_plus", methods))
}

// options returns the options of one interface.
func options(comments *svc.Comments, resource string, methods map[string]svc.MethodOptions) *svc.Options {
	return &svc.Options{
		Name:     "type \"func\"// +build ignore `x`",
		OpenAPI:  "3.1",
		Resource: resource,
		Comments: comments,
		Methods:  methods,
	}
}
