// Package chart renders charts/gati with helm and compares the result with the overlays of
// manifests/, and the charts of handlers and modules with their plans.
//
//	make test-peers
//
// GATI_HELM is helm, built from a separate module. It contacts no cluster here; test/e2e
// installs the chart on real nodes, and test/unitcluster/target has releases of helm.
package chart
