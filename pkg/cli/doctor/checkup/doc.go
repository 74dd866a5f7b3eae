// Package checkup evaluates the facts read from a cluster: each check is a pure
// function from facts to findings, and each finding has a remedy.
//
// The package must not read anything itself, nor know how findings are printed. A fact
// that could not be read is reported as unknown, never as good or bad.
package checkup
