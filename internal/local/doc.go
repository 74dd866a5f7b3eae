// Package local runs Gati on one machine: a devcluster, an installation by the local
// overlay, and gati-webhook as a process beside the API server. Its hooks and
// controllers use the tokens of the overlay's ServiceAccounts, never an
// administrator's.
//
// The demo and the integration tests use it, so that both run the real parts. It must
// not know the purpose of a run.
package local
