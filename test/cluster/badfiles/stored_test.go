package badfiles

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/await"
)

// unseen are files whose fault cannot be seen in the stored object: it lies in the change.
var unseen = map[string]bool{"record-schema-changed": true, "record-schema-output-changed": true}

// TestStoredUnchecked holds what happens with the webhook configurations removed:
// what the CRDs let through is stored, says as a condition what gati-webhook would
// have said, and makes no child.
func TestStoredUnchecked(t *testing.T) {
	s := openSession(t)
	c := newAdminClient(t)
	removeWebhooks(t, c)
	t.Cleanup(func() { deleteAll(t, c) })
	stored := make(chan string, 1000)
	s.forEachFile(func(f file) {
		said := readAnswers(t, "testdata/"+f.name+".golden")
		for _, d := range f.documents {
			obj := parseObject(f, d)
			if obj == nil || obj.GetName() == "" {
				continue
			}
			if !storeObject(t, c, f, obj) {
				continue
			}
			stored <- f.name
			if !unseen[f.name] {
				checkTold(t, c, obj, d.version, findFaults(said[d.version]))
			}
		}
	})
	close(stored)
	t.Logf("%d objects were stored", len(stored))
	if len(stored) == 0 {
		t.Error("nothing was stored: were the configurations removed?")
	}
	assertNoChildren(t, c)
}

// deleteAll deletes all objects, those that files need too.
func deleteAll(t *testing.T, c client.Client) {
	t.Helper()
	prepared = false
	for _, kind := range []client.Object{&v1.GatiHandler{}, &v1.GatiModule{}, &v1.GatiVersion{}} {
		for _, ns := range []string{home, bare} {
			if err := c.DeleteAllOf(context.Background(), kind, client.InNamespace(ns)); err != nil {
				t.Error(err)
			}
		}
	}
}

// removeWebhooks removes the webhook configurations, waits until the API server has
// noticed, and puts them back in the end.
func removeWebhooks(t *testing.T, c client.Client) {
	t.Helper()
	makeNamespaces(t)
	for _, config := range []client.Object{&admissionregistrationv1.ValidatingWebhookConfiguration{}, &admissionregistrationv1.MutatingWebhookConfiguration{}} {
		if err := c.Get(t.Context(), client.ObjectKey{Name: "gati-webhook"}, config); err != nil {
			t.Fatal(err)
		}
		if err := c.Delete(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			config.SetResourceVersion("")
			config.SetUID("")
			if err := c.Create(context.Background(), config); err != nil {
				t.Error(err)
			}
		})
	}
	probe := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: "probe"}, Spec: v1.GatiHandlerSpec{Path: "/:a/:a"}}
	await.Eventually(t, "an API server without webhooks", func() error {
		return c.Create(t.Context(), probe.DeepCopy(), client.DryRunAll)
	})
}

// parseObject returns the object of a document, nil when it is none. A name that both
// documents have gets another in v1alpha1, unless it is of an object that is
// there; a name that is at fault stays so.
func parseObject(f file, d document) *unstructured.Unstructured {
	var content map[string]any
	if yaml.Unmarshal([]byte(d.text), &content) != nil || content == nil {
		return nil
	}
	obj := &unstructured.Unstructured{Object: content}
	if obj.GetKind() == "" || obj.GetAPIVersion() == "" {
		return nil
	}
	obj.SetNamespace(f.namespaceOr(home))
	if d.version == "v1alpha1" && f.setup == "" && obj.GetName() == f.name {
		obj.SetName(obj.GetName() + "-b")
	}
	return obj
}

// storeObject writes an object as strictly as kubectl does, and reports whether the API
// server took it.
func storeObject(t *testing.T, c client.Client, f file, obj *unstructured.Unstructured) bool {
	strict := client.WithFieldValidation(c, metav1.FieldValidationStrict)
	var err error
	if f.setup == "" {
		err = strict.Create(t.Context(), obj)
	} else {
		there := obj.DeepCopy()
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), there); err != nil {
			t.Errorf("%s: %v", f.name, err)
			return false
		}
		there.Object["spec"] = obj.Object["spec"]
		err = strict.Update(t.Context(), there)
	}
	if err != nil && strings.Contains(err.Error(), "webhook") && !strings.Contains(err.Error(), "conversion webhook") {
		t.Errorf("%s: a webhook took part: %v", f.name, err)
	}
	return err == nil
}

// checkTold waits until an object says of itself, as conditions, what kubectl
// printed.
func checkTold(t *testing.T, c client.Client, obj *unstructured.Unstructured, version string, said []fault) {
	if len(said) == 0 {
		t.Errorf("%s is stored, and its golden has no fault: a strict golden would have kept it out", obj.GetName())
	}
	err := await.Try(await.Patience, func() error {
		now := obj.DeepCopy()
		now.SetAPIVersion(v1.GroupVersion.String())
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), now); err != nil {
			return err
		}
		for _, kind := range []string{v1.ConditionValid, v1.ConditionStalled} {
			status, message := readCondition(now, kind)
			if want := map[string]string{v1.ConditionValid: "False", v1.ConditionStalled: "True"}[kind]; status != want {
				return fmt.Errorf("%s is %q, want %s: %s", kind, status, want, message)
			}
			for _, f := range said {
				if want := inV1(obj.GetKind(), version, f.field) + ": " + f.text; !strings.Contains(shortenText(message), want) {
					return fmt.Errorf("%s says\n  %s\nand not\n  %s", kind, message, want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s %s (%s): %v", obj.GetKind(), obj.GetName(), version, err)
	}
}

// inV1 is a field of v1alpha1 by its name in v1, which is how objects are stored
// and conditions written.
func inV1(kind, version, field string) string {
	if version == "v1" {
		return field
	}
	names := map[string][]string{
		"GatiHandler": {"spec.handlerPath", "spec.path"},
		"GatiModule":  {"spec.moduleType", "spec.type"},
		"GatiVersion": {"spec.versionId", "spec.version", "spec.routingWeight", "spec.traffic"},
	}
	return strings.NewReplacer(names[kind]...).Replace(field)
}

func readCondition(obj *unstructured.Unstructured, kind string) (status, message string) {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == kind {
			status, _ = c["status"].(string)
			message, _ = c["message"].(string)
		}
	}
	return status, message
}

// assertNoChildren checks that no object was made for any of those that are stored.
func assertNoChildren(t *testing.T, c client.Client) {
	t.Helper()
	for _, kind := range []string{
		"apps/v1/Deployment", "apps/v1/ReplicaSet", "apps/v1/ControllerRevision", "/v1/Service", "/v1/ConfigMap", "/v1/Pod",
		"autoscaling/v2/HorizontalPodAutoscaler", "policy/v1/PodDisruptionBudget", "networking.k8s.io/v1/NetworkPolicy",
	} {
		at := strings.LastIndex(kind, "/")
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(strings.TrimPrefix(kind[:at], "/"))
		list.SetKind(kind[at+1:] + "List")
		for _, ns := range []string{home, bare} {
			if err := c.List(t.Context(), list, client.InNamespace(ns)); err != nil {
				t.Error(err)
			}
			for _, item := range list.Items {
				if item.GetName() != "kube-root-ca.crt" {
					t.Errorf("%s %s/%s was made for an object that is not valid", kind[at+1:], ns, item.GetName())
				}
			}
		}
	}
}
