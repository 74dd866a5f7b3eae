// Package status turns Gati objects and their children into a view for people: the
// health, its reason, and the next step. Text, JSON and the live view all render the
// Snapshot that Build returns.
//
// The controller decides and persists the health, what a rollout waits for and why a
// version stays. This package renders them and derives none. setVerdict alone overlays
// newer observations of the view: pods, and objects that the controller has not handled
// yet.
//
// Build is pure and never fails: the snapshot names a list that could not be read and
// shows the rest. The package must not know of clients, clocks, terminals or commands.
package status
