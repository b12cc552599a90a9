module example.com/svc/bench/rollout

go 1.24
