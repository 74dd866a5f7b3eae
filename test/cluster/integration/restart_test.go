package integration

import (
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// restartedAt is the annotation that kubectl rollout restart writes into a template.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// "kubectl rollout restart deployment/handler-… works and is not reverted."
func TestRolloutRestartIsKept(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj())
	readyHandler(t, ns, "a")
	old := podNames(t, ns, "a")

	runKubectl(t, ns, "", "rollout", "restart", "deployment/handler-a")

	runKubectl(t, ns, "", "rollout", "status", "deployment/handler-a", "--timeout=80s")
	await.Eventually(t, "only new pods", func() error {
		now := podNames(t, ns, "a")
		for name := range now {
			if old[name] {
				return fmt.Errorf("pod %s is one of the old", name)
			}
		}
		if len(now) != 2 {
			return fmt.Errorf("%d pods, want 2", len(now))
		}
		return nil
	})
	stamp := readObject[appsv1.Deployment](t, ns, "handler-a").Spec.Template.Annotations[restartedAt]
	if stamp == "" {
		t.Fatal("the annotation of the restart is gone")
	}
	if sets := listObjects[appsv1.ReplicaSet, appsv1.ReplicaSetList](t, ns); len(sets) != 2 {
		t.Errorf("%d ReplicaSets, want the old one and one new one", len(sets))
	}

	// Nor do later writes of ours take it away.
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { n := int32(3); h.Spec.Replicas = &n })
	readyHandler(t, ns, "a")
	await.Eventually(t, "three replicas", func() error {
		d := readObject[appsv1.Deployment](t, ns, "handler-a")
		if *d.Spec.Replicas != 3 {
			return fmt.Errorf("%d replicas", *d.Spec.Replicas)
		}
		if d.Spec.Template.Annotations[restartedAt] != stamp {
			return errors.New("the annotation of the restart is gone")
		}
		return nil
	})
	if sets := listObjects[appsv1.ReplicaSet, appsv1.ReplicaSetList](t, ns); len(sets) != 2 {
		t.Errorf("%d ReplicaSets after a change of replicas, want 2 as before: a third one means that the restart was undone", len(sets))
	}
	if n := len(listRevisions(t, ns, "a")); n != 1 {
		t.Errorf("%d revisions, want 1: a restart is not a change of the spec", n)
	}
}

// podNames are the pods of a handler that are not on their way out.
func podNames(t *testing.T, ns, handler string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, p := range listObjects[corev1.Pod, corev1.PodList](t, ns, v1.LabelHandler, handler) {
		if p.DeletionTimestamp == nil {
			out[p.Name] = true
		}
	}
	return out
}
