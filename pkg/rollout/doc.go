// Package rollout decides what each version of a handler should be: a pure
// machine from spec, state and observation to the next state and one sentence
// of reason.
//
// The state lives in GatiHandler.status. The package must not know of clients,
// clocks or objects of Kubernetes other than our own API.
package rollout
