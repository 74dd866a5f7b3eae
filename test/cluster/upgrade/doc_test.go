// Package upgrade proves that an upgrade of gati-webhook rolls no pod: a build
// that derives every default otherwise takes over a cluster, and no pod template
// changes until a user changes something.
//
//	go test ./test/cluster/upgrade
//
// The other build is made of this checkout with the lines of changes replaced; the
// Go toolchain has to be there. GATI_BIN is the folder of devcluster, gati-webhook
// and kubectl-gati, ../../bin when empty.
package upgrade
