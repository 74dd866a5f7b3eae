// Package monitoring tests the rules, the dashboard and the monitors of
// manifests/monitoring: promtool checks and evaluates the rules, each alert has a
// runbook, and Grafana can show the dashboard.
//
//	go test ./test/programs/monitoring
//
// GATI_BIN is the folder of devcluster, which downloads promtool with Prometheus; bin
// when empty. test/cluster/observed tests whether the queries find data.
package monitoring
