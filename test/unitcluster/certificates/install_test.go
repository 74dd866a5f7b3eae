package certificates_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/render"
	"gati.dev/gati/internal/testing/install"
	"gati.dev/gati/test/support/await"
)

// What is shipped is taken by an API server, and a pod of each Deployment by the
// Pod Security profile of their namespace, which is restricted.
func TestTheDefaultOverlayIsAccepted(t *testing.T) {
	c := needCluster(t, anywhere)
	objects, err := render.Objects(render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := install.Apply(t.Context(), c.config, objects); err != nil {
		t.Fatal(err)
	}
	for _, e := range c.readEndpoints(t) {
		if e.ServerName != "gati-webhook.gati-system.svc" {
			t.Errorf("%s is called at %s", e.Target, e.ServerName)
		}
	}
	var deployments appsv1.DeploymentList
	if err := c.client.List(t.Context(), &deployments, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	if len(deployments.Items) != 2 {
		t.Errorf("there are %d Deployments, want those of the hooks and of the controllers", len(deployments.Items))
	}
	for _, d := range deployments.Items {
		restrictedTakes(t, c, &d)
	}
}

// restrictedTakes holds that the namespace takes a pod of a Deployment, and refuses one
// that restricted forbids.
func restrictedTakes(t *testing.T, c *cluster, d *appsv1.Deployment) {
	t.Helper()
	template := d.Spec.Template
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.Name = namespace, d.Name+"-0"
	if err := c.client.Create(t.Context(), pod.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("a pod of %s is refused: %v", d.Name, err)
	}
	pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil
	if err := c.client.Create(t.Context(), pod, client.DryRunAll); err == nil || !strings.Contains(err.Error(), `"restricted:latest"`) {
		t.Errorf("a pod of %s that may gain privileges gives %v, want a refusal by restricted", d.Name, err)
	}
}

// With gati-webhook down, writes to a spec wait for it and all others pass.
func TestWhatPassesWithoutTheWebhook(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	p := startProcess(t, c, port, "--shutdown-delay=0s")
	p.awaitReady(t, "ready")
	version := &v1.GatiVersion{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "users-v1", Finalizers: []string{"test.gati.dev/keep"},
	}}
	version.Spec.Handler, version.Spec.Version = "users", "v1.0.0"
	if err := c.client.Create(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	if err := p.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.awaitEnd(t, await.Patience)

	change := func(f func(*v1.GatiVersion)) error {
		changed := version.DeepCopy()
		f(changed)
		return c.client.Patch(t.Context(), changed, client.MergeFrom(version.DeepCopy()))
	}
	if err := change(func(v *v1.GatiVersion) { v.Labels = map[string]string{"team": "a"} }); err != nil {
		t.Errorf("a label is refused: %v", err)
	}
	err := change(func(v *v1.GatiVersion) { v.Spec.Keep = new(true) })
	if err == nil || !strings.Contains(err.Error(), "failed calling webhook") {
		t.Errorf("a change of the spec gives %v", err)
	}
	if err := c.client.Delete(t.Context(), version); err != nil {
		t.Errorf("a deletion is refused: %v", err)
	}
	if err := change(func(v *v1.GatiVersion) { v.Finalizers = nil }); err != nil {
		t.Errorf("the finalizer cannot be taken away: %v", err)
	}
}
