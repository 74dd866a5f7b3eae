// Package certmanager holds the overlay for cert-manager against cert-manager's own types.
//
// It is a Go module of its own, because nothing else of ours needs them.
package certmanager
