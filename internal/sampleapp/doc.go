// Package sampleapp builds the parts that samples/app runs from: its dependencies, by
// "npm ci" from the registry, and its image, from the machine's own Node.js. Both are
// cached by content.
//
// Tests, the demo and hack/sample use it. It must not know Kubernetes.
package sampleapp
