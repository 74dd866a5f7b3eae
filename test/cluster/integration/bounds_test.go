package integration

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/test/support/await"
)

// withText returns a handler whose environment has texts of a total length.
func withText(ns, name, text string, length int) *v1.GatiHandler {
	h := builders.MakeHandler(name).Namespace(ns).Path("/" + name).Image("app:v1.0.0").Obj()
	const variables = 8
	for i := range variables {
		h.Spec.Env = append(h.Spec.Env, corev1.EnvVar{Name: fmt.Sprint("V", i), Value: strings.Repeat(text, length/variables/len(text))})
	}
	return h
}

// The largest handler that is admitted gets its revision and its status, whatever its texts
// hold: etcd stores six bytes for each "<".
func TestTheLargestHandlerHasRoom(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	const (
		defaults    = 1 << 10 // what the API server adds
		annotations = 500 << 10
	)
	for name, tc := range map[string]struct {
		text   string
		stored int // the bytes of an annotation's character as the policy counts them
	}{"plain": {"x", 2}, "escaped": {"<", 6}, "quoted": {`"`, 2}, "control": {"\x01", 4}} {
		length := sort.Search(300_000, func(length int) bool {
			result, _ := admit.Handler(withText(ns, name, tc.text, length), nil, facts.Facts{})
			return len(result.Errors) > 0
		}) - defaults
		h := withText(ns, name, tc.text, length)
		h.Annotations = map[string]string{"example.com/notes": strings.Repeat(tc.text, annotations/tc.stored)}
		if err := applyObject(t.Context(), h, "team"); err != nil {
			t.Errorf("%s of %d bytes: %v", name, length, err)
			continue
		}
		got := readyHandler(t, ns, name)
		if n := countOf(t, &appsv1.ControllerRevisionList{}, ns, name); n != 1 || got.Status.Serving != "v1.0.0" {
			t.Errorf("%s: %d revisions, %q serves", name, n, got.Status.Serving)
		}
	}
}

// grown is an object that is stored, and then beyond a bound.
type grown struct {
	small, large client.Object
	// where is what the condition and a refusal name.
	where string
	// deployment is its child; empty has none.
	deployment string
}

func makeGrown(ns string) []grown {
	tolerations := make([]corev1.Toleration, 100)
	for i := range tolerations {
		tolerations[i] = corev1.Toleration{Key: fmt.Sprint("k", i), Operator: corev1.TolerationOpExists}
	}
	handler := func(name string) *builders.Handler {
		return builders.MakeHandler(name).Namespace(ns).Path("/" + name).Image("app:v1.0.0")
	}
	module := func() *builders.Module {
		return builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("app:v1.0.0")
	}
	record := func() *builders.Version {
		return builders.MakeVersion("long-list-v0").Namespace(ns).Handler("long-list").Version("v0")
	}
	tags := make([]v1.Tag, 100)
	for i := range tags {
		tags[i] = v1.Tag(fmt.Sprint("t", i))
	}
	return []grown{
		{handler("long-list").Obj(), handler("long-list").Pod(v1.PodSettings{Tolerations: tolerations}).Obj(), "spec.pod.tolerations", "handler-long-list"},
		{handler("large").Obj(), withText(ns, "large", "x", 300_000), "spec: Too long", "handler-large"},
		{module().Obj(), module().Pod(v1.PodSettings{Tolerations: tolerations}).Obj(), "spec.pod.tolerations", "module-m"},
		{record().Obj(), record().Spec(func(s *v1.GatiVersionSpec) { s.Tags = tags }).Obj(), "spec.tags", ""},
	}
}

// An object that an earlier release stored beyond a bound of this one is served and told, its
// children stay, and its manager can correct it.
func TestStoredBeyondABoundIsServedAndCorrected(t *testing.T) {
	ns := makeNamespace(t)
	all, before := makeGrown(ns), map[string]*appsv1.Deployment{}
	for _, g := range all {
		if err := applyObject(t.Context(), g.small, "team"); err != nil {
			t.Fatal(err)
		}
		awaitValid(t, g.small, metav1.ConditionTrue, "")
	}
	awaitSettled(t, ns)
	for _, g := range all {
		if g.deployment != "" {
			before[g.deployment] = readObject[appsv1.Deployment](t, ns, g.deployment)
		}
	}
	withoutWebhook(t, func() {
		removeBounds(t)
		for _, g := range all {
			await.Eventually(t, g.where+" beyond a bound", func() error { return applyObject(context.Background(), g.large, "team") })
			awaitValid(t, g.large, metav1.ConditionFalse, g.where)
		}
	})
	awaitSettled(t, ns)
	for _, g := range all {
		other := g.large.DeepCopyObject().(client.Object)
		other.SetName("new-" + other.GetName())
		await.Eventually(t, "a refusal of a new object", func() error {
			err := applyObject(context.Background(), other, "team")
			if err == nil {
				return errors.Join(errors.New("it was admitted"), admin.Delete(context.Background(), other))
			}
			return checkContains(err.Error(), g.where)
		})
		awaitValid(t, g.large, metav1.ConditionFalse, g.where)
		if err := admin.Patch(t.Context(), g.large, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`))); err != nil {
			t.Errorf("%s: nothing can be changed: %v", g.where, err)
		}
	}
	for name, deployment := range before {
		checkRunsOn(t, ns, name, deployment)
	}
	for _, g := range all {
		if err := applyObject(t.Context(), g.small, "team"); err != nil {
			t.Errorf("%s cannot be corrected: %v", g.where, err)
		}
		awaitValid(t, g.small, metav1.ConditionTrue, "")
	}
	awaitSettled(t, ns)
	for name, deployment := range before {
		checkRunsOn(t, ns, name, deployment)
	}
}

// awaitValid waits until an object's present spec is said to be valid, or to be invalid and
// the reason that it is Stalled, with a text.
func awaitValid(t *testing.T, o client.Object, want metav1.ConditionStatus, text string) {
	t.Helper()
	await.Eventually(t, fmt.Sprintf("%T %s with Valid=%s and %q", o, o.GetName(), want, text), func() error {
		now := &unstructured.Unstructured{}
		now.SetGroupVersionKind(o.GetObjectKind().GroupVersionKind())
		if err := admin.Get(context.Background(), client.ObjectKeyFromObject(o), now); err != nil {
			return err
		}
		var with struct {
			Status struct {
				Conditions []metav1.Condition `json:"conditions"`
			} `json:"status"`
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(now.Object, &with); err != nil {
			return err
		}
		all := with.Status.Conditions
		if err := checkCondition(all, v1.ConditionValid, want, now.GetGeneration()); err != nil || text == "" {
			return err
		}
		return errors.Join(checkCondition(all, v1.ConditionStalled, metav1.ConditionTrue, now.GetGeneration()),
			checkContains(meta.FindStatusCondition(all, v1.ConditionValid).Message, text))
	})
}

// removeBounds makes the API one without bounds, as that of an earlier release.
func removeBounds(t *testing.T) {
	t.Helper()
	for _, o := range []client.Object{
		&admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "gati-sizes"}},
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: local.Account}},
	} {
		if err := admin.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []string{"gatihandlers", "gatimodules", "gativersions"} {
		changeObject(t, "", kind+".gati.dev", func(crd *apiextensionsv1.CustomResourceDefinition) {
			for _, v := range crd.Spec.Versions {
				dropBounds(v.Schema.OpenAPIV3Schema)
			}
		})
	}
}

func dropBounds(s *apiextensionsv1.JSONSchemaProps) {
	s.MaxItems, s.MaxProperties, s.MaxLength, s.XValidations = nil, nil, nil, nil
	for name, property := range s.Properties {
		dropBounds(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		dropBounds(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		dropBounds(s.AdditionalProperties.Schema)
	}
}
