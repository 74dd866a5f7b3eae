// Package netpolicy decides from NetworkPolicies alone whether a connection is allowed,
// in place of a policy engine. It follows the documentation of networking.k8s.io/v1,
// including its defaults.
//
// It is for tests only. It must not know which component wrote the policies.
package netpolicy
