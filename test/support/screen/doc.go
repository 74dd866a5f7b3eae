// Package screen is a terminal for tests: it runs a command, types into it and reads
// the screen like a user, in whatever order the command draws it.
//
// The package must not know of any command.
package screen
