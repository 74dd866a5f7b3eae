// Package startup reduces the start time of a short-lived program. The libraries of
// kubectl register some thousand types before main runs. With the garbage
// collector's default goal of 100 %, part of the CPU of "--help" goes into
// collections that free nothing (make bench prints its time).
//
// Packages are initialised in the order of their import paths as far as their
// imports allow. This one imports only the runtime, so it comes before those of
// k8s.io. It must not import anything else.
package startup

import "runtime/debug"

// goal is the collector's goal during initialisation: the first collection then
// comes at 16 MiB instead of 4.
const goal = 400

var usual = debug.SetGCPercent(goal)

// Over restores the collector's goal, which is GOGC or 100.
func Over() { debug.SetGCPercent(usual) }
