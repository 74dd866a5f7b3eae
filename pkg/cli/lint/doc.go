// Package lint is the command "kubectl gati lint": it reports, without a cluster, why
// an apply of manifests would be refused.
//
// It has no checks of its own: package admit/offline runs those of the API server and
// of gati-webhook.
package lint
