//go:build !goexperiment.jsonv2

package main

import "encoding/json"

// experiment says whether this program was built with GOEXPERIMENT=jsonv2,
// under which encoding/json is another program too.
const experiment = false

var byHandCodec = codec{json.Unmarshal, json.Marshal}
