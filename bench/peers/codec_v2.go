//go:build goexperiment.jsonv2

package main

import "encoding/json/v2"

// experiment says whether this program was built with GOEXPERIMENT=jsonv2,
// under which encoding/json is another program too.
const experiment = true

var byHandCodec = codec{
	func(text []byte, v any) error { return json.Unmarshal(text, v) },
	func(v any) ([]byte, error) { return json.Marshal(v) },
}
