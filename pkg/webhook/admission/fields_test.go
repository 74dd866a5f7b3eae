package admission

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func TestFaultsNameFieldsAsTheUserWroteThem(t *testing.T) {
	kind := func(version string) metav1.GroupVersionKind {
		return metav1.GroupVersionKind{Group: "gati.dev", Version: version, Kind: "GatiHandler"}
	}
	older, newer := kind("v1alpha1"), kind("v1")
	tests := map[string]struct {
		request *metav1.GroupVersionKind
		want    string
	}{
		"v1alpha1": {&older, "spec.handlerPath"},
		"v1":       {&newer, "spec.path"},
		"unknown":  {nil, "spec.path"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			errs := field.ErrorList{field.Required(field.NewPath("spec", "path"), "name it")}
			req := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Kind: newer, RequestKind: tc.request}}
			got := asWritten(req, errs)
			if diff := cmp.Diff(field.ErrorList{{Type: field.ErrorTypeRequired, Field: tc.want, BadValue: "", Detail: "name it"}}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if errs[0].Field != "spec.path" {
				t.Errorf("the list that was given has changed: %v", errs)
			}
		})
	}
}
