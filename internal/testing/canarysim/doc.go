// Package canarysim simulates the traffic of canaries, in counts per interval, and the
// rules that judge them: Gati's, and those that other tools document. Tests and the
// tables of docs/analysis.md use it.
//
// Everything derives from a seed: the same call gives the same counts.
package canarysim
