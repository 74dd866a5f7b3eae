// The launcher sets this tag when it builds; see cmd/kubebox for why.

//go:build kubebox

// Command kubectl is the one that belongs to the control plane. It is not part of
// kubebox: each call would first initialise all of Kubernetes, which takes longer
// than most of what people and tests ask of it.
//
// It must not know anything of Gati.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"

	_ "gati.dev/gati/devcluster/cmd/kubectl/english"
)

func main() {
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
}
