package e2e

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// progressDeadline is how long a rollout may go without progress.
func progressDeadline(length v1.Duration) change {
	return func(s *v1.GatiHandlerSpec) {
		if s.Rollout == nil {
			s.Rollout = &v1.Rollout{}
		}
		s.Rollout.ProgressDeadline = length
	}
}

// A template that never becomes ready is given up by itself, and no caller notices: the
// pods before it stay until the new ones are ready.
func TestARollingUpdateGoesBackUnderLoad(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), progressDeadline("45s"))
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_READY", "never"))
	then.isRolledBack("v1.1.0", "no progress for", "deadline 45s", "readiness check fails")
	then.podsRunAlone("v1.0.0")
	then.itsPodsServe()
	when.applyChanges(setImage("v2.0.0"), noEnv)
	then.allPodsRun("v2.0.0")
	then.noRequestHasFailed(1000)
	then.answersCameFrom("v1.0.0", "v2.0.0")
}
