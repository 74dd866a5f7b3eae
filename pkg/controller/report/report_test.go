package report_test

import (
	"encoding/json"
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
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

var now = time.Unix(1_800_000_000, 0)

// stateCase is one state of a handler or module, and what is reported of it.
type stateCase struct {
	seen report.Seen
	want report.Result
	// wantState is the one of Ready, Reconciling and Stalled that is True, with reason and
	// message; wantAvailable is the reason of Available.
	wantState, wantAvailable string
}

// states are those that a handler or module can be in.
func states() map[string]stateCase {
	done := rollout.Observation{Updated: 2, Ready: 2, Wanted: 2, Complete: true}
	rolling := rollout.Observation{Updated: 1, Ready: 2, Wanted: 2}
	short := rollout.Observation{Updated: 2, Ready: 1, Wanted: 2, Complete: true}
	serves, lacks := &report.Pods{Ready: 2, Wanted: 2}, &report.Pods{Ready: 1, Wanted: 2}
	child := func(problems ...error) []target.Child {
		out := []target.Child{{Kind: "Service", Name: "s"}}
		for _, err := range problems {
			out = append(out, target.Child{Kind: "ConfigMap", Name: "a", Problem: err})
		}
		return out
	}
	waiting := func(r v1.WaitingReason) *v1.WaitingStatus {
		return &v1.WaitingStatus{Reason: r, Message: "it waits for " + string(r)}
	}
	leaving := &target.LeavingError{Kind: "Service", Name: "s", Owner: "GatiHandler a"}
	return map[string]stateCase{
		"serves": {report.Seen{Progress: done, Stable: serves, Sentence: "It serves."},
			report.Result{v1.PhaseRunning, v1.Healthy}, "Ready Ready It serves.", "Available"},
		"the first version is starting": {report.Seen{Progress: rolling, IsRolling: true, IsInPlace: true, Sentence: "It rolls."},
			report.Result{v1.PhasePending, v1.Progressing}, "Reconciling Progressing It rolls.", "NothingServes"},
		"its pods crash": {report.Seen{Progress: rolling, IsRolling: true, IsFailing: true, Sentence: "It rolls.", Trouble: "Pod x crashes."},
			report.Result{v1.PhasePending, v1.Progressing}, "Reconciling Progressing It rolls. Pod x crashes.", "NothingServes"},
		"rolls in place": {report.Seen{Progress: rolling, Stable: serves, IsRolling: true, IsInPlace: true, Sentence: "It rolls."},
			report.Result{v1.PhasePending, v1.Progressing}, "Reconciling Progressing It rolls.", "Available"},
		"a canary": {report.Seen{Progress: rolling, Stable: serves, IsRolling: true, Waiting: waiting(v1.WaitingForPause), Sentence: "v2 has 10 %."},
			report.Result{v1.PhaseRunning, v1.Progressing}, "Reconciling Progressing v2 has 10 %.", "Available"},
		"it waits although every pod is ready": {report.Seen{Progress: done, Stable: serves, Waiting: waiting(v1.WaitingForGateway), Sentence: "Lag."},
			report.Result{v1.PhaseRunning, v1.Progressing}, "Reconciling Progressing Lag.", "Available"},
		"paused": {report.Seen{Progress: rolling, Stable: serves, IsRolling: true, Waiting: waiting(v1.WaitingForResume), Sentence: "Paused."},
			report.Result{v1.PhaseRunning, v1.Paused}, "Reconciling Paused Paused.", "Available"},
		"waits for a promotion": {report.Seen{Progress: rolling, Stable: serves, IsRolling: true, Waiting: waiting(v1.WaitingForPromotion), Sentence: "Promote."},
			report.Result{v1.PhaseRunning, v1.Paused}, "Reconciling Paused Promote.", "Available"},
		"rejected": {report.Seen{Progress: done, Stable: serves, Waiting: waiting(v1.WaitingForSpecChange), Sentence: "v1 serves."},
			report.Result{v1.PhaseRunning, v1.RolledBack}, "Stalled Rejected v1 serves.", "Available"},
		"rejected in place": {report.Seen{Progress: done, Stable: serves, IsInPlace: true, Waiting: waiting(v1.WaitingForSpecChange), Sentence: "v1 serves."},
			report.Result{v1.PhaseRunning, v1.RolledBack}, "Stalled Rejected v1 serves.", "Available"},
		"pinned by a rollback": {report.Seen{Progress: done, Stable: serves, Waiting: waiting(v1.WaitingForSpecChange), IsPinned: true, Sentence: "v1 serves."},
			report.Result{v1.PhaseRunning, v1.RolledBack}, "Stalled RolledBack v1 serves.", "Available"},
		"held as breaking": {report.Seen{Progress: done, Stable: serves, Waiting: waiting(v1.WaitingForCompatibility), Sentence: "It breaks."},
			report.Result{v1.PhaseRunning, v1.Degraded}, "Stalled Breaking It breaks.", "Available"},
		"refused as breaking, but stored": {report.Seen{Progress: done, Stable: serves, IsBreaking: true, Sentence: "It breaks."},
			report.Result{v1.PhaseRunning, v1.Degraded}, "Stalled Breaking It breaks.", "Available"},
		"failed, and stays": {report.Seen{Progress: rolling, Stable: serves, IsRolling: true, Halted: true, Waiting: waiting(v1.WaitingForAction), Sentence: "It failed."},
			report.Result{v1.PhaseRunning, v1.Failed}, "Stalled RolloutFailed It failed.", "Available"},
		"the first version is late": {report.Seen{Progress: rolling, IsRolling: true, Halted: true, Waiting: waiting(v1.WaitingForPods), Sentence: "0 of 2."},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled ProgressDeadlineExceeded 0 of 2.", "NothingServes"},
		"a gateway that does not answer": {report.Seen{Progress: rolling, Stable: serves, IsRolling: true, Halted: true, Waiting: waiting(v1.WaitingForGateway), Sentence: "Silent."},
			report.Result{v1.PhaseRunning, v1.Failed}, "Stalled RolloutHalted Silent.", "Available"},
		"a parent refuses the route of what serves": {report.Seen{Progress: done, Stable: serves, Waiting: waiting(v1.WaitingForRoute), Sentence: "Refused."},
			report.Result{v1.PhaseRunning, v1.Progressing}, "Reconciling Progressing Refused.", "Available"},
		"it refuses for the whole deadline": {report.Seen{Progress: done, Stable: serves, Halted: true, Waiting: waiting(v1.WaitingForRoute), Sentence: "Refused."},
			report.Result{v1.PhaseRunning, v1.Degraded}, "Stalled Unreachable Refused.", "Available"},
		"no pod can be reached for the whole deadline": {report.Seen{Progress: short, Stable: lacks, Halted: true, Waiting: waiting(v1.WaitingForPods), Sentence: "0 of 2 (Pod x is late).", Trouble: "Pod x is late."},
			report.Result{v1.PhaseFailed, v1.Degraded}, "Stalled Unreachable 0 of 2 (Pod x is late).", "TooFewPods"},
		"no pod can be reached, and they crash": {report.Seen{Progress: short, Stable: lacks, Waiting: waiting(v1.WaitingForPods), Sentence: "0 of 2 (Pod x crashes).", Trouble: "Pod x crashes.", IsFailing: true},
			report.Result{v1.PhaseFailed, v1.Degraded}, "Stalled PodsFailing 0 of 2 (Pod x crashes).", "TooFewPods"},
		"they crash for the whole deadline": {report.Seen{Progress: short, Stable: lacks, Halted: true, Waiting: waiting(v1.WaitingForPods), Sentence: "0 of 2.", Trouble: "Pod x crashes.", IsFailing: true},
			report.Result{v1.PhaseFailed, v1.Degraded}, "Stalled PodsFailing 0 of 2. Pod x crashes.", "TooFewPods"},
		"the first version finds no room": {report.Seen{Progress: rolling, IsRolling: true, Halted: true, Waiting: waiting(v1.WaitingForInfrastructure), Sentence: "0 of 2."},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled ProgressDeadlineExceeded 0 of 2.", "NothingServes"},
		"the deadline has passed": {report.Seen{Progress: rolling, Stable: serves, IsRolling: true, IsInPlace: true, DeadlinePassed: true, Sentence: "It rolls.", Trouble: "Pod x crashes."},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled ProgressDeadlineExceeded It rolls. Pod x crashes.", "Available"},
		"serves although the deadline has passed once": {report.Seen{Progress: done, Stable: serves, DeadlinePassed: true, Sentence: "It serves."},
			report.Result{v1.PhaseRunning, v1.Healthy}, "Ready Ready It serves.", "Available"},
		"pods of the serving version crash": {report.Seen{Progress: short, Stable: lacks, IsFailing: true, Sentence: "1 of 2.", Trouble: "Pod x crashes."},
			report.Result{v1.PhaseFailed, v1.Degraded}, "Stalled PodsFailing 1 of 2. Pod x crashes.", "TooFewPods"},
		"pods of the serving version start again": {report.Seen{Progress: short, Stable: lacks, Sentence: "1 of 2."},
			report.Result{v1.PhasePending, v1.Progressing}, "Reconciling Progressing 1 of 2.", "TooFewPods"},
		"scaled to 0": {report.Seen{Progress: rollout.Observation{Complete: true}, Stable: &report.Pods{}, Sentence: "It is scaled to 0 pods."},
			report.Result{v1.PhaseRunning, v1.Healthy}, "Ready Ready It is scaled to 0 pods.", "Available"},
		"invalid comes before all": {report.Seen{Progress: done, Stable: serves, Faults: field.ErrorList{field.Required(field.NewPath("spec", "image"), "say which")}, Children: child(errors.New("x"))},
			report.Result{v1.PhaseFailed, v1.Invalid}, "Stalled Invalid Nothing was changed: spec.image: Required value: say which.", "Available"},
		"a foreign object, though it serves": {report.Seen{Progress: done, Stable: serves, Children: child(&target.ForeignError{Kind: "ConfigMap", Name: "a"})},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled ForeignObject ConfigMap a already exists and was not created by this object; delete or rename it.", "Available"},
		"contested": {report.Seen{Progress: done, Stable: serves, Children: child(&target.ContestedError{Kind: "ConfigMap", Name: "a", Manager: "them"})},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled Contested ConfigMap a: them keeps changing fields that gati-webhook manages; stop it from changing them.", "Available"},
		"not served": {report.Seen{Progress: done, Stable: serves, Children: child(facts.Facts{}.Unserved("HTTPRoute"))},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled NotServed spec.route asks for an HTTPRoute, which this cluster does not serve; install the Gateway API or remove spec.route.", "Available"},
		"a write that is tried again": {report.Seen{Progress: rolling, Stable: serves, IsRolling: true, Sentence: "It rolls.", Children: child(&target.FailedError{Kind: "ConfigMap", Name: "a", Err: errors.New("no answer")})},
			report.Result{v1.PhaseRunning, v1.Progressing}, "Reconciling ApplyFailed ConfigMap a could not be written and is tried again: no answer. It rolls.", "Available"},
		"a write that is tried again, of a halted rollout": {report.Seen{Progress: rolling, Halted: true, Sentence: "It failed.", Children: child(&target.FailedError{Kind: "ConfigMap", Name: "a", Err: errors.New("no answer")})},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled RolloutHalted ConfigMap a could not be written and is tried again: no answer. It failed.", "NothingServes"},
		"refused": {report.Seen{Progress: done, Stable: serves, Children: child(&target.RefusedError{Kind: "ConfigMap", Name: "a", Err: errors.New("quota.")})},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled Refused the API server refuses ConfigMap a: quota.", "Available"},
		"the garbage collector is late": {report.Seen{Progress: done, Children: child(leaving)},
			report.Result{v1.PhasePending, v1.Progressing}, "Reconciling OldChildren Waiting for the old children to be removed: Service s belongs to a deleted GatiHandler a.", "NothingServes"},
		"it is late, and another child is foreign": {report.Seen{Children: child(leaving, &target.ForeignError{Kind: "ConfigMap", Name: "a"})},
			report.Result{v1.PhaseFailed, v1.Failed}, "Stalled ForeignObject ConfigMap a already exists and was not created by this object; delete or rename it.", "NothingServes"},
	}
}

func TestApply(t *testing.T) {
	shown := map[string]v1.GatiHandlerStatus{}
	for name, tc := range states() {
		t.Run(name, func(t *testing.T) {
			var conditions []metav1.Condition
			tc.seen.Generation = 7
			if got := report.Apply(&conditions, tc.seen, now); got != tc.want {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
			var states []string
			for _, kind := range []string{"Ready", "Reconciling", "Stalled"} {
				if c := meta.FindStatusCondition(conditions, kind); c.Status == metav1.ConditionTrue {
					states = append(states, fmt.Sprintf("%s %s %s", kind, c.Reason, c.Message))
				}
			}
			if diff := cmp.Diff([]string{tc.wantState}, states); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkConditions(t, conditions, tc.seen, tc.wantAvailable)
			before := append([]metav1.Condition{}, conditions...)
			report.Apply(&conditions, tc.seen, now.Add(time.Hour))
			if diff := cmp.Diff(before, conditions); diff != "" {
				t.Errorf("an hour later, with nothing new:\n%s", diff)
			}
			shown[name] = v1.GatiHandlerStatus{
				ObservedGeneration: 7, Phase: tc.want.Phase, Health: tc.want.Health, Conditions: conditions,
				Rollout: &v1.RolloutStatus{WaitingFor: tc.seen.Waiting},
			}
		})
	}
	// test/programs/gitops shows them to Argo CD and Flux, and pkg/status to its view.
	text, err := json.MarshalIndent(shown, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "states.json", string(text)+"\n")
}

// checkConditions checks what holds of the conditions in every state.
func checkConditions(t *testing.T, conditions []metav1.Condition, seen report.Seen, wantAvailable string) {
	t.Helper()
	for _, c := range conditions {
		if c.ObservedGeneration != 7 || !c.LastTransitionTime.Time.Equal(now) {
			t.Errorf("%+v", c)
		}
	}
	if valid := meta.IsStatusConditionTrue(conditions, "Valid"); valid != (len(seen.Faults) == 0) {
		t.Errorf("Valid is %t", valid)
	}
	if c := meta.FindStatusCondition(conditions, "Available"); c.Reason != wantAvailable || (c.Status == metav1.ConditionTrue) != (wantAvailable == "Available") {
		t.Errorf("Available is %+v, want %s", c, wantAvailable)
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

func TestEventsOfAnOutcome(t *testing.T) {
	recorded := events.NewFakeRecorder(10)
	r := report.Recorder{EventRecorder: recorded}
	report.Writes(r, &v1.GatiHandler{}, nil)
	report.Writes(r, &v1.GatiHandler{}, []string{"created Service a", "updated Deployment.apps a"})
	report.Writes(r, &v1.GatiHandler{}, []string{strings.Repeat("€", 2000)})
	report.Notices(r, &v1.GatiHandler{}, []target.Notice{{Reason: "RolledBack", Message: "by hand", Warning: true}, {Reason: "Moved", Message: "here"}})
	got := drained(recorded)
	if diff := cmp.Diff([]string{"Warning RolledBack by hand", "Normal Moved here"}, got[len(got)-2:]); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if got = got[:len(got)-2]; len(got) != 2 || got[0] != "Normal Applied created Service a, updated Deployment.apps a" {
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

func TestChildrenSelectorStamp(t *testing.T) {
	children := []target.Child{{Kind: "Service", Name: "s"}, {Kind: "ConfigMap", Name: "c", Problem: errors.New("no")}}
	if diff := cmp.Diff([]v1.ChildStatus{{Kind: "ConfigMap", Name: "c", Message: "no"}, {Kind: "Service", Name: "s"}}, report.Children(children)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !report.HasProblem(children) || report.HasProblem(children[:1]) {
		t.Error("HasProblem")
	}
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"b": "2", "a": "1"}}}}
	if got := report.Selector(d) + report.Selector(nil); got != "a=1,b=2" {
		t.Errorf("selector %q", got)
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
