package startup

import (
	"runtime/debug"
	"testing"
)

func TestOverGivesTheGoalBack(t *testing.T) {
	t.Cleanup(func() { debug.SetGCPercent(goal) }) // As at the start, for the next run.
	if at := debug.SetGCPercent(goal); at != goal {
		t.Errorf("the goal is %d %% at the start, want %d %%", at, goal)
	}
	Over()
	if at := debug.SetGCPercent(usual); at != usual || usual == goal {
		t.Errorf("the goal is %d %% after the start, and was %d %% before it", at, usual)
	}
}
