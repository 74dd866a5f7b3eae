package target

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// specs is how many random handlers and modules are tried.
const specs = 60

// TestRestrictedPodSecurityAcceptsEveryPod holds that a namespace that enforces the
// restricted standard takes the pods of any handler and module that admission accepts,
// whatever they choose of what a user may choose.
func TestRestrictedPodSecurityAcceptsEveryPod(t *testing.T) {
	admin, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "restricted-", Labels: map[string]string{
		"pod-security.kubernetes.io/enforce": "restricted",
	}}}
	if err := admin.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	create := func(template corev1.PodTemplateSpec) error {
		pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
		pod.Namespace, pod.GenerateName = ns.Name, "pod-"
		// The API server of these tests has no plugin that sets it.
		pod.Spec.ServiceAccountName = cmp.Or(pod.Spec.ServiceAccountName, "default")
		return admin.Create(t.Context(), pod, client.DryRunAll)
	}
	isInsecure := func(err error) bool { return err != nil && strings.Contains(err.Error(), "violates PodSecurity") }

	tried := map[string]int{}
	for seed := range uint64(specs) {
		dice := rand.New(rand.NewPCG(seed, 0))
		h, m := builders.MakeHandler("users").Namespace(ns.Name).Obj(), builders.MakeModule("db").Namespace(ns.Name).Obj()
		h.Spec.Pod, m.Spec.Pod = anyPod(dice), anyPod(dice)
		m.Spec.Type = oneOf(dice, v1.ModuleNode, v1.ModuleWasm, v1.ModuleOCI)
		m.Spec.Capabilities = append(someOf(dice, v1.CapabilityNetwork, v1.CapabilityStorage, v1.CapabilityDatabaseRead, v1.CapabilityMetricsWrite),
			v1.CapabilitySecretsRead, v1.CapabilityFilesystemWrite)
		for _, template := range append(templatesOf(t, h), templatesOf(t, m)...) {
			tried[template.Labels["app.kubernetes.io/name"]]++
			if err := create(template); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
	if tried["gati-handler"] != specs || tried["gati-module"] != specs {
		t.Errorf("pods tried: %v, want %d of each", tried, specs)
	}
	for name, weaken := range map[string]func(*corev1.PodSpec){
		"root":         func(s *corev1.PodSpec) { s.SecurityContext.RunAsNonRoot = new(bool) },
		"a capability": func(s *corev1.PodSpec) { s.Containers[0].SecurityContext.Capabilities.Drop = nil },
		"a host path": func(s *corev1.PodSpec) {
			s.Volumes[0].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}
		},
		"root in a sidecar":         func(s *corev1.PodSpec) { s.InitContainers[0].SecurityContext.RunAsUser = ptr(int64(0)) },
		"a capability of a sidecar": func(s *corev1.PodSpec) { s.InitContainers[0].SecurityContext.Capabilities.Drop = nil },
		"a sidecar's host port": func(s *corev1.PodSpec) {
			s.InitContainers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
		},
		"a privileged sidecar": func(s *corev1.PodSpec) {
			s.InitContainers[0].SecurityContext.Privileged, s.InitContainers[0].SecurityContext.AllowPrivilegeEscalation = ptr(true), nil
		},
		"a host's network": func(s *corev1.PodSpec) { s.HostNetwork = true },
	} {
		beside := v1.PodSettings{Sidecars: []v1.Sidecar{{ContainerProgram: v1.ContainerProgram{Name: "beside"}}}}
		template := templatesOf(t, builders.MakeModule("db").Namespace(ns.Name).Pod(beside).Obj())[0]
		weaken(&template.Spec)
		if err := create(template); !isInsecure(err) {
			t.Errorf("%s: %v, want a violation", name, err)
		}
	}
}

// anyPod returns settings of a pod that a user may choose.
func anyPod(dice *rand.Rand) *v1.PodSettings {
	id := func() *int64 { return oneOf(dice, nil, ptr(int64(1)), ptr(int64(65534)), ptr(int64(1<<31-1))) }
	yesOrNo := func() *bool { return oneOf(dice, nil, ptr(true), ptr(false)) }
	sources := map[string]v1.Volume{
		"config": {ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "c"}}},
		"secret": {Secret: &corev1.SecretVolumeSource{SecretName: "s"}},
		"empty":  {EmptyDir: &corev1.EmptyDirVolumeSource{Medium: oneOf(dice, "", corev1.StorageMediumMemory)}},
		"claim":  {PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}},
		"token":  {Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "t"}}}}},
		"labels": {DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{{Path: "l", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels"}}}}},
	}
	out := &v1.PodSettings{
		RunAsUser: id(), RunAsGroup: id(), FSGroup: id(),
		ReadOnlyRootFilesystem: yesOrNo(), AutomountServiceAccountToken: yesOrNo(),
		ServiceAccountName: oneOf(dice, "", "reader"),
		Command:            oneOf(dice, nil, []string{"sh"}), Args: oneOf(dice, nil, []string{"-c", "id"}),
		Labels: oneOf(dice, nil, map[string]string{"team": "a"}), Annotations: oneOf(dice, nil, map[string]string{"a": "b"}),
		Tolerations: oneOf(dice, nil, []corev1.Toleration{{Operator: corev1.TolerationOpExists}}),
	}
	for _, name := range someOf(dice, slices.Sorted(maps.Keys(sources))...) {
		volume := sources[name]
		volume.Name = name
		out.Volumes = append(out.Volumes, volume)
		out.VolumeMounts = append(out.VolumeMounts, v1.VolumeMount{Name: name, MountPath: "/mnt/" + name})
	}
	addContainers(dice, out)
	return out
}

// addContainers adds init containers and sidecars that a user may choose.
func addContainers(dice *rand.Rand, pod *v1.PodSettings) {
	program := func(name string) v1.ContainerProgram {
		return v1.ContainerProgram{
			Name: name, Image: oneOf(dice, "", "beside:v1"), Command: oneOf(dice, nil, []string{"sh"}),
			EnvFrom:      oneOf(dice, nil, []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "s"}}}}),
			Env:          oneOf(dice, nil, []corev1.EnvVar{{Name: "A", Value: "$(B)"}, {Name: "IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}}}),
			Resources:    oneOf(dice, nil, &v1.Resources{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("32Mi")}}),
			VolumeMounts: oneOf(dice, nil, pod.VolumeMounts),
		}
	}
	probe := func() *v1.ContainerProbe {
		return oneOf(dice, nil,
			&v1.ContainerProbe{Exec: &v1.ProbeCommand{Command: []string{"true"}}, InitialDelaySeconds: 3},
			&v1.ContainerProbe{HTTPGet: &v1.ProbeRequest{Path: "/ready", Port: 8081, Scheme: corev1.URISchemeHTTPS}, FailureThreshold: 1000},
			&v1.ContainerProbe{TCPSocket: &v1.ProbeSocket{Port: 1}, PeriodSeconds: 3600, TimeoutSeconds: 3600},
			&v1.ContainerProbe{GRPC: &v1.ProbeCall{Port: 65535, Service: oneOf(dice, "", "a")}})
	}
	for i := range dice.IntN(9) {
		pod.InitContainers = append(pod.InitContainers, v1.InitContainer{ContainerProgram: program(fmt.Sprintf("init-%d", i)), AfterSidecars: oneOf(dice, nil, ptr(true), ptr(false))})
	}
	for i := range dice.IntN(9) {
		s := v1.Sidecar{ContainerProgram: program(fmt.Sprintf("side-%d", i)), StartupProbe: probe(), ReadinessProbe: probe(), LivenessProbe: probe()}
		if i == 0 {
			s.Ports = oneOf(dice, nil, []v1.ContainerPort{{Name: "http", ContainerPort: 8081}}, []v1.ContainerPort{{Name: "module", ContainerPort: 53, Protocol: corev1.ProtocolUDP}, {ContainerPort: 65535}})
		}
		pod.Sidecars = append(pod.Sidecars, s)
	}
}

func oneOf[T any](dice *rand.Rand, values ...T) T { return values[dice.IntN(len(values))] }

func someOf[T any](dice *rand.Rand, values ...T) []T {
	return slices.DeleteFunc(slices.Clone(values), func(T) bool { return dice.IntN(2) == 0 })
}

// templatesOf returns the pod templates of an object that admission accepts.
func templatesOf(t *testing.T, obj client.Object) []corev1.PodTemplateSpec {
	t.Helper()
	result := admit.Check(obj, nil, admit.Surroundings{Facts: facts.Facts{
		Namespace: obj.GetNamespace(), NamespaceImage: "app:v1", HTTPRouteServed: true,
	}})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors.ToAggregate())
	}
	var out []corev1.PodTemplateSpec
	for _, child := range result.Expand(obj) {
		if d, ok := child.(*appsv1.Deployment); ok {
			out = append(out, d.Spec.Template)
		}
	}
	return out
}
