package ask

import (
	"errors"

	"github.com/spf13/cobra"
)

// AddDryRun adds the flag --dry-run to a command. It takes the words of kubectl's; what a
// command would change is known to the server alone, so there is no client.
func AddDryRun(cmd *cobra.Command, on *bool, usage string) {
	cmd.Flags().Var((*dryRun)(on), "dry-run", usage)
	cmd.Flags().Lookup("dry-run").NoOptDefVal = "server"
}

// dryRun is the value of the flag, a pflag.Value.
type dryRun bool

func (d *dryRun) String() string {
	if *d {
		return "server"
	}
	return "none"
}

func (d *dryRun) Set(text string) error {
	switch text {
	case "server", "true":
		*d = true
	case "none", "false":
		*d = false
	default:
		return errors.New("must be server or none")
	}
	return nil
}

func (*dryRun) Type() string { return "string" }
