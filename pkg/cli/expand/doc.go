// Package expand is the command "kubectl gati expand": it computes the children of
// handlers and modules locally.
//
// For files it must neither contact nor depend on a cluster: equal files and flags give
// equal output with any kubeconfig. For objects of a cluster it shows the plan that
// their controller would make now.
package expand
