// Package remedies executes the commands of package remedy as messages name them.
package remedies

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"gati.dev/gati/pkg/remedy"
)

// names are the words that stand for what a message fills in, and values what that may be.
var (
	names  = regexp.MustCompile(`[A-Z]{2,}`)
	values = map[string]string{
		"HANDLER": `[^\s;,-][^\s;,]*(?: -n [^\s;,]+)?`,
		"SHARES":  `[^\s;,-][^\s;,]*(?: [^\s;,-][^\s;,]*)*`,
		"TAGS":    `[^\s;,-][^\s;,]*(?: [^\s;,-][^\s;,]*)*`,
	}
)

// Find returns the command of a remedy in a message as it is typed, with the flags that
// follow; empty where the message does not name it.
func Find(r remedy.Remedy, message string) string {
	pattern := names.ReplaceAllStringFunc(regexp.QuoteMeta(string(r)), func(name string) string {
		if value := values[name]; value != "" {
			return value
		}
		return `[^\s;,=]+`
	})
	pattern += `(?: --?[a-z][^\s;,]*(?: [^\s;,-][^\s;,]*)?)*`
	found := regexp.MustCompile(pattern + `(?:$|[;,.)\s])`).FindString(message)
	return strings.TrimRight(found, ";,.) \n")
}

// Shell runs a command line as a person types it, and returns what it prints.
type Shell func(ctx context.Context, line string) (string, error)

// Execute types the command of a remedy as a message has it, and returns what it prints. A
// reader is asked to confirm; a test has no terminal, and says --yes where that is missing.
func Execute(t testing.TB, shell Shell, r remedy.Remedy, message string) string {
	t.Helper()
	command := Find(r, message)
	if command == "" {
		t.Fatalf("%q is not named in:\n%s", r, message)
	}
	out, err := shell(t.Context(), command)
	if err != nil && strings.Contains(out, "--yes") {
		command += " --yes"
		out, err = shell(t.Context(), command)
	}
	t.Logf("$ %s\n%s", command, out)
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return out
}
