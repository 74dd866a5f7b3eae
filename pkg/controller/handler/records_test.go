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
)

// Each version of each handler gets a record of its own, whatever the names lead
// to, and keeps it.
func TestRecordsOfHandlersWhoseNamesMeet(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	r := &Reconciler{Clock: clock.RealClock{}, Client: fake.NewClientBuilder().WithScheme(scheme).Build()}
	stories := []*story{declaring(r.Client, "a", "v1.2"), declaring(r.Client, "a-v1", "2")}
	for range 2 {
		for _, s := range stories {
			var bound v1.GatiVersionList
			if err := r.Client.List(t.Context(), &bound); err != nil {
				t.Fatal(err)
			}
			s.Elections = records.ByVersion(s.Handler.Name, bound.Items)
			if err := r.keepRecords(t.Context(), s); err != nil {
				t.Fatal(err)
			}
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
	s := declaring(r.Client, "a", "v1.2")
	if err := r.keepRecords(t.Context(), s); err != nil || s.Decision.Versions[0].Record != "" {
		t.Errorf("record %q, error %v", s.Decision.Versions[0].Record, err)
	}
}

func declaring(c client.Client, name, version string) *story {
	s := &story{Story: decide.Story{Handler: builders.MakeHandler(name).UID(name).Obj()}, writer: c}
	s.Decision.Versions = []v1.VersionStatus{{Version: version, Sequence: 1}}
	return s
}
