package observe_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/rollout"
)

func ptr[T any](v T) *T { return &v }

func TestLive(t *testing.T) {
	deployment := func(entries ...metav1.ManagedFieldsEntry) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{ManagedFields: entries}, Spec: appsv1.DeploymentSpec{Replicas: ptr[int32](4)}}
	}
	owns := func(manager, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	active := &autoscalingv2.HorizontalPodAutoscaler{Status: autoscalingv2.HorizontalPodAutoscalerStatus{
		Conditions: []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale}}}}
	four := ptr[int32](4)
	tests := map[string]struct {
		deployment *appsv1.Deployment
		autoscaler *autoscalingv2.HorizontalPodAutoscaler
		want       expand.Live
	}{
		"nothing there":               {nil, nil, expand.Live{}},
		"an autoscaler alone":         {nil, active, expand.Live{}},
		"ours":                        {deployment(owns(v1.FieldManager, `{"f:spec":{"f:replicas":{}}}`)), nil, expand.Live{Replicas: four}},
		"the autoscaler's":            {deployment(owns("kube-controller-manager", `{"f:spec":{"f:replicas":{}}}`)), active, expand.Live{Replicas: four, HeldByOther: true, AutoscalerActive: true}},
		"the autoscaler is new":       {deployment(), &autoscalingv2.HorizontalPodAutoscaler{}, expand.Live{Replicas: four}},
		"the status has a number too": {deployment(owns("kube-controller-manager", `{"f:metadata":{},"f:status":{"f:replicas":{}}}`)), nil, expand.Live{Replicas: four}},
		"a label of that name": {deployment(owns("kubectl-edit", `{"f:spec":{"f:template":{"f:metadata":{"f:labels":{"f:replicas":{}}}}}}`)), nil,
			expand.Live{Replicas: four}},
		"nonsense": {deployment(owns("other", `nonsense "f:spec" "f:replicas":{}`)), nil, expand.Live{Replicas: four}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, observe.Live(tc.deployment, tc.autoscaler)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	deployment := func(change func(*appsv1.Deployment)) *appsv1.Deployment {
		d := &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Generation: 3, Annotations: map[string]string{v1.AnnotationRevision: "r"}},
			Spec:       appsv1.DeploymentSpec{Replicas: ptr[int32](2)},
			Status:     appsv1.DeploymentStatus{ObservedGeneration: 3, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2},
		}
		change(d)
		return d
	}
	tests := map[string]struct {
		deployment *appsv1.Deployment
		want       rollout.Observation
	}{
		"none":               {nil, rollout.Observation{}},
		"complete":           {deployment(func(*appsv1.Deployment) {}), rollout.Observation{Updated: 2, Ready: 2, Wanted: 2, Complete: true}},
		"not ready":          {deployment(func(d *appsv1.Deployment) { d.Status.ReadyReplicas = 1 }), rollout.Observation{Updated: 2, Ready: 1, Wanted: 2, Complete: true}},
		"an old pod is left": {deployment(func(d *appsv1.Deployment) { d.Status.Replicas = 3 }), rollout.Observation{Updated: 2, Ready: 2, Wanted: 2}},
		"not all updated":    {deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 }), rollout.Observation{Updated: 1, Ready: 2, Wanted: 2}},
		"an old status":      {deployment(func(d *appsv1.Deployment) { d.Generation = 4 }), rollout.Observation{Ready: 2, Wanted: 2}},
		"another revision":   {deployment(func(d *appsv1.Deployment) { d.Annotations = nil }), rollout.Observation{Ready: 2, Wanted: 2}},
		"no number, so 1":    {deployment(func(d *appsv1.Deployment) { d.Spec.Replicas = nil }), rollout.Observation{Updated: 2, Ready: 2, Wanted: 1}},
		"scaled to 0": {deployment(func(d *appsv1.Deployment) {
			d.Spec.Replicas, d.Status = ptr[int32](0), appsv1.DeploymentStatus{ObservedGeneration: 3}
		}), rollout.Observation{Complete: true}},
		"scaled to 0, not yet": {deployment(func(d *appsv1.Deployment) { d.Spec.Replicas = ptr[int32](0) }), rollout.Observation{Updated: 2, Ready: 2}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, observe.Progress(tc.deployment, "r")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFacts(t *testing.T) {
	served := func(yes bool, err error) func(schema.GroupVersionKind) (bool, error) {
		return func(gvk schema.GroupVersionKind) (bool, error) {
			if gvk.String() != "gateway.networking.k8s.io/v1, Kind=HTTPRoute" {
				t.Errorf("asked for %s", gvk)
			}
			return yes, err
		}
	}
	down := errors.New("down")
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Annotations: map[string]string{v1.AnnotationImage: "shop:v1"}}}
	failing := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return down
		},
	})
	tests := map[string]struct {
		reader  client.Reader
		served  func(schema.GroupVersionKind) (bool, error)
		want    facts.Facts
		wantErr string
	}{
		"an image":              {fake.NewClientBuilder().WithObjects(namespace).Build(), served(true, nil), facts.Facts{Namespace: "shop", NamespaceImage: "shop:v1", HTTPRouteServed: true}, ""},
		"the namespace is gone": {fake.NewClientBuilder().Build(), served(false, nil), facts.Facts{Namespace: "shop"}, ""},
		"the server is down":    {failing, served(true, nil), facts.Facts{}, "read namespace shop: down"},
		"no discovery":          {failing, served(false, down), facts.Facts{}, "ask whether HTTPRoutes are served: down"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := (&observe.Facts{Reader: tc.reader, Served: tc.served}).For(t.Context(), "shop")
			if tc.wantErr != "" {
				if err == nil || err.Error() != tc.wantErr {
					t.Errorf("error %v, want %s", err, tc.wantErr)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("error %v; (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Revisions of an earlier owner of the same name, of others, and unreadable ones
// are passed over.
func TestRevisions(t *testing.T) {
	h := builders.MakeHandler("a").UID("now").Obj()
	earlier := builders.MakeHandler("a").UID("earlier").Obj()
	revision := func(owner *v1.GatiHandler, name string, raw []byte) *appsv1.ControllerRevision {
		cr, err := expand.HandlerRevisionObject(owner, expand.Revision{Name: name, Inputs: "i", Version: "v1"})
		if err != nil {
			t.Fatal(err)
		}
		if raw != nil {
			cr.Data = runtime.RawExtension{Raw: raw}
		}
		return cr
	}
	reader := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(
		revision(h, "ours", nil), revision(earlier, "of-the-earlier", nil), revision(h, "unreadable", []byte(`"text"`)),
		revision(builders.MakeHandler("b").UID("b").Obj(), "of-another", nil),
	).Build()
	got, err := observe.Revisions(t.Context(), reader, h, v1.LabelHandler)
	if err != nil || len(got) != 1 || got[0].Name != "ours" {
		t.Errorf("%+v, error %v; want only ours", got, err)
	}
}

func TestReadWorkload(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "n", Name: "handler-a"}
	d, hpa := &appsv1.Deployment{ObjectMeta: meta}, &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: meta}
	tests := map[string]struct {
		there                   []client.Object
		wantDeployment, wantHPA bool
	}{"nothing": {nil, false, false}, "one": {[]client.Object{d}, true, false}, "both": {[]client.Object{d, hpa}, true, true}}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := observe.ReadWorkload(t.Context(), fake.NewClientBuilder().WithObjects(tc.there...).Build(), "n", "handler-a")
			if err != nil || (got.Deployment != nil) != tc.wantDeployment || (got.Autoscaler != nil) != tc.wantHPA {
				t.Errorf("%+v, error %v", got, err)
			}
		})
	}
}
