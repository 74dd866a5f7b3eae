// Package diagnose finds out why the pods of a workload are not ready, and what to do
// about it. The controllers put it into conditions, the plugin shows it.
//
// It is pure: a Deployment and its pods come in as data. The package must not know of
// handlers, versions or rollouts.
package diagnose
