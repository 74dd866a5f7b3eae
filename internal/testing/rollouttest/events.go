package rollouttest

import (
	"fmt"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// Live lets the handler live through random events.
func (l *Life) Live(events int) error {
	for range events {
		l.disturb()
		if err := l.Stumble(); err != nil {
			return err
		}
	}
	return nil
}

// disturb makes a change of users or the cluster between two looks.
func (l *Life) disturb() {
	c, r := l.Cluster, l.random
	if ro := l.State.Rollout; l.Pausing && ro != nil && r.Intn(3) == 0 {
		l.Ask(map[bool]request.Verb{false: request.Pause, true: request.Resume}[ro.Frozen != nil], "")
	}
	switch r.Intn(24) {
	case 0, 1:
		l.Declare(fmt.Sprintf("v%d", 1+r.Intn(5)), int64(1+r.Intn(2)))
		if _, known := c.Qualities[l.Declared.Revision]; !known && !l.isTarget(l.Declared.Revision) && r.Intn(2) == 0 {
			c.Qualities[l.Declared.Revision] = Quality(r.Intn(qualities))
		}
	case 2:
		l.askAnything()
	case 3:
		c.Hurt()
	case 4, 5:
		gateway := []*bool{&c.Refusing, &c.Unclaimed, &c.Dead}[r.Intn(3)]
		*gateway = !*gateway
	case 6:
		c.Heal()
	case 7:
		l.changeAnything()
	case 8:
		l.recordAnything()
	case 9:
		c.Skew += time.Duration(r.Intn(600)-300) * time.Second
	case 10:
		c.Pass(time.Duration(r.Intn(7200)) * time.Second)
	case 11:
		if c.Source != NoSource && c.Source != Gateway && c.Source != NoMetrics {
			c.Source = []Source{Honest, Silent, Flaky}[r.Intn(3)]
		}
	case 12:
		c.Callers = []int{0, 1, 10}[r.Intn(3)]
	case 13, 14, 15, 16:
		if ro := l.State.Rollout; ro != nil && ro.Phase == v1.RolloutRollingBack {
			l.Ask(request.Rollback, "") // As does who has seen the version that failed.
		}
	case 17:
		c.Full = !c.Full
	case 18:
		c.Slip()
	case 21:
		if ro := l.State.Rollout; ro != nil && ro.Target != nil {
			c.Stop(ro.Target.Workload)
		}
	case 20:
		c.Holding = Holding(r.Intn(holdings))
	case 19:
		c.Jammed = !c.Jammed && !c.Reliable
	}
	if l.Last.After > 0 && r.Intn(2) == 0 {
		c.Pass(min(l.Last.After, time.Hour))
	} else {
		c.Pass(time.Duration(r.Intn(60_000)) * time.Millisecond)
	}
}

// isTarget reports whether a template is being rolled out: it does not turn bad halfway.
func (l *Life) isTarget(revision string) bool {
	return l.State.Rollout != nil && l.State.Rollout.Target != nil && l.State.Rollout.Target.Revision == revision
}

func (l *Life) askAnything() {
	r := l.random
	version := fmt.Sprintf("v%d", 1+r.Intn(5))
	switch r.Intn(11) {
	case 10:
		l.Ask(request.Contract, []string{"", version}[r.Intn(2)])
	case 9:
		l.Ask(request.Retry, "")
	case 8:
		l.Ask(request.Override, request.AllowBreaking)
	case 0, 1:
		l.Ask(request.Promote, []string{"", request.Full}[r.Intn(2)])
	case 2:
		l.Ask(request.Pause, "")
	case 3:
		l.Ask(request.Resume, "")
	case 4:
		l.Ask(request.Abort, "")
	case 5:
		l.Ask(request.Rollback, []string{"", version}[r.Intn(2)])
	case 6:
		l.Ask(request.Restart, "")
	case 7:
		l.Ask(request.Decommission, version)
	}
}

func (l *Life) changeAnything() {
	r := l.random
	switch r.Intn(5) {
	case 0:
		l.Policy.Replicas = int32(r.Intn(12)) // Scaling is no change of the spec's intent.
		if l.Policy.Autoscaled {
			l.Policy.Replicas++
		}
	case 1:
		l.ChangePolicy(func(p *rollout.Policy) { p.Steps = RandomSteps(r) })
	case 2:
		l.ChangePolicy(func(p *rollout.Policy) {
			p.Strategy = []v1.Strategy{v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate}[r.Intn(3)]
		})
	case 3:
		l.ChangePolicy(func(p *rollout.Policy) { p.AutoRollback = !p.AutoRollback })
	case 4:
		l.ChangePolicy(func(p *rollout.Policy) { p.RollbackWindow = time.Duration(1+r.Intn(600)) * time.Second })
	}
}

func (l *Life) recordAnything() {
	r := l.random
	version := fmt.Sprintf("v%d", 1+r.Intn(5))
	rec := l.Records[version]
	switch r.Intn(6) {
	case 0, 1, 2:
		traffic := int32(r.Intn(101))
		rec.Traffic = &traffic
	case 3:
		rec.Keep = !rec.Keep
		rec.Needed = rec.Keep
	case 4:
		rec.Tags = []string{"stable"}
	case 5:
		rec.Held, rec.Breaking = "its input has lost a property", true
		switch r.Intn(4) {
		case 0, 1:
			rec = rollout.Record{Run: rec.Run, Serves: rec.Serves} // As when transformers cover it.
		case 2:
			rec.AllowedBy = "jane"
		}
	}
	l.Records[version] = rec
}

// Stumble is a look at which something may go wrong: observations are lost or
// old, the controller dies, the status is wiped.
func (l *Life) Stumble() error {
	r := l.random
	old, oldRoute := l.seen, l.route
	in := l.Input()
	switch r.Intn(16) {
	case 0:
		for _, name := range sorted(in.Workloads) {
			if in.Workloads[name].Exists && r.Intn(2) == 0 {
				delete(in.Workloads, name)
			}
		}
	case 1:
		in.Route = rollout.Route{}
	case 2:
		if in.State.Rollout != nil && old != nil {
			in.Workloads = old
		}
	case 3:
		if in.State.Rollout != nil {
			in.Route = oldRoute
		}
	case 4:
		l.Restart()
		in.State = l.State
	case 5:
		if r.Intn(8) == 0 {
			l.Wipe()
			in.State = l.State
		}
	case 6:
		if !l.Cluster.Reliable && in.State.Rollout != nil && l.older != nil && l.older.Rollout != nil {
			return l.lookOutdated(in)
		}
	}
	return l.lookOnce(in, []crash{never, never, never, never, beforePersist, beforeAct, beforeNote}[r.Intn(7)])
}

// End lets everything become well, and holds that the handler comes to rest: the
// run ends, and nothing more is decided.
func (l *Life) End() error {
	l.Cluster.Skew, l.Cluster.Callers = 0, 0
	// Pods that take as long as the deadline are not well.
	l.Cluster.StartUp = min(l.Cluster.StartUp, l.Policy.ProgressDeadline/4)
	if s := l.Cluster.Source; s == Silent || s == Flaky {
		l.Cluster.Source = Honest
	}
	if a := l.Policy.Analysis; a != nil && !l.isMeasured() {
		calm := *a
		calm.NoData = v1.NoDataPass
		l.Policy.Analysis = &calm
	}
	l.Cluster.passChecks()
	l.Ask(request.Resume, "")
	for i := range 400 {
		l.Cluster.Heal()
		l.Cluster.Pass(min(max(l.Last.After, 15*time.Second), 2*time.Hour))
		if i > 3 && l.waitsForPromotion() && (i < 20 || l.State.Rollout.Phase != v1.RolloutFailed) {
			l.Ask(request.Promote, request.Full)
		}
		before := l.State
		if err := l.Look(); err != nil {
			return err
		}
		if i > 3 && l.Last.After == 0 && l.atRest() && sameState(before, l.State) {
			return l.Checker.AtRest(l.Input(), l.Last)
		}
	}
	if l.atRest() {
		return l.Checker.AtRest(l.Input(), l.Last)
	}
	return fmt.Errorf("it does not come to rest: %s %s\n%s", l.State.Rollout.Phase, l.Last.Reason, describe(l.Input(), l.Last))
}

// isMeasured reports whether every template has enough requests to be judged, and to
// compare another one with.
func (l *Life) isMeasured() bool {
	for _, q := range l.Cluster.Qualities {
		if q != Good && q != Wrong {
			return false
		}
	}
	return l.Policy.Replicas > 0
}

func (l *Life) waitsForPromotion() bool {
	return l.State.Rollout.Phase == v1.RolloutFailed || l.State.Rollout.WaitingFor != nil && l.State.Rollout.WaitingFor.Reason == v1.WaitingForPromotion
}

// atRest reports whether the run is over. It cannot be where nothing can be gone back
// to, or there is no wish to, and the pods are bad.
func (l *Life) atRest() bool {
	r := l.State.Rollout
	if r.Phase == v1.RolloutStable {
		return true
	}
	stuck := r.Phase == v1.RolloutStarting || r.Phase == v1.RolloutFailed || r.Mode == v1.RolloutInPlace || r.Phase == v1.RolloutRollingBack || l.Policy.Strategy == v1.StrategyManual
	for _, p := range l.Last.Workloads {
		q := l.Cluster.Qualities[p.Unit.Revision]
		if p.Workload == r.Stable.Workload && (q == NeverReady || q == CrashLoop) {
			return true
		}
		if stuck && (q == NeverReady || q == CrashLoop || q == Wrong) {
			return true
		}
	}
	return false
}
