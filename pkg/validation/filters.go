package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

// validateFilters rejects what the Gateway API rejects in the filters of a rule.
func validateFilters(p *field.Path, r *v1.Route) field.ErrorList {
	if r == nil {
		return nil
	}
	return joinErrors(limitItems(p, len(r.Filters), maxFilters), forEach(p, r.Filters, validateFilter))
}

// validateFilter rejects settings that do not belong to the filter's type, and
// missing ones that do.
func validateFilter(p *field.Path, f *gatewayv1.HTTPRouteFilter) field.ErrorList {
	errs := requireOneOf(p.Child("type"), f.Type,
		gatewayv1.HTTPRouteFilterRequestHeaderModifier, gatewayv1.HTTPRouteFilterResponseHeaderModifier,
		gatewayv1.HTTPRouteFilterRequestMirror, gatewayv1.HTTPRouteFilterRequestRedirect,
		gatewayv1.HTTPRouteFilterURLRewrite, gatewayv1.HTTPRouteFilterExtensionRef, gatewayv1.HTTPRouteFilterCORS)
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
	if f.RequestHeaderModifier != nil {
		errs = append(errs, validateHeaders(p.Child("requestHeaderModifier"), f.RequestHeaderModifier)...)
	}
	if f.ResponseHeaderModifier != nil {
		errs = append(errs, validateHeaders(p.Child("responseHeaderModifier"), f.ResponseHeaderModifier)...)
	}
	if f.RequestMirror != nil {
		errs = append(errs, validateMirror(p.Child("requestMirror"), f.RequestMirror)...)
	}
	if f.RequestRedirect != nil {
		errs = append(errs, validateRedirect(p.Child("requestRedirect"), f.RequestRedirect)...)
	}
	if f.URLRewrite != nil {
		errs = append(errs, validateRewrittenHost(p.Child("urlRewrite", "hostname"), f.URLRewrite.Hostname)...)
		errs = append(errs, validatePathModifier(p.Child("urlRewrite", "path"), f.URLRewrite.Path)...)
	}
	if f.ExtensionRef != nil {
		at := p.Child("extensionRef")
		errs = append(errs, joinErrors(validateGatewayGroup(at.Child("group"), &f.ExtensionRef.Group), validateGatewayName(at.Child("name"), string(f.ExtensionRef.Name)))...)
		if !isGatewayKind(f.ExtensionRef.Kind) {
			errs = append(errs, field.Invalid(at.Child("kind"), f.ExtensionRef.Kind, "must be a kind"))
		}
	}
	if f.CORS != nil {
		errs = append(errs, validateCORS(p.Child("cors"), f.CORS)...)
	}
	if f.ExternalAuth != nil {
		errs = append(errs, field.Forbidden(p.Child("externalAuth"), "is experimental in the Gateway API and has no filter.type; use an ExtensionRef"))
	}
	return errs
}

var headerNamePattern = lazyregexp.New("^[A-Za-z0-9!#$%&'*+\\-.^_\x60|~]{1,256}$")

const (
	maxHeaders     = 16
	maxHeaderValue = 4096
	maxFilterPath  = 1024
)

func validateHeaders(p *field.Path, h *gatewayv1.HTTPHeaderFilter) field.ErrorList {
	errs := joinErrors(validateHeaderValues(p.Child("set"), h.Set), validateHeaderValues(p.Child("add"), h.Add))
	return append(errs, joinErrors(limitItems(p.Child("remove"), len(h.Remove), maxHeaders), rejectDuplicates(p.Child("remove"), h.Remove))...)
}

func validateHeaderValues(p *field.Path, list []gatewayv1.HTTPHeader) field.ErrorList {
	errs := limitItems(p, len(list), maxHeaders)
	names := make([]gatewayv1.HTTPHeaderName, len(list))
	for i, h := range list {
		names[i] = h.Name
		if !headerNamePattern.MatchString(string(h.Name)) {
			errs = append(errs, field.Invalid(p.Index(i).Child("name"), h.Name, "must be the name of a header"))
		}
		if h.Value == "" {
			errs = append(errs, requiredValue(p.Index(i).Child("value"), "give the header a value")...)
		}
		errs = append(errs, limitLength(p.Index(i).Child("value"), h.Value, maxHeaderValue)...)
	}
	return append(errs, rejectDuplicates(p, names)...)
}

func validateMirror(p *field.Path, m *gatewayv1.HTTPRequestMirrorFilter) field.ErrorList {
	errs := joinErrors(validateBackend(p.Child("backendRef"), &m.BackendRef), limitRange(p.Child("percent"), m.Percent, 0, 100))
	if m.Percent != nil && m.Fraction != nil {
		errs = append(errs, field.Invalid(p, *m.Percent, "Only one of percent or fraction may be specified in HTTPRequestMirrorFilter"))
	}
	if m.Fraction == nil {
		return errs
	}
	at, denominator := p.Child("fraction"), int32(100)
	if m.Fraction.Denominator != nil {
		denominator = *m.Fraction.Denominator
	}
	if denominator < 1 {
		errs = append(errs, field.Invalid(at.Child("denominator"), denominator, "must be at least 1"))
	}
	if m.Fraction.Numerator < 0 {
		errs = append(errs, field.Invalid(at.Child("numerator"), m.Fraction.Numerator, "must not be negative"))
	}
	if m.Fraction.Numerator > denominator {
		errs = append(errs, field.Invalid(at, m.Fraction.Numerator, "numerator must be less than or equal to denominator"))
	}
	return errs
}

func validateBackend(p *field.Path, ref *gatewayv1.BackendObjectReference) field.ErrorList {
	errs := joinErrors(
		validateGatewayName(p.Child("name"), string(ref.Name)), validateGatewayGroup(p.Child("group"), ref.Group),
		validateGatewayNamespace(p.Child("namespace"), ref.Namespace), limitRange(p.Child("port"), ref.Port, 1, maxPort))
	if ref.Kind != nil && !isGatewayKind(*ref.Kind) {
		errs = append(errs, field.Invalid(p.Child("kind"), *ref.Kind, "must be a kind, such as Service"))
	}
	isService := (ref.Group == nil || *ref.Group == "") && (ref.Kind == nil || *ref.Kind == "Service")
	if isService && ref.Port == nil {
		errs = append(errs, field.Invalid(p, ref.Name, "Must have port for Service reference"))
	}
	return errs
}

func validateRedirect(p *field.Path, r *gatewayv1.HTTPRequestRedirectFilter) field.ErrorList {
	errs := joinErrors(validateRewrittenHost(p.Child("hostname"), r.Hostname), validatePathModifier(p.Child("path"), r.Path), limitRange(p.Child("port"), r.Port, 1, maxPort))
	if r.Scheme != nil {
		errs = append(errs, requireOneOf(p.Child("scheme"), *r.Scheme, "http", "https")...)
	}
	if codes := []int{301, 302, 303, 307, 308}; r.StatusCode != nil && !slices.Contains(codes, *r.StatusCode) {
		errs = append(errs, field.Invalid(p.Child("statusCode"), *r.StatusCode, "must be 301, 302, 303, 307 or 308"))
	}
	return errs
}

func validateRewrittenHost(p *field.Path, host *gatewayv1.PreciseHostname) field.ErrorList {
	if host == nil {
		return nil
	}
	plain := gatewayv1.Hostname(*host)
	if len(plain) > 1 && plain[:2] == "*." {
		return invalidValue(p, plain, "must not have a wildcard")
	}
	return validateHostname(p, &plain)
}

func validatePathModifier(p *field.Path, m *gatewayv1.HTTPPathModifier) field.ErrorList {
	if m == nil {
		return nil
	}
	errs := requireOneOf(p.Child("type"), m.Type, gatewayv1.FullPathHTTPPathModifier, gatewayv1.PrefixMatchHTTPPathModifier)
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
		if s.value != nil {
			errs = append(errs, limitLength(p.Child(s.field), *s.value, maxFilterPath)...)
		}
	}
	return errs
}
