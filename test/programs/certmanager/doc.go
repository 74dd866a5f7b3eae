// Package certmanager checks the overlay for cert-manager against cert-manager's own
// types.
//
// It is a separate Go module, because no other package needs them.
package certmanager
