//go:build go1.25

package svc

import "reflect"

// valueAs returns the value of v, whose type is T. This takes 3 ns, and getting the address of v
// as a *T takes 13, which was a tenth of the time of a list of small records.
func valueAs[T any](v reflect.Value) T {
	value, _ := reflect.TypeAssert[T](v)
	return value
}
