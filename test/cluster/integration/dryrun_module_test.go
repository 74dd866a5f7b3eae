package integration

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// What holds of handlers holds of modules: the API server's message at the
// module's field, for a module that is new and for one that exists, and nothing
// written.
func TestDryRunOfModulesTellsWhatTheAPIServerRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range moduleObstacles() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			o.put(t, ns)
			before := versionsIn(t, ns)
			checkRefused(t, func() error { return admin.Create(t.Context(), obstructedModule(ns, o), client.DryRunAll) }, o.field, o.text)
			checkSameVersions(t, ns, before)
			o.remove(t, ns)
			await.Eventually(t, "dry run that passes without it", func() error {
				return admin.Create(t.Context(), obstructedModule(ns, o), client.DryRunAll)
			})
			checkSameVersions(t, ns, versionsWithout(before, "ResourceQuota"))
		})
	}
}

// A module that exists is tried as the change that it would be.
func TestDryRunTellsOfAChangeToAModule(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj())
	readyModule(t, ns, "m")
	awaitSettled(t, ns)
	putPolicy(moreThanOne, makeTwoReplicas())(t, ns)
	before := versionsIn(t, ns)
	live := readObject[v1.GatiModule](t, ns, "m")
	live.Spec.Replicas = new(int32(2))
	checkRefused(t, func() error { return admin.Update(t.Context(), live, client.DryRunAll) }, "spec.replicas", "Deployment module-m is refused by the API server")
	live = readObject[v1.GatiModule](t, ns, "m")
	live.Spec.Image = "m:v2.0.0"
	if err := admin.Update(t.Context(), live, client.DryRunAll); err != nil {
		t.Errorf("a change that no policy is against is refused: %v", err)
	}
	checkSameVersions(t, ns, before)
}

// "No key … changes its ModRevision on a dry run", of a module that is new, of one
// that is changed in whatever leads to a child, and of one that is deleted.
func TestDryRunOfModulesWritesNothing(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	m := builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Replicas(2).Obj()
	before := versionsIn(t, ns)
	if err := admin.Create(t.Context(), m.DeepCopy(), client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	checkSameVersions(t, ns, before)

	createObject(t, m)
	readyModule(t, ns, "m")
	awaitSettled(t, ns)
	before = versionsIn(t, ns)
	for what, edit := range map[string]func(*v1.GatiModuleSpec){
		"image":        func(s *v1.GatiModuleSpec) { s.Image = "m:v2.0.0" },
		"replicas":     func(s *v1.GatiModuleSpec) { s.Replicas = new(int32(1)) },
		"config":       func(s *v1.GatiModuleSpec) { s.Config = map[string]string{"LEVEL": "debug"} },
		"capabilities": func(s *v1.GatiModuleSpec) { s.Capabilities = []v1.Capability{"network:egress", "filesystem:write"} },
		"port":         func(s *v1.GatiModuleSpec) { s.Port = new(int32(6000)) },
		"autoscaling":  func(s *v1.GatiModuleSpec) { s.Autoscaling = &v1.Autoscaling{Enabled: new(true)} },
	} {
		live := readObject[v1.GatiModule](t, ns, "m")
		edit(&live.Spec)
		if err := admin.Update(t.Context(), live, client.DryRunAll); err != nil {
			t.Errorf("a dry run with another %s is refused: %v", what, err)
		}
	}
	if err := admin.Delete(t.Context(), readObject[v1.GatiModule](t, ns, "m"), client.DryRunAll); err != nil {
		t.Error(err)
	}
	awaitSettled(t, ns)
	checkSameVersions(t, ns, before)
	checkAudit(t, ns, "dry-run", "passed")
	if n := len(listObjects[appsv1.ControllerRevision, appsv1.ControllerRevisionList](t, ns, v1.LabelModule, "m")); n != 1 {
		t.Errorf("%d revisions of the module, want the one of its create", n)
	}
}
