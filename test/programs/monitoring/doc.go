// Package monitoring holds the rules, the dashboard and the monitors of
// manifests/monitoring: promtool checks and tries the rules, each alert has a runbook,
// and the dashboard is one that Grafana can show.
//
//	go test ./test/programs/monitoring
//
// GATI_BIN is the folder of devcluster, which gets promtool with Prometheus, bin when
// empty. Whether the queries find data is tested in test/cluster/observed.
package monitoring
