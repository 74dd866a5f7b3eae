package validation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

func TestRatchet(t *testing.T) {
	tests := map[string]struct {
		new, old     *v1.GatiHandler
		want         []string
		wantWarnings int
	}{
		"a fault from before": {builders.MakeHandler("a").Port(0).Replicas(2).Obj(), builders.MakeHandler("a").Port(0).Obj(), nil, 1},
		"another value":       {builders.MakeHandler("a").Port(-1).Obj(), builders.MakeHandler("a").Port(0).Obj(), []string{invalid + "port"}, 0},
		"one more fault":      {builders.MakeHandler("a").Port(0).Replicas(-1).Obj(), builders.MakeHandler("a").Port(0).Obj(), []string{invalid + "replicas"}, 1},
		"a fault less":        {builders.MakeHandler("a").Obj(), builders.MakeHandler("a").Port(0).Obj(), nil, 0},
		"a strategy stored by a newer release": {
			builders.MakeHandler("a").Strategy("BlueGreen").Replicas(2).Obj(), builders.MakeHandler("a").Strategy("BlueGreen").Obj(), nil, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			check := func(h *v1.GatiHandler) field.ErrorList {
				bounds, _ := schemaErrors(t, "GatiHandler", h)
				return withSchema(bounds, ValidateHandler(h, nil))
			}
			errs, warnings := SplitStoredErrors(check(tc.new), check(tc.old))
			if diff := cmp.Diff(tc.want, faults(errs)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if len(warnings) != tc.wantWarnings {
				t.Errorf("want %d warnings, got %q", tc.wantWarnings, warnings)
			}
		})
	}
}

// TestRatchetKeepsImmutability checks that a stored fault opens no way around
// what must not change.
func TestRatchetKeepsImmutability(t *testing.T) {
	old := builders.MakeVersion("a").Handler("A").Obj()
	errs, _ := SplitStoredErrors(ValidateVersion(builders.MakeVersion("a").Handler("B").Obj(), old), ValidateVersion(old, nil))
	if diff := cmp.Diff([]string{invalid + "handler", invalid + "handler"}, faults(errs)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
