package svc

import "testing"

// Verify that ids have one text if they have one value, and that plain ones have that which they
// always had: the keys of calls in flight are made of it.
func TestPlainIDs(t *testing.T) {
	for _, test := range []struct{ id, want string }{
		{"1", "1"}, {"1.0", "1"}, {"10e-1", "1"}, {"1E0", "1"}, {"-0", "0"}, {"0.0e9", "0"},
		{"100", "100"}, {"1e2", "100"}, {"-70", "-70"},
		{"1.5", "1.5"}, {"1.50", "1.5"}, {"15e-1", "1.5"}, {"-0.05", "-0.05"}, {"5e-2", "0.05"}, {"0.5", "0.5"},
		{"9007199254740993", "9007199254740993"}, {"9007199254740993.0", "9007199254740993"},
		{"1e400", "1e400"}, {"10e399", "1e400"}, {"1e-400", "1e-400"},
		{`"a"`, `"a"`}, {`"\u0061"`, `"a"`}, {`"\/é\n"`, `"/é\n"`}, {`"1"`, `"1"`}, {"null", "null"},
	} {
		t.Run(rowName(test.id), func(t *testing.T) {
			if got := string(appendPlainID([]byte("k#"), []byte(test.id))); got != "k#"+test.want {
				t.Errorf("%s, want k#%s", got, test.want)
			}
		})
	}
}
