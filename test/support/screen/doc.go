// Package screen is a terminal for tests: it runs a command in one, types into it
// and reads the screen as a person would, whatever the order in which the command
// draws it.
//
// The package must not know of any command.
package screen
