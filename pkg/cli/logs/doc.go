// Package logs is the command "kubectl gati logs": what the pods of all versions of a
// handler write, line by line, with the version before each.
package logs
