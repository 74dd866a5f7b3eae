// Package rollout decides what each version of a handler should be: a pure
// machine from spec, state and observation to the next state, the plan that
// follows from it and one sentence of reason.
//
// Read next.go first: it is the story of one decision. What moves is a unit, a
// template of a version that one workload runs. The rollout has one explicit
// phase (canary.go, manual.go and rolling.go say what each does), and goes on
// when a chain of gates lets it (gates.go). Weights and pods are computed in
// capacity.go, with a gateway, and split.go, without one.
//
// The state lives in GatiHandler.status; a decision is persisted before it is
// acted upon. The package must not know of clients, clocks or objects of
// Kubernetes other than our own API.
package rollout
