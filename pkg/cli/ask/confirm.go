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

// Confirmation is the flag --yes and the prompt that it answers.
type Confirmation struct{ yes bool }

// AddTo adds the flag to a command.
func (c *Confirmation) AddTo(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "Skip the confirmation prompt; needed where stdin or stdout is no terminal.")
}

// errCancelled ends a command that was not confirmed.
var errCancelled = errors.New("cancelled; nothing changed")

// ErrNoTerminal ends a command that cannot ask for confirmation, as in a pipe, a job or a script.
var ErrNoTerminal = errors.New("nothing changed: add --yes to do this where stdin or stdout is no terminal")

// CanAsk reports whether there is an answer: that of --yes, or a terminal to ask on.
func (c *Confirmation) CanAsk(e *env.Env) bool {
	return c.yes || output.IsTerminal(e.Streams.In, e.Streams.Out)
}

// Ask prompts before a change that destroys something or moves traffic. In a pipe or a job
// nobody can answer, so the change needs --yes.
func (c *Confirmation) Ask(e *env.Env, question string) error {
	switch {
	case c.yes:
		return nil
	case !c.CanAsk(e):
		fmt.Fprintln(e.Streams.ErrOut, question)
		return ErrNoTerminal
	default:
		return readAnswer(e, question)
	}
}

func readAnswer(e *env.Env, question string) error {
	fmt.Fprintf(e.Streams.ErrOut, "%s\nContinue? [y/N] ", question)
	line, _ := bufio.NewReader(e.Streams.In).ReadString('\n') // no answer is none
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	default:
		return errCancelled
	}
}

// needsConfirmation reports whether a request moves traffic or replaces pods at once.
func needsConfirmation(r request.Request) bool {
	switch r.Verb {
	case request.Pause, request.Resume:
		return false
	case request.Promote:
		return r.Argument == request.Full
	default:
		return true
	}
}

// confirmationText returns the effects of the requests, one a line.
func confirmationText(answers []*asked) string {
	lines := make([]string, len(answers))
	for i, a := range answers {
		lines[i] = "gh/" + a.Handler + ": " + a.Request
		switch {
		case a.refusal != "":
			lines[i] += " will be refused: " + a.refusal
		case a.Change != "":
			lines[i] += ": " + a.Change
		}
		lines[i] = output.Line(lines[i])
	}
	return strings.Join(lines, "\n")
}
