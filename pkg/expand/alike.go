package expand

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// isAlike reports whether two revisions run the same pods of the same version, whatever
// words their specs have for them: other units, defaults spelled out, empty lists.
func isAlike(a, b Revision) bool {
	return a.Version == b.Version && a.ConfigName == b.ConfigName &&
		equality.Semantic.DeepEqual(spellOut(a.Template), spellOut(b.Template))
}

// spellOut returns a template with the defaults of the API server, and variables in one order.
func spellOut(t corev1.PodTemplateSpec) corev1.PodTemplateSpec {
	out := *t.DeepCopy()
	visit(reflect.ValueOf(&out.Spec), spellOutValue)
	spec := &out.Spec
	spec.SchedulerName = firstNonEmpty(spec.SchedulerName, corev1.DefaultSchedulerName)
	spec.ServiceAccountName = accountName(spec)
	if spec.Affinity != nil && *spec.Affinity == (corev1.Affinity{}) {
		spec.Affinity = nil
	}
	return out
}

// visit calls do with a pointer to each struct below a value.
func visit(v reflect.Value, do func(any)) {
	switch v.Kind() {
	case reflect.Pointer:
		visit(v.Elem(), do)
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), do)
		}
	case reflect.Struct:
		do(v.Addr().Interface())
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				visit(v.Field(i), do)
			}
		}
	}
}

// spellOutValue sets the API server's defaults of one value.
func spellOutValue(value any) {
	switch v := value.(type) {
	case *corev1.Container:
		spellOutContainer(v)
	case *corev1.Toleration:
		v.Operator = corev1.TolerationOperator(firstNonEmpty(string(v.Operator), string(corev1.TolerationOpEqual)))
	case *corev1.ObjectFieldSelector:
		v.APIVersion = firstNonEmpty(v.APIVersion, "v1")
	case *corev1.ResourceFieldSelector:
		if v.Divisor.IsZero() {
			v.Divisor = resource.MustParse("1")
		}
	case *corev1.ConfigMapKeySelector:
		setDefault(&v.Optional, false)
	case *corev1.SecretKeySelector:
		setDefault(&v.Optional, false)
	case *corev1.FileKeySelector:
		setDefault(&v.Optional, false)
	case *corev1.ConfigMapEnvSource:
		setDefault(&v.Optional, false)
	case *corev1.SecretEnvSource:
		setDefault(&v.Optional, false)
	default:
		spellOutVolumeSource(value)
	}
}

// spellOutVolumeSource sets the defaults of a volume source.
func spellOutVolumeSource(value any) {
	switch v := value.(type) {
	case *corev1.ServiceAccountTokenProjection:
		setDefault(&v.ExpirationSeconds, 60*60)
	case *corev1.ConfigMapProjection:
		setDefault(&v.Optional, false)
	case *corev1.SecretProjection:
		setDefault(&v.Optional, false)
	case *corev1.ConfigMapVolumeSource:
		setDefault(&v.Optional, false)
		setDefault(&v.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
	case *corev1.SecretVolumeSource:
		setDefault(&v.Optional, false)
		setDefault(&v.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
	case *corev1.ProjectedVolumeSource:
		setDefault(&v.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
	case *corev1.DownwardAPIVolumeSource:
		setDefault(&v.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
	}
}

// spellOutContainer sets the pull policy, and requests from limits. Variables are sorted
// where none refers to an earlier one.
func spellOutContainer(c *corev1.Container) {
	name, _, hasDigest := strings.Cut(c.Image[strings.LastIndex(c.Image, "/")+1:], "@")
	_, tag, hasTag := strings.Cut(name, ":")
	policy := corev1.PullIfNotPresent
	if tag == "latest" || !hasTag && !hasDigest {
		policy = corev1.PullAlways
	}
	c.ImagePullPolicy = corev1.PullPolicy(firstNonEmpty(string(c.ImagePullPolicy), string(policy)))
	for resource, limit := range c.Resources.Limits {
		if _, isSet := c.Resources.Requests[resource]; !isSet {
			if c.Resources.Requests == nil {
				c.Resources.Requests = corev1.ResourceList{}
			}
			c.Resources.Requests[resource] = limit
		}
	}
	refersToOthers := func(e corev1.EnvVar) bool { return strings.Contains(e.Value, "$(") }
	if !slices.ContainsFunc(c.Env, refersToOthers) {
		slices.SortStableFunc(c.Env, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
	}
}

// setDefault sets a value that is unset.
func setDefault[T any](p **T, value T) { *p = ptr.To(ptr.Deref(*p, value)) }
