// Package startup makes the start of a short-lived program cheap. The libraries of
// kubectl register some thousand types before main runs: with the collector's usual
// goal of 100 % a part of the CPU of "--help" goes into garbage collection of what is
// all still in use (make bench prints its time).
//
// Packages are initialised in the order of their import paths as far as their
// imports allow. This one needs nothing but the runtime, so it comes before those
// of k8s.io. It must not import anything else.
package startup

import "runtime/debug"

// goal is the collector's while packages are initialised: with it the first
// collection comes at 16 MiB instead of at 4.
const goal = 400

var usual = debug.SetGCPercent(goal)

// Over gives the collector the goal back that it had: GOGC, or 100.
func Over() { debug.SetGCPercent(usual) }
