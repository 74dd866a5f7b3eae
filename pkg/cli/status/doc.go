// Package status is the command "kubectl gati status": a table of a namespace, the page
// of one handler or module, and the live view of it.
//
// It renders snapshots of pkg/status and decides nothing about health itself.
package status
