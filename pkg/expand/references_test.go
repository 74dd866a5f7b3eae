package expand_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
)

// reaching is a handler with a reference of each kind.
func reaching() *builders.Handler {
	named := func(name string) corev1.LocalObjectReference { return corev1.LocalObjectReference{Name: name} }
	keys := []corev1.KeyToPath{{Key: "a", Path: "a"}, {Key: "b", Path: "b"}}
	return builders.MakeHandler("users").UID("u").Image("users:v1").Spec(func(s *v1.GatiHandlerSpec) {
		s.Env = []corev1.EnvVar{
			{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: named("db"), Key: "password"}}},
			{Name: "B", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: named("settings"), Key: "level"}}},
			{Name: "C", Value: "1"},
		}
		s.EnvFrom = []corev1.EnvFromSource{
			{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: named("all")}},
			{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: named("more")}},
		}
		s.Pod = &v1.PodSettings{
			InitContainers:     []v1.InitContainer{{ContainerProgram: v1.ContainerProgram{Name: "migrate", Env: s.Env[:1]}}},
			Sidecars:           []v1.Sidecar{{ContainerProgram: v1.ContainerProgram{Name: "proxy", Env: s.Env, EnvFrom: s.EnvFrom}}},
			ServiceAccountName: "users", AutomountServiceAccountToken: ptr(true), ImagePullSecrets: []corev1.LocalObjectReference{named("registry")},
			Volumes: []v1.Volume{
				{Name: "secret", Secret: &corev1.SecretVolumeSource{SecretName: "tls", Items: keys}},
				{Name: "config", ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: named("files")}},
				{Name: "claim", PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}},
				{Name: "empty", EmptyDir: &corev1.EmptyDirVolumeSource{}},
				{Name: "all", Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
					{Secret: &corev1.SecretProjection{LocalObjectReference: named("one")}},
					{Secret: &corev1.SecretProjection{LocalObjectReference: named("two"), Items: keys[:1]}},
					{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: named("three")}},
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "t", Audience: "vault"}},
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "u"}},
					{PodCertificate: &corev1.PodCertificateProjection{SignerName: "example.com/signer", KeyType: "ED25519", CredentialBundlePath: "c"}},
				}}},
			},
		}
	})
}

func TestReferences(t *testing.T) {
	want := []string{
		"spec.env: ConfigMap settings, key level",
		"spec.env: Secret db, key password",
		"spec.envFrom: ConfigMap more",
		"spec.envFrom: Secret all",
		"spec.pod.automountServiceAccountToken: the token of ServiceAccount users",
		"spec.pod.imagePullSecrets: Secret registry",
		"spec.pod.initContainers: Secret db, key password",
		"spec.pod.serviceAccountName: ServiceAccount users",
		"spec.pod.sidecars: ConfigMap settings, key level and ConfigMap more",
		"spec.pod.sidecars: Secret db, key password and Secret all",
		"spec.pod.volumes: ConfigMap files",
		"spec.pod.volumes: ConfigMap three",
		"spec.pod.volumes: PersistentVolumeClaim data",
		"spec.pod.volumes: Secret one and Secret two, key a",
		"spec.pod.volumes: Secret tls, key a, key b",
		"spec.pod.volumes: a certificate of ServiceAccount users from example.com/signer",
		"spec.pod.volumes: the token of ServiceAccount users for vault and the token of ServiceAccount users",
	}
	with := cut(t, reaching().Obj())
	if diff := cmp.Diff(want, expand.References(with, cut(t, builders.MakeHandler("users").Obj()), with)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := expand.References(cut(t, builders.MakeHandler("users").Obj())); len(got) != 0 {
		t.Errorf("a handler that names nothing reaches %q", got)
	}
}

// What is beyond the bounds of the status is one entry, in words that no spec has.
func TestReferencesAreBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		secret string
		number int
		last   string
		rest   string
	}{
		"as many as fit":  {"s%02d", 64, "spec.envFrom: Secret s62", "spec.envFrom: Secret s63"},
		"too many":        {"s%02d", 70, "spec.envFrom: Secret s62", "unlisted references (7)"},
		"few and long":    {"s%02d" + strings.Repeat("x", 200), 20, "spec.envFrom: Secret s17" + strings.Repeat("x", 200), "unlisted references (2)"},
		"one beyond size": {"s%02d" + strings.Repeat("x", 4096), 1, "", "unlisted references (1)"},
	} {
		t.Run(name, func(t *testing.T) {
			h := builders.MakeHandler("users").Image("users:v1").Spec(func(s *v1.GatiHandlerSpec) {
				for i := range tc.number {
					named := corev1.LocalObjectReference{Name: fmt.Sprintf(tc.secret, i)}
					s.EnvFrom = append(s.EnvFrom, corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: named}})
				}
			}).Obj()
			got := append([]string{""}, expand.References(cut(t, h))...)
			if n := len(got); n > 65 || got[n-2] != tc.last || got[n-1] != tc.rest {
				t.Errorf("%d: %q", n-1, got)
			}
		})
	}
}
