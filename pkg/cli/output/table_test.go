package output

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	cases := map[string]struct {
		width  int
		indent string
		color  bool
		want   string
	}{
		"plain": {want: "NAME    REASON\nusers   a reason that goes on for long\n日本    -\n"},
		"cut":   {width: 32, want: "NAME    REASON\nusers   a reason that goes on f…\n日本    -\n"},
		"too narrow to cut": {
			width: 20, indent: "  ",
			want: "  NAME    REASON\n  users   a reason that goes on for long\n  日本    -\n",
		},
		"coloured": {
			color: true,
			want:  "\x1b[1mNAME\x1b[0m    \x1b[1mREASON\x1b[0m\n\x1b[31musers\x1b[0m   a reason that goes on for long\n日本    -\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			table := Table{Width: tc.width, Indent: tc.indent}
			table.Header("NAME", "REASON")
			table.Row(Cell{"users", Bad}, Plain("a reason that goes on for long"))
			table.Row(Plain("日本"), Plain(""))
			var got strings.Builder
			if err := table.Write(NewScreen(&got), Painter{on: tc.color}); err != nil {
				t.Fatal(err)
			}
			if got.String() != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), tc.want)
			}
		})
	}
}
