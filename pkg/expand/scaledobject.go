package expand

import (
	"maps"
	"strconv"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/naming"
)

// derivedRequests is how many requests a second each pod answers by default.
const derivedRequests = 100

// labelScaledObject is how KEDA finds the ScaledObject of a metric. KEDA sets it, too.
const labelScaledObject = "scaledobject.keda.sh/name"

// newScaledObject returns the ScaledObject of the workload. KEDA's
// HorizontalPodAutoscaler has the name of ours, so that there is never a second one: each
// side takes over the one that is there.
func (w Workload) newScaledObject(a *v1.Autoscaling) *kedav1alpha1.ScaledObject {
	least := w.minReplicas()
	most := max(w.scale.Max, least)
	if w.MayIdle {
		least = 0
	}
	meta := w.owner.objectMeta(w.name, w.workloadLabels())
	meta.Labels[labelScaledObject] = w.name
	meta.Annotations = map[string]string{kedav1alpha1.AnnotationTransfer: "true"}
	return &kedav1alpha1.ScaledObject{
		TypeMeta:   metav1.TypeMeta{APIVersion: kedav1alpha1.GroupVersion.String(), Kind: kedav1alpha1.Kind},
		ObjectMeta: meta,
		Spec: kedav1alpha1.ScaledObjectSpec{
			ScaleTargetRef:  kedav1alpha1.ScaleTarget{APIVersion: "apps/v1", Kind: "Deployment", Name: w.name},
			MinReplicaCount: &least,
			MaxReplicaCount: &most,
			Advanced: &kedav1alpha1.Advanced{HorizontalPodAutoscalerConfig: &kedav1alpha1.HorizontalPodAutoscalerConfig{
				Name: w.name, Behavior: a.Behavior,
			}},
			Triggers: w.newTriggers(),
		},
	}
}

// newTriggers returns the triggers of KEDA: the rate of requests, CPU and memory, times,
// and the user's own.
func (w Workload) newTriggers() []kedav1alpha1.Trigger {
	var out []kedav1alpha1.Trigger
	if w.scale.Rate.Server != "" {
		out = append(out, w.newRateTrigger())
	}
	for _, target := range []struct {
		kind    string
		percent int32
	}{{"cpu", w.scale.CPU}, {"memory", w.scale.Memory}} {
		if target.percent > 0 {
			trigger := kedav1alpha1.Trigger{
				Type: target.kind, MetricType: autoscalingv2.UtilizationMetricType,
				Metadata: map[string]string{"value": strconv.Itoa(int(target.percent))},
			}
			if container := w.Revision.scaledContainer(); container != "" {
				trigger.Metadata["containerName"] = container
			}
			out = append(out, trigger)
		}
	}
	for _, c := range w.scale.Keda.Cron {
		out = append(out, kedav1alpha1.Trigger{Type: "cron", Metadata: map[string]string{
			"timezone": c.Timezone, "start": c.Start, "end": c.End, "desiredReplicas": strconv.Itoa(int(c.Replicas)),
		}})
	}
	for _, t := range w.scale.Keda.Triggers {
		trigger := kedav1alpha1.Trigger{Type: string(t.Type), Metadata: map[string]string{}}
		maps.Copy(trigger.Metadata, t.Metadata)
		if ref := t.AuthenticationRef; ref != nil {
			trigger.AuthenticationRef = &kedav1alpha1.AuthenticationRef{Name: ref.Name, Kind: ref.Kind}
		}
		out = append(out, trigger)
	}
	return out
}

// newRateTrigger asks the operator's Prometheus for the requests of the workload's pods.
func (w Workload) newRateTrigger() kedav1alpha1.Trigger {
	rate, each := w.scale.Rate, int32(derivedRequests)
	if n := w.scale.Keda.RequestsPerSecond; n != nil {
		each = *n
	}
	query := strings.NewReplacer(facts.PlaceNamespace, w.owner.meta.Namespace, facts.PlacePods, naming.PodPattern(w.name)).Replace(rate.Query)
	out := kedav1alpha1.Trigger{Type: "prometheus", Metadata: map[string]string{
		"serverAddress": rate.Server, "query": query, "threshold": strconv.Itoa(int(each)),
	}}
	if rate.Authentication != "" {
		out.AuthenticationRef = &kedav1alpha1.AuthenticationRef{Name: rate.Authentication, Kind: "ClusterTriggerAuthentication"}
		out.Metadata["authModes"] = rate.AuthModes
	}
	return out
}
