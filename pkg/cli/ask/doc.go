// Package ask makes a request to a handler, waits until it is handled, and prints its
// effect and how to undo it. The request commands are thin verbs over it.
//
// The effect shown before a request comes from rollout.Effect, the code that the
// controller runs. The outcome is the controller's own sentence.
package ask
