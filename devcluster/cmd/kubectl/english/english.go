// The launcher sets this tag when it builds; see cmd/kubebox for why.

//go:build kubebox

// Package english keeps kubectl from unpacking translations, English ones included,
// which takes much of the CPU of a short command. All messages are as they stand in
// its code.
//
// It must be imported before any package that translates a text as it is initialised. Go
// initialises packages by their paths and after what they import, so nothing but
// k8s.io/kubectl/pkg/util/i18n may be imported here.
package english

import "k8s.io/kubectl/pkg/util/i18n"

func init() {
	if err := i18n.SetLoadTranslationsFunc(func() error { return nil }); err != nil {
		panic(err)
	}
}
