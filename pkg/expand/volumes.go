package expand

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// mount is a volume of ours and where it appears.
type mount struct {
	name, path string
	readOnly   bool
	source     corev1.VolumeSource
}

// standardMounts are the directories that every Gati program writes to: the
// runtime fails to start where /app/.gati is read-only.
func standardMounts() []mount {
	return []mount{
		{name: "gati-tmp", path: "/tmp", source: emptyDir()},
		{name: "gati-runtime", path: "/app/.gati", source: emptyDir()},
	}
}

// transformersMount is where a handler's runtime finds which transformers serve.
// The ConfigMap is optional, so its coming and going changes no template.
func transformersMount(configMap string) mount {
	optional := true
	return mount{name: "gati-transformers", path: "/etc/gati/transformers", readOnly: true, source: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap}, Optional: &optional,
		},
	}}
}

// dataMount is what the capability of writing files gives.
func dataMount() mount {
	return mount{name: "gati-data", path: "/data", source: emptyDir()}
}

func emptyDir() corev1.VolumeSource {
	return corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
}

// withoutUserPaths drops the mounts whose path the user mounts something at.
func withoutUserPaths(mounts []mount, users []v1.VolumeMount) []mount {
	return slices.DeleteFunc(mounts, func(m mount) bool {
		return slices.ContainsFunc(users, func(u v1.VolumeMount) bool { return u.MountPath == m.path })
	})
}

func volumes(mounts []mount) []corev1.Volume {
	var out []corev1.Volume
	for _, m := range mounts {
		out = append(out, corev1.Volume{Name: m.name, VolumeSource: m.source})
	}
	return out
}

func volumeMounts(mounts []mount) []corev1.VolumeMount {
	var out []corev1.VolumeMount
	for _, m := range mounts {
		out = append(out, corev1.VolumeMount{Name: m.name, MountPath: m.path, ReadOnly: m.readOnly})
	}
	return out
}

func userVolumes(set []v1.Volume) []corev1.Volume {
	var out []corev1.Volume
	for _, v := range set {
		out = append(out, corev1.Volume{Name: v.Name, VolumeSource: corev1.VolumeSource{
			ConfigMap: v.ConfigMap, Secret: v.Secret, EmptyDir: v.EmptyDir,
			PersistentVolumeClaim: v.PersistentVolumeClaim, Projected: v.Projected, DownwardAPI: v.DownwardAPI,
		}})
	}
	return out
}

func userMounts(set []v1.VolumeMount) []corev1.VolumeMount {
	var out []corev1.VolumeMount
	for _, m := range set {
		out = append(out, corev1.VolumeMount{
			Name: m.Name, MountPath: m.MountPath, SubPath: m.SubPath, ReadOnly: m.ReadOnly != nil && *m.ReadOnly,
		})
	}
	return out
}
