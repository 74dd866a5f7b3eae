// Package tui is the live view: a Bubble Tea program over snapshots of pkg/status.
// (Bubble Tea is github.com/charmbracelet/bubbletea; its Go import path is
// charm.land/bubbletea/v2.) It has a list of handlers and modules, a page of one of
// them, its versions, and what differs between two of those. Read model.go first.
//
// The package must not know where snapshots come from, nor how a request is made:
// it imports pkg/status and the drawing libraries only, and what it needs done it
// asks of a Backend. Update waits for nothing and reads no clock; commands do, and
// what they find comes back as a message.
package tui
