// Package metrics tells Prometheus what the status of each handler says: at most ten
// series a handler, however many versions that has, for no label names a version.
// Alerts on them are in manifests/monitoring, their names in docs/monitoring.md.
//
// It reads what was decided and stored. It must not measure, decide or write
// anything, and knows no cluster: handlers come from the function that it is given.
package metrics
