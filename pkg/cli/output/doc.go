// Package output prints the results of commands: objects in the formats of kubectl's
// -o, and tables with optional colour. Text for people goes through a Screen, which
// escapes control characters. Data bypasses it, except on a terminal.
//
// The package must not know of any kind of object or command.
package output
