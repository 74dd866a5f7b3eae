// Package status turns Gati objects and their children into a view for people: the
// health, its reason, and the next step. Text, JSON and the live view all render the
// Snapshot that Build returns.
//
// What a rollout waits for and why a version stays are decided by the controller and
// persisted; this package renders them and derives nothing of its own.
//
// Build is pure. The package must not know of any client, clock, terminal or
// command, and it never fails: a list that could not be read is named in the
// snapshot, and the rest is still shown.
package status
