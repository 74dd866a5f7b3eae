package ask

import (
	"strings"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/exit"
)

// maxReason bounds what people say why: it is kept in the status.
const maxReason = 200

// Reason is the flag --reason.
type Reason struct{ Text string }

// AddTo adds the flag to a command; where says where the reason is found later.
func (r *Reason) AddTo(cmd *cobra.Command, where string) {
	cmd.Flags().StringVar(&r.Text, "reason", "", "Why, in a few words; it stands in "+where+".")
}

// Check refuses what is no reason in a few words.
func (r *Reason) Check() error {
	if len(r.Text) > maxReason || strings.ContainsAny(r.Text, "\r\n") {
		return exit.Usagef("--reason must be one line of at most %d characters", maxReason)
	}
	return nil
}
