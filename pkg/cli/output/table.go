package output

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Cell is one field of a table.
type Cell struct {
	Text  string
	Color Color
}

// Plain returns a cell without colour; empty text becomes a dash, so that every
// column can be cut out of the line.
func Plain(text string) Cell {
	if text == "" {
		text = "-"
	}
	return Cell{Text: text}
}

// Table aligns columns as kubectl does: three spaces between them, the last one
// as long as it likes. Widths are those of the terminal, not numbers of bytes,
// and colour does not count.
type Table struct {
	// Width is the width of the terminal; 0 cuts nothing off.
	Width int
	// Indent is put before each line.
	Indent string
	rows   [][]Cell
}

// Row adds a line. A cell is one line, whatever its text holds.
func (t *Table) Row(cells ...Cell) {
	for i := range cells {
		cells[i].Text = Line(cells[i].Text)
	}
	t.rows = append(t.rows, cells)
}

// Header adds the line of the column names.
func (t *Table) Header(names ...string) {
	cells := make([]Cell, len(names))
	for i, name := range names {
		cells[i] = Cell{Text: name, Color: Bold}
	}
	t.Row(cells...)
}

// Write writes the table.
func (t *Table) Write(w io.Writer, p Painter) error {
	widths := t.columnWidths()
	var out strings.Builder
	for _, row := range t.rows {
		out.WriteString(t.formatRow(row, widths, p))
		out.WriteByte('\n')
	}
	_, err := io.WriteString(w, out.String())
	return err
}

const gap = "   "

func (t *Table) formatRow(row []Cell, widths []int, p Painter) string {
	line := t.Indent
	used := runewidth.StringWidth(t.Indent)
	for i, c := range row {
		if i == len(row)-1 {
			return strings.TrimRight(line+p.Paint(c.Color, truncateColumn(c.Text, t.Width-used, t.Width)), " ")
		}
		pad := widths[i] - runewidth.StringWidth(c.Text)
		line += p.Paint(c.Color, c.Text) + strings.Repeat(" ", pad) + gap
		used += widths[i] + len(gap)
	}
	return line
}

// truncateColumn shortens the last column to the rest of the terminal's width, if that
// leaves enough to read.
func truncateColumn(text string, left, width int) string {
	const readable = 20
	if width <= 0 || left < readable {
		return text
	}
	return runewidth.Truncate(text, left, "…")
}

func (t *Table) columnWidths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(c.Text))
		}
	}
	return widths
}
