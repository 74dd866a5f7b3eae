package decide_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/facts"
)

// moduleLife is a module over several changes of its spec.
type moduleLife struct {
	t     *testing.T
	now   time.Time
	story decide.ModuleStory
}

func newModuleLife(t *testing.T) *moduleLife {
	return &moduleLife{t: t, now: start, story: decide.ModuleStory{Module: builders.MakeModule("db").Obj()}}
}

// plan plans the spec as it is, and stores what is decided as the controller does.
func (l *moduleLife) plan() decide.PlannedModule {
	l.t.Helper()
	s := &l.story
	s.Result, s.Resolved = admit.Module(s.Module, nil, facts.Facts{Namespace: "default"})
	if len(s.Result.Errors) > 0 {
		l.t.Fatal(s.Result.Errors.ToAggregate())
	}
	out := decide.PlanModule(s, l.now)
	s.Module.Status.Rejected = out.Rejected
	if out.IsCut {
		s.Revisions = append(s.Revisions, out.Running)
	}
	return out
}

// run has the Deployment run what was planned, with the given fault.
func (l *moduleLife) run(planned decide.PlannedModule, fault func(*appsv1.Deployment, *[]corev1.Pod)) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1.AnnotationRevision: planned.Running.Name}}}
	l.story.Workload.Deployment, l.story.Workload.Pods = d, nil
	if fault == nil {
		l.story.Module.Status.StableRevision = planned.Running.Name
		return
	}
	fault(d, &l.story.Workload.Pods)
	d.Status.Conditions = append(d.Status.Conditions, appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"})
}

var crashes = podOf(func(s *corev1.PodStatus) {
	s.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: 5, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
})

// TestAModuleThatFailsGoesBack holds that a change is rolled back when it is itself the
// cause of failing pods, and not for other causes.
func TestAModuleThatFailsGoesBack(t *testing.T) {
	image := func(tag string) func(*v1.GatiModuleSpec) {
		return func(s *v1.GatiModuleSpec) { s.Image = "db:" + tag }
	}
	off := func(s *v1.GatiModuleSpec) {
		no := false
		s.Image, s.Rollout = "db:v2", &v1.ModuleRollout{AutoRollback: &no}
	}
	more := func(s *v1.GatiModuleSpec) {
		s.Image, s.Resources = "db:v2", &v1.Resources{Requests: corev1.ResourceList{"memory": resource.MustParse("64Gi")}}
	}
	quota := deploymentRefused(`pods "x" is forbidden: exceeded quota: compute`)
	unreachable := podOf(func(s *corev1.PodStatus) {
		s.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "dial tcp 10.0.0.1:443: i/o timeout"}}}}
	})
	tests := map[string]struct {
		change func(*v1.GatiModuleSpec)
		fault  func(*appsv1.Deployment, *[]corev1.Pod)
		want   bool
	}{
		"its pods crash":                  {image("v2"), crashes, true},
		"autoRollback is false":           {off, crashes, false},
		"a quota, the same room":          {image("v2"), quota, false},
		"a quota, more room":              {more, quota, true},
		"a registry that does not answer": {image("v2"), unreachable, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := newModuleLife(t)
			image("v1")(&l.story.Module.Spec)
			first := l.plan()
			l.run(first, nil)
			tc.change(&l.story.Module.Spec)
			second := l.plan()
			if second.Rejected != nil || second.Running.Name == first.Running.Name || !second.IsCut {
				t.Fatalf("the change is not rolled out: %+v", second.Rejected)
			}
			l.run(second, tc.fault)
			third := l.plan()
			want := second.Running.Name
			if tc.want {
				want = first.Running.Name
			}
			if third.Running.Name != want || (third.Rejected != nil) != tc.want || third.IsCut {
				t.Errorf("%s runs, want %s; rejected: %+v, cut: %v", third.Running.Name, want, third.Rejected, third.IsCut)
			}
			if tc.want && (third.Declared.Name != second.Running.Name || !strings.Contains(third.Rejected.Reason, "no progress for 10m")) {
				t.Errorf("declared %s, reason %q", third.Declared.Name, third.Rejected.Reason)
			}
		})
	}
}

// TestARejectedModuleStaysRejected holds until when: until the spec declares other pods.
func TestARejectedModuleStaysRejected(t *testing.T) {
	l := newModuleLife(t)
	l.story.Module.Spec.Image = "db:v1"
	first := l.plan()
	l.run(first, crashes)
	if p := l.plan(); p.Rejected != nil {
		t.Fatalf("rejected, with nothing to go back to: %+v", p.Rejected)
	}
	l.run(first, nil)
	l.story.Module.Spec.Image = "db:v2"
	l.run(l.plan(), crashes)
	back := l.plan()
	l.run(back, nil)
	l.now = l.now.Add(time.Hour)
	replicas := int32(3)
	l.story.Module.Spec.Replicas = &replicas
	again := l.plan()
	if again.Running.Name != first.Running.Name || again.Rejected == nil || again.Rejected.At != back.Rejected.At {
		t.Errorf("an hour later %s runs, rejected: %+v", again.Running.Name, again.Rejected)
	}
	l.story.Module.Spec.Image = "db:v3"
	if third := l.plan(); third.Rejected != nil || third.Running.Image != "db:v3" {
		t.Errorf("%s runs, rejected: %+v", third.Running.Image, third.Rejected)
	}
	l.story.Module.Spec.Image = "db:v1"
	if p := l.plan(); p.Rejected != nil || p.Running.Name != first.Running.Name {
		t.Errorf("after a return to the serving spec: %s runs, rejected: %+v", p.Running.Name, p.Rejected)
	}
}
