// Package v1 holds the types of the gati.dev/v1 API: GatiHandler, GatiModule and
// GatiVersion. v1 is the hub of conversion and the storage version.
//
// The markers on the types are the only source of the CRDs' static defaults, bounds and
// CEL rules, which hold even while gati-webhook is down. SetDefaults repeats the static
// defaults in Go for code that sees an object before the API server has defaulted it. A
// test compares the two.
//
// The package holds data only. It must not know of clients, clocks or decisions.
//
// +kubebuilder:object:generate=true
// +groupName=gati.dev
package v1
