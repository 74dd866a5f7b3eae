// Package validation checks objects of gati.dev/v1. Each error names the field and
// the remedy.
//
// It repeats the CEL rules of the CRDs with the same messages: a request in v1alpha1, or
// a write while the webhook configuration is missing, has passed none of them. It adds
// rules that CEL cannot express; each such check gives the reason. Lengths, ranges,
// enumerations and patterns that the CRD states in OpenAPI are not repeated: the pipeline
// of package admit runs the schema itself.
//
// The checks are small functions in one list for each kind. They do not assume that
// defaults were set, or that bounds hold. The package must not know of clients, clocks or
// other objects: what depends on those is checked by its callers.
package validation
