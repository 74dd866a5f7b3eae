//go:build !race

package rollout_test

// raceEnabled tells that the race detector slows everything down.
const raceEnabled = false
