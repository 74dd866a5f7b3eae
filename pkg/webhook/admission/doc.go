// Package admission adapts pkg/admit to the API server's admission requests: it decodes
// a request, runs the pipeline and formats the answer. All rules are in the packages
// below it.
//
// It writes no object, Event or status: an admitted write may still not be stored.
package admission
