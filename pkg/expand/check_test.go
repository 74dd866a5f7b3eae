package expand_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
)

// jobFor returns the Job of the only check of a handler.
func jobFor(t *testing.T, h *v1.GatiHandler) *batchv1.Job {
	t.Helper()
	r, errs := defaulting.ResolveHandler(&h.Spec, corpusFacts)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	revision := expand.NewHandlerRevision(h, r, "0123456789", 1, nil)
	return expand.CheckJob(h, r.Spec.Rollout.Checks[0], revision, "v1", "handler-users-load-0a1b2c3d", 3000)
}

// TestGoldenChecks shows the whole Job of a check that says everything, and of one that
// says nothing.
func TestGoldenChecks(t *testing.T) {
	bare := builders.MakeHandler("users").UID("u1").Image("app:v1").Strategy(v1.StrategyCanary).Gateway("front").Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.Checks = []v1.RolloutCheck{{Name: "smoke", When: v1.CheckBeforeTraffic}}
	}).Obj()
	for name, h := range map[string]*v1.GatiHandler{"check-everything": checked(everything()).Obj(), "check-bare": bare} {
		t.Run(name, func(t *testing.T) { golden(t, name, text(t, []client.Object{jobFor(t, h)})) })
	}
}

// TestNoServiceSelectsACheck holds that the pod of a check gets no traffic of a handler.
func TestNoServiceSelectsACheck(t *testing.T) {
	labels := jobFor(t, checked(everything()).Obj()).Spec.Template.Labels
	for _, label := range []string{v1.LabelHandler, v1.LabelWorkload} {
		if _, has := labels[label]; has {
			t.Errorf("the pod has the label %s, which Services select by", label)
		}
	}
}
