// Package remedies finds the commands of package remedy in messages, so that tests execute
// them.
package remedies

import (
	"regexp"
	"strings"

	"gati.dev/gati/pkg/remedy"
)

// names are the words that stand for what a message fills in.
var names = regexp.MustCompile(`HANDLER|[A-Z]{2,}`)

// Find returns the command of a remedy in a message as it is typed, with the flags that
// follow; empty where the message does not name it.
func Find(r remedy.Remedy, message string) string {
	pattern, last := "", 0
	text := string(r)
	for _, at := range names.FindAllStringIndex(text, -1) {
		pattern += regexp.QuoteMeta(text[last:at[0]])
		if text[at[0]:at[1]] == "HANDLER" {
			pattern += `[^\s;,-][^\s;,]*(?: -n [^\s;,]+)?`
		} else {
			pattern += `[^\s;,=]+`
		}
		last = at[1]
	}
	pattern += regexp.QuoteMeta(text[last:]) + `(?: --?[a-z][^\s;,]*(?: [^\s;,-][^\s;,]*)?)*`
	found := regexp.MustCompile(pattern + `(?:$|[;,.)\s])`).FindString(message)
	return strings.TrimRight(found, ";,.) \n")
}
