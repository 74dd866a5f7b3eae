// Package terminal runs kubectl against a real cluster like a user and compares its
// output with goldens.
//
// It starts one devcluster and one gati-webhook per test package. The packages under
// test/ supply the objects and commands.
package terminal
