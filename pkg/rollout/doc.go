// Package rollout decides what each version of a handler should be: a pure
// machine from spec, state and observation to the next state, the plan that
// follows from it and one sentence of reason.
//
// Read next.go first: it is the story of one decision. What moves is a unit, a
// template of a version that one workload runs. The rollout has one explicit
// phase; phases.go has the table of its changes. stable.go, weighted.go and
// rollback.go say what each phase does, inplace.go what a RollingUpdate does in
// its one workload, and manual.go how records set the shares; watch.go judges a
// version that was promoted. A rollout goes on
// when a chain of gates lets it (gates.go). Weights and pods are computed in
// capacity.go, with a gateway, and split.go, without one.
//
// What a rollout waits for (waiting.go) and why a version stays (stays.go) are
// decided here alone and persisted; who shows them adds only how much time is
// left. Effect says what a request would do, by the same code that does it.
//
// The state lives in GatiHandler.status; a decision is persisted before it is
// acted upon. The package must not know of clients, clocks or objects of
// Kubernetes other than our own API.
package rollout
