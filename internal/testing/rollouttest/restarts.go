package rollouttest

import "time"

// restartWindow is how long a restart counts.
const restartWindow = 10 * time.Minute

// restartBook has the restarts of a target each time that they changed.
type restartBook []struct {
	at    time.Time
	count int32
}

func (b *restartBook) note(at time.Time, count int32) {
	if n := len(*b); n > 0 && (*b)[n-1].count == count {
		return
	}
	*b = append(*b, struct {
		at    time.Time
		count int32
	}{at, count})
}

// hasNew reports whether there are more restarts than were noted last.
func (b restartBook) hasNew(count int32) bool { return len(b) > 0 && count > b[len(b)-1].count }

// since is when the restarts after an entry began: with the next one, or now.
func (b restartBook) since(i int, now time.Time) time.Duration {
	if i == len(b)-1 {
		return 0
	}
	return now.Sub(b[i+1].at)
}

// mustFail reports whether so many restarts fail a rollout, however its windows lie: all
// of them are in the first one.
func (b restartBook) mustFail(now time.Time, count, limit int32) bool {
	least := -1
	for i := range b {
		if least < 0 || b[i].count <= b[least].count {
			least = i
		}
	}
	return least >= 0 && count-b[least].count >= limit && b.since(least, now) < restartWindow
}

// mayFail reports whether there is any window in which so many restarts fail a rollout.
func (b restartBook) mayFail(now time.Time, count, limit int32) bool {
	for i := range b {
		length := max(restartWindow, b.since(i, now)-time.Second)
		if float64(count-b[i].count) >= float64(limit)*length.Seconds()/restartWindow.Seconds() {
			return true
		}
	}
	return len(b) == 0
}
