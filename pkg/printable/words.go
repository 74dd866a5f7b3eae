package printable

import (
	"fmt"
	"strings"
)

// OneLine joins the words of a message with single spaces.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Count returns a number with its noun: "1 pod", "2 pods".
func Count[N int | int32](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
