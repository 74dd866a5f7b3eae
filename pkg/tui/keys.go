package tui

import (
	"slices"

	"gati.dev/gati/pkg/status"
)

// binding is a key with what it does. The first of its names is the one that is
// shown; the keys are those of less and vim as well.
type binding struct {
	names []string
	shown string
	does  string
}

func (b binding) is(key string) bool { return slices.Contains(b.names, key) }

// The keys that move about.
var (
	keyUp     = binding{[]string{"up", "k"}, "↑/k", "up"}
	keyDown   = binding{[]string{"down", "j"}, "↓/j", "down"}
	keyPageUp = binding{[]string{"pgup", "b", "ctrl+b"}, "pgup/b", "a page up"}
	keyPageDn = binding{[]string{"pgdown", "ctrl+f"}, "pgdn", "a page down"}
	keyTop    = binding{[]string{"home", "g"}, "g/home", "to the top"}
	keyEnd    = binding{[]string{"end", "G"}, "G/end", "to the end"}
	keyOpen   = binding{[]string{"enter", "right", "l"}, "enter", "open"}
	keyBack   = binding{[]string{"esc", "left", "h", "backspace"}, "esc", "back"}
	keyFilter = binding{[]string{"/"}, "/", "show only what contains a text"}
	keyHelp   = binding{[]string{"?"}, "?", "this help"}
	keyQuit   = binding{[]string{"q"}, "q", "leave"}
	keyList   = binding{[]string{"v"}, "v", "versions: go back to one, compare two"}
	keyDiff   = binding{[]string{"d"}, "d", "compare it with the one that serves"}
)

// moves are the keys of every page.
var moves = []binding{keyUp, keyDown, keyPageUp, keyPageDn, keyTop, keyEnd, keyOpen, keyBack, keyFilter, keyList, keyDiff, keyHelp, keyQuit}

// action is a key that asks something of a handler.
type action struct {
	binding
	verb     Verb
	argument string
}

// actions are the keys of a handler's page. Space is one of two, as it stands.
func actions(h *status.Handler) []action {
	space := action{binding{[]string{"space", " "}, "space", "pause"}, Pause, ""}
	if h.Rollout != nil && h.Rollout.Frozen != nil {
		space.does, space.verb = "resume", Resume
	}
	return []action{
		{binding{[]string{"p"}, "p", "promote"}, Promote, ""},
		{binding{[]string{"F"}, "F", "full"}, Promote, Full},
		{binding{[]string{"r"}, "r", "roll back"}, Rollback, ""},
		{binding{[]string{"a"}, "a", "abort"}, Abort, ""},
		space,
		{binding{[]string{"R"}, "R", "restart"}, Restart, ""},
	}
}
