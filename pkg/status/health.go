package status

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Health is the verdict on a handler or module. The controller decides it.
type Health = v1.Health

// The verdicts.
const (
	Healthy     = v1.Healthy
	Progressing = v1.Progressing
	// Deleting means that it is being deleted. No status has it: only the view knows.
	Deleting   Health = "Deleting"
	Paused            = v1.Paused
	RolledBack        = v1.RolledBack
	Degraded          = v1.Degraded
	Failed            = v1.Failed
	Invalid           = v1.Invalid
)

// severities orders verdicts, the best first.
var severities = []Health{Healthy, Progressing, Deleting, Paused, RolledBack, Degraded, Failed, Invalid}

// Severity returns the place of a verdict; the worst has the highest.
func Severity(h Health) int { return slices.Index(severities, h) }

// NeedsAttention reports whether it stays unhealthy without an action.
func NeedsAttention(h Health) bool { return Severity(h) >= Severity(Paused) }
