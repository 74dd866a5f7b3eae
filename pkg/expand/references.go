package expand

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// What the status has of the references of one version, at most.
const (
	maxReferences     = 64
	maxReferenceBytes = 4096
)

// References returns the objects that the pods of revisions use beside Gati's own, in the
// words of the policy gati-references. The policy checks them again when a request returns
// to one of the revisions.
//
// What is beyond the bounds is one entry that the policy knows from no spec.
func References(revisions ...Revision) []string {
	var out []string
	for _, r := range revisions {
		out = append(out, r.configReferences()...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if n := countFitting(out); n < len(out) {
		out = append(out[:n], fmt.Sprintf("unlisted references (%d)", len(out)-n))
	}
	return out
}

// countFitting returns how many references the status has room for beside an entry for the
// rest.
func countFitting(references []string) int {
	size := 0
	for i, r := range references {
		size += len(r)
		if size > maxReferenceBytes || i == maxReferences-1 && len(references) > maxReferences {
			return i
		}
	}
	return len(references)
}

func (r Revision) configReferences() []string {
	spec := &r.Template.Spec
	out := accountReferences(spec)
	for _, s := range spec.ImagePullSecrets {
		out = append(out, "spec.pod.imagePullSecrets: Secret "+s.Name)
	}
	for i := range spec.Containers {
		out = append(out, r.variableReferences(&spec.Containers[i])...)
	}
	for i := range spec.InitContainers {
		out = append(out, otherReferences(&spec.InitContainers[i])...)
	}
	for i := range spec.Volumes {
		if v := &spec.Volumes[i]; !strings.HasPrefix(v.Name, ownVolumes) {
			out = append(out, volumeReferences(v, accountName(spec))...)
		}
	}
	return out
}

func accountName(s *corev1.PodSpec) string { return firstNonEmpty(s.ServiceAccountName, "default") }

// accountReferences leaves the account default out: every pod runs as it. Its token counts.
func accountReferences(s *corev1.PodSpec) (out []string) {
	if accountName(s) != "default" {
		out = append(out, "spec.pod.serviceAccountName: ServiceAccount "+s.ServiceAccountName)
	}
	if s.AutomountServiceAccountToken != nil && *s.AutomountServiceAccountToken {
		out = append(out, "spec.pod.automountServiceAccountToken: the token of ServiceAccount "+accountName(s))
	}
	return out
}

func (r Revision) variableReferences(c *corev1.Container) (out []string) {
	for _, e := range c.Env {
		if e.ValueFrom == nil {
			continue
		}
		if s := e.ValueFrom.SecretKeyRef; s != nil {
			out = append(out, "spec.env: Secret "+s.Name+", key "+s.Key)
		}
		if s := e.ValueFrom.ConfigMapKeyRef; s != nil {
			out = append(out, "spec.env: ConfigMap "+s.Name+", key "+s.Key)
		}
	}
	for _, e := range c.EnvFrom {
		if e.SecretRef != nil {
			out = append(out, "spec.envFrom: Secret "+e.SecretRef.Name)
		}
		if e.ConfigMapRef != nil && e.ConfigMapRef.Name != r.ConfigName {
			out = append(out, "spec.envFrom: ConfigMap "+e.ConfigMapRef.Name)
		}
	}
	return out
}

// otherReferences returns what the variables of a container beside the handler's refer to. The
// policy counts all of a kind in one container as one reference.
func otherReferences(c *corev1.Container) (out []string) {
	at := "spec.pod.initContainers"
	if isSidecar(c) {
		at = "spec.pod.sidecars"
	}
	var secrets, configMaps []string
	for _, e := range c.Env {
		if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
			secrets = append(secrets, "Secret "+e.ValueFrom.SecretKeyRef.Name+", key "+e.ValueFrom.SecretKeyRef.Key)
		}
		if e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil {
			configMaps = append(configMaps, "ConfigMap "+e.ValueFrom.ConfigMapKeyRef.Name+", key "+e.ValueFrom.ConfigMapKeyRef.Key)
		}
	}
	for _, e := range c.EnvFrom {
		if e.SecretRef != nil {
			secrets = append(secrets, "Secret "+e.SecretRef.Name)
		}
		if e.ConfigMapRef != nil {
			configMaps = append(configMaps, "ConfigMap "+e.ConfigMapRef.Name)
		}
	}
	for _, kind := range [][]string{secrets, configMaps} {
		if len(kind) > 0 {
			out = append(out, at+": "+strings.Join(kind, " and "))
		}
	}
	return out
}

// isSidecar reports whether a container before a pod's own runs beside them.
func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

func volumeReferences(v *corev1.Volume, account string) (out []string) {
	const at = "spec.pod.volumes: "
	if v.Secret != nil {
		out = append(out, at+"Secret "+v.Secret.SecretName+keysOf(v.Secret.Items))
	}
	if v.ConfigMap != nil {
		out = append(out, at+"ConfigMap "+v.ConfigMap.Name+keysOf(v.ConfigMap.Items))
	}
	if v.PersistentVolumeClaim != nil {
		out = append(out, at+"PersistentVolumeClaim "+v.PersistentVolumeClaim.ClaimName)
	}
	if v.Projected == nil {
		return out
	}
	for _, kind := range projectedReferences(v.Projected, account) {
		if len(kind) > 0 {
			out = append(out, at+strings.Join(kind, " and "))
		}
	}
	return out
}

// projectedReferences returns the references of a projected volume by kind: the policy
// counts all of a kind in one volume as one reference.
func projectedReferences(p *corev1.ProjectedVolumeSource, account string) (out [4][]string) {
	for _, s := range p.Sources {
		if s.Secret != nil {
			out[0] = append(out[0], "Secret "+s.Secret.Name+keysOf(s.Secret.Items))
		}
		if s.ConfigMap != nil {
			out[1] = append(out[1], "ConfigMap "+s.ConfigMap.Name+keysOf(s.ConfigMap.Items))
		}
		if t := s.ServiceAccountToken; t != nil {
			token := "the token of ServiceAccount " + account
			if t.Audience != "" {
				token += " for " + t.Audience
			}
			out[2] = append(out[2], token)
		}
		if c := s.PodCertificate; c != nil {
			certificate := "a certificate of ServiceAccount " + account + " from " + c.SignerName
			if len(c.UserAnnotations) > 0 {
				certificate += ", with annotations for the signer"
			}
			out[3] = append(out[3], certificate)
		}
	}
	return out
}

func keysOf(items []corev1.KeyToPath) string {
	var out strings.Builder
	for _, i := range items {
		out.WriteString(", key " + i.Key)
	}
	return out.String()
}
