// Package install proves on a real control plane what an operator does with
// install.yaml: applying it, applying another release's over it and back, and
// deleting it while gati-webhook is dead. And what the plugin does with an
// installation: kubectl gati install, doctor, upgrade and uninstall. Every check of
// the doctor is seen to find what it is for, by breaking exactly that.
//
//	go test ./test/cluster/install
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty. pkg/cli/doctor/checkup tests the checks that need another API server than this
// one: those of its version and of its APIs.
package install
