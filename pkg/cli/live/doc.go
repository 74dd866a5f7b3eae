// Package live does what the live view needs done: it asks what the user may do,
// lets the server judge a request, makes it, and compares versions. It is the
// tui.Backend of a cluster.
//
// The package must not know what is drawn.
package live
