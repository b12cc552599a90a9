// Package huma has the types of the library of that name which the parameters of its resolvers
// have. No code of it is here: svc knows them by the name of the package.
package huma

// A Context is the request that huma serves.
type Context interface{ Host() string }

// A PathBuffer is the place of a field in the input.
type PathBuffer struct{}
