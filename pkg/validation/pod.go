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

// pod refuses settings that no pod can have, and those that belong to the
// controller.
func pod(p *field.Path, s *v1.PodSettings) field.ErrorList {
	if s == nil {
		return nil
	}
	return join(
		podLabels(p.Child("labels"), s.Labels),
		podAnnotations(p.Child("annotations"), s.Annotations),
		dnsName(p.Child("serviceAccountName"), s.ServiceAccountName),
		pullSecrets(p.Child("imagePullSecrets"), s.ImagePullSecrets),
		oneOf(p.Child("imagePullPolicy"), s.ImagePullPolicy, corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever),
		atMostItems(p.Child("command"), len(s.Command), maxPodEntries),
		atMostItems(p.Child("args"), len(s.Args), maxArgs),
		dnsName(p.Child("priorityClassName"), s.PriorityClassName),
		dnsName(p.Child("schedulerName"), s.SchedulerName),
		between(p.Child("terminationGracePeriodSeconds"), s.TerminationGracePeriodSeconds, minGracePeriod, maxGracePeriod),
		notRoot(p.Child("runAsUser"), s.RunAsUser),
		notRoot(p.Child("runAsGroup"), s.RunAsGroup),
		notRoot(p.Child("fsGroup"), s.FSGroup),
	)
}

// notRoot refuses ids that the restricted Pod Security Standard or the kernel
// refuses.
func notRoot(p *field.Path, id *int64) field.ErrorList {
	return between(p, id, 1, 1<<31-1)
}

func podLabels(p *field.Path, labels map[string]string) field.ErrorList {
	errs := atMostItems(p, len(labels), maxPodEntries)
	if key := ours(labels, "gati.dev/", "app.kubernetes.io/"); key != "" {
		errs = append(errs, field.Invalid(p, key, "labels under gati.dev/ and app.kubernetes.io/ belong to the controller; use another prefix"))
	}
	return append(errs, readable(metav1validation.ValidateLabels(labels, p))...)
}

func podAnnotations(p *field.Path, annotations map[string]string) field.ErrorList {
	errs := atMostItems(p, len(annotations), maxPodEntries)
	if key := ours(annotations, "gati.dev/"); key != "" {
		errs = append(errs, field.Invalid(p, key, "annotations under gati.dev/ belong to the controller; use another prefix"))
	}
	return append(errs, readable(apivalidation.ValidateAnnotations(annotations, p))...)
}

// ours is the first key that belongs to the controller.
func ours(m map[string]string, prefixes ...string) string {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(key, prefix) {
				return key
			}
		}
	}
	return ""
}

func pullSecrets(p *field.Path, list []corev1.LocalObjectReference) field.ErrorList {
	return join(atMostItems(p, len(list), maxPullSecrets), unique(p, list),
		each(p, list, func(p *field.Path, ref *corev1.LocalObjectReference) field.ErrorList {
			return requiredName(p.Child("name"), ref.Name, "Secret")
		}))
}
