// Package chart lets helm render charts/gati, and compares what comes with the overlays
// of manifests/.
//
//	make test-chart
//
// GATI_HELM is helm, built from its own module. It contacts no cluster here; test/e2e
// installs the chart on real nodes.
package chart
