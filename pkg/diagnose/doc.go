// Package diagnose finds why the pods of a workload are not ready, and the remedy. The
// controllers put the result into conditions, and the plugin shows it.
//
// It is pure: a Deployment and its pods come in as data. The package must not know of
// handlers, versions or rollouts.
package diagnose
