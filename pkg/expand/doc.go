// Package expand turns a resolved object into the plan of its children: one pure
// function for handlers and one for modules, which feed the webhook, the
// controllers, the plugin and the targets alike.
//
// What enters a pod template is frozen by a Revision, which is found by the hash
// of the user's own inputs: a newer gati-webhook with other derived defaults
// finds the old revision and uses its template byte for byte, so an upgrade rolls
// no pod.
//
// The package must not know of clients, clocks, I/O or of what is decided about
// versions and weights: those come in as data.
package expand
