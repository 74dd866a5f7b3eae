// Package manifest reads the files of the flag -f in the same way as kubectl.
//
// The package must not know of any command, nor validate what it reads.
package manifest
