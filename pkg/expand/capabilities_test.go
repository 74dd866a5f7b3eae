package expand_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/validation"
)

// TestCapabilitiesAreAsDocumented holds each row of the table in docs/modules.md against
// what the capability makes of a module, and that no capability weakens a pod.
func TestCapabilitiesAreAsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/modules.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || strings.HasPrefix(cells[0], "---") || strings.Contains(cells[0], "capability") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows++
		if diff := cmp.Diff(cells[1:], granted(t, strings.Trim(cells[0], "`"))); diff != "" {
			t.Errorf("%s (-docs/modules.md +expand):\n%s", cells[0], diff)
		}
	}
	const known = 13 // with none, and without logging:write, which is refused
	if rows != known {
		t.Errorf("the table has %d rows, want %d", rows, known)
	}
}

// granted describes a module with one capability in the words of the table.
func granted(t *testing.T, capability string) []string {
	m := builders.MakeModule("m").Image("m:v1").Pod(v1.PodSettings{ServiceAccountName: "reader"})
	if capability != "none" {
		m.Capabilities(v1.Capability(capability))
	}
	if errs := validation.ValidateModule(m.Obj(), nil); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	p := plan(t, m.Obj())
	policy, pod := find[*networkingv1.NetworkPolicy](t, p).Spec, find[*appsv1.Deployment](t, p).Spec.Template.Spec
	bare := find[*appsv1.Deployment](t, plan(t, builders.MakeModule("m").Image("m:v1").Obj())).Spec.Template.Spec
	if diff := cmp.Diff([]any{bare.SecurityContext, bare.Containers[0].SecurityContext}, []any{pod.SecurityContext, pod.Containers[0].SecurityContext}); diff != "" {
		t.Errorf("%s changes the security context:\n%s", capability, diff)
	}
	return []string{callers(policy.Ingress), calls(policy.Egress), files(m, pod), credentials(m, pod)}
}

func callers(rules []networkingv1.NetworkPolicyIngressRule) string {
	switch from := rules[0].From; {
	case len(rules) != 1 || len(rules[0].Ports) != 1 || len(from) > 2:
		return "unknown"
	case len(from) == 0:
		return "anyone"
	case len(from) == 2:
		return "pods of its namespace, and of namespaces with `gati.dev/scrape=" + from[1].NamespaceSelector.MatchLabels["gati.dev/scrape"] + "`"
	default:
		return "pods of its namespace"
	}
}

func calls(rules []networkingv1.NetworkPolicyEgressRule) string {
	switch {
	case len(rules) == 0:
		return "nothing"
	case len(rules) == 1 && len(rules[0].To)+len(rules[0].Ports) == 0:
		return "anything"
	case len(rules) == 2 && rules[0].To[0].NamespaceSelector == nil && rules[1].Ports[0].Port.IntVal == 53:
		return "pods of its namespace, DNS"
	default:
		return "unknown"
	}
}

func files(m *builders.Module, pod corev1.PodSpec) string {
	with := func(readOnly bool) bool {
		mounted := m.Obj().DeepCopy()
		mounted.Spec.Pod.Volumes = []v1.Volume{{Name: "v", PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}
		mounted.Spec.Pod.VolumeMounts = []v1.VolumeMount{{Name: "v", MountPath: "/v", ReadOnly: &readOnly}}
		return len(validation.ValidateModule(mounted, nil)) == 0
	}
	var out []string
	if slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/data" && !m.ReadOnly }) {
		out = append(out, "`/data`")
	}
	switch {
	case with(false):
		out = append(out, "volume claims")
	case with(true):
		out = append(out, "volume claims, read-only")
	}
	return orDash(out)
}

func credentials(m *builders.Module, pod corev1.PodSpec) string {
	reading := m.Obj().DeepCopy()
	reading.Spec.Env = []corev1.EnvVar{{Name: "S", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: "s"}, Key: "k",
	}}}}
	var out []string
	if len(validation.ValidateModule(reading, nil)) == 0 {
		out = append(out, "Secrets")
	}
	if auto := pod.AutomountServiceAccountToken; auto != nil && *auto {
		out = append(out, "the token of `spec.pod.serviceAccountName`")
	}
	return orDash(out)
}

func orDash(list []string) string {
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}
