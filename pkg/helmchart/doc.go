// Package helmchart writes the children of a handler or module as a Helm chart, without
// Helm's SDK: the plugin and the target helm write the same files.
//
// Equal children give equal files. Values are the workload settings that users change,
// and the weights of the route; everything else is in the templates as planned. The
// package is pure, and must not know how a chart is installed.
package helmchart
