// Package logs is the command "kubectl gati logs": it prints the logs of all versions'
// pods line by line, each prefixed with its version.
package logs
