package validation

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// reserved are the directories that the controller mounts something at.
var reserved = []string{"/tmp", "/app/.gati", "/etc/gati"}

// podMounts refuses mounts without a volume and those that would hide the
// controller's own. CEL's budget has no room for two nested lists.
func podMounts(p *field.Path, s *v1.PodSettings) field.ErrorList {
	if s == nil {
		return nil
	}
	p = p.Child("volumeMounts")
	paths := make([]string, len(s.VolumeMounts))
	for i, m := range s.VolumeMounts {
		paths[i] = m.MountPath
	}
	return join(atMostItems(p, len(s.VolumeMounts), maxVolumeMounts), unique(p, paths),
		each(p, s.VolumeMounts, func(p *field.Path, m *v1.VolumeMount) field.ErrorList {
			errs := join(mountPath(p.Child("mountPath"), m.MountPath), subPath(p.Child("subPath"), m.SubPath), atMost(p.Child("name"), m.Name, maxLabel))
			if m.Name == "" {
				return append(errs, missing(p.Child("name"), "name the volume")...)
			}
			if !slices.ContainsFunc(s.Volumes, func(v v1.Volume) bool { return v.Name == m.Name }) {
				errs = append(errs, field.Invalid(p.Child("name"), m.Name, "must be the name of one of spec.pod.volumes; add the volume, or remove the mount"))
			}
			return errs
		}))
}

func mountPath(p *field.Path, text string) field.ErrorList {
	if text == "" {
		return missing(p, "name the directory in the container")
	}
	errs := atMost(p, text, maxPathLength)
	if !path.IsAbs(text) || strings.Contains(text, ":") {
		return append(errs, field.Invalid(p, text, "must be an absolute path without a colon"))
	}
	clean := path.Clean(text)
	if clean == "/" {
		return append(errs, field.Invalid(p, text, "must not be the root directory, which holds the program"))
	}
	for _, dir := range reserved {
		if clean == dir || strings.HasPrefix(clean, dir+"/") && dir != "/tmp" {
			errs = append(errs, field.Invalid(p, text, dir+" belongs to the controller; choose another directory"))
		}
	}
	return errs
}

func subPath(p *field.Path, text string) field.ErrorList {
	if text == "" {
		return nil
	}
	return join(atMost(p, text, maxPathLength), inside(p, text))
}
