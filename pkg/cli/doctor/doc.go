// Package doctor is the command "kubectl gati doctor": it finds problems of an
// installation and of the cluster features that Gati needs, with their remedies.
//
// It gathers facts and prints findings; package checkup evaluates the facts.
package doctor
