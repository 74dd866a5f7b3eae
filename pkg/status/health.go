package status

// Health is the verdict on a handler or module.
type Health string

// The verdicts, best first.
const (
	// Healthy: everything requested is ready.
	Healthy Health = "Healthy"
	// Progressing: changes are under way and need no action.
	Progressing Health = "Progressing"
	// Paused: it serves, and a rollout waits for a request.
	Paused Health = "Paused"
	// Deleting: it is being deleted.
	Deleting Health = "Deleting"
	// RolledBack: it serves, but not the version that the spec declares: that one
	// failed, was aborted or was rolled back.
	RolledBack Health = "RolledBack"
	// Degraded: some pods, or the declared version, cannot serve until a user acts.
	Degraded Health = "Degraded"
	// Failed: the controller stopped; a change is needed.
	Failed Health = "Failed"
	// Invalid: the spec has faults; nothing of it is applied.
	Invalid Health = "Invalid"
)

// severity orders verdicts; the worst has the highest.
func (h Health) severity() int {
	switch h {
	case Healthy:
		return 0
	case Progressing:
		return 1
	case Deleting:
		return 2
	case Paused:
		return 3
	case RolledBack:
		return 4
	case Degraded:
		return 5
	case Failed:
		return 6
	default:
		return 7
	}
}

// NeedsAttention reports whether it stays unhealthy without an action.
func (h Health) NeedsAttention() bool { return h.severity() >= Paused.severity() }
