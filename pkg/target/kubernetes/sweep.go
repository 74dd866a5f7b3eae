package kubernetes

import "time"

// sweep decides when outdated entries of a memory are dropped: only now and then, so that
// the cost of a write does not depend on the number of entries.
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
