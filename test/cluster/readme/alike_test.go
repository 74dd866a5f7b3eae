package readme

import "testing"

// TestAlike tells what only looks different from what is.
func TestAlike(t *testing.T) {
	for name, tc := range map[string]struct {
		want, got string
		alike     bool
	}{
		"the same":         {"a\nb", "a\nb", true},
		"an age":           {"users  2s  Healthy", "users  1m12s   Healthy", true},
		"a clock":          {"q quit    13:58:10 UTC", "q quit  01:02:03 UTC", true},
		"a pod's name":     {"handler-greet-5d4f7c9b8-abcde died", "handler-greet-5d4f7c9b8-x2z4q died", true},
		"a number":         {"2/2 ready", "1/2 ready", false},
		"a word":           {"Healthy", "Paused", false},
		"a line more":      {"a", "a\nb", false},
		"cut off earlier":  {"2s  Version v2 serves all…", "1m12s  Version v2 serv…", true},
		"cut off, another": {"2s  Version v2 serves all…", "1m12s  Version v1 serv…", false},
		"cut off in one":   {"Version v2 serves…", "Version v2 serves", false},
	} {
		if got := areAlike(tc.want, tc.got); got != tc.alike {
			t.Errorf("%s: alike is %t", name, got)
		}
	}
}
