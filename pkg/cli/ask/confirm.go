package ask

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/request"
)

// Confirmation is the flag --yes, and the question that it answers.
type Confirmation struct{ yes bool }

// AddTo adds the flag to a command.
func (c *Confirmation) AddTo(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "Do not ask, on a terminal, whether it is meant.")
}

// errUnmeant ends a command that was not meant. Nothing was changed.
var errUnmeant = errors.New("nothing is changed: it was not confirmed")

// Ask asks on a terminal whether it is meant. Elsewhere nobody could answer, and a
// script means what it says.
func (c *Confirmation) Ask(e *env.Env, question string) error {
	if c.yes || !output.IsTerminal(e.Streams.In, e.Streams.Out) {
		return nil
	}
	return answered(e, question)
}

func answered(e *env.Env, question string) error {
	fmt.Fprintf(e.Streams.ErrOut, "%s\nGo on? [y/N] ", question)
	line, _ := bufio.NewReader(e.Streams.In).ReadString('\n') // no answer is none
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	default:
		return errUnmeant
	}
}

// weighty tells that a request moves traffic or ends pods at once.
func weighty(r request.Request) bool {
	switch r.Verb {
	case request.Pause, request.Resume:
		return false
	case request.Promote:
		return r.Argument == request.Full
	default:
		return true
	}
}

// question says what a request would lead to.
func question(answers []*asked) string {
	lines := make([]string, len(answers))
	for i, a := range answers {
		lines[i] = "gh/" + a.Handler + ": " + a.Request
		if a.Change != "" {
			lines[i] += ": " + a.Change
		}
	}
	return strings.Join(lines, "\n")
}
