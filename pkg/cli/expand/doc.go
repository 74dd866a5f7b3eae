// Package expand is the command "kubectl gati expand": what an apply of a
// manifest would create, worked out on this machine.
//
// For files it must not talk to a cluster, and not depend on one: equal files and
// flags give equal output, whatever the kubeconfig says.
package expand
