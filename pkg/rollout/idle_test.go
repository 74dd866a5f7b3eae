package rollout_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/pkg/rollout"
)

// TestMayIdle holds which version may lose its last pod: one that only its header reaches,
// and that neither a rollback nor a coming weight needs.
func TestMayIdle(t *testing.T) {
	tests := map[string]struct {
		change func(*rollout.Input)
		want   bool
	}{
		"only its header reaches it": {func(*rollout.Input) {}, true},
		"not asked for":              {func(in *rollout.Input) { in.Policy.MayIdle = false }, false},
		"within the rollback window": {func(in *rollout.Input) {
			in.State.Versions[0].SupersededAt = &metav1.Time{Time: noon.Add(-time.Minute)}
		}, false},
		"warm replicas":               {func(in *rollout.Input) { in.Policy.Warm = 1 }, false},
		"the gateway still has it":    {func(in *rollout.Input) { in.State.Versions[0].ExposedWeight, in.Route.Weights["v1"] = 1, 1 }, false},
		"a rollout leads to it again": {func(in *rollout.Input) { in.Declared.Version, in.Declared.Revision, in.Intent = "v1", "v1-r1", "j" }, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := drained()
			in.Policy.Autoscaled, in.Policy.MayIdle, in.Policy.MinActive = true, true, 2
			tc.change(&in)
			idles := map[string]bool{}
			for _, w := range rollout.Next(in).Workloads {
				idles[w.Workload] = w.MayIdle
			}
			if got, there := idles["v1"]; !there || got != tc.want {
				t.Errorf("v1 may idle: %t (planned: %t), want %t", got, there, tc.want)
			}
			if idles["v2"] {
				t.Error("the stable version may idle")
			}
		})
	}
}
