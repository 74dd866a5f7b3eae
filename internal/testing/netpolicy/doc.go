// Package netpolicy decides from NetworkPolicies alone whether a connection is
// allowed, as a policy engine would, on a machine that has none. It follows the
// documentation of networking.k8s.io/v1, defaults included.
//
// It is for tests alone. It must not know who wrote the policies.
package netpolicy
