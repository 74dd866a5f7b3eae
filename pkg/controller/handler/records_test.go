package handler

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/target"
)

// Each version of each handler gets a record of its own, whatever the names lead
// to, and keeps it.
func TestRecordsOfHandlersWhoseNamesMeet(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	r := &Reconciler{Clock: clock.RealClock{}, Client: fake.NewClientBuilder().WithScheme(scheme).Build()}
	stories := []*story{declaring("a", "v1.2"), declaring("a-v1", "2")}
	for range 2 {
		for _, s := range stories {
			var bound v1.GatiVersionList
			if err := r.Client.List(t.Context(), &bound); err != nil {
				t.Fatal(err)
			}
			s.Elections = records.ByVersion(s.Handler.Name, bound.Items)
			names := keepRecords(t, r, s)
			s.Decision.Versions[0].Record = names[s.Decision.Versions[0].Version]
		}
	}
	var list v1.GatiVersionList
	if err := r.Client.List(t.Context(), &list, client.InNamespace("default")); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for i := range list.Items {
		v := &list.Items[i]
		got[v.Labels[v1.LabelHandler]] = append(got[v.Labels[v1.LabelHandler]], v.Name)
	}
	want := map[string][]string{}
	for _, s := range stories {
		want[s.Handler.Name] = []string{s.Decision.Versions[0].Record}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(list.Items) != 2 || slices.Contains(want["a"], "") || slices.Contains(want["a-v1"], "") {
		t.Errorf("records (-in status +stored):\n%s%v", diff, got)
	}
}

// A record of that name that is not bound yet is a user's to bind first.
func TestUnboundRecordIsWaitedFor(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	r := &Reconciler{Clock: clock.RealClock{}, Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(builders.MakeVersion("a-v1-2").Obj()).Build()}
	s := declaring("a", "v1.2")
	if names := keepRecords(t, r, s); names["v1.2"] != "" {
		t.Errorf("records %q", names)
	}
}

// keepRecords keeps the records of a story, and returns the name of each version's.
func keepRecords(t *testing.T, r *Reconciler, s *story) map[string]string {
	t.Helper()
	a := application{Reconciler: r, s: s, writer: r.Client}
	names := a.keepRecords(t.Context(), s.recordChanges())
	if len(a.errs) > 0 {
		t.Fatal(a.errs)
	}
	return names
}

// TestTheRecordOfAVersionStaysKnown holds that a record that exists, though the cache does
// not show it yet, stays in the status if it was there.
func TestTheRecordOfAVersionStaysKnown(t *testing.T) {
	s := &story{stored: v1.GatiHandlerStatus{Versions: []v1.VersionStatus{{Version: "v1", Record: "users-v1"}, {Version: "v2"}}}}
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

// TestAMovedRouteIsNotReported holds that an Event reports a route that is restored, and
// not one that follows another plan, as when gateways have come to know the pods of a
// version; and that other writes are reported beside it.
func TestAMovedRouteIsNotReported(t *testing.T) {
	route, service := target.Write{Action: target.Updated, Kind: routeKind, Name: "a"}, target.Write{Action: target.Updated, Kind: "Service", Name: "a"}
	movedRoute, movedService := route, service
	movedRoute.IsReplanned, movedService.IsReplanned = true, true
	for name, tc := range map[string]struct{ writes, want []target.Write }{
		"both are put back":   {[]target.Write{route, service}, []target.Write{route, service}},
		"another route":       {[]target.Write{movedRoute, service}, []target.Write{service}},
		"another Service":     {[]target.Write{route, movedService}, []target.Write{route, movedService}},
		"another plan of all": {[]target.Write{movedRoute, movedService}, []target.Write{movedService}},
	} {
		if diff := cmp.Diff(tc.want, toReport(tc.writes)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func declaring(name, version string) *story {
	s := &story{Story: decide.Story{Handler: builders.MakeHandler(name).UID(name).Obj()}}
	s.Decision.Versions = []v1.VersionStatus{{Version: version, Sequence: 1}}
	return s
}
