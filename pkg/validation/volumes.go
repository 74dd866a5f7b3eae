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

// podVolumes refuses volumes that no pod can have.
func podVolumes(p *field.Path, s *v1.PodSettings) field.ErrorList {
	if s == nil {
		return nil
	}
	p = p.Child("volumes")
	names := make([]string, len(s.Volumes))
	for i, v := range s.Volumes {
		names[i] = v.Name
	}
	return join(atMostItems(p, len(s.Volumes), maxVolumes), unique(p, names), each(p, s.Volumes, volume))
}

func volume(p *field.Path, v *v1.Volume) field.ErrorList {
	errs := sources(p, v)
	switch at := p.Child("name"); {
	case len(utilvalidation.IsDNS1123Label(v.Name)) > 0:
		errs = append(errs, field.Invalid(at, v.Name, "must hold only a-z, 0-9 and hyphens, and start and end with a letter or digit"))
	case strings.HasPrefix(v.Name, "gati-"):
		errs = append(errs, field.Invalid(at, v.Name, "names that start with gati- belong to the controller; choose another"))
	}
	return errs
}

// sources refuses a source that lacks what it is made of. Beyond the count, the
// types are Kubernetes' own, whose schemas have no such bounds.
func sources(p *field.Path, v *v1.Volume) field.ErrorList {
	var errs field.ErrorList
	if count(v.ConfigMap != nil, v.Secret != nil, v.EmptyDir != nil, v.PersistentVolumeClaim != nil, v.Projected != nil, v.DownwardAPI != nil) != 1 {
		errs = wrong(p, v.Name, "must have exactly one of configMap, secret, emptyDir, persistentVolumeClaim, projected and downwardAPI")
	}
	if v.ConfigMap != nil {
		errs = append(errs, requiredName(p.Child("configMap", "name"), v.ConfigMap.Name, "ConfigMap")...)
		errs = append(errs, items(p.Child("configMap", "items"), v.ConfigMap.Items)...)
	}
	if v.Secret != nil {
		errs = append(errs, requiredName(p.Child("secret", "secretName"), v.Secret.SecretName, "Secret")...)
		errs = append(errs, items(p.Child("secret", "items"), v.Secret.Items)...)
	}
	if v.EmptyDir != nil {
		errs = append(errs, emptyDir(p.Child("emptyDir"), v.EmptyDir)...)
	}
	if v.PersistentVolumeClaim != nil {
		errs = append(errs, requiredName(p.Child("persistentVolumeClaim", "claimName"), v.PersistentVolumeClaim.ClaimName, "claim")...)
	}
	if v.Projected != nil {
		errs = append(errs, each(p.Child("projected", "sources"), v.Projected.Sources, projection)...)
	}
	if v.DownwardAPI != nil {
		errs = append(errs, each(p.Child("downwardAPI", "items"), v.DownwardAPI.Items, downwardFile)...)
	}
	return errs
}

func emptyDir(p *field.Path, e *corev1.EmptyDirVolumeSource) field.ErrorList {
	var errs field.ErrorList
	if !strings.HasPrefix(string(e.Medium), string(corev1.StorageMediumHugePages)) {
		errs = oneOf(p.Child("medium"), e.Medium, corev1.StorageMediumMemory)
	}
	if e.SizeLimit != nil && e.SizeLimit.Sign() < 0 {
		errs = append(errs, field.Invalid(p.Child("sizeLimit"), text(*e.SizeLimit), "must not be negative"))
	}
	return errs
}

// projection refuses a part of a projected volume. All kinds of parts are allowed
// by the restricted Pod Security Standard.
func projection(p *field.Path, s *corev1.VolumeProjection) field.ErrorList {
	var errs field.ErrorList
	if count(s.ConfigMap != nil, s.Secret != nil, s.DownwardAPI != nil, s.ServiceAccountToken != nil, s.ClusterTrustBundle != nil, s.PodCertificate != nil) != 1 {
		errs = wrong(p, noValue, "must have exactly one of configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle and podCertificate")
	}
	if s.ConfigMap != nil {
		errs = append(errs, requiredName(p.Child("configMap", "name"), s.ConfigMap.Name, "ConfigMap")...)
		errs = append(errs, items(p.Child("configMap", "items"), s.ConfigMap.Items)...)
	}
	if s.Secret != nil {
		errs = append(errs, requiredName(p.Child("secret", "name"), s.Secret.Name, "Secret")...)
		errs = append(errs, items(p.Child("secret", "items"), s.Secret.Items)...)
	}
	if s.DownwardAPI != nil {
		errs = append(errs, each(p.Child("downwardAPI", "items"), s.DownwardAPI.Items, downwardFile)...)
	}
	if token := s.ServiceAccountToken; token != nil {
		at := p.Child("serviceAccountToken")
		errs = append(errs, inside(at.Child("path"), token.Path)...)
		errs = append(errs, between(at.Child("expirationSeconds"), token.ExpirationSeconds, minTokenExpiration, 1<<32)...)
	}
	if s.ClusterTrustBundle != nil {
		errs = append(errs, inside(p.Child("clusterTrustBundle", "path"), s.ClusterTrustBundle.Path)...)
	}
	if cert := s.PodCertificate; cert != nil {
		at := p.Child("podCertificate")
		if cert.SignerName == "" {
			errs = append(errs, missing(at.Child("signerName"), "name the signer")...)
		}
		if cert.KeyType == "" {
			errs = append(errs, missing(at.Child("keyType"), "name the type of key, such as ED25519")...)
		}
	}
	return errs
}

// items refuses files that would lie outside of their volume.
func items(p *field.Path, list []corev1.KeyToPath) field.ErrorList {
	return each(p, list, func(p *field.Path, item *corev1.KeyToPath) field.ErrorList {
		errs := inside(p.Child("path"), item.Path)
		if item.Key == "" {
			errs = append(errs, missing(p.Child("key"), "name the key")...)
		}
		return append(errs, between(p.Child("mode"), item.Mode, 0, 0o777)...)
	})
}

// downwardFields are the fields that a file can hold.
var downwardFields = []string{"metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.annotations"}

func downwardFile(p *field.Path, f *corev1.DownwardAPIVolumeFile) field.ErrorList {
	errs := join(inside(p.Child("path"), f.Path), between(p.Child("mode"), f.Mode, 0, 0o777))
	if count(f.FieldRef != nil, f.ResourceFieldRef != nil) != 1 {
		errs = append(errs, field.Invalid(p, f.Path, "must have exactly one of fieldRef and resourceFieldRef"))
	}
	if f.FieldRef != nil {
		errs = append(errs, fieldRef(p.Child("fieldRef"), f.FieldRef, downwardFields)...)
	}
	if f.ResourceFieldRef != nil {
		errs = append(errs, resourceFieldRef(p.Child("resourceFieldRef"), f.ResourceFieldRef)...)
		if !knownDivisor(f.ResourceFieldRef) {
			errs = append(errs, field.Invalid(p.Child("resourceFieldRef", "divisor"), text(f.ResourceFieldRef.Divisor), badDivisor))
		}
	}
	return errs
}

// inside refuses a path that leads out of the volume.
func inside(p *field.Path, text string) field.ErrorList {
	switch {
	case text == "":
		return missing(p, "name the file's path in the volume")
	case path.IsAbs(text), slices.Contains(strings.Split(text, "/"), ".."):
		return wrong(p, text, "must be a relative path without ..")
	}
	return nil
}
