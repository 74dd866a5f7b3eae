package kubernetes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// TestFormOfACreate holds that a kind of Kubernetes itself is created in its own type, which
// goes as protobuf, that a kind of a CRD is not, and that both say the same as an apply.
func TestFormOfACreate(t *testing.T) {
	replicas := int32(3)
	meta := metav1.ObjectMeta{Name: "users", Namespace: "shop", Generation: 4, Annotations: map[string]string{"team": "a"}}
	for name, tc := range map[string]struct {
		planned client.Object
		isTyped bool
	}{
		"a Deployment": {&appsv1.Deployment{
			TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: &replicas},
		}, true},
		"a route": {&gatewayv1.HTTPRoute{
			TypeMeta: metav1.TypeMeta{APIVersion: gatewayv1.GroupVersion.String(), Kind: "HTTPRoute"}, ObjectMeta: meta,
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := tc.planned.DeepCopyObject()
			want, hash, err := Desired(tc.planned)
			if err != nil {
				t.Fatal(err)
			}
			got := toCreate(tc.planned, want)
			if _, isTyped := got.(runtime.ProtobufMarshaller); isTyped != tc.isTyped {
				t.Errorf("it is created as %T", got)
			}
			if got.GetGeneration() != 0 || got.GetAnnotations()[v1.AnnotationApplied] != hash || got.GetAnnotations()["team"] != "a" {
				t.Errorf("generation %d, annotations %v, hash %s", got.GetGeneration(), got.GetAnnotations(), hash)
			}
			again, _, err := Desired(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Object["spec"], again.Object["spec"]); diff != "" {
				t.Errorf("it says something else than an apply (-apply +create):\n%s", diff)
			}
			got.SetName("other")
			if diff := cmp.Diff(before, tc.planned.DeepCopyObject()); diff != "" {
				t.Errorf("the plan has changed:\n%s", diff)
			}
		})
	}
}
