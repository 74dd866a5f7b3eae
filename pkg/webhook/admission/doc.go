// Package admission adapts pkg/admit to the API server's admission requests: it
// decodes, asks the pipeline and words the answer. Every rule lives below it.
//
// It writes nothing: no object, no Event, no status. Admission is no promise that
// a write will be stored.
package admission
