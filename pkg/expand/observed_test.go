package expand

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// scaling is who decides on the number of pods.
type scaling struct {
	Replicas                                                       *int32
	HeldByOther, AutoscalerActive, HasAutoscaler, HasOwnAutoscaler bool
}

func (w *Observed) scaling() scaling {
	return scaling{w.replicas(), w.Exists() && w.isHeldByOther(), w.isScaled(), w.hasAutoscaler(), w.hasOwnAutoscaler()}
}

func TestWhoScales(t *testing.T) {
	deployment := func(entries ...metav1.ManagedFieldsEntry) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{ManagedFields: entries}, Spec: appsv1.DeploymentSpec{Replicas: new(int32(4))}}
	}
	owns := func(manager, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	active := &autoscalingv2.HorizontalPodAutoscaler{Status: autoscalingv2.HorizontalPodAutoscalerStatus{
		Conditions: []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale}}}}
	ofKeda := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "a", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "keda.sh/v1alpha1", Kind: "ScaledObject", Name: "a", Controller: new(true)}}}}
	four := new(int32(4))
	tests := map[string]struct {
		deployment *appsv1.Deployment
		autoscaler *autoscalingv2.HorizontalPodAutoscaler
		want       scaling
	}{
		"nothing there":               {nil, nil, scaling{}},
		"an autoscaler alone":         {nil, active, scaling{}},
		"ours":                        {deployment(owns(v1.FieldManager, `{"f:spec":{"f:replicas":{}}}`)), nil, scaling{Replicas: four}},
		"the autoscaler's":            {deployment(owns("kube-controller-manager", `{"f:spec":{"f:replicas":{}}}`)), active, scaling{Replicas: four, HeldByOther: true, AutoscalerActive: true, HasAutoscaler: true, HasOwnAutoscaler: true}},
		"the autoscaler is new":       {deployment(), &autoscalingv2.HorizontalPodAutoscaler{}, scaling{Replicas: four, HasAutoscaler: true, HasOwnAutoscaler: true}},
		"the autoscaler is KEDA's":    {deployment(), ofKeda, scaling{Replicas: four, HasAutoscaler: true}},
		"the status has a number too": {deployment(owns("kube-controller-manager", `{"f:metadata":{},"f:status":{"f:replicas":{}}}`)), nil, scaling{Replicas: four}},
		"a label of that name": {deployment(owns("kubectl-edit", `{"f:spec":{"f:template":{"f:metadata":{"f:labels":{"f:replicas":{}}}}}}`)), nil,
			scaling{Replicas: four}},
		"nonsense": {deployment(owns("other", `nonsense "f:spec" "f:replicas":{}`)), nil, scaling{Replicas: four}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, (&Observed{Deployment: tc.deployment, Autoscaler: tc.autoscaler}).scaling()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	deployment := func(change func(*appsv1.Deployment)) *appsv1.Deployment {
		d := &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Generation: 3, Annotations: map[string]string{v1.AnnotationRevision: "r"}},
			Spec:       appsv1.DeploymentSpec{Replicas: new(int32(2))},
			Status:     appsv1.DeploymentStatus{ObservedGeneration: 3, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2},
		}
		change(d)
		return d
	}
	tests := map[string]struct {
		deployment *appsv1.Deployment
		want       rollout.Observation
	}{
		"none":               {nil, rollout.Observation{}},
		"complete":           {deployment(func(*appsv1.Deployment) {}), rollout.Observation{Updated: 2, Ready: 2, Wanted: 2, Complete: true}},
		"not ready":          {deployment(func(d *appsv1.Deployment) { d.Status.ReadyReplicas = 1 }), rollout.Observation{Updated: 2, Ready: 1, Wanted: 2, Complete: true}},
		"an old pod is left": {deployment(func(d *appsv1.Deployment) { d.Status.Replicas = 3 }), rollout.Observation{Updated: 2, Ready: 2, Wanted: 2}},
		"not all updated":    {deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 }), rollout.Observation{Updated: 1, Ready: 2, Wanted: 2}},
		"an old status":      {deployment(func(d *appsv1.Deployment) { d.Generation = 4 }), rollout.Observation{Ready: 2, Wanted: 2}},
		"another revision":   {deployment(func(d *appsv1.Deployment) { d.Annotations = nil }), rollout.Observation{Ready: 2, Wanted: 2}},
		"no number, so 1":    {deployment(func(d *appsv1.Deployment) { d.Spec.Replicas = nil }), rollout.Observation{Updated: 2, Ready: 2, Wanted: 1}},
		"scaled to 0": {deployment(func(d *appsv1.Deployment) {
			d.Spec.Replicas, d.Status = new(int32(0)), appsv1.DeploymentStatus{ObservedGeneration: 3}
		}), rollout.Observation{Complete: true}},
		"scaled to 0, not yet": {deployment(func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(0)) }), rollout.Observation{Updated: 2, Ready: 2}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, (&Observed{Deployment: tc.deployment}).Progress("r")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAReadyPodCountsOnceItHasAnEndpoint holds that pods which no request reaches are not ready
// where endpoints were read, and that endpoints make no pod ready.
func TestAReadyPodCountsOnceItHasAnEndpoint(t *testing.T) {
	for name, tc := range map[string]struct {
		endpoints   int
		hasRead     bool
		ready, want int32
	}{
		"not read":              {0, false, 2, 2},
		"none has":              {0, true, 2, 0},
		"one has":               {1, true, 2, 1},
		"all have":              {2, true, 2, 2},
		"of a pod not ready":    {2, true, 1, 1},
		"more, of an old state": {3, true, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := &Observed{HasEndpoints: tc.hasRead, Reachable: make([]time.Time, tc.endpoints), Deployment: &appsv1.Deployment{
				Spec: appsv1.DeploymentSpec{Replicas: new(int32(2))}, Status: appsv1.DeploymentStatus{ReadyReplicas: tc.ready},
			}}
			if got := w.Progress("r").Ready; got != tc.want {
				t.Errorf("%d pods count, want %d", got, tc.want)
			}
		})
	}
}

func TestHasMissedDeadline(t *testing.T) {
	deployment := func(generation int64, status corev1.ConditionStatus, reason string) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: generation}, Status: appsv1.DeploymentStatus{
			ObservedGeneration: 2,
			Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionFalse},
				{Type: appsv1.DeploymentProgressing, Status: status, Reason: reason},
			},
		}}
	}
	tests := map[string]struct {
		deployment *appsv1.Deployment
		want       bool
	}{
		"no Deployment":         {nil, false},
		"no condition":          {&appsv1.Deployment{}, false},
		"it makes progress":     {deployment(2, corev1.ConditionTrue, "ReplicaSetUpdated"), false},
		"it is paused":          {deployment(2, corev1.ConditionUnknown, "DeploymentPaused"), false},
		"the deadline":          {deployment(2, corev1.ConditionFalse, "ProgressDeadlineExceeded"), true},
		"that of another spec":  {deployment(3, corev1.ConditionFalse, "ProgressDeadlineExceeded"), false},
		"another reason to end": {deployment(2, corev1.ConditionFalse, "ReplicaSetCreateError"), false},
	}
	for name, tc := range tests {
		if got := (&Observed{Deployment: tc.deployment}).HasMissedDeadline(); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
