package tui

import (
	"charm.land/lipgloss/v2"

	"gati.dev/gati/pkg/status"
)

// The colours are green and orange of Okabe and Ito's palette and a red of Tol's,
// which people who see colours differently tell apart as well; a terminal with fewer gets the nearest it has. None of
// them says anything that a sign or word does not say as well.
var (
	goodColor = lipgloss.Color("#009E73")
	busyColor = lipgloss.Color("#E69F00")
	badColor  = lipgloss.Color("#CC3311")

	good  = lipgloss.NewStyle().Foreground(goodColor)
	busy  = lipgloss.NewStyle().Foreground(busyColor)
	bad   = lipgloss.NewStyle().Foreground(badColor).Bold(true)
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
