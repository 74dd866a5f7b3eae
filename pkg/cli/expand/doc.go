// Package expand is the command "kubectl gati expand": the children of handlers and
// modules, computed on this machine.
//
// For files it must not talk to a cluster, and not depend on one: equal files and
// flags give equal output, whatever the kubeconfig says. For objects of a cluster it
// shows the plan that their controller would make now.
package expand
