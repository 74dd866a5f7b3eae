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
	s.parser.SetHandler(ansi.Handler{Print: s.print, Execute: s.execute, HandleCsi: s.csi, HandleEsc: s.escape})
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
	s.to(s.row, s.col)
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

// text is the screen, line by line, and when it changes next.
func (s *screen) text() (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := make([]string, len(s.cells))
	for i, line := range s.cells {
		lines[i] = strings.TrimRight(strings.ReplaceAll(string(line), "\x00", ""), " ")
	}
	return strings.Join(lines, "\n"), s.changed
}

func (s *screen) to(row, col int) {
	s.row = max(0, min(row, len(s.cells)-1))
	s.col = max(0, min(col, len(s.cells[0])))
}

func (s *screen) print(r rune) {
	width := ansi.StringWidth(string(r))
	if width == 0 {
		return
	}
	if s.col+width > len(s.cells[0]) {
		s.down()
		s.col = 0
	}
	s.cells[s.row][s.col], s.last = r, r
	for i := 1; i < width; i++ {
		s.cells[s.row][s.col+i] = 0 // the right half of a wide sign
	}
	s.col += width
}

func (s *screen) execute(b byte) {
	switch b {
	case '\n', '\v', '\f':
		s.down()
	case '\r':
		s.col = 0
	case '\b':
		s.to(s.row, min(s.col, len(s.cells[0])-1)-1)
	case '\t':
		s.to(s.row, min((s.col/8+1)*8, len(s.cells[0])-1))
	}
}

// down goes to the next line, and scrolls at the bottom.
func (s *screen) down() {
	if s.row == s.bottom {
		s.shift(s.top)
		return
	}
	s.to(s.row+1, s.col)
}

// up goes to the line before, and scrolls at the top.
func (s *screen) up() {
	if s.row == s.top {
		s.insert(s.top)
		return
	}
	s.to(s.row-1, s.col)
}

// within reports whether the cursor is where the screen scrolls.
func (s *screen) within() bool { return s.top <= s.row && s.row <= s.bottom }

// shift takes away a line; those below it move up.
func (s *screen) shift(at int) {
	copy(s.cells[at:s.bottom+1], s.cells[at+1:s.bottom+1])
	s.cells[s.bottom] = s.blank()
}

func (s *screen) blank() []rune { return []rune(strings.Repeat(" ", len(s.cells[0]))) }

func (s *screen) escape(cmd ansi.Cmd) {
	switch cmd.Final() {
	case 'M':
		s.up()
	case 'D':
		s.down()
	}
}

// insert puts an empty line in front of a line.
func (s *screen) insert(at int) {
	copy(s.cells[at+1:s.bottom+1], s.cells[at:s.bottom])
	s.cells[at] = s.blank()
}

// scrolls are the sequences that move lines: what they do, to which line.
func (s *screen) scrolls(final byte, n int) {
	move, at := s.shift, s.top
	if final == 'L' || final == 'T' {
		move = s.insert
	}
	if final == 'L' || final == 'M' {
		at = s.row
	}
	if (final == 'L' || final == 'M') && !s.within() {
		return
	}
	for range min(n, s.bottom-at+1) {
		move(at)
	}
}

// margins sets the lines between which the screen scrolls, counted from 1.
func (s *screen) margins(top, bottom int) {
	if bottom = min(bottom, len(s.cells)); top < bottom {
		s.top, s.bottom = top-1, bottom-1
		s.to(0, 0)
	}
}

func (s *screen) csi(cmd ansi.Cmd, params ansi.Params) {
	if cmd.Prefix() != 0 || cmd.Intermediate() != 0 {
		return // modes and queries
	}
	n := func(i int) int { p, _, _ := params.Param(i, 1); return max(1, p) }
	switch cmd.Final() {
	case 'm':
		s.coloured = s.coloured || colours(params)
	case 'A':
		s.to(s.row-n(0), s.col)
	case 'B', 'e':
		s.to(s.row+n(0), s.col)
	case 'C', 'a':
		s.to(s.row, s.col+n(0))
	case 'D':
		s.to(s.row, s.col-n(0))
	case 'E':
		s.to(s.row+n(0), 0)
	case 'F':
		s.to(s.row-n(0), 0)
	case 'G', '`':
		s.to(s.row, n(0)-1)
	case 'd':
		s.to(n(0)-1, s.col)
	case 'H', 'f':
		s.to(n(0)-1, n(1)-1)
	case 'I':
		s.to(s.row, (s.col/8+n(0))*8)
	case 'Z':
		s.to(s.row, ((s.col-1)/8-n(0)+1)*8)
	case 'r':
		bottom, _, _ := params.Param(1, len(s.cells))
		s.margins(n(0), bottom)
	default:
		s.change(cmd.Final(), params, n(0))
	}
}

// colours reports whether a sequence chooses a colour. Bold, faint and the like are none, nor
// is the way back to the terminal's own.
func colours(params ansi.Params) bool {
	for i := range params {
		switch p, _, _ := params.Param(i, 0); {
		case p >= 30 && p <= 38, p >= 40 && p <= 48, p == 58, p >= 90 && p <= 97, p >= 100 && p <= 107:
			return true
		}
	}
	return false
}

// change is the part of csi that changes cells.
func (s *screen) change(final byte, params ansi.Params, n int) {
	mode, _, _ := params.Param(0, 0)
	line, width := s.cells[s.row], len(s.cells[0])
	col := min(s.col, width-1)
	switch final {
	case 'K':
		from, to := s.erased(mode)
		blank(line[from:to])
	case 'J':
		from, to := s.erased(mode)
		blank(line[from:to])
		for i := range s.cells {
			if mode == 2 || mode == 0 && i > s.row || mode == 1 && i < s.row {
				s.cells[i] = s.blank()
			}
		}
	case 'X':
		blank(line[col:min(width, col+n)])
	case 'P':
		n = min(n, width-col)
		copy(line[col:], line[col+n:])
		blank(line[width-n:])
	case '@':
		n = min(n, width-col)
		copy(line[col+n:], line[col:width-n])
		blank(line[col : col+n])
	case 'b':
		for range n {
			s.print(s.last)
		}
	case 'L', 'M', 'S', 'T':
		s.scrolls(final, n)
	}
}

// erased is the part of the line that a mode erases.
func (s *screen) erased(mode int) (from, to int) {
	switch width := len(s.cells[0]); mode {
	case 0:
		return min(s.col, width), width
	case 1:
		return 0, min(s.col+1, width)
	default:
		return 0, width
	}
}

func blank(cells []rune) {
	for i := range cells {
		cells[i] = ' '
	}
}
