package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// A version has what each of its kept templates reaches, also when the spec gave it up.
func TestVersionsHaveTheirReferences(t *testing.T) {
	reads := func(image string, secrets ...string) func(*v1.GatiHandlerSpec) {
		return func(s *v1.GatiHandlerSpec) {
			s.Image, s.EnvFrom = image, nil
			for _, name := range secrets {
				s.EnvFrom = append(s.EnvFrom, corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}})
			}
		}
	}
	l := newLife(t, canary())
	for _, change := range []func(*v1.GatiHandlerSpec){
		reads("app:v1.0.0", "db"), reads("app:v1.0.0", "mail"), reads("app:v2.0.0"), reads("app:v3.0.0", "db"),
	} {
		l.apply(change)
	}
	got := map[string][]string{}
	for _, v := range l.h.Status.Versions {
		got[v.Version] = v.References
	}
	want := map[string][]string{
		"v1.0.0": {"spec.envFrom: Secret db", "spec.envFrom: Secret mail"},
		"v2.0.0": nil,
		"v3.0.0": {"spec.envFrom: Secret db"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
