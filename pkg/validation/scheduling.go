package validation

import (
	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validateScheduling rejects what no scheduler accepts. The types are Kubernetes'
// own, whose schemas have few bounds. Only the API server knows all rules of
// affinity; a dry run asks it.
func validateScheduling(p *field.Path, s *v1.PodSettings) field.ErrorList {
	if s == nil {
		return nil
	}
	return joinErrors(
		removePatterns(metav1validation.ValidateLabels(s.NodeSelector, p.Child("nodeSelector"))),
		forEach(p.Child("tolerations"), s.Tolerations, validateToleration),
		forEach(p.Child("topologySpreadConstraints"), s.TopologySpreadConstraints, validateSpreadConstraint),
	)
}

func validateToleration(p *field.Path, t *corev1.Toleration) field.ErrorList {
	errs := joinErrors(
		allowOneOf(p.Child("operator"), t.Operator, corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpLt, corev1.TolerationOpGt),
		allowOneOf(p.Child("effect"), t.Effect, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute),
	)
	if t.Key != "" {
		errs = append(errs, removePatterns(metav1validation.ValidateLabelName(t.Key, p.Child("key")))...)
	}
	switch {
	case t.Key == "" && t.Operator != corev1.TolerationOpExists:
		errs = append(errs, field.Invalid(p.Child("operator"), t.Operator, "must be Exists when key is empty, which tolerates every taint"))
	case t.Operator == corev1.TolerationOpExists && t.Value != "":
		errs = append(errs, field.Invalid(p.Child("value"), t.Value, "must be empty when operator is Exists"))
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		errs = append(errs, field.Invalid(p.Child("effect"), t.Effect, "must be NoExecute when tolerationSeconds is set"))
	}
	return errs
}

func validateSpreadConstraint(p *field.Path, c *corev1.TopologySpreadConstraint) field.ErrorList {
	errs := requireOneOf(p.Child("whenUnsatisfiable"), c.WhenUnsatisfiable, corev1.DoNotSchedule, corev1.ScheduleAnyway)
	if c.MaxSkew < 1 {
		errs = append(errs, field.Invalid(p.Child("maxSkew"), c.MaxSkew, "must be at least 1"))
	}
	if c.TopologyKey == "" {
		return append(errs, requiredValue(p.Child("topologyKey"), "name the node label to spread over, such as topology.kubernetes.io/zone")...)
	}
	return append(errs, removePatterns(metav1validation.ValidateLabelName(c.TopologyKey, p.Child("topologyKey")))...)
}
