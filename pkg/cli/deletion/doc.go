// Package deletion implements "kubectl gati delete": it deletes a module after showing the
// handlers that lose it. kubectl delete prints their names as it deletes.
//
// It must not know of the module's children: the cluster removes them.
package deletion
