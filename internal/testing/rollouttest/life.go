package rollouttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// Machine is the tested function: rollout.Next, or Next with a fault.
type Machine func(rollout.Input) rollout.Decision

// Life is one handler in its cluster.
type Life struct {
	Next    Machine
	Cluster *Cluster
	Policy  rollout.Policy
	// Declared is the version that the spec leads to.
	Declared rollout.Unit
	Records  map[string]rollout.Record
	// Transformers are those that pods are told to hold; none are recorded where it is
	// empty.
	Transformers rollout.Transformers
	Request      *rollout.Request
	// Turn bounds the rollouts of other handlers; nil for no bound.
	Turn    *rollout.Turn
	State   rollout.State
	Checker *Checker
	// Outcomes counts what the history tells.
	Outcomes map[string]int
	Last     rollout.Decision
	// Invalid lets the spec be one that cannot be applied, for minutes at a time.
	Invalid bool
	// Pausing lets users pause and resume its rollouts again and again.
	Pausing bool
	// Carelessness is that of the controller; ours has none.
	Carelessness Carelessness

	// revisions are those that were ever cut, the last declared one last.
	revisions []string
	// older is the state before the last write.
	older   *rollout.State
	random  *rand.Rand
	policyN int
	uuid    int
	seen    map[string]rollout.Workload
	route   rollout.Route
}

// Start is when every life begins.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// NewLife returns a handler with a random policy.
func NewLife(next Machine, seed int64) *Life {
	random := rand.New(rand.NewSource(seed))
	l := &Life{
		Next: next, random: random, Cluster: NewCluster(random, Start), Policy: RandomPolicy(random),
		Records: map[string]rollout.Record{}, Checker: NewChecker(), Outcomes: map[string]int{},
	}
	l.Policy.HistoryLimit = 1 + int(seed%3)
	l.Cluster.Source = []Source{NoSource, Honest, Silent, Flaky, Gateway}[random.Intn(5)]
	if l.Cluster.Source == NoSource && seed%2 == 1 {
		l.Cluster.Source = NoMetrics // For drains it is the same.
	}
	l.Cluster.Callers = []int{0, 2, 10}[random.Intn(3)]
	l.Cluster.AcceptLag = time.Duration(random.Intn(6)) * time.Second
	l.Cluster.StartUp = time.Duration(1+random.Intn(60)) * time.Second
	l.Declare("v1", 1)
	return l
}

// RandomPolicy returns a policy as a user might write it.
func RandomPolicy(random *rand.Rand) rollout.Policy {
	strategies := []v1.Strategy{v1.StrategyCanary, v1.StrategyCanary, v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate}
	p := rollout.Policy{
		Strategy:         strategies[random.Intn(len(strategies))],
		ProgressDeadline: time.Duration(60+random.Intn(600)) * time.Second,
		RollbackWindow:   time.Duration(1+random.Intn(600)) * time.Second,
		AutoRollback:     random.Intn(5) > 0,
		Replicas:         int32(random.Intn(12)), Min: 1,
		Gateway:       random.Intn(4) > 0,
		DrainWindow:   time.Duration(1+random.Intn(600)) * time.Second,
		DrainDeadline: time.Duration(1+random.Intn(3600)) * time.Second,
		ColdAfter:     time.Duration(1+random.Intn(7200)) * time.Second,
		MinAge:        time.Duration(1+random.Intn(3600)) * time.Second,
		MinActive:     1 + random.Intn(2),
		ProtectedTags: []string{"stable"},
	}
	p.Autoscaled = p.Gateway && p.Replicas > 0 && random.Intn(4) == 0
	p.Steps = RandomSteps(random)
	if random.Intn(2) == 0 {
		p.Analysis = RandomAnalysis(random)
	}
	if p.Gateway && random.Intn(4) == 0 {
		p.Warm = int32(1 + random.Intn(4))
	}
	if p.Gateway && random.Intn(4) == 0 {
		p.Pool = int32(1 + random.Intn(8))
	}
	p.Checks = randomChecks(p)
	return p
}

// RandomSteps returns steps that rise.
func RandomSteps(random *rand.Rand) []rollout.Step {
	var steps []rollout.Step
	weight := int32(0)
	for range random.Intn(4) {
		weight += int32(1 + random.Intn(34))
		s := rollout.Step{Weight: min(weight, 100), Pause: time.Duration(1+random.Intn(900)) * time.Second}
		if random.Intn(6) == 0 {
			s.Pause = 0
		}
		steps = append(steps, s)
	}
	if len(steps) > 0 && random.Intn(4) == 0 {
		steps = append(steps, rollout.Step{Weight: 100, Pause: time.Duration(1+random.Intn(900)) * time.Second})
	}
	return steps
}

// Declare changes the spec to another template.
func (l *Life) Declare(version string, number int64) {
	l.Declared = rollout.Unit{Version: version, RevisionNumber: number, Revision: fmt.Sprintf("%s-r%d", version, number)}
	l.revisions = append(slices.DeleteFunc(l.revisions, func(name string) bool { return name == l.Declared.Revision }), l.Declared.Revision)
}

// Ask makes a request with a new UUID.
func (l *Life) Ask(verb request.Verb, argument string) {
	l.uuid++
	l.Request = &rollout.Request{By: "jane", Request: request.Request{
		Verb: verb, Argument: argument, ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", l.uuid),
	}}
}

// ChangePolicy counts as a change of the spec.
func (l *Life) ChangePolicy(change func(*rollout.Policy)) {
	change(&l.Policy)
	l.policyN++
}

// Input returns the current input of the machine.
func (l *Life) Input() rollout.Input {
	in := rollout.Input{
		Now: l.Cluster.machineTime(), Handler: "users", Policy: l.Policy, Declared: l.Declared,
		Intent:  fmt.Sprintf("%s/%d", l.Declared.Revision, l.policyN),
		Records: maps.Clone(l.Records), Request: l.Request, State: l.State, Kept: l.keptRevisions(), Turn: l.Turn,
	}
	if ro := l.State.Rollout; l.Invalid && ro != nil && ro.Declared != nil && in.Now.Unix()/300%2 == 0 {
		in.HasFaults = true
		in.Declared = rollout.Unit{Version: ro.Declared.Version, RevisionNumber: ro.Declared.RevisionNumber, Revision: ro.Declared.Revision}
	}
	in.Transformers = l.Transformers
	in.Transformers.Hash = fileHash(nil)
	if ro := l.State.Rollout; ro != nil {
		in.Transformers.Hash = fileHash(ro.Contract)
	}
	for _, u := range l.State.Versions {
		if l.State.Rollout != nil && l.State.LacksTraffic(u.Version) {
			in.Transformers.WithoutTraffic = append(in.Transformers.WithoutTraffic, u.Version)
		}
	}
	var names []string
	for i := range l.State.Versions {
		if w := l.State.Versions[i].Workload; w != "" {
			names = append(names, w)
		}
	}
	names = append(names, sorted(l.Cluster.route.weights)...)
	in.Workloads, in.Route = l.Cluster.Observe(names)
	// What may be begun is looked at, too: that it is not there is known then.
	begun := naming.Slug(l.Declared.Version, l.Declared.RevisionNumber)
	if _, seen := in.Workloads[begun]; !seen {
		in.Workloads[begun] = rollout.Workload{}
	}
	l.seen, l.route = in.Workloads, in.Route
	in.Counters, in.CheckJobs = l.Cluster.Counters(), l.Cluster.CheckJobs()
	if r := l.State.Rollout; r != nil && r.Target != nil {
		in.Measurements = l.Cluster.Measure(r.Target.Workload, l.Policy.Analysis)
	}
	return in
}

// keptRevisions returns the revisions that are left: those in use, and the newest others.
// Without a limit that is not known.
func (l *Life) keptRevisions() map[string]bool {
	if l.Policy.HistoryLimit == 0 {
		return nil
	}
	out := map[string]bool{l.Declared.Revision: true}
	for _, v := range l.State.Versions {
		if v.Phase != v1.VersionDecommissioned || v.Workload != "" {
			out[v.Revision] = true
		}
	}
	idle := 0
	for _, name := range slices.Backward(l.revisions) {
		if !out[name] && idle < l.Policy.HistoryLimit {
			out[name] = true
			idle++
		}
	}
	return out
}

// Look observes, decides, checks, persists and acts.
func (l *Life) Look() error { return l.lookOnce(l.Input(), never) }

// crash is where the controller dies in a look.
type crash int

const (
	never crash = iota
	beforePersist
	beforeAct
	beforeNote
)

func (l *Life) lookOnce(in rollout.Input, dies crash) error {
	d := l.Next(in)
	if err := l.Checker.Check(in, d, l.Cluster); err != nil {
		return fmt.Errorf("%s at %s: %w\n%s", l.Policy.Strategy, l.Cluster.Now.Format(time.TimeOnly), err, describe(in, d))
	}
	l.Last = d
	if dies == beforePersist || d.Undecided {
		return nil
	}
	for _, e := range d.Events {
		l.Outcomes[e.Reason]++
	}
	before := l.State
	l.older, l.State = &before, d.State
	l.Checker.Persisted(in, d)
	l.Cluster.Believe(in, d.State)
	if dies == beforeAct {
		return nil
	}
	generation := l.act(d, in.Policy.Gateway)
	if err := l.checkActs(in.Policy.Gateway); err != nil {
		return fmt.Errorf("%s at %s: what is decided is done: %w\n%s", l.Policy.Strategy, l.Cluster.Now.Format(time.TimeOnly), err, describe(in, d))
	}
	if dies != beforeNote {
		l.State.Rollout.RouteGeneration = generation
	}
	return nil
}

// Restart forgets all that is not persisted.
func (l *Life) Restart() {
	raw, err := json.Marshal(v1.GatiHandlerStatus{Versions: l.State.Versions, Rollout: l.State.Rollout})
	if err != nil {
		panic(err)
	}
	var back v1.GatiHandlerStatus
	if err := json.Unmarshal(raw, &back); err != nil {
		panic(err)
	}
	l.State = rollout.State{Versions: back.Versions, Rollout: back.Rollout}
}

// Wipe loses the status; the order of versions is in the revisions.
func (l *Life) Wipe() {
	var versions []v1.VersionStatus
	for _, v := range l.State.Versions {
		known := slices.ContainsFunc(versions, func(o v1.VersionStatus) bool { return o.Version == v.Version && o.RevisionNumber == v.RevisionNumber })
		if !known {
			versions = append(versions, v1.VersionStatus{
				Version: v.Version, Sequence: v.Sequence, Revision: v.Revision, RevisionNumber: v.RevisionNumber, Phase: v1.VersionDraining,
			})
		}
	}
	l.State = rollout.State{Versions: versions}
	l.Checker.Wiped()
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// describe shows what led to a violation.
func describe(in rollout.Input, d rollout.Decision) string {
	type short struct {
		Before, After rollout.State
		Workloads     map[string]rollout.Workload
		Route         rollout.Route
		Plan          []rollout.WorkloadPlan
		Policy        rollout.Policy
		Declared      rollout.Unit
		Delete        []string
		Reason        string
	}
	in.State, d.State = shorten(in.State), shorten(d.State)
	raw, err := json.Marshal(short{in.State, d.State, in.Workloads, in.Route, d.Workloads, in.Policy, in.Declared, d.Delete, d.Reason})
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// shorten leaves out what explains no decision.
func shorten(s rollout.State) rollout.State {
	if s.Rollout != nil {
		r := *s.Rollout
		r.Requests, r.History = nil, nil
		s.Rollout = &r
	}
	return s
}
