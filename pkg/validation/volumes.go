package validation

import (
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validateVolumes rejects volumes that no pod can have.
func validateVolumes(p *field.Path, s *v1.PodSettings) field.ErrorList {
	if s == nil {
		return nil
	}
	return forEach(p.Child("volumes"), s.Volumes, validateVolume)
}

func validateVolume(p *field.Path, v *v1.Volume) field.ErrorList {
	errs := validateVolumeSource(p, v)
	switch at := p.Child("name"); {
	case len(utilvalidation.IsDNS1123Label(v.Name)) > 0:
		errs = append(errs, field.Invalid(at, v.Name, "must hold only a-z, 0-9 and hyphens, and start and end with a letter or digit"))
	case strings.HasPrefix(v.Name, "gati-"):
		errs = append(errs, field.Invalid(at, v.Name, "names that start with gati- belong to the controller; choose another"))
	}
	return errs
}

// validateVolumeSource rejects incomplete sources. The types are Kubernetes' own,
// whose schemas have no such bounds.
func validateVolumeSource(p *field.Path, v *v1.Volume) field.ErrorList {
	var errs field.ErrorList
	if countTrue(v.ConfigMap != nil, v.Secret != nil, v.EmptyDir != nil, v.PersistentVolumeClaim != nil, v.Projected != nil, v.DownwardAPI != nil) != 1 {
		errs = invalidValue(p, v.Name, "must have exactly one of configMap, secret, emptyDir, persistentVolumeClaim, projected and downwardAPI")
	}
	if v.ConfigMap != nil {
		errs = append(errs, requireDNSName(p.Child("configMap", "name"), v.ConfigMap.Name, "ConfigMap")...)
		errs = append(errs, validateItems(p.Child("configMap", "items"), v.ConfigMap.Items)...)
	}
	if v.Secret != nil {
		errs = append(errs, requireDNSName(p.Child("secret", "secretName"), v.Secret.SecretName, "Secret")...)
		errs = append(errs, validateItems(p.Child("secret", "items"), v.Secret.Items)...)
	}
	if v.EmptyDir != nil {
		errs = append(errs, validateEmptyDir(p.Child("emptyDir"), v.EmptyDir)...)
	}
	if v.PersistentVolumeClaim != nil {
		errs = append(errs, requireDNSName(p.Child("persistentVolumeClaim", "claimName"), v.PersistentVolumeClaim.ClaimName, "claim")...)
	}
	if v.Projected != nil {
		errs = append(errs, forEach(p.Child("projected", "sources"), v.Projected.Sources, validateProjection)...)
	}
	if v.DownwardAPI != nil {
		errs = append(errs, forEach(p.Child("downwardAPI", "items"), v.DownwardAPI.Items, validateDownwardFile)...)
	}
	return errs
}

func validateEmptyDir(p *field.Path, e *corev1.EmptyDirVolumeSource) field.ErrorList {
	var errs field.ErrorList
	if !strings.HasPrefix(string(e.Medium), string(corev1.StorageMediumHugePages)) {
		errs = allowOneOf(p.Child("medium"), e.Medium, corev1.StorageMediumMemory)
	}
	if e.SizeLimit != nil && e.SizeLimit.Sign() < 0 {
		errs = append(errs, field.Invalid(p.Child("sizeLimit"), quantityText(*e.SizeLimit), "must not be negative"))
	}
	return errs
}

// validateProjection checks one source of a projected volume. The restricted Pod
// Security Standard allows all kinds.
func validateProjection(p *field.Path, s *corev1.VolumeProjection) field.ErrorList {
	var errs field.ErrorList
	if countTrue(s.ConfigMap != nil, s.Secret != nil, s.DownwardAPI != nil, s.ServiceAccountToken != nil, s.ClusterTrustBundle != nil, s.PodCertificate != nil) != 1 {
		errs = invalidValue(p, omitValue, "must have exactly one of configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle and podCertificate")
	}
	if s.ConfigMap != nil {
		errs = append(errs, requireDNSName(p.Child("configMap", "name"), s.ConfigMap.Name, "ConfigMap")...)
		errs = append(errs, validateItems(p.Child("configMap", "items"), s.ConfigMap.Items)...)
	}
	if s.Secret != nil {
		errs = append(errs, requireDNSName(p.Child("secret", "name"), s.Secret.Name, "Secret")...)
		errs = append(errs, validateItems(p.Child("secret", "items"), s.Secret.Items)...)
	}
	if s.DownwardAPI != nil {
		errs = append(errs, forEach(p.Child("downwardAPI", "items"), s.DownwardAPI.Items, validateDownwardFile)...)
	}
	if token := s.ServiceAccountToken; token != nil {
		at := p.Child("serviceAccountToken")
		errs = append(errs, validateRelativePath(at.Child("path"), token.Path)...)
		errs = append(errs, limitRange(at.Child("expirationSeconds"), token.ExpirationSeconds, minTokenExpiration, 1<<32)...)
	}
	if s.ClusterTrustBundle != nil {
		errs = append(errs, validateRelativePath(p.Child("clusterTrustBundle", "path"), s.ClusterTrustBundle.Path)...)
	}
	if cert := s.PodCertificate; cert != nil {
		at := p.Child("podCertificate")
		if cert.SignerName == "" {
			errs = append(errs, requiredValue(at.Child("signerName"), "name the signer")...)
		}
		if cert.KeyType == "" {
			errs = append(errs, requiredValue(at.Child("keyType"), "name the type of key, such as ED25519")...)
		}
	}
	return errs
}

// validateItems rejects files outside of their volume.
func validateItems(p *field.Path, list []corev1.KeyToPath) field.ErrorList {
	return forEach(p, list, func(p *field.Path, item *corev1.KeyToPath) field.ErrorList {
		errs := validateRelativePath(p.Child("path"), item.Path)
		if item.Key == "" {
			errs = append(errs, requiredValue(p.Child("key"), "name the key")...)
		}
		return append(errs, limitRange(p.Child("mode"), item.Mode, 0, 0o777)...)
	})
}

// downwardFields are the fields that a file can hold.
var downwardFields = []string{"metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.annotations"}

func validateDownwardFile(p *field.Path, f *corev1.DownwardAPIVolumeFile) field.ErrorList {
	errs := joinErrors(validateRelativePath(p.Child("path"), f.Path), limitRange(p.Child("mode"), f.Mode, 0, 0o777))
	if countTrue(f.FieldRef != nil, f.ResourceFieldRef != nil) != 1 {
		errs = append(errs, field.Invalid(p, f.Path, "must have exactly one of fieldRef and resourceFieldRef"))
	}
	if f.FieldRef != nil {
		errs = append(errs, validateFieldRef(p.Child("fieldRef"), f.FieldRef, downwardFields)...)
	}
	if f.ResourceFieldRef != nil {
		errs = append(errs, validateResourceFieldRef(p.Child("resourceFieldRef"), f.ResourceFieldRef)...)
		if !hasKnownDivisor(f.ResourceFieldRef) {
			errs = append(errs, field.Invalid(p.Child("resourceFieldRef", "divisor"), quantityText(f.ResourceFieldRef.Divisor), divisorDetail))
		}
	}
	return errs
}

// validateRelativePath rejects a path outside of the volume.
func validateRelativePath(p *field.Path, text string) field.ErrorList {
	switch {
	case text == "":
		return requiredValue(p, "name the file's path in the volume")
	case path.IsAbs(text), slices.Contains(strings.Split(text, "/"), ".."):
		return invalidValue(p, text, "must be a relative path without ..")
	}
	return nil
}
