// Package metrics exports the status of each handler to Prometheus: at most ten
// series per handler, independent of the number of its versions, because no label
// names a version. Alerts on them are in manifests/monitoring, their names in
// docs/observability.md.
//
// It reads stored decisions. It must not measure, decide or write anything, and has no
// client: a function passed by the caller lists the handlers.
package metrics
