// Package v1 holds the types of the gati.dev/v1 API: GatiHandler, GatiModule
// and GatiVersion. v1 is the hub of conversion and the version that is stored.
//
// The markers on the types are the source of the CRDs: static defaults, bounds
// and CEL rules stand here and nowhere else, so that they hold while
// gati-webhook is down. SetDefaults repeats the static defaults in Go for code
// that sees an object before the API server has defaulted it; a test holds the
// two together.
//
// The package must not know of any client, clock or decision: only of data.
//
// +kubebuilder:object:generate=true
// +groupName=gati.dev
package v1
