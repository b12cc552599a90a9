module example.com/svc/interop/typescript

go 1.25.0

require (
	example.com/bookmarks v0.0.0
	example.com/svc v0.0.0
)

replace (
	example.com/bookmarks => ../../examples/bookmarks
	example.com/svc => ../..
)
