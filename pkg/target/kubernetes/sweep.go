package kubernetes

import "time"

// sweep decides when what is over is dropped from a memory: once in a while, so that a
// write costs the same however many objects are remembered.
type sweep struct {
	every time.Duration
	last  time.Time
}

// isDue reports whether it is time, and counts from then.
func (s *sweep) isDue(now time.Time) bool {
	if now.Sub(s.last) < s.every {
		return false
	}
	s.last = now
	return true
}
