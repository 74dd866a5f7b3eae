package observe_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/observe"
)

// TestSettling holds from when on a gateway may be sent to a pod: some time after it
// is ready, and after its endpoint was written where that was for it.
func TestSettling(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		// ready, created and written are that long ago; written is of the endpoints.
		ready, created, written time.Duration
		// front is true when the front Service leads to the pod, too, since long ago.
		front bool

		pods    int32
		left    time.Duration
		settled bool
	}{
		"long ago":                           {ready: time.Hour, created: time.Hour, written: time.Hour, settled: true},
		"ready just now":                     {ready: time.Second, created: time.Minute, written: time.Second, pods: 1, left: 2 * time.Second, settled: true},
		"ready, and endpoints that are late": {ready: 20 * time.Second, created: time.Minute, written: 2 * time.Second, pods: 1, left: time.Second, settled: true},
		"endpoints written for another":      {ready: 10 * time.Minute, created: time.Hour, written: time.Second, settled: true},
		"its own Service is new":             {ready: time.Hour, created: time.Second, written: time.Second, front: true, left: 2 * time.Second},
		"at the end":                         {ready: 3 * time.Second, created: time.Minute, written: 3 * time.Second, settled: true},
		"a clock a little ahead":             {ready: -time.Second, created: time.Minute, written: time.Second, pods: 1, left: 4 * time.Second, settled: true},
		"a clock that is wrong":              {ready: -5 * time.Minute, created: time.Minute, written: time.Minute, settled: true},
	} {
		t.Run(name, func(t *testing.T) {
			ago := func(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "p", Labels: map[string]string{v1.LabelHandler: "users", v1.LabelWorkload: "v2"}},
				Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: ago(tc.ready)}}},
			}
			builders.MakePodOf("handler-users--v2", pod)
			yes, written := true, ago(tc.written)
			slice := func(service string, created time.Duration) *discoveryv1.EndpointSlice {
				return &discoveryv1.EndpointSlice{
					ObjectMeta: metav1.ObjectMeta{
						Namespace: "shop", Name: service + "-abc", CreationTimestamp: ago(created),
						Labels:        map[string]string{v1.LabelHandler: "users", discoveryv1.LabelServiceName: service},
						ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kube-controller-manager", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "discovery.k8s.io/v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1("{}"), Time: &written}},
					},
					Endpoints: []discoveryv1.Endpoint{{TargetRef: &corev1.ObjectReference{Name: "p"}, Conditions: discoveryv1.EndpointConditions{Ready: &yes}}},
				}
			}
			objects := []runtime.Object{pod, slice("handler-users--v2", tc.created)}
			if tc.front {
				objects = append(objects, slice("handler-users", time.Hour))
			}
			reader := fake.NewClientBuilder().WithReturnManagedFields().WithScheme(scheme.Scheme).WithRuntimeObjects(objects...).Build()
			h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users"}}
			workloads, err := observe.Workloads(t.Context(), reader, h)
			if err != nil {
				t.Fatal(err)
			}
			w := workloads["v2"]
			pods, left := w.Settling(now)
			if pods != tc.pods || left != tc.left || w.HasSettled(now) != tc.settled || len(w.Reachable) != 1 {
				t.Errorf("%d pods for %s, settled %v, %d reachable; want %d, %s, %v, 1", pods, left, w.HasSettled(now), len(w.Reachable), tc.pods, tc.left, tc.settled)
			}
		})
	}
	if (&expand.Observed{}).HasSettled(now) {
		t.Error("a Service without endpoints is settled")
	}
}
