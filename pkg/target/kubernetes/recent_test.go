package kubernetes

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
)

// TestRecentWrites holds that our own write counts until the cache has caught up with
// it, and no longer.
func TestRecentWrites(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Unix(0, 0))
	cached := func(uid types.UID, version string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version, Name: "cached"}}
	}
	written := func(version string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Service",
			"metadata": map[string]any{"uid": "u", "resourceVersion": version, "name": "written"},
		}}
	}
	for name, tc := range map[string]struct {
		uid     types.UID
		version string
		after   time.Duration
		want    string
	}{
		"the cache lags":         {"u", "9", 0, "written"},
		"it has caught up":       {"u", "10", 0, "cached"},
		"it is ahead":            {"u", "100", 0, "cached"},
		"another object":         {"v", "9", 0, "cached"},
		"a write long ago":       {"u", "9", 2 * caughtUp, "cached"},
		"a version of no server": {"u", "x", 0, "cached"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecent(clock)
			r.rememberAnswer(written("10"))
			clock.Step(tc.after)
			if got := r.newestState(cached(tc.uid, tc.version), clientgoscheme.Scheme).GetName(); got != tc.want {
				t.Errorf("the object is as %s", got)
			}
		})
	}
	var none *recent
	none.rememberAnswer(written("10"))
	if got := none.newestState(cached("u", "9"), clientgoscheme.Scheme).GetName(); got != "cached" {
		t.Errorf("without a memory the object is as %s", got)
	}
}
