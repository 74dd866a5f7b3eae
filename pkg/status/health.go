package status

// Health is the verdict on a handler or module.
type Health string

// The verdicts, best first.
const (
	// Healthy: everything asked for is ready.
	Healthy Health = "Healthy"
	// Progressing: it is getting there by itself.
	Progressing Health = "Progressing"
	// Paused: it serves, and what is being rolled out waits for somebody.
	Paused Health = "Paused"
	// Deleting: it is going away.
	Deleting Health = "Deleting"
	// RolledBack: it serves, but not the version that the spec declares: that one
	// failed or was aborted, or somebody went back.
	RolledBack Health = "RolledBack"
	// Degraded: some pods cannot serve until somebody acts.
	Degraded Health = "Degraded"
	// Failed: the controller has given up until somebody acts.
	Failed Health = "Failed"
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
	default:
		return 6
	}
}

// NeedsSomebody tells that it does not become well by itself.
func (h Health) NeedsSomebody() bool { return h.severity() >= Paused.severity() }

// Settled tells that nothing changes by itself: it is healthy, or the
// controller waits for somebody.
func (h Health) Settled() bool { return h == Healthy || h == Failed || h == Paused || h == RolledBack }
