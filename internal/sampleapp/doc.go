// Package sampleapp builds the image of samples/app, in several versions of one code.
//
// Tests, the demo and hack/sample use it. It must not know Kubernetes.
package sampleapp
