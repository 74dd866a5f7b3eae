// Package notify sends events of handlers and modules to the addresses that an operator
// configures: each event at least once, always with the same id.
//
// Events are derived from stored status, so a new leader finds the events that the
// previous one did not deliver. A ConfigMap records the delivered ones. Each sink has
// its own queue, and no reconciliation waits for one. The package must not decide
// anything about a rollout, and uses no address from a user's object.
package notify
