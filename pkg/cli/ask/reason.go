package ask

import (
	"strings"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/exit"
)

// maxReason bounds a reason, which is kept in the status.
const maxReason = 200

// Reason is the flag --reason.
type Reason struct{ Text string }

// AddTo adds the flag to a command; where names the place that keeps the reason.
func (r *Reason) AddTo(cmd *cobra.Command, where string) {
	cmd.Flags().StringVar(&r.Text, "reason", "", "Reason in a few words, kept in "+where+".")
}

// Check refuses a reason that is too long or has more than one line.
func (r *Reason) Check() error {
	if len(r.Text) > maxReason || strings.ContainsAny(r.Text, "\r\n") {
		return exit.Usagef("--reason must be one line of at most %d characters", maxReason)
	}
	return nil
}
