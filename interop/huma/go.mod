module example.com/svc/interop/huma

go 1.25.0

require example.com/svc v0.0.0

require github.com/danielgtaylor/huma/v2 v2.37.2

replace example.com/svc => ../..
