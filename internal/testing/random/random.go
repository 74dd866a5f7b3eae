// Package random makes specs for property tests. Any field may be set, to any value
// that code behind validation may receive.
//
// It is for tests alone. It must not know rules between fields: a spec may be
// rejected by validation.
package random

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"

	v1 "gati.dev/gati/api/v1"
)

// SeedVariable names the environment variable of the seed, to repeat a failure or
// to look for new ones.
const SeedVariable = "GATI_TEST_SEED"

// Source makes random values, the same for the same seed.
type Source struct{ filler *randfill.Filler }

// New returns a source with the seed of the environment, else 1, and logs it.
func New(t testing.TB) *Source {
	t.Helper()
	seed := int64(1)
	if text := os.Getenv(SeedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseInt(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", SeedVariable, err)
		}
	}
	t.Logf("%s=%d", SeedVariable, seed)
	return &Source{randfill.NewWithSeed(seed).NilChance(0.4).NumElements(0, 3).Funcs(customs...)}
}

// HandlerSpec makes a handler's spec.
func (s *Source) HandlerSpec() v1.GatiHandlerSpec { return fillNew[v1.GatiHandlerSpec](s) }

// ModuleSpec makes a module's spec.
func (s *Source) ModuleSpec() v1.GatiModuleSpec { return fillNew[v1.GatiModuleSpec](s) }

// Fill makes a value of any type.
func (s *Source) Fill(into any) { s.filler.Fill(into) }

func fillNew[T any](s *Source) T {
	var out T
	s.filler.Fill(&out)
	return out
}

// customs make values of types of which the API server accepts few values.
var customs = []any{
	func(q *resource.Quantity, c randfill.Continue) {
		*q = resource.MustParse(pickOne(c, "0", "1", "0.5", "500m", "128Mi", "1Gi", "2e3"))
	},
	func(t *metav1.Time, c randfill.Continue) { *t = metav1.Unix(1_700_000_000+c.Int63n(1e8), 0) },
	func(j *apiextensionsv1.JSON, c randfill.Continue) {
		j.Raw = []byte(fmt.Sprintf(`{"type":"string","maxLength":%d}`, c.Intn(100)))
	},
	func(d *v1.Duration, c randfill.Continue) {
		*d = v1.Duration(pickOne(c, "", "1s", "90s", "5m", "1h30m", "7d"))
	},
	func(v *v1.VersionID, c randfill.Continue) {
		*v = v1.VersionID(pickOne(c, "", "v1", "2", "v1.2.3", "v1.2.3-rc.1", "tsv:1732186200-users-001"))
	},
	func(k *v1.HealthCheckType, c randfill.Continue) {
		*k = v1.HealthCheckType(pickOne(c, "", "http", "tcp", "grpc"))
	},
	func(k *v1.ModuleType, c randfill.Continue) { *k = v1.ModuleType(pickOne(c, "node", "wasm", "oci")) },
	func(n *v1.ObjectName, c randfill.Continue) {
		*n = v1.ObjectName(fmt.Sprintf("%s-%d", pickOne(c, "a", "b-c", "users"), c.Intn(9)))
	},
	func(k *v1.Capability, c randfill.Continue) {
		*k = v1.Capability(pickOne(c, "network", "storage", "network:egress", "network:ingress", "filesystem:write", "database:read", "secrets:read"))
	},
	fuzzHandlerSpec, fuzzModuleSpec, fuzzPodSettings, fuzzAutoscaling, fuzzEnvVar,
}

func fuzzHandlerSpec(s *v1.GatiHandlerSpec, c randfill.Continue) {
	c.FillNoCustom(s)
	s.Path = pickOne(c, "/", "/a/b", "/users/:id", "/files/*", "/[a]/:b/*")
	s.Image = pickOne(c, "", "app", "app:v1.2.3", "registry:5000/app:latest")
	limitToPositive(s.Port, 65535)
	limitToPositive(s.Replicas, 50)
}

func fuzzModuleSpec(s *v1.GatiModuleSpec, c randfill.Continue) {
	c.FillNoCustom(s)
	s.Image = pickOne(c, "", "module:1", "registry:5000/module")
	s.Runtime = pickOne(c, "", "node:20", "wasmtime")
	limitToPositive(s.Port, 65535)
	limitToPositive(s.Replicas, 50)
}

func fuzzPodSettings(p *v1.PodSettings, c randfill.Continue) {
	c.FillNoCustom(p)
	for _, id := range []*int64{p.RunAsUser, p.RunAsGroup, p.FSGroup, p.TerminationGracePeriodSeconds} {
		limitToPositive(id, 5000)
	}
	for i := range p.Volumes {
		p.Volumes[i] = v1.Volume{Name: fmt.Sprintf("v%d", i), EmptyDir: &corev1.EmptyDirVolumeSource{}}
	}
	fuzzContainers(p, c)
}

// fuzzContainers gives each container beside the own one a name of its own.
func fuzzContainers(p *v1.PodSettings, c randfill.Continue) {
	for i := range p.InitContainers {
		p.InitContainers[i].Name, p.InitContainers[i].Image = fmt.Sprintf("init-%d", i), pickOne(c, "", "init:v1")
	}
	for i := range p.Sidecars {
		s := &p.Sidecars[i]
		s.Name, s.Image = fmt.Sprintf("side-%d", i), pickOne(c, "", "side:v1")
		for j := range s.Ports {
			s.Ports[j] = v1.ContainerPort{Name: pickOne(c, "", "http", "module", "stats"), ContainerPort: int32(9000 + i*100 + j)}
		}
	}
}

func fuzzAutoscaling(a *v1.Autoscaling, c randfill.Continue) {
	c.FillNoCustom(a)
	for _, n := range []*int32{a.MinReplicas, a.MaxReplicas, a.TargetCPU, a.TargetMemory} {
		limitToPositive(n, 90)
	}
	if a.MinReplicas != nil && a.MaxReplicas != nil && *a.MinReplicas > *a.MaxReplicas {
		*a.MinReplicas, *a.MaxReplicas = *a.MaxReplicas, *a.MinReplicas
	}
	for i := range a.Metrics {
		a.Metrics[i] = v1.ScalingMetric{
			Type: pickOne(c, v1.ScalingMetricPods, v1.ScalingMetricExternal), Name: fmt.Sprintf("m%d", i), AverageValue: new(resource.MustParse("5")),
		}
	}
	if a.Keda == nil {
		return
	}
	a.Metrics = nil
	limitToPositive(a.Keda.RequestsPerSecond, 1000)
	for i := range a.Keda.Cron {
		a.Keda.Cron[i] = v1.KedaCron{Timezone: "Etc/UTC", Start: "0 8 * * *", End: "0 18 * * *", Replicas: int32(i) + 1}
	}
	for i := range a.Keda.Triggers {
		a.Keda.Triggers[i].Type = pickOne(c, v1.KedaTriggerTypes...)
	}
}

func fuzzEnvVar(e *corev1.EnvVar, c randfill.Continue) {
	c.FillNoCustom(e)
	e.Name = fmt.Sprintf("%s_%d", pickOne(c, "A", "HOSTNAME", "Z"), c.Intn(100))
	if c.Intn(10) == 0 {
		e.Name = "HOST"
	}
}

func pickOne[T any](c randfill.Continue, of ...T) T { return of[c.Intn(len(of))] }

// limitToPositive limits a number that is set to between 1 and most.
func limitToPositive[N int32 | int64](n *N, most N) {
	if n == nil {
		return
	}
	if *n %= most; *n < 0 {
		*n = -*n
	}
	*n = max(*n, 1)
}
