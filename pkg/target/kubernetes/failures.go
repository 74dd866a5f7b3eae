package kubernetes

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"gati.dev/gati/pkg/target"
)

const (
	// retryRace is how soon a write that lost a race is tried again: the event of the
	// winner usually comes first. After maxRaces tries it is an error as any other.
	retryRace = 200 * time.Millisecond
	maxRaces  = 5
	// retryFirst is how soon another error is tried again; each try doubles it, up to
	// retryLast.
	retryFirst = 500 * time.Millisecond
	retryLast  = 30 * time.Second
)

// failures remembers which writes failed. Every event of a sibling brings a plan back,
// and to ask for the same again each time would be a storm that no answer changes.
type failures struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	known map[childKey]failure
	sweep sweep
}

// childKey is an object of an owner.
type childKey struct {
	owner      types.UID
	kind, name string
}

type failure struct {
	// hash is that of the desired object; it is empty for a removal.
	hash  string
	err   error
	tries int
	again time.Time
}

func newFailures(c clock.PassiveClock) *failures {
	return &failures{clock: c, known: map[childKey]failure{}, sweep: sweep{every: repairPeriod}}
}

// findFailure returns the last answer to the same write while it is too soon to retry, and
// the remaining time.
func (f *failures) findFailure(key childKey, hash string) (wait time.Duration, problem error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, ok := f.known[key]
	wait = known.again.Sub(f.clock.Now())
	if !ok || known.hash != hash || wait <= 0 {
		return 0, nil
	}
	return wait, known.err
}

// lastFailure returns the last answer to the same write, nil where it did not fail. isDue
// reports whether the write may be retried now.
func (f *failures) lastFailure(key childKey, hash string) (problem error, isDue bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, ok := f.known[key]
	if !ok || known.hash != hash {
		return nil, true
	}
	return known.err, !f.clock.Now().Before(known.again)
}

// recordFailure remembers the answer to a write, and returns it with how long to wait
// for another try.
func (f *failures) recordFailure(key childKey, hash string, err error) (wait time.Duration, problem error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.Now()
	if f.sweep.isDue(now) {
		maps.DeleteFunc(f.known, func(_ childKey, known failure) bool { return now.Sub(known.again) >= repairPeriod })
	}
	failed := failure{hash: hash, err: target.NewFailedError(key.kind, key.name, err)}
	if was := f.known[key]; was.hash == hash && now.Sub(was.again) < repairPeriod {
		failed.tries = was.tries
	}
	failed.tries++
	switch {
	case isRefusal(err):
		failed.err, wait = &target.RefusedError{Kind: key.kind, Name: key.name, Err: err}, repairPeriod
	case isRace(err) && failed.tries <= maxRaces:
		failed.err, wait = raceOf(err), retryRace
	default:
		wait = delayAfter(failed.tries)
	}
	failed.again = now.Add(wait)
	f.known[key] = failed
	return wait, failed.err
}

// isKnown reports whether the last write of an object failed.
func (f *failures) isKnown(key childKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.known[key]
	return ok
}

// forgetFailure drops the failure of an object that was written, or needs no write.
func (f *failures) forgetFailure(key childKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.known, key)
}

// errRace is a lost race that is retried before users see it, errUpdateRace one about an
// existing object.
var (
	errRace       = errors.New("a write lost a race")
	errUpdateRace = fmt.Errorf("%w: the object has changed", errRace)
)

// raceOf returns the error for a lost race.
func raceOf(err error) error {
	if apierrors.IsConflict(err) {
		return errUpdateRace
	}
	return errRace
}

// isRace reports whether a write lost a race because of an outdated cache: the object has
// changed, exists already or is gone.
func isRace(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
}

// delayAfter is how long to wait after so many failed tries.
func delayAfter(tries int) time.Duration {
	delay := retryFirst
	for range tries - 1 {
		if delay *= 2; delay >= retryLast {
			return retryLast
		}
	}
	return delay
}
