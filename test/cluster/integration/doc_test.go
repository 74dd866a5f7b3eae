// Package integration proves on a real control plane what a cluster has to show:
// that samples become children, that applying again changes nothing, that drift
// is put back, that a crash loses nothing, and that errors are told where the
// user looks.
//
// All tests share one devcluster and one gati-webhook, which runs with the token
// of its ServiceAccount. Each test works in namespaces of its own. Those that
// stop gati-webhook, take its configuration away or need all of it are the ones
// without t.Parallel: the testing package runs them before all the others. Of these
// it starts those first whose files come first, so what has to wait for a minute is
// in files a_minute_….
//
//	go test ./test/cluster/integration
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty. GATI_TEST_KUBECONFIG and GATI_TEST_AUDIT_LOG name a cluster to use in
// place of a devcluster; see package console. GATI_TEST_SEED repeats a run of the
// tests that choose at random.
package integration
