package tui

import (
	"charm.land/lipgloss/v2"

	"gati.dev/gati/pkg/status"
)

// The colours are those of the terminal's own palette, and none of them says
// anything that a sign or word does not say as well.
var (
	good  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	busy  = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	bad   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	faint = lipgloss.NewStyle().Faint(true)
	bold  = lipgloss.NewStyle().Bold(true)
)

// look returns the sign and the style of a health.
func look(h status.Health) (string, lipgloss.Style) {
	switch h {
	case status.Healthy:
		return "✔", good
	case status.Progressing, status.Deleting:
		return "◌", busy
	case status.Paused:
		return "‖", busy
	default:
		return "✖", bad
	}
}
