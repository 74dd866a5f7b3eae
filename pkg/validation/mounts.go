package validation

import (
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// reservedDirs are the directories of the controller's own mounts.
var reservedDirs = []string{"/tmp", "/app/.gati", "/etc/gati"}

// validateMounts rejects mounts without a volume, and mounts that hide the
// controller's own. CEL's budget does not allow two nested lists.
func validateMounts(p *field.Path, s *v1.PodSettings) field.ErrorList {
	if s == nil {
		return nil
	}
	volumes := make(map[string]bool, len(s.Volumes))
	for _, v := range s.Volumes {
		volumes[v.Name] = true
	}
	return forEach(p.Child("volumeMounts"), s.VolumeMounts, func(p *field.Path, m *v1.VolumeMount) field.ErrorList {
		errs := joinErrors(validateMountPath(p.Child("mountPath"), m.MountPath), validateSubPath(p.Child("subPath"), m.SubPath))
		if !volumes[m.Name] {
			errs = append(errs, field.Invalid(p.Child("name"), m.Name, "must be the name of one of spec.pod.volumes; add the volume, or remove the mount"))
		}
		return errs
	})
}

func validateMountPath(p *field.Path, text string) field.ErrorList {
	if text == "" {
		return requiredValue(p, "name the directory in the container")
	}
	if !path.IsAbs(text) || strings.Contains(text, ":") {
		return invalidValue(p, text, "must be an absolute path without a colon")
	}
	clean := path.Clean(text)
	if clean == "/" {
		return invalidValue(p, text, "must not be the root directory, which holds the program")
	}
	var errs field.ErrorList
	for _, dir := range reservedDirs {
		if clean == dir || strings.HasPrefix(clean, dir+"/") && dir != "/tmp" {
			errs = append(errs, field.Invalid(p, text, dir+" belongs to the controller; choose another directory"))
		}
	}
	return errs
}

func validateSubPath(p *field.Path, text string) field.ErrorList {
	if text == "" {
		return nil
	}
	return validateRelativePath(p, text)
}
