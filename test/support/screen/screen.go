package screen

import (
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// screen is the content of a terminal. It knows the sequences that move the cursor,
// erase and insert; of colours it knows whether there were any, and modes are passed
// over.
type screen struct {
	mu    sync.Mutex
	cells [][]rune
	row   int
	col   int
	// top and bottom are the lines between which the screen scrolls.
	top, bottom int

	parser *ansi.Parser
	last   rune
	// coloured is true when something was drawn in a colour.
	coloured bool
	// changed is closed, and made anew, when something was drawn.
	changed chan struct{}
}

func newScreen(width, height int) *screen {
	s := &screen{changed: make(chan struct{}), parser: ansi.NewParser()}
	s.resize(width, height)
	s.parser.SetHandler(ansi.Handler{Print: s.printRune, Execute: s.runControl, HandleCsi: s.runCSI, HandleEsc: s.runEscape})
	return s
}

func (s *screen) resize(width, height int) {
	cells := make([][]rune, height)
	for i := range cells {
		cells[i] = []rune(strings.Repeat(" ", width))
		if i < len(s.cells) {
			copy(cells[i], s.cells[i])
		}
	}
	s.cells = cells
	s.top, s.bottom = 0, height-1
	s.moveTo(s.row, s.col)
}

// Write draws.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range p {
		s.parser.Advance(b)
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return len(p), nil
}

// readText returns the screen, line by line, and when it changes next.
func (s *screen) readText() (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := make([]string, len(s.cells))
	for i, line := range s.cells {
		lines[i] = strings.TrimRight(strings.ReplaceAll(string(line), "\x00", ""), " ")
	}
	return strings.Join(lines, "\n"), s.changed
}

func (s *screen) moveTo(row, col int) {
	s.row = max(0, min(row, len(s.cells)-1))
	s.col = max(0, min(col, len(s.cells[0])))
}

func (s *screen) printRune(r rune) {
	width := ansi.StringWidth(string(r))
	if width == 0 {
		return
	}
	if s.col+width > len(s.cells[0]) {
		s.moveDown()
		s.col = 0
	}
	s.cells[s.row][s.col], s.last = r, r
	for i := 1; i < width; i++ {
		s.cells[s.row][s.col+i] = 0 // the right half of a wide sign
	}
	s.col += width
}

func (s *screen) runControl(b byte) {
	switch b {
	case '\n', '\v', '\f':
		s.moveDown()
	case '\r':
		s.col = 0
	case '\b':
		s.moveTo(s.row, min(s.col, len(s.cells[0])-1)-1)
	case '\t':
		s.moveTo(s.row, min((s.col/8+1)*8, len(s.cells[0])-1))
	}
}

// moveDown goes to the next line, and scrolls at the bottom.
func (s *screen) moveDown() {
	if s.row == s.bottom {
		s.shiftLines(s.top)
		return
	}
	s.moveTo(s.row+1, s.col)
}

// moveUp goes to the line before, and scrolls at the top.
func (s *screen) moveUp() {
	if s.row == s.top {
		s.insertLine(s.top)
		return
	}
	s.moveTo(s.row-1, s.col)
}

// isInMargins reports whether the cursor is where the screen scrolls.
func (s *screen) isInMargins() bool { return s.top <= s.row && s.row <= s.bottom }

// shiftLines takes away a line; those below it move up.
func (s *screen) shiftLines(at int) {
	copy(s.cells[at:s.bottom+1], s.cells[at+1:s.bottom+1])
	s.cells[s.bottom] = s.blankLine()
}

func (s *screen) blankLine() []rune { return []rune(strings.Repeat(" ", len(s.cells[0]))) }

func (s *screen) runEscape(cmd ansi.Cmd) {
	switch cmd.Final() {
	case 'M':
		s.moveUp()
	case 'D':
		s.moveDown()
	}
}

// insertLine puts an empty line in front of a line.
func (s *screen) insertLine(at int) {
	copy(s.cells[at+1:s.bottom+1], s.cells[at:s.bottom])
	s.cells[at] = s.blankLine()
}

// scrollLines are the sequences that move lines: what they do, to which line.
func (s *screen) scrollLines(final byte, n int) {
	move, at := s.shiftLines, s.top
	if final == 'L' || final == 'T' {
		move = s.insertLine
	}
	if final == 'L' || final == 'M' {
		at = s.row
	}
	if (final == 'L' || final == 'M') && !s.isInMargins() {
		return
	}
	for range min(n, s.bottom-at+1) {
		move(at)
	}
}

// setMargins sets the lines between which the screen scrolls, counted from 1.
func (s *screen) setMargins(top, bottom int) {
	if bottom = min(bottom, len(s.cells)); top < bottom {
		s.top, s.bottom = top-1, bottom-1
		s.moveTo(0, 0)
	}
}

func (s *screen) runCSI(cmd ansi.Cmd, params ansi.Params) {
	if cmd.Prefix() != 0 || cmd.Intermediate() != 0 {
		return // modes and queries
	}
	n := func(i int) int { p, _, _ := params.Param(i, 1); return max(1, p) }
	switch cmd.Final() {
	case 'm':
		s.coloured = s.coloured || isColour(params)
	case 'A':
		s.moveTo(s.row-n(0), s.col)
	case 'B', 'e':
		s.moveTo(s.row+n(0), s.col)
	case 'C', 'a':
		s.moveTo(s.row, s.col+n(0))
	case 'D':
		s.moveTo(s.row, s.col-n(0))
	case 'E':
		s.moveTo(s.row+n(0), 0)
	case 'F':
		s.moveTo(s.row-n(0), 0)
	case 'G', '`':
		s.moveTo(s.row, n(0)-1)
	case 'd':
		s.moveTo(n(0)-1, s.col)
	case 'H', 'f':
		s.moveTo(n(0)-1, n(1)-1)
	case 'I':
		s.moveTo(s.row, (s.col/8+n(0))*8)
	case 'Z':
		s.moveTo(s.row, ((s.col-1)/8-n(0)+1)*8)
	case 'r':
		bottom, _, _ := params.Param(1, len(s.cells))
		s.setMargins(n(0), bottom)
	default:
		s.changeCells(cmd.Final(), params, n(0))
	}
}

// isColour reports whether a sequence chooses a colour. Bold, faint and the like are none, nor
// is the way back to the terminal's own.
func isColour(params ansi.Params) bool {
	for i := range params {
		switch p, _, _ := params.Param(i, 0); {
		case p >= 30 && p <= 38, p >= 40 && p <= 48, p == 58, p >= 90 && p <= 97, p >= 100 && p <= 107:
			return true
		}
	}
	return false
}

// changeCells returns the part of csi that changes cells.
func (s *screen) changeCells(final byte, params ansi.Params, n int) {
	mode, _, _ := params.Param(0, 0)
	line, width := s.cells[s.row], len(s.cells[0])
	col := min(s.col, width-1)
	switch final {
	case 'K':
		from, to := s.erasedRange(mode)
		blankCells(line[from:to])
	case 'J':
		from, to := s.erasedRange(mode)
		blankCells(line[from:to])
		for i := range s.cells {
			if mode == 2 || mode == 0 && i > s.row || mode == 1 && i < s.row {
				s.cells[i] = s.blankLine()
			}
		}
	case 'X':
		blankCells(line[col:min(width, col+n)])
	case 'P':
		n = min(n, width-col)
		copy(line[col:], line[col+n:])
		blankCells(line[width-n:])
	case '@':
		n = min(n, width-col)
		copy(line[col+n:], line[col:width-n])
		blankCells(line[col : col+n])
	case 'b':
		for range n {
			s.printRune(s.last)
		}
	case 'L', 'M', 'S', 'T':
		s.scrollLines(final, n)
	}
}

// erasedRange is the part of the line that a mode erases.
func (s *screen) erasedRange(mode int) (from, to int) {
	switch width := len(s.cells[0]); mode {
	case 0:
		return min(s.col, width), width
	case 1:
		return 0, min(s.col+1, width)
	default:
		return 0, width
	}
}

func blankCells(cells []rune) {
	for i := range cells {
		cells[i] = ' '
	}
}
