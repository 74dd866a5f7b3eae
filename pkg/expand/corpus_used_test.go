package expand_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestCorpusUsesEveryField holds that each field of the API, down to where it
// becomes Kubernetes' own, is set in some entry. A new field fails until an object
// of the cases sets it.
func TestCorpusUsesEveryField(t *testing.T) {
	used := map[reflect.Type]map[string]bool{
		reflect.TypeFor[v1.GatiHandlerSpec](): {}, reflect.TypeFor[v1.GatiModuleSpec](): {},
	}
	for _, name := range entries(t) {
		obj := stored(t, corpus+"/"+name)
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			t.Fatal(err)
		}
		kind := reflect.TypeFor[v1.GatiHandlerSpec]()
		if _, ok := obj.(*v1.GatiModule); ok {
			kind = reflect.TypeFor[v1.GatiModuleSpec]()
		}
		paths("", content["spec"], used[kind])
	}
	for kind, have := range used {
		want := map[string]bool{}
		declared("", kind, want)
		for _, path := range slices.Sorted(maps.Keys(want)) {
			if !have[path] && !refused[kind.Name()+path] {
				t.Errorf("no entry of the corpus sets %s%s", kind.Name(), path)
			}
		}
	}
}

// refused are fields that a kind shares with another and must not set.
var refused = map[string]bool{"GatiModuleSpec.autoscaling.warmReplicas": true, "GatiModuleSpec.autoscaling.warmPool": true, "GatiModuleSpec.autoscaling.keda.scaleToZero": true}

// declared collects the paths of the fields of our own types.
func declared(at string, typ reflect.Type, into map[string]bool) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ.PkgPath() != reflect.TypeFor[v1.GatiHandlerSpec]().PkgPath() {
		return
	}
	for i := range typ.NumField() {
		path := at
		if !typ.Field(i).Anonymous {
			path += "." + jsonName(typ.Field(i))
			into[path] = true
		}
		declared(path, typ.Field(i).Type, into)
	}
}

// paths collects the paths that a value has.
func paths(at string, value any, into map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			into[at+"."+key] = true
			paths(at+"."+key, item, into)
		}
	case []any:
		for _, item := range v {
			paths(at, item, into)
		}
	}
}

// everyField is a handler that sets each field there is.
func everyField() *builders.Handler {
	return everything().Step(10, "5m").Spec(func(s *v1.GatiHandlerSpec) {
		s.Resources.Limits = quantity(corev1.ResourceMemory, "1Gi")
		s.HealthCheck.Type = v1.HealthCheckHTTP
		s.Autoscaling.TargetMemory = ptr[int32](75)
		s.Rollout.Strategy, s.Rollout.RollbackWindow, s.Rollout.AutoRollback = v1.StrategyRollingUpdate, "5m", ptr(false)
		s.Timescape = &v1.Timescape{Breaking: ptr(false), RoutingWeight: ptr[int32](50)}
		s.Contract = "v1.0.0"
		s.Versions = &v1.VersionPolicy{
			Compatibility: v1.CompatibilityFull, Transitive: ptr(true), Drain: &v1.Drain{Window: "1m", Deadline: "30m"},
			ColdAfter: "1d", MinActive: ptr[int32](2), MinAge: "10m", HistoryLimit: ptr[int32](5), ProtectedTags: []v1.Tag{"live"},
		}
		s.Schema = &v1.VersionSchema{
			Input:  &apiextensionsv1.JSON{Raw: []byte(`{"type":"object"}`)},
			Output: &apiextensionsv1.JSON{Raw: []byte(`{"type":"string"}`)},
		}
		everyVolume(s.Pod)
	})
}

// judged is a handler that sets each field of an analysis, and what else speaks of
// traffic.
func judged(h *builders.Handler) *builders.Handler {
	return h.Strategy(v1.StrategyCanary).Gateway("front").Autoscale(1, 3).Spec(func(s *v1.GatiHandlerSpec) {
		s.Autoscaling.WarmReplicas, s.Route.OnlyPath = ptr[int32](2), ptr(true)
		s.Rollout.Analysis = &v1.Analysis{
			Interval: "10s", Confidence: "99.9", Detect: ptr[int32](3), Inconclusive: v1.InconclusiveWait, DryRun: true, Window: "2m", Mode: v1.AnalysisStep, FailureLimit: ptr[int32](3), MinSamples: ptr[int32](50), NoData: v1.NoDataFail,
			Metrics: []v1.AnalysisMetric{
				{SuccessRate: &v1.SuccessRate{Min: "99.5", Baseline: &v1.Baseline{Within: "1"}}},
				{Latency: &v1.Latency{Quantile: "0.99", Max: "500ms", Baseline: &v1.Baseline{Within: "20"}}},
				{Query: &v1.AnalysisQuery{Name: "queue length", PromQL: "sum(queue_length{pod=~'{{pods}}'})", Min: "0", Max: "100"}},
			},
		}
	})
}

// checked is a handler that sets each field of a check.
func checked(h *builders.Handler) *builders.Handler {
	return h.Strategy(v1.StrategyCanary).Gateway("front").Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.Checks = []v1.RolloutCheck{{
			Name: "load", When: v1.CheckStep, Step: ptr[int32](2), Timeout: "2m", Inconclusive: v1.InconclusiveWait,
			Job: v1.CheckJob{
				Image: "load:v1", Command: []string{"load"}, Args: []string{"--rate", "50"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}},
				EnvFrom:            []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "load"}}}},
				Resources:          &v1.Resources{Requests: corev1.ResourceList{"cpu": resource.MustParse("250m")}, Limits: corev1.ResourceList{"cpu": resource.MustParse("1")}},
				ServiceAccountName: "load",
			},
		}}
	})
}

// everyModuleField is a module that sets each field there is.
func everyModuleField() *builders.Module {
	return builders.MakeModule("db").UID("u2").Type(v1.ModuleNode).ModuleName("database").Runtime("node:20").Image("db:v1.0.0").
		Port(6000).Replicas(2).Env("A", "1").Config("POOL", "5").Autoscale(2, 6).
		Capabilities(v1.CapabilityNetwork, v1.CapabilityFilesystemWrite, v1.CapabilitySecretsRead).
		Resources(v1.Resources{Requests: quantity(corev1.ResourceCPU, "250m"), Limits: quantity(corev1.ResourceCPU, "1")}).
		Pod(everyPodSetting()).
		Spec(func(s *v1.GatiModuleSpec) {
			s.Autoscaling.TargetCPU, s.Autoscaling.TargetMemory = ptr[int32](60), ptr[int32](75)
			s.Autoscaling.Behavior = everything().Obj().Spec.Autoscaling.Behavior
			s.HealthCheck = &v1.ModuleHealthCheck{Type: v1.HealthCheckHTTP, Path: "/live", Interval: "5s", Timeout: "1s", FailureThreshold: ptr[int32](4)}
			s.Rollout = &v1.ModuleRollout{ProgressDeadline: "5m", AutoRollback: ptr(false)}
			everyVolume(s.Pod)
		})
}

// everyVolume adds a volume of each kind that a pod may have.
func everyVolume(p *v1.PodSettings) {
	p.AutomountServiceAccountToken = ptr(true)
	p.Volumes = append(p.Volumes,
		v1.Volume{Name: "password", Secret: &corev1.SecretVolumeSource{SecretName: "db"}},
		v1.Volume{Name: "claim", PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "files"}},
		v1.Volume{Name: "all", Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{
			ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "files"}},
		}}}},
		v1.Volume{Name: "self", DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{{
			Path: "labels", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels"},
		}}}},
	)
}
