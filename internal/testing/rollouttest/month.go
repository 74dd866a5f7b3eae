package rollouttest

import (
	"fmt"
	"time"

	"gati.dev/gati/pkg/request"
)

// Month lets the handler live for a length of time, as handlers do: mostly
// nothing happens, and the controller looks only when it asked to or something
// has changed. It returns how many looks there were.
func (l *Life) Month(length time.Duration) (int, error) {
	end := Start.Add(length)
	looks, release := 0, 1
	nextRelease := Start.Add(l.randomDays(4))
	nextTrouble := Start.Add(l.randomDays(3))
	for l.Cluster.Now.Before(end) {
		switch {
		case l.Cluster.Now.After(nextRelease):
			release++
			l.Declare(fmt.Sprintf("v%d", release), 1)
			if l.random.Intn(4) == 0 {
				l.Cluster.Qualities[l.Declared.Revision] = Quality(1 + l.random.Intn(qualities-1))
			}
			nextRelease = l.Cluster.Now.Add(l.randomDays(4))
		case l.Cluster.Now.After(nextTrouble):
			l.causeTrouble()
			nextTrouble = l.Cluster.Now.Add(l.randomDays(3))
		}
		if l.waitsForPerson() {
			l.Ask(request.Promote, "")
		}
		before := l.State
		if err := l.Stumble(); err != nil {
			return looks, err
		}
		looks++
		l.sleepUntil(before.Rollout != l.State.Rollout && !sameState(before, l.State), nextRelease, nextTrouble)
	}
	return looks, nil
}

// waitsForPerson reports whether a person would promote now.
func (l *Life) waitsForPerson() bool {
	return l.State.Rollout != nil && l.waitsForPromotion() && l.random.Intn(3) == 0
}

// sleepUntil lets time go by until there is something to look at.
func (l *Life) sleepUntil(changed bool, next ...time.Time) {
	wait := 10 * time.Minute // Pods and gateways have their own events.
	switch {
	case changed:
		wait = time.Duration(1+l.random.Intn(20)) * time.Second
	case l.Last.After > 0:
		wait = max(wait, min(6*time.Hour, l.Last.After))
	default:
		wait = 12 * time.Hour
		for _, at := range next {
			wait = min(wait, max(time.Second, at.Sub(l.Cluster.Now)+time.Second))
		}
	}
	l.Cluster.Pass(wait)
	if l.random.Intn(3) == 0 {
		l.Cluster.Heal()
	}
}

// causeTrouble disturbs a month.
func (l *Life) causeTrouble() {
	switch l.random.Intn(6) {
	case 0:
		l.Cluster.Hurt()
	case 1:
		l.Cluster.Refusing = true
	case 2:
		l.askAnything()
	case 3:
		l.changeAnything()
	case 4:
		l.recordAnything()
	case 5:
		l.Cluster.Unclaimed = true
	}
	if r := l.State.Rollout; r != nil && r.Frozen != nil {
		l.Ask(request.Resume, "")
	}
}

// randomDays returns a random time of about so many days.
func (l *Life) randomDays(about int) time.Duration {
	return time.Duration(1+l.random.Intn(2*about*24*60)) * time.Minute
}
