// Package sampleapp makes what samples/app is run from: its dependencies, by
// "npm ci" from the registry, and its image, from the machine's own Node.js.
// Both are kept in Gati's cache by the content they are made of.
//
// Tests, the demo and hack/sample use it. It must not know Kubernetes.
package sampleapp
