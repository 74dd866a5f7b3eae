package status

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// defaultDeadline is what the CRD puts into spec.rollout.progressDeadline.
const defaultDeadline = 10 * time.Minute

// standing says where a rollout stands and what comes next. The times are those
// that the controller has persisted, so that a countdown is right at any moment;
// the sentences of conditions are as old as the controller's last look.
type standing struct {
	now     time.Time
	handler *v1.GatiHandler
	ro      *v1.RolloutStatus
	view    *Rollout
	item    *Item
	ladder  []rollout.Step
}

// steps fills in the steps of a running rollout that takes any.
func (s *standing) steps() {
	if s.ro.Mode != v1.RolloutSteps || s.ro.Target == nil {
		return
	}
	var spec []v1.RolloutStep
	if r := s.handler.Spec.Rollout; r != nil {
		spec = r.Steps
	}
	s.ladder = rollout.StepsFor(spec)
	at := min(int(s.ro.Step), len(s.ladder)-1)
	s.view.Step, s.view.StepSince = int32(at+1), s.ro.StepStartedAt
	for i, step := range s.ladder {
		out := Step{Weight: step.Weight, State: StepNow}
		switch {
		case i < at:
			out.State = StepDone
		case i > at:
			out.State = StepLater
		}
		if step.Pause > 0 {
			out.Pause = length(step.Pause)
		}
		s.view.Steps = append(s.view.Steps, out)
	}
}

// tell sets the sentence and what follows from it. The first that applies has
// the word.
func (s *standing) tell() {
	for _, says := range []func() bool{s.failed, s.frozen, s.back, s.held, s.returning, s.short, s.refused, s.paused, s.coming, s.moving} {
		if says() {
			return
		}
	}
}

func (s *standing) say(format string, args ...any) { s.view.Reason = fmt.Sprintf(format, args...) }

func (s *standing) next(format string, args ...any) { s.view.Next = fmt.Sprintf(format, args...) }

// command is what a person types to ask something of the handler.
func (s *standing) command(verb string) string {
	return fmt.Sprintf("kubectl gati rollout %s %s -n %s", verb, s.handler.Name, s.handler.Namespace)
}

// progressing tells that a target is on its way.
func (s *standing) progressing() bool {
	return s.ro.Phase == v1.RolloutProgressing && s.ro.Target != nil
}

func (s *standing) failed() bool {
	if s.ro.Phase != v1.RolloutFailed {
		return false
	}
	s.say("%s failed at %s: %s", s.view.Target, percent(s.weight(s.ro.Target)), oneLine(s.ro.Failure))
	s.next("try it again: %s, or go back: %s", s.command("promote"), s.command("abort"))
	return true
}

// frozen speaks only where somebody keeps something from going on.
func (s *standing) frozen() bool {
	f := s.ro.Frozen
	if f == nil || s.ro.Phase == v1.RolloutRollingBack {
		return false
	}
	switch {
	case s.progressing():
		s.say("paused by %s: %s has %s%s", f.By, s.view.Target, percent(s.weight(s.ro.Target)), s.ofSteps())
	case s.ro.Phase == v1.RolloutProgressing:
		s.say("paused by %s while the weights move", f.By)
	case s.pending() && s.ro.Pinned == nil:
		s.say("paused by %s: %s waits to be rolled out", f.By, s.handler.Status.Version)
	default:
		return false
	}
	s.view.Waits = true
	s.next("go on: %s", s.command("resume"))
	return true
}

// pending tells that the declared version does not serve.
func (s *standing) pending() bool {
	declared := s.handler.Status.Version
	return s.ro.Stable != nil && declared != "" && s.ro.Stable.Version != declared && s.rejection() == nil
}

// rejection returns why the declared version is not tried, nil when it may be.
func (s *standing) rejection() *v1.RejectedStatus {
	for i := range s.ro.Rejected {
		r := &s.ro.Rejected[i]
		if r.Version == s.handler.Status.Version && !sameRef(&r.UnitRef, s.ro.Stable) {
			return r
		}
	}
	return nil
}

// back speaks when another version serves than the spec declares.
func (s *standing) back() bool {
	if s.ro.Phase != v1.RolloutStable {
		return false
	}
	switch p, r := s.ro.Pinned, s.rejection(); {
	case p != nil:
		s.say("the spec asks for %s, a rollback by %s pinned %s", s.handler.Status.Version, p.By, titleOf(&p.UnitRef))
		s.next("it stays there until the spec changes")
	case r != nil:
		s.say("%s serves; %s was taken back: %s", s.view.Stable, titleOf(&r.UnitRef), oneLine(r.Reason))
		s.next("it is not tried again until the spec changes")
	default:
		return false
	}
	s.view.Back = true
	return true
}

func (s *standing) returning() bool {
	if s.ro.Phase != v1.RolloutRollingBack {
		return false
	}
	s.say("%s gets its traffic back, %s so far%s", s.view.Stable, percent(s.gets(s.ro.Stable)), s.cause())
	s.next("traffic moves as fast as pods of %s are ready", s.view.Stable)
	return true
}

// cause is what led to the way back: not every entry of the history is about that.
func (s *standing) cause() string {
	for i := len(s.ro.History) - 1; i >= 0; i-- {
		e := &s.ro.History[i]
		if e.What == "RolledBack" || e.What == "Superseded" {
			return ": " + oneLine(e.Why)
		}
	}
	return ""
}

// short speaks while the target has too few ready pods.
func (s *standing) short() bool {
	if !s.progressing() || s.ro.ShortSince == nil || s.ro.Mode == v1.RolloutInPlace {
		return false
	}
	has, wants := s.pods(s.ro.Target)
	s.say("%s has %d of %s ready%s", s.view.Target, has, count(wants, "pod"), s.ofSteps())
	what := "it goes back to " + s.view.Stable
	if r := s.handler.Spec.Rollout; r != nil && r.AutoRollback != nil && !*r.AutoRollback {
		what = "it has failed"
	}
	s.until(s.ro.ShortSince, what, "unless more pods become ready")
	return true
}

// refused speaks while a parent of the route refuses it, or none claims it. What
// the parent says is in the controller's sentence alone.
func (s *standing) refused() bool {
	if s.ro.RefusedSince == nil || s.ro.Phase != v1.RolloutProgressing {
		return false
	}
	s.say("%s", s.reported("the gateway does not accept the route"))
	s.until(s.ro.RefusedSince, "it stops", "unless the gateway accepts the route")
	return true
}

// until sets what happens at the progress deadline.
func (s *standing) until(since *metav1.Time, what, unless string) {
	deadline := defaultDeadline
	if r := s.handler.Spec.Rollout; r != nil {
		deadline = r.ProgressDeadline.Or(defaultDeadline)
	}
	at := metav1.NewTime(since.Add(deadline))
	if s.view.NextAt = &at; !at.After(s.now) {
		s.next("%s, %s", what, unless)
		return
	}
	s.next("%s in %s %s", what, length(at.Sub(s.now)), unless)
}

// paused speaks in the pause of a step.
func (s *standing) paused() bool {
	if !s.progressing() || s.ladder == nil || s.ro.StepStartedAt == nil || s.atEnd() {
		return false
	}
	step := s.ladder[s.view.Step-1]
	s.say("%s has %s%s", s.view.Target, percent(s.weight(s.ro.Target)), s.ofSteps())
	if step.Pause == 0 {
		s.view.Waits = true
		s.next("go on to %s: %s", s.following(), s.command("promote"))
		return true
	}
	at := metav1.NewTime(s.ro.StepStartedAt.Add(step.Pause))
	if s.view.NextAt = &at; at.After(s.now) {
		s.next("%s in %s", s.following(), length(at.Sub(s.now)))
	} else {
		s.next("%s as soon as its gates pass", s.following())
	}
	return true
}

// coming speaks before the pause of a step begins, and at the end.
func (s *standing) coming() bool {
	if !s.progressing() || s.ladder == nil {
		return false
	}
	step := s.ladder[s.view.Step-1]
	s.say("%s comes to %s%s", s.view.Target, percent(step.Weight), s.ofSteps())
	switch {
	case s.atEnd():
		s.next("it is done once the weight is accepted")
	case step.Pause == 0:
		s.next("it waits to be promoted once its pods are ready and the weight is accepted")
	default:
		s.next("the pause of %s begins once its pods are ready and the weight is accepted", length(step.Pause))
	}
	return true
}

// moving speaks where traffic follows the pods, without steps.
func (s *standing) moving() bool {
	switch {
	case s.progressing() && s.ro.Mode != v1.RolloutInPlace:
		s.say("traffic moves from %s to %s, %s so far", s.view.Stable, s.view.Target, percent(s.gets(s.ro.Target)))
		s.next("it goes on as pods of %s become ready", s.view.Target)
	case s.ro.Phase == v1.RolloutProgressing && s.ro.Mode != v1.RolloutInPlace:
		s.say("%s", s.reported("the weights move"))
		s.next("it goes on as pods become ready")
	default:
		return false
	}
	return true
}

// ofSteps is " (step 2 of 3)" where there are steps.
func (s *standing) ofSteps() string {
	if s.ladder == nil {
		return ""
	}
	return fmt.Sprintf(" (step %d of %d)", s.view.Step, len(s.ladder))
}

func (s *standing) atEnd() bool { return int(s.view.Step) == len(s.ladder) }

// following is what the step leads to.
func (s *standing) following() string {
	next := s.ladder[s.view.Step]
	if next.Weight == s.ladder[s.view.Step-1].Weight {
		return "it is done"
	}
	return percent(next.Weight)
}

// weight is the share that a unit should have, and gets the one that it has.
func (s *standing) weight(of *v1.UnitRef) int32 {
	if v := s.unit(of); v != nil {
		return v.Weight
	}
	return 0
}

func (s *standing) gets(of *v1.UnitRef) int32 {
	if v := s.unit(of); v != nil && v.AcceptedWeight != nil {
		return *v.AcceptedWeight
	}
	return s.weight(of)
}

func (s *standing) unit(of *v1.UnitRef) *v1.VersionStatus {
	for i := range s.handler.Status.Versions {
		v := &s.handler.Status.Versions[i]
		if of != nil && sameRef(of, &v1.UnitRef{Version: v.Version, RevisionNumber: v.RevisionNumber}) && v.Workload == of.Workload {
			return v
		}
	}
	return nil
}

// pods counts the pods of a unit, ready and asked for.
func (s *standing) pods(of *v1.UnitRef) (has, wants int32) {
	for _, w := range s.item.Workloads {
		if of != nil && w.Name == of.Workload {
			return w.Ready, w.Desired
		}
	}
	return 0, 0
}

// reported is the controller's own sentence, or another where there is none.
func (s *standing) reported(otherwise string) string {
	for _, kind := range []string{v1.ConditionStalled, v1.ConditionReconciling, v1.ConditionReady} {
		for _, c := range s.item.Conditions {
			if c.Type == kind && c.Message != "" {
				return c.Message
			}
		}
	}
	return otherwise
}

func percent(weight int32) string { return fmt.Sprintf("%d %%", weight) }

// length writes a length of time as Age does.
func length(d time.Duration) string { return duration.HumanDuration(max(0, d)) }
