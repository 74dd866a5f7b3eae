// Package gittest serves bare Git repositories over https and ssh, with git itself
// behind both, so that what a client pushes is judged by the real thing. It also applies
// such a repository to a cluster, as Flux does.
package gittest
