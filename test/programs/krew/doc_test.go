// Package krew lets krew itself handle the plugin as people do: install from an
// index and from files, run it through kubectl, complete, upgrade, uninstall.
//
//	make test-peers
//
// The index is a git repository on disk, the archives come from this machine,
// and KREW_ROOT is a folder of the test.
package krew
