// Package live is the tui.Backend of a cluster: it finds what the user may do, makes
// requests after a dry run on the server, and compares versions.
//
// The package must not know how the view is drawn.
package live
