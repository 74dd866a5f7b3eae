package validation

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// WarnHandler returns warnings about settings of a handler that are valid but
// rarely intended. The API server cuts long warnings, so each is one short
// sentence.
func WarnHandler(h *v1.GatiHandler) []string {
	if h == nil {
		return nil
	}
	s := &h.Spec
	return concat(
		warnImage(s.Image),
		warnSteps(s.Rollout),
		warnSplit(s),
		warnAnalysis(s.Rollout),
		warnWarm(s.Route, s.Autoscaling),
		warnRoutingWeight(s.Rollout, s.Timescape),
		warnScaling(s.Replicas, s.Autoscaling, s.Resources),
	)
}

// WarnModule returns warnings about settings of a module that are valid but rarely
// intended.
func WarnModule(m *v1.GatiModule) []string {
	if m == nil {
		return nil
	}
	s := &m.Spec
	return concat(
		warnImage(s.Image),
		warnScaling(s.Replicas, s.Autoscaling, s.Resources),
		warnToken(s.Capabilities, s.Pod),
	)
}

// WarnVersion returns warnings about a record of a handler with the given strategy.
func WarnVersion(v *v1.GatiVersion, strategy v1.Strategy) []string {
	if v == nil || v.Spec.Traffic == nil || strategy == v1.StrategyManual {
		return nil
	}
	return []string{fmt.Sprintf("spec.traffic: recorded, but it moves traffic under the strategy Manual alone, not under %s", strategy)}
}

func concat(lists ...[]string) []string {
	var out []string
	for _, list := range lists {
		out = append(out, list...)
	}
	return out
}

func warnImage(ref string) []string {
	if !isMutableImage(ref) {
		return nil
	}
	return []string{"spec.image: has no tag or :latest, so pods may run different code; name a version or a digest"}
}

// isRollingUpdate reports whether the strategy is the default one.
func isRollingUpdate(r *v1.Rollout) bool {
	return r == nil || r.Strategy == "" || r.Strategy == v1.StrategyRollingUpdate
}

func warnSteps(r *v1.Rollout) []string {
	if r == nil || !isRollingUpdate(r) || len(r.Steps) == 0 {
		return nil
	}
	return []string{"spec.rollout.steps: ignored under the strategy RollingUpdate, which replaces pods one by one"}
}

func warnAnalysis(r *v1.Rollout) []string {
	if r == nil || r.Analysis == nil || r.Strategy == v1.StrategyCanary {
		return nil
	}
	return []string{"spec.rollout.analysis: ignored, it judges the steps of the strategy Canary"}
}

func warnWarm(r *v1.Route, a *v1.Autoscaling) []string {
	if r != nil || a == nil || a.WarmReplicas == nil || *a.WarmReplicas == 0 {
		return nil
	}
	return []string{"spec.autoscaling.warmReplicas: ignored without spec.route, where pods that are ready get traffic"}
}

// warnRoutingWeight warns of a weight that a version will not have: the strategy
// RollingUpdate leads every version to 100 %.
func warnRoutingWeight(r *v1.Rollout, t *v1.Timescape) []string {
	if t == nil || t.RoutingWeight == nil || *t.RoutingWeight == 100 || !isRollingUpdate(r) {
		return nil
	}
	return []string{"spec.timescape.routingWeight: ignored under the strategy RollingUpdate, where one version has all traffic"}
}

func warnScaling(replicas *int32, a *v1.Autoscaling, r *v1.Resources) []string {
	if a == nil {
		return nil
	}
	if a.Enabled == nil || !*a.Enabled {
		if a.MinReplicas != nil || a.MaxReplicas != nil || a.TargetCPU != nil || a.TargetMemory != nil || a.Behavior != nil {
			return []string{"spec.autoscaling: ignored until spec.autoscaling.enabled is true"}
		}
		return nil
	}
	out := concat(
		warnTarget(r, corev1.ResourceCPU, "targetCPU"),
		warnTarget(r, corev1.ResourceMemory, "targetMemory"))
	if replicas != nil && a.MinReplicas == nil && a.MaxReplicas != nil && *a.MaxReplicas < *replicas/2 {
		out = append(out, fmt.Sprintf("spec.autoscaling.maxReplicas: %d is below half of replicas (%d), so there will be no more pods than that", *a.MaxReplicas, *replicas))
	}
	return out
}

// warnTarget warns of a utilization target without a request to relate it to.
// Without any resources, requests are derived; with a limit only, Kubernetes uses
// it as the request.
func warnTarget(r *v1.Resources, name corev1.ResourceName, target string) []string {
	if r == nil {
		return nil
	}
	_, requested := r.Requests[name]
	_, limited := r.Limits[name]
	if requested || limited {
		return nil
	}
	return []string{fmt.Sprintf("spec.autoscaling.%s: cannot be measured, because spec.resources requests no %s", target, name)}
}

// warnToken warns of secrets:read without a ServiceAccount that has rights.
func warnToken(list []v1.Capability, pod *v1.PodSettings) []string {
	for _, c := range list {
		if c == v1.CapabilitySecretsRead && (pod == nil || pod.ServiceAccountName == "") {
			return []string{"spec.capabilities: secrets:read needs spec.pod.serviceAccountName, an account that may read them"}
		}
	}
	return nil
}
