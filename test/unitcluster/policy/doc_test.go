// Package policy proves on a real API server what the admission policies of
// manifests/policy refuse and admit, for whom, and in which words.
//
// Everything of the local overlay is installed. The hooks are answered by a
// server of the test's own, which converts as gati-webhook does and admits
// everything: what is refused here is refused without gati-webhook. It can be
// stopped, as gati-webhook can.
//
// The words are golden files in testdata; write them anew with
//
//	go test ./test/unitcluster/policy -update
package policy
