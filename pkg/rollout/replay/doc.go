// Package replay records what the machine of pkg/rollout was given and what it decided, and
// decides again: a difference is a defect, or a rule that another release has changed.
//
// A Recorder keeps the decisions of one rollout in bounded memory; the record that it makes
// goes to a ConfigMap. Each entry has the whole input, so that what is left of a record can
// be decided again, whatever was dropped or lost.
//
// The controllers write a record once, when a rollout ends or fails: a write for each interval
// would cost as much as the rollout, and the status has no room for it.
//
// The package must not decide about a version, nor know where records are stored.
package replay
