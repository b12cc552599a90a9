module example.com/svc/testdata/bench

go 1.24
