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

// Discard removes the handlers and modules of a test's namespace, with their children.
// The namespace itself stays where the cluster goes with the suite: to end one, the API
// server looks through every kind there is, which costs a fifth of a CPU second.
func Discard(t testing.TB, c client.Client, namespace string) {
	t.Helper()
	ctx := context.Background() // that of the test has ended
	if os.Getenv(KubeconfigVariable) != "" {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
		if err := client.IgnoreNotFound(c.Delete(ctx, ns)); err != nil {
			t.Errorf("delete namespace %s: %v", namespace, err)
		}
		return
	}
	for _, kind := range []client.Object{&v1.GatiHandler{}, &v1.GatiModule{}} {
		if err := c.DeleteAllOf(ctx, kind, client.InNamespace(namespace), client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			t.Errorf("delete the handlers and modules of namespace %s: %v", namespace, err)
		}
	}
}
