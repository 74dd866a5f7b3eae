package ask

import (
	"unicode/utf8"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/printable"
)

// maxReason bounds a reason, which is kept in the status.
const maxReason = 200

// Reason is the flag --reason.
type Reason struct{ Text string }

// AddTo adds the flag to a command; where names the place that keeps the reason.
func (r *Reason) AddTo(cmd *cobra.Command, where string) {
	cmd.Flags().StringVar(&r.Text, "reason", "", "Reason in a few words, kept in "+where+".")
}

// Check repeats the policy gati-reasons. It refuses a reason that is too long or has more
// than one line or other control characters.
func (r *Reason) Check() error {
	if utf8.RuneCountInString(r.Text) > maxReason || printable.Line(r.Text) != r.Text {
		return exit.Usagef("--reason must be one line of at most %d characters, without control and format characters", maxReason)
	}
	return nil
}
