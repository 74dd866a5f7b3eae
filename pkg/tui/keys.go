package tui

import (
	"slices"

	"gati.dev/gati/pkg/status"
)

// binding is a key with its effect. The keys of less and vim work as well.
type binding struct {
	names []string
	shown string
	does  string
}

func (b binding) isKey(key string) bool { return slices.Contains(b.names, key) }

// The keys that navigate.
var (
	keyUp     = binding{[]string{"up", "k"}, "↑/k", "up"}
	keyDown   = binding{[]string{"down", "j"}, "↓/j", "down"}
	keyPageUp = binding{[]string{"pgup", "b", "ctrl+b"}, "pgup/b", "a page up"}
	keyPageDn = binding{[]string{"pgdown", "ctrl+f"}, "pgdn", "a page down"}
	keyTop    = binding{[]string{"home", "g"}, "g/home", "to the top"}
	keyEnd    = binding{[]string{"end", "G"}, "G/end", "to the end"}
	keyOpen   = binding{[]string{"enter", "right", "l"}, "enter", "open"}
	keyBack   = binding{[]string{"esc", "left", "h", "backspace"}, "esc", "back"}
	keyFilter = binding{[]string{"/"}, "/", "filter by text"}
	keyHelp   = binding{[]string{"?"}, "?", "this help"}
	keyQuit   = binding{[]string{"q"}, "q", "quit"}
	keyList   = binding{[]string{"v"}, "v", "versions: roll back to one, compare two"}
	keyMove   = binding{[]string{"c"}, "c", "make it the contract"}
	keyDiff   = binding{[]string{"d"}, "d", "compare it with the stable version"}
)

// moves are the keys of every page.
var moves = []binding{keyUp, keyDown, keyPageUp, keyPageDn, keyTop, keyEnd, keyOpen, keyBack, keyFilter, keyList, keyDiff, keyMove, keyHelp, keyQuit}

// action is a key that makes a request.
type action struct {
	binding
	verb     Verb
	argument string
}

// requestFor returns the request of a handler.
func (a action) requestFor(h *status.Handler) Request {
	return Request{targetFor(h), a.verb, a.argument}
}

// handlerActions are the keys of a handler's page. Space pauses or resumes.
func handlerActions(h *status.Handler) []action {
	space := action{binding{[]string{"space", " "}, "space", "pause"}, Pause, ""}
	if h.Rollout != nil && h.Rollout.Frozen != nil {
		space.does, space.verb = "resume", Resume
	}
	all := []action{
		{binding{[]string{"p"}, "p", "promote"}, Promote, ""},
		{binding{[]string{"F"}, "F", "full"}, Promote, Full},
		{binding{[]string{"r"}, "r", "roll back"}, Rollback, ""},
	}
	all = append(all, endingActions(h)...)
	return append(all, space, action{binding{[]string{"R"}, "R", "restart"}, Restart, ""})
}

// endingActions are abort and retry: only a failed rollout can be both aborted and retried.
func endingActions(h *status.Handler) []action {
	abort := action{binding{[]string{"a"}, "a", "abort"}, Abort, ""}
	retry := action{binding{[]string{"t"}, "t", "try again"}, Retry, ""}
	refused := func(a action) bool { return h.Effect(string(a.verb), a.argument).Refused != "" }
	switch {
	case h.Rollout == nil, refused(retry):
		return []action{abort}
	case refused(abort):
		return []action{retry}
	default:
		return []action{abort, retry}
	}
}
