module example.com/svc/interop/webhooks

go 1.24

require example.com/svc v0.0.0

replace example.com/svc => ../..
