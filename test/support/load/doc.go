// Package load sends steady traffic to a handler and counts what comes back: as
// many answers as requests, by version and status. Half of the requests are POSTs
// with a body, half come on connections of their own. Nothing is sent twice, not
// even what Go's client would send again by itself, and a request without an
// answer in time is a failure.
//
// The loop is open: each request is sent when it is due, whatever became of those
// before. The package must not know Kubernetes.
package load
