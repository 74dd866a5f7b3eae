package decide_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
)

func takesDocument(doc string) *v1.VersionSchema {
	return &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(doc)}}
}

// coveredLife is a handler whose v2.0.0 breaks callers of v1.0.0 and has a recorded
// transformer for them. It has one pod of each, ready.
func coveredLife(t *testing.T) (*life, func() *decide.Story) {
	t.Helper()
	l := newLife(t, canary())
	l.h.Spec.Schema = takesDocument(`{"type":"string"}`)
	l.apply(nil)
	record := builders.MakeVersion("users-v2.0.0").Namespace("shop").Handler("users").Version("v2.0.0").Bound("users", "v2.0.0").Spec(func(s *v1.GatiVersionSpec) {
		s.Transformers = []v1.Transformer{{From: "v1.0.0", To: "v2.0.0", Request: "up", Response: "down"}}
	}).Obj()
	story := func() *decide.Story {
		s := l.story(func(s *v1.GatiHandlerSpec) {
			s.Image, s.Schema = "app:v2.0.0", takesDocument(`{"type":"string","maxLength":8}`)
		})
		s.Records = []v1.GatiVersion{*record}
		for name, w := range s.Workloads {
			w.Pods = []corev1.Pod{{
				ObjectMeta: metav1.ObjectMeta{Name: name + "-abc"},
				Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
			}}
		}
		return s
	}
	return l, story
}

// TestWeightFollowsReports holds that the hash that pods have to report is that of the
// ConfigMap as it was written last, and that the pods are asked for it.
func TestWeightFollowsReports(t *testing.T) {
	l, story := coveredLife(t)
	for range 3 {
		l.carryOut(story())
	}
	plan := l.plan(story())
	w := plan.Decision.Rollout.WaitingFor
	if w == nil || w.Reason != v1.WaitingForTransformers || w.Message != "0 of 1 pod of v2.0.0 hold v1.0.0→v2.0.0; v2-0-0-abc was not asked yet" {
		t.Fatalf("%+v: %s", w, plan.Decision.Reason)
	}
	file := ""
	for _, child := range plan.Children {
		if cm, ok := child.(*corev1.ConfigMap); ok && strings.HasSuffix(cm.Name, "-transformers") {
			file = cm.Data[expand.TransformersKey]
		}
	}
	for _, p := range plan.Decision.Workloads {
		if asked := p.ReportEvery > 0; asked != (p.Workload == "v2-0-0") {
			t.Errorf("%s is asked: %v", p.Workload, asked)
		}
	}
	report := rollout.PodReport{Pod: "v2-0-0-abc", At: l.now, Contract: "v1.0.0", Hash: fmt.Sprintf("%x", sha256.Sum256([]byte(file)))[:16]}
	s := story()
	s.Reports = map[string][]rollout.PodReport{"v2-0-0": {report}}
	if w := l.plan(s).Decision.Rollout.WaitingFor; w == nil || !strings.HasSuffix(w.Message, "v2-0-0-abc lacks it (up, down)") {
		t.Errorf("%+v", w)
	}
	report.Loaded = []rollout.Hop{{From: "v1.0.0", To: "v2.0.0"}}
	s = story()
	s.Reports = map[string][]rollout.PodReport{"v2-0-0": {report}}
	if got := shares(l.plan(s)); !strings.Contains(got, "v2-0-0=20") {
		t.Errorf("%s: %s", got, l.plan(s).Decision.Reason)
	}
	s = story()
	s.TransformersDeclared = true
	if got := shares(l.plan(s)); !strings.Contains(got, "v2-0-0=20") {
		t.Errorf("declared: %s", got)
	}
}

// TestVersionsWithoutTrafficAreTold holds that pods learn which versions pins alone lead to:
// neither the stable one nor the target, but one that a rollback has left.
func TestVersionsWithoutTrafficAreTold(t *testing.T) {
	l, story := coveredLife(t)
	told := func() string {
		for _, child := range l.carryOut(story()).Children {
			if cm, ok := child.(*corev1.ConfigMap); ok && strings.HasSuffix(cm.Name, "-transformers") {
				return strings.Join(strings.Fields(cm.Data[expand.TransformersKey]), "")
			}
		}
		return ""
	}
	for range 3 {
		if file := told(); !strings.Contains(file, `"live":["v1.0.0"`) || strings.Contains(file, "withoutTraffic") {
			t.Fatalf("v2.0.0 is the target: %s", file)
		}
	}
	ro := l.h.Status.Rollout
	ro.Rejected = []v1.RejectedStatus{{UnitRef: *ro.Target, Reason: "a test"}}
	ro.Target, ro.Phase = nil, v1.RolloutStable
	if file := told(); !strings.Contains(file, `"withoutTraffic":["v2.0.0"]`) {
		t.Errorf("nothing but its pin leads to v2.0.0: %s", file)
	}
}

// TestAVersionThatTakesABreakBack holds that a version that serves callers of the contract as
// they are is listed so, although it breaks those of a later version of their run: its pods
// would answer them with an error otherwise.
func TestAVersionThatTakesABreakBack(t *testing.T) {
	l := newLife(t, canary())
	l.h.Spec.Schema = takesDocument(`{"type":"string"}`)
	l.apply(nil)
	record := builders.MakeVersion("users-v2.0.0").Namespace("shop").Handler("users").Version("v2.0.0").Bound("users", "v2.0.0").Spec(func(s *v1.GatiVersionSpec) {
		s.Transformers = []v1.Transformer{{From: "v1.1.0", To: "v2.0.0", Request: "up", Response: "down"}}
	}).Obj()
	becomes := func(version, schema string) string {
		s := l.story(func(s *v1.GatiHandlerSpec) { s.Image, s.Schema = "app:"+version, takesDocument(schema) })
		s.Records = []v1.GatiVersion{*record}
		for _, child := range l.carryOut(s).Children {
			if cm, ok := child.(*corev1.ConfigMap); ok && strings.HasSuffix(cm.Name, "-transformers") {
				return strings.Join(strings.Fields(cm.Data[expand.TransformersKey]), "")
			}
		}
		return ""
	}
	becomes("v1.1.0", `{"type":["string","boolean"]}`)
	if file := becomes("v2.0.0", `{"type":"integer"}`); !strings.Contains(file, `"run":["v1.0.0","v1.1.0"]`) {
		t.Errorf("with the version that breaks: %s", file)
	}
	if file := becomes("v3.0.0", `{"type":"string"}`); !strings.Contains(file, `"run":["v1.0.0","v1.1.0","v3.0.0"]`) {
		t.Errorf("with the version that takes it back: %s", file)
	}
}
