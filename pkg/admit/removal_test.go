package admit_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
)

func TestWarnRemoval(t *testing.T) {
	named := func(name string, modules ...v1.ObjectName) v1.GatiHandler {
		return *builders.MakeHandler(name).Modules(modules...).Obj()
	}
	leaving := named("leaving", "db")
	leaving.DeletionTimestamp = &metav1.Time{}
	tests := map[string]struct {
		handlers []v1.GatiHandler
		want     string
	}{
		"no handler":            {nil, ""},
		"others":                {[]v1.GatiHandler{named("a"), named("b", "cache", "db2")}, ""},
		"one that goes as well": {[]v1.GatiHandler{leaving}, ""},
		"one":                   {[]v1.GatiHandler{named("users", "cache", "db"), leaving}, "GatiModule db is used by users, which can no longer reach it"},
		"several":               {[]v1.GatiHandler{named("users", "db"), named("orders", "db"), named("carts", "db")}, "GatiModule db is used by carts and 2 more, which can no longer reach it"},
	}
	for name, tc := range tests {
		if got := admit.WarnRemoval("db", tc.handlers); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
