package version

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// history returns a handler with n versions, the last of which serves, and their records.
func history(n int) (*v1.GatiHandler, []client.Object) {
	h := builders.MakeHandler("users").UID("u").Image("app:v1").Version(fmt.Sprint("v", n)).Obj()
	var out []client.Object
	for i := range n {
		v := v1.VersionStatus{Version: fmt.Sprint("v", i+1), Sequence: int64(i + 1), RevisionNumber: 1, Phase: v1.VersionDecommissioned}
		if i >= n-2 {
			v.Phase, v.Weight = v1.VersionActive, 50
		}
		h.Status.Versions = append(h.Status.Versions, v)
		out = append(out, builders.MakeVersion("users-"+v.Version).Handler("users").Version(v.Version).Created(start).Bound("users", v.Version).Obj())
	}
	return h, out
}

// watched is a reconciler whose reads of records are counted.
type watched struct {
	*Reconciler
	read int
}

func watchedReconciler(t *testing.T, objects ...client.Object) *watched {
	t.Helper()
	out := &watched{Reconciler: reconciler(t, objects...)}
	out.Client = interceptor.NewClient(out.Client.(client.WithWatch), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			err := c.List(ctx, list, opts...)
			if l, ok := list.(*v1.GatiVersionList); ok {
				out.read += len(l.Items)
			}
			return err
		},
	})
	return out
}

// wake returns the names of the records that an update brings back.
func (w *watched) wake(t *testing.T, before, after client.Object) []string {
	t.Helper()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	e := event.UpdateEvent{ObjectOld: before, ObjectNew: after}
	if _, isHandler := before.(*v1.GatiHandler); isHandler {
		enqueueRecords(w.findConcerned).Update(t.Context(), e, q)
	} else {
		enqueueRecords(w.findNeighbours).Update(t.Context(), e, q)
	}
	var out []string
	for q.Len() > 0 {
		request, _ := q.Get()
		out = append(out, request.Name)
		q.Done(request)
	}
	slices.Sort(out)
	return out
}

// TestAHandlerWakesTheRecordsThatShowIt holds which records a write of their handler, or
// of another record, brings back: as many with 500 versions as with 10.
func TestAHandlerWakesTheRecordsThatShowIt(t *testing.T) {
	tests := map[string]struct {
		change func(h *v1.GatiHandler, last *v1.VersionStatus)
		want   string
	}{
		"weights": {func(h *v1.GatiHandler, last *v1.VersionStatus) {
			last.Weight, h.Status.Versions[len(h.Status.Versions)-2].Weight = 90, 10
		}, ""},
		"pods":              {func(h *v1.GatiHandler, last *v1.VersionStatus) { last.Replicas, h.Status.Ready = 3, "2/3" }, ""},
		"a phase":           {func(_ *v1.GatiHandler, last *v1.VersionStatus) { last.Phase = v1.VersionDraining }, "LAST"},
		"a hold":            {func(_ *v1.GatiHandler, last *v1.VersionStatus) { last.Held = "it breaks callers" }, "LAST"},
		"another policy":    {func(h *v1.GatiHandler, _ *v1.VersionStatus) { h.Generation++; h.Spec.Port = new(int32) }, ""},
		"a declared one":    {func(h *v1.GatiHandler, _ *v1.VersionStatus) { h.Spec.Version = "v1000" }, "named users-open"},
		"the oldest is off": {func(h *v1.GatiHandler, _ *v1.VersionStatus) { h.Status.Versions = h.Status.Versions[1:] }, "named users-open users-v1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{10, 500} {
				h, objects := history(n)
				w := watchedReconciler(t, append(objects, h, builders.MakeVersion("users-open").Obj(), builders.MakeVersion("named").Handler("users").Obj())...)
				after := h.DeepCopy()
				tc.change(after, &after.Status.Versions[n-1])
				want := strings.ReplaceAll(tc.want, "LAST", fmt.Sprint("users-v", n))
				woken := w.wake(t, h, after)
				if got := strings.Join(woken, " "); got != want {
					t.Errorf("with %d versions it wakes %q, want %q", n, got, want)
				}
				for _, record := range woken {
					w.reconciled(t, record)
				}
				if w.read > 8 {
					t.Errorf("with %d versions %d records are read", n, w.read)
				}
			}
		})
	}
}

// TestARecordWakesItsNeighbours holds which records a change of another one brings back.
func TestARecordWakesItsNeighbours(t *testing.T) {
	const n = 50
	tests := map[string]struct {
		change func(*v1.GatiVersion)
		want   string
	}{
		"its conditions": {func(v *v1.GatiVersion) { v.Status.Phase, v.Status.ObservedGeneration = v1.VersionDraining, 7 }, ""},
		"a label":        {func(v *v1.GatiVersion) { v.Labels = map[string]string{"team": "a"} }, ""},
		"its traffic":    {func(v *v1.GatiVersion) { v.Spec.Traffic = new(int32) }, "twin"},
		"a tag":          {func(v *v1.GatiVersion) { v.Spec.Tags = []v1.Tag{"blue"} }, "tagged twin"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h, objects := history(n)
			twin := builders.MakeVersion("twin").Handler("users").Version("v7").Created(start).Bound("users", "v7").Obj()
			tagged := builders.MakeVersion("tagged").Handler("users").Version("v3").Created(start).Bound("users", "v3").Tags("blue").Obj()
			w := watchedReconciler(t, append(objects, h, twin, tagged)...)
			before := objects[6].(*v1.GatiVersion)
			after := before.DeepCopy()
			tc.change(after)
			if got := strings.Join(w.wake(t, before, after), " "); got != tc.want {
				t.Errorf("it wakes %q, want %q", got, tc.want)
			}
		})
	}
}

// TestAForgottenVersionStaysDecommissioned holds that a record keeps its phase once the
// handler's status has no place for its version any more.
func TestAForgottenVersionStaysDecommissioned(t *testing.T) {
	h, objects := history(12)
	r := reconciler(t, append(objects, h)...)
	r.reconciled(t, "users-v1")
	h.Status.Versions = h.Status.Versions[2:]
	if err := r.Client.Update(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"users-v1": "True Idle Version v1 is decommissioned", "users-v2": "False NotDeclared"} {
		record := r.reconciled(t, name)
		if got := conditionText(record.Status.Conditions, v1.ConditionReady); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
