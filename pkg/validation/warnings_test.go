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

// TestWarnings checks what is warned of: the fields, in order.
func TestWarnings(t *testing.T) {
	whole := int32(100)
	memoryOnly := v1.Resources{Requests: corev1.ResourceList{"memory": resource.MustParse("1Gi")}}
	tests := map[string]struct {
		got  []string
		want []string
	}{
		"nothing":           {WarnHandler(builders.MakeHandler("a").Image("i:v1").Obj()), nil},
		"no image":          {WarnHandler(builders.MakeHandler("a").Obj()), nil},
		"no tag":            {WarnHandler(builders.MakeHandler("a").Image("r:5000/i").Obj()), []string{"spec.image"}},
		"latest":            {WarnModule(builders.MakeModule("a").Image("i:latest").Obj()), []string{"spec.image"}},
		"a digest":          {WarnHandler(builders.MakeHandler("a").Image("i@sha256:00").Obj()), nil},
		"steps":             {WarnHandler(builders.MakeHandler("a").Step(10, "5m").Obj()), []string{"spec.rollout.steps"}},
		"steps of a Canary": {WarnHandler(builders.MakeHandler("a").Strategy(v1.StrategyCanary).Step(10, "5m").Obj()), nil},
		"analysis": {WarnHandler(builders.MakeHandler("a").Spec(func(s *v1.GatiHandlerSpec) {
			s.Rollout = &v1.Rollout{Strategy: v1.StrategyManual, Analysis: &v1.Analysis{}}
		}).Obj()), []string{"spec.rollout.analysis"}},
		"warm replicas": {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Spec(func(s *v1.GatiHandlerSpec) {
			s.Autoscaling.WarmReplicas = s.Autoscaling.MinReplicas
		}).Obj()), []string{"spec.autoscaling.warmReplicas"}},
		"a weight":                 {WarnHandler(builders.MakeHandler("a").Spec(func(s *v1.GatiHandlerSpec) { s.Timescape = &v1.Timescape{RoutingWeight: new(int32)} }).Obj()), []string{"spec.timescape.routingWeight"}},
		"the weight that it has":   {WarnHandler(builders.MakeHandler("a").Spec(func(s *v1.GatiHandlerSpec) { s.Timescape = &v1.Timescape{RoutingWeight: &whole} }).Obj()), nil},
		"autoscaling":              {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Obj()), nil},
		"autoscaling, no request":  {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Resources(memoryOnly).Obj()), []string{"spec.autoscaling.targetCPU"}},
		"autoscaling, no requests": {WarnModule(builders.MakeModule("a").Autoscale(1, 2).Resources(v1.Resources{}).Obj()), []string{"spec.autoscaling.targetCPU", "spec.autoscaling.targetMemory"}},
		"autoscaling off": {WarnHandler(builders.MakeHandler("a").Autoscale(1, 2).Spec(func(s *v1.GatiHandlerSpec) {
			s.Autoscaling.Enabled = nil
		}).Obj()), []string{"spec.autoscaling"}},
		"autoscaling, low maximum": {WarnHandler(builders.MakeHandler("a").Replicas(10).Autoscale(1, 2).Spec(func(s *v1.GatiHandlerSpec) {
			s.Autoscaling.MinReplicas = nil
		}).Obj()), []string{"spec.autoscaling.maxReplicas"}},
		"secrets without account": {WarnModule(builders.MakeModule("a").Capabilities(v1.CapabilitySecretsRead).Obj()), []string{"spec.capabilities"}},
		"secrets with account":    {WarnModule(builders.MakeModule("a").Capabilities(v1.CapabilitySecretsRead).Pod(v1.PodSettings{ServiceAccountName: "s"}).Obj()), nil},
		"traffic":                 {WarnVersion(builders.MakeVersion("a").Traffic(100).Obj(), v1.StrategyCanary), []string{"spec.traffic"}},
		"no traffic":              {WarnVersion(builders.MakeVersion("a").Obj(), v1.StrategyCanary), nil},
		"traffic under Manual":    {WarnVersion(builders.MakeVersion("a").Traffic(100).Obj(), v1.StrategyManual), nil},
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
