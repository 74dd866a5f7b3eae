// Package observe reads the input of decisions: the facts of a namespace and the state of a
// workload. It turns objects of the cluster into plain data and decides nothing.
package observe
