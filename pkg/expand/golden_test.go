package expand_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/expand"
)

// TestGoldenSamples shows the whole plan of every sample that we ship.
func TestGoldenSamples(t *testing.T) {
	for name, obj := range samples(t) {
		t.Run(name, func(t *testing.T) { golden(t, name, text(t, plan(t, obj).Objects)) })
	}
}

// samples are the handlers and modules that we ship, by file and place.
func samples(t *testing.T) map[string]client.Object {
	t.Helper()
	files, err := filepath.Glob("../../manifests/samples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	out := map[string]client.Object{}
	for _, file := range files {
		for _, doc := range decoded(t, file) {
			if _, ok := doc.Object.(*v1.GatiVersion); ok || doc.Foreign {
				continue // A record has no children.
			}
			stem := strings.TrimSuffix(filepath.Base(file), ".yaml")
			out[fmt.Sprintf("sample-%s-%d", stem, doc.Index)] = doc.Object
		}
	}
	return out
}

func decoded(t *testing.T, file string) []admit.Document {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	docs, err := admit.Decode(f, file)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func TestGolden(t *testing.T) {
	for name, obj := range shown() {
		t.Run(name, func(t *testing.T) { golden(t, name, text(t, plan(t, obj).Objects)) })
	}
}

// shown are the objects whose whole plan the goldens hold: a handler with
// everything, each type of module and each capability.
func shown() map[string]client.Object {
	out := map[string]client.Object{
		"handler-bare":       builders.MakeHandler("bare").UID("u1").Obj(),
		"handler-everything": everything().Obj(),
		"handler-keda":       scaledByKeda().Obj(),
		"handler-metrics":    scaledByMetrics().Obj(),
		"handler-pool":       builders.MakeHandler("pool").UID("u1").Replicas(10).Gateway("web").Strategy(v1.StrategyCanary).Spec(func(s *v1.GatiHandlerSpec) { s.Autoscaling = &v1.Autoscaling{WarmPool: ptr[int32](4)} }).Obj(),
		"handler-tcp":        builders.MakeHandler("tcp").UID("u1").Spec(func(s *v1.GatiHandlerSpec) { s.HealthCheck = &v1.HealthCheck{Type: v1.HealthCheckTCP} }).Obj(),
		"handler-grpc":       builders.MakeHandler("grpc").UID("u1").Spec(func(s *v1.GatiHandlerSpec) { s.HealthCheck = &v1.HealthCheck{Type: v1.HealthCheckGRPC} }).Obj(),
		"handler-beside":     beside().Obj(),
		"module-beside":      builders.MakeModule("db").UID("u2").Type(v1.ModuleOCI).Autoscale(2, 6).Pod(v1.PodSettings{Sidecars: []v1.Sidecar{{ContainerProgram: v1.ContainerProgram{Name: "pooler", Image: "pooler:v1"}, Ports: []v1.ContainerPort{{Name: "module", ContainerPort: 6432}}}}}).Obj(),
		"module-node":        builders.MakeModule("db").UID("u2").Runtime("node:20").Config("POOL", "5").Obj(),
		"module-wasm":        builders.MakeModule("db").UID("u2").Type(v1.ModuleWasm).Runtime("wasmtime").Obj(),
		"module-oci":         builders.MakeModule("db").UID("u2").Type(v1.ModuleOCI).ModuleName("database").Replicas(3).Autoscale(2, 6).Obj(),
	}
	for name, like := range map[string]*builders.Handler{"module-keda": scaledByKeda(), "module-metrics": scaledByMetrics()} {
		out[name] = builders.MakeModule("db").UID("u2").Spec(func(s *v1.GatiModuleSpec) {
			if s.Autoscaling = like.Obj().Spec.Autoscaling; s.Autoscaling.Keda != nil {
				s.Autoscaling.Keda.ScaleToZero = nil
			}
		}).Obj()
	}
	for _, c := range []v1.Capability{
		v1.CapabilityNetwork, v1.CapabilityStorage, v1.CapabilityNetworkEgress, v1.CapabilityNetworkIngress,
		v1.CapabilityFilesystemRead, v1.CapabilityFilesystemWrite, v1.CapabilityDatabaseRead, v1.CapabilityDatabaseWrite,
		v1.CapabilityCacheRead, v1.CapabilityCacheWrite, v1.CapabilitySecretsRead, v1.CapabilityMetricsWrite,
	} {
		name := "capability-" + strings.ReplaceAll(string(c), ":", "-")
		out[name] = builders.MakeModule("m").UID("u2").Capabilities(c).Pod(v1.PodSettings{ServiceAccountName: "reader"}).Obj()
	}
	return out
}

// scaledByKeda is a handler with each kind of trigger.
func scaledByKeda() *builders.Handler {
	return builders.MakeHandler("keda").UID("u1").Replicas(4).Spec(func(s *v1.GatiHandlerSpec) {
		s.Autoscaling = &v1.Autoscaling{Enabled: ptr(true), TargetMemory: ptr[int32](90), Keda: &v1.Keda{
			RequestsPerSecond: ptr[int32](250), ScaleToZero: ptr(true),
			Cron: []v1.KedaCron{{Timezone: "Europe/Berlin", Start: "0 8 * * 1-5", End: "0 18 * * 1-5", Replicas: 6}},
			Triggers: []v1.KedaTrigger{{
				Type: "kafka", Metadata: map[string]string{"bootstrapServers": "kafka:9092", "topic": "orders", "lagThreshold": "50"},
				AuthenticationRef: &v1.KedaAuthenticationRef{Name: "kafka", Kind: "TriggerAuthentication"},
			}},
		}}
	})
}

// scaledByMetrics is a handler with each kind of custom and external metric.
func scaledByMetrics() *builders.Handler {
	return builders.MakeHandler("metrics").UID("u1").Replicas(4).Spec(func(s *v1.GatiHandlerSpec) {
		s.Autoscaling = &v1.Autoscaling{Enabled: ptr(true), Metrics: []v1.ScalingMetric{
			{Type: v1.ScalingMetricPods, Name: "queue_length", AverageValue: new(resource.MustParse("20"))},
			{Type: v1.ScalingMetricOfObject, Name: "requests", Value: new(resource.MustParse("2k")), Object: &v1.ScalingMetricObject{APIVersion: "networking.k8s.io/v1", Kind: "Ingress", Name: "edge"}},
			{Type: v1.ScalingMetricExternal, Name: "messages", MatchLabels: map[string]string{"queue": "orders"}, AverageValue: new(resource.MustParse("30"))},
		}}
	})
}

func plan(t testing.TB, obj client.Object) expand.Plan {
	t.Helper()
	switch o := obj.(type) {
	case *v1.GatiHandler:
		return planHandler(t, o)
	case *v1.GatiModule:
		return planModule(t, o)
	}
	t.Fatalf("%T has no plan", obj)
	return expand.Plan{}
}

// everything is a handler that sets every part of its spec that becomes a child.
func everything() *builders.Handler {
	return builders.MakeHandler("everything").UID("u1").
		Path("/users/:id").Methods("GET", "POST").Version("v1.2.3-rc.1").Image("registry.example.com/users:v9").
		Port(8080).Replicas(4).
		Resources(v1.Resources{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("0.25")}}).
		Env("Z", "last letter, first variable").Env("A", "1").Env("HOST", "::").
		Autoscale(2, 8).Gateway("public").Hostname("api.example.com").PathMatch(v1.PathMatchRegex).
		Modules("db", "mail-out").Pod(everyPodSetting()).
		Spec(func(s *v1.GatiHandlerSpec) {
			s.Env = append(s.Env,
				corev1.EnvVar{Name: "PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "db"}, Key: "password"}}},
				corev1.EnvVar{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
				corev1.EnvVar{Name: "CPUS", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "requests.cpu", Divisor: resource.MustParse("1m")}}},
			)
			s.EnvFrom = []corev1.EnvFromSource{{Prefix: "X_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "more"}}}}
			s.HealthCheck = &v1.HealthCheck{Path: "/ready", Interval: "1m30s", Timeout: "2s", FailureThreshold: ptr[int32](5)}
			s.Rollout = &v1.Rollout{ProgressDeadline: "2m"}
			s.Autoscaling.TargetCPU = ptr[int32](55)
			s.Autoscaling.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{
				ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptr[int32](60), SelectPolicy: ptr(autoscalingv2.MinChangePolicySelect),
					Policies: []autoscalingv2.HPAScalingPolicy{{Type: autoscalingv2.PodsScalingPolicy, Value: 1, PeriodSeconds: 30}}},
			}
			request := gatewayv1.Duration("10s")
			s.Route.Timeouts = &gatewayv1.HTTPRouteTimeouts{Request: &request}
			s.Route.Filters = []gatewayv1.HTTPRouteFilter{{Type: gatewayv1.HTTPRouteFilterRequestHeaderModifier,
				RequestHeaderModifier: &gatewayv1.HTTPHeaderFilter{Set: []gatewayv1.HTTPHeader{{Name: "X-From", Value: "gateway"}}}}}
		})
}

func everyPodSetting() v1.PodSettings {
	return v1.PodSettings{
		Labels: map[string]string{"team": "users"}, Annotations: map[string]string{"example.com/note": "hello"},
		ServiceAccountName: "users", ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}},
		ImagePullPolicy: corev1.PullAlways, Command: []string{"node"}, Args: []string{"--enable-source-maps", "main.js"},
		NodeSelector: map[string]string{"disk": "ssd"},
		Tolerations:  []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}},
		Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 10, PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "users"}}},
		}}}},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{MaxSkew: 2, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.DoNotSchedule}},
		PriorityClassName:         "high", SchedulerName: "other", TerminationGracePeriodSeconds: ptr(int64(time.Minute / time.Second)),
		RunAsUser: ptr[int64](2000), RunAsGroup: ptr[int64](2001), FSGroup: ptr[int64](2002), ReadOnlyRootFilesystem: ptr(false),
		Volumes: []v1.Volume{
			{Name: "cache", EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr(resource.MustParse("64Mi"))}},
			{Name: "files", ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "files"}}},
			{Name: "own-tmp", EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}},
		},
		VolumeMounts: []v1.VolumeMount{
			{Name: "files", MountPath: "/etc/files", ReadOnly: ptr(true)},
			{Name: "cache", MountPath: "/cache", SubPath: "a"},
			{Name: "own-tmp", MountPath: "/tmp"},
		},
	}
}
