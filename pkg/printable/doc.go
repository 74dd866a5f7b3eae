// Package printable escapes the control characters of texts from outside, so that a
// terminal shows them and obeys none: objects hold strings that any tenant can write.
//
// It is pure, and must not know where the texts come from nor how they are laid out.
package printable
