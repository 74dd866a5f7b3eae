package screen

import (
	"os/exec"
	"testing"
)

// TestScreen draws with each kind of sequence.
func TestScreen(t *testing.T) {
	cases := map[string]struct{ draws, want string }{
		"text":            {"ab\r\ncd", "ab\ncd\n"},
		"beyond the edge": {"abcdefgh", "abcdef\ngh\n"},
		"beyond the end":  {"1\r\n2\r\n3\r\n4", "2\n3\n4"},
		"there":           {"\x1b[2;3Hx", "\n  x\n"},
		"back and forth":  {"abc\x1b[2Dx\x1b[1Cy", "axcy\n\n"},
		"up and down":     {"\n\nx\x1b[2Ay\x1b[1Bz", " y\n  z\nx"},
		"a column, a row": {"\x1b[3G.\x1b[3d.", "  .\n\n   ."},
		"line, erased":    {"abcdef\x1b[3G\x1b[K", "ab\n\n"},
		"to here, erased": {"abcdef\x1b[3G\x1b[1K", "   def\n\n"},
		"all, erased":     {"ab\r\ncd\x1b[2J\x1b[Hx", "x\n\n"},
		"below, erased":   {"ab\r\ncd\r\nef\x1b[1;2H\x1b[J", "a\n\n"},
		"some, erased":    {"abcdef\x1b[2G\x1b[2X", "a  def\n\n"},
		"taken out":       {"abcdef\x1b[2G\x1b[2P", "adef\n\n"},
		"put in":          {"abcd\x1b[2G\x1b[2@", "a  bcd\n\n"},
		"repeated":        {"a\x1b[3b", "aaaa\n\n"},
		"a line put in":   {"a\r\nb\x1b[1;1H\x1b[L", "\na\nb"},
		"a line taken":    {"a\r\nb\x1b[1;1H\x1b[M", "b\n\n"},
		"between two":     {"a\r\nb\r\nc\x1b[1;2r\x1b[S\x1b[rx", "x\n\nc"},
		"at the bottom":   {"a\r\nb\r\nc\x1b[2;3r\x1b[3;1H\n", "a\nc\n"},
		"at the top":      {"a\r\nb\r\nc\x1b[2;3r\x1b[2;1H\x1bM", "a\n\nb"},
		"not in between":  {"a\r\nb\r\nc\x1b[1;2r\x1b[3;1H\x1b[M\x1b[L\n", "a\nb\nc"},
		"put in between":  {"a\r\nb\r\nc\x1b[1;2r\x1b[L", "\na\nc"},
		"colours, modes":  {"\x1b[?1049h\x1b[1;31mx\x1b[0m\x1b]2;title\x07\x1b[?2026$p", "x\n\n"},
		"wide":            {"日x", "日x\n\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScreen(6, 3)
			if _, err := s.Write([]byte(tc.draws)); err != nil {
				t.Fatal(err)
			}
			if got, _ := s.readText(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestColoured tells colours from what is none.
func TestColoured(t *testing.T) {
	for draws, want := range map[string]bool{
		"x": false, "\x1b[1;2;4mx\x1b[0m": false, "\x1b[39;49mx": false, "\x1b[?25l\x1b[31Cx": false,
		"\x1b[31mx": true, "\x1b[1;38;2;0;158;115mx": true, "\x1b[48;5;9mx": true, "\x1b[97mx": true, "\x1b[103mx": true,
	} {
		s := newScreen(40, 3)
		if _, err := s.Write([]byte(draws)); err != nil {
			t.Fatal(err)
		}
		if s.coloured != want {
			t.Errorf("%q: coloured %t", draws, s.coloured)
		}
	}
}

// TestSession types into a shell.
func TestSession(t *testing.T) {
	s := Start(t, 40, 10, exec.Command("sh", "-c", `read line; stty size; echo "got $line"; exit 7`))
	s.Resize(60, 12)
	s.Type("hello\n")
	s.Shows("got hello", "12 60")
	if code := s.Ends(); code != 7 {
		t.Errorf("exit code %d", code)
	}
}
