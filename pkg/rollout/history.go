package rollout

import (
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// machineName is the author of entries that no user requested.
const machineName = v1.FieldManager

// maxHistory is how much of the past the status holds.
const maxHistory = 32

// line is one sentence: "v1 90 % → v2 10 %: 1 of 1 pods ready, by jane".
func line(by, from, to, why string) string {
	var b strings.Builder
	b.WriteString(from)
	if from != "" && to != "" {
		b.WriteString(" → ")
	}
	b.WriteString(to)
	if why != "" {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(why)
	}
	if by != machineName {
		b.WriteString(", by " + by)
	}
	return b.String()
}
