package integration

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/kubectl/pkg/util"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
)

// "After each, applying the same file again keeps resourceVersion, client-side
// prints unchanged, and the client-side three-way merge patch computed from the
// live object is empty."
func checkRepeat(t *testing.T, m manifest, v verb) {
	t.Helper()
	awaitSettled(t, m.namespace)
	checkNoDifference(t, m)
	before := m.resourceVersions(t)
	if v.name != "create" {
		checkUnchanged(t, m, before, v.next...)
		return
	}
	// An object that was created lacks the annotation of kubectl apply, which the
	// first apply adds and nothing else.
	specs := readGenerations(t, m)
	m.runKubectl(t, "apply")
	if now := readGenerations(t, m); now != specs {
		t.Errorf("the first apply after create changed a spec: generations %s, before %s", now, specs)
	}
	awaitSettled(t, m.namespace)
	checkUnchanged(t, m, m.resourceVersions(t), "apply")
}

// checkUnchanged sends the file again and checks that nothing came of it.
func checkUnchanged(t *testing.T, m manifest, before string, args ...string) {
	t.Helper()
	out := m.runKubectl(t, args...)
	awaitSettled(t, m.namespace)
	if now := m.resourceVersions(t); now != before {
		t.Errorf("kubectl %s of the same file changed something: now %s, before %s", strings.Join(args, " "), now, before)
	}
	if len(args) > 1 {
		return // Server-side, kubectl does not say whether anything changed.
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "gati") && !strings.HasSuffix(line, " unchanged\n") {
			t.Errorf("kubectl apply of the same file says %q, want unchanged", line)
		}
	}
}

func readGenerations(t *testing.T, m manifest) string {
	t.Helper()
	var out []string
	for _, obj := range m.objects {
		text, _ := json.Marshal(m.readObject(t, obj, "v1").GetGeneration())
		out = append(out, obj.GetName()+" "+string(text))
	}
	return strings.Join(out, ", ")
}

// checkNoDifference computes the patch that kubectl apply would send, from the
// object as it is read in the manifest's version.
func checkNoDifference(t *testing.T, m manifest) {
	t.Helper()
	for _, obj := range m.objects {
		live := m.readObject(t, obj, obj.GroupVersionKind().Version)
		sent := obj.DeepCopy()
		sent.SetNamespace(m.namespace)
		original, err := util.GetOriginalConfiguration(live)
		if err != nil {
			t.Fatal(err)
		}
		modified, err := util.GetModifiedConfiguration(sent, original != nil, unstructured.UnstructuredJSONScheme)
		if err != nil {
			t.Fatal(err)
		}
		current, err := live.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, current)
		if err != nil {
			t.Fatal(err)
		}
		// kubectl takes its own annotation out of a file and may leave an empty map.
		if p := string(patch); p != "{}" && p != `{"metadata":{"annotations":{}}}` {
			t.Errorf("kubectl apply of %s %s would patch %s", obj.GetKind(), obj.GetName(), patch)
		}
	}
}

// "kubectl get gatihandlers.v1alpha1.gati.dev and .v1. read every object; what
// the user sent comes back as sent": each field of the spec, with an equal value,
// in either version.
func checkSentIsKept(t *testing.T, m manifest) {
	t.Helper()
	for _, version := range []string{"v1", "v1alpha1"} {
		for _, obj := range m.objects {
			sent := convertObject(t, obj.DeepCopy().Object, version)
			live := m.readObject(t, obj, version)
			checkWithin(t, version+" "+obj.GetKind()+" "+obj.GetName()+": spec", sent["spec"], live.Object["spec"])
			if version == "v1alpha1" && len(live.GetAnnotations()[v1alpha1.FieldsAnnotation]) > 0 && obj.GetAPIVersion() == v1.Group+"/v1alpha1" {
				t.Errorf("%s %s carries %s, which the samples need not", obj.GetKind(), obj.GetName(), v1alpha1.FieldsAnnotation)
			}
		}
	}
}

// checkKubectlReads lets kubectl read every object in either version.
func checkKubectlReads(t *testing.T, m manifest) {
	t.Helper()
	for _, version := range []string{"v1", "v1alpha1"} {
		suffix := "." + version + "." + v1.Group
		out := runKubectl(t, m.namespace, "", "get", "-o", "name", "gatihandlers"+suffix+",gatimodules"+suffix+",gativersions"+suffix)
		for _, obj := range m.objects {
			if err := checkContains(out, strings.ToLower(obj.GetKind())+"."+v1.Group+"/"+obj.GetName()+"\n"); err != nil {
				t.Errorf("kubectl get in %s: %v", version, err)
			}
		}
	}
}

// checkWithin checks that every value sent is among what came back. Maps may have
// more, by defaults; anything else is equal as JSON.
func checkWithin(t *testing.T, path string, sent, live any) {
	t.Helper()
	want, isMap := sent.(map[string]any)
	have, liveMap := live.(map[string]any)
	if isMap && liveMap {
		for key, value := range want {
			back, there := have[key]
			if !there {
				t.Errorf("%s.%s was sent as %v and is not there any more", path, key, value)
				continue
			}
			checkWithin(t, path+"."+key, value, back)
		}
		return
	}
	a, _ := json.Marshal(sent)
	b, _ := json.Marshal(live)
	if string(a) != string(b) {
		t.Errorf("%s was sent as %s and comes back as %s", path, a, b)
	}
}
