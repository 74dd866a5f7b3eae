// Package doctor proves on a real control plane what the plugin does with an
// installation: kubectl gati install, doctor, upgrade and uninstall. Every check of
// the doctor is seen to find what it is for, by breaking exactly that.
//
//	go test ./test/cluster/doctor
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty. What needs another API server than this one, its version and its
// APIs, pkg/cli/doctor/checkup tests.
package doctor
