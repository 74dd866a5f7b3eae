package handler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/target"
)

// TestAMovedRouteIsNotTold holds that an Event tells of a route that is put back, and not of
// one that follows another plan, as when gateways have come to know the pods of a version;
// and that other writes are told of beside it.
func TestAMovedRouteIsNotTold(t *testing.T) {
	const ofRoute, ofService = "updated " + routeKind + " handler-users", "updated Service handler-users"
	writes := []string{ofRoute, ofService}
	for name, tc := range map[string]struct{ replanned, want []string }{
		"both are put back":   {nil, writes},
		"another route":       {[]string{ofRoute}, []string{ofService}},
		"another Service":     {[]string{ofService}, writes},
		"another plan of all": {writes, []string{ofService}},
	} {
		if diff := cmp.Diff(tc.want, untold(target.Outcome{Writes: writes, Replanned: tc.replanned})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestTheRecordOfAVersionStaysKnown holds that a record that exists, though the cache does
// not show it yet, stays in the status if it was there.
func TestTheRecordOfAVersionStaysKnown(t *testing.T) {
	s := &story{versionsBefore: []v1.VersionStatus{{Version: "v1", Record: "users-v1"}, {Version: "v2"}}}
	for _, tc := range []struct{ version, name, want string }{
		{"v1", "users-v1", "users-v1"},
		{"v1", "users-v1-abc", ""},
		{"v2", "users-v2", ""},
		{"v3", "users-v1", ""},
	} {
		if got := s.knownRecord(tc.version, tc.name); got != tc.want {
			t.Errorf("%s of %s: %q, want %q", tc.name, tc.version, got, tc.want)
		}
	}
}
