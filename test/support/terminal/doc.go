// Package terminal runs kubectl against a real cluster as a person would and
// compares what it prints with goldens.
//
// It starts one devcluster and one gati-webhook for a package of tests. It must
// not know what is applied or looked at: the packages under test/ bring that.
package terminal
