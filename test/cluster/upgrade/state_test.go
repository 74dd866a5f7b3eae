package upgrade

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/await"
)

// state is the part of a namespace that must outlast an upgrade, by name.
type state struct {
	// Templates and Generations are those of the Deployments.
	Templates   map[string]string
	Generations map[string]int64
	// Revisions are the contents of the ControllerRevisions.
	Revisions map[string]string
	// Sets are the ReplicaSets: one more means that pods rolled.
	Sets map[string]bool
	// Pods are the uids of the pods.
	Pods map[string]string
	// Written are the resourceVersions of handlers and modules without an
	// autoscaler, whose bounds alone follow the build.
	Written map[string]string
}

// stateOf reads the state of a namespace.
func stateOf(t *testing.T, c client.Client, ns string) state {
	t.Helper()
	s := state{map[string]string{}, map[string]int64{}, map[string]string{}, map[string]bool{}, map[string]string{}, map[string]string{}}
	for _, d := range listObjects(t, c, ns, &appsv1.DeploymentList{}).Items {
		s.Templates[d.Name], s.Generations[d.Name] = encodeJSON(t, d.Spec.Template), d.Generation
	}
	for _, r := range listObjects(t, c, ns, &appsv1.ControllerRevisionList{}).Items {
		s.Revisions[r.Name] = string(r.Data.Raw)
	}
	for _, r := range listObjects(t, c, ns, &appsv1.ReplicaSetList{}).Items {
		s.Sets[r.Name] = true
	}
	for _, p := range listObjects(t, c, ns, &corev1.PodList{}).Items {
		s.Pods[p.Name] = string(p.UID)
	}
	for _, h := range listObjects(t, c, ns, &v1.GatiHandlerList{}).Items {
		if h.Spec.Autoscaling == nil {
			s.Written["handler "+h.Name] = h.ResourceVersion
		}
	}
	for _, m := range listObjects(t, c, ns, &v1.GatiModuleList{}).Items {
		if m.Spec.Autoscaling == nil {
			s.Written["module "+m.Name] = m.ResourceVersion
		}
	}
	return s
}

// assertSame fails the test unless all is as it was.
func assertSame(t *testing.T, when string, was, is state) {
	t.Helper()
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("%s it is no longer as it was (-was +is):\n%s", when, diff)
	}
}

// sameTemplates fails the test unless no pod template has changed and no pod was
// rolled, whatever else was written.
func sameTemplates(t *testing.T, when string, was, is state) {
	t.Helper()
	if diff := cmp.Diff(was.Templates, is.Templates); diff != "" {
		t.Errorf("%s pod templates have changed (-was +is):\n%s", when, diff)
	}
	if !maps.Equal(was.Sets, is.Sets) {
		t.Errorf("%s the ReplicaSets are %v, want %v", when, is.Sets, was.Sets)
	}
	if !maps.Equal(was.Revisions, is.Revisions) {
		t.Errorf("%s there are %d revisions, want the %d that were", when, len(is.Revisions), len(was.Revisions))
	}
}

// changedNames returns the names whose value is another, or new.
func changedNames(was, is map[string]string) []string {
	var out []string
	for name, value := range is {
		if was[name] != value {
			out = append(out, name)
		}
	}
	return out
}

// allReady waits until every handler and module of a namespace is Ready for its
// present spec, and nothing of what it keeps changes any more.
func allReady(t *testing.T, c client.Client, ns string) {
	t.Helper()
	await.Eventually(t, "handlers and modules of "+ns+" that are all Ready", func() error {
		for _, h := range listObjects(t, c, ns, &v1.GatiHandlerList{}).Items {
			if err := checkReady("handler "+h.Name, h.Status.Conditions, h.Generation); err != nil {
				return err
			}
		}
		for _, m := range listObjects(t, c, ns, &v1.GatiModuleList{}).Items {
			if err := checkReady("module "+m.Name, m.Status.Conditions, m.Generation); err != nil {
				return err
			}
		}
		return nil
	})
	awaitCalm(t, c, ns)
}

// calm is longer than a change of a status that decides nothing waits for others
// (pkg/controller/handler.patience).
const calm = 4 * time.Second

// awaitCalm waits until the state has not changed for a while.
func awaitCalm(t *testing.T, c client.Client, ns string) {
	t.Helper()
	was := encodeJSON(t, stateOf(t, c, ns))
	await.Eventually(t, ns+" at rest", func() error {
		time.Sleep(calm)
		now := encodeJSON(t, stateOf(t, c, ns))
		if now != was {
			was = now
			return errors.New("it keeps changing")
		}
		return nil
	})
}

func checkReady(what string, conditions []metav1.Condition, generation int64) error {
	got := meta.FindStatusCondition(conditions, v1.ConditionReady)
	if got == nil || got.Status != metav1.ConditionTrue || got.ObservedGeneration != generation {
		return fmt.Errorf("%s of generation %d has Ready %+v", what, generation, got)
	}
	return nil
}

func listObjects[L client.ObjectList](t *testing.T, c client.Client, ns string, into L) L {
	t.Helper()
	if err := c.List(t.Context(), into, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	return into
}

func encodeJSON(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
