// Package metrics exports the status of each handler to Prometheus: at most ten
// series per handler, independent of the number of its versions, because no label
// names a version. Alerts on them are in manifests/monitoring, their names in
// docs/observability.md.
//
// It reads what was decided and stored. It must not measure, decide or write
// anything, and knows no cluster: handlers come from the function that it is given.
package metrics
