// Package signals measures the traffic of workloads: requests, failures, latencies,
// and requests in flight.
//
// A Source measures many workloads in one go. There are two, Prometheus and Pods;
// having none is an ordinary case. The Hub asks the sources in rounds for the
// workloads that a decision depends on, and keeps the last readings. Read hub.go
// first.
//
// A reading states the time that it covers. What was not counted is unknown, with
// the reason: never zero, and never a failure. The package must not know what
// follows from a reading (pkg/rollout), nor read objects of Kubernetes.
package signals
