package validation

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validatePod rejects settings that no pod can have, and those that belong to the
// controller.
func validatePod(p *field.Path, s *v1.PodSettings) field.ErrorList {
	if s == nil {
		return nil
	}
	return joinErrors(
		validatePodLabels(p.Child("labels"), s.Labels),
		validatePodAnnotations(p.Child("annotations"), s.Annotations),
		validateDNSName(p.Child("serviceAccountName"), s.ServiceAccountName),
		validatePullSecrets(p.Child("imagePullSecrets"), s.ImagePullSecrets),
		validateDNSName(p.Child("priorityClassName"), s.PriorityClassName),
		validateDNSName(p.Child("schedulerName"), s.SchedulerName),
		validatePodID(p.Child("runAsUser"), s.RunAsUser),
		validatePodID(p.Child("runAsGroup"), s.RunAsGroup),
		validatePodID(p.Child("fsGroup"), s.FSGroup),
	)
}

// validatePodID rejects ids that the restricted Pod Security Standard or the kernel rejects.
// The CRD states the lower bound alone: the API server would print this one as 2.1e+09.
func validatePodID(p *field.Path, id *int64) field.ErrorList {
	return limitRange(p, id, 1, 1<<31-1)
}

func validatePodLabels(p *field.Path, labels map[string]string) field.ErrorList {
	var errs field.ErrorList
	if key := findReservedKey(labels, "gati.dev/", "app.kubernetes.io/"); key != "" {
		errs = append(errs, field.Invalid(p, key, "labels under gati.dev/ and app.kubernetes.io/ belong to the controller; use another prefix"))
	}
	return append(errs, removePatterns(metav1validation.ValidateLabels(labels, p))...)
}

func validatePodAnnotations(p *field.Path, annotations map[string]string) field.ErrorList {
	var errs field.ErrorList
	if key := findReservedKey(annotations, "gati.dev/"); key != "" {
		errs = append(errs, field.Invalid(p, key, "annotations under gati.dev/ belong to the controller; use another prefix"))
	}
	return append(errs, removePatterns(apivalidation.ValidateAnnotations(annotations, p))...)
}

// findReservedKey returns the first key that belongs to the controller.
func findReservedKey(m map[string]string, prefixes ...string) string {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(key, prefix) {
				return key
			}
		}
	}
	return ""
}

func validatePullSecrets(p *field.Path, list []corev1.LocalObjectReference) field.ErrorList {
	return forEach(p, list, func(p *field.Path, ref *corev1.LocalObjectReference) field.ErrorList {
		return requireDNSName(p.Child("name"), ref.Name, "Secret")
	})
}
