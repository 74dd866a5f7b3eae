// Package notify tells the addresses that an operator configured what happens to
// handlers and modules: each event at least once, always with the same id.
//
// An event is found in a stored status, so that what a leader has not delivered the
// next one finds again. What was delivered is kept in a ConfigMap. Each sink has a
// queue of its own, and no reconciliation waits for any. The package must not decide
// anything about a rollout, and takes no address from a user's object.
package notify
