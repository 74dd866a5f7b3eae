// Package requests holds what comes of a change, whichever way it is brought to the
// cluster: a table over the verbs of kubectl and the kinds of change that there
// are, in both versions of the API, against a real API server with gati-webhook.
//
// A change says once what has to come of it (changes_test.go, modules_test.go);
// each verb has to lead there (verbs_test.go). What a verb or a version cannot say
// stands in the table with the reason, and is not left out of it.
//
//	go test ./test/cluster/plugin/requests
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty.
package requests
