package integration

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/terminal"
)

// makeNamespace makes a namespace for one test, with pairs of annotations.
func makeNamespace(t *testing.T, annotations ...string) string {
	t.Helper()
	name := strings.ToLower(strings.Map(toLetter, t.Name()))
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("%.50s-%s", strings.Trim(name, "-"), rand.String(5)), Annotations: map[string]string{},
	}}
	for i := 0; i+1 < len(annotations); i += 2 {
		ns.Annotations[annotations[i]] = annotations[i+1]
	}
	createObject(t, ns)
	t.Cleanup(func() {
		if !t.Failed() {
			// An Event on its way would be refused by a namespace that ends, and
			// no request of gati-webhook may be refused.
			awaitSettled(t, ns.Name)
		}
		terminal.Discard(t, admin, ns.Name)
	})
	return ns.Name
}

func toLetter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

// createObject stores an object.
func createObject(t *testing.T, obj client.Object) {
	t.Helper()
	if err := admin.Create(t.Context(), obj); err != nil {
		t.Fatalf("create %T %s/%s: %v", obj, obj.GetNamespace(), obj.GetName(), err)
	}
}

// readObject returns the object of that name, and fails the test when it is not there.
func readObject[T any](t *testing.T, ns, name string) *T {
	t.Helper()
	obj, err := findObject[T](t, ns, name)
	if err != nil {
		t.Fatalf("read %T %s/%s: %v", obj, ns, name, err)
	}
	return obj
}

// findObject is readObject for a check that is repeated.
func findObject[T any](t *testing.T, ns, name string) (*T, error) {
	obj := new(T)
	err := admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, any(obj).(client.Object))
	return obj, err
}

// listObjects returns the objects of a namespace that have a label, all of them when
// the label is empty: list[corev1.Service, corev1.ServiceList](...).
func listObjects[T, L any](t *testing.T, ns string, label ...string) []T {
	t.Helper()
	objects := new(L)
	options := []client.ListOption{client.InNamespace(ns)}
	if len(label) == 2 {
		options = append(options, client.MatchingLabels{label[0]: label[1]})
	}
	if err := admin.List(t.Context(), any(objects).(client.ObjectList), options...); err != nil {
		t.Fatalf("list %T in %s: %v", objects, ns, err)
	}
	return reflect.ValueOf(objects).Elem().FieldByName("Items").Interface().([]T)
}

// changeObject writes what a function does to the object of that name, as a user with
// an editor would: with the manager kubectl-edit.
func changeObject[T any](t *testing.T, ns, name string, edit func(*T)) {
	t.Helper()
	// On a busy machine the controllers write more often than four tries.
	patient := wait.Backoff{Steps: 12, Duration: 10 * time.Millisecond, Factor: 2, Jitter: 0.1, Cap: 5 * time.Second}
	err := retry.RetryOnConflict(patient, func() error {
		obj, err := findObject[T](t, ns, name)
		if err != nil {
			return err
		}
		before := any(obj).(client.Object).DeepCopyObject().(client.Object)
		edit(obj)
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		return admin.Patch(t.Context(), any(obj).(client.Object), patch, client.FieldOwner("kubectl-edit"))
	})
	if err != nil {
		t.Fatalf("change %T %s/%s: %v", new(T), ns, name, err)
	}
}

// removeObject deletes the object of that name.
func removeObject[T any](t *testing.T, ns, name string) {
	t.Helper()
	obj := any(new(T)).(client.Object)
	obj.SetNamespace(ns)
	obj.SetName(name)
	if err := admin.Delete(t.Context(), obj); err != nil {
		t.Fatalf("delete %T %s/%s: %v", obj, ns, name, err)
	}
}

// runKubectl calls kubectl in a namespace and fails the test when kubectl fails.
func runKubectl(t *testing.T, ns, stdin string, args ...string) string {
	t.Helper()
	out, err := cluster.Run(t.Context(), stdin, append([]string{"-n", ns}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// applyObject does what kubectl apply --server-side does, as a manager.
func applyObject(ctx context.Context, obj client.Object, manager string) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	delete(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	config := client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content})
	return admin.Apply(ctx, config, client.FieldOwner(manager), client.ForceOwnership)
}
