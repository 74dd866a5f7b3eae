package rollout_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
)

// patience is how many lives may pass before a fault must have been caught.
const patience = 40_000

// late names lives that show a fault which hundreds of others do not show. It saves the
// search alone: where such a life shows it no more, all are tried.
var late = map[string]int64{
	"rejects a frozen rollout for silence":                   10413,
	"counts the time of a pause as that of its step":         701,
	"goes on while the spec is invalid":                      1253,
	"rolls back one version too far":                         18556,
	"takes every version for cold":                           13185,
	"moves the contract with every rollout":                  10159,
	"takes a function that is missing for one that is there": 9759,
	"takes an older file for the current one":                9671,
	"never forgets a version":                                5640,
	"lets anybody allow it":                                  4009,
	"bridges gaps between measurements":                      2729,
	"counts no news as zero":                                 2682,
	"takes an old reading for a new one":                     2682,
	"counts one measurement many times":                      2128,
	"counts restarts of all times":                           2128,
	"waits for pods that crash":                              1641,
	"takes a step after a restart":                           680,
	"takes the proof of a step before":                       1656,
	"counts the restarts of many pods as those of one":       1538,
	"drains what is held":                                    1465,
	"never lets go of what was held":                         1454,
	"leaves traffic with a stable version that is down":      1346,
	"rolls back only once the gateway agrees":                1078,
	"takes warm pods away":                                   1057,
	"leaves traffic with it while the spec is invalid":       949,
	"gives weight to what is held":                           810,
	"goes by the pods that report":                           619,
	"takes what is recorded for what pods hold":              619,
	"goes on when frozen":                                    516,
	"does not see a request that is under way":               513,
	"needs no window":                                        503,
}

// TestPropertiesCatchFaults holds that the promises are worth something: each
// machine with a fault breaks one.
func TestPropertiesCatchFaults(t *testing.T) {
	if detector.Enabled {
		t.Skip("one goroutine; TestNextKeepsItsPromises lives the same lives under the race detector")
	}
	t.Parallel()
	for name, faulty := range faults() {
		t.Run(name, func(t *testing.T) {
			if live(faulty, late[name], events) != nil {
				return
			}
			for seed := range int64(patience) {
				if live(faulty, seed, events) != nil {
					t.Logf("caught in life %d", seed)
					return
				}
			}
			t.Errorf("no promise was broken in %d lives", patience)
		})
	}
}

// TestPropertiesCatchCarelessControllers holds the same of controllers that do not do
// what was decided.
func TestPropertiesCatchCarelessControllers(t *testing.T) {
	if detector.Enabled {
		t.Skip("one goroutine; TestNextKeepsItsPromises lives the same lives under the race detector")
	}
	t.Parallel()
	for name, careless := range map[string]rollouttest.Carelessness{
		"writes nothing after a child that fails": rollouttest.StopsAtFailures,
		"acts on an outdated status":              rollouttest.TrustsTheCache,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(patience) {
				l := rollouttest.NewLife(rollout.Next, seed)
				l.Carelessness = careless
				if l.Live(events) != nil {
					t.Logf("caught in life %d", seed)
					return
				}
			}
			t.Errorf("no promise was broken in %d lives", patience)
		})
	}
}

// before lets a machine see something else than what is there.
func before(spoil func(*rollout.Input)) rollouttest.Machine {
	return func(in rollout.Input) rollout.Decision {
		in.Workloads = maps.Clone(in.Workloads)
		in.Records = maps.Clone(in.Records)
		if in.State.Rollout != nil {
			in.State.Rollout = in.State.Rollout.DeepCopy()
		}
		spoil(&in)
		return rollout.Next(in)
	}
}

// after lets it decide something else.
func after(spoil func(rollout.Input, *rollout.Decision)) rollouttest.Machine {
	return func(in rollout.Input) rollout.Decision {
		d := rollout.Next(in)
		if !d.Undecided {
			spoil(in, &d)
		}
		return d
	}
}

// remembering spoils what the machine remembers.
func remembering(spoil func(*v1.RolloutStatus)) rollouttest.Machine {
	return before(func(in *rollout.Input) {
		if in.State.Rollout != nil {
			spoil(in.State.Rollout)
		}
	})
}

// seeing spoils what it sees of each workload.
func seeing(spoil func(*rollout.Workload)) rollouttest.Machine {
	return before(func(in *rollout.Input) {
		for name, w := range in.Workloads {
			spoil(&w)
			in.Workloads[name] = w
		}
	})
}

func faults() map[string]rollouttest.Machine {
	all := map[string]rollouttest.Machine{}
	for _, some := range []map[string]rollouttest.Machine{faultsOfGates(), faultsOfCapacity(), faultsOfMemory(), faultsOfDrains(), faultsOfEvidence(), faultsOfAnalysis(), faultsOfForm(), faultsOfHolds(), faultsOfRollbacks(), faultsOfShares(), faultsOfReach(), faultsOfInvalidSpecs(), faultsOfPauses(), faultsOfContracts()} {
		maps.Copy(all, some)
	}
	return all
}

func faultsOfGates() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"skips a pause": before(func(in *rollout.Input) {
			in.Policy.Steps = shortened(in.Policy.Steps)
		}),
		"passes checks that run": before(func(in *rollout.Input) {
			in.CheckJobs = maps.Clone(in.CheckJobs)
			for name := range in.CheckJobs {
				in.CheckJobs[name] = rollout.CheckJob{Succeeded: true}
			}
		}),
		"leaves out the check after promotion": before(func(in *rollout.Input) {
			in.Policy.Checks = slices.DeleteFunc(slices.Clone(in.Policy.Checks), func(c rollout.Check) bool { return c.When == v1.CheckAfterPromotion })
		}),
		"promotes itself": before(func(in *rollout.Input) {
			var steps []rollout.Step
			for _, s := range in.Policy.Steps {
				if s.Pause == 0 && s.Weight < 100 {
					s.Pause = time.Second
				}
				steps = append(steps, s)
			}
			in.Policy.Steps = steps
		}),
		"skips a step": before(func(in *rollout.Input) {
			if len(in.Policy.Steps) > 1 {
				in.Policy.Steps = in.Policy.Steps[1:]
			}
		}),
		"begins the pause before the weight counts": remembering(func(r *v1.RolloutStatus) {
			if r.Target != nil && r.StepStartedAt != nil {
				r.StepStartedAt = r.StartedAt
			}
		}),
		"ignores the analysis": before(func(in *rollout.Input) { in.Policy.Analysis = nil }),
		"does not ask the gateway": before(func(in *rollout.Input) {
			in.Route = rollout.Route{Exists: true, Weights: map[string]int32{}, Parents: []rollout.Parent{{Claimed: true, Accepted: true, ResolvedRefs: true, ObservedGeneration: math.MaxInt64}}}
			for _, v := range in.State.Versions {
				in.Route.Weights[v.Workload] += v.Weight
			}
		}),
		"waits for a silent gateway without end": after(func(_ rollout.Input, d *rollout.Decision) {
			w := d.Rollout.WaitingFor
			d.Stalled = d.Stalled && (w == nil || w.Reason != v1.WaitingForGateway)
		}),
		"goes back because a gateway is silent": remembering(func(r *v1.RolloutStatus) {
			if w := r.WaitingFor; w != nil && w.Reason == v1.WaitingForGateway {
				r.Restarts = -1000
			}
		}),
		"takes an answer to an earlier write": before(func(in *rollout.Input) {
			var parents []rollout.Parent
			for _, p := range in.Route.Parents {
				p.ObservedGeneration = math.MaxInt64
				parents = append(parents, p)
			}
			in.Route.Parents = parents
		}),
		"counts the restarts of many pods as those of one": before(func(in *rollout.Input) { countRestarts(in, 3) }),
		"counts restarts of all times":                     remembering(func(r *v1.RolloutStatus) { r.RestartsSince = nil }),
		"takes a quota for a fault of the version":         seeing(func(w *rollout.Workload) { w.Obstructed = false }),
		"waits for room without a word": after(func(_ rollout.Input, d *rollout.Decision) {
			w := d.Rollout.WaitingFor
			d.Stalled = d.Stalled && (w == nil || w.Reason != v1.WaitingForInfrastructure)
		}),
		"lets a RollingUpdate hang": remembering(func(r *v1.RolloutStatus) {
			if r.Mode == v1.RolloutInPlace {
				r.ShortSince = nil
			}
		}),
		"takes a step after a restart": remembering(func(r *v1.RolloutStatus) { r.StepRestarts = math.MaxInt32 }),
		"waits for pods that crash": seeing(func(w *rollout.Workload) {
			if w.Ready == 0 && w.Restarts < 3 {
				w.Restarts = 0
			}
		}),
		"survives any number of restarts": seeing(func(w *rollout.Workload) { w.Restarts = 0 }),
		"knows no deadline": remembering(func(r *v1.RolloutStatus) {
			r.ShortSince, r.DownSince, r.Restarts = nil, nil, math.MaxInt32
		}),
		"is stable before 100 % is accepted": after(func(_ rollout.Input, d *rollout.Decision) {
			if r := d.Rollout; r.Target != nil && r.Mode == v1.RolloutSteps && weightOf(d, r.Target.Workload) == 100 {
				r.Stable, r.Target, r.Phase = r.Target, nil, v1.RolloutStable
			}
		}),
		"goes on when frozen": remembering(func(r *v1.RolloutStatus) { r.Frozen = nil }),
	}
}

// countRestarts makes so many restarts of a target enough to give it up.
func countRestarts(in *rollout.Input, limit int32) {
	if in.State.Rollout == nil || in.State.Rollout.Target == nil {
		return
	}
	name := in.State.Rollout.Target.Workload
	if w := in.Workloads[name]; w.Restarts-in.State.Rollout.Restarts >= limit {
		w.Restarts += 1000
		in.Workloads[name] = w
	}
}

func faultsOfCapacity() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"sends traffic where the gateway knows no pod": seeing(func(w *rollout.Workload) { w.Settling = 0 }),
		"takes pods for ready":                         seeing(func(w *rollout.Workload) { w.Ready = w.Wanted }),
		"rounds the floor down": after(func(_ rollout.Input, d *rollout.Decision) {
			for i := range d.Workloads {
				d.Workloads[i].Replicas = max(0, d.Workloads[i].Replicas-1)
			}
		}),
		"shrinks stable with its weight": after(func(_ rollout.Input, d *rollout.Decision) {
			for i, p := range d.Workloads {
				if r := d.Rollout; r.ReferenceReplicas != nil && p.Workload == r.Stable.Workload {
					d.Workloads[i].Replicas = (p.Weight**r.ReferenceReplicas + 99) / 100
				}
			}
		}),
		"has no rollback window": before(func(in *rollout.Input) { in.Policy.RollbackWindow = 0 }),
		"samples the replicas anew": remembering(func(r *v1.RolloutStatus) {
			if r.ReferenceReplicas != nil {
				one := int32(1)
				r.ReferenceReplicas = &one
			}
		}),
		"rolls back in small parts": after(func(in rollout.Input, d *rollout.Decision) {
			if d.Rollout.Phase != v1.RolloutRollingBack || len(d.Versions) < 2 {
				return
			}
			for i, v := range d.Versions {
				if v.Workload == d.Rollout.Stable.Workload && v.Weight == 100 && in.Policy.Gateway {
					d.Versions[i].Weight = 90
					d.Versions[(i+1)%len(d.Versions)].Weight += 10
					for j, p := range d.Workloads {
						if p.Workload == v.Workload {
							d.Workloads[j].Weight = 90
							d.Workloads[(j+1)%len(d.Workloads)].Weight += 10
						}
					}
				}
			}
		}),
		"rolls back only once the gateway agrees": func(in rollout.Input) rollout.Decision {
			d := rollout.Next(in)
			agreed := len(in.Route.Parents) > 0 && in.Route.Parents[0].ObservedGeneration >= in.Route.Generation
			if !d.Undecided && d.Rollout.Phase == v1.RolloutRollingBack && in.Policy.Gateway && !agreed && in.State.Rollout != nil {
				in.Policy.Analysis, in.Workloads = nil, maps.Clone(in.Workloads)
				for name, w := range in.Workloads {
					w.Restarts = 0
					in.Workloads[name] = w
				}
				return rollout.Next(in)
			}
			return d
		},
		"widens the front while pods are replaced": after(func(_ rollout.Input, d *rollout.Decision) {
			if d.Rollout.Mode == v1.RolloutInPlace && d.Rollout.Target != nil {
				d.Front = ""
			}
		}),
		"lets the front run ahead": after(func(_ rollout.Input, d *rollout.Decision) {
			if d.Rollout.Target != nil && d.Front != "" {
				d.Front = d.Rollout.Target.Workload
			}
		}),
	}
}

func faultsOfMemory() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"forgets a rejection":       remembering(func(r *v1.RolloutStatus) { r.Rejected = nil }),
		"handles a request twice":   remembering(func(r *v1.RolloutStatus) { r.Requests = nil }),
		"forgets when it was asked": remembering(func(r *v1.RolloutStatus) { r.StepStartedAt = nil }),
		"starts from zero when the status is lost": before(func(in *rollout.Input) {
			if in.State.Rollout == nil {
				in.Workloads, in.Route = map[string]rollout.Workload{}, rollout.Route{}
			}
		}),
		"forgets a version that can be returned to": before(func(in *rollout.Input) { in.Kept = map[string]bool{} }),
		"forgets versions that records need": after(func(in rollout.Input, d *rollout.Decision) {
			d.Versions = slices.DeleteFunc(d.Versions, func(v v1.VersionStatus) bool {
				return v.Phase == v1.VersionDecommissioned && v.Workload == "" && in.Records[v.Version].Needed
			})
		}),
		"never forgets a version": before(func(in *rollout.Input) { in.Kept = nil }),
		"forgets the order of versions": after(func(_ rollout.Input, d *rollout.Decision) {
			for i := range d.Versions {
				d.Versions[i].Sequence = int64(len(d.Versions) - i)
			}
		}),
		"changes what it was given": func(in rollout.Input) rollout.Decision {
			d := rollout.Next(in)
			if len(in.State.Versions) > 0 {
				in.State.Versions[0].Replicas = 77
			}
			return d
		},
		"decides by its mood": func() rollouttest.Machine {
			mood := 0
			return after(func(_ rollout.Input, d *rollout.Decision) {
				if mood++; mood%2 == 0 {
					d.Reason = "Never mind."
				}
			})
		}(),
	}
}

func faultsOfDrains() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"waits for no drain": before(func(in *rollout.Input) { in.Policy.DrainDeadline = 0 }),
		"ignores keep and tags": before(func(in *rollout.Input) {
			for name, r := range in.Records {
				r.Keep, r.Tags = false, nil
				in.Records[name] = r
			}
		}),
		"ignores the age of versions": before(func(in *rollout.Input) { in.Policy.MinAge = 0 }),
		"takes what is not ready now for what never was": before(func(in *rollout.Input) {
			in.State.Versions = slices.Clone(in.State.Versions)
			for i, v := range in.State.Versions {
				in.State.Versions[i].Unserved = in.Workloads[v.Workload].Ready == 0
			}
		}),
		"leaves fewer than minActive":   before(func(in *rollout.Input) { in.Policy.MinActive = 0 }),
		"deletes what the gateway uses": after(func(_ rollout.Input, d *rollout.Decision) { d.Delete = append(d.Delete, d.Rollout.Stable.Workload) }),
	}
}

func faultsOfForm() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"loses a percent": after(func(_ rollout.Input, d *rollout.Decision) {
			for i := range d.Versions {
				d.Versions[i].Weight = d.Versions[i].Weight * 99 / 100
			}
		}),
		"says nothing": after(func(_ rollout.Input, d *rollout.Decision) { d.Reason = "" }),
		"never rests": after(func(in rollout.Input, d *rollout.Decision) {
			d.Rollout.Restarts = int32(in.Now.Unix() % 1000)
			d.After = time.Second
		}),
	}
}

func shortened(steps []rollout.Step) []rollout.Step {
	out := []rollout.Step{{Weight: 10, Pause: time.Second}, {Weight: 50, Pause: time.Second}}
	if len(steps) > 0 {
		out = nil
	}
	for _, s := range steps {
		if s.Pause > 0 {
			s.Pause = time.Second
		}
		out = append(out, s)
	}
	return out
}

func weightOf(d *rollout.Decision, workload string) int32 {
	for _, p := range d.Workloads {
		if p.Workload == workload {
			return p.Weight
		}
	}
	return 0
}

func faultsOfHolds() map[string]rollouttest.Machine {
	recorded := func(spoil func(*rollout.Record)) rollouttest.Machine {
		return before(func(in *rollout.Input) {
			for version, r := range in.Records {
				spoil(&r)
				in.Records[version] = r
			}
		})
	}
	return map[string]rollouttest.Machine{
		"gives weight to what is held": recorded(func(r *rollout.Record) { r.Held = "" }),
		"drains what is held":          recorded(func(r *rollout.Record) { r.Inactive = r.Inactive || r.Held != "" }),
		"lets anybody allow it": recorded(func(r *rollout.Record) {
			if r.Held != "" {
				r.AllowedBy = "nobody"
			}
		}),
		"never lets go of what was held": before(func(in *rollout.Input) {
			for version, r := range in.Records {
				if r.AllowedBy != "" {
					r.AllowedBy = ""
					in.Records[version] = r
				}
			}
			for i := range in.State.Versions {
				in.State.Versions[i].OverriddenBy = ""
			}
		}),
	}
}

// reporting spoils what pods report of their transformers.
func reporting(spoil func(*rollout.Input, *rollout.PodReport)) rollouttest.Machine {
	return before(func(in *rollout.Input) {
		for name, w := range in.Workloads {
			w.Reports = slices.Clone(w.Reports)
			for i := range w.Reports {
				spoil(in, &w.Reports[i])
			}
			in.Workloads[name] = w
		}
	})
}

func faultsOfContracts() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"takes every version for one that serves the contract": before(func(in *rollout.Input) {
			all := slices.Collect(maps.Keys(in.Records))
			for version, r := range in.Records {
				r.Serves = all
				in.Records[version] = r
			}
		}),
		"takes what is recorded for what pods hold": before(func(in *rollout.Input) { in.Transformers.Declared = true }),
		"takes a function that is missing for one that is there": reporting(func(_ *rollout.Input, r *rollout.PodReport) {
			if r.Problem == "" {
				r.Loaded = rollouttest.BreakingTransformers().Hops
			}
		}),
		"takes an older file for the current one": reporting(func(in *rollout.Input, r *rollout.PodReport) {
			if c := in.State.Rollout; c != nil && c.Contract != nil && r.Problem == "" {
				r.Hash, r.Contract = in.Transformers.Hash, c.Contract.Version
			}
		}),
		"goes by the pods that report": reporting(func(in *rollout.Input, r *rollout.PodReport) {
			if c := in.State.Rollout; c != nil && c.Contract != nil && r.Problem != "" {
				*r = rollout.PodReport{Pod: r.Pod, At: in.Now, Hash: in.Transformers.Hash, Contract: c.Contract.Version, Loaded: rollouttest.BreakingTransformers().Hops}
			}
		}),
		"moves the contract with every rollout": remembering(func(r *v1.RolloutStatus) {
			if r.Contract != nil && r.Stable != nil {
				c := *r.Contract
				c.Version = r.Stable.Version
				r.Contract = &c
			}
		}),
	}
}
