//go:build go1.27 && goexperiment.jsonv2

package main

import (
	"encoding/json/v2"
	"io"
)

// withV2 is a codec that calls encoding/json/v2 directly, or nil before Go 1.27, which does not
// have it. encoding/json is another program from there on too: it calls json/v2.
var withV2 = &codec{
	func(text []byte, v any) error { return json.Unmarshal(text, v) },
	func(v any) ([]byte, error) { return json.Marshal(v) },
	func(w io.Writer, v any) error { return json.MarshalWrite(w, v) },
}
