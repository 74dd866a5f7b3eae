package integration

import (
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	v1 "gati.dev/gati/api/v1"
)

// checkAfterCrash checks that the children of one object are what was asked for
// last, each of them once.
func checkAfterCrash(t *testing.T, ns, child string, want wish) {
	t.Helper()
	kind, name, _ := strings.Cut(child, "-")
	label := v1.LabelHandler
	if kind == "module" {
		label = v1.LabelModule
	}
	d := checkOneDeployment(t, ns, child, label, name, want)
	services := listObjects[corev1.Service, corev1.ServiceList](t, ns, label, name)
	if len(services) != 1 || services[0].Name != child {
		t.Errorf("%s: %d Services, want one of that name", child, len(services))
	}
	pods := listObjects[corev1.Pod, corev1.PodList](t, ns, label, name)
	pods = slices.DeleteFunc(pods, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil })
	if len(pods) != int(want.replicas) {
		t.Errorf("%s: %d pods, want %d", child, len(pods), want.replicas)
	}
	checkRevisionsAfterCrash(t, ns, child, label, name, d.Annotations[v1.AnnotationRevision], want)
	if kind == "module" {
		if n := len(listObjects[networkingv1.NetworkPolicy, networkingv1.NetworkPolicyList](t, ns, label, name)); n != 1 {
			t.Errorf("%s: %d NetworkPolicies, want 1", child, n)
		}
		return
	}
	checkVersionsAfterCrash(t, ns, name, want)
}

func checkOneDeployment(t *testing.T, ns, child, label, name string, want wish) *appsv1.Deployment {
	t.Helper()
	found := listObjects[appsv1.Deployment, appsv1.DeploymentList](t, ns, label, name)
	if len(found) != 1 || found[0].Name != child {
		t.Fatalf("%s: %d Deployments, want one of that name", child, len(found))
	}
	d := &found[0]
	c := d.Spec.Template.Spec.Containers[0]
	level := ""
	for _, e := range c.Env {
		if e.Name == "LEVEL" {
			level = e.Value
		}
	}
	if got := (wish{want.version, c.Image, *d.Spec.Replicas, level}); got != want {
		t.Errorf("%s runs %+v, want %+v", child, got, want)
	}
	if d.Status.UpdatedReplicas != want.replicas || d.Status.ReadyReplicas != want.replicas || d.Status.Replicas != want.replicas {
		t.Errorf("%s: of %d pods %d are updated and %d ready, want %d", child, d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.ReadyReplicas, want.replicas)
	}
	return d
}

// Each set of inputs has one revision, and the one that runs is among them, with
// its ConfigMap.
func checkRevisionsAfterCrash(t *testing.T, ns, child, label, name, current string, want wish) {
	t.Helper()
	inputs, runs := map[string]int{}, 0
	for _, r := range listObjects[appsv1.ControllerRevision, appsv1.ControllerRevisionList](t, ns, label, name) {
		inputs[r.Labels[v1.LabelInputs]]++
		if r.Name == current {
			runs++
			if !strings.Contains(string(r.Data.Raw), want.image) || !strings.Contains(string(r.Data.Raw), want.level) {
				t.Errorf("%s: revision %s does not hold %s and %s", child, r.Name, want.image, want.level)
			}
		}
	}
	if runs != 1 {
		t.Errorf("%s: %d revisions are the current one %q, want 1", child, runs, current)
	}
	for hash, n := range inputs {
		if n != 1 {
			t.Errorf("%s: %d revisions of the inputs %s, want 1", child, n, hash)
		}
	}
	config := readObject[appsv1.Deployment](t, ns, child).Spec.Template.Spec.Containers[0].EnvFrom[0].ConfigMapRef.Name
	readObject[corev1.ConfigMap](t, ns, config)
}

// Each version that was ever admitted has one record and one line in the status;
// the last one alone is active.
func checkVersionsAfterCrash(t *testing.T, ns, name string, want wish) {
	t.Helper()
	perVersion := map[string]int{}
	for _, r := range listObjects[v1.GatiVersion, v1.GatiVersionList](t, ns, v1.LabelHandler, name) {
		perVersion[r.Status.Version]++
	}
	h := readObject[v1.GatiHandler](t, ns, name)
	if h.Status.Version != want.version {
		t.Errorf("handler %s: version %s, want %s", name, h.Status.Version, want.version)
	}
	listed, places := map[string]int{}, map[int64]bool{}
	for _, v := range h.Status.Versions {
		listed[v.Version]++
		if places[v.Sequence] {
			t.Errorf("handler %s: two versions have the place %d", name, v.Sequence)
		}
		places[v.Sequence] = true
		phase, weight := v1.VersionDecommissioned, int32(0)
		if v.Version == want.version {
			phase, weight = v1.VersionActive, 100
		}
		if v.Phase != phase || v.Weight != weight {
			t.Errorf("handler %s: version %s is %s with %d %%, want %s with %d %%", name, v.Version, v.Phase, v.Weight, phase, weight)
		}
	}
	if !maps.Equal(perVersion, listed) {
		t.Errorf("handler %s: records per version are %v, the status lists %v", name, perVersion, listed)
	}
	for version, n := range listed {
		if n != 1 {
			t.Errorf("handler %s: version %s is there %d times", name, version, n)
		}
	}
}
