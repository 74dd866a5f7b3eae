// Package lint is the command "kubectl gati lint": what an apply of manifests would
// be refused for, without a cluster.
//
// It finds nothing itself: package admit/offline does, with the functions of the API
// server and of gati-webhook.
package lint
