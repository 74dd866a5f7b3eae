// Package doctor is the command "kubectl gati doctor": what is wrong with the
// cluster, or with what Gati needs of it, and what to do about it.
//
// It gathers facts and prints findings; what to make of the facts is package
// checkup's.
package doctor
