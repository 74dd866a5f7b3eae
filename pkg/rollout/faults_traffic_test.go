package rollout_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

func faultsOfShares() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"says the weight where pods divide the traffic": after(func(in rollout.Input, d *rollout.Decision) {
			t := d.Rollout.Target
			if t == nil || in.Policy.Gateway || d.Rollout.Mode != v1.RolloutSteps {
				return
			}
			if rest, found := strings.CutPrefix(d.Reason, t.Title()+" has "); found {
				if _, rest, found = strings.Cut(rest, " %"); found {
					d.Reason = fmt.Sprintf("%s has %d %%%s", t.Title(), weightOf(d, t.Workload), rest)
				}
			}
		}),
	}
}

// unclaimed reports whether no controller has claimed the route for a parent.
func unclaimed(in rollout.Input) bool {
	return slices.ContainsFunc(in.Route.Parents, func(p rollout.Parent) bool { return !p.Claimed })
}

// resting spoils what is decided of a handler to which nothing happens but that it waits.
func resting(spoil func(d *rollout.Decision), reasons ...v1.WaitingReason) rollouttest.Machine {
	return after(func(_ rollout.Input, d *rollout.Decision) {
		w := d.Rollout.WaitingFor
		if d.Rollout.Phase == v1.RolloutStable && w != nil && slices.Contains(reasons, w.Reason) {
			spoil(d)
		}
	})
}

func faultsOfReach() map[string]rollouttest.Machine {
	forget := func(d *rollout.Decision) { d.Rollout.WaitingFor = nil }
	silence := func(d *rollout.Decision) { d.Stalled = false }
	return map[string]rollouttest.Machine{
		"serves without endpoints": resting(func(d *rollout.Decision) {
			d.Reason = "Version " + d.Rollout.Stable.Title() + " serves all traffic with 0 of 2 pods ready."
		}, v1.WaitingForPods),
		"is well without endpoints":       resting(forget, v1.WaitingForPods, v1.WaitingForInfrastructure),
		"is healthy with a refused route": resting(forget, v1.WaitingForRoute),
		"is healthy with a route that nobody claims": after(func(in rollout.Input, d *rollout.Decision) {
			if d.Rollout.Phase == v1.RolloutStable && unclaimed(in) {
				forget(d)
			}
		}),
		"is healthy while its gateway lags": resting(forget, v1.WaitingForGateway),
		"leaves traffic with a stable version that is down": remembering(func(r *v1.RolloutStatus) {
			if r.Phase == v1.RolloutProgressing {
				r.DownSince = nil
			}
		}),
		"leaves traffic with a target that is down":        lenient(func(rollout.Input) bool { return true }),
		"leaves traffic with it while the spec is invalid": lenient(func(in rollout.Input) bool { return in.HasFaults }),
		"waits for pods at rest without end":               resting(silence, v1.WaitingForPods),
		"waits for a refused route without end":            resting(silence, v1.WaitingForRoute),
		"waits for a gateway at rest without end":          resting(silence, v1.WaitingForGateway),
	}
}

// lenient forgets since when a target without ready pods lacks them.
func lenient(applies func(rollout.Input) bool) rollouttest.Machine {
	return before(func(in *rollout.Input) {
		r := in.State.Rollout
		if r == nil || r.Target == nil || in.Workloads[r.Target.Workload].Ready > 0 || !applies(*in) {
			return
		}
		r.DownSince, r.ShortSince, r.Restarts = nil, nil, math.MaxInt32
	})
}

// faultsOfInvalidSpecs are mistakes with a spec that cannot be applied, and with a paused or
// scaled child.
func faultsOfInvalidSpecs() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"goes on while the spec is invalid": before(func(in *rollout.Input) { in.HasFaults = false }),
		"answers no request while the spec is invalid": before(func(in *rollout.Input) {
			if in.HasFaults {
				in.Request = nil
			}
		}),
		"takes a pause of its Deployment for a fault of the version": seeing(func(w *rollout.Workload) {
			w.Obstructed = w.Obstructed && w.Trouble != rollouttest.Stopped
		}),
	}
}

// faultsOfPauses count the time in which a rollout is frozen.
func faultsOfPauses() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"rejects a frozen rollout for silence": func(in rollout.Input) rollout.Decision {
			d := rollout.Next(in)
			if r := d.Rollout; r != nil && r.Frozen != nil && !d.Undecided {
				moving := in
				moving.State = rollout.State{Versions: d.Versions, Rollout: r.DeepCopy()}
				moving.State.Rollout.Frozen = nil
				rejects := func(e rollout.Event) bool { return e.Reason == "RolledBack" && strings.Contains(e.Message, "no data") }
				if d := rollout.Next(moving); slices.ContainsFunc(d.Events, rejects) {
					return d
				}
			}
			return d
		},
		"counts the time of a pause as that of its step": after(func(in rollout.Input, d *rollout.Decision) {
			was := in.State.Rollout
			if was != nil && was.Frozen != nil && d.Rollout.Frozen == nil && d.Rollout.StepStartedAt != nil && was.StepStartedAt != nil {
				d.Rollout.StepStartedAt = was.StepStartedAt
			}
		}),
	}
}

func faultsOfRollbacks() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"pins the declared version": after(func(in rollout.Input, d *rollout.Decision) {
			if r := in.Request; r != nil && r.Verb == request.Rollback && r.Argument == in.Declared.Version && d.Rollout.Pinned == nil {
				d.Rollout.Pinned = &v1.PinnedStatus{UnitRef: *d.Rollout.Declared}
			}
		}),
		"rolls back one version too far": before(func(in *rollout.Input) {
			ro := in.State.Rollout
			if ro == nil || ro.Phase != v1.RolloutRollingBack || ro.Previous == nil || in.Request == nil {
				return
			}
			if r := *in.Request; r.Verb == request.Rollback && r.Argument == "" {
				r.Argument = ro.Previous.Version
				in.Request = &r
			}
		}),
	}
}
