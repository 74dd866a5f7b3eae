// Package gittest serves bare Git repositories over https and ssh with git itself, so
// that pushes meet a real server. It also applies such a repository to a cluster, like
// Flux.
package gittest
