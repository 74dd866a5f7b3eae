package diagnose_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
)

// touched is a Deployment with one of two new pods, of whose spec a manager owns a field.
func touched(manager, field string, change func(*appsv1.Deployment)) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "handler-a", Namespace: "shop"}}
	d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:` + field + `":{}}}`)}}
	d.Spec.Replicas, d.Status.UpdatedReplicas = new(int32(2)), 1
	change(d)
	return d
}

func pause(d *appsv1.Deployment) { d.Spec.Paused = true }

func scaleToZero(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(0)) }

func countLate(ready, available int32) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		d.Spec.MinReadySeconds, d.Status.ReadyReplicas, d.Status.AvailableReplicas = 600, ready, available
	}
}

func endWith(finalizers ...string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		d.DeletionTimestamp, d.Finalizers = new(metav1.NewTime(noon)), finalizers
		d.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/hold\"":{}}}}`)
	}
}

// scaler is an autoscaler of Gati's own, with what Kubernetes says of it.
func scaler(reason, message string) *autoscalingv2.HorizontalPodAutoscaler {
	a := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "handler-a", Namespace: "shop"}}
	if reason != "" {
		a.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.ScalingActive, Status: corev1.ConditionFalse, Reason: reason, Message: message}}
	}
	return a
}

// TestFindObstacle holds that an obstacle has the child, the field, who has set it and the
// command that ends it, and that what we have set is none.
func TestFindObstacle(t *testing.T) {
	const (
		scaled = "Deployment handler-a is scaled to 0 pods by kubectl (spec.replicas), so its autoscaler does not act; scale it up: kubectl -n shop scale deployment handler-a --replicas=1"
		shared = "HorizontalPodAutoscaler handler-a shares its pods with HorizontalPodAutoscaler web, so neither scales them; delete the other one: kubectl -n shop delete hpa web"
	)
	calm := touched("kubectl", "template", func(*appsv1.Deployment) {})
	tests := map[string]struct {
		d    *appsv1.Deployment
		own  *autoscalingv2.HorizontalPodAutoscaler
		want string
	}{
		"no Deployment": {nil, scaler("AmbiguousSelector", "[]"), ""},
		"nothing":       {calm, scaler("", ""), ""},
		"a pause": {touched("kubectl-rollout", "paused", pause), nil,
			"Deployment handler-a is paused by kubectl-rollout (spec.paused), so it makes no new pods; resume it: kubectl -n shop rollout resume deployment handler-a"},
		"a pause with all pods":             {touched("kubectl-rollout", "paused", func(d *appsv1.Deployment) { pause(d); d.Status.UpdatedReplicas = 2 }), nil, ""},
		"a pause of ours":                   {touched(v1.FieldManager, "paused", pause), nil, ""},
		"no pods":                           {touched("kubectl", "replicas", scaleToZero), scaler("", ""), scaled},
		"no pods, by our plan":              {touched(v1.FieldManager, "replicas", scaleToZero), scaler("", ""), ""},
		"no pods, which is put back":        {touched("kubectl", "replicas", scaleToZero), nil, ""},
		"no pods, as its autoscaler says":   {touched("kubectl", "replicas", scaleToZero), scaler("ScalingDisabled", "the replica count is zero"), scaled},
		"an autoscaler that lacks metrics":  {calm, scaler("FailedGetResourceMetric", "no metrics"), ""},
		"an autoscaler of others":           {calm, scaler("AmbiguousSelector", "pods by selector a=b are controlled by more than one HPA (e.g. [shop/handler-a shop/web])"), shared},
		"the same, as older releases write": {calm, scaler("AmbiguousSelector", "pods by selector a=b are controlled by multiple HPAs: [{web shop} {handler-a shop}]"), shared},
		"no pods, by a target": {touched("helm", "replicas", func(d *appsv1.Deployment) {
			scaleToZero(d)
			d.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:gati.dev/target":{}}},"f:spec":{"f:replicas":{}}}`)
		}), scaler("", ""), ""},
		"scaled to 0, without a manager": {touched("kubectl", "replicas", func(d *appsv1.Deployment) { scaleToZero(d); d.ManagedFields = nil }), scaler("", ""), ""},
		"pods that count late": {touched("kubectl-edit", "minReadySeconds", countLate(1, 0)), nil,
			`Deployment handler-a counts its pods late for kubectl-edit (spec.minReadySeconds), so its ready pods replace no others yet; remove it: kubectl -n shop patch deployment handler-a --type=json -p '[{"op":"remove","path":"/spec/minReadySeconds"}]'`},
		"pods that do not get ready": {touched("kubectl-edit", "minReadySeconds", countLate(0, 0)), nil, ""},
		"a finalizer": {touched("kubectl-patch", "", endWith(metav1.FinalizerDeleteDependents, "example.com/hold")), nil,
			`Deployment handler-a is being deleted and has the finalizer example.com/hold of kubectl-patch (metadata.finalizers), so it stays and takes no changes; let its controller finish, or remove it: kubectl -n shop patch deployment.apps handler-a --type=json -p '[{"op":"remove","path":"/metadata/finalizers/1"}]'`},
		"the garbage collector's finalizer": {touched("kubectl-patch", "", endWith(metav1.FinalizerDeleteDependents)), nil, ""},
		"a finalizer without a deletion":    {touched("kubectl-patch", "", func(d *appsv1.Deployment) { d.Finalizers = []string{"example.com/hold"} }), nil, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if o := diagnose.FindObstacle(tc.d, tc.own); o != nil {
				got = o.Error()
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestAStoppedDeploymentIsAProblem holds that it is said with its remedy wherever pods are
// missed, and counts before a crash.
func TestAStoppedDeploymentIsAProblem(t *testing.T) {
	d := touched("kubectl-rollout", "paused", pause)
	got, found := diagnose.Deployment(d)
	if !found || !got.Blocking || got.Next != "resume it: kubectl -n shop rollout resume deployment handler-a" {
		t.Errorf("%v, %+v", found, got)
	}
	crash := []corev1.Pod{waiting("CrashLoopBackOff", "")}
	for name, d := range map[string]*appsv1.Deployment{"paused": d, "late": touched("a", "minReadySeconds", countLate(1, 0))} {
		if got := diagnose.FindCause(d, crash, noon); got != diagnose.CauseHold {
			t.Errorf("%s: cause %d", name, got)
		}
	}
	if got, want := diagnose.Workload(d, nil, noon), "DeploymentPaused: Deployment handler-a is paused by kubectl-rollout (spec.paused), so it makes no new pods."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
