// Package cli is kubectl-gati: the root command, the parts that commands share, and the
// mapping of errors to one line and an exit code. Each command is a folder below.
//
// No code here ends the process or uses global streams or the clock: main passes them
// in.
package cli
