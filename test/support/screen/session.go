package screen

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Patience is many times what anything takes to be drawn, or a command to end.
const Patience = 2 * time.Minute

// Session is a command that runs in a terminal.
type Session struct {
	t      testing.TB
	cmd    *exec.Cmd
	pty    *os.File
	screen *screen
	drawn  chan struct{}
}

// Start runs a command in a terminal of a size. It ends with the test.
func Start(t testing.TB, width, height int, cmd *exec.Cmd) *Session {
	t.Helper()
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "LC_ALL=C.UTF-8")
	file, err := startInTerminal(cmd, width, height)
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{t: t, cmd: cmd, pty: file, screen: newScreen(width, height), drawn: make(chan struct{})}
	go func() {
		defer close(s.drawn)
		_, _ = io.Copy(s.screen, file) // it ends with the command
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended where all went well
		<-s.drawn
		if cmd.ProcessState == nil {
			_ = cmd.Wait() // how it was killed is known
		}
		file.Close()
	})
	return s
}

// Type presses keys.
func (s *Session) Type(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.pty, keys); err != nil {
		s.t.Fatalf("type %q: %v", keys, err)
	}
}

// Screen returns the current content.
func (s *Session) Screen() string {
	text, _ := s.screen.readText()
	return text
}

// Coloured reports whether something was drawn in a colour so far.
func (s *Session) Coloured() bool {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	return s.screen.coloured
}

// Shows waits until the screen has all of the texts.
func (s *Session) Shows(texts ...string) {
	s.t.Helper()
	s.awaitScreen("show "+strings.Join(texts, ", "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// Hides waits until the screen lacks a text.
func (s *Session) Hides(text string) {
	s.t.Helper()
	s.awaitScreen("hide "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

// Becomes waits until the screen is as is asked for, and returns it with whether it is.
func (s *Session) Becomes(asked func(screen string) bool) (string, bool) {
	deadline := time.After(Patience)
	for {
		text, changed := s.screen.readText()
		if asked(text) {
			return text, true
		}
		select {
		case <-changed:
		case <-s.drawn: // the command has ended; what it drew last counts
			text, _ := s.screen.readText()
			return text, asked(text)
		case <-deadline:
			return text, false
		}
	}
}

func (s *Session) awaitScreen(what string, holds func(string) bool) {
	s.t.Helper()
	if text, held := s.Becomes(holds); !held {
		s.t.Fatalf("it does not %s:\n%s", what, text)
	}
}

// Resize makes the terminal another size.
func (s *Session) Resize(width, height int) {
	s.t.Helper()
	s.screen.mu.Lock()
	s.screen.resize(width, height)
	s.screen.mu.Unlock()
	if err := setSize(s.pty, width, height); err != nil {
		s.t.Fatal(err)
	}
}

// Ends waits until the command has ended, and returns its exit code.
func (s *Session) Ends() int {
	s.t.Helper()
	select {
	case <-s.drawn:
	case <-time.After(Patience):
		s.t.Fatalf("it does not end:\n%s", s.Screen())
	}
	err := s.cmd.Wait()
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}
