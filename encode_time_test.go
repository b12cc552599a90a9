package svc

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Verify that our own way of writing times in UTC writes what package time
// writes.
func TestAppendUTC(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	nanos := []int64{0, 1, 10, 999_999_999, 500_000_000, 123_000_000, 1_000, 90_000_001}
	for i := range 200_000 {
		nano := nanos[i%len(nanos)]
		if i%3 == 0 {
			nano = random.Int64N(1_000_000_000)
		}
		at := time.Unix(first+random.Int64N(last-first+1), nano).UTC()
		want, err := at.AppendText(nil)
		year, month, day := at.Date()
		if got := appendUTC(nil, at, year, int(month), day); err != nil || string(got) != string(want) {
			t.Fatalf("appendUTC = %s, want %s, %v", got, want, err)
		}
	}
}
