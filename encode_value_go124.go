//go:build !go1.25

package svc

import "reflect"

// valueAs returns the value of v, which is addressable and whose type is T. Go 1.24 has no faster
// way without an allocation.
func valueAs[T any](v reflect.Value) T { return *v.Addr().Interface().(*T) }
