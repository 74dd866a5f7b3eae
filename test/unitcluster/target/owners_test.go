package target

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// makeOwners returns handlers and modules whose plans have every kind of child.
func makeOwners() map[string]client.Object {
	return map[string]client.Object{
		"bare handler": builders.MakeHandler("bare").Obj(),
		"full handler": fullHandler().Obj(),
		"module": builders.MakeModule("db").Replicas(3).Autoscale(2, 4).Config("POOL", "5").
			Capabilities(v1.CapabilityDatabaseRead, v1.CapabilityStorage).Obj(),
		"wasm module": builders.MakeModule("w").Type(v1.ModuleWasm).Runtime("wasmtime").Capabilities(v1.CapabilityNetwork).Obj(),
	}
}

func fullHandler() *builders.Handler {
	return builders.MakeHandler("full").Path("/users/:id").Methods("GET", "POST").Version("v1.2.3").Image("app:v9").
		Port(8080).Replicas(4).Env("Z", "1").Env("A", "2").Autoscale(2, 8).
		Gateway("public").Hostname("api.example.com").PathMatch(v1.PathMatchRegex).Modules("db").
		Resources(v1.Resources{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("0.25"), corev1.ResourceMemory: resource.MustParse("64Mi")}}).
		Pod(v1.PodSettings{
			Labels: map[string]string{"team": "users"}, Annotations: map[string]string{"example.com/note": "hello"},
			ServiceAccountName: "users", ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}},
			Command: []string{"node"}, Args: []string{"main.js"}, NodeSelector: map[string]string{"disk": "ssd"},
			Tolerations:  []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}},
			Volumes:      []v1.Volume{{Name: "cache", EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr(resource.MustParse("64Mi"))}}},
			VolumeMounts: []v1.VolumeMount{{Name: "cache", MountPath: "/cache"}},
		}).
		Spec(func(s *v1.GatiHandlerSpec) {
			s.Env = append(s.Env, corev1.EnvVar{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}})
			s.EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "more"}}}}
			s.Autoscaling.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptr[int32](60)}}
			request := gatewayv1.Duration("10s")
			s.Route.Timeouts = &gatewayv1.HTTPRouteTimeouts{Request: &request}
			s.Route.Filters = []gatewayv1.HTTPRouteFilter{{Type: gatewayv1.HTTPRouteFilterRequestHeaderModifier,
				RequestHeaderModifier: &gatewayv1.HTTPHeaderFilter{Set: []gatewayv1.HTTPHeader{{Name: "X-From", Value: "gateway"}}}}}
		})
}

func ptr[T any](v T) *T { return &v }
