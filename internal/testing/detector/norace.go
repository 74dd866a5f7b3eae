//go:build !race

// Package detector knows whether tests run under the race detector, which makes them
// some ten times slower: long ones then do a part of their work. It must not know them.
package detector

// Enabled reports whether the race detector slows everything down.
const Enabled = false
