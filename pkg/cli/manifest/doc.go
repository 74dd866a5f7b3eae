// Package manifest reads the files that -f names, as kubectl takes them.
//
// The package must not know of any command, nor judge what it reads.
package manifest
