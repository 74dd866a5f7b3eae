package proc

import (
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	rest := strings.Repeat("0 ", 18)
	tests := []struct {
		stat, state, start string
		ok                 bool
	}{
		{"7 (etcd) S " + rest + "4711 0", "S", "4711", true},
		{"7 (a ) b (c) Z " + rest + "12 0", "Z", "12", true},
		{"7 (etcd) S 1 2", "", "", false},
		{"", "", "", false},
	}
	for _, test := range tests {
		state, start, ok := parseStat(test.stat)
		if state != test.state || start != test.start || ok != test.ok {
			t.Errorf("%q: %q, %q, %v", test.stat, state, start, ok)
		}
	}
}
