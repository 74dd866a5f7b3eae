// Package canarysim simulates the traffic of canaries, in counts of intervals, and the
// rules that judge them: ours, and those of other tools as they document them. Tests and
// the tables of docs/analysis.md use it.
//
// All of it follows from a seed: the same call gives the same counts.
package canarysim
