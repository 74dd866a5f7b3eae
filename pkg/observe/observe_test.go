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
)

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
