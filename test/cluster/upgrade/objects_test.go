package upgrade

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

const (
	// namespaceImage is the image where a spec names none.
	namespaceImage = "registry.example.com/shop:v7"
	// account is that of the modules that may read secrets.
	account = "reader"
)

// makeBareObjects returns specs that leave open all that can be left open, so that what is in
// their templates is derived.
func makeBareObjects(ns string) []client.Object {
	probed := func(kind v1.HealthCheckType) client.Object {
		return builders.MakeHandler("bare-" + string(kind)).Namespace(ns).Path("/" + string(kind)).Spec(func(s *v1.GatiHandlerSpec) {
			s.HealthCheck = &v1.HealthCheck{Type: kind}
		}).Obj()
	}
	return []client.Object{
		probed(v1.HealthCheckHTTP), probed(v1.HealthCheckTCP), probed(v1.HealthCheckGRPC),
		// The tag of this image is no version.
		builders.MakeHandler("bare-latest").Namespace(ns).Path("/latest").Image("app:latest").Obj(),
		builders.MakeModule("bare").Namespace(ns).Runtime("node:20").Obj(),
		builders.MakeModule("bare-able").Namespace(ns).Runtime("node:20").Capabilities(v1.CapabilityStorage, v1.CapabilitySecretsRead).
			Pod(v1.PodSettings{ServiceAccountName: account}).Obj(),
	}
}

// makeFleet returns the handlers and modules of the test: the bare ones, and others that
// each set some of what can be set.
func makeFleet(ns string, strategies []v1.Strategy) []client.Object {
	out := makeBareObjects(ns)
	for i := range handlers - 4 {
		out = append(out, variedHandler(ns, i, strategies[i%len(strategies)]))
	}
	for i := range modules - 2 {
		out = append(out, variedModule(ns, i))
	}
	return out
}

// variedHandler is the i-th of handlers that differ in what they set.
func variedHandler(ns string, i int, strategy v1.Strategy) client.Object {
	b := builders.MakeHandler(fmt.Sprintf("h%d", i)).Namespace(ns).Path(fmt.Sprintf("/h%d", i)).Strategy(strategy)
	if i%2 == 0 {
		b.Image(fmt.Sprintf("app:v1.%d.0", i))
	}
	if i%3 == 0 {
		b.Version(fmt.Sprintf("v2.%d.0", i))
	}
	if i%5 == 0 {
		b.Port(8080).Env("A", "1").Env("HOST", "::1")
	}
	if i%7 == 0 {
		b.Resources(v1.Resources{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m")}})
	}
	if i%4 == 1 {
		b.Pod(somePod(i))
	}
	if i%4 == 3 {
		b.Modules("bare", "bare-able").Spec(func(s *v1.GatiHandlerSpec) {
			s.HealthCheck = &v1.HealthCheck{Path: "/ready", Interval: "20s"}
		})
	}
	if strategy == v1.StrategyRollingUpdate && i%6 == 0 {
		b.Replicas(2).Spec(func(s *v1.GatiHandlerSpec) { s.Autoscaling = makeBoundlessAutoscaling() })
	}
	return b.Obj()
}

// makeBoundlessAutoscaling returns an autoscaler whose bounds are left open.
func makeBoundlessAutoscaling() *v1.Autoscaling { return &v1.Autoscaling{Enabled: new(true)} }

// somePod sets one of several parts of a pod.
func somePod(i int) v1.PodSettings {
	switch i % 3 {
	case 0:
		return v1.PodSettings{RunAsUser: new(int64(2000 + i)), Labels: map[string]string{"team": "users"}}
	case 1:
		return v1.PodSettings{TerminationGracePeriodSeconds: new(int64(17)), Args: []string{"--trace"}}
	default:
		return v1.PodSettings{
			ReadOnlyRootFilesystem: new(false),
			Volumes:                []v1.Volume{{Name: "cache", EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			VolumeMounts:           []v1.VolumeMount{{Name: "cache", MountPath: "/cache"}},
		}
	}
}

// variedModule is the i-th of modules that differ in what they set.
func variedModule(ns string, i int) client.Object {
	capabilities := []v1.Capability{
		v1.CapabilityNetwork, v1.CapabilityFilesystemWrite, v1.CapabilityDatabaseRead, v1.CapabilityMetricsWrite, v1.CapabilityNetworkIngress,
	}
	b := builders.MakeModule(fmt.Sprintf("m%d", i)).Namespace(ns).Capabilities(capabilities[i%len(capabilities)])
	switch i % 3 {
	case 0:
		b.Runtime("node:20").ModuleName("shared")
	case 1:
		b.Type(v1.ModuleWasm).Runtime("wasmtime").Image("wasm:v1.0.0")
	default:
		b.Type(v1.ModuleOCI).Image("oci:v1.0.0").Port(6000)
	}
	if i%4 == 0 {
		b.Config("POOL", "5").Env("A", "1")
	}
	if i%4 == 1 {
		b.Pod(somePod(i))
	}
	if i%5 == 0 {
		b.Replicas(2).Spec(func(s *v1.GatiModuleSpec) { s.Autoscaling = makeBoundlessAutoscaling() })
	}
	return b.Obj()
}

// makeNamespace makes one in which specs may leave the image open.
func makeNamespace(t *testing.T, c client.Client, name string) {
	t.Helper()
	env.Namespace(t, name, v1.AnnotationImage+"="+namespaceImage)
	reader := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: account}}
	createObjects(t, c, []client.Object{reader})
}

func createObjects(t *testing.T, c client.Client, objects []client.Object) {
	t.Helper()
	for _, obj := range objects {
		if err := c.Create(t.Context(), obj.DeepCopyObject().(client.Object)); err != nil {
			t.Fatalf("create %T %s: %v", obj, obj.GetName(), err)
		}
	}
}

// availableStrategies are the strategies that this release runs. Any other refusal than
// that of a strategy is a failure.
func availableStrategies(t *testing.T, c client.Client, ns string) []v1.Strategy {
	t.Helper()
	var out []v1.Strategy
	for _, s := range []v1.Strategy{v1.StrategyRollingUpdate, v1.StrategyCanary, v1.StrategyManual} {
		err := c.Create(context.Background(), builders.MakeHandler("probe").Namespace(ns).Strategy(s).Obj(), client.DryRunAll)
		switch {
		case err == nil:
			out = append(out, s)
		case !strings.Contains(err.Error(), "is not available in this release"):
			t.Fatalf("strategy %s: %v", s, err)
		}
	}
	if len(out) == 0 || out[0] != v1.StrategyRollingUpdate {
		t.Fatalf("the strategies are %v, want RollingUpdate among them", out)
	}
	t.Logf("strategies %v", out)
	return out
}
