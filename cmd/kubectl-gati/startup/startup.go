// Package startup makes the start of a short-lived program cheap. The libraries of
// kubectl register some thousand types before main runs: with the collector's usual
// goal of 100 % a quarter of the CPU of "--help" was garbage collection of what is
// all still in use.
//
// Packages are initialised in the order of their import paths as far as their
// imports allow. This one needs nothing but the runtime, so it comes before those
// of k8s.io. It must not import anything else.
package startup

import "runtime/debug"

// goal is the collector's while packages are initialised: with it the first
// collection comes at 16 MiB, where the start ends with some 8.
const goal = 400

var usual = debug.SetGCPercent(goal)

// Over gives the collector the goal back that it had: GOGC, or 100.
func Over() { debug.SetGCPercent(usual) }
