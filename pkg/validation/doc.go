// Package validation checks objects of gati.dev/v1. Each error names the field and
// the remedy.
//
// It repeats all rules of the CRDs' OpenAPI and CEL with the same messages: a
// request in v1alpha1, or a write while the webhook configuration is missing, has
// passed none of them. It adds rules that CEL cannot express; each such check gives
// the reason.
//
// The checks are small functions in one list for each kind. They do not assume that
// defaults were set. The package must not know of clients, clocks or other objects:
// what depends on those is checked by its callers.
package validation
