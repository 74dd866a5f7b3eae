package observed

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/terminal"
)

// TestThePageIsExecuted executes the commands of docs/observability.md in their order.
// The API server has the operator's own definitions and refuses fields that they lack.
func TestThePageIsExecuted(t *testing.T) {
	env.Namespace(t, "monitoring")
	env.Must(t, "", "-n", "gati-system", "delete", "secret", "gati-notifications", "--ignore-not-found") // The page creates it, as an earlier run did.
	for _, command := range readCommands(t, "observability.md") {
		runCommand(t, command)
	}
	for _, folder := range []string{"manifests/monitoring", "manifests/monitoring/servicemonitors"} {
		env.Must(t, repository.Path(), "apply", "-k", folder, "--dry-run=server", "--validate=strict")
	}
	for object, field := range map[string]string{
		"podmonitors/gati-handlers": "{.spec.podTargetLabels}", "servicemonitors/gati-handlers": "{.spec.podTargetLabels}",
		"prometheusrules/gati": "{.spec.groups[*].rules[*].alert}", "configmaps/gati-dashboards": "{.data.gati\\.json}",
	} {
		if env.Must(t, "", "-n", "gati-system", "get", object, "-o", "jsonpath="+field) == "" {
			t.Errorf("%s has no %s", object, field)
		}
	}
}

// makeUsersHandler returns a canary that waits at its first step to be promoted.
func makeUsersHandler(version string) *v1.GatiHandler {
	return builders.MakeHandler("users").Namespace("shop").Image("app:"+version).Replicas(2).Path("/users").
		Strategy(v1.StrategyCanary).Step(50, "").Step(100, "").Obj()
}

func applyHandler(t *testing.T, h *v1.GatiHandler) {
	t.Helper()
	live := &v1.GatiHandler{}
	err := admin.Get(t.Context(), client.ObjectKeyFromObject(h), live)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	if err != nil {
		err = admin.Create(t.Context(), h)
	} else {
		before := live.DeepCopy()
		live.Spec = h.Spec
		err = admin.Patch(t.Context(), live, client.MergeFrom(before), client.FieldOwner("kubectl-edit"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// awaitHealth waits until a handler has a health and a version serves.
func awaitHealth(t *testing.T, key client.ObjectKey, health v1.Health, serving string) *v1.GatiHandler {
	t.Helper()
	var h v1.GatiHandler
	await.Eventually(t, fmt.Sprintf("%s is %s with %s", key.Name, health, serving), func() error {
		h = v1.GatiHandler{}
		if err := admin.Get(t.Context(), key, &h); err != nil {
			return err
		}
		if h.Status.ObservedGeneration != h.Generation || h.Status.Health != health || h.Status.Serving != serving {
			return fmt.Errorf("%s, %s serves: %+v", h.Status.Health, h.Status.Serving, h.Status.Conditions)
		}
		return nil
	})
	return &h
}

var usersKey = client.ObjectKey{Namespace: "shop", Name: "users"}

// TestTheRunbooksAreExecuted executes the commands of every runbook. Those that change
// a rollout find one that they can change.
func TestTheRunbooksAreExecuted(t *testing.T) {
	env.Namespace(t, "shop") // as the runbooks say
	t.Cleanup(func() { terminal.Remove(t, admin, "shop") })
	applyHandler(t, makeUsersHandler("v1"))
	awaitHealth(t, usersKey, v1.Healthy, "v1")
	applyHandler(t, makeUsersHandler("v2"))
	awaitHealth(t, usersKey, v1.Paused, "v1")
	pages, err := filepath.Glob(repository.Path("docs/runbooks/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no runbooks: %v", err)
	}
	const failed, long, index = "GatiRolloutFailed.md", "GatiRolloutLong.md", "README.md"
	run := func(page string) {
		for _, command := range readCommands(t, "runbooks/"+page) {
			runCommand(t, command)
		}
	}
	for _, page := range pages {
		if name := filepath.Base(page); name != failed && name != long && name != index {
			run(name)
		}
	}
	run(long)
	awaitHealth(t, usersKey, v1.Healthy, "v2")
	applyHandler(t, makeUsersHandler("v3"))
	awaitHealth(t, usersKey, v1.Paused, "v2")
	env.Must(t, "", "-n", "shop", "get", "gh", "users")
	runCommand(t, "kubectl gati rollout abort users -n shop --yes")
	h := awaitHealth(t, usersKey, v1.RolledBack, "v2")
	if ro := h.Status.Rollout; ro.Phase != v1.RolloutFailed && len(ro.Rejected) == 0 {
		t.Errorf("nothing was rejected: %+v", ro)
	}
	run(failed)
	awaitHealth(t, usersKey, v1.Paused, "v2")
	if out := runCommand(t, "kubectl gati rollout history users -n shop"); !strings.Contains(out, "v3") {
		t.Errorf("the history says\n%s", out)
	}
}
