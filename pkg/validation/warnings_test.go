package validation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// withoutMetrics is a Canary whose stable version has this source of traffic, none by default.
func withoutMetrics(a *v1.Analysis, source ...string) *v1.GatiHandler {
	h := builders.MakeHandler("a").Strategy(v1.StrategyCanary).Gateway("web").Image("i:v2").Obj()
	h.Spec.Rollout.Analysis = a
	u := v1.VersionStatus{Version: "v1", RevisionNumber: 1, Workload: "main", TrafficSource: v1.TrafficSourceNone}
	if source != nil {
		u.TrafficSource = source[0]
	}
	h.Status.Versions, h.Status.Rollout = []v1.VersionStatus{u}, &v1.RolloutStatus{Stable: u.Ref()}
	return h
}

// TestWarnings checks what is warned of: the fields, in order.
func TestWarnings(t *testing.T) {
	whole := int32(100)
	memoryOnly := v1.Resources{Requests: corev1.ResourceList{"memory": resource.MustParse("1Gi")}}
	toZero := func(s *v1.GatiHandlerSpec) {
		yes := true
		s.Autoscaling.Keda = &v1.Keda{ScaleToZero: &yes, Cron: []v1.KedaCron{{}}}
	}
	tests := map[string]struct {
		got  []string
		want []string
	}{
		"nothing":                   {WarnHandler(builders.MakeHandler("a").Image("i:v1").Obj()), nil},
		"no image":                  {WarnHandler(builders.MakeHandler("a").Obj()), nil},
		"no tag":                    {WarnHandler(builders.MakeHandler("a").Image("r:5000/i").Obj()), []string{"spec.image"}},
		"latest":                    {WarnModule(builders.MakeModule("a").Image("i:latest").Obj()), []string{"spec.image"}},
		"a digest":                  {WarnHandler(builders.MakeHandler("a").Image("i@sha256:00").Obj()), nil},
		"steps":                     {WarnHandler(builders.MakeHandler("a").Step(10, "5m").Obj()), []string{"spec.rollout.steps"}},
		"steps of a Canary":         {WarnHandler(builders.MakeHandler("a").Strategy(v1.StrategyCanary).Step(10, "5m").Obj()), nil},
		"planned steps":             {WarnHandler(planned(v1.Rollout{})), []string{"spec.rollout.autoSteps"}},
		"planned steps, unjudged":   {WarnHandler(planned(v1.Rollout{Strategy: v1.StrategyCanary, Analysis: &v1.Analysis{Enabled: new(bool)}})), []string{"spec.rollout.autoSteps"}},
		"planned steps of a Canary": {WarnHandler(planned(v1.Rollout{Strategy: v1.StrategyCanary})), nil},
		"analysis": {WarnHandler(builders.MakeHandler("a").Spec(func(s *v1.GatiHandlerSpec) {
			s.Rollout = &v1.Rollout{Strategy: v1.StrategyManual, Analysis: &v1.Analysis{}}
		}).Obj()), []string{"spec.rollout.analysis"}},
		"analysis of counts": {WarnHandler(judgedBy(v1.Analysis{
			Window: "1m", Mode: v1.AnalysisBackground, Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99"}}, {Latency: &v1.Latency{Max: "500ms"}}},
		})), nil},
		"fields of queries without one": {WarnHandler(judgedBy(v1.Analysis{
			Window: "2m", FailureLimit: &whole, Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99"}}},
		})), []string{"spec.rollout.analysis"}},
		"fields of queries with one": {WarnHandler(judgedBy(v1.Analysis{
			Window: "2m", FailureLimit: &whole, Metrics: []v1.AnalysisMetric{{Query: &v1.AnalysisQuery{Name: "a", PromQL: "a", Max: "1"}}},
		})), nil},
		"bounds that are none": {WarnHandler(judgedBy(v1.Analysis{
			Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "100"}}, {Latency: &v1.Latency{Max: "300ms"}}},
		})), []string{"spec.rollout.analysis.metrics[0].successRate.min", "spec.rollout.analysis.metrics[1].latency.max"}},
		"a Canary without metrics":                  {WarnHandler(withoutMetrics(nil)), []string{"spec.rollout"}},
		"a Canary without metrics, and no analysis": {WarnHandler(withoutMetrics(&v1.Analysis{Enabled: new(bool)})), nil},
		"a Canary whose stable version has metrics": {WarnHandler(withoutMetrics(nil, "pods")), nil},
		"warm replicas": {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Spec(func(s *v1.GatiHandlerSpec) {
			s.Autoscaling.WarmReplicas = s.Autoscaling.MinReplicas
		}).Obj()), []string{"spec.autoscaling.warmReplicas"}},
		"warm pool":                      {WarnHandler(pooled(builders.MakeHandler("a").Strategy(v1.StrategyCanary))), []string{"spec.rollout.steps", "spec.autoscaling.warmPool"}},
		"warm pool without steps":        {WarnHandler(pooled(builders.MakeHandler("a").Gateway("web"))), []string{"spec.autoscaling.warmPool"}},
		"warm pool for a Canary's steps": {WarnHandler(pooled(builders.MakeHandler("a").Gateway("web").Strategy(v1.StrategyCanary))), nil},
		"a weight":                       {WarnHandler(builders.MakeHandler("a").Spec(func(s *v1.GatiHandlerSpec) { s.Timescape = &v1.Timescape{RoutingWeight: new(int32)} }).Obj()), []string{"spec.timescape.routingWeight"}},
		"the weight that it has":         {WarnHandler(builders.MakeHandler("a").Spec(func(s *v1.GatiHandlerSpec) { s.Timescape = &v1.Timescape{RoutingWeight: &whole} }).Obj()), nil},
		"autoscaling":                    {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Obj()), nil},
		"autoscaling, no request":        {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Resources(memoryOnly).Obj()), []string{"spec.autoscaling.targetCPU"}},
		"autoscaling, no requests":       {WarnModule(builders.MakeModule("a").Autoscale(1, 2).Resources(v1.Resources{}).Obj()), []string{"spec.autoscaling.targetCPU"}},
		"autoscaling by memory, no requests": {WarnModule(builders.MakeModule("a").Autoscale(1, 2).Resources(v1.Resources{}).Spec(func(s *v1.GatiModuleSpec) {
			s.Autoscaling.TargetMemory = &whole
		}).Obj()), []string{"spec.autoscaling.targetCPU", "spec.autoscaling.targetMemory"}},
		"autoscaling by a metric, no requests": {WarnModule(builders.MakeModule("a").Autoscale(1, 2).Resources(v1.Resources{}).Spec(func(s *v1.GatiModuleSpec) {
			s.Autoscaling.Metrics = []v1.ScalingMetric{{Type: v1.ScalingMetricPods, Name: "m", AverageValue: new(resource.MustParse("1"))}}
		}).Obj()), nil},
		"scale to zero":                   {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Gateway("edge").Spec(toZero).Obj()), []string{"spec.autoscaling.keda.scaleToZero"}},
		"scale to zero without a gateway": {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Spec(toZero).Obj()), []string{"spec.autoscaling.keda.scaleToZero"}},
		"autoscaling off": {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Spec(func(s *v1.GatiHandlerSpec) {
			s.Autoscaling.Enabled = nil
		}).Obj()), []string{"spec.autoscaling"}},
		"autoscaling, low maximum": {WarnHandler(builders.MakeHandler("a").Replicas(10).Autoscale(1, 2).Spec(func(s *v1.GatiHandlerSpec) {
			s.Autoscaling.MinReplicas = nil
		}).Obj()), []string{"spec.autoscaling.maxReplicas"}},
		"secrets without account": {WarnModule(builders.MakeModule("a").Capabilities(v1.CapabilitySecretsRead).Obj()), []string{"spec.capabilities"}},
		"secrets with account":    {WarnModule(builders.MakeModule("a").Capabilities(v1.CapabilitySecretsRead).Pod(v1.PodSettings{ServiceAccountName: "s"}).Obj()), nil},
		"secrets with a Secret": {WarnModule(builders.MakeModule("a").Capabilities(v1.CapabilitySecretsRead).Spec(func(s *v1.GatiModuleSpec) {
			s.Env = []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{}}}}
		}).Obj()), nil},
		"secrets with files": {WarnModule(builders.MakeModule("a").Capabilities(v1.CapabilitySecretsRead).Pod(v1.PodSettings{
			Volumes: []v1.Volume{{Name: "s", Secret: &corev1.SecretVolumeSource{}}},
		}).Obj()), nil},
		"traffic":              {WarnVersion(builders.MakeVersion("a").Traffic(100).Obj(), v1.StrategyCanary), []string{"spec.traffic"}},
		"no traffic":           {WarnVersion(builders.MakeVersion("a").Obj(), v1.StrategyCanary), nil},
		"traffic under Manual": {WarnVersion(builders.MakeVersion("a").Traffic(100).Obj(), v1.StrategyManual), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var fields []string
			for _, warning := range tc.got {
				at, sentence, _ := strings.Cut(warning, ": ")
				fields = append(fields, at)
				if len(warning) > 120 || sentence == "" {
					t.Errorf("want a sentence within 120 characters, got %q", warning)
				}
			}
			if diff := cmp.Diff(tc.want, fields); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// judgedBy returns a Canary with an analysis.
func judgedBy(a v1.Analysis) *v1.GatiHandler {
	return builders.MakeHandler("a").Strategy(v1.StrategyCanary).Step(10, "5m").Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.Analysis = &a }).Obj()
}

// pooled is a handler with a warm pool.
func pooled(b *builders.Handler) *v1.GatiHandler {
	two := int32(2)
	return b.Spec(func(s *v1.GatiHandlerSpec) { s.Autoscaling = &v1.Autoscaling{WarmPool: &two} }).Obj()
}

// planned returns a handler whose steps are planned.
func planned(r v1.Rollout) *v1.GatiHandler {
	r.AutoSteps = &v1.AutoSteps{}
	return builders.MakeHandler("a").Image("i:v1").Gateway("web").Spec(func(s *v1.GatiHandlerSpec) { s.Rollout = &r }).Obj()
}
