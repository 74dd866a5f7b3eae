// Package gitops tests how Argo CD and Flux assess a handler in each of its states:
// Argo CD's own runtime runs the shipped health script, and kstatus is Flux's library.
// It also decodes the ApplicationSet of the target gitops with Argo CD's types.
//
// It is a separate Go module: Argo CD requires hundreds of modules, and other versions
// of Kubernetes' modules. So it reads the states from a file.
package gitops
