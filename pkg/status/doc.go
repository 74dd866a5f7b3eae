// Package status turns Gati objects and their children into what people want to
// know about them: is it healthy, why not, what comes next. Text, JSON and the
// live view all render the Snapshot that Build returns.
//
// Build is pure. The package must not know of any client, clock, terminal or
// command, and it never fails: a list that could not be read is named in the
// snapshot, and the rest is still told.
package status
