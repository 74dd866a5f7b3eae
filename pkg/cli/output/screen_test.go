package output

import (
	"bytes"
	"testing"
)

// TestScreenKeepsOwnColours holds that a painter's colours pass and those of the data
// do not, also within painted text.
func TestScreenKeepsOwnColours(t *testing.T) {
	var got bytes.Buffer
	screen := NewScreen(&got)
	text := Painter{on: true}.Paint(Bad, "a\x1b[32mb\x1b[0m") + " \x1b[32mc\tÿ日\x9b\n"
	n, err := screen.Write([]byte(text))
	if err != nil || n != len(text) {
		t.Errorf("%d of %d bytes written: %v", n, len(text), err)
	}
	if want := "\x1b[31ma^[[32mb^[[0m\x1b[0m ^[[32mc    ÿ日\\x9b\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
	if Raw(screen) != &got || Raw(&got) != &got {
		t.Error("Raw is not the stream below")
	}
}

// TestCellsAreOneLine holds that no text breaks the columns.
func TestCellsAreOneLine(t *testing.T) {
	table := Table{}
	table.Row(Plain("a\x1b[31m\tb"), Plain("x\r\n\ny"))
	table.Row(Plain("longer than a"), Plain("z"))
	var got bytes.Buffer
	if err := table.Write(NewScreen(&got), Painter{}); err != nil {
		t.Fatal(err)
	}
	if want := "a^[[31m b       x y\nlonger than a   z\n"; got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
