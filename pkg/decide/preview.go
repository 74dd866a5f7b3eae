package decide

import (
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

// Preview is the plan that a controller would apply next. Admission tries it on dry runs,
// and "kubectl gati diff" and "kubectl gati expand" show it.
type Preview struct {
	Children []client.Object
	// Revision is the ControllerRevision that would be new; nil where none would.
	Revision *appsv1.ControllerRevision
	// Reason is that of the decision.
	Reason string
}

// RefusedError has the errors of a spec that has no plan.
type RefusedError struct{ Faults field.ErrorList }

func (e *RefusedError) Error() string { return e.Faults.ToAggregate().Error() }

// NewStory returns the story of a handler that is not stored yet and has no children.
func NewStory(h *v1.GatiHandler, f facts.Facts, result admit.Result, resolved defaulting.Handler) Story {
	return Story{Handler: h, Facts: f, Result: result, Resolved: resolved}
}

// NewModuleStory returns the story of a module that is not stored yet.
func NewModuleStory(m *v1.GatiModule, f facts.Facts, result admit.Result, resolved defaulting.Module) ModuleStory {
	return ModuleStory{Module: m, Facts: f, Result: result, Resolved: resolved}
}

// PreviewHandler plans a handler whose traffic the caller does not measure.
func PreviewHandler(s Story, judge *compat.Judge, now time.Time) (Preview, error) {
	s.TrafficSource = Unmeasured
	planned, err := Plan(&s, judge, now)
	switch {
	case err != nil:
		return Preview{}, err
	case len(planned.Errors) > 0:
		return Preview{}, &RefusedError{planned.Errors}
	case planned.Decision.Undecided:
		return Preview{}, errors.New("no decision is possible yet: " + planned.Decision.Reason)
	case len(planned.Lost) > 0:
		return Preview{}, planned.LostTemplate()
	}
	out := Preview{Children: planned.Children, Reason: planned.Decision.Reason}
	if planned.IsCut {
		out.Revision, err = expand.HandlerRevisionObject(s.Handler, planned.Running)
	}
	return out, err
}

// PreviewModule plans a module.
func PreviewModule(s *ModuleStory, now time.Time) (out Preview, err error) {
	if len(s.Result.Errors) > 0 {
		return Preview{}, &RefusedError{s.Result.Errors}
	}
	planned := PlanModule(s, now)
	out.Children = planned.Children
	if planned.IsCut {
		out.Revision, err = expand.ModuleRevisionObject(s.Module, planned.Running)
	}
	return out, err
}
