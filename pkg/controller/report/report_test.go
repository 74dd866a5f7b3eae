package report_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/events"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

var now = time.Unix(1_800_000_000, 0)

func TestApply(t *testing.T) {
	done := rollout.Observation{Updated: 2, Ready: 2, Wanted: 2, Complete: true}
	rolling := rollout.Observation{Updated: 1, Ready: 2, Wanted: 2}
	child := func(err error) []target.Child {
		return []target.Child{{Kind: "Service", Name: "s"}, {Kind: "ConfigMap", Name: "a", Problem: err}}
	}
	tests := map[string]struct {
		seen report.Seen

		wantPhase v1.Phase
		// Ready, Reconciling, Stalled and Valid: status, reason, message.
		want []string
	}{
		"serves": {report.Seen{Progress: done, Sentence: "It serves."}, v1.PhaseRunning,
			[]string{"Ready True Ready It serves.", "Reconciling False Settled ", "Stalled False Settled ", "Valid True Valid "}},
		"rolls": {report.Seen{Progress: rolling, Sentence: "It rolls."}, v1.PhasePending,
			[]string{"Ready False Progressing It rolls.", "Reconciling True Progressing It rolls.", "Stalled False Settled ", "Valid True Valid "}},
		"rolls, with trouble": {report.Seen{Progress: rolling, Sentence: "It rolls.", Trouble: "Pod x crashes."}, v1.PhasePending,
			[]string{"Ready False Progressing It rolls. Pod x crashes.", "Reconciling True Progressing It rolls. Pod x crashes.", "Stalled False Settled ", "Valid True Valid "}},
		"the deadline has passed": {report.Seen{Progress: rolling, DeadlinePassed: true, Sentence: "It rolls.", Trouble: "Pod x crashes."}, v1.PhaseFailed,
			[]string{"Ready False ProgressDeadlineExceeded It rolls. Pod x crashes.", "Reconciling False Settled ", "Stalled True ProgressDeadlineExceeded It rolls. Pod x crashes.", "Valid True Valid "}},
		"serves although the deadline has passed once": {report.Seen{Progress: done, DeadlinePassed: true, Sentence: "It serves."}, v1.PhaseRunning,
			[]string{"Ready True Ready It serves.", "Reconciling False Settled ", "Stalled False Settled ", "Valid True Valid "}},
		"scaled to 0": {report.Seen{Progress: rollout.Observation{Complete: true}, Sentence: "It is scaled to 0 pods."}, v1.PhaseRunning,
			[]string{"Ready True Ready It is scaled to 0 pods.", "Reconciling False Settled ", "Stalled False Settled ", "Valid True Valid "}},
		"invalid comes before all": {report.Seen{Progress: done, Faults: field.ErrorList{field.Required(field.NewPath("spec", "image"), "say which")}, Children: child(errors.New("x"))}, v1.PhaseFailed,
			[]string{"Ready False Invalid Nothing was changed: spec.image: Required value: say which.", "Reconciling False Settled ",
				"Stalled True Invalid Nothing was changed: spec.image: Required value: say which.", "Valid False Invalid spec.image: Required value: say which"}},
		"a foreign object, though it serves": {report.Seen{Progress: done, Children: child(&target.ForeignError{Kind: "ConfigMap", Name: "a"})}, v1.PhaseFailed,
			[]string{"Ready False ForeignObject ConfigMap a already exists and was not created by this object; delete or rename it.", "Reconciling False Settled ",
				"Stalled True ForeignObject ConfigMap a already exists and was not created by this object; delete or rename it.", "Valid True Valid "}},
		"contested": {report.Seen{Progress: done, Children: child(&target.ContestedError{Kind: "ConfigMap", Name: "a", Manager: "them"})}, v1.PhaseFailed,
			[]string{"Ready False Contested ConfigMap a: them keeps changing fields that gati-webhook manages; stop it from changing them.", "Reconciling False Settled ",
				"Stalled True Contested ConfigMap a: them keeps changing fields that gati-webhook manages; stop it from changing them.", "Valid True Valid "}},
		"not served": {report.Seen{Progress: done, Children: child(&report.NotServedError{Kind: "an HTTPRoute", Field: "spec.route", Remedy: "install it"})}, v1.PhaseFailed,
			[]string{"Ready False NotServed spec.route asks for an HTTPRoute, which this cluster does not serve; install it.", "Reconciling False Settled ",
				"Stalled True NotServed spec.route asks for an HTTPRoute, which this cluster does not serve; install it.", "Valid True Valid "}},
		"a write that is tried again": {report.Seen{Progress: rolling, Sentence: "It rolls.", Children: child(&target.FailedError{Kind: "ConfigMap", Name: "a", Err: errors.New("no answer")})}, v1.PhasePending,
			[]string{"Ready False ApplyFailed ConfigMap a could not be written and is tried again: no answer. It rolls.",
				"Reconciling True ApplyFailed ConfigMap a could not be written and is tried again: no answer. It rolls.", "Stalled False Settled ", "Valid True Valid "}},
		"a write that is tried again, of a halted rollout": {report.Seen{Progress: rolling, Halted: true, Sentence: "It failed.", Children: child(&target.FailedError{Kind: "ConfigMap", Name: "a", Err: errors.New("no answer")})}, v1.PhaseFailed,
			[]string{"Ready False RolloutHalted ConfigMap a could not be written and is tried again: no answer. It failed.", "Reconciling False Settled ",
				"Stalled True RolloutHalted ConfigMap a could not be written and is tried again: no answer. It failed.", "Valid True Valid "}},
		"refused": {report.Seen{Progress: done, Children: child(&target.RefusedError{Kind: "ConfigMap", Name: "a", Err: errors.New("quota.")})}, v1.PhaseFailed,
			[]string{"Ready False Refused the API server refuses ConfigMap a: quota.", "Reconciling False Settled ",
				"Stalled True Refused the API server refuses ConfigMap a: quota.", "Valid True Valid "}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var conditions []metav1.Condition
			tc.seen.Generation = 7
			if got := report.Apply(&conditions, tc.seen, now); got != tc.wantPhase {
				t.Errorf("phase %s, want %s", got, tc.wantPhase)
			}
			var got []string
			for _, kind := range []string{"Ready", "Reconciling", "Stalled", "Valid"} {
				c := meta.FindStatusCondition(conditions, kind)
				got = append(got, fmt.Sprintf("%s %s %s %s", kind, c.Status, c.Reason, c.Message))
				if c.ObservedGeneration != 7 || !c.LastTransitionTime.Time.Equal(now) {
					t.Errorf("%+v", c)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			before := append([]metav1.Condition{}, conditions...)
			report.Apply(&conditions, tc.seen, now.Add(time.Hour))
			if diff := cmp.Diff(before, conditions); diff != "" {
				t.Errorf("an hour later, with nothing new:\n%s", diff)
			}
		})
	}
}

// A condition that the API server refuses would hide every later one.
func TestMessagesFitIntoConditions(t *testing.T) {
	var faults field.ErrorList
	for i := range 2000 {
		faults = append(faults, field.Invalid(field.NewPath("spec", "env").Index(i), "ä€", "must be something else entirely"))
	}
	var conditions []metav1.Condition
	report.Apply(&conditions, report.Seen{Faults: faults}, now)
	for _, c := range conditions {
		if len(c.Message) > 32768 || strings.ToValidUTF8(c.Message, "") != c.Message {
			t.Errorf("%s: %d bytes", c.Type, len(c.Message))
		}
	}
}

func TestEvents(t *testing.T) {
	condition := func(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: reason + "!"}
	}
	tests := map[string]struct {
		before, after []metav1.Condition
		want          []string
	}{
		"ready for the first time": {nil, []metav1.Condition{condition("Ready", "True", "Ready")}, []string{"Normal Ready Ready!"}},
		"still ready":              {[]metav1.Condition{condition("Ready", "True", "Ready")}, []metav1.Condition{condition("Ready", "True", "Ready")}, nil},
		"no longer ready":          {[]metav1.Condition{condition("Ready", "True", "Ready")}, []metav1.Condition{condition("Ready", "False", "Progressing")}, nil},
		"stalled":                  {nil, []metav1.Condition{condition("Stalled", "True", "Invalid")}, []string{"Warning Invalid Invalid!"}},
		"stalled for another reason": {[]metav1.Condition{condition("Stalled", "True", "Invalid")}, []metav1.Condition{condition("Stalled", "True", "Refused")},
			[]string{"Warning Refused Refused!"}},
		"a write fails": {nil, []metav1.Condition{condition("Reconciling", "True", "ApplyFailed")}, []string{"Warning ApplyFailed ApplyFailed!"}},
		"it rolls":      {nil, []metav1.Condition{condition("Reconciling", "True", "Progressing")}, nil},
		"nothing":       {nil, nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := events.NewFakeRecorder(10)
			report.Turned(r, &v1.GatiHandler{}, tc.before, tc.after)
			if diff := cmp.Diff(tc.want, drained(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEventOfWrites(t *testing.T) {
	r := events.NewFakeRecorder(10)
	report.Writes(r, &v1.GatiHandler{}, nil)
	report.Writes(r, &v1.GatiHandler{}, []string{"created Service a", "updated Deployment.apps a"})
	report.Writes(r, &v1.GatiHandler{}, []string{strings.Repeat("€", 2000)})
	got := drained(r)
	if len(got) != 2 || got[0] != "Normal Applied created Service a, updated Deployment.apps a" {
		t.Fatalf("%q", got)
	}
	if note := strings.TrimPrefix(got[1], "Normal Applied "); len(note) > 1024 || !strings.HasSuffix(note, "€…") {
		t.Errorf("a note of %d bytes that ends in %q", len(note), note[len(note)-9:])
	}
}

func drained(r *events.FakeRecorder) []string {
	var out []string
	for {
		select {
		case e := <-r.Events:
			out = append(out, e)
		default:
			return out
		}
	}
}

func TestResolved(t *testing.T) {
	list := func(cpu, memory string) corev1.ResourceList {
		out := corev1.ResourceList{}
		if cpu != "" {
			out[corev1.ResourceCPU] = resource.MustParse(cpu)
		}
		if memory != "" {
			out[corev1.ResourceMemory] = resource.MustParse(memory)
		}
		return out
	}
	tests := map[string]struct {
		resources *corev1.ResourceRequirements
		want      string
	}{
		"none known":     {nil, ""},
		"all":            {&corev1.ResourceRequirements{Requests: list("100m", "128Mi"), Limits: list("500m", "512Mi")}, "100m/128Mi to 500m/512Mi"},
		"only a request": {&corev1.ResourceRequirements{Requests: list("1", "")}, "1 to none"},
		"only memory":    {&corev1.ResourceRequirements{Limits: list("", "1Gi")}, "none to 1Gi"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			running := expand.Revision{}
			if tc.resources != nil {
				running.Template.Spec.Containers = []corev1.Container{{Resources: *tc.resources}}
			}
			if got := report.Resolved(defaulting.Scale{}, running); got.Resources != tc.want || got.MinReplicas != nil {
				t.Errorf("%+v, want %q and no bounds", got, tc.want)
			}
		})
	}
	if got := report.Resolved(defaulting.Scale{Auto: true, Min: 2, Max: 5}, expand.Revision{Derived: []string{"x"}}); *got.MinReplicas != 2 || *got.MaxReplicas != 5 || len(got.Derived) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestChildrenSelectorDeadlineStamp(t *testing.T) {
	children := []target.Child{{Kind: "Service", Name: "s"}, {Kind: "ConfigMap", Name: "c", Problem: errors.New("no")}}
	if diff := cmp.Diff([]v1.ChildStatus{{Kind: "Service", Name: "s"}, {Kind: "ConfigMap", Name: "c", Message: "no"}}, report.Children(children)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !report.HasProblem(children) || report.HasProblem(children[:1]) {
		t.Error("HasProblem")
	}
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"b": "2", "a": "1"}}}}
	if got := report.Selector(d) + report.Selector(nil); got != "a=1,b=2" {
		t.Errorf("selector %q", got)
	}
	failed := &appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"}}}}
	if report.DeadlinePassed(nil) || report.DeadlinePassed(d) || !report.DeadlinePassed(failed) {
		t.Error("DeadlinePassed")
	}
	before, at := metav1.NewTime(now.Add(-time.Hour)), metav1.NewTime(now)
	if got := report.Stamp(&before, false, at); got.Time != before.Time {
		t.Errorf("unchanged: %s", got)
	}
	if got := report.Stamp(&before, true, at); got.Time != now {
		t.Errorf("changed: %s", got)
	}
	if got := report.Stamp(nil, false, at); got.Time != now {
		t.Errorf("the first: %s", got)
	}
}
