// Package rollouttest has a model of a cluster for the tests of what rolls out:
// pods that become ready after a while, crash, or never come up; a gateway that
// accepts late, refuses, or is absent. Life lets a handler live in it through
// random events, and Checker holds every decision to what the machine promises.
//
// It is for tests alone. The checker keeps its own books: it must not trust what
// the machine notes in its state where it can see the same for itself.
package rollouttest
