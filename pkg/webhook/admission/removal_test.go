package admission_test

import (
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// The record of a running version is kept with an explanation.
func TestRemoval(t *testing.T) {
	h := builders.MakeHandler("users").Status(func(s *v1.GatiHandlerStatus) {
		s.Versions = []v1.VersionStatus{{Version: "v1", Record: "users-v1", Phase: v1.VersionActive, Weight: 100}}
	}).Obj()
	record := builders.MakeVersion("users-v1").Bound("users", "v1").Obj()
	there := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(h, record).Build()
	tests := map[string]struct {
		kind, namespace string
		gone            client.Object
		live            client.Reader
		want            string
	}{
		"in use":                       {"GatiVersion", "default", record, there, "roll another version out first"},
		"of a namespace that goes":     {"GatiVersion", "ending", record, there, ""},
		"of no handler":                {"GatiVersion", "default", builders.MakeVersion("x").Obj(), there, ""},
		"of a handler that is gone":    {"GatiVersion", "elsewhere", record, there, ""},
		"a handler may go at any time": {"GatiHandler", "default", h, there, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := (&hooks.Validator{Facts: knows, Live: tc.live}).Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Kind:      metav1.GroupVersionKind{Group: v1.Group, Version: "v1", Kind: tc.kind},
				Namespace: tc.namespace, Name: tc.gone.GetName(), Operation: admissionv1.Delete, OldObject: raw(t, tc.gone),
			}})
			if got.Allowed != (tc.want == "") || !strings.Contains(got.Result.Message, tc.want) {
				t.Errorf("allowed %v: %s", got.Allowed, got.Result.Message)
			}
		})
	}
}
