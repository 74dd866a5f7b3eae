package monitoring

import (
	"slices"
	"testing"
)

// TestMetricsOfAnExpression holds that the search itself works.
func TestMetricsOfAnExpression(t *testing.T) {
	for expr, want := range map[string][]string{
		`sum by (a, le) (rate(x_total{y="z"}[5m])) or 0 * level:x:rate5m`:       {"x_total", "level:x:rate5m"},
		`absent(up) and on (name) max by (name) (q_depth{name=~"gati.+"}) > 60`: {"up", "q_depth"},
	} {
		if got := metricsOf(expr); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", expr, got, want)
		}
	}
}
