// Package crd checks an object by its CRD's schema and its metadata, with the API
// server's own libraries and messages. kubectl gati uses it to predict offline the
// errors of an apply.
//
// It does not run CEL rules: pkg/validation repeats each of them with the same message.
// The package must not know of clients, nor where the CRDs come from.
package crd
