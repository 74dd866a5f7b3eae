// Package printable escapes control characters in texts from outside, because objects
// hold strings that any tenant can write and a terminal would obey.
//
// It is pure, and must not know where the texts come from nor how they are laid out.
package printable
