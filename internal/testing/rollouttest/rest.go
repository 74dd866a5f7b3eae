package rollouttest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// AtRest holds what must be true of a handler to which nothing happens any more.
func (c *Checker) AtRest(in rollout.Input, last rollout.Decision) error {
	r := last.Rollout
	for _, v := range last.Versions {
		if s := v.Stays; s != nil && slices.Contains([]v1.StaysReason{v1.StaysDrainWindow, v1.StaysTrafficUnknown, v1.StaysStillCalled}, s.Reason) {
			return fmt.Errorf("at rest, without calls, %s stays: %s", v.Title(), s.Message)
		}
	}
	if in.Policy.Strategy == v1.StrategyManual || r.Phase != v1.RolloutStable {
		return nil
	}
	for _, v := range last.Versions {
		stable := v.Version == r.Stable.Version && v.RevisionNumber == r.Stable.RevisionNumber && v.Workload == r.Stable.Workload
		if v.Weight != 0 && !stable {
			return fmt.Errorf("at rest, %s has %d %%", v.Version, v.Weight)
		}
	}
	if err := c.checkReached(in, last); err != nil {
		return err
	}
	if r.ReferenceReplicas != nil && last.After == 0 {
		return fmt.Errorf("at rest, the pods are still held at %d", *r.ReferenceReplicas)
	}
	return nil
}

// checkReached holds that what is declared serves, unless something keeps it back.
func (c *Checker) checkReached(in rollout.Input, last rollout.Decision) error {
	r := last.Rollout
	rec := in.Records[in.Declared.Version]
	excused := r.Pinned != nil || c.rejected[in.Declared.Revision] || rec.Inactive || c.isHeld(look{in: in}, in.Declared.Version) || len(r.Rejected) > 0
	if !excused && (r.Stable.Version != in.Declared.Version || r.Stable.RevisionNumber != in.Declared.RevisionNumber) && len(last.Notes) == 0 {
		return fmt.Errorf("at rest, %s is stable and %s is declared: %s\n%s", r.Stable.Title(), r.Declared.Title(), last.Reason, describe(in, last))
	}
	return nil
}

// Deterministic returns how Next differs from a function of its input: a changed
// input, another decision for the same input or after a restart, or a second look
// at what was decided that decides otherwise.
func Deterministic(next Machine, in rollout.Input) error {
	given := copyInput(in)
	d := next(in)
	if !equality.Semantic.DeepEqual(given.State, in.State) || !reflect.DeepEqual(given.Workloads, in.Workloads) {
		return fmt.Errorf("the input was changed")
	}
	if again := next(copyInput(in)); !equality.Semantic.DeepEqual(d, again) {
		return fmt.Errorf("the same input, another decision:\n%s\n%s", d.Reason, again.Reason)
	}
	if d.Undecided {
		return nil
	}
	if showsWeights(in.Route, d) && !showsWeights(in.Route, rollout.Decision{State: in.State}) {
		return nil // The route has what was only now decided: the next look may go on.
	}
	if in.Policy.Strategy == v1.StrategyManual && d.Rollout.Target == nil && rollout.HoldsPlace(d.Rollout) && !rollout.HoldsPlace(in.State.Rollout) {
		return nil // Its weights took a place only now: the next look may begin a rollout in it.
	}
	second := copyInput(in)
	second.State = d.State
	after := next(copyInput(second))
	if !sameState(after.State, d.State) || len(after.Events) > 0 {
		return fmt.Errorf("a second look decides otherwise: %v\n%s\n%s\n%s", after.Events, d.Reason, after.Reason, cmp.Diff(shorten(d.State), shorten(after.State)))
	}
	if !equality.Semantic.DeepEqual(after.Workloads, d.Workloads) || after.Front != d.Front {
		return fmt.Errorf("a second look plans otherwise:\n%+v\n%+v", d.Workloads, after.Workloads)
	}
	return nil
}

// copyInput is an input as it comes back from the API server.
func copyInput(in rollout.Input) rollout.Input {
	l := Life{State: in.State}
	l.Restart()
	in.State = l.State
	workloads := map[string]rollout.Workload{}
	for k, v := range in.Workloads {
		workloads[k] = v
	}
	if in.Workloads != nil {
		in.Workloads = workloads
	}
	return in
}

func sameState(a, b rollout.State) bool {
	return equality.Semantic.DeepEqual(a, b)
}

// showsWeights reports whether the route has the weights of a decision.
func showsWeights(r rollout.Route, d rollout.Decision) bool {
	for name, v := range byWorkload(d.Versions) {
		if r.Weights[name] != v.Weight {
			return false
		}
	}
	return true
}
