// Package crd says of an object what the API server finds by the schema of its CRD
// and by its metadata alone, in the words of the API server: it runs the same
// libraries over the same CRDs. kubectl gati needs it to say offline all that an
// apply would say.
//
// Rules in CEL are not run: pkg/validation has every one of them, in the same
// words. The package must not know of clients, nor where the CRDs come from.
package crd
