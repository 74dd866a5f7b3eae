// Package output writes what commands have to say: objects in the formats of
// kubectl's -o, tables for people, colour where it is wanted. Text for people goes
// through a Screen, which escapes control characters; data goes around it, except on a
// terminal.
//
// The package must not know of any kind of object or command.
package output
