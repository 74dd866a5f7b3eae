package validation

import (
	"path"
	"slices"
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
	return forEach(p.Child("volumeMounts"), s.VolumeMounts, func(p *field.Path, m *v1.VolumeMount) field.ErrorList {
		return joinErrors(validateMountPath(p.Child("mountPath"), m.MountPath), validateMount(p, m, s.Volumes))
	})
}

// validateMount rejects a mount without a volume, or of a path outside of it.
func validateMount(p *field.Path, m *v1.VolumeMount, volumes []v1.Volume) field.ErrorList {
	errs := validateSubPath(p.Child("subPath"), m.SubPath)
	if !slices.ContainsFunc(volumes, func(v v1.Volume) bool { return v.Name == m.Name }) {
		errs = append(errs, field.Invalid(p.Child("name"), m.Name, "must be the name of one of spec.pod.volumes; add the volume, or remove the mount"))
	}
	return errs
}

func validateMountPath(p *field.Path, text string) field.ErrorList {
	errs := validateOtherPath(p, text)
	if len(errs) > 0 {
		return errs
	}
	clean := path.Clean(text)
	for _, dir := range reservedDirs {
		if clean == dir || strings.HasPrefix(clean, dir+"/") && dir != "/tmp" {
			errs = append(errs, field.Invalid(p, text, dir+" belongs to the controller; choose another directory"))
		}
	}
	return errs
}

// validateOtherPath is validateMountPath for a container in which the controller has no
// directories.
func validateOtherPath(p *field.Path, text string) field.ErrorList {
	switch {
	case text == "":
		return requiredValue(p, "name the directory in the container")
	case !path.IsAbs(text) || strings.Contains(text, ":"):
		return invalidValue(p, text, "must be an absolute path without a colon")
	case path.Clean(text) == "/":
		return invalidValue(p, text, "must not be the root directory, which holds the program")
	}
	return nil
}

func validateSubPath(p *field.Path, text string) field.ErrorList {
	if text == "" {
		return nil
	}
	return validateRelativePath(p, text)
}
