package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// makeFile writes a file of the pattern and returns its hash.
func makeFile(name string, size int64) (hash string, err error) {
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), &pattern{size: size})
	if closed := f.Close(); err == nil {
		err = closed
	}
	return hex.EncodeToString(h.Sum(nil)), err
}
