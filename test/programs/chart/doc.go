// Package chart renders charts/gati with helm, and compares the result with the
// overlays of manifests/.
//
//	make test-chart
//
// GATI_HELM is helm, built from a separate module. It contacts no cluster here;
// test/e2e installs the chart on real nodes.
package chart
