module example.com/svc/interop/transcribe/published

go 1.24

require (
	example.com/svc v0.0.0
	github.com/stripe/stripe-mock v0.203.0
)

replace example.com/svc => ../../..
