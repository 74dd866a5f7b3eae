package rollout_test

import (
	"fmt"
	"slices"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// TestTwentyVersionsKeepTheRightPins holds that of 20 live versions the newest and
// the tagged ones are reached by their header, and that the others are named.
func TestTwentyVersionsKeepTheRightPins(t *testing.T) {
	l := settled(t, v1.StrategyManual)
	for n := 2; n <= 20; n++ {
		l.Declare(fmt.Sprintf("v%d", n), 1)
		pass(t, l, 12)
	}
	l.Records["v3"] = rollout.Record{Tags: []string{"kept"}}
	pass(t, l, 2)
	var pinned []string
	for _, w := range l.Last.Workloads {
		if w.Pinned {
			pinned = append(pinned, w.Unit.Version)
		}
	}
	// v1 is stable, v3 has a tag; the rest of the room is for the newest.
	want := []string{"v1", "v3", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20"}
	if !slices.Equal(pinned, want) || len(pinned) != rollout.MaxPins {
		t.Errorf("pinned are %v, want %v", pinned, want)
	}
	unpinned := slices.Sorted(slices.Values(l.Last.Unpinned))
	if want := []string{"v2", "v4", "v5", "v6", "v7"}; !slices.Equal(unpinned, want) {
		t.Errorf("unpinned are %v, want %v", unpinned, want)
	}
}
