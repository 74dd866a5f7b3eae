// Package tracing exports each apply as one OpenTelemetry trace: its admission, the
// decision, each write, and the pods that become ready.
//
// The trace id is computed from the object, so hooks and controllers use the same id
// without passing it on. A nil Tracer does nothing. The package must not decide
// anything, and a failing export delays nothing.
package tracing
