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
		allowOneOf(p.Child("imagePullPolicy"), s.ImagePullPolicy, corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever),
		limitItems(p.Child("command"), len(s.Command), maxPodEntries),
		limitItems(p.Child("args"), len(s.Args), maxArgs),
		validateDNSName(p.Child("priorityClassName"), s.PriorityClassName),
		validateDNSName(p.Child("schedulerName"), s.SchedulerName),
		limitRange(p.Child("terminationGracePeriodSeconds"), s.TerminationGracePeriodSeconds, minGracePeriod, maxGracePeriod),
		validateNonRootID(p.Child("runAsUser"), s.RunAsUser),
		validateNonRootID(p.Child("runAsGroup"), s.RunAsGroup),
		validateNonRootID(p.Child("fsGroup"), s.FSGroup),
	)
}

// validateNonRootID rejects ids that the restricted Pod Security Standard or the
// kernel rejects.
func validateNonRootID(p *field.Path, id *int64) field.ErrorList {
	return limitRange(p, id, 1, 1<<31-1)
}

func validatePodLabels(p *field.Path, labels map[string]string) field.ErrorList {
	errs := limitItems(p, len(labels), maxPodEntries)
	if key := findReservedKey(labels, "gati.dev/", "app.kubernetes.io/"); key != "" {
		errs = append(errs, field.Invalid(p, key, "labels under gati.dev/ and app.kubernetes.io/ belong to the controller; use another prefix"))
	}
	return append(errs, removePatterns(metav1validation.ValidateLabels(labels, p))...)
}

func validatePodAnnotations(p *field.Path, annotations map[string]string) field.ErrorList {
	errs := limitItems(p, len(annotations), maxPodEntries)
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
	return joinErrors(limitItems(p, len(list), maxPullSecrets), rejectDuplicates(p, list),
		forEach(p, list, func(p *field.Path, ref *corev1.LocalObjectReference) field.ErrorList {
			return requireDNSName(p.Child("name"), ref.Name, "Secret")
		}))
}
