package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHunks holds the form of diff -u: what differs, three lines around it, and where
// it is.
func TestHunks(t *testing.T) {
	numbers := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintln(&b, i)
		}
		return b.String()
	}
	cases := map[string]struct{ before, after, want string }{
		"equal":        {numbers(1, 3), numbers(1, 3), ""},
		"both empty":   {"", "", ""},
		"new":          {"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"gone":         {"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		"in between":   {numbers(1, 9), numbers(1, 4) + "x\n" + numbers(6, 9), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		"at the start": {numbers(1, 5), "x\n" + numbers(1, 5), "@@ -1,3 +1,4 @@\n+x\n 1\n 2\n 3\n"},
		"at the end":   {numbers(1, 5), numbers(1, 4), "@@ -2,4 +2,3 @@\n 2\n 3\n 4\n-5\n"},
		"far apart": {
			numbers(1, 12), "x\n" + numbers(2, 11) + "y\n",
			"@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -9,4 +9,4 @@\n 9\n 10\n 11\n-12\n+y\n",
		},
		"close together": {
			numbers(1, 7), "x\n" + numbers(2, 6) + "y\n",
			"@@ -1,7 +1,7 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n-7\n+y\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, h := range hunks(compared(tc.before, tc.after)) {
				fmt.Fprintln(&got, h.head)
				for _, l := range h.lines {
					fmt.Fprintf(&got, "%c%s\n", l.mark, l.text)
				}
			}
			if diff := cmp.Diff(tc.want, got.String()); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
		})
	}
}
