package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gati.dev/gati/internal/lazyregexp"
)

const maxCORSEntries = 64

var corsOrigin = lazyregexp.New(`(^\*$)|(^(http(s)?):\/\/(((\*\.)?([a-zA-Z0-9\-]+\.)*[a-zA-Z0-9-]+|\*)(:([0-9]{1,5}))?)$)`)

// cors refuses what the Gateway API refuses of a CORS filter.
func cors(p *field.Path, c *gatewayv1.HTTPCORSFilter) field.ErrorList {
	errs := join(
		corsList(p.Child("allowOrigins"), c.AllowOrigins, "AllowOrigins cannot contain '*' alongside other origins"),
		corsList(p.Child("allowMethods"), c.AllowMethods, "AllowMethods cannot contain '*' alongside other methods"),
		corsList(p.Child("allowHeaders"), c.AllowHeaders, "AllowHeaders cannot contain '*' alongside other methods"),
		corsList(p.Child("exposeHeaders"), c.ExposeHeaders, ""),
	)
	for i, origin := range c.AllowOrigins {
		if len(origin) > maxDNSName || !corsOrigin.MatchString(string(origin)) {
			errs = append(errs, field.Invalid(p.Child("allowOrigins").Index(i), origin, "must be * or an origin such as https://example.com"))
		}
	}
	for i, method := range c.AllowMethods {
		errs = append(errs, oneOfSet(p.Child("allowMethods").Index(i), method, "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "*")...)
	}
	if c.MaxAge < 0 {
		errs = append(errs, field.Invalid(p.Child("maxAge"), c.MaxAge, "must be at least 1"))
	}
	return join(errs, headerNames(p.Child("allowHeaders"), c.AllowHeaders), headerNames(p.Child("exposeHeaders"), c.ExposeHeaders))
}

// corsList refuses too many entries, entries twice and, with a sentence for it,
// a wildcard that is not alone.
func corsList[T ~string](p *field.Path, list []T, alone string) field.ErrorList {
	errs := join(atMostItems(p, len(list), maxCORSEntries), unique(p, list))
	if alone != "" && len(list) > 1 && slices.Contains(list, "*") {
		errs = append(errs, field.Invalid(p, "*", alone))
	}
	return errs
}

func headerNames(p *field.Path, list []gatewayv1.HTTPHeaderName) field.ErrorList {
	return each(p, list, func(p *field.Path, name *gatewayv1.HTTPHeaderName) field.ErrorList {
		if headerName.MatchString(string(*name)) {
			return nil
		}
		return wrong(p, *name, "must be the name of a header")
	})
}
