package validation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
		warnAutoSteps(s.Rollout),
		warnSplit(s),
		warnAnalysis(s.Rollout),
		warnUnmeasured(h),
		warnWarm(s.Route, s.Autoscaling),
		warnPool(s),
		warnScaleToZero(s.Route, s.Autoscaling),
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
		warnToken(s),
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

// warnAutoSteps warns of planned steps that nothing judges.
func warnAutoSteps(r *v1.Rollout) []string {
	if r == nil || r.AutoSteps == nil || r.Strategy == v1.StrategyCanary && !r.Analysis.IsOff() {
		return nil
	}
	return []string{"spec.rollout.autoSteps: ignored, no requests are judged; set strategy: Canary without analysis.enabled: false"}
}

func warnAnalysis(r *v1.Rollout) []string {
	switch {
	case r == nil || r.Analysis == nil:
		return nil
	case r.Strategy != v1.StrategyCanary:
		return []string{"spec.rollout.analysis: ignored, it judges the steps of the strategy Canary"}
	}
	return append(warnQueryFields(r.Analysis), warnMetrics(r.Analysis.Metrics)...)
}

// warnUnmeasured warns of a Canary without an analysis whose pods have no metrics, as those of
// the stable version show.
func warnUnmeasured(h *v1.GatiHandler) []string {
	r, status := h.Spec.Rollout, h.Status.Rollout
	if r == nil || r.Strategy != v1.StrategyCanary || r.Analysis != nil || status == nil || status.Stable == nil {
		return nil
	}
	for i := range h.Status.Versions {
		if u := &h.Status.Versions[i]; *u.Ref() == *status.Stable && u.TrafficSource == v1.TrafficSourceNone {
			return []string{"spec.rollout: judged by its pods alone, they have no metrics; export some, or set analysis.enabled to false"}
		}
	}
	return nil
}

// warnQueryFields warns of non-default fields that only affect queries, when there is
// no query.
func warnQueryFields(a *v1.Analysis) []string {
	if slices.ContainsFunc(a.Metrics, func(m v1.AnalysisMetric) bool { return m.Query != nil }) {
		return nil
	}
	var set []string
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"window", a.Window != "" && a.Window != v1.DefaultAnalysisWindow}, {"mode", a.Mode != "" && a.Mode != v1.AnalysisBackground},
		{"failureLimit", a.FailureLimit != nil && *a.FailureLimit != v1.DefaultFailureLimit}, {"minSamples", a.MinSamples != nil && *a.MinSamples != v1.DefaultMinSamples},
	} {
		if f.is {
			set = append(set, f.name)
		}
	}
	if len(set) == 0 {
		return nil
	}
	return []string{"spec.rollout.analysis: " + strings.Join(set, ", ") + " ignored, only metrics with a query use them"}
}

// warnMetrics warns of bounds that one bad request breaks, and of limits that are not a
// bucket of the package's histogram.
func warnMetrics(list []v1.AnalysisMetric) []string {
	var out []string
	for i, m := range list {
		at := fmt.Sprintf("spec.rollout.analysis.metrics[%d]", i)
		if s := m.SuccessRate; s != nil && s.Min != "" && s.Min.Float() >= certainty {
			out = append(out, at+".successRate.min: the first bad request rolls back; 99.9 allows one in a thousand")
		}
		if l := m.Latency; l != nil && l.Max != "" {
			if moved := describeNextBound(l.Max.Length().Seconds()); moved != "" {
				out = append(out, fmt.Sprintf("%s.latency.max: judged at %s, by the buckets of gati-kubernetes", at, moved))
			}
		}
	}
	return out
}

// packageBounds are the buckets of the npm package gati-kubernetes, in seconds: what pods are
// measured by. The status has the limit of any other histogram.
var packageBounds = []float64{.001, .005, .01, .015, .025, .04, .05, .075, .1, .15, .25, .4, .5, .75, 1, 2.5, 5, 10, 30}

// describeNextBound returns the bound to which a limit is raised, with the factor; empty when
// it is a bound, or above the last.
func describeNextBound(seconds float64) string {
	at, exact := slices.BinarySearch(packageBounds, seconds)
	if exact || at == len(packageBounds) {
		return ""
	}
	bound := packageBounds[at]
	return fmt.Sprintf("%sms, %s times that", strconv.FormatFloat(bound*1000, 'f', -1, 64), strconv.FormatFloat(bound/seconds, 'g', 2, 64))
}

func warnWarm(r *v1.Route, a *v1.Autoscaling) []string {
	if r != nil || a == nil || a.WarmReplicas == nil || *a.WarmReplicas == 0 {
		return nil
	}
	return []string{"spec.autoscaling.warmReplicas: ignored without spec.route, where pods that are ready get traffic"}
}

// warnPool warns of spare pods that no rollout of the handler uses.
func warnPool(s *v1.GatiHandlerSpec) []string {
	if s.Autoscaling == nil || s.Autoscaling.WarmPool == nil || *s.Autoscaling.WarmPool == 0 {
		return nil
	}
	if s.Rollout == nil || s.Rollout.Strategy != v1.StrategyCanary {
		return []string{"spec.autoscaling.warmPool: ignored: only the steps of a Canary have spare pods"}
	}
	if s.Route == nil {
		return []string{"spec.autoscaling.warmPool: ignored without spec.route, where pods that are ready get traffic"}
	}
	return nil
}

// warnScaleToZero warns that a version without pods answers no request.
func warnScaleToZero(r *v1.Route, a *v1.Autoscaling) []string {
	switch {
	case a == nil || a.Keda == nil || a.Keda.ScaleToZero == nil || !*a.Keda.ScaleToZero:
		return nil
	case r == nil:
		return []string{"spec.autoscaling.keda.scaleToZero: ignored without spec.route, where no version is reached by its header"}
	default:
		return []string{"spec.autoscaling.keda.scaleToZero: requests to a version without pods fail until a trigger has started one"}
	}
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
		if isScalingNamed(a) {
			return []string{"spec.autoscaling: ignored until spec.autoscaling.enabled is true"}
		}
		return nil
	}
	var out []string
	if a.TargetCPU != nil || len(a.Metrics) == 0 {
		out = append(out, warnTarget(r, corev1.ResourceCPU, "targetCPU")...)
	}
	if a.TargetMemory != nil {
		out = append(out, warnTarget(r, corev1.ResourceMemory, "targetMemory")...)
	}
	if replicas != nil && a.MinReplicas == nil && a.MaxReplicas != nil && *a.MaxReplicas < *replicas/2 {
		out = append(out, fmt.Sprintf("spec.autoscaling.maxReplicas: %d is below half of replicas (%d), so there will be no more pods than that", *a.MaxReplicas, *replicas))
	}
	return out
}

// isScalingNamed reports whether a field is set that only an autoscaler uses.
func isScalingNamed(a *v1.Autoscaling) bool {
	return a.MinReplicas != nil || a.MaxReplicas != nil || a.TargetCPU != nil || a.TargetMemory != nil ||
		a.Behavior != nil || a.Metrics != nil || a.Keda != nil
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

// warnToken warns of secrets:read where the module has neither an account nor a Secret.
func warnToken(s *v1.GatiModuleSpec) []string {
	if !slices.Contains(s.Capabilities, v1.CapabilitySecretsRead) || s.Pod != nil && s.Pod.ServiceAccountName != "" || namesSecret(s) {
		return nil
	}
	return []string{"spec.capabilities: secrets:read needs spec.pod.serviceAccountName, an account that may read them"}
}
