package rollout_test

import (
	"fmt"
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
