package e2e

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/repository"
)

// installYAML is the manifest that a user applies.
var installYAML = repository.Path("manifests", "install.yaml")

// system is where gati-webhook runs.
const system = local.Namespace

// deployments are those of the hooks and of the controllers.
var deployments = []string{"deployment/" + local.Account, "deployment/" + local.ControllerAccount}

// installed reports whether a scenario of this run has installed Gati: then it runs
// from this build's image. installing is held by who installs it.
var (
	installed  bool
	installing sync.Mutex
)

// gatiIsInstalled installs Gati as it is in this checkout, if no scenario has
// done so.
func (g given) gatiIsInstalled() {
	g.t.Helper()
	installing.Lock()
	defer installing.Unlock()
	if installed {
		return
	}
	when(g).applyInstallFile(installYAML)
	// A cluster that was kept may run an earlier image of that name.
	g.runKubectl("", append([]string{"-n", system, "rollout", "restart"}, deployments...)...)
	g.gatiIsUp()
	g.eventually("apply that is admitted", func() error { return firstApply(g.t.Context()) })
	installed = true
}

// noGati removes what an earlier run has installed.
func (g given) noGati() {
	g.t.Helper()
	installed = false
	if _, err := cluster.Run(g.t.Context(), "", "delete", "--ignore-not-found", "--wait", "--timeout=5m", "-f", installYAML); err != nil {
		g.t.Fatal(err)
	}
	g.logStep("given a cluster without Gati")
}

// applyInstallFile applies an install.yaml as a user would.
func (w when) applyInstallFile(file string) {
	w.t.Helper()
	if _, err := cluster.Run(w.t.Context(), "", "apply", "-f", file); err != nil {
		w.t.Fatal(err)
	}
	w.logStep("when %s is applied", file)
}

// gatiIsUp waits until every replica of the hooks and the controllers is ready, of its
// present template alone.
func (w *world) gatiIsUp() {
	w.t.Helper()
	for _, name := range []string{local.Account, local.ControllerAccount} {
		w.eventually(name+" with all replicas ready", func() error { return rolledOut(w.t.Context(), system, name) })
	}
}

// rolledOut waits as "kubectl rollout status" does, and until no old pod is
// left.
func rolledOut(ctx context.Context, ns, name string) error {
	var d appsv1.Deployment
	if err := admin.Get(ctx, client.ObjectKey{Namespace: ns, Name: name}, &d); err != nil {
		return err
	}
	s, want := d.Status, *d.Spec.Replicas
	if s.ObservedGeneration < d.Generation || s.UpdatedReplicas != want || s.Replicas != want || s.ReadyReplicas != want {
		return fmt.Errorf("of %d replicas %d are updated, %d ready, %d there are in all", want, s.UpdatedReplicas, s.ReadyReplicas, s.Replicas)
	}
	return nil
}

// podsRun waits until the containers of the hooks have started, ready or not.
func (w *world) podsRun() {
	w.t.Helper()
	w.eventually("running pods of gati-webhook", func() error {
		pods, err := webhookPods(w.t.Context())
		if err != nil || len(pods) == 0 {
			return errors.Join(err, errors.New("there are no pods"))
		}
		for _, p := range pods {
			if p.Status.Phase != corev1.PodRunning {
				return fmt.Errorf("pod %s is %s: %v", p.Name, p.Status.Phase, p.Status.ContainerStatuses)
			}
		}
		return nil
	})
	w.logStep("then the pods of gati-webhook run")
}

func webhookPods(ctx context.Context) ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := admin.List(ctx, &pods, client.InNamespace(system), client.MatchingLabels{"app.kubernetes.io/name": "gati-webhook"})
	return pods.Items, err
}

// anApplySucceedsWithin holds that from now on it takes no longer until a handler
// can be applied.
func (n then) anApplySucceedsWithin(limit time.Duration) {
	n.t.Helper()
	began := time.Now()
	await.Within(n.t, limit, "apply that succeeds", func() error { return firstApply(n.t.Context()) })
	n.logStep("then the first apply succeeds, after %.1fs", time.Since(began).Seconds())
	installed = true
}

// firstApply creates a handler and deletes it again.
func firstApply(ctx context.Context) error {
	h := builders.MakeHandler("first").Namespace("default").Image("first:v1").Replicas(0).Obj()
	if err := admin.Create(ctx, h); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return admin.Delete(ctx, h)
}
