// Package tracing exports what happens to an apply as one OpenTelemetry trace: its
// admission, the decision, each write, and the pods that become ready.
//
// The id of a trace is computed from the object, so hooks and controllers agree on it
// without passing it on. A nil Tracer does nothing and costs nothing. The package must
// not decide anything, and a trace that cannot be exported delays nothing.
package tracing
