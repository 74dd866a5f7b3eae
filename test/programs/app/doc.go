// Package app tests samples/app as a process of this machine's Node.js and from
// its image's files, under the restrictions that its pods have: no root, nothing
// to write to but /tmp and .gati. It needs Node.js and npm, and no cluster.
package app
