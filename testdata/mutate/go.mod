module example.com/svc/testdata/mutate

go 1.24
