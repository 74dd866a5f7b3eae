package adopt

import (
	"fmt"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// surge is the default of Kubernetes for both numbers of a rolling update.
const surge = "25%"

// translateDeployment takes over a Deployment.
func (t *translation) translateDeployment(o *object) error {
	spec := o.root().enter("spec")
	strategy := spec.enter("strategy")
	strategy.enter("rollingUpdate").dropEqual("maxSurge", surge, 1)
	strategy.enter("rollingUpdate").dropEqual("maxUnavailable", surge, 0)
	if !strategy.has("rollingUpdate") {
		strategy.dropEqual("type", "RollingUpdate")
	}
	spec.dropEqual("progressDeadlineSeconds", 600)
	if seconds := take[int64](spec, "progressDeadlineSeconds"); seconds > 0 {
		t.rollout().ProgressDeadline = formatSeconds(seconds)
	}
	spec.dropEqual("revisionHistoryLimit", 10)
	if spec.has("revisionHistoryLimit") {
		t.handler.Spec.Versions = &v1.VersionPolicy{HistoryLimit: take[*int32](spec, "revisionHistoryLimit")}
	}
	return t.translateScaled(spec)
}

// translateScaled takes over what all workloads with a pod template have.
func (t *translation) translateScaled(spec tree) error {
	t.handler.Spec.Replicas = take[*int32](spec, "replicas")
	delete(spec.content, "replicas") // 0 is a number as well
	selector := spec.enter("selector")
	t.selectors = append(t.selectors, take[map[string]string](selector, "matchLabels"))
	return t.translateTemplate(spec.enter("template"))
}

// rollout returns the handler's rollout, to be set.
func (t *translation) rollout() *v1.Rollout {
	if t.handler.Spec.Rollout == nil {
		t.handler.Spec.Rollout = &v1.Rollout{}
	}
	return t.handler.Spec.Rollout
}

func formatSeconds(n int64) v1.Duration {
	if minute := int64(time.Minute / time.Second); n%minute == 0 {
		return v1.Duration(fmt.Sprintf("%dm", n/minute))
	}
	return v1.Duration(fmt.Sprintf("%ds", n))
}
