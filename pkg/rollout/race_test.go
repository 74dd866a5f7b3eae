//go:build race

package rollout_test

// raceEnabled reports whether the race detector slows everything down.
const raceEnabled = true
