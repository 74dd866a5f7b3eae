package validation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

// validateRoute rejects what the Gateway API rejects in an HTTPRoute.
func validateRoute(p *field.Path, r *v1.Route) field.ErrorList {
	if r == nil {
		return nil
	}
	return joinErrors(
		validateParents(p.Child("parentRefs"), r.ParentRefs),
		forEach(p.Child("hostnames"), r.Hostnames, validateHostname),
		validateTimeouts(p.Child("timeouts"), r.Timeouts),
	)
}

// validateParents rejects references to one parent that differ by no section. A port does
// not tell them apart in the standard channel of the Gateway API.
func validateParents(p *field.Path, refs []gatewayv1.ParentReference) field.ErrorList {
	var errs field.ErrorList
	for i, ref := range refs {
		earlier := slices.IndexFunc(refs[:i], func(other gatewayv1.ParentReference) bool {
			return isSameParent(ref, other) && (ref.SectionName == nil || other.SectionName == nil || *ref.SectionName == *other.SectionName)
		})
		if earlier >= 0 {
			errs = append(errs, field.Invalid(p.Index(i), ref.Name, fmt.Sprintf("is the parent of parentRefs[%d]; give each its own sectionName, or remove one", earlier)))
		}
	}
	return errs
}

func isSameParent(a, b gatewayv1.ParentReference) bool {
	return a.Name == b.Name && ptr.Equal(a.Namespace, b.Namespace) &&
		ptr.Deref(a.Group, gatewayv1.GroupName) == ptr.Deref(b.Group, gatewayv1.GroupName) &&
		ptr.Deref(a.Kind, "Gateway") == ptr.Deref(b.Kind, "Gateway")
}

// maxPathMatch is the limit of the Gateway API for the value of a path match.
const maxPathMatch = 1024

// validatePathMatch rejects a match type that does not fit the path. It compares
// two fields, one of which CEL would have to split into segments.
func validatePathMatch(p *field.Path, path string, r *v1.Route) field.ErrorList {
	if r == nil {
		return nil
	}
	switch {
	case r.PathMatch == "" && hasParameters(path):
		return requiredValue(p, "the path "+path+" has parameters: choose RegularExpression where your gateway offers it, or PathPrefix, which matches what comes before the first parameter")
	case r.PathMatch == v1.PathMatchExact && (hasParameters(path) || strings.HasSuffix(path, "*")):
		return invalidValue(p, r.PathMatch, "cannot match the path "+path+", which stands for many; choose RegularExpression or PathPrefix")
	case r.PathMatch == v1.PathMatchRegex && len(*expand.PathMatch(path, r.PathMatch).Value) > maxPathMatch:
		return invalidValue(p, r.PathMatch, fmt.Sprintf("the expression of the path is longer than the %d characters of the Gateway API; choose another match, or a shorter path", maxPathMatch))
	}
	return nil
}

// validateHostname rejects an IP address. The Gateway API's rule against it is in its
// documentation only, not in its schema.
func validateHostname(p *field.Path, host *gatewayv1.Hostname) field.ErrorList {
	if len(utilvalidation.IsValidIP(nil, strings.TrimPrefix(string(*host), "*."))) == 0 {
		return invalidValue(p, *host, "must be a host name, not an IP address")
	}
	return nil
}

// validateTimeouts rejects durations that contradict each other.
func validateTimeouts(p *field.Path, t *gatewayv1.HTTPRouteTimeouts) field.ErrorList {
	if t == nil {
		return nil
	}
	if request, backend := parseGatewayDuration(t.Request), parseGatewayDuration(t.BackendRequest); request > 0 && backend > request {
		return invalidValue(p, *t.BackendRequest, "backendRequest timeout cannot be longer than request timeout")
	}
	return nil
}

// parseGatewayDuration returns a duration, zero where there is none to compare.
func parseGatewayDuration(d *gatewayv1.Duration) time.Duration {
	parsed, err := time.ParseDuration(string(ptr.Deref(d, "")))
	if err != nil {
		return 0
	}
	return parsed
}
