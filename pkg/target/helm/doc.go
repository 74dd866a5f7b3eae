// Package helm installs the children of a handler or module as a Helm release.
//
// The releases are kept by Helm's own storage in Helm's form, so that its history, rollback
// and uninstall work on them. The objects of a release are applied by package kubernetes, so
// that drift, foreign objects, failures and contests are dealt with as under the target
// kubernetes, and one object that is refused keeps no other from being written. Where the
// release itself cannot be stored, the objects are applied all the same: a rollback must not
// wait for Helm.
//
// The package must not know what a chart looks like inside (pkg/helmchart).
package helm
