package rollout_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/target/kubernetes"
	"gati.dev/gati/pkg/webhook/admission"
	"gati.dev/gati/test/support/kube"
)

// slowCanary is a canary that stays at 50 %.
func (w *world) slowCanary(version string) *builders.Handler {
	return w.makeCanary(version).Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.Steps = []v1.RolloutStep{{Weight: 50, Pause: "1h"}}
	})
}

func otherColdAfter(h *v1.GatiHandler) { h.Spec.Versions.ColdAfter = "26h" }

// dryRun sends a changed handler with dryRun=All.
func (w *world) dryRun(name string, edit func(*v1.GatiHandler)) error {
	w.t.Helper()
	live := w.readHandler(name)
	before := live.DeepCopy()
	edit(live)
	return admin.Patch(w.t.Context(), live, client.MergeFrom(before), client.DryRunAll)
}

// warnings has what the API server warned of.
type warnings struct{ texts []string }

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.texts = append(w.texts, text)
}

// warnedDryRun is dryRun that returns the warnings, too.
func (w *world) warnedDryRun(name string, edit func(*v1.GatiHandler)) ([]string, error) {
	w.t.Helper()
	config, err := cluster.Admin()
	if err != nil {
		w.t.Fatal(err)
	}
	told := &warnings{}
	config.WarningHandlerWithContext = told
	c, err := client.New(config, client.Options{Scheme: kube.Scheme(), Mapper: admin.RESTMapper()})
	if err != nil {
		w.t.Fatal(err)
	}
	live := w.readHandler(name)
	before := live.DeepCopy()
	edit(live)
	err = c.Patch(w.t.Context(), live, client.MergeFrom(before), client.DryRunAll)
	return told.texts, err
}

// TestDryRunUnderAFullQuota holds that a dry run tries pods only where a change makes
// some: a canary's pods are those of its versions, whatever the handler alone would
// lead to.
func TestDryRunUnderAFullQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.slowCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.slowCanary("v2").Obj())
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	w.enforceQuota("1")
	if err := w.dryRun("users", otherColdAfter); err != nil {
		t.Errorf("a dry run that changes versions.coldAfter is refused: %v", err)
	}
	// A dry run that has no time left for its pods says so in a warning and passes.
	w.eventually("the quota's refusal of a dry run with another image", func() error {
		warned, err := w.warnedDryRun("users", func(h *v1.GatiHandler) { h.Spec.Image = "app:v3" })
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "exceeded quota") {
			return cmp.Or(err, fmt.Errorf("the dry run passes with the warnings %q", warned))
		}
		return nil
	})
}

// TestDryRunInMidCanary holds that the dry run of admission and diff plan from the live
// rollout: an unrelated field leaves the route as it is, and both name the same
// children.
func TestDryRunInMidCanary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.slowCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.slowCanary("v2").Obj())
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)

	var live gatewayv1.HTTPRoute
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, &live); err != nil {
		t.Fatal(err)
	}
	previewed := w.previewChildren("users", otherColdAfter)
	at := slices.IndexFunc(previewed, func(o client.Object) bool { _, is := o.(*gatewayv1.HTTPRoute); return is })
	if at < 0 {
		t.Fatal("the dry run previews no route")
	}
	if got, want := routeShares(previewed[at].(*gatewayv1.HTTPRoute)), routeShares(&live); got != want {
		t.Errorf("the dry run previews %s, the route has %s", got, want)
	}
	for what, edit := range map[string]func(*v1.GatiHandler){
		"coldAfter": otherColdAfter,
		"image":     func(h *v1.GatiHandler) { h.Spec.Image = "app:v3" },
		"replicas":  func(h *v1.GatiHandler) { h.Spec.Replicas = new(int32(5)) },
	} {
		byDryRun, byDiff := w.changedBy("users", w.previewChildren("users", edit)), w.runDiff("users", edit)
		if !slices.Equal(byDryRun, byDiff) {
			t.Errorf("%s: the dry run changes %q, diff names %q", what, byDryRun, byDiff)
		}
		if (len(byDiff) == 0) != (what == "coldAfter") {
			t.Errorf("%s: diff names %q", what, byDiff)
		}
	}
}

func routeShares(r *gatewayv1.HTTPRoute) string {
	var out []string
	for _, b := range r.Spec.Rules[0].BackendRefs {
		out = append(out, fmt.Sprintf("%s=%d", b.Name, *b.Weight))
	}
	return strings.Join(out, " ")
}

// recorder notes the children that a dry run tries.
type recorder struct {
	mu       sync.Mutex
	children []client.Object
}

func (r *recorder) Check(_ context.Context, _, child client.Object) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.children = append(r.children, child)
	return nil
}

func (r *recorder) Create(context.Context, client.Object) error { return nil }

// previewChildren returns the children that the dry run of a changed handler tries, but for
// revisions.
func (w *world) previewChildren(name string, edit func(*v1.GatiHandler)) []client.Object {
	w.t.Helper()
	old := w.readHandler(name)
	changed := old.DeepCopy()
	edit(changed)
	r := &recorder{}
	hook := admission.NewDryRun(admission.DryRun{Live: admin, Preview: r, Judge: &compat.Judge{}, Clock: clock.RealClock{}})
	known := facts.Facts{Namespace: w.ns, HTTPRouteServed: true}
	if tried := hook.Try(w.t.Context(), changed, old, known, admit.Check(changed, old, admit.Surroundings{Facts: known})); tried.Audit != "passed" {
		w.t.Fatalf("the dry run %s: %v %q", tried.Audit, tried.Errors, tried.Warnings)
	}
	return r.children
}

// changedBy returns the kinds and names of the children that would change.
func (w *world) changedBy(name string, children []client.Object) []string {
	w.t.Helper()
	owner := w.readHandler(name)
	owner.SetGroupVersionKind(v1.GroupVersion.WithKind("GatiHandler"))
	var out []string
	plan := slices.DeleteFunc(slices.Clone(children), func(o client.Object) bool {
		isRevision := o.GetObjectKind().GroupVersionKind().Kind == "ControllerRevision"
		if isRevision {
			out = append(out, "ControllerRevision.apps/"+o.GetName())
		}
		return isRevision
	})
	found, err := kubernetes.Changes(w.t.Context(), admin, admin.Scheme(), owner, plan, kubernetes.Removable(true, false))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range found {
		out = append(out, c.Kind+"/"+c.Name)
	}
	slices.Sort(out)
	return out
}

// runDiff returns the kinds and names that kubectl gati diff names for a changed handler.
func (w *world) runDiff(name string, edit func(*v1.GatiHandler)) []string {
	w.t.Helper()
	h := w.readHandler(name)
	edit(h)
	manifest := v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: name}, Spec: h.Spec}
	manifest.SetGroupVersionKind(v1.GroupVersion.WithKind("GatiHandler"))
	text, err := yaml.Marshal(manifest)
	if err != nil {
		w.t.Fatal(err)
	}
	file := filepath.Join(w.t.TempDir(), "handler.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		w.t.Fatal(err)
	}
	var printed []byte
	w.eventually("answer to diff", func() (err error) {
		cmd := exec.CommandContext(w.t.Context(), cluster.Tools().Plugin, "diff", "-f", file, "-o", "json", "--server-side", "--force-conflicts")
		cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig)
		printed, err = cmd.Output()
		exit, ended := errors.AsType[*exec.ExitError](err)
		if err == nil || ended && exit.ExitCode() == 1 {
			return nil // There are changes.
		}
		if ended {
			return fmt.Errorf("%w: %s", err, exit.Stderr) // The server may have been late.
		}
		w.t.Fatalf("diff: %v", err)
		return nil
	})
	var report struct {
		Items []struct {
			Changes []struct{ Kind, Name string }
		}
	}
	if err := json.Unmarshal(printed, &report); err != nil || len(report.Items) != 1 {
		w.t.Fatalf("diff printed %s: %v", printed, err)
	}
	var out []string
	for _, c := range report.Items[0].Changes {
		out = append(out, c.Kind+"/"+c.Name)
	}
	slices.Sort(out)
	return out
}
