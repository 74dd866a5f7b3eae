package rollouttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// checkCauses: a version that was not judged by its traffic is taken back for many
// restarts or missing pods, and is rejected for neither where the cluster is the cause.
func (c *Checker) checkCauses(l look) error {
	was := l.in.State.Rollout
	if l.in.Policy.Analysis != nil || was == nil || was.Target == nil || was.Phase != v1.RolloutProgressing || l.in.Policy.Strategy == v1.StrategyManual {
		return nil
	}
	name := was.Target.Workload
	seen, ok := l.in.Workloads[name]
	limit := max(3, seen.Wanted)
	if !ok || !isGivenUp(l) || failsCheck(l.d) || reportsLack(l, name) || was.Mode != v1.RolloutInPlace && c.restarts.mayFail(l.in.Now, seen.Restarts, limit) {
		return nil
	}
	if seen.Obstructed || seen.Ready >= c.neededPods(l) && was.Mode != v1.RolloutInPlace {
		return fmt.Errorf("%s is given up with %d pods ready, in its way: %q", name, seen.Ready, seen.Trouble)
	}
	return nil
}

// reportsLack reports whether a pod of a workload with traffic says that it has the file of
// transformers and none of the functions.
func reportsLack(l look, name string) bool {
	return l.was[name].Weight > 0 && slices.ContainsFunc(l.in.Workloads[name].Reports, func(r rollout.PodReport) bool {
		return r.Problem == "" && r.Hash == l.in.Transformers.Hash && r.Loaded == nil
	})
}

// isGivenUp reports whether the machine, and no user, has ended and rejected a rollout.
func isGivenUp(l look) bool {
	for _, e := range l.d.Events {
		if e.Reason == "RolledBack" && !strings.HasSuffix(e.Message, ", by jane") {
			return true
		}
	}
	return false
}

// checkSilence: what others owe for longer than the deadline stalls the rollout, and ends
// nothing.
func (c *Checker) checkSilence(l look) error {
	overdue := !c.waiting.IsZero() && l.in.Now.Sub(c.waiting) > l.in.Policy.ProgressDeadline+time.Second
	if overdue && waitsForOthers(l) && !l.d.Stalled {
		return fmt.Errorf("it waits since %s, and nothing is stalled: %s", c.waiting.Format(time.TimeOnly), l.d.Reason)
	}
	return nil
}

// waitsForOthers reports whether a decision keeps the weights and the wait of the previous one,
// and waits for the gateway, for room in the cluster, or for pods of the stable version.
func waitsForOthers(l look) bool {
	was, is := l.in.State.Rollout, l.d.Rollout
	if was == nil || was.WaitingFor == nil || is.WaitingFor == nil || was.WaitingFor.Reason != is.WaitingFor.Reason || was.Phase != is.Phase || is.Phase == v1.RolloutStarting || is.Frozen != nil {
		return false
	}
	same := maps.EqualFunc(l.was, l.is, func(a, b v1.VersionStatus) bool { return a.Weight == b.Weight })
	again := was.Target == nil || is.Target == nil || *was.Target == *is.Target && was.StartedAt.Equal(is.StartedAt)
	reason := is.WaitingFor.Reason
	isOfGateway := reason == v1.WaitingForGateway || reason == v1.WaitingForRoute
	isOfServing := reason == v1.WaitingForPods && is.Phase == v1.RolloutStable && findUnreached(l) != ""
	return same && again && (isOfGateway || isOfServing || reason == v1.WaitingForInfrastructure && is.Step == was.Step)
}

// inPlaceProgress is how far a template has come in the workload main.
type inPlaceProgress struct {
	revision string
	most     int32
}

// checkInPlace: a template that has made no progress for longer than the deadline is
// given up, unless the cluster is the cause.
func (c *Checker) checkInPlace(l look) error {
	now := c.observeInPlace(l)
	overdue := !c.short.IsZero() && l.in.Now.Sub(c.short) > l.in.Policy.ProgressDeadline+time.Second
	is := l.d.Rollout
	if !overdue || now.revision == "" || now.revision != c.inPlace.revision || now.most > c.inPlace.most || !l.in.Policy.AutoRollback {
		return nil
	}
	if is.Target != nil && is.Target.Revision == now.revision && is.Frozen == nil && is.Mode == v1.RolloutInPlace && is.StartedAt.Equal(l.in.State.Rollout.StartedAt) {
		return fmt.Errorf("%s has made no progress since %s: %s", now.revision, c.short.Format(time.TimeOnly), l.d.Reason)
	}
	return nil
}

// observeInPlace returns the progress of the target of an in-place rollout that is not
// held up by users or the cluster; the zero value where there is none.
func (c *Checker) observeInPlace(l look) inPlaceProgress {
	was := l.in.State.Rollout
	seen, ok := l.in.Workloads[v1.WorkloadMain]
	if !ok || was == nil || was.Mode != v1.RolloutInPlace || was.Target == nil || was.Phase != v1.RolloutProgressing || was.Frozen != nil ||
		seen.Obstructed || seen.Complete || seen.Unit.Revision != was.Target.Revision {
		return inPlaceProgress{}
	}
	return inPlaceProgress{was.Target.Revision, seen.Updated + seen.Ready}
}

// persistWaits takes in what is waited for. A clock that went back has left stamps at the
// latest time that was ever seen, so times count from there.
func (c *Checker) persistWaits(l look) {
	if l.in.Now.After(c.latest) {
		c.latest = l.in.Now
	}
	switch {
	case !waitsForOthers(l):
		c.waiting = time.Time{}
	case c.waiting.IsZero():
		c.waiting = c.latest
	}
	is, now := l.d.Rollout, c.observeInPlace(l)
	another := is.Target == nil || is.Target.Revision != now.revision || !is.StartedAt.Equal(l.in.State.Rollout.StartedAt)
	switch {
	case now.revision == "" || another:
		c.short, c.inPlace = time.Time{}, inPlaceProgress{}
	case c.short.IsZero() || now.most > c.inPlace.most:
		c.short, c.inPlace = c.latest, now
	}
}
