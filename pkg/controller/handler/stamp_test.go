package handler

import (
	"strings"
	"testing"

	"k8s.io/client-go/tools/events"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/decide"
)

// The status has both plans, and an Event names the fact that changed between them:
// once, and never where only another release expands the spec otherwise.
func TestPlanStatus(t *testing.T) {
	const admitted, applied = "1111", "2222"
	tests := map[string]struct {
		stamp, revision  string // as admitted
		image            string // of the spec
		hadRun, isCut    bool
		before           *v1.PlanStatus
		nothingIsApplied bool

		want  *v1.PlanStatus
		event string
	}{
		"equal":                         {stamp: applied, revision: "handler-a-now", want: &v1.PlanStatus{Admitted: applied, Applied: applied}},
		"no stamp":                      {want: &v1.PlanStatus{Applied: applied}},
		"the namespace's image changed": {stamp: admitted, revision: "handler-a-then", want: &v1.PlanStatus{Admitted: admitted, Applied: applied}, event: "Applied plan 2222, admitted was 1111: the image of namespace default is now shop:v2 (annotation gati.dev/image)"},
		"it was said before": {stamp: admitted, revision: "handler-a-then", before: &v1.PlanStatus{Admitted: admitted, Applied: applied},
			want: &v1.PlanStatus{Admitted: admitted, Applied: applied}},
		"stored without a stamp":     {stamp: admitted, revision: "handler-a-then", image: "app:v2", want: &v1.PlanStatus{Admitted: admitted, Applied: applied}, event: "stored without gati-webhook's stamp"},
		"another release":            {stamp: admitted, revision: "handler-a-now", want: &v1.PlanStatus{Admitted: admitted, Applied: applied}},
		"a new revision, as planned": {stamp: admitted, revision: "handler-a-now", isCut: true, want: &v1.PlanStatus{Admitted: admitted, Applied: applied}},
		"the revision is gone":       {stamp: admitted, revision: "handler-a-now", isCut: true, hadRun: true, want: &v1.PlanStatus{Admitted: admitted, Applied: applied}, event: "the ControllerRevision handler-a-now is gone"},
		"nothing is applied":         {stamp: admitted, revision: "handler-a-then", nothingIsApplied: true, before: &v1.PlanStatus{Admitted: "0", Applied: "0"}, want: &v1.PlanStatus{Admitted: "0", Applied: "0"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := builders.MakeHandler("a").Namespace("default").Image(tc.image).Obj()
			if tc.stamp != "" {
				h.Annotations = map[string]string{v1.AnnotationPlan: tc.stamp, v1.AnnotationChildren: "ControllerRevision/" + tc.revision + ",Service/handler-a"}
			}
			h.Status.Plan = tc.before
			s, stamp := &story{stored: v1.GatiHandlerStatus{Plan: tc.before}}, &decide.Stamp{Plan: applied}
			s.Handler, s.IsCut = h, tc.isCut
			s.Running.Name, s.Running.Image = "handler-a-now", "shop:v2"
			if tc.hadRun {
				s.stored.Versions = []v1.VersionStatus{{Version: "v2", Revision: "handler-a-now"}}
			}
			if tc.nothingIsApplied {
				stamp = nil
			}
			recorder := events.NewFakeRecorder(1)
			var changed string
			h.Status.Plan, changed = s.planStatus(stamp)
			(&Reconciler{Events: recorder}).reportPlan(h, changed)
			if got := h.Status.Plan; got == nil || *got != *tc.want {
				t.Errorf("status.plan is %+v, want %+v", got, tc.want)
			}
			said := ""
			if len(recorder.Events) > 0 {
				said = <-recorder.Events
			}
			if (said == "") != (tc.event == "") || !strings.Contains(said, tc.event) {
				t.Errorf("the Event is %q, want %q", said, tc.event)
			}
		})
	}
}
