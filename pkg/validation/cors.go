package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gati.dev/gati/pkg/lazyregexp"
)

const maxCORSEntries = 64

var corsOriginPattern = lazyregexp.New(`(^\*$)|(^(http(s)?):\/\/(((\*\.)?([a-zA-Z0-9\-]+\.)*[a-zA-Z0-9-]+|\*)(:([0-9]{1,5}))?)$)`)

// validateCORS rejects what the Gateway API rejects in a CORS filter.
func validateCORS(p *field.Path, c *gatewayv1.HTTPCORSFilter) field.ErrorList {
	errs := joinErrors(
		validateCORSList(p.Child("allowOrigins"), c.AllowOrigins, "AllowOrigins cannot contain '*' alongside other origins"),
		validateCORSList(p.Child("allowMethods"), c.AllowMethods, "AllowMethods cannot contain '*' alongside other methods"),
		validateCORSList(p.Child("allowHeaders"), c.AllowHeaders, "AllowHeaders cannot contain '*' alongside other methods"),
		validateCORSList(p.Child("exposeHeaders"), c.ExposeHeaders, ""),
	)
	for i, origin := range c.AllowOrigins {
		if len(origin) > maxDNSNameLength || !corsOriginPattern.MatchString(string(origin)) {
			errs = append(errs, field.Invalid(p.Child("allowOrigins").Index(i), origin, "must be * or an origin such as https://example.com"))
		}
	}
	for i, method := range c.AllowMethods {
		errs = append(errs, requireOneOf(p.Child("allowMethods").Index(i), method, "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "*")...)
	}
	if c.MaxAge < 0 {
		errs = append(errs, field.Invalid(p.Child("maxAge"), c.MaxAge, "must be at least 1"))
	}
	return joinErrors(errs, validateHeaderNames(p.Child("allowHeaders"), c.AllowHeaders), validateHeaderNames(p.Child("exposeHeaders"), c.ExposeHeaders))
}

// validateCORSList rejects too many entries, duplicates and, if it has a message
// for it, a wildcard beside other entries.
func validateCORSList[T ~string](p *field.Path, list []T, alone string) field.ErrorList {
	errs := joinErrors(limitItems(p, len(list), maxCORSEntries), rejectDuplicates(p, list))
	if alone != "" && len(list) > 1 && slices.Contains(list, "*") {
		errs = append(errs, field.Invalid(p, "*", alone))
	}
	return errs
}

func validateHeaderNames(p *field.Path, list []gatewayv1.HTTPHeaderName) field.ErrorList {
	return forEach(p, list, func(p *field.Path, name *gatewayv1.HTTPHeaderName) field.ErrorList {
		if headerNamePattern.MatchString(string(*name)) {
			return nil
		}
		return invalidValue(p, *name, "must be the name of a header")
	})
}
