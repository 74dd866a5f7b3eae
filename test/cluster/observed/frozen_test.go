package observed

import (
	"fmt"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// TestFrozenTimeDecidesNothing pauses a canary whose evidence is missing, for much longer than
// its step may last, where missing evidence fails it: the version is rejected only some time
// after it was resumed.
func TestFrozenTimeDecidesNothing(t *testing.T) {
	for name, set := range map[string]func(*v1.Analysis, *traffic){
		"inconclusive: fail": func(a *v1.Analysis, _ *traffic) { a.Inconclusive = v1.InconclusiveFail },
		"noData: fail":       func(a *v1.Analysis, of *traffic) { a.NoData, a.Window, of.silent = v1.NoDataFail, "2s", true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.applyHandler(w.makeUsersHandler("v1"))
			w.awaitSettled("v1")
			var missing traffic
			next := w.makeUsersHandler("v2")
			next.Spec.Rollout.Steps[0].Pause = "1h"
			set(next.Spec.Rollout.Analysis, &missing)
			source.setTraffic(w.ns, "v2", missing)
			w.applyHandler(next)
			w.awaitHandler("v2 has half of the traffic", func(h *v1.GatiHandler) error {
				if v := versionOf(h, "v2"); v.Weight != 50 {
					return fmt.Errorf("%+v", v)
				}
				return nil
			})
			w.request("pause")
			w.awaitHandler("a pause", func(h *v1.GatiHandler) error {
				if h.Status.Rollout.Frozen == nil {
					return fmt.Errorf("%+v", h.Status.Rollout)
				}
				return nil
			})
			const limit = 3 * time.Second
			next.Spec.Rollout.Steps[0].Pause, next.Spec.Rollout.ProgressDeadline = "1s", v1.Duration(limit.String())
			w.applyHandler(next)
			time.Sleep(4 * limit)
			if ro := w.readHandler().Status.Rollout; ro.Frozen == nil || len(ro.Rejected) > 0 || ro.Target == nil {
				t.Fatalf("while paused: %+v", ro)
			}
			w.request("resume")
			h := w.awaitHandler("v2 is rejected", func(h *v1.GatiHandler) error {
				if ro := h.Status.Rollout; len(ro.Rejected) != 1 || ro.Rejected[0].Version != "v2" {
					return fmt.Errorf("%+v", ro)
				}
				return nil
			})
			t.Log(h.Status.Rollout.Rejected[0].Reason)
		})
	}
}

// request makes a request as the administrator.
func (w *world) request(verb string) {
	w.t.Helper()
	me := &authenticationv1.SelfSubjectReview{}
	if err := admin.Create(w.t.Context(), me); err != nil {
		w.t.Fatal(err)
	}
	live := w.readHandler()
	before := live.DeepCopy()
	metav1.SetMetaDataAnnotation(&live.ObjectMeta, v1.AnnotationRequest, verb+"/"+string(uuid.NewUUID()))
	metav1.SetMetaDataAnnotation(&live.ObjectMeta, v1.AnnotationRequestedBy, me.Status.UserInfo.Username)
	if err := admin.Patch(w.t.Context(), live, client.MergeFrom(before), client.FieldOwner("kubectl-edit")); err != nil {
		w.t.Fatal(err)
	}
}
