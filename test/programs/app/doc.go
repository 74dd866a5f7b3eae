// Package app tests samples/app as a process of this machine's Node.js and from its
// image's files, under the restrictions of its pods: no root, and only /tmp and .gati
// are writable. It needs Node.js and npm, but no cluster.
package app
