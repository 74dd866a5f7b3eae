package validation

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateEnv rejects environment variables that a pod cannot have.
func validateEnv(p *field.Path, list []corev1.EnvVar) field.ErrorList {
	errs := validateVariables(p, list)
	if slices.ContainsFunc(list, func(e corev1.EnvVar) bool { return e.Name == "PORT" }) {
		errs = append(errs, field.Invalid(p, "PORT", "PORT is set from spec.port; set spec.port instead"))
	}
	return errs
}

// validateVariables rejects environment variables that no container can have.
func validateVariables(p *field.Path, list []corev1.EnvVar) field.ErrorList {
	var errs field.ErrorList
	for _, e := range list {
		if e.ValueFrom != nil && e.ValueFrom.ResourceFieldRef != nil && !hasKnownDivisor(e.ValueFrom.ResourceFieldRef) {
			errs = append(errs, field.Invalid(p, quantityText(e.ValueFrom.ResourceFieldRef.Divisor), divisorDetail))
		}
	}
	return append(errs, forEach(p, list, validateEnvVar)...)
}

// validateEnvVar checks one variable. The CRD checks less: the type is Kubernetes'
// own, and CEL over 200 entries exceeds its budget.
func validateEnvVar(p *field.Path, e *corev1.EnvVar) field.ErrorList {
	if e.Name == "" {
		return requiredValue(p.Child("name"), "name the variable")
	}
	errs := invalidValues(p.Child("name"), e.Name, utilvalidation.IsRelaxedEnvVarName(e.Name))
	if e.ValueFrom == nil {
		return errs
	}
	if e.Value != "" {
		errs = append(errs, field.Invalid(p.Child("valueFrom"), e.Name, "must not be set beside a value; remove one of them"))
	}
	return append(errs, validateEnvSource(p.Child("valueFrom"), e.ValueFrom)...)
}

func validateEnvSource(p *field.Path, s *corev1.EnvVarSource) field.ErrorList {
	var errs field.ErrorList
	if countTrue(s.FieldRef != nil, s.ResourceFieldRef != nil, s.ConfigMapKeyRef != nil, s.SecretKeyRef != nil, s.FileKeyRef != nil) != 1 {
		errs = invalidValue(p, omitValue, "must have exactly one of fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef")
	}
	if s.FieldRef != nil {
		errs = append(errs, validateFieldRef(p.Child("fieldRef"), s.FieldRef, podFields)...)
	}
	if s.ResourceFieldRef != nil {
		errs = append(errs, validateResourceFieldRef(p.Child("resourceFieldRef"), s.ResourceFieldRef)...)
	}
	if s.ConfigMapKeyRef != nil {
		errs = append(errs, validateKeyRef(p.Child("configMapKeyRef"), s.ConfigMapKeyRef.Name, s.ConfigMapKeyRef.Key, "ConfigMap")...)
	}
	if s.SecretKeyRef != nil {
		errs = append(errs, validateKeyRef(p.Child("secretKeyRef"), s.SecretKeyRef.Name, s.SecretKeyRef.Key, "Secret")...)
	}
	if s.FileKeyRef != nil {
		errs = append(errs, field.Forbidden(p.Child("fileKeyRef"), "not every Kubernetes that Gati runs on has it; use a ConfigMap or Secret"))
	}
	return errs
}

// validateKeyRef rejects a reference that no ConfigMap or Secret can satisfy.
func validateKeyRef(p *field.Path, name, key, kind string) field.ErrorList {
	errs := requireDNSName(p.Child("name"), name, kind)
	if key == "" {
		return append(errs, requiredValue(p.Child("key"), "name the key in the "+kind)...)
	}
	return append(errs, invalidValues(p.Child("key"), key, utilvalidation.IsConfigMapKey(key))...)
}

var podFields = []string{
	"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
	"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
}

// validateFieldRef rejects a pod field that is not available to a container.
func validateFieldRef(p *field.Path, ref *corev1.ObjectFieldSelector, known []string) field.ErrorList {
	errs := allowOneOf(p.Child("apiVersion"), ref.APIVersion, "v1")
	at := p.Child("fieldPath")
	if ref.FieldPath == "" {
		return append(errs, requiredValue(at, "name the field, such as metadata.name")...)
	}
	for _, prefix := range []string{"metadata.labels['", "metadata.annotations['"} {
		if key, ok := strings.CutPrefix(ref.FieldPath, prefix); ok && strings.HasSuffix(key, "']") {
			return append(errs, invalidValues(at, ref.FieldPath, utilvalidation.IsQualifiedName(strings.TrimSuffix(key, "']")))...)
		}
	}
	return append(errs, allowOneOf(at, ref.FieldPath, known...)...)
}

var divisors = []string{"0", "1", "1m", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}

// validateResourceFieldRef rejects a resource that is not available to a container.
func validateResourceFieldRef(p *field.Path, ref *corev1.ResourceFieldSelector) field.ErrorList {
	errs := validateDNSName(p.Child("containerName"), ref.ContainerName)
	switch kind, name, _ := strings.Cut(ref.Resource, "."); {
	case ref.Resource == "":
		errs = append(errs, requiredValue(p.Child("resource"), "name the amount, such as limits.memory")...)
	case kind != "limits" && kind != "requests" || name == "":
		errs = append(errs, field.Invalid(p.Child("resource"), ref.Resource, "must be limits or requests of a resource, such as limits.memory"))
	}
	return errs
}

const divisorDetail = "must have divisors that Kubernetes knows, such as 1, 1m or 1Mi"

func hasKnownDivisor(ref *corev1.ResourceFieldSelector) bool {
	return slices.Contains(divisors, quantityText(ref.Divisor))
}

// validateEnvFrom rejects sources that a pod cannot have.
func validateEnvFrom(p *field.Path, list []corev1.EnvFromSource) field.ErrorList {
	return forEach(p, list, func(p *field.Path, s *corev1.EnvFromSource) field.ErrorList {
		var errs field.ErrorList
		if countTrue(s.ConfigMapRef != nil, s.SecretRef != nil) != 1 {
			errs = invalidValue(p, omitValue, "must have exactly one of configMapRef and secretRef")
		}
		if s.Prefix != "" {
			errs = append(errs, invalidValues(p.Child("prefix"), s.Prefix, utilvalidation.IsRelaxedEnvVarName(s.Prefix))...)
		}
		if s.ConfigMapRef != nil {
			errs = append(errs, requireDNSName(p.Child("configMapRef", "name"), s.ConfigMapRef.Name, "ConfigMap")...)
		}
		if s.SecretRef != nil {
			errs = append(errs, requireDNSName(p.Child("secretRef", "name"), s.SecretRef.Name, "Secret")...)
		}
		return errs
	})
}

// countTrue returns how many of the conditions hold.
func countTrue(conditions ...bool) int {
	n := 0
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}
