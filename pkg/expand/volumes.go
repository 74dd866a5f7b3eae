package expand

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// ownVolumes begins the names of our volumes. A user's volume cannot have such a name.
const ownVolumes = "gati-"

// mount is one of our volumes and its path.
type mount struct {
	name, path string
	readOnly   bool
	source     corev1.VolumeSource
}

// standardMounts returns the directories that every Gati program writes to: the
// runtime fails to start if /app/.gati is read-only.
func standardMounts() []mount {
	return []mount{
		{name: "gati-tmp", path: "/tmp", source: emptyDirSource()},
		{name: "gati-runtime", path: "/app/.gati", source: emptyDirSource()},
	}
}

// transformersMount is the directory where a handler's runtime finds the
// transformers. The ConfigMap is optional, so adding or removing it changes no
// template.
func transformersMount(configMap string) mount {
	optional := true
	return mount{name: "gati-transformers", path: "/etc/gati/transformers", readOnly: true, source: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap}, Optional: &optional,
		},
	}}
}

// dataMount is the directory granted by the capability filesystem:write.
func dataMount() mount {
	return mount{name: "gati-data", path: "/data", source: emptyDirSource()}
}

func emptyDirSource() corev1.VolumeSource {
	return corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
}

// withoutUserPaths drops the mounts at paths where the user mounts a volume.
func withoutUserPaths(mounts []mount, users []v1.VolumeMount) []mount {
	return slices.DeleteFunc(mounts, func(m mount) bool {
		return slices.ContainsFunc(users, func(u v1.VolumeMount) bool { return u.MountPath == m.path })
	})
}

func newVolumes(mounts []mount) []corev1.Volume {
	var out []corev1.Volume
	for _, m := range mounts {
		out = append(out, corev1.Volume{Name: m.name, VolumeSource: m.source})
	}
	return out
}

func newVolumeMounts(mounts []mount) []corev1.VolumeMount {
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
