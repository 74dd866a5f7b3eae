package version

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

var start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// A record is bound to its handler's version once, and its status has what the handler's
// controller has decided about that version.
func TestReconcile(t *testing.T) {
	users := builders.MakeHandler("users").Namespace("default").UID("u").Image("app:v2").Status(func(s *v1.GatiHandlerStatus) {
		s.Version = "v2"
		s.Versions = []v1.VersionStatus{
			{Version: "v1", RevisionNumber: 1, Phase: v1.VersionDecommissioned},
			{Version: "v2", RevisionNumber: 1, Phase: v1.VersionDraining, Weight: 20},
			{Version: "v2", RevisionNumber: 2, Phase: v1.VersionActive, Weight: 80},
		}
	}).Obj()
	record := func(name string) *builders.Version {
		return builders.MakeVersion(name).Namespace("default").Created(start)
	}
	elder := func(tags ...v1.Tag) *v1.GatiVersion {
		return record("older").Handler("users").Version("v1").Created(start.Add(-time.Hour)).Bound("users", "v1").Tags(tags...).Obj()
	}
	tests := map[string]struct {
		record *v1.GatiVersion
		others []client.Object

		wantVersion string
		wantPhase   v1.VersionPhase
		want        map[string]string // the beginning of "status reason message", by condition
	}{
		"a version with two templates": {
			record: record("users-v2").Handler("users").Version("v2").Obj(), wantVersion: "v2", wantPhase: v1.VersionActive,
			want: map[string]string{v1.ConditionAccepted: "True Accepted", v1.ConditionReady: "True Serving Version v2 is live", v1.ConditionStalled: "False"},
		},
		"a decommissioned version": {
			record: record("users-v1").Handler("users").Version("v1").Obj(), wantVersion: "v1", wantPhase: v1.VersionDecommissioned,
			want: map[string]string{v1.ConditionReady: "True Idle"},
		},
		"a version that was never declared": {
			record: record("users-v9").Handler("users").Version("v9").Obj(), wantVersion: "v9",
			want: map[string]string{v1.ConditionAccepted: "True", v1.ConditionReady: "False NotDeclared"},
		},
		"no handler yet": {
			record: record("orders-v1").Handler("orders").Version("v1").Obj(),
			want:   map[string]string{v1.ConditionAccepted: "False Unbound", v1.ConditionStalled: "False", v1.ConditionReconciling: "True Unbound"},
		},
		"an invalid record": {
			record: record("users-v2").Handler("users").Version("latest!").Obj(),
			want:   map[string]string{v1.ConditionValid: "False Invalid spec.version", v1.ConditionStalled: "True Invalid"},
		},
		"a second record of a version": {
			record: record("users-v1").Handler("users").Version("v1").Obj(), others: []client.Object{elder()}, wantVersion: "v1", wantPhase: v1.VersionDecommissioned,
			want: map[string]string{v1.ConditionAccepted: "False Refused", v1.ConditionStalled: "True Refused"},
		},
		"a tag that an older record has": {
			record: func() *v1.GatiVersion {
				r := record("users-v2").Handler("users").Version("v2").Obj()
				r.Spec.Tags = []v1.Tag{"blue"}
				return r
			}(), others: []client.Object{elder("blue")}, wantVersion: "v2", wantPhase: v1.VersionActive,
			want: map[string]string{v1.ConditionAccepted: "False Refused The tag blue"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := reconciler(t, append([]client.Object{tc.record, users}, tc.others...)...)
			c := r.Client
			var after v1.GatiVersion
			var versions []string
			for range 3 {
				if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(tc.record)}); err != nil {
					t.Fatal(err)
				}
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(tc.record), &after); err != nil {
					t.Fatal(err)
				}
				versions = append(versions, after.ResourceVersion)
			}
			if versions[1] != versions[2] {
				t.Error("what stands was written again")
			}
			st := after.Status
			if st.Version != tc.wantVersion || st.Phase != tc.wantPhase {
				t.Errorf("version %q, phase %q; want %q, %q", st.Version, st.Phase, tc.wantVersion, tc.wantPhase)
			}
			for kind, want := range tc.want {
				if got := conditionText(st.Conditions, kind); !strings.HasPrefix(got, want) {
					t.Errorf("%s is %q, want %q", kind, got, want)
				}
			}
		})
	}
}

// A record that names no version waits for the status of the spec that it came after: the
// one before has another version, and a binding is for good.
func TestBindingWaitsForTheDeclaredVersion(t *testing.T) {
	users := builders.MakeHandler("users").Namespace("default").UID("u").Image("app:v2").Status(func(s *v1.GatiHandlerStatus) {
		s.Version, s.ObservedGeneration = "v1", 1
	}).Obj()
	users.Generation = 2
	r := reconciler(t, users, builders.MakeVersion("users-open").Namespace("default").Handler("users").Obj())
	if got := r.reconciled(t, "users-open").Status.Version; got != "" {
		t.Errorf("it is bound to %s", got)
	}
	users.Status.Version, users.Status.ObservedGeneration = "v2", 2
	if err := r.Client.Update(t.Context(), users); err != nil {
		t.Fatal(err)
	}
	if got := r.reconciled(t, "users-open").Status.Version; got != "v2" {
		t.Errorf("it is bound to %q, want v2", got)
	}
}

// Who may update a record may change its labels and annotations, and moves nothing by it.
func TestMetadataDecidesNothing(t *testing.T) {
	users := builders.MakeHandler("users").Namespace("default").UID("u").Version("v2").Image("app:v2").Status(func(s *v1.GatiHandlerStatus) {
		s.ObservedGeneration = 1
	}).Obj()
	orders := builders.MakeHandler("orders").Namespace("default").UID("o").Image("app:v2").Obj()
	named := builders.MakeVersion("named").Handler("users").Version("v1").Tags("blue").Obj()
	open := builders.MakeVersion("users-open").Obj()
	own := builders.MakeVersion("users-own").Handler("users").Version("v3").Label(v1.LabelAutomatic, "true").Obj()
	r := reconciler(t, users, orders, named, open, own)
	want := map[string]string{"named": "users v1 false", "users-open": "users v2 false", "users-own": "users v3 true"}
	for range 2 {
		for name, want := range want {
			record := r.reconciled(t, name)
			if got := fmt.Sprint(record.Status.Handler, " ", record.Status.Version, " ", *record.Status.Automatic); got != want {
				t.Errorf("%s is of %s, want %s", name, got, want)
			}
			if _, marked := record.Labels[v1.LabelAutomatic]; record.Labels[v1.LabelHandler] != "users" || marked != strings.HasSuffix(want, "true") {
				t.Errorf("%s has the labels %v", name, record.Labels)
			}
			changeMetadata(t, r.Client, record)
		}
		found, err := observe.Records(t.Context(), r.Client, "default", "users")
		if err != nil || len(found) != 3 || len(records.ByVersion("users", found)) != 3 || len(records.ByVersion("orders", found)) != 0 {
			t.Errorf("%d records of users, error %v, want 3", len(found), err)
		}
	}
}

// changeMetadata gives a record the marks of another handler and version, and the mark
// of an automatic record that it does not have.
func changeMetadata(t *testing.T, c client.Client, record *v1.GatiVersion) {
	t.Helper()
	record.Annotations = map[string]string{v1.AnnotationVersion: "v9"}
	record.Labels = map[string]string{v1.LabelHandler: "orders"}
	if !*record.Status.Automatic {
		record.Labels[v1.LabelAutomatic] = "true"
	}
	if err := c.Update(t.Context(), record); err != nil {
		t.Fatal(err)
	}
}

func reconciler(t *testing.T, objects ...client.Object) *Reconciler {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1.GatiVersion{}).
		WithIndex(&v1.GatiVersion{}, observe.RecordIndex, observe.RecordKeys).WithObjects(objects...).Build()
	return &Reconciler{Client: c, Clock: clocktesting.NewFakePassiveClock(start)}
}

// reconciled returns a record after its reconciliation.
func (r *Reconciler) reconciled(t *testing.T, name string) *v1.GatiVersion {
	t.Helper()
	key := client.ObjectKey{Namespace: "default", Name: name}
	if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
	var record v1.GatiVersion
	if err := r.Client.Get(t.Context(), key, &record); err != nil {
		t.Fatal(err)
	}
	return &record
}

func conditionText(conditions []metav1.Condition, kind string) string {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil {
		return "absent"
	}
	return string(c.Status) + " " + c.Reason + " " + c.Message
}

// TestAnAutomaticRecordWaitsForItsHandler holds that the record of a handler about which
// nothing was decided gets its status in one write, with the first one of the handler. One of
// a user says at once what it is of.
func TestAnAutomaticRecordWaitsForItsHandler(t *testing.T) {
	users := builders.MakeHandler("users").Namespace("default").UID("u").Version("v1").Image("app:v1").Obj()
	own := builders.MakeVersion("users-v1").Handler("users").Version("v1").Label(v1.LabelAutomatic, "true").Obj()
	r := reconciler(t, users, own, builders.MakeVersion("named").Handler("users").Version("v2").Obj())
	if got := r.reconciled(t, "users-v1").Status; got.ObservedGeneration != 0 || len(got.Conditions) > 0 {
		t.Errorf("before the handler's: %+v", got)
	}
	if got := r.reconciled(t, "named").Status.Handler; got != "users" {
		t.Errorf("a user's record is of %q", got)
	}
	users.Status.Rollout, users.Status.Versions = &v1.RolloutStatus{}, []v1.VersionStatus{{Version: "v1", Phase: v1.VersionActive}}
	if err := r.Client.Update(t.Context(), users); err != nil {
		t.Fatal(err)
	}
	if got := r.reconciled(t, "users-v1").Status; got.Phase != v1.VersionActive {
		t.Errorf("after the handler's: %+v", got)
	}
}
