package validation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

const (
	secretDetail = "a Secret needs the capability secrets:read; add it to spec.capabilities, or use no Secret"
	tokenDetail  = "a token needs the capability secrets:read; add it to spec.capabilities, or mount no token"
)

// validateSecretGrant rejects Secrets and tokens of a module that may not read them. The
// CRD checks variables and automountServiceAccountToken; CEL's budget does not allow the
// sources within volumes.
func validateSecretGrant(p *field.Path, s *v1.GatiModuleSpec) field.ErrorList {
	if grants(s, v1.CapabilitySecretsRead) {
		return nil
	}
	var errs field.ErrorList
	if slices.ContainsFunc(s.Env, isFromSecret) {
		errs = invalidValue(p.Child("env"), omitValue, secretDetail)
	}
	if s.Pod == nil {
		return errs
	}
	if auto := s.Pod.AutomountServiceAccountToken; auto != nil && *auto {
		errs = append(errs, field.Invalid(p.Child("pod", "automountServiceAccountToken"), omitValue, tokenDetail))
	}
	return joinErrors(errs,
		forEach(p.Child("pod", "volumes"), s.Pod.Volumes, validateSecretVolume),
		forEach(p.Child("pod", "initContainers"), s.Pod.InitContainers, func(p *field.Path, c *v1.InitContainer) field.ErrorList {
			return validateSecretVariables(p, &c.ContainerProgram)
		}),
		forEach(p.Child("pod", "sidecars"), s.Pod.Sidecars, func(p *field.Path, c *v1.Sidecar) field.ErrorList {
			return validateSecretVariables(p, &c.ContainerProgram)
		}),
	)
}

// validateSecretVariables rejects Secrets that become variables of a container beside the
// module's own.
func validateSecretVariables(p *field.Path, c *v1.ContainerProgram) field.ErrorList {
	var errs field.ErrorList
	if slices.ContainsFunc(c.Env, isFromSecret) {
		errs = invalidValue(p.Child("env"), omitValue, secretDetail)
	}
	if slices.ContainsFunc(c.EnvFrom, func(e corev1.EnvFromSource) bool { return e.SecretRef != nil }) {
		errs = append(errs, invalidValue(p.Child("envFrom"), omitValue, secretDetail)...)
	}
	return errs
}

func validateSecretVolume(p *field.Path, v *v1.Volume) field.ErrorList {
	var errs field.ErrorList
	if v.Secret != nil {
		errs = append(errs, field.Invalid(p.Child("secret"), v.Secret.SecretName, secretDetail))
	}
	if v.Projected == nil {
		return errs
	}
	return append(errs, forEach(p.Child("projected", "sources"), v.Projected.Sources, func(p *field.Path, source *corev1.VolumeProjection) field.ErrorList {
		switch {
		case source.Secret != nil:
			return field.ErrorList{field.Invalid(p.Child("secret"), source.Secret.Name, secretDetail)}
		case source.ServiceAccountToken != nil:
			return field.ErrorList{field.Invalid(p.Child("serviceAccountToken"), source.ServiceAccountToken.Path, tokenDetail)}
		default:
			return nil
		}
	})...)
}

// validateFileGrant rejects claims of a module that may not read files, and mounts to
// write to where it may only read. CEL's budget does not allow two nested lists.
func validateFileGrant(p *field.Path, s *v1.GatiModuleSpec) field.ErrorList {
	if s.Pod == nil || grants(s, v1.CapabilityStorage, v1.CapabilityFilesystemWrite) {
		return nil
	}
	if !grants(s, v1.CapabilityFilesystemRead) {
		return forEach(p.Child("volumes"), s.Pod.Volumes, func(p *field.Path, v *v1.Volume) field.ErrorList {
			if v.PersistentVolumeClaim == nil {
				return nil
			}
			return field.ErrorList{field.Invalid(p.Child("persistentVolumeClaim"), v.PersistentVolumeClaim.ClaimName,
				"a claim needs the capability storage, filesystem:write or, to read alone, filesystem:read; add one to spec.capabilities")}
		})
	}
	check := func(p *field.Path, m *v1.VolumeMount) field.ErrorList {
		if m.ReadOnly != nil && *m.ReadOnly || !isWritableClaim(s.Pod.Volumes, m.Name) {
			return nil
		}
		return field.ErrorList{field.Invalid(p.Child("readOnly"), false,
			"must be true: filesystem:read grants no writing; set it, or add filesystem:write to spec.capabilities")}
	}
	return joinErrors(
		forEach(p.Child("volumeMounts"), s.Pod.VolumeMounts, check),
		forEach(p.Child("initContainers"), s.Pod.InitContainers, func(p *field.Path, c *v1.InitContainer) field.ErrorList {
			return forEach(p.Child("volumeMounts"), c.VolumeMounts, check)
		}),
		forEach(p.Child("sidecars"), s.Pod.Sidecars, func(p *field.Path, c *v1.Sidecar) field.ErrorList {
			return forEach(p.Child("volumeMounts"), c.VolumeMounts, check)
		}),
	)
}

// isWritableClaim reports whether a volume is a claim that is not mounted read-only as a
// whole.
func isWritableClaim(volumes []v1.Volume, name string) bool {
	return slices.ContainsFunc(volumes, func(v v1.Volume) bool {
		return v.Name == name && v.PersistentVolumeClaim != nil && !v.PersistentVolumeClaim.ReadOnly
	})
}

// grants reports whether a module has one of the capabilities.
func grants(s *v1.GatiModuleSpec, any ...v1.Capability) bool {
	return slices.ContainsFunc(s.Capabilities, func(c v1.Capability) bool { return slices.Contains(any, c) })
}

// namesSecret reports whether the pods of a module get a Secret.
func namesSecret(s *v1.GatiModuleSpec) bool {
	if slices.ContainsFunc(s.Env, isFromSecret) {
		return true
	}
	if s.Pod == nil {
		return false
	}
	return slices.ContainsFunc(s.Pod.Volumes, func(v v1.Volume) bool { return len(validateSecretVolume(nil, &v)) > 0 }) ||
		slices.ContainsFunc(s.Pod.InitContainers, func(c v1.InitContainer) bool { return len(validateSecretVariables(nil, &c.ContainerProgram)) > 0 }) ||
		slices.ContainsFunc(s.Pod.Sidecars, func(c v1.Sidecar) bool { return len(validateSecretVariables(nil, &c.ContainerProgram)) > 0 })
}

func isFromSecret(e corev1.EnvVar) bool { return e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil }
