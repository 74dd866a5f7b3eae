package rollouttest

import (
	"fmt"
	"strconv"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// checkSaidShares: where pods divide the traffic, a share that is said is that of the pods.
func (c *Checker) checkSaidShares(l look) error {
	ro := l.d.Rollout
	if l.in.Policy.Gateway || ro.Target == nil || ro.Mode != v1.RolloutSteps || ro.ReferenceReplicas == nil {
		return nil
	}
	said, found := strings.CutPrefix(l.d.Reason, ro.Target.Title()+" has ")
	number, _, percent := strings.Cut(said, " %")
	share, err := strconv.Atoi(number)
	if !found || !percent || err != nil {
		return nil
	}
	weight := l.is[ro.Target.Workload].Weight
	n, all := rollout.SplitPods(weight, *ro.ReferenceReplicas)
	if all == 0 || int32(share) == n*100/all {
		return nil
	}
	// Two that are due the same pod may get it either way.
	due := weight**ro.ReferenceReplicas%100 == 50
	if !due || int32(share) != (n-1)*100/all && int32(share) != (n+1)*100/all {
		return fmt.Errorf("%s is said to have %d %%, and has %d of %d pods", ro.Target.Title(), share, n, all)
	}
	return nil
}
