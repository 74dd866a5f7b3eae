// Package signals measures what reaches the pods of a workload and how it is
// answered: requests, failures, times, and what is under way.
//
// A Source measures many workloads in one go; Prometheus and Pods are the two that
// there are, and none at all is an ordinary case. The Hub asks them in rounds, when
// somebody wants to know, and keeps the last readings. Read hub.go first.
//
// A reading says what it covers, from when to when. What was not counted is unknown,
// with the reason: it is never zero, and never a failure. The package must not know
// what follows from a reading (pkg/rollout), nor read objects of Kubernetes.
package signals
