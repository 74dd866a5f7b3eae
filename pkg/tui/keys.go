package tui

import "charm.land/bubbles/v2/key"

// keyMap are the keys, which are those of less and vim as well.
type keyMap struct {
	up, down, top, bottom, help, quit key.Binding
}

func newKeyMap() keyMap {
	return keyMap{
		up:     key.NewBinding(key.WithKeys("up", "k"), key.WithHelp("↑/k", "up")),
		down:   key.NewBinding(key.WithKeys("down", "j"), key.WithHelp("↓/j", "down")),
		top:    key.NewBinding(key.WithKeys("home", "g"), key.WithHelp("g/home", "to the top")),
		bottom: key.NewBinding(key.WithKeys("end", "G"), key.WithHelp("G/end", "to the end")),
		help:   key.NewBinding(key.WithKeys("?"), key.WithHelp("?", "this help")),
		quit:   key.NewBinding(key.WithKeys("q"), key.WithHelp("q", "leave")),
	}
}

// all returns the keys in the order in which the help shows them.
func (k keyMap) all() []key.Binding {
	return []key.Binding{k.up, k.down, k.top, k.bottom, k.help, k.quit}
}
