package monitoring

import (
	"regexp"
	"slices"
	"strings"
)

var (
	selector  = regexp.MustCompile(`\{[^}]*\}|"[^"]*"|\[[^\]]*\]|\b(?:by|on) \([^)]*\)`)
	metricRef = regexp.MustCompile(`\b[a-z_][a-z0-9_]*(?::[a-z0-9_:]+)?\b(?: ?\()?`)
	operators = []string{"or", "and", "by", "on", "sum", "max", "min", "count"}
)

// metricsOf returns the names of the metrics in an expression.
func metricsOf(expr string) (out []string) {
	for _, name := range metricRef.FindAllString(selector.ReplaceAllString(expr, ""), -1) {
		if !strings.HasSuffix(name, "(") && !slices.Contains(operators, name) {
			out = append(out, name)
		}
	}
	return out
}
