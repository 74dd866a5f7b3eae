// Package offline predicts the errors and warnings of an apply without a cluster: those
// of kubectl, of the CRD's schema in the API server, and of gati-webhook, by running
// the pipeline of package admit.
//
// Other objects, quotas and rights are known only to a cluster and left out. The
// package must not know of files, nor how findings are shown.
package offline
