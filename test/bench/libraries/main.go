// Command libraries is a kubectl plugin without a command of its own: kubectl's flags,
// a typed client, a live view and the API server's judgement of objects, all linked and
// none used. TestBenchStart times it beside kubectl-gati, to tell what of a start is
// that of the libraries.
package main

import (
	"os"

	_ "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	_ "k8s.io/kube-openapi/pkg/validation/validate"
	_ "sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/cmd/kubectl-gati/startup"
)

func main() {
	startup.Over()
	c := &cobra.Command{Use: "libraries", Run: func(*cobra.Command, []string) {}}
	genericclioptions.NewConfigFlags(true).AddFlags(c.PersistentFlags())
	if c.Execute() != nil {
		os.Exit(1)
	}
}
