// Package integration proves on a real control plane what a cluster has to show:
// that samples become children, that applying again changes nothing, that drift
// is put back, that a crash loses nothing, and that errors are told where the
// user looks.
//
// All tests share one devcluster and one gati-webhook, which runs with the token
// of its ServiceAccount. Each test works in namespaces of its own. Those that
// stop gati-webhook, take its configuration away or need all of it are the ones
// without t.Parallel: the testing package runs them before all the others.
//
//	go test ./test/integration
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, ../../bin
// when empty. GATI_TEST_KUBECONFIG names a cluster to use in place of a
// devcluster, on this machine and for tests alone; GATI_TEST_AUDIT_LOG is then
// the file that its API server writes its audit log to. GATI_TEST_SEED repeats a
// run of the tests that choose at random.
package integration
