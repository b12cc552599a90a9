package svc

import (
	"strconv"
	"testing"
)

// Verify that decimal writes what strconv writes, around the numbers that it
// does not ask strconv for.
func TestDecimal(t *testing.T) {
	for n := range 1100 {
		if got := decimal(n); got != strconv.Itoa(n) {
			t.Errorf("decimal(%d) = %q", n, got)
		}
	}
}
