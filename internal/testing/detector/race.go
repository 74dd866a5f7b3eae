//go:build race

package detector

// Enabled reports whether the race detector slows everything down.
const Enabled = true
