package targets

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/target/kubernetes"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/terminal"
)

// row is a deployment target in the table of stories. undo does what a user of it may do
// by mistake. It and left may be nil.
type row struct {
	name string
	undo func(s *story)
	// left checks that the target keeps nothing of a deleted handler besides children.
	left func(s *story)
	// drift is what others do to the front Service, as a JSON patch; empty for another
	// port.
	drift string
}

var rows = []row{
	{name: v1.TargetKubernetes},
	{name: v1.TargetHelm, undo: undoByHelm, left: hasNoRelease},
	// A server-side apply alone does not put a port back: its number is its key.
	{name: v1.TargetGitOps, left: hasNoFolder, drift: `[{"op":"replace","path":"/spec/ports/0/targetPort","value":81}]`},
}

// act is a part of a story. Of those that isOptional says, a short form plays some.
type act struct {
	name       string
	play       func(*story)
	isOptional bool
}

// TestTargetsAgree plays the story under every target at once: what is live after each
// act is the same. The short form leaves out one of the two acts that nothing builds on;
// "make soak NAME=targetsAgree" plays all.
func TestTargetsAgree(t *testing.T) {
	t.Parallel()
	chosen := soak.Share(t, "targetsAgree", 2)
	acts := []act{
		{name: "create", play: playCreate},
		{name: "scale", play: playScale, isOptional: true},
		{name: "canary", play: playCanary},
		{name: "step", play: playStep},
		{name: "rollback", play: playRollback},
		{name: "drift", play: playDrift, isOptional: true},
		{name: "conflict", play: playConflict},
		{name: "undo", play: playUndo},
		{name: "delete", play: playDelete},
	}
	playRows(t, slices.DeleteFunc(acts, func(a act) bool { return a.isOptional && !chosen() }))
}

// story is one handler in a namespace of its own, with a gateway to itself.
type story struct {
	t   *testing.T
	row row
	ns  string
	// ref has the children of the first row, which isFirst marks.
	ref     reference
	isFirst bool
}

func newStory(t *testing.T, r row) *story {
	t.Helper()
	s := &story{t: t, row: r, ns: r.name + "-" + rand.String(6)}
	gateways.Set("gw", gateway.Behavior{})
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.ns, Annotations: map[string]string{v1.AnnotationTarget: r.name}}}
	if err := admin.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Discard(t, admin, s.ns) })
	return s
}

func playCreate(s *story) {
	s.t.Helper()
	s.applyHandler("v1", nil)
	s.awaitWeights("v1=100%")
}

func playScale(s *story) {
	s.t.Helper()
	s.applyHandler("v1", threePods)
	s.awaitReplicas("handler-users--v1", 3)
}

func playCanary(s *story) {
	s.t.Helper()
	s.applyHandler("v2", threePods)
	s.awaitWeights("v2=100%")
	s.awaitGone("handler-users--v1")
}

func playStep(s *story) {
	s.t.Helper()
	s.applyHandler("v3", func(h *v1.GatiHandler) { h.Spec.Rollout.Steps[0].Pause = "10m" })
	s.awaitWeights("v2=90%,v3=10%")
}

func playRollback(s *story) {
	s.t.Helper()
	s.sendRequest("rollback")
	s.awaitWeights("v2=100%")
	s.applyHandler("v2", threePods)
	s.awaitGone("handler-users--v3")
}

// playUndo does what a user of the target may do by mistake.
func playUndo(s *story) {
	s.t.Helper()
	if s.row.undo != nil {
		s.row.undo(s)
	}
}

func threePods(h *v1.GatiHandler) { h.Spec.Replicas = new(int32(3)) }

func (s *story) makeHandler(version string) *v1.GatiHandler {
	return builders.MakeHandler("users").Namespace(s.ns).Image("app:"+version).Replicas(2).Path("/users").Gateway("gw").
		Strategy(v1.StrategyCanary).Step(10, "1s").Step(50, "1s").Step(100, "").Spec(func(h *v1.GatiHandlerSpec) {
		h.Rollout.RollbackWindow = "2s"
		h.Versions = &v1.VersionPolicy{MinAge: "1s", Drain: &v1.Drain{Window: "1s", Deadline: "2s"}}
	}).Obj()
}

// applyHandler stores the handler, also while gati-webhook starts again.
func (s *story) applyHandler(version string, edit func(*v1.GatiHandler)) {
	s.t.Helper()
	h := s.makeHandler(version)
	if edit != nil {
		edit(h)
	}
	s.eventually("an apply of "+version, func() error {
		live := &v1.GatiHandler{}
		err := admin.Get(s.t.Context(), client.ObjectKeyFromObject(h), live)
		switch {
		case client.IgnoreNotFound(err) != nil:
			return err
		case err != nil:
			return admin.Create(s.t.Context(), h.DeepCopy())
		}
		before := live.DeepCopy()
		live.Spec = h.Spec
		return admin.Patch(s.t.Context(), live, client.MergeFrom(before))
	})
}

func (s *story) readHandler() *v1.GatiHandler {
	s.t.Helper()
	h := &v1.GatiHandler{}
	if err := admin.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: "users"}, h); err != nil {
		s.t.Fatal(err)
	}
	return h
}

// eventually waits for a check: longer where gati-webhook is killed on the way.
func (s *story) eventually(what string, check func() error) {
	s.t.Helper()
	limit := await.Patience
	if isLong {
		limit *= 4
	}
	await.Within(s.t, limit, what, check)
}

// awaitWeights waits until the weights are these and the gateway has accepted them.
func (s *story) awaitWeights(weights string) {
	s.t.Helper()
	s.eventually(weights, func() error {
		h := s.readHandler()
		if h.Status.Weights != weights {
			return fmt.Errorf("weights %q, children %v", h.Status.Weights, h.Status.Children)
		}
		for _, v := range h.Status.Versions {
			if v.Weight > 0 && (v.AcceptedWeight == nil || *v.AcceptedWeight != v.Weight) {
				return fmt.Errorf("the gateway has not accepted %s", v.Version)
			}
		}
		return nil
	})
}

// adminName is the name that the API server knows the administrator by.
func adminName(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(env.Must(t, "", "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"))
}

func (s *story) sendRequest(verb string) {
	s.t.Helper()
	h := s.readHandler()
	before := h.DeepCopy()
	metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequest, verb+"/"+string(uuid.NewUUID()))
	metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequestedBy, adminName(s.t))
	if err := admin.Patch(s.t.Context(), h, client.MergeFrom(before)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) awaitReplicas(name string, want int32) {
	s.t.Helper()
	s.eventually(name+" scaled", func() error {
		d := &appsv1.Deployment{}
		if err := admin.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: name}, d); err != nil {
			return err
		}
		if *d.Spec.Replicas != want {
			return fmt.Errorf("%d replicas", *d.Spec.Replicas)
		}
		return nil
	})
}

func (s *story) awaitGone(name string) {
	s.t.Helper()
	s.eventually("end of "+name, func() error {
		err := admin.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: name}, &appsv1.Deployment{})
		if client.IgnoreNotFound(err) == nil && err != nil {
			return nil
		}
		return errors.Join(errors.New("it is there"), err)
	})
}

// playDrift changes a child and deletes another behind Gati's back.
func playDrift(s *story) {
	s.t.Helper()
	before, patch := s.readChildren(), s.row.drift
	if patch == "" {
		patch = `[{"op":"replace","path":"/spec/ports/0/port","value":81}]`
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "handler-users"}}
	if err := admin.Patch(s.t.Context(), service, client.RawPatch("application/json-patch+json", []byte(patch)), client.FieldOwner("intruder")); err != nil {
		s.t.Fatal(err)
	}
	if err := admin.Delete(s.t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "handler-users--v2"}}); err != nil {
		s.t.Fatal(err)
	}
	s.awaitChildren(before)
}

// playConflict lets a foreign object have the name of a child: it stays, and nothing else
// waits for it.
func playConflict(s *story) {
	s.t.Helper()
	foreign := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "handler-users--v4"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1}}},
	}
	if err := admin.Create(s.t.Context(), foreign); err != nil {
		s.t.Fatal(err)
	}
	s.applyHandler("v4", nil)
	s.eventually("a refusal to take the foreign Service over", func() error {
		for _, c := range s.readHandler().Status.Conditions {
			if c.Type == v1.ConditionStalled && c.Status == metav1.ConditionTrue && strings.Contains(c.Message, "Service handler-users--v4 already exists") {
				return nil
			}
		}
		return fmt.Errorf("conditions %v", s.readHandler().Status.Conditions)
	})
	s.applyHandler("v2", threePods)
	s.awaitGone("handler-users--v4")
	s.awaitWeights("v2=100%")
	if err := admin.Get(s.t.Context(), client.ObjectKeyFromObject(foreign), foreign); err != nil || foreign.Spec.Ports[0].Port != 1 {
		s.t.Errorf("the foreign Service was changed: %v", err)
	}
}

// awaitChildren waits until what is live is as it was.
func (s *story) awaitChildren(want objects) {
	s.t.Helper()
	s.eventually("the children as they were", func() error {
		if diff := cmp.Diff(want, s.readChildren()); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
}

// playDelete deletes the handler: no child is left, and nothing that the target keeps.
func playDelete(s *story) {
	s.t.Helper()
	s.eventually("a deletion", func() error { return client.IgnoreNotFound(admin.Delete(s.t.Context(), s.makeHandler("v1"))) })
	s.eventually("end of the handler and its children", func() error {
		if left := s.readChildren(); len(left) > 0 {
			return fmt.Errorf("left: %v", slices.Sorted(maps.Keys(left)))
		}
		err := admin.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: "users"}, &v1.GatiHandler{})
		if client.IgnoreNotFound(err) == nil && err != nil {
			return nil
		}
		return errors.Join(errors.New("the handler is there"), err)
	})
	if s.row.left != nil {
		s.row.left(s)
	}
}

// objects are the children by kind and name, without what differs between targets.
type objects map[string]any

// readChildren returns the children as they are.
func (s *story) readChildren() objects {
	s.t.Helper()
	out := objects{}
	for _, kind := range kubernetes.Removable(true, true) {
		gvk, err := admin.GroupVersionKindFor(kind)
		if err != nil {
			s.t.Fatal(err)
		}
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		if err := admin.List(s.t.Context(), list, client.InNamespace(s.ns), client.MatchingLabels{v1.LabelHandler: "users"}); err != nil {
			s.t.Fatal(err)
		}
		for _, item := range list.Items {
			out[item.GetKind()+" "+item.GetName()] = s.decidedContent(&item)
		}
	}
	return out
}

func (s *story) decidedContent(live *unstructured.Unstructured) map[string]any {
	delete(live.Object, "status")
	labels, annotations := live.GetLabels(), live.GetAnnotations()
	for _, key := range []string{v1.LabelManagedBy, v1.LabelTarget} {
		delete(labels, key)
	}
	for _, key := range []string{v1.AnnotationApplied, "meta.helm.sh/release-name", "meta.helm.sh/release-namespace", "deployment.kubernetes.io/revision"} {
		delete(annotations, key)
	}
	live.Object["metadata"] = map[string]any{"name": live.GetName(), "labels": labels, "annotations": annotations}
	for _, field := range []string{"clusterIP", "clusterIPs"} {
		unstructured.RemoveNestedField(live.Object, "spec", field)
	}
	return live.Object
}

// undoByHelm is "helm rollback" to the revision before, and "helm uninstall", by a user:
// each is told and put back.
func undoByHelm(s *story) {
	s.t.Helper()
	before := s.readChildren()
	if manifest := s.runHelm("get", "manifest", "handler-users", "-n", s.ns); !strings.Contains(manifest, "name: handler-users--v2") {
		s.t.Errorf("helm get manifest has no workload of v2:\n%s", manifest)
	}
	s.runHelm("rollback", "handler-users", "-n", s.ns)
	s.awaitEvent("ReleaseRolledBack")
	s.awaitChildren(before)
	s.runHelm("uninstall", "handler-users", "-n", s.ns)
	s.awaitEvent("ReleaseUninstalled")
}

func (s *story) awaitEvent(reason string) {
	s.t.Helper()
	s.eventually("an Event "+reason, func() error {
		out := env.Must(s.t, "", "-n", s.ns, "get", "events.events.k8s.io", "-o", "jsonpath={.items[*].reason}")
		if !strings.Contains(out, reason) {
			return errors.New(out)
		}
		return nil
	})
}

// hasNoRelease checks that Helm has no release of the handler any more.
func hasNoRelease(s *story) {
	s.t.Helper()
	if out := s.runHelm("list", "-q", "-n", s.ns); strings.TrimSpace(out) != "" {
		s.t.Errorf("releases are left: %s", out)
	}
}

// hasNoFolder checks that the repository has no folder of the handler any more.
func hasNoFolder(s *story) {
	s.t.Helper()
	if files := gittest.Open(s.t, plans).Git("ls-tree", "-r", "--name-only", "main"); strings.Contains(files, s.ns+"/") {
		s.t.Errorf("files are left:\n%s", files)
	}
}

// runHelm runs Helm's own command.
func (s *story) runHelm(args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), helmPath(s.t), append([]string{"--kubeconfig", env.Cluster.Kubeconfig}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("helm %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// helmPath returns Helm's command, built from the version that Gati links.
func helmPath(t *testing.T) string {
	t.Helper()
	path, err := exec.CommandContext(t.Context(), repository.Path("hack", "tool"), "helm").Output()
	if err != nil {
		t.Fatalf("build helm: %v", err)
	}
	return strings.TrimSpace(string(path))
}
