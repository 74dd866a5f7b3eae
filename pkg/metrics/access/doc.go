// Package access lets those read metrics whom the API server lets get their URL.
//
// It does what controller-runtime's filter of the same purpose does, without the twenty
// megabytes of an API server's libraries that this one links. It must not know what the
// metrics are.
package access
