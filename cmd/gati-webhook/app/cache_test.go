package app

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"

	v1 "gati.dev/gati/api/v1"
)

// A replica is ready when the caches of admission are filled, each of them, and
// does not wait for those of the controllers.
func TestFilledIsWhatAdmissionReads(t *testing.T) {
	read := []schema.GroupVersionKind{
		corev1.SchemeGroupVersion.WithKind("Namespace"),
		v1.GroupVersion.WithKind("GatiHandler"), v1.GroupVersion.WithKind("GatiModule"), v1.GroupVersion.WithKind("GatiVersion"),
	}
	informers := map[schema.GroupVersionKind]toolscache.SharedIndexInformer{
		appsv1.SchemeGroupVersion.WithKind("Deployment"): controllertest.NewFakeInformer(),
	}
	for _, kind := range read {
		informers[kind] = controllertest.NewFakeInformer()
	}
	filled, err := startInformers(t.Context(), &informertest.FakeInformers{InformersByGVK: informers, Scheme: newScheme()})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range read {
		if filled() {
			t.Errorf("filled before that of %s is", kind.Kind)
		}
		informers[kind].(*controllertest.FakeInformer).Synced()
	}
	if !filled() {
		t.Error("not filled, though all that admission reads is")
	}
}
