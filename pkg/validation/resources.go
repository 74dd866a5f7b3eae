package validation

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validateResources rejects amounts that no pod can have. Text that is not a
// quantity does not reach it: nothing can decode it.
func validateResources(p *field.Path, r *v1.Resources) field.ErrorList {
	if r == nil {
		return nil
	}
	errs := joinErrors(
		validateAmounts(p.Child("requests"), r.Requests),
		validateAmounts(p.Child("limits"), r.Limits),
	)
	for _, name := range sortedNames(r.Requests) {
		request := r.Requests[name]
		if limit, limited := r.Limits[name]; limited && request.Cmp(limit) > 0 {
			errs = append(errs, field.Invalid(p.Child("requests"), string(name)+": "+quantityText(request), "must not be above the limit of the same resource; lower the request or raise the limit"))
		}
	}
	return append(errs, validateExtended(p, r)...)
}

// validateAmounts checks each name and amount on its own.
func validateAmounts(p *field.Path, list corev1.ResourceList) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedNames(list) {
		amount := list[name]
		at := p.Key(string(name))
		if amount.Sign() < 0 {
			errs = append(errs, field.Invalid(at, quantityText(amount), "must not be negative"))
		}
		errs = append(errs, validateResourceName(at, name)...)
	}
	return errs
}

// validateResourceName rejects resources that a container cannot request.
func validateResourceName(p *field.Path, name corev1.ResourceName) field.ErrorList {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return nil
	}
	switch {
	case strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
		return nil
	case !strings.Contains(string(name), "/"):
		return invalidValue(p, name, "must be cpu, memory, ephemeral-storage, hugepages-<size> or a resource with a domain, such as example.com/gpu")
	}
	return invalidValues(p, name, utilvalidation.IsQualifiedName(string(name)))
}

// validateExtended rejects amounts of extended resources that are not whole, or
// whose request and limit differ. It needs arithmetic over all names, which exceeds
// CEL's budget.
func validateExtended(p *field.Path, r *v1.Resources) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedNames(r.Limits) {
		limit := r.Limits[name]
		if strings.Contains(string(name), "/") && limit.MilliValue()%1000 != 0 {
			errs = append(errs, field.Invalid(p.Child("limits").Key(string(name)), quantityText(limit), "must be a whole number"))
		}
	}
	for _, name := range sortedNames(r.Requests) {
		whole := strings.Contains(string(name), "/") || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
		request := r.Requests[name]
		if limit, limited := r.Limits[name]; whole && (!limited || request.Cmp(limit) != 0) {
			errs = append(errs, field.Invalid(p.Child("requests").Key(string(name)), quantityText(request), "must be equal to the limit of the same resource"))
		}
	}
	return errs
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	return slices.Sorted(maps.Keys(list))
}

func quantityText(q resource.Quantity) string { return q.String() }
