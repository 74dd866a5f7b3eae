package rollout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// live is how many versions TestTwentyLiveVersions has.
const live = 20

// TestTwentyLiveVersions holds what a route has room for: of 20 live versions the
// newest and the tagged ones are reached by their header, and the others are named;
// 16 share the traffic, one more is refused, and where it is asked for all the same
// the weights stay and the handler says why.
func TestTwentyLiveVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	of := func(n int) *builders.Handler {
		return w.makeLongCanary(fmt.Sprintf("v%d", n)).Replicas(1).Strategy(v1.StrategyManual)
	}
	for n := 1; n <= live; n++ {
		w.applyHandler(of(n).Obj())
		w.eventually(fmt.Sprintf("v%d", n), func() error {
			if h := w.readHandler("users"); len(h.Status.Versions) != n || h.Status.Version != fmt.Sprintf("v%d", n) {
				return errors.New(describeHandler(h))
			}
			return nil
		})
	}
	if err := w.setTags("users-v3", "kept"); err != nil {
		t.Fatal(err)
	}
	w.awaitPins("users", "v1, v3 kept, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20")
	w.awaitStory("users", "No header leads to v2, v4, v5, v6, v7: an HTTPRoute has room for 15 pinned versions")

	for n := 5; n <= live; n++ {
		w.setTrafficShare(fmt.Sprintf("users-v%d", n), 10)
	}
	const shared = "v1 0 v2 0 v3 0 v4 0 v5 7 v6 7 v7 7 v8 7 v9 6 v10 6 v11 6 v12 6 v13 6 v14 6 v15 6 v16 6 v17 6 v18 6 v19 6 v20 6"
	w.awaitPhase("users", shared, v1.RolloutStable)
	err := w.askFor(4)
	const limit = "an HTTPRoute shares the traffic among 16 versions at most, and v10, v11,"
	if err == nil || !strings.Contains(err.Error(), limit) || !strings.Contains(err.Error(), "kubectl gati version set-traffic users -n "+w.ns+" v10=0") {
		t.Errorf("the seventeenth share is told %v", err)
	}

	// Under another strategy a share is but recorded.
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.Strategy = v1.StrategyCanary })
	if err := w.askFor(4); err != nil {
		t.Fatal(err)
	}
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.Strategy = v1.StrategyManual })
	h := w.awaitStory("users", "Stalled=True", "17 versions request traffic, an HTTPRoute divides it among 16 at most")
	for _, c := range h.Status.Children {
		if c.Message != "" {
			t.Errorf("%s %s: %s", c.Kind, c.Name, c.Message)
		}
	}
}

// askFor gives a version a share.
func (w *world) askFor(n int) error {
	w.t.Helper()
	record := &v1.GatiVersion{}
	record.Namespace, record.Name = w.ns, fmt.Sprintf("users-v%d", n)
	return admin.Patch(w.t.Context(), record, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"traffic":10}}`)))
}
