// Package cli is kubectl-gati: the root command, what all commands share, and
// how errors become one line and an exit code. Each verb is a folder below.
//
// Nothing here ends the process or reaches for its streams or clock: main hands
// them in.
package cli
