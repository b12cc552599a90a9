//go:build pairs

package main

import (
	"flag"
	"log/slog"
	"os"

	"example.com/svc/interop/contract/dist"
)

// This file is in the place of the other checks where the made-up services are.
func init() {
	seed := flag.Uint64("pairseed", 1, "of the values")
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	if checkPairs(dist.Services, *values, *seed) {
		os.Exit(1)
	}
	os.Exit(0)
}
