// Package tui is the live view: a Bubble Tea program over snapshots of pkg/status.
// (Bubble Tea is github.com/charmbracelet/bubbletea; its Go import path is
// charm.land/bubbletea/v2.) It has a list of handlers and modules, a page of one of
// them, its versions, and a comparison of two of those. Read model.go first.
//
// The package must not know where snapshots come from or how a request is made: it
// imports pkg/status, pkg/printable and the drawing libraries only, and makes requests
// through a Backend. Texts of the cluster are made printable where they enter the model:
// those of snapshots and of the Backend, since styles and cursor are sequences, too.
// Update does not block and reads no clock; commands do, and return messages.
package tui
