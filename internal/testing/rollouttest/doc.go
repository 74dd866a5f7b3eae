// Package rollouttest models a cluster for rollout tests: pods that become ready after
// a while, crash, or never start; a gateway that accepts late, refuses, or is absent.
// Life runs a handler in it through random events, and Checker checks every decision
// against the machine's guarantees.
//
// It is for tests only. The checker keeps its own records: it must not rely on the
// machine's state for facts that it can observe itself.
package rollouttest
