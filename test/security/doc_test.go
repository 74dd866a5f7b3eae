// Package security attacks a running Gati as those who may be against it: a tenant
// with gati-edit in one namespace, an account that may write workloads and nothing of
// Gati's, a pod without credentials, whoever has the token of one of our accounts. One
// file holds one attack; each prints what was tried and what held. docs/security.md
// leads from each threat to its test.
package security
