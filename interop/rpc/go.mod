module example.com/svc/interop/rpc

go 1.24

require github.com/creachadair/jrpc2 v1.3.1

require (
	github.com/creachadair/mds v0.23.0 // indirect
	golang.org/x/sync v0.11.0 // indirect
)
