package terminal

import (
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// screen is what a terminal shows. It knows the sequences that move the cursor,
// erase and insert; of colours it knows whether there were any, and modes are passed
// over.
type screen struct {
	mu     sync.Mutex
	cells  [][]rune
	row    int
	col    int
	parser *ansi.Parser
	last   rune
	// coloured tells that something was drawn in a colour.
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
	if s.row == len(s.cells)-1 {
		s.shift(0, len(s.cells)-1)
		return
	}
	s.row++
}

// shift takes away a line; those below it up to the last move up.
func (s *screen) shift(from, last int) {
	copy(s.cells[from:last+1], s.cells[from+1:last+1])
	s.cells[last] = s.blank()
}

func (s *screen) blank() []rune { return []rune(strings.Repeat(" ", len(s.cells[0]))) }

func (s *screen) escape(cmd ansi.Cmd) {
	switch {
	case cmd.Final() == 'M' && s.row > 0:
		s.row--
	case cmd.Final() == 'M':
		s.insert(0, 1)
	case cmd.Final() == 'D':
		s.down()
	}
}

// insert puts empty lines in front of a line.
func (s *screen) insert(at, n int) {
	for range min(n, len(s.cells)-at) {
		copy(s.cells[at+1:], s.cells[at:len(s.cells)-1])
		s.cells[at] = s.blank()
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
	default:
		s.change(cmd.Final(), params, n(0))
	}
}

// colours tells that a sequence chooses a colour. Bold, faint and the like are none, nor
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
	case 'L':
		s.insert(s.row, n)
	case 'M':
		for range min(n, len(s.cells)-s.row) {
			s.shift(s.row, len(s.cells)-1)
		}
	case 'S':
		for range min(n, len(s.cells)) {
			s.shift(0, len(s.cells)-1)
		}
	case 'T':
		s.insert(0, n)
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
