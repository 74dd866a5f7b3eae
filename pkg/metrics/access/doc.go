// Package access restricts metrics to callers that the API server authorizes to get
// their URL.
//
// It replaces controller-runtime's filter of the same purpose, which links twenty
// megabytes of API server libraries. It must not know what the metrics are.
package access
