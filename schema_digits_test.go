package svc

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// Verify over every pair of bounds of a small world, and at the edges of the
// large one, that the pattern of a range takes the numbers in it and no other.
func TestSpanPattern(t *testing.T) {
	numbers := []int64{-1234, -1001, -1000, -999, -130, -129, -128, -101, -100, -99, -12, -10, -9, -2, -1,
		0, 1, 2, 9, 10, 11, 19, 20, 99, 100, 101, 127, 128, 255, 256, 999, 1000, 1001, 1234, 65535, 65536,
		math.MinInt32 - 1, math.MinInt32, math.MaxInt32, math.MaxInt32 + 1}
	for _, low := range numbers {
		for _, high := range numbers {
			pattern := "^(" + span{boundFrom(low), boundFrom(high)}.pattern("0") + ")$"
			re := regexp.MustCompile(pattern)
			for _, n := range numbers {
				for _, n := range []int64{n - 1, n, n + 1} {
					if got, want := re.MatchString(strconv.FormatInt(n, 10)), low <= n && n <= high; got != want {
						t.Fatalf("%d to %d: %s takes %d: %t, want %t", low, high, pattern, n, got, want)
					}
				}
			}
		}
	}
}

func boundFrom(n int64) bound { return bound{magnitude(n), n < 0} }

func TestSpanPatternText(t *testing.T) {
	for _, test := range []struct {
		low, high int64
		want      string
	}{
		{0, 0, "-?0"},
		{1, 9, "[1-9]"},
		{1, 5, "[1-5]"},
		{0, 255, "-?0|[1-9][0-9]?|1[0-9]{2}|2([0-4][0-9]|5[0-5])"},
		{-128, 127, "-?0|-([1-9][0-9]?|1([01][0-9]|2[0-8]))|[1-9][0-9]?|1([01][0-9]|2[0-7])"},
		{-99, 99, "-?0|-?[1-9][0-9]?"},
		{math.MinInt64, math.MaxInt64, "-?0|-?[1-9][0-9]{0,18}"},
		{1, math.MaxInt64, "[1-9][0-9]{0,18}"},
		{2, 1, nothingPattern},
		{-1, -2, nothingPattern},
	} {
		if got := (span{boundFrom(test.low), boundFrom(test.high)}).pattern("-?0"); got != test.want {
			t.Errorf("%d to %d: %s, want %s", test.low, test.high, got, test.want)
		}
	}
}
