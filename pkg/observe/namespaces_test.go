package observe_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/observe"
)

// TestNewNamespaces holds that a namespace counts before the watches have seen it, and
// that what they have seen is not asked for.
func TestNewNamespaces(t *testing.T) {
	reader := func(images ...string) client.Client {
		b := fake.NewClientBuilder().WithIndex(&corev1.Namespace{}, "metadata.name", func(o client.Object) []string { return []string{o.GetName()} })
		for _, image := range images {
			b.WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Annotations: map[string]string{v1.AnnotationImage: image}}})
		}
		return b.Build()
	}
	for name, tc := range map[string]struct {
		seen, live client.Reader
		want       string
	}{
		"seen":             {reader("shop:v1"), nil, "shop:v1"},
		"not seen yet":     {reader(), reader("shop:v2"), "shop:v2"},
		"there is none":    {reader(), reader(), ""},
		"seen, an old one": {reader("shop:v1"), reader("shop:v2"), "shop:v1"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &observe.Facts{Reader: &observe.NewNamespaces{Reader: tc.seen, Live: tc.live}, Served: func(schema.GroupVersionKind) (bool, error) { return false, nil }}
			got, err := o.For(t.Context(), "shop")
			if err != nil || got.NamespaceImage != tc.want {
				t.Errorf("%+v, error %v; want the image %q", got, err, tc.want)
			}
		})
	}
}

// TestNamespaceMadeAgain holds that a namespace which the watches still show as ending does
// not count as that once it was made again.
func TestNamespaceMadeAgain(t *testing.T) {
	shop := func() *corev1.Namespace { return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}} }
	ending := shop()
	ending.DeletionTimestamp, ending.Finalizers = &metav1.Time{Time: time.Unix(1, 0)}, []string{"kubernetes"}
	reader := func(ns client.Object) client.Client {
		return fake.NewClientBuilder().WithObjects(ns).WithIndex(&corev1.Namespace{}, "metadata.name", func(o client.Object) []string { return []string{o.GetName()} }).Build()
	}
	for name, tc := range map[string]struct {
		live client.Object
		want bool
	}{"made again": {shop(), false}, "ending": {ending, true}} {
		o := &observe.Facts{Reader: &observe.NewNamespaces{Reader: reader(ending), Live: reader(tc.live)}}
		if got, err := o.Ending(t.Context(), "shop"); err != nil || got != tc.want {
			t.Errorf("%s: ending %v, error %v", name, got, err)
		}
	}
}
