// Package install has the commands "kubectl gati install", "upgrade" and "uninstall",
// which apply and remove the manifests that are embedded in the plugin.
//
// A plan is computed from the manifests and the server's answers, and shown before any
// change. The doctor then checks the result.
package install
