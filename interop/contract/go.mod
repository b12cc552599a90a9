module example.com/svc/interop/contract

go 1.24

require (
	example.com/svc v0.0.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require golang.org/x/text v0.14.0 // indirect

replace example.com/svc => ../..
