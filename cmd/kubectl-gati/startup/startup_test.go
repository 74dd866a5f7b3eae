package startup

import (
	"runtime/debug"
	"testing"
)

func TestOverGivesTheGoalBack(t *testing.T) {
	if at := debug.SetGCPercent(goal); at != goal {
		t.Errorf("the goal is %d %% at the start, want %d %%", at, goal)
	}
	Over()
	if at := debug.SetGCPercent(usual); at != usual || usual == goal {
		t.Errorf("the goal is %d %% after the start, and was %d %% before it", at, usual)
	}
}
