// Package ask makes a request of a handler, waits until it was handled, and prints its
// effect and how to undo it. The commands that make requests are thin verbs over it.
//
// The effect shown before a request is the view's, which comes from rollout.Effect,
// the code that the controller runs. The outcome is the controller's own sentence.
package ask
