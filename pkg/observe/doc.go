// Package observe reads what decisions rest on: the facts of a namespace and the
// state of a workload. It turns objects of the cluster into plain data and
// decides nothing itself.
package observe
