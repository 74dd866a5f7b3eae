// Package app reads the folder of a Gati application, and derives from it the files that
// run it on Kubernetes: an image's recipe and manifests.
//
// It must not know where the folder is, and writes nothing.
package app
