package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// hostile is a Backend whose answers hold control characters.
func hostile(err error) *answers {
	const text = statustest.Hostile
	return &answers{
		rights:  Rights{Abort: text},
		preview: Preview{Change: text, Undo: text, Err: err},
		outcome: Outcome{Text: text, Err: err},
		text:    strings.ReplaceAll(text, "\n", ""),
		err:     err,
	}
}

// TestNoControlCharacters holds that no string of an object or of an answer reaches the
// terminal with a control character, and that none changes the number of lines.
func TestNoControlCharacters(t *testing.T) {
	escaped, sizes := 0, sizes
	if detector.Enabled {
		sizes = sizes[:1] // one goroutine
	}
	for _, name := range statustest.HostileScenarios {
		for seed := range statustest.HostileSeeds {
			for view, m := range hostileViews(name, seed) {
				for _, size := range sizes {
					v := sized(m, size[0], size[1]).View()
					escaped += strings.Count(v.Content, "A^[]52")
					if err := errors.Join(statustest.CheckPrintable(v.Content), statustest.CheckPrintable(v.WindowTitle)); err != nil {
						t.Errorf("%s, seed %d, %s, %v: %v", name, seed, view, size, err)
					}
					if lines := strings.Count(v.Content, "\n") + 1; lines > size[1] || strings.Contains(v.WindowTitle, "\n") {
						t.Errorf("%s, seed %d, %s: %d lines of %d", name, seed, view, lines, size[1])
					}
				}
			}
		}
	}
	if escaped == 0 {
		t.Error("no view has shown a hostile text")
	}
}

// hostileViews are the views of a scenario and of hostile answers.
func hostileViews(name string, seed uint64) map[string]Model {
	objs := statustest.MakeHostile(name, seed)
	out := map[string]Model{"list": list(objs, hostile(nil))}
	s := status.Build(objs, statustest.Now)
	if len(s.Handlers) == 0 {
		return out
	}
	s.Handlers, s.Modules = s.Handlers[:1], nil
	for i, err := range []error{nil, errors.New(statustest.Hostile)} {
		m := newModel(Options{First: s, One: true, Backend: hostile(err)})
		for _, keys := range []string{"", "p", "py", "R", "a", "v", "vd", "?"} {
			pressed := send(m, m.askRights()())
			for _, k := range keys {
				pressed = press(pressed, string(k))
			}
			out[fmt.Sprintf("page %d %s", i, keys)] = pressed
		}
	}
	return out
}
