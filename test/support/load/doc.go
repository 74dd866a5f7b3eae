// Package load sends steady traffic to a handler and counts requests and answers by
// version and status. Half of the requests are POSTs with a body, and half use new
// connections. It repeats no request, and disables the retries of Go's client. A
// request without an answer in time is a failure.
//
// The loop is open: each request is sent when it is due, whether or not earlier ones
// were answered. The package must not know Kubernetes.
package load
