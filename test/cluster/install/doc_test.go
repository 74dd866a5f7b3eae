// Package install proves on a real control plane what an operator does with
// install.yaml: applying it, applying another release's over it and back, and
// deleting it while gati-webhook is dead.
//
//	go test ./test/cluster/install
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty.
package install
