package terminal

import (
	"context"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// Discard ends a test's namespace in a cluster that others made. In one that goes with the
// suite everything stays: a handler at rest costs nothing, and to collect what belongs to it
// took a tenth of a suite's CPU.
func Discard(t testing.TB, c client.Client, namespace string) {
	t.Helper()
	if os.Getenv(KubeconfigVariable) == "" {
		return
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if err := c.Delete(context.Background(), ns); client.IgnoreNotFound(err) != nil {
		t.Errorf("delete namespace %s: %v", namespace, err)
	}
}

// Remove removes the handlers and modules of a test's namespace, with their children, where
// other tests would find them.
func Remove(t testing.TB, c client.Client, namespace string) {
	t.Helper()
	for _, kind := range []client.Object{&v1.GatiHandler{}, &v1.GatiModule{}} {
		if err := c.DeleteAllOf(context.Background(), kind, client.InNamespace(namespace), client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			t.Errorf("delete the handlers and modules of namespace %s: %v", namespace, err)
		}
	}
	Discard(t, c, namespace)
}
