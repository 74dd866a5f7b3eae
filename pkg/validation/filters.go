package validation

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

// validateFilters rejects what the Gateway API rejects in the filters of a rule, and in a
// rule with such filters.
func validateFilters(p *field.Path, path string, r *v1.Route) field.ErrorList {
	if r == nil {
		return nil
	}
	errs := forEach(p, r.Filters, validateFilter)
	for i, f := range r.Filters {
		earlier := slices.IndexFunc(r.Filters[:i], func(e gatewayv1.HTTPRouteFilter) bool { return e.Type == f.Type })
		switch {
		case f.Type == gatewayv1.HTTPRouteFilterRequestRedirect || f.RequestRedirect != nil:
			errs = append(errs, field.Forbidden(p.Index(i), "a RequestRedirect answers instead of the handler, and the Gateway API refuses it beside backends; write an HTTPRoute of its own"))
		case earlier >= 0 && f.Type != gatewayv1.HTTPRouteFilterRequestMirror && f.Type != gatewayv1.HTTPRouteFilterExtensionRef:
			errs = append(errs, field.Invalid(p.Index(i), f.Type, fmt.Sprintf("cannot be repeated; remove it, or add what it does to filters[%d]", earlier)))
		case expand.ReplacesPrefix(f) && *expand.PathMatch(path, r.PathMatch).Type != gatewayv1.PathMatchPathPrefix:
			errs = append(errs, field.Invalid(p.Index(i).Child("urlRewrite", "path"), f.URLRewrite.Path.Type,
				"replaces what a PathPrefix matches, and "+path+" is matched otherwise; set spec.route.pathMatch to PathPrefix, or use ReplaceFullPath"))
		}
	}
	return errs
}

// validateFilter rejects settings that do not belong to the filter's type, and
// missing ones that do.
func validateFilter(p *field.Path, f *gatewayv1.HTTPRouteFilter) field.ErrorList {
	var errs field.ErrorList
	for _, s := range []struct {
		kind  gatewayv1.HTTPRouteFilterType
		field string
		set   bool
	}{
		{gatewayv1.HTTPRouteFilterRequestHeaderModifier, "requestHeaderModifier", f.RequestHeaderModifier != nil},
		{gatewayv1.HTTPRouteFilterResponseHeaderModifier, "responseHeaderModifier", f.ResponseHeaderModifier != nil},
		{gatewayv1.HTTPRouteFilterRequestMirror, "requestMirror", f.RequestMirror != nil},
		{gatewayv1.HTTPRouteFilterRequestRedirect, "requestRedirect", f.RequestRedirect != nil},
		{gatewayv1.HTTPRouteFilterURLRewrite, "urlRewrite", f.URLRewrite != nil},
		{gatewayv1.HTTPRouteFilterExtensionRef, "extensionRef", f.ExtensionRef != nil},
		{gatewayv1.HTTPRouteFilterCORS, "cors", f.CORS != nil},
	} {
		switch {
		case s.set && f.Type != s.kind:
			errs = append(errs, field.Invalid(p, f.Type, "filter."+s.field+" must be nil if the filter.type is not "+string(s.kind)))
		case !s.set && f.Type == s.kind:
			errs = append(errs, field.Invalid(p, f.Type, "filter."+s.field+" must be specified for "+string(s.kind)+" filter.type"))
		}
	}
	return append(errs, validateFilterSettings(p, f)...)
}

func validateFilterSettings(p *field.Path, f *gatewayv1.HTTPRouteFilter) field.ErrorList {
	var errs field.ErrorList
	if f.RequestMirror != nil {
		errs = append(errs, validateMirror(p.Child("requestMirror"), f.RequestMirror)...)
	}
	if f.URLRewrite != nil {
		errs = append(errs, validateRewrittenHost(p.Child("urlRewrite", "hostname"), f.URLRewrite.Hostname)...)
		errs = append(errs, validatePathModifier(p.Child("urlRewrite", "path"), f.URLRewrite.Path)...)
	}
	if f.CORS != nil {
		errs = append(errs, validateCORS(p.Child("cors"), f.CORS)...)
	}
	if f.ExternalAuth != nil {
		errs = append(errs, field.Forbidden(p.Child("externalAuth"), "is experimental in the Gateway API and has no filter.type; use an ExtensionRef"))
	}
	return errs
}

func validateMirror(p *field.Path, m *gatewayv1.HTTPRequestMirrorFilter) field.ErrorList {
	errs := validateBackend(p.Child("backendRef"), &m.BackendRef)
	if m.Percent != nil && m.Fraction != nil {
		errs = append(errs, field.Invalid(p, *m.Percent, "Only one of percent or fraction may be specified in HTTPRequestMirrorFilter"))
	}
	if m.Fraction != nil && m.Fraction.Numerator > ptr.Deref(m.Fraction.Denominator, 100) {
		errs = append(errs, field.Invalid(p.Child("fraction"), m.Fraction.Numerator, "numerator must be less than or equal to denominator"))
	}
	return errs
}

func validateBackend(p *field.Path, ref *gatewayv1.BackendObjectReference) field.ErrorList {
	isService := (ref.Group == nil || *ref.Group == "") && (ref.Kind == nil || *ref.Kind == "Service")
	if isService && ref.Port == nil {
		return invalidValue(p, ref.Name, "Must have port for Service reference")
	}
	return nil
}

func validateRewrittenHost(p *field.Path, host *gatewayv1.PreciseHostname) field.ErrorList {
	if host == nil {
		return nil
	}
	plain := gatewayv1.Hostname(*host)
	return validateHostname(p, &plain)
}

func validatePathModifier(p *field.Path, m *gatewayv1.HTTPPathModifier) field.ErrorList {
	if m == nil {
		return nil
	}
	var errs field.ErrorList
	for _, s := range []struct {
		kind  gatewayv1.HTTPPathModifierType
		field string
		value *string
	}{
		{gatewayv1.FullPathHTTPPathModifier, "replaceFullPath", m.ReplaceFullPath},
		{gatewayv1.PrefixMatchHTTPPathModifier, "replacePrefixMatch", m.ReplacePrefixMatch},
	} {
		switch {
		case s.value == nil && m.Type == s.kind:
			errs = append(errs, field.Invalid(p, m.Type, s.field+" must be specified when type is set to '"+string(s.kind)+"'"))
		case s.value != nil && m.Type != s.kind:
			errs = append(errs, field.Invalid(p, m.Type, "type must be '"+string(s.kind)+"' when "+s.field+" is set"))
		}
	}
	return errs
}

// validateCORS rejects what the Gateway API rejects in a CORS filter.
func validateCORS(p *field.Path, c *gatewayv1.HTTPCORSFilter) field.ErrorList {
	return joinErrors(
		validateWildcard(p.Child("allowOrigins"), c.AllowOrigins, "AllowOrigins cannot contain '*' alongside other origins"),
		validateWildcard(p.Child("allowMethods"), c.AllowMethods, "AllowMethods cannot contain '*' alongside other methods"),
		validateWildcard(p.Child("allowHeaders"), c.AllowHeaders, "AllowHeaders cannot contain '*' alongside other methods"),
	)
}

// validateWildcard rejects a wildcard beside other entries.
func validateWildcard[T ~string](p *field.Path, list []T, alone string) field.ErrorList {
	if len(list) > 1 && slices.Contains(list, "*") {
		return invalidValue(p, "*", alone)
	}
	return nil
}
