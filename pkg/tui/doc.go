// Package tui is the live view of one handler or module: a Bubble Tea program
// over snapshots of pkg/status. (Bubble Tea is github.com/charmbracelet/bubbletea;
// its Go import path is charm.land/bubbletea/v2.)
//
// The package must not know where snapshots come from: it imports pkg/status
// and the drawing libraries only. Nothing in Update or View waits or reads; the
// one command it has waits for the next snapshot.
package tui
