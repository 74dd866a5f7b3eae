package policy

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// TestSizes holds that an object has room for its status, whatever its fields hold, with no
// hook to say so.
func TestSizes(t *testing.T) {
	const ns = "sizes"
	makeNamespace(t, ns)
	setSizesBinding(t, "Deny", "Too long") // a new policy holds after a moment
	long := strings.Repeat("x", 60_000)
	terms := "[" + strings.Repeat(`{matchExpressions: [`+strings.TrimSuffix(strings.Repeat("{key: a, operator: Exists},", 100), ",")+`]},`, 120) + "]"
	list := "{key: a, operator: In, values: [" + strings.Repeat("a,", 511) + "a]}"
	values := "[" + strings.Repeat("{matchExpressions: ["+strings.Repeat(list+",", 10)+list+"]},", 124) + "]"
	labels := map[string]string{}
	for i := range 300 {
		labels[fmt.Sprintf("example.com/%0180d", i)[:70]+fmt.Sprint(i)] = strings.Repeat("y", 60)
	}
	labelled := makeHandler("v1", ns, "labelled", plainSpec("v1"))
	labelled.SetLabels(labels)
	annotated := func(text string) *unstructured.Unstructured {
		o := makeHandler("v1", ns, "annotated", plainSpec("v1"))
		o.SetAnnotations(map[string]string{"example.com/notes": strings.Repeat(text, 240_000)})
		return o
	}
	for name, tc := range map[string]struct {
		o    *unstructured.Unstructured
		want string
	}{
		"a handler of 240 KB":   {makeHandler("v1", ns, "a", "{path: /a, image: i, env: "+longVariables(4)+"}"), ""},
		"a handler of 300 KB":   {makeHandler("v1", ns, "a", "{path: /a, image: i, env: "+longVariables(5)+"}"), "spec: Too long: may not be more than 262144 bytes (256 KiB) with 32 for each item, and has 3"},
		"a handler of v1alpha1": {makeHandler("v1alpha1", ns, "a", "{handlerPath: /a, image: i, env: {A: "+long+", B: "+long+", C: "+long+", D: "+long+", E: "+long+"}}"), "of which spec.env has 3"},
		"a module":              {makeObject("v1", "GatiModule", ns, "a", moduleSpecWith("moduleName: a, runtime: 'x', env: "+longVariables(5))), "of which spec.env has 3"},
		"20,000 values":         {makeHandler("v1", ns, "a", "{path: /a, image: i, pod: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["+strings.TrimSuffix(strings.Repeat("{matchExpressions: ["+list+"]},", 39), ",")+"]}}}}}"), "of which spec.pod has"},
		"many small terms":      {makeHandler("v1", ns, "a", "{path: /a, image: i, pod: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "+terms+"}}}}}"), "of which spec.pod has "},
		"2.9 MB of text":        {makeHandler("v1", ns, "a", "{path: /a, image: i, env: "+longVariables(48)+"}"), "of which spec.env has 28"},
		"700,000 values":        {makeHandler("v1", ns, "a", "{path: /a, image: i, pod: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "+values+"}}}}}"), "of which spec.pod has "},
		"52 KB of <":            {makeHandler("v1", ns, "a", "{path: /a, image: i, replicas: 2, env: [{name: A, value: '"+strings.Repeat("<", 52_000)+"'}]}"), "of which spec.env has 312"},
		"annotations of 240 KB": {annotated("x"), ""},
		"240 KB of <":           {annotated("<"), "metadata.annotations: Too long: may not be more than 524288 bytes (512 KiB) as JSON, and have 14"},
		"many labels":           {labelled, "metadata: Too long: labels, finalizers and ownerReferences"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			got := describeOutcome(admin.Create(t.Context(), tc.o, client.DryRunAll))
			if (got == "admitted") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("after %s: %.400s; want %q", time.Since(began), got, tc.want)
			}
		})
	}
}

// TestStoredSizes holds that an object stored beyond the bound can be corrected step by step,
// and does not grow.
func TestStoredSizes(t *testing.T) {
	const ns = "stored-sizes"
	makeNamespace(t, ns)
	setSizesBinding(t, "Audit", "admitted")
	o := makeHandler("v1", ns, "large", "{path: /a, image: i, env: [{name: A, value: "+strings.Repeat("x", 60_000)+"}]}")
	env := func(n, length int) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf(`{"name":"V%d","value":%q}`, i, strings.Repeat("x", length)))
		}
		return `{"spec":{"env":[` + strings.Join(out, ",") + `]}}`
	}
	patch := func(text string) string {
		return describeOutcome(admin.Patch(t.Context(), o.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(text))))
	}
	if err := admin.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := patch(env(8, 60_000)); got != "admitted" {
		t.Fatal(got)
	}
	setSizesBinding(t, "Deny", "Too long")
	for _, step := range []struct{ name, patch, want string }{
		{"a label", `{"metadata":{"labels":{"a":"b"}}}`, "admitted"},
		{"another field of the same size", `{"spec":{"path":"/b"}}`, "admitted"},
		{"more", env(9, 60_000), "Too long"},
		{"less, and still too much", env(7, 60_000), "admitted"},
		{"what it was before", env(8, 60_000), "Too long"},
		{"little", env(1, 1_000), "admitted"},
		{"too much again", env(7, 60_000), "Too long"},
	} {
		if got := patch(step.patch); !strings.Contains(got, step.want) {
			t.Errorf("%s: %.300s; want %s", step.name, got, step.want)
		}
	}
}

// setSizesBinding sets what the API server does with objects that are too large, and waits
// until it does.
func setSizesBinding(t *testing.T, action, want string) {
	t.Helper()
	binding := &unstructured.Unstructured{}
	binding.SetAPIVersion("admissionregistration.k8s.io/v1")
	binding.SetKind("ValidatingAdmissionPolicyBinding")
	binding.SetName("gati-sizes")
	if err := admin.Patch(t.Context(), binding, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"validationActions":["`+action+`"]}}`))); err != nil {
		t.Fatal(err)
	}
	var got string
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		got = describeOutcome(admin.Create(ctx, makeHandler("v1", "default", "probe-sizes", "{path: /a, image: i, env: "+longVariables(5)+"}"), client.DryRunAll))
		return strings.Contains(got, want), nil
	})
	if err != nil {
		t.Fatalf("%v: %.300s", err, got)
	}
}

// longVariables returns the YAML of so many variables of 60 KB.
func longVariables(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("{name: V%d, value: %s}", i, strings.Repeat("x", 60_000)))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// TestSizesAreThoseOfAdmission holds that gati-webhook, the controllers and lint draw the line
// where the policy does, but for the defaults that the API server has filled in.
func TestSizesAreThoseOfAdmission(t *testing.T) {
	const ns, defaults = "sizes-of-admission", 1024
	makeNamespace(t, ns)
	setSizesBinding(t, "Deny", "Too long")
	const items = "items"
	for _, text := range []string{"x", "\n", "é", `"`, "<", ", ", items} {
		handler := func(bytes int) *v1.GatiHandler {
			h := builders.MakeHandler("a").Namespace(ns).Image("app:v1").Obj()
			if text == items {
				h.Spec.Pod = &v1.PodSettings{Affinity: makeValues(bytes / 33)}
				return h
			}
			for i := range 8 {
				h.Spec.Env = append(h.Spec.Env, corev1.EnvVar{Name: fmt.Sprintf("V%d", i), Value: strings.Repeat(text, bytes/8/len(text))})
			}
			return h
		}
		create := func(bytes int) string {
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(handler(bytes))
			if err != nil {
				t.Fatal(err)
			}
			o := &unstructured.Unstructured{Object: content}
			o.SetGroupVersionKind(v1.GroupVersion.WithKind("GatiHandler"))
			return describeOutcome(admin.Create(t.Context(), o, client.DryRunAll))
		}
		line := sort.Search(280_000, func(bytes int) bool {
			result, _ := admit.Handler(handler(bytes), nil, facts.Facts{})
			return len(result.Errors) > 0
		})
		below, above := create(line-defaults), create(line+defaults)
		if below != "admitted" || !strings.Contains(above, "spec: Too long") {
			t.Errorf("%q: admission draws the line at %d bytes; below it the API server says %.200s, above it %.200s", text, line, below, above)
		}
	}
}

// makeValues returns an affinity with so many values.
func makeValues(n int) *corev1.Affinity {
	required := &corev1.NodeSelector{}
	for ; n > 0; n -= 512 {
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "k", Operator: corev1.NodeSelectorOpNotIn, Values: make([]string, min(n, 512))},
		}})
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}}
}
