package validation

import (
	"strings"
	"time"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

var (
	gatewayDurationPattern = lazyregexp.New(`^([0-9]{1,5}(h|m|s|ms)){1,4}$`)
	gatewayKindPattern     = lazyregexp.New(`^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$`)
)

// validateRoute rejects what the Gateway API rejects in an HTTPRoute.
func validateRoute(p *field.Path, r *v1.Route) field.ErrorList {
	if r == nil {
		return nil
	}
	parents := p.Child("parentRefs")
	errs := limitItems(parents, len(r.ParentRefs), maxParentRefs)
	if len(r.ParentRefs) == 0 {
		errs = requiredValue(parents, "name the Gateway that the route attaches to, or remove spec.route")
	}
	return joinErrors(errs,
		forEach(parents, r.ParentRefs, validateParentRef),
		limitItems(p.Child("hostnames"), len(r.Hostnames), maxHostnames),
		forEach(p.Child("hostnames"), r.Hostnames, validateHostname),
		allowOneOf(p.Child("pathMatch"), r.PathMatch, v1.PathMatchExact, v1.PathMatchPrefix, v1.PathMatchRegex),
		validateTimeouts(p.Child("timeouts"), r.Timeouts),
	)
}

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
	}
	return nil
}

func validateParentRef(p *field.Path, ref *gatewayv1.ParentReference) field.ErrorList {
	errs := joinErrors(
		validateGatewayName(p.Child("name"), string(ref.Name)),
		validateGatewayGroup(p.Child("group"), ref.Group),
		validateGatewayNamespace(p.Child("namespace"), ref.Namespace),
		limitRange(p.Child("port"), ref.Port, 1, maxPort),
	)
	if ref.Kind != nil && !isGatewayKind(*ref.Kind) {
		errs = append(errs, field.Invalid(p.Child("kind"), *ref.Kind, "must be a kind, such as Gateway"))
	}
	if ref.SectionName != nil {
		errs = append(errs, invalidValues(p.Child("sectionName"), *ref.SectionName, utilvalidation.IsDNS1123Subdomain(string(*ref.SectionName)))...)
	}
	return errs
}

// validateGatewayName checks the name of a reference, whose form the Gateway API
// does not define.
func validateGatewayName(p *field.Path, name string) field.ErrorList {
	if name == "" {
		return requiredValue(p, "name the object that is meant")
	}
	return limitLength(p, name, maxDNSNameLength)
}

func validateGatewayGroup(p *field.Path, group *gatewayv1.Group) field.ErrorList {
	if group == nil || *group == "" {
		return nil
	}
	return invalidValues(p, *group, utilvalidation.IsDNS1123Subdomain(string(*group)))
}

func validateGatewayNamespace(p *field.Path, namespace *gatewayv1.Namespace) field.ErrorList {
	if namespace == nil {
		return nil
	}
	return invalidValues(p, *namespace, utilvalidation.IsDNS1123Label(string(*namespace)))
}

func isGatewayKind(kind gatewayv1.Kind) bool {
	return len(kind) <= maxLabelLength && gatewayKindPattern.MatchString(string(kind))
}

// validateHostname rejects what the Gateway API rejects. Its rule against IP
// addresses is in its documentation only, not in its schema.
func validateHostname(p *field.Path, host *gatewayv1.Hostname) field.ErrorList {
	name := strings.TrimPrefix(string(*host), "*.")
	if len(utilvalidation.IsValidIP(nil, name)) == 0 {
		return invalidValue(p, *host, "must be a host name, not an IP address")
	}
	if len(*host) > maxDNSNameLength {
		return limitLength(p, *host, maxDNSNameLength)
	}
	return invalidValues(p, *host, utilvalidation.IsDNS1123Subdomain(name))
}

// validateTimeouts rejects durations that the Gateway API cannot parse, or that
// contradict each other.
func validateTimeouts(p *field.Path, t *gatewayv1.HTTPRouteTimeouts) field.ErrorList {
	if t == nil {
		return nil
	}
	var errs field.ErrorList
	request, requestErrs := parseGatewayDuration(p.Child("request"), t.Request)
	backend, backendErrs := parseGatewayDuration(p.Child("backendRequest"), t.BackendRequest)
	errs = append(requestErrs, backendErrs...)
	if len(errs) == 0 && request > 0 && backend > request {
		errs = invalidValue(p, *t.BackendRequest, "backendRequest timeout cannot be longer than request timeout")
	}
	return errs
}

func parseGatewayDuration(p *field.Path, d *gatewayv1.Duration) (time.Duration, field.ErrorList) {
	if d == nil {
		return 0, nil
	}
	if !gatewayDurationPattern.MatchString(string(*d)) {
		return 0, invalidValue(p, *d, "must be a time such as 10s or 1m30s")
	}
	parsed, err := time.ParseDuration(string(*d))
	if err != nil {
		return 0, invalidValue(p, *d, "must be a time such as 10s or 1m30s")
	}
	return parsed, nil
}
