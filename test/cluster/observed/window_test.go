package observed

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// TestFailuresAfterPromotionRollBack holds that a version which fails once it has all
// traffic is taken back while the rollback window lasts, with the callers of the front
// Service, and that the handler waits for another spec then.
func TestFailuresAfterPromotionRollBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := func(version string) *v1.GatiHandler {
		h := w.makeUsersHandler(version)
		h.Spec.Rollout.RollbackWindow = "1h"
		return h
	}
	w.applyHandler(long("v1"))
	w.awaitSettled("v1")
	source.setTraffic(w.ns, "v1", traffic{requests: 400})
	source.setTraffic(w.ns, "v2", traffic{requests: 400})
	w.applyHandler(long("v2"))
	w.awaitSettled("v2")
	w.awaitHandler("v2 is judged after its promotion", func(h *v1.GatiHandler) error {
		if c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionReady); c == nil || c.Status != metav1.ConditionTrue || !strings.Contains(c.Message, "v2 is judged by its requests until rollbackWindow is over at") {
			return fmt.Errorf("%+v", c)
		}
		return nil
	})
	source.setTraffic(w.ns, "v2", traffic{requests: 400, errors: 200})
	h := w.awaitSettled("v1")
	if r := h.Status.Rollout.Rejected; len(r) != 1 || r[0].Version != "v2" || !strings.Contains(r[0].Reason, "; promoted ") || !strings.Contains(r[0].Reason, "rollbackWindow is not over") {
		t.Errorf("rejected: %+v", r)
	}
	w.awaitHandler("it waits for another spec", func(h *v1.GatiHandler) error {
		if v := versionOf(h, "v1"); v.Weight != 100 || v.AcceptedWeight == nil || *v.AcceptedWeight != 100 {
			return fmt.Errorf("%+v", v)
		}
		if c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionStalled); c == nil || c.Status != metav1.ConditionTrue || c.Reason != string(v1.ReasonRejected) {
			return fmt.Errorf("%+v", c)
		}
		front := &corev1.Service{}
		if err := admin.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, front); err != nil {
			return err
		}
		if selected := front.Spec.Selector[v1.LabelWorkload]; selected != "v1" {
			return fmt.Errorf("the front Service selects %s", selected)
		}
		return nil
	})
}
