package analysis

import "testing"

// TestOddsOfSilence holds that the odds are below 1 in expectation for a version that has its
// share: they are a likelihood ratio, which is 1 at the limit.
func TestOddsOfSilence(t *testing.T) {
	for others, want := range map[int64][2]float64{0: {1, 1}, 50: {9, 11}, 100: {80, 120}} {
		if got := OddsOfSilence(0.05, others); got < want[0] || got > want[1] {
			t.Errorf("beside %d requests at 5 %%: odds of %.1f to 1, want %v", others, got, want)
		}
	}
}
