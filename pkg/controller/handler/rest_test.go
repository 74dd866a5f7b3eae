package handler

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestAHandlerAtRestIsNotLookedAtAgain holds that a handler about which no time decides any more
// is not looked at until something changes: ten thousand of them cost nothing.
func TestAHandlerAtRestIsNotLookedAtAgain(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyRollingUpdate, v1.StrategyCanary, v1.StrategyManual} {
		t.Run(string(strategy), func(t *testing.T) {
			h := builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(strategy)
			if strategy == v1.StrategyCanary {
				h.Step(100, "")
			}
			w := newWorld(t, h.Obj())
			w.reconcileOnce()
			name := w.deploymentName()
			w.reconcileOnce()
			w.setReady(name)
			w.addEndpoints(name, 1)
			w.clock.Step(time.Minute)
			w.settle()
			w.checkCondition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "")
			for range 3 {
				w.clock.Step(24 * time.Hour)
				result, err := w.reconcile()
				w.must(err)
				if result.RequeueAfter != 0 || len(w.writes) > 0 {
					t.Errorf("it is looked at again after %s, and writes %q", result.RequeueAfter, w.writes)
				}
			}
		})
	}
}
