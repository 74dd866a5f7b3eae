package simulate

import (
	"cmp"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// Scenario is the rollout that is played.
type Scenario struct {
	Policy rollout.Policy
	// PerSecond is the rate of requests to all versions.
	PerSecond float64
	// Fault is the share of the requests to the new version that fail.
	Fault float64
}

// Outcome is how a rollout ended.
type Outcome string

// The outcomes.
const (
	// RolledBack: the new version was found to be faulty.
	RolledBack Outcome = "RolledBack"
	// Promoted: it serves, and is judged no more.
	Promoted Outcome = "Promoted"
	// Waiting: nothing goes on until it is promoted by a user.
	Waiting Outcome = "Waiting"
)

// Run is how one rollout went.
type Run struct {
	Outcome Outcome
	// Took is the time until it was found, promoted, or waited for a user.
	Took time.Duration
	// Steps are those that began, the last one is where the rollout ended.
	Steps []Step
	// Requests are those to the new version until it was found or judged no more, Failed those
	// of them that failed.
	Requests, Failed int64
}

// Step is how one step of a run went.
type Step struct {
	rollout.Step
	// Began and Took are of its weight.
	Began, Took time.Duration
	// Before and After are the metrics at its begin and its end.
	Before, After []v1.MetricStatus
	// Passed is when no requests were missing any more, from the begin of the rollout; nil
	// where they were to the end.
	Passed *time.Duration
}

// The versions of every rollout.
const (
	stable = "v1"
	target = "v2"
)

// start is when every rollout begins; only differences matter.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Player plays one rollout.
type Player struct {
	Scenario
	traffic Traffic
	world   world
	in      rollout.Input
	steps   []rollout.Step
	after   time.Duration
	began   time.Time
	run     Run
}

// NewPlayer returns a rollout that begins with the next decision: the stable version serves.
// Checks count as passed.
func NewPlayer(s Scenario, traffic Traffic) *Player {
	s.Policy.Checks = nil
	p := &Player{Scenario: s, traffic: traffic, world: world{now: start, workloads: map[string]*workload{}}, steps: s.Policy.AllSteps()}
	p.in = rollout.Input{Handler: "handler", Policy: s.Policy}
	p.declare(stable)
	p.Look()
	p.Look()
	p.world.now = p.world.now.Add(time.Hour) // The stable version has been there for long.
	p.declare(target)
	p.began = p.world.now
	return p
}

func (p *Player) declare(version string) {
	p.in.Declared = rollout.Unit{Version: version, RevisionNumber: 1, Revision: version + "-r1"}
	p.in.Intent = version
}

// Play lets the rollout go on until it is over.
func (p *Player) Play() Run {
	for {
		d := p.Look()
		if p.recordProgress(&d); p.run.Outcome != "" {
			return p.run
		}
		p.Pass()
	}
}

// Look lets the machine decide, and makes the decision real.
func (p *Player) Look() rollout.Decision {
	p.world.observe(&p.in)
	d := rollout.Next(p.in)
	p.in.State = d.State
	// Stamps have whole seconds. What the controller has changed, it sees at once.
	p.after = max(time.Second, (cmp.Or(d.After, p.Policy.Analysis.Interval) + time.Second - 1).Truncate(time.Second))
	if p.world.apply(&d) {
		p.after = 0
	}
	p.in.State.Rollout.RouteGeneration = p.world.writes
	return d
}

// Pass lets time go by until the machine wants to look again, and returns how much.
func (p *Player) Pass() time.Duration {
	p.world.now = p.world.now.Add(p.after)
	for _, version := range []string{stable, target} {
		w, bad := p.world.workloads[version], 0.0
		if w == nil {
			continue
		}
		if version == target {
			bad = p.Fault
		}
		rate := p.PerSecond * p.world.sharePercent(version, p.Policy.Gateway) / 100
		requests, failed := p.traffic(rate*p.after.Seconds(), bad)
		w.requests, w.failed = w.requests+requests, w.failed+failed
	}
	return p.after
}

// recordProgress takes in a decision: the step that it is in, and whether the rollout is over.
func (p *Player) recordProgress(d *rollout.Decision) {
	ro := d.Rollout
	at := p.Elapsed()
	if w := p.world.workloads[target]; w != nil {
		p.run.Requests, p.run.Failed = int64(w.requests), int64(w.failed)
	}
	isPromoted := ro.Phase == v1.RolloutStable && ro.Stable.Version == target
	index := int(ro.Step)
	if isPromoted {
		index = len(p.steps) - 1
	}
	isBack := len(ro.Rejected) > 0 || ro.Phase == v1.RolloutFailed || slices.ContainsFunc(ro.Analysis, hasFailed)
	if (isPromoted || ro.StepStartedAt != nil) && !isBack {
		p.beginSteps(index, at, ro.Analysis)
	}
	p.continueStep(at, ro.Analysis)
	switch {
	case isBack:
		p.end(RolledBack, at)
	case isPromoted && !p.isWatched():
		p.end(Promoted, p.run.Steps[len(p.run.Steps)-1].Began)
	case p.waitsForUser(ro):
		p.end(Waiting, at)
	}
}

func hasFailed(s v1.MetricStatus) bool { return s.Verdict == v1.AnalysisFail }

// end ends the run.
func (p *Player) end(o Outcome, took time.Duration) { p.run.Outcome, p.run.Took = o, took }

// beginSteps begins the steps up to an index.
func (p *Player) beginSteps(index int, at time.Duration, metrics []v1.MetricStatus) {
	for len(p.run.Steps) <= index {
		if last := len(p.run.Steps) - 1; last >= 0 {
			p.run.Steps[last].Took = at - p.run.Steps[last].Began
		}
		p.run.Steps = append(p.run.Steps, Step{Step: p.steps[len(p.run.Steps)], Began: at, Before: metrics})
	}
}

// continueStep takes in the metrics of the present step.
func (p *Player) continueStep(at time.Duration, metrics []v1.MetricStatus) {
	if len(p.run.Steps) == 0 {
		return
	}
	s := &p.run.Steps[len(p.run.Steps)-1]
	s.Took, s.After = at-s.Began, metrics
	if isOpen := slices.ContainsFunc(metrics, func(m v1.MetricStatus) bool { return m.Verdict != v1.AnalysisPass }); s.Passed == nil && !isOpen {
		s.Passed = &at
	}
}

// Elapsed returns the time since the rollout began.
func (p *Player) Elapsed() time.Duration { return p.world.now.Sub(p.began) }

// isWatched reports whether the promoted version is still judged.
func (p *Player) isWatched() bool {
	since := rollout.WatchedSince(p.in.State)
	return p.Policy.Gateway && since != nil && p.world.now.Before(since.Add(p.Policy.RollbackWindow))
}

// waitsForUser reports whether the rollout waits to be promoted, and has done so for as long as a
// step may wait for requests.
func (p *Player) waitsForUser(ro *v1.RolloutStatus) bool {
	w := ro.WaitingFor
	return w != nil && (w.Reason == v1.WaitingForPromotion || w.Reason == v1.WaitingForTraffic) &&
		ro.StepStartedAt != nil && !p.world.now.Before(ro.StepStartedAt.Add(p.Policy.ProgressDeadline))
}
