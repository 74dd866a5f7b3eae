// Package netpolicy answers, from NetworkPolicies alone, whether a connection is
// allowed: what a cluster with a policy engine does with the policies that Gati
// generates, on a machine that has none. It follows the documentation of
// networking.k8s.io/v1, defaults included.
//
// It is for tests alone. It must not know who wrote the policies.
package netpolicy
