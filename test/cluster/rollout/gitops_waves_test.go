package rollout_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/peers"
)

const waveAnnotation = "argocd.argoproj.io/sync-wave"

// application is a folder of manifests that Argo CD syncs with pruning.
type application struct {
	*git
	folder, state string
}

// syncing is what Argo CD says of a sync.
type syncing struct{ Phase, Message string }

// TestArgoCDKeepsWavesAndPrunes holds what docs/gitops.md says of sync waves: a module in
// an earlier wave is healthy before its handler is there, a canary holds its wave until it
// ends, a promotion stays; and that what left Git is removed with its children.
func TestArgoCDKeepsWavesAndPrunes(t *testing.T) {
	peers.Need(t)
	t.Parallel()
	a := &application{git: &git{world: newWorld(t)}, folder: t.TempDir()}
	module := builders.MakeModule("cache").Namespace(a.ns).ModuleName("cache").Runtime("node:20").Image("cache:v1").Obj()
	first := a.makeLongCanary("v1").Obj()
	last := builders.MakeHandler("orders").Namespace(a.ns).Image("app:v1").Path("/orders").Obj()
	a.writeManifest("GatiModule", module.Name, "-1", module.Spec)
	a.writeManifest("GatiHandler", first.Name, "0", first.Spec)
	a.writeManifest("GatiHandler", last.Name, "1", last.Spec)

	a.runSync(func() {
		if a.objectExists(&v1.GatiHandler{}, "users") && !a.isReady(&v1.GatiModule{}, "cache") {
			t.Error("the handler is there before the module of the wave before is ready")
		}
		if a.objectExists(&v1.GatiHandler{}, "orders") && !a.isReady(&v1.GatiHandler{}, "users") {
			t.Error("the last handler is there before that of the wave before is ready")
		}
	})
	a.awaitPhase("users", "v1 100", v1.RolloutStable)

	next := a.makeLongCanary("v2").Obj()
	last.Spec.Image = "app:v2"
	a.writeManifest("GatiHandler", next.Name, "0", next.Spec)
	a.writeManifest("GatiHandler", last.Name, "1", last.Spec)
	held := 0
	a.beginSync()
	a.eventually("a canary that holds its wave", func() error {
		a.advanceSync()
		if a.imageOf("orders") != "app:v1" {
			t.Fatal("the last wave began during the canary of the wave before")
		}
		if a.readHandler("users").Status.Health != v1.Paused {
			return errors.New("the canary is not at its pause")
		}
		if held++; held < 3 {
			return fmt.Errorf("Argo CD has looked %d times", held)
		}
		return nil
	})
	a.requestAsAdmin("users", "promote:full")
	a.awaitSyncEnd(func() {
		if a.imageOf("orders") == "app:v2" && !a.isReady(&v1.GatiHandler{}, "users") {
			t.Error("the last wave began before the canary had ended")
		}
	})
	a.awaitPhase("users", "v1 0 v2 100", v1.RolloutStable)
	if a.imageOf("orders") != "app:v2" {
		t.Error("the last wave never came")
	}

	a.removeManifest("orders")
	a.runSync(func() {})
	a.eventually("the end of what left Git", func() error {
		if a.objectExists(&v1.GatiHandler{}, "orders") || a.objectExists(&appsv1.Deployment{}, "handler-orders") {
			return errors.New("it is still there")
		}
		return nil
	})
	if !a.objectExists(&v1.GatiHandler{}, "users") || !a.objectExists(&v1.GatiModule{}, "cache") {
		t.Error("what is in Git was removed")
	}
}

// writeManifest writes a manifest into the folder.
func (a *application) writeManifest(kind, name, wave string, spec any) {
	a.t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": v1.GroupVersion.String(), "kind": kind, "spec": spec,
		"metadata": map[string]any{"name": name, "namespace": a.ns, "annotations": map[string]string{waveAnnotation: wave}},
	})
	if err == nil {
		err = os.WriteFile(a.manifestPath(name), text, 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *application) removeManifest(name string) {
	a.t.Helper()
	if err := os.Remove(a.manifestPath(name)); err != nil {
		a.t.Fatal(err)
	}
}

func (a *application) manifestPath(name string) string { return filepath.Join(a.folder, name+".json") }

// beginSync starts a new sync.
func (a *application) beginSync() { a.state = filepath.Join(a.t.TempDir(), "operation") }

// advanceSync lets Argo CD look at the cluster once.
func (a *application) advanceSync() (s syncing) {
	a.t.Helper()
	a.decodeJSON(a.runProgram("argocd", "advance", a.folder, argoCDSettings(), a.state), &s)
	return s
}

// runSync takes a new sync to its end; check is called after each look.
func (a *application) runSync(check func()) {
	a.t.Helper()
	a.beginSync()
	a.awaitSyncEnd(check)
}

func (a *application) awaitSyncEnd(check func()) {
	a.t.Helper()
	a.eventually("the end of the sync", func() error {
		s := a.advanceSync()
		check()
		switch s.Phase {
		case "Succeeded":
			return nil
		case "Running":
			return fmt.Errorf("%s: %s", s.Phase, s.Message)
		}
		a.t.Fatalf("Argo CD's sync: %s: %s", s.Phase, s.Message)
		return nil
	})
}

func (a *application) objectExists(into client.Object, name string) bool {
	a.t.Helper()
	err := admin.Get(a.t.Context(), client.ObjectKey{Namespace: a.ns, Name: name}, into)
	if client.IgnoreNotFound(err) != nil {
		a.t.Fatal(err)
	}
	return !apierrors.IsNotFound(err)
}

// isReady reports whether an object is Ready as of its present spec.
func (a *application) isReady(into client.Object, name string) bool {
	a.t.Helper()
	if !a.objectExists(into, name) {
		return false
	}
	var conditions []metav1.Condition
	switch o := into.(type) {
	case *v1.GatiHandler:
		conditions = o.Status.Conditions
	case *v1.GatiModule:
		conditions = o.Status.Conditions
	}
	for _, c := range conditions {
		if c.Type == v1.ConditionReady {
			return c.Status == metav1.ConditionTrue && c.ObservedGeneration == into.GetGeneration()
		}
	}
	return false
}

func (a *application) imageOf(name string) string {
	a.t.Helper()
	return a.readHandler(name).Spec.Image
}
