// Package validation says what is wrong with an object of gati.dev/v1: where, and
// what to do about it.
//
// It repeats all that the CRDs say in OpenAPI and CEL, with the same meaning and
// the same sentences: a request in v1alpha1, or a write while the webhook's
// configuration is away, has passed none of that. Beyond it stands what CEL
// cannot say; each such check gives the reason.
//
// The checks are small functions with a name, in one list for each kind. They do
// not assume that defaults were set. The package must not know of clients, clocks
// or other objects: what depends on those is checked by its callers.
package validation
