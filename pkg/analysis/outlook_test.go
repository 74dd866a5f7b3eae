package analysis

import "testing"

// TestOutlook holds what is said before a verdict: a version of which half the requests fail
// is not healthy so far, and one that has recovered is not failing.
func TestOutlook(t *testing.T) {
	allowed, within := 0.05, 0.01
	absolute := Question{Alpha: 0.01, Detect: 5, Allowed: &allowed}
	compared := Question{Alpha: 0.01, Detect: 5, Within: &within}
	good, bad, few := Counts{100, 0}, Counts{116, 58}, Counts{3, 1}
	for name, tc := range map[string]struct {
		q         Question
		intervals []Interval
		want      Outlook
	}{
		"nothing yet":              {absolute, nil, HealthySoFar},
		"no failure":               {absolute, []Interval{{Target: good}}, HealthySoFar},
		"half of them":             {absolute, []Interval{{Target: bad}}, Failing},
		"a fault that has ended":   {absolute, append([]Interval{{Target: Counts{10, 8}}}, many(4, Interval{Target: Counts{300, 0}})...), Undecided},
		"long ago":                 {absolute, append([]Interval{{Target: few}}, many(60, Interval{Target: good})...), HealthySoFar},
		"stable fails as much":     {compared, []Interval{{Target: bad, Compared: &Pair{bad, bad}}}, HealthySoFar},
		"stable is well":           {compared, []Interval{{Target: bad, Compared: &Pair{bad, good}}, {Target: bad, Compared: &Pair{bad, good}}}, Failing},
		"nothing to compare it to": {compared, []Interval{{Target: bad}}, Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			for _, in := range tc.intervals {
				s = tc.q.Observe(s, in)
			}
			if got := tc.q.Outlook(s); got != tc.want {
				t.Errorf("outlook %d with odds of %.3g, want %d", got, tc.q.Evidence(s), tc.want)
			}
		})
	}
}

func many(n int, in Interval) (out []Interval) {
	for range n {
		out = append(out, in)
	}
	return out
}
