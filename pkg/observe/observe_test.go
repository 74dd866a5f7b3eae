package observe_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
)

func TestFacts(t *testing.T) {
	served := func(yes bool, err error) func(schema.GroupVersionKind) (bool, error) {
		return func(gvk schema.GroupVersionKind) (bool, error) {
			if kinds := []string{"gateway.networking.k8s.io/v1, Kind=HTTPRoute", "keda.sh/v1alpha1, Kind=ScaledObject"}; !slices.Contains(kinds, gvk.String()) {
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
		"an image":              {fake.NewClientBuilder().WithObjects(namespace).Build(), served(true, nil), facts.Facts{Namespace: "shop", NamespaceImage: "shop:v1", HTTPRouteServed: true, ScaledObjectServed: true}, ""},
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

// Revisions of an earlier owner of the same name, of others, unreadable and forged ones are
// passed over.
func TestRevisions(t *testing.T) {
	h := builders.MakeHandler("a").UID("now").Obj()
	earlier := builders.MakeHandler("a").UID("earlier").Obj()
	revision := func(owner *v1.GatiHandler, inputs string, change func(*appsv1.ControllerRevision)) *appsv1.ControllerRevision {
		resolved, _ := defaulting.ResolveHandler(&owner.Spec, facts.Facts{})
		cr, err := expand.HandlerRevisionObject(owner, expand.NewHandlerRevision(owner, resolved, inputs, 1, nil))
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(cr)
		}
		return cr
	}
	reader := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(
		revision(h, "0000000000000000", nil), revision(earlier, "1111111111111111", nil),
		revision(h, "2222222222222222", func(cr *appsv1.ControllerRevision) { cr.Data.Raw = []byte(`"text"`) }),
		revision(h, "3333333333333333", func(cr *appsv1.ControllerRevision) {
			cr.Data.Raw = bytes.Replace(cr.Data.Raw, []byte(`"containers"`), []byte(`"hostPID":true,"containers"`), 1)
		}),
		revision(h, "4444444444444444", func(cr *appsv1.ControllerRevision) {
			cr.OwnerReferences[0].APIVersion, cr.OwnerReferences[0].Kind = "apps/v1", "Deployment"
		}),
		revision(builders.MakeHandler("b").UID("b").Obj(), "5555555555555555", nil),
	).Build()
	got, err := observe.Revisions(t.Context(), reader, h, v1.LabelHandler)
	if err != nil || len(got) != 1 || got[0].Inputs != "0000000000000000" {
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
