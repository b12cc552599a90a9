module example.com/svc/bench/costs

go 1.25

require example.com/svc v0.0.0

replace example.com/svc => ../..
