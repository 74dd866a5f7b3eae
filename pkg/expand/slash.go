package expand

import (
	"slices"
	"strings"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// To an application /users and /users/ are one route, and so they are to its HTTPRoute. What a
// handler claims is the path as it is declared: the claims of a live route are without the
// slash again.

// The ends of the expression of a path, as it is declared and with a slash at will.
const (
	expressionEnd = "$"
	slashEnd      = "/?$"
	// maxMatch is how long a value of the Gateway API may be.
	maxMatch = 1024
)

// withSlash has matches of a whole path match it with a slash at its end, too.
func withSlash(matches []gatewayv1.HTTPRouteMatch) []gatewayv1.HTTPRouteMatch {
	out := make([]gatewayv1.HTTPRouteMatch, 0, 2*len(matches))
	var twins []gatewayv1.HTTPRouteMatch
	for _, m := range matches {
		m = *m.DeepCopy()
		value := strings.TrimSuffix(*m.Path.Value, expressionEnd)
		isOpen := strings.HasSuffix(value, "/") || strings.HasSuffix(value, ".*") || len(value)+len(slashEnd) > maxMatch
		switch {
		case isOpen || *m.Path.Type == gatewayv1.PathMatchPathPrefix:
		case *m.Path.Type == gatewayv1.PathMatchRegularExpression:
			*m.Path.Value = value + slashEnd
		default:
			twin := *m.DeepCopy()
			*twin.Path.Value += "/"
			twins = append(twins, twin)
		}
		out = append(out, m)
	}
	return append(out, twins...)
}

// withoutSlash returns the matches of which withSlash makes these.
func withoutSlash(matches []gatewayv1.HTTPRouteMatch) []gatewayv1.HTTPRouteMatch {
	var out []gatewayv1.HTTPRouteMatch
	for _, m := range matches {
		if isTwin(m, matches) {
			continue
		}
		if p := m.Path; p != nil && p.Type != nil && p.Value != nil && *p.Type == gatewayv1.PathMatchRegularExpression {
			if value, ok := strings.CutSuffix(*p.Value, slashEnd); ok {
				m = *m.DeepCopy()
				*m.Path.Value = value + expressionEnd
			}
		}
		out = append(out, m)
	}
	return out
}

// isTwin reports whether a match is that of another one with a slash at its end.
func isTwin(m gatewayv1.HTTPRouteMatch, all []gatewayv1.HTTPRouteMatch) bool {
	if m.Path == nil || m.Path.Type == nil || m.Path.Value == nil || *m.Path.Type != gatewayv1.PathMatchExact || !strings.HasSuffix(*m.Path.Value, "/") {
		return false
	}
	return slices.ContainsFunc(all, func(o gatewayv1.HTTPRouteMatch) bool {
		return o.Path != nil && o.Path.Type != nil && o.Path.Value != nil && *o.Path.Type == *m.Path.Type && *o.Path.Value+"/" == *m.Path.Value
	})
}
