package target

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/helmchart"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/helm"
	"gati.dev/gati/pkg/target/kubernetes"
)

// releases is a world whose plan is installed as a Helm release.
type releases struct {
	*world
	helm *helm.Target
}

func newReleases(t *testing.T, owner client.Object) *releases {
	t.Helper()
	w := &releases{world: newWorld(t, owner, kubernetes.Removable(true, false)...)}
	w.restartTarget()
	return w
}

// restartTarget gives the target the memory of a new process.
func (w *releases) restartTarget() {
	w.t.Helper()
	objects := kubernetes.New(w.ours, w.ours, w.clock, func() []client.ObjectList { return kubernetes.Removable(true, false) })
	var err error
	w.helm, err = helm.New(objects, w.config, w.clock)
	w.must(err)
}

// applyPlan applies the plan by Helm.
func (w *releases) applyPlan() (target.Outcome, error) {
	return w.helm.Apply(w.context, w.owner, target.Plan{Objects: w.plan})
}

// applyUntilSettled applies the plan until there is nothing left to do.
func (w *releases) applyUntilSettled() target.Outcome {
	w.t.Helper()
	var all target.Outcome
	for range 10 {
		out, err := w.applyPlan()
		all.Notices, all.Writes = append(all.Notices, out.Notices...), append(all.Writes, out.Writes...)
		all.Children = out.Children
		if err == nil && len(out.Writes) == 0 && out.Again == 0 && firstProblem(out) == nil {
			return all
		}
		w.clock.SetTime(w.clock.Now().Add(time.Minute))
	}
	w.t.Fatalf("it does not settle: %v", firstProblem(all))
	return all
}

func firstProblem(out target.Outcome) error {
	for _, c := range out.Children {
		if c.Problem != nil {
			return c.Problem
		}
	}
	return nil
}

// runHelm runs Helm's command with the rights of an administrator.
func (w *releases) runHelm(args ...string) string {
	w.t.Helper()
	path := os.Getenv("GATI_HELM")
	if path == "" {
		w.t.Fatal("GATI_HELM is not set; run: make one PKG=test/unitcluster/target RUN=" + w.t.Name())
	}
	home := w.t.TempDir()
	file := filepath.Join(home, "kubeconfig")
	w.must(clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:  map[string]*clientcmdapi.Cluster{"c": {Server: config.Host, CertificateAuthorityData: config.CAData, InsecureSkipTLSVerify: config.Insecure}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Token: config.BearerToken}},
		Contexts:  map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}}, CurrentContext: "x",
	}, file))
	cmd := exec.CommandContext(w.context, path, append(args, "--namespace", w.owner.GetNamespace(), "--kubeconfig", file)...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("helm %s: %v\n%s", strings.Join(args, " "), err, problem.String())
	}
	return string(out)
}

// newStorage returns where Helm keeps releases.
func (w *releases) newStorage() *storage.Storage {
	w.t.Helper()
	clients, err := corev1client.NewForConfig(config)
	w.must(err)
	return storage.Init(driver.NewSecrets(clients.Secrets(w.owner.GetNamespace())))
}

// readHistory returns the revisions of the release, oldest first.
func (w *releases) readHistory() []*release.Release {
	w.t.Helper()
	found, err := w.newStorage().History(helmchart.NameFor(w.plan[0]))
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil
	}
	w.must(err)
	var out []*release.Release
	for _, r := range found {
		out = append(out, r.(*release.Release))
	}
	slices.SortFunc(out, func(a, b *release.Release) int { return a.Version - b.Version })
	return out
}

// assertNewestDeployed checks that the newest revision, and no other, is the one that is deployed.
func (w *releases) assertNewestDeployed() *release.Release {
	w.t.Helper()
	all := w.readHistory()
	if len(all) == 0 {
		w.t.Fatal("there is no release")
	}
	for i, r := range all {
		if isLast := i == len(all)-1; isLast != (r.Info.Status == common.StatusDeployed) {
			w.t.Errorf("revision %d of %d is %s: %s", r.Version, len(all), r.Info.Status, r.Info.Description)
		}
	}
	return all[len(all)-1]
}

// readContent returns a live object without what differs between two targets or namespaces.
func (w *world) readContent(obj client.Object) map[string]any {
	w.t.Helper()
	live := w.readObject(obj)
	delete(live.Object, "status")
	labels, annotations := live.GetLabels(), live.GetAnnotations()
	for _, key := range []string{v1.LabelManagedBy, v1.LabelTarget} {
		delete(labels, key)
	}
	for _, key := range []string{v1.AnnotationApplied, "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"} {
		delete(annotations, key)
	}
	live.Object["metadata"] = map[string]any{"name": live.GetName(), "labels": labels, "annotations": annotations}
	if live.GetKind() == "Service" {
		for _, field := range []string{"clusterIP", "clusterIPs"} {
			unstructured.RemoveNestedField(live.Object, "spec", field)
		}
	}
	return live.Object
}

// The children are those of the target kubernetes, whatever the plan has, and a second
// time nothing is written.
func TestHelmAppliesTheSameObjects(t *testing.T) {
	for name, owner := range makeOwners() {
		t.Run(name, func(t *testing.T) {
			plain := newWorld(t, owner.DeepCopyObject().(client.Object))
			plain.mustApply(plain.plan...)
			w := newReleases(t, owner)
			out := w.applyUntilSettled()
			if len(out.Writes) != len(w.plan) {
				t.Errorf("writes %q, for %d objects", out.Writes, len(w.plan))
			}
			for i, obj := range w.plan {
				if diff := cmp.Diff(plain.readContent(plain.plan[i]), w.readContent(obj)); diff != "" {
					t.Errorf("%s (-kubernetes +helm):\n%s", obj.GetName(), diff)
				}
				live := w.readObject(obj)
				if len(live.GetOwnerReferences()) > 0 || live.GetLabels()[v1.LabelTarget] != v1.TargetHelm {
					t.Errorf("%s has ownerReferences %v and labels %v", obj.GetName(), live.GetOwnerReferences(), live.GetLabels())
				}
			}
			w.wire.takeCounts()
			if _, err := w.applyPlan(); err != nil {
				t.Fatal(err)
			}
			if requests := w.wire.takeCounts(); len(requests) > 0 {
				t.Errorf("requests of a second time: %v", requests)
			}
			w.restartTarget()
			if _, err := w.applyPlan(); err != nil {
				t.Fatal(err)
			}
			if requests := w.wire.takeCounts(); len(requests) > 0 {
				t.Errorf("requests after a restart: %v", requests)
			}
		})
	}
}

// An object that is refused keeps no other from being written, and the release says so
// until it is cured.
func TestHelmWritesBesideARefusedObject(t *testing.T) {
	w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Replicas(2).Obj())
	var d *appsv1.Deployment
	for _, obj := range w.plan {
		if found, ok := obj.(*appsv1.Deployment); ok {
			d = found
		}
	}
	d.Spec.Template.Spec.RestartPolicy = "Sometimes"
	out, err := w.applyPlan()
	w.must(err)
	if problem := firstProblem(out); problem == nil || !strings.Contains(problem.Error(), "the API server refuses Deployment.apps handler-a") {
		t.Fatalf("problem %v", problem)
	}
	for _, obj := range w.plan {
		if obj != client.Object(d) {
			w.readObject(obj)
		}
	}
	if all := w.readHistory(); len(all) != 1 || all[0].Info.Status != common.StatusFailed || !strings.Contains(all[0].Info.Description, "Sometimes") {
		t.Errorf("%d revisions, the first %+v", len(all), all[0].Info)
	}
	for range 3 {
		w.clock.SetTime(w.clock.Now().Add(2 * time.Minute))
		if _, err := w.applyPlan(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.readHistory()); n != 1 {
		t.Errorf("the same refusal made %d revisions", n)
	}
	d.Spec.Template.Spec.RestartPolicy = ""
	w.applyUntilSettled()
	if r := w.readHistory(); r[len(r)-1].Info.Status != common.StatusDeployed {
		t.Errorf("after the cure: %s", r[len(r)-1].Info.Status)
	}
}

// A foreign object stays as it is, and is no part of the release.
func TestHelmLeavesForeignObjects(t *testing.T) {
	w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Obj())
	foreign := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.owner.GetNamespace(), Name: "handler-a"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1}}}}
	w.must(w.admin.Create(w.context, foreign))
	out, err := w.applyPlan()
	w.must(err)
	if problem := firstProblem(out); problem == nil || !strings.Contains(problem.Error(), "Service handler-a already exists") {
		t.Errorf("problem %v", problem)
	}
	last := w.readHistory()[0]
	if strings.Contains(last.Manifest, "kind: Service\n") || !strings.Contains(last.Manifest, "kind: Deployment\n") {
		t.Errorf("the release has the manifest\n%s", last.Manifest)
	}
	for range 3 {
		w.clock.SetTime(w.clock.Now().Add(time.Minute))
		_, err := w.applyPlan()
		w.must(err)
	}
	if n := len(w.readHistory()); n != 1 {
		t.Errorf("looking again made %d revisions", n)
	}
	for {
		done, err := w.helm.Delete(w.context, w.owner)
		w.must(err)
		if done {
			break
		}
	}
	if live := w.readObject(foreign); live.GetResourceVersion() != foreign.ResourceVersion {
		t.Error("the foreign Service was changed")
	}
}

// A step of a canary is an upgrade of the route's values only, and ten revisions are kept.
func TestHelmMovesWeightsByValues(t *testing.T) {
	w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Gateway("gw").Obj())
	w.applyUntilSettled()
	var route *gatewayv1.HTTPRoute
	for _, obj := range w.plan {
		if found, ok := obj.(*gatewayv1.HTTPRoute); ok {
			route = found
		}
	}
	stable := route.Spec.Rules[0].BackendRefs[0]
	for step := range 12 {
		share := int32(1 + step*8)
		old, canary := *stable.DeepCopy(), *stable.DeepCopy()
		*old.Weight, *canary.Weight, canary.Name = 100-share, share, "handler-a--v2"
		route.Spec.Rules[0].BackendRefs = []gatewayv1.HTTPBackendRef{old, canary}
		w.applyUntilSettled()
	}
	all := w.readHistory()
	if len(all) != 10 || all[9].Version != 13 {
		t.Fatalf("%d revisions, the last is %d", len(all), all[len(all)-1].Version)
	}
	for i := 1; i < len(all); i++ {
		was, is := all[i-1].Chart, all[i].Chart
		if diff := cmp.Diff(was.Templates, is.Templates); diff != "" {
			t.Errorf("revision %d has other templates:\n%s", all[i].Version, diff)
		}
		if diff := cmp.Diff(was.Values["workloads"], is.Values["workloads"]); diff != "" {
			t.Errorf("revision %d has other workloads:\n%s", all[i].Version, diff)
		}
		if cmp.Equal(was.Values["route"], is.Values["route"]) {
			t.Errorf("revision %d has the same weights", all[i].Version)
		}
	}
}

// Without the right to keep releases the objects are applied all the same, and the reason
// is told.
func TestHelmAppliesWithoutReleases(t *testing.T) {
	w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Obj())
	w.wire.refused = "/secrets"
	out, err := w.applyPlan()
	w.must(err)
	problem := firstProblem(out)
	if problem == nil || !strings.Contains(problem.Error(), "Release.helm.sh handler-a") || out.Again == 0 {
		t.Errorf("problem %v, again after %s", problem, out.Again)
	}
	for _, obj := range w.plan {
		w.readObject(obj)
	}
}

// Deletion leaves no object and no history, even after a kill.
func TestHelmDelete(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Replicas(2).Obj())
			left := n
			w.wire.left = &left
			_, _ = w.applyPlan()
			w.wire.left = nil
			w.restartTarget()
			for i := 0; ; i++ {
				done, err := w.helm.Delete(w.context, w.owner)
				w.must(err)
				if done {
					break
				}
				if i > 5 {
					t.Fatal("it is never done")
				}
			}
			if all := w.readHistory(); len(all) > 0 {
				t.Errorf("%d revisions are left", len(all))
			}
			for _, kind := range kubernetes.Removable(true, false) {
				found, err := target.Children{Reader: w.admin, Scheme: w.admin.Scheme()}.List(w.context, w.owner, kind)
				w.must(err)
				if len(found) > 0 {
					t.Errorf("%T: %d are left", kind, len(found))
				}
			}
		})
	}
}
