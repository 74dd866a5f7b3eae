package policy

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestMetadata holds that whoever adds an owner or changes finalizers, in any kind and either
// version of the API, needs the verb delete; and that all other metadata needs none.
func TestMetadata(t *testing.T) {
	const ns = "metadata"
	makeNamespace(t, ns)
	kinds := []string{"gatihandlers", "gatimodules", "gativersions"}
	write := []string{"get", "create", "update", "patch"}
	grantRights(t, ns, "writer", makeRule("gati.dev", kinds, write))
	grantRights(t, ns, "deleter", makeRule("gati.dev", kinds, append(write, "delete")))
	grantRole(t, ns, "editor", "gati-edit")

	objects := map[string]*unstructured.Unstructured{
		"GatiHandler": makeHandler("v1", ns, "users", plainSpec("v1")),
		"GatiModule":  makeObject("v1", "GatiModule", ns, "db", moduleSpecWith("moduleName: db, runtime: 'x'")),
		"GatiVersion": makeObject("v1", "GatiVersion", ns, "users-v1", "{handler: users, version: v1}"),
	}
	patches := []struct{ name, patch, want string }{
		{"owner added", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"kept","uid":"kept"},{"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"none"}]}}`, "metadata.ownerReferences"},
		{"owner replaced", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"none"}]}}`, "metadata.ownerReferences"},
		{"owner removed", `{"metadata":{"ownerReferences":null}}`, ""},
		{"finalizer added", `{"metadata":{"finalizers":["example.com/kept","example.com/more"]}}`, "metadata.finalizers"},
		{"finalizer removed", `{"metadata":{"finalizers":null}}`, "metadata.finalizers"},
		{"label set", `{"metadata":{"labels":{"a":"b"}}}`, ""},
	}
	out := &record{}
	for kind, o := range objects {
		o.SetOwnerReferences(nil)
		if err := unstructured.SetNestedSlice(o.Object, []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "kept", "uid": "kept"}}, "metadata", "ownerReferences"); err != nil {
			t.Fatal(err)
		}
		o.SetFinalizers([]string{"example.com/kept"})
		if err := clientOf("writer").Create(t.Context(), o); err != nil {
			t.Fatalf("creating a %s allows all of its metadata: %v", kind, err)
		}
		t.Cleanup(func() { removeFinalizers(t, o) })
	}
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		for _, who := range []string{"writer", "deleter", "editor"} {
			for _, version := range []string{"v1", "v1alpha1"} {
				for _, p := range patches {
					o := makeObject(version, kind, ns, objects[kind].GetName(), "{}")
					got := describeOutcome(clientOf(who).Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(p.patch)), client.DryRunAll))
					if isAdmitted, want := got == "admitted", who != "writer" || p.want == ""; isAdmitted != want {
						t.Errorf("%s %s, %s: %s: %s; want it admitted: %v", version, kind, who, p.name, got, want)
					}
					if version == "v1" && who == "writer" {
						out.addLine(kind+", "+p.name, got)
					}
				}
			}
		}
	}
	out.compareGolden(t, "metadata.txt")
}

// removeFinalizers lets an object go.
func removeFinalizers(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	if err := admin.Patch(context.Background(), o, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))); client.IgnoreNotFound(err) != nil {
		t.Error(err)
	}
}

// TestRolloutSettings holds that whoever changes spec.rollout while a rollout is under way
// needs the verb promote, and that no other moment or field asks for it.
func TestRolloutSettings(t *testing.T) {
	const ns = "rollouts"
	makeNamespace(t, ns)
	write := []string{"get", "create", "update", "patch"}
	grantRights(t, ns, "writer", makeRule("gati.dev", []string{"gatihandlers"}, write))
	grantRights(t, ns, "promoter", makeRule("gati.dev", []string{"gatihandlers"}, append(write, "promote")))
	h := makeHandler("v1", ns, "users", "{path: /a, image: 'app:v1', rollout: {strategy: Canary, steps: [{weight: 5}]}}")
	if err := admin.Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	patches := []struct {
		name, patch string
		guarded     bool
	}{
		{"steps taken away", `{"spec":{"rollout":{"steps":null}}}`, true},
		{"a step to 100 %", `{"spec":{"rollout":{"steps":[{"weight":100}]}}}`, true},
		{"another strategy", `{"spec":{"rollout":{"strategy":"RollingUpdate","steps":null}}}`, true},
		{"a check added", `{"spec":{"rollout":{"progressDeadline":"1h"}}}`, true},
		{"the same again", `{"spec":{"rollout":{"steps":[{"weight":5}]}}}`, false},
		{"another image", `{"spec":{"image":"app:v2"}}`, false},
	}
	for phase, isUnderWay := range map[string]bool{"": false, "Starting": false, "Stable": false, "Progressing": true, "RollingBack": true} {
		if phase != "" {
			if err := admin.Status().Patch(t.Context(), h.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"status":{"rollout":{"phase":"`+phase+`"}}}`))); err != nil {
				t.Fatal(err)
			}
		}
		for _, who := range []string{"writer", "promoter"} {
			for _, p := range patches {
				got := describeOutcome(clientOf(who).Patch(t.Context(), makeHandler("v1", ns, "users", "{}"), client.RawPatch(types.MergePatchType, []byte(p.patch)), client.DryRunAll))
				if want := !isUnderWay || !p.guarded || who == "promoter"; (got == "admitted") != want {
					t.Errorf("phase %q, %s, %s: %s; want it admitted: %v", phase, who, p.name, got, want)
				}
			}
		}
		if phase != "" {
			if err := admin.Status().Patch(t.Context(), h.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"status":{"rollout":null}}`))); err != nil {
				t.Fatal(err)
			}
		}
	}
}
