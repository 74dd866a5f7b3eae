// Package tui is the live view: a Bubble Tea program over snapshots of pkg/status.
// (Bubble Tea is github.com/charmbracelet/bubbletea; its Go import path is
// charm.land/bubbletea/v2.) It shows a list of handlers and modules, a page for each,
// its versions, and a comparison of two versions. Read model.go first.
//
// The package must not know where snapshots come from or how a request is made. It
// imports pkg/status, pkg/printable and the drawing libraries only, and makes requests
// through a Backend. Texts of the cluster are escaped where they enter the model, from
// snapshots and from the Backend; later would be too late, since styles and cursor are
// escape sequences as well. Update does not block and reads no clock; commands do, and
// return messages.
package tui
