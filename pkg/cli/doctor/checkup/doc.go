// Package checkup judges what was read of a cluster: each check is a pure function
// from facts to findings, and each finding says what to do.
//
// The package must not read anything itself, nor know how findings are printed.
// A fact that could not be read is told as unknown, never as well or as wrong.
package checkup
