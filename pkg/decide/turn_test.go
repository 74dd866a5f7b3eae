package decide_test

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/rollout"
)

// TestWhichRolloutsAreBounded holds that the operator's bounds apply to what the image of the
// namespace alone leads to, and to everything only where the operator says so.
func TestWhichRolloutsAreBounded(t *testing.T) {
	tests := map[string]struct {
		// own is the image of the spec, empty for that of the namespace.
		own    string
		change func(*life, *v1.GatiHandlerSpec)
		all    bool
		want   bool
	}{
		"the namespace's image":           {change: func(l *life, _ *v1.GatiHandlerSpec) { l.facts.NamespaceImage = "app:v2.0.0" }, want: true},
		"the namespace's image, same tag": {change: func(l *life, _ *v1.GatiHandlerSpec) { l.facts.NamespaceImage = "other:v1.0.0" }, want: true},
		"the spec's own image":            {own: "app:v1.0.0", change: func(_ *life, s *v1.GatiHandlerSpec) { s.Image = "app:v2.0.0" }},
		"an image of its own from now on": {change: func(_ *life, s *v1.GatiHandlerSpec) { s.Image = "app:v2.0.0" }},
		"another variable":                {change: func(_ *life, s *v1.GatiHandlerSpec) { s.Env = builders.MakeHandler("x").Env("A", "b").Obj().Spec.Env }},
		"another variable and another image": {change: func(l *life, s *v1.GatiHandlerSpec) {
			l.facts.NamespaceImage = "app:v2.0.0"
			s.Env = builders.MakeHandler("x").Env("A", "b").Obj().Spec.Env
		}},
		"the namespace's image, and other words": {change: func(l *life, s *v1.GatiHandlerSpec) {
			l.facts.NamespaceImage = "app:v2.0.0"
			s.Env = builders.MakeHandler("x").Env("HOST", "0.0.0.0").Obj().Spec.Env
		}, want: true},
		"another variable, with all bounded": {all: true, change: func(_ *life, s *v1.GatiHandlerSpec) { s.Env = builders.MakeHandler("x").Env("A", "b").Obj().Spec.Env }, want: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := canary()
			h.Spec.Image = tc.own
			l := newLife(t, h)
			l.facts.NamespaceImage = "app:v1.0.0"
			for range 3 {
				l.apply(nil)
			}
			spec := l.h.Spec.DeepCopy()
			tc.change(l, spec)
			s := l.story(func(own *v1.GatiHandlerSpec) { *own = *spec })
			s.Turn = &rollout.Turn{All: tc.all, Bounds: []rollout.Bound{{Scope: "the cluster", Limit: 1, Taken: 1}}}
			plan := l.plan(s)
			w := plan.Decision.Rollout.WaitingFor
			if got := w != nil && w.Reason == v1.WaitingForTurn; got != tc.want || plan.IsBounded != tc.want {
				t.Errorf("bounded %v, waits for %+v; want %v", plan.IsBounded, w, tc.want)
			}
			if got := rollout.HoldsPlace(plan.Decision.Rollout); got == tc.want {
				t.Errorf("phase %s", plan.Decision.Rollout.Phase)
			}
		})
	}
}
