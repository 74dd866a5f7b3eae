// Package expand turns a resolved object into the plan of its children: one pure
// function for handlers and one for modules, used by the webhook, the controllers,
// the plugin and the targets.
//
// A pod template is frozen by a Revision, which is found by the hash of the user's
// own inputs. A newer gati-webhook with other derived defaults finds the old
// revision and uses its template byte for byte, so an upgrade restarts no pod.
//
// The package must not know of clients, clocks, I/O or of decisions about versions
// and weights: those come in as data.
package expand
