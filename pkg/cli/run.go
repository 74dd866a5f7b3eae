package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/cli/version"
	"gati.dev/gati/pkg/printable"
)

// Process has the arguments, streams and clock of main.
type Process struct {
	Args    []string
	Streams genericiooptions.IOStreams
	Now     func() time.Time
	// Begin, where set, is called when a command begins, which help does not.
	Begin func()
}

// Run runs the command that the arguments name and returns the exit code.
func Run(ctx context.Context, p Process) int {
	// Libraries log errors that they also return; users get one line. controller-runtime
	// warns after half a minute when no logger is set.
	ctx = klog.NewContext(ctx, logr.Discard())
	log.SetLogger(logr.Discard())
	streams := output.Screens(p.Streams)
	root := NewRoot(&env.Env{
		Streams: streams,
		Config:  genericclioptions.NewConfigFlags(true),
		Now:     p.Now,
		Version: version.Current(),
	})
	if p.Begin != nil {
		root.PersistentPreRun = func(*cobra.Command, []string) { p.Begin() }
	}
	root.SetArgs(append([]string{}, p.Args...)) // nil would mean those of the process
	err := root.ExecuteContext(ctx)
	code := exit.Code(ctx, err)
	if code != exit.Interrupted {
		printError(streams.ErrOut, err)
	}
	return code
}

// printError writes an error as kubectl does: lower-case, after its kind. Several errors
// are several lines.
func printError(w io.Writer, err error) {
	if err == nil || exit.IsSilent(err) {
		return
	}
	for _, part := range exit.Parts(err) {
		fmt.Fprintf(w, "error: %s\n", startLower(part.Error()))
	}
}

// startLower returns a message in one line that begins with a small letter, unless
// it begins with a name or an abbreviation.
func startLower(text string) string {
	text = printable.OneLine(text)
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if unicode.IsUpper(first) && (unicode.IsLower(second) && !isName(text)) {
		return string(unicode.ToLower(first)) + text[size:]
	}
	return text
}

// isName reports whether the first word has capitals inside, as GatiHandler has.
func isName(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return strings.ContainsFunc(word[1:], unicode.IsUpper)
}
