package validation

import (
	"strings"
	"time"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/lazyregexp"
)

var (
	gatewayDuration = lazyregexp.New(`^([0-9]{1,5}(h|m|s|ms)){1,4}$`)
	gatewayKind     = lazyregexp.New(`^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$`)
)

// route refuses what the Gateway API refuses in an HTTPRoute.
func route(p *field.Path, r *v1.Route) field.ErrorList {
	if r == nil {
		return nil
	}
	parents := p.Child("parentRefs")
	errs := atMostItems(parents, len(r.ParentRefs), maxParentRefs)
	if len(r.ParentRefs) == 0 {
		errs = missing(parents, "name the Gateway that the route attaches to, or remove spec.route")
	}
	return join(errs,
		each(parents, r.ParentRefs, parentRef),
		atMostItems(p.Child("hostnames"), len(r.Hostnames), maxHostnames),
		each(p.Child("hostnames"), r.Hostnames, hostname),
		oneOf(p.Child("pathMatch"), r.PathMatch, v1.PathMatchExact, v1.PathMatchPrefix, v1.PathMatchRegex),
		timeouts(p.Child("timeouts"), r.Timeouts),
	)
}

// pathMatch refuses a way to match that does not fit the path. It looks at two
// fields, one of which CEL would have to split into segments.
func pathMatch(p *field.Path, path string, r *v1.Route) field.ErrorList {
	if r == nil {
		return nil
	}
	switch {
	case r.PathMatch == "" && hasParameters(path):
		return missing(p, "the path "+path+" has parameters: choose RegularExpression where your gateway offers it, or PathPrefix, which matches what comes before the first parameter")
	case r.PathMatch == v1.PathMatchExact && (hasParameters(path) || strings.HasSuffix(path, "*")):
		return wrong(p, r.PathMatch, "cannot match the path "+path+", which stands for many; choose RegularExpression or PathPrefix")
	}
	return nil
}

func parentRef(p *field.Path, ref *gatewayv1.ParentReference) field.ErrorList {
	errs := join(
		gatewayName(p.Child("name"), string(ref.Name)),
		gatewayGroup(p.Child("group"), ref.Group),
		gatewayNamespace(p.Child("namespace"), ref.Namespace),
		between(p.Child("port"), ref.Port, 1, maxPort),
	)
	if ref.Kind != nil && !validKind(*ref.Kind) {
		errs = append(errs, field.Invalid(p.Child("kind"), *ref.Kind, "must be a kind, such as Gateway"))
	}
	if ref.SectionName != nil {
		errs = append(errs, sentences(p.Child("sectionName"), *ref.SectionName, utilvalidation.IsDNS1123Subdomain(string(*ref.SectionName)))...)
	}
	return errs
}

// gatewayName is a reference's name, of whose form the Gateway API says nothing.
func gatewayName(p *field.Path, name string) field.ErrorList {
	if name == "" {
		return missing(p, "name the object that is meant")
	}
	return atMost(p, name, maxDNSName)
}

func gatewayGroup(p *field.Path, group *gatewayv1.Group) field.ErrorList {
	if group == nil || *group == "" {
		return nil
	}
	return sentences(p, *group, utilvalidation.IsDNS1123Subdomain(string(*group)))
}

func gatewayNamespace(p *field.Path, namespace *gatewayv1.Namespace) field.ErrorList {
	if namespace == nil {
		return nil
	}
	return sentences(p, *namespace, utilvalidation.IsDNS1123Label(string(*namespace)))
}

func validKind(kind gatewayv1.Kind) bool {
	return len(kind) <= maxLabel && gatewayKind.MatchString(string(kind))
}

// hostname refuses what the Gateway API refuses; that an address is no host name
// is said in its words alone, not in its schema.
func hostname(p *field.Path, host *gatewayv1.Hostname) field.ErrorList {
	name := strings.TrimPrefix(string(*host), "*.")
	if len(utilvalidation.IsValidIP(nil, name)) == 0 {
		return wrong(p, *host, "must be a host name, not an IP address")
	}
	if len(*host) > maxDNSName {
		return atMost(p, *host, maxDNSName)
	}
	return sentences(p, *host, utilvalidation.IsDNS1123Subdomain(name))
}

// timeouts refuses times that the Gateway API cannot read, or that cannot both
// hold.
func timeouts(p *field.Path, t *gatewayv1.HTTPRouteTimeouts) field.ErrorList {
	if t == nil {
		return nil
	}
	var errs field.ErrorList
	request, requestErrs := gatewayTime(p.Child("request"), t.Request)
	backend, backendErrs := gatewayTime(p.Child("backendRequest"), t.BackendRequest)
	errs = append(requestErrs, backendErrs...)
	if len(errs) == 0 && request > 0 && backend > request {
		errs = wrong(p, *t.BackendRequest, "backendRequest timeout cannot be longer than request timeout")
	}
	return errs
}

func gatewayTime(p *field.Path, d *gatewayv1.Duration) (time.Duration, field.ErrorList) {
	if d == nil {
		return 0, nil
	}
	if !gatewayDuration.MatchString(string(*d)) {
		return 0, wrong(p, *d, "must be a time such as 10s or 1m30s")
	}
	parsed, err := time.ParseDuration(string(*d))
	if err != nil {
		return 0, wrong(p, *d, "must be a time such as 10s or 1m30s")
	}
	return parsed, nil
}
