// Package rollout decides the weight and replicas of each version of a handler: a pure
// machine from spec, state and observation to the next state, the plan that follows from it
// and one sentence of reason.
//
// Read next.go first: it has the order of one decision. The machine moves units: a unit is
// a template of a version that one workload runs. The rollout has one explicit phase;
// phases.go has the table of its changes. stable.go, weighted.go and rollback.go implement
// the phases, inplace.go a RollingUpdate in its one workload, and manual.go the shares that
// records set; watch.go judges a promoted version. A rollout continues when a chain of
// gates passes (gates.go). Weights and pods are computed in capacity.go, with a gateway,
// and split.go, without one.
//
// What a rollout waits for (waiting.go) and why a version stays (stays.go) are decided here
// alone and persisted; views add only the remaining time. Effect computes the effect of a
// request with the code that handles it.
//
// The state lives in GatiHandler.status; a decision is persisted before it is
// acted upon. The package must not know of clients, clocks or objects of
// Kubernetes other than our own API.
package rollout
