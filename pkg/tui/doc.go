// Package tui is the live view: a Bubble Tea program over snapshots of pkg/status.
// (Bubble Tea is github.com/charmbracelet/bubbletea; its Go import path is
// charm.land/bubbletea/v2.) It has a list of handlers and modules, a page of one of
// them, its versions, and a comparison of two of those. Read model.go first.
//
// The package must not know where snapshots come from or how a request is made: it
// imports pkg/status and the drawing libraries only, and makes requests through a
// Backend. Update does not block and reads no clock; commands do, and return messages.
package tui
