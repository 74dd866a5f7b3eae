package rollout_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// three is a handler under Manual with three live versions, of which v1 has all traffic.
func three(t *testing.T) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyManual)
	for _, version := range []string{"v2", "v3"} {
		l.Declare(version, 1)
		pass(t, l, 12)
	}
	return l
}

// request sets or removes shares: "v1=60 v2-".
func requestShares(l *rollouttest.Life, text string) {
	maps.Copy(l.Records, changedRecords(l, text))
}

func changedRecords(l *rollouttest.Life, text string) map[string]rollout.Record {
	out := map[string]rollout.Record{}
	for _, word := range strings.Fields(text) {
		version, share, set := strings.Cut(word, "=")
		version = strings.TrimSuffix(version, "-")
		record := l.Records[version]
		record.Traffic = nil
		if set {
			var n int32
			if _, err := fmt.Sscan(share, &n); err != nil {
				panic(err)
			}
			record.Traffic = &n
		}
		out[version] = record
	}
	return out
}

// sharesOf returns the weights as they are: "v1 60 v2 40".
func sharesOf(l *rollouttest.Life) string {
	var parts []string
	for _, p := range l.Last.Workloads {
		if p.Weight > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", p.Unit.Version, p.Weight))
		}
	}
	return strings.Join(parts, " ")
}

// TestSharesArePercents is the table of what records lead to, one change after another.
func TestSharesArePercents(t *testing.T) {
	type change struct{ records, want, says string }
	tests := map[string][]change{
		"the stable version takes the rest": {{"v2=10", "v1 90 v2 10", ""}, {"v3=5", "v1 85 v2 10 v3 5", ""}, {"v2=0", "v1 95 v3 5", ""}},
		"also once another is stable":       {{"v2=60", "v1 40 v2 60", ""}, {"v3=10", "v1 30 v2 60 v3 10", ""}, {"v2=90", "v2 90 v3 10", ""}},
		"none is left for it":               {{"v2=60 v3=40", "v2 60 v3 40", ""}},
		"too much is scaled":                {{"v2=60 v3=60", "v2 50 v3 50", "120 % in all, scaled to 100 %"}},
		"its own share is its own":          {{"v1=30 v2=30", "v1 50 v2 50", "60 % in all, scaled to 100 %"}, {"v1=70", "v1 70 v2 30", ""}},
		"nothing takes the rest":            {{"v2=100", "v2 100", ""}, {"v2=50", "v2 100", "50 % in all, scaled to 100 %"}},
		"all zero keeps the shares":         {{"v1=70 v2=30", "v1 70 v2 30", ""}, {"v1=0 v2=0", "v1 70 v2 30", ""}},
		"unset keeps the shares":            {{"v1=70 v2=30", "v1 70 v2 30", ""}, {"v1- v2-", "v1 70 v2 30", ""}},
		"zero is not unset":                 {{"v2=10", "v1 90 v2 10", ""}, {"v2=0", "v1 100", ""}},
	}
	for name, changes := range tests {
		t.Run(name, func(t *testing.T) {
			l := three(t)
			if got := sharesOf(l); got != "v1 100" {
				t.Fatalf("%s before anything was requested", got)
			}
			for _, c := range changes {
				requestShares(l, c.records)
				pass(t, l, 20)
				if got := sharesOf(l); got != c.want {
					t.Fatalf("%s leads to %s, want %s: %s", c.records, got, c.want, l.Last.Reason)
				}
				if said := strings.Contains(l.Last.Reason, "scaled"); said != (c.says != "") || !strings.Contains(l.Last.Reason, c.says) {
					t.Errorf("%s: %s, want %q", c.records, l.Last.Reason, c.says)
				}
			}
		})
	}
}

// TestSharesThatCannotBeHad holds that they are said, and that the rest goes to others.
func TestSharesThatCannotBeHad(t *testing.T) {
	l := three(t)
	requestShares(l, "v2=20 v3=30")
	record := l.Records["v2"]
	record.Held = breaking
	l.Records["v2"] = record
	pass(t, l, 20)
	if got := sharesOf(l); got != "v1 70 v3 30" {
		t.Errorf("%s, want v1 70 v3 30: %s", got, l.Last.Reason)
	}
	if notes := strings.Join(l.Last.Notes, " "); !strings.Contains(notes, "v2 requests 20 % and gets none: "+breaking) {
		t.Errorf("the notes are %q", l.Last.Notes)
	}
}

// TestSharesWith holds what a change of records leads to before it is made, and that its
// undo leads back, to the percent, once it has come to rest.
func TestSharesWith(t *testing.T) {
	changes := []string{"v2=10", "v3=5", "v2=60", "v1=0", "v2=100 v3=0", "v2=50", "v1=1 v2=1 v3=1", "v1-", "v2=70 v3=70", "v3-", "v1- v2- v3-", "v3=33"}
	for start := range changes {
		l := three(t)
		for i := range changes {
			text := changes[(start+i)%len(changes)]
			before := sharesOf(l)
			got := rollout.SharesWith(l.Input(), trafficOf(changedRecords(l, text)))
			undo := rollout.UndoShares(l.Input(), trafficOf(changedRecords(l, text)))
			requestShares(l, text)
			pass(t, l, 20)
			if predicted := formatShares(got.After); predicted != sharesOf(l) {
				t.Fatalf("%s from %s: predicted %s, came to %s", text, before, predicted, sharesOf(l))
			}
			if formatShares(got.Before) != before {
				t.Fatalf("%s: before it %s was shown, it was %s", text, formatShares(got.Before), before)
			}
			if again := sharesOf(l); i%3 == 0 && again != before {
				requestShares(l, formatUndo(undo))
				pass(t, l, 20)
				if now := sharesOf(l); now != before {
					t.Fatalf("%s leads from %s to %s, and its undo %s to %s", text, before, again, formatUndo(undo), now)
				}
			}
		}
	}
}

func trafficOf(records map[string]rollout.Record) map[string]*int32 {
	out := map[string]*int32{}
	for version, r := range records {
		out[version] = r.Traffic
	}
	return out
}

func formatShares(shares []rollout.Share) string {
	var parts []string
	for _, s := range shares {
		if s.Percent > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s.Version, s.Percent))
		}
	}
	return strings.Join(parts, " ")
}

func formatUndo(undo map[string]*int32) string {
	var parts []string
	for _, version := range slices.Sorted(maps.Keys(undo)) {
		if undo[version] == nil {
			parts = append(parts, version+"-")
		} else {
			parts = append(parts, fmt.Sprintf("%s=%d", version, *undo[version]))
		}
	}
	return strings.Join(parts, " ")
}

// TestRefuseShare holds what a share is refused for, with the remedy.
func TestRefuseShare(t *testing.T) {
	tests := map[string]struct {
		bring   func(*testing.T) *rollouttest.Life
		version string
		want    string
	}{
		"free":    {three, "v2", ""},
		"unknown": {three, "v9", ""},
		"pinned": {func(t *testing.T) *rollouttest.Life {
			l := three(t)
			requestShares(l, "v2=100")
			pass(t, l, 20)
			l.Ask(request.Rollback, "v1")
			pass(t, l, 20)
			return l
		}, "v2", "the rollback to v1 by jane keeps all traffic there; end it first: kubectl gati rollout retry users"},
		"held": {func(t *testing.T) *rollouttest.Life {
			l := three(t)
			l.Records["v2"] = rollout.Record{Held: breaking}
			pass(t, l, 2)
			return l
		}, "v2", "v2 gets no weighted traffic: " + breaking},
		"inactive": {func(t *testing.T) *rollouttest.Life {
			l := three(t)
			l.Records["v2"] = rollout.Record{Inactive: true}
			pass(t, l, 2)
			return l
		}, "v2", "v2 gets no weighted traffic: its record says active: false; activate it first: kubectl gati version activate users v2"},
		"decommissioned": {func(t *testing.T) *rollouttest.Life {
			l := three(t)
			l.Ask(request.Decommission, "v2")
			for range 40 {
				pass(t, l, 20)
			}
			return l
		}, "v2", "v2 is decommissioned and has no pods; declare it again, or return to it: kubectl gati rollout rollback users --to v2"},
		"rejected": {func(t *testing.T) *rollouttest.Life {
			l := three(t)
			v3 := unitOf(l, "v3")
			l.State.Rollout.Rejected = []v1.RejectedStatus{{UnitRef: *v3.Ref(), Reason: "its containers restarted 3 times"}}
			return l
		}, "v3", "v3 was rejected: its containers restarted 3 times; try it again first: kubectl gati rollout retry users"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := tc.bring(t)
			if got := rollout.RefuseShare(l.Input(), tc.version); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			if tc.want == "" {
				return
			}
			before := sharesOf(l)
			requestShares(l, tc.version+"=40")
			pass(t, l, 20)
			if now := sharesOf(l); before != now {
				t.Errorf("the share was refused, and moved %s to %s", before, now)
			}
		})
	}
}
