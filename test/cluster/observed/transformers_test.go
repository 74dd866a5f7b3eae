package observed

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestSilentPodsGetNoTraffic holds that recorded transformers are a claim: nothing answers
// in simulated pods, so their version waits, and says which pod lacks what. What their
// addresses answer is the machine's matter: nothing, or a proxy's refusal.
func TestSilentPodsGetNoTraffic(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	takes := func(doc string) *v1.VersionSchema {
		return &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(doc)}}
	}
	old, young := w.makeUsersHandler("v1.0.0"), w.makeUsersHandler("v2.0.0")
	old.Spec.Rollout.Analysis, young.Spec.Rollout.Analysis = nil, nil
	old.Spec.Schema, young.Spec.Schema = takes(`{"type":"string"}`), takes(`{"type":"string","maxLength":8}`)
	w.applyHandler(old)
	w.awaitSettled("v1.0.0")
	record := builders.MakeVersion("users-v2.0.0").Namespace(w.ns).Handler("users").Version("v2.0.0").Spec(func(s *v1.GatiVersionSpec) {
		s.Transformers = []v1.Transformer{{From: "v1.0.0", To: "v2.0.0", Request: "up", Response: "down"}}
	}).Obj()
	if err := admin.Create(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	w.applyHandler(young)
	h := w.awaitHandler("v2.0.0 waits for the reports of its pods", func(h *v1.GatiHandler) error {
		r := h.Status.Rollout.WaitingFor
		if r == nil || r.Reason != v1.WaitingForTransformers || !strings.Contains(r.Message, "/metrics") {
			return fmt.Errorf("%+v", r)
		}
		return nil
	})
	if got := h.Status.Rollout.WaitingFor.Message; !strings.HasPrefix(got, "0 of 1 pod of v2.0.0 hold v1.0.0→v2.0.0; handler-users--v2-0-0-") {
		t.Error(got)
	}
	for _, v := range h.Status.Versions {
		if v.Version == "v2.0.0" && (v.Weight != 0 || v.Held != "" || v.Phase != v1.VersionActive) {
			t.Errorf("%+v", v)
		}
	}
	if meta.IsStatusConditionTrue(h.Status.Conditions, v1.ConditionStalled) {
		t.Errorf("%+v", h.Status.Conditions)
	}
}
