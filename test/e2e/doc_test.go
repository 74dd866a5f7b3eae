// Package e2e proves on a cluster whose pods are processes what a user has to be
// able to rely on: that install.yaml is all it takes, that a rollout loses no
// request, that a bad image fails no request, and that no crash of ours or of
// Kubernetes does.
//
// Each test is a scenario: it says what is given, what is done and what must be
// true then, and with -v prints that with times, rates, seeds and counts. Traffic
// comes from test/support/load, through the gateway and through the Service; nothing is
// sent twice, and what is not answered in time has failed. No assertion is
// repeated after it has failed. Only bringing the cluster up is.
//
//	make e2e                     all, on a cluster of their own that is gone afterwards
//	make e2e RUN=Rolling         those that match, on a cluster that is kept
//	make e2e TIMES=3             each three times in a row, also with RUN
//	make e2e KUBECONFIG=file     on a cluster that is there already
//	make e2e-smoke               those that every change has to pass
//
// It needs Linux, as root: pods are made with control groups and namespaces.
// GATI_BIN is the folder of our binaries, GATI_IMAGE gati-webhook's image.
// GATI_E2E_DIR names the directory of a devcluster to use and to keep.
// GATI_TEST_SEED repeats a run's traffic.
//
// GATI_TEST_KUBECONFIG names another cluster to use, for tests alone: they remove
// the Gati that it has. GATI_TEST_GATEWAY is a Gateway there, as namespace/name.
// A devcluster is told apart by its kubeconfig's folder. The nodes of any other
// have to have the images already, ClusterIPs have to be reachable from here, and
// the scenarios that kill a process, load an older image or need a Prometheus fail
// and say so.
package e2e
