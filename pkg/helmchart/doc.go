// Package helmchart writes the children of a handler or module as a Helm chart, without
// Helm's SDK: the plugin and the target helm write the same files.
//
// Equal children give equal files. What people change of a workload, and the weights of
// the route, are values; all else is in the templates as it is planned. The package is
// pure, and must not know how a chart is installed.
package helmchart
