module example.com/svc/ci/mutate

go 1.24
