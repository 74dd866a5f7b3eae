// Package expand is the command "kubectl gati expand": what an apply of a
// manifest would create, worked out on this machine.
//
// It must not talk to a cluster, and it must not depend on one: equal files and
// flags give equal output, whatever the kubeconfig says.
package expand
