// Package offline says of a manifest all that an apply would say, without a cluster:
// what kubectl finds in the file, what the API server finds by the CRD's schema, and
// what gati-webhook finds, which is the pipeline of package admit itself.
//
// What only a cluster knows is left out: other objects, quotas, rights. The package
// must not know of files, nor how findings are shown.
package offline
