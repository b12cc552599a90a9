//go:build !go1.27 || !goexperiment.jsonv2

package main

// withV2 is nil: this Go has no encoding/json/v2; see codec_v2.go.
var withV2 *codec
