package e2e

import (
	"testing"

	"gati.dev/gati/pkg/remedy"
)

// What a new version can do wrong, what the status says of it, and the commands that show more.
// The reasons are the kubelet's own.
func TestABadVersionHarmsNobody(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		changes []change
		says    []string
		named   []remedy.Remedy
	}{
		"it crashes":          {[]change{setImage("v1.1.0"), addEnv("SAMPLE_CRASH", "start")}, []string{"CrashLoopBackOff", "exit code 1"}, []remedy.Remedy{remedy.ShowPreviousLog}},
		"it is never ready":   {[]change{setImage("v1.1.0"), addEnv("SAMPLE_READY", "never")}, []string{"NotReady", "readiness check fails"}, []remedy.Remedy{remedy.ShowLog}},
		"it cannot be pulled": {[]change{setImage("v9.9.9")}, []string{"ImagePull", "v9.9.9"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			given, when, then := scenario(t)

			given.aHandler(setReplicas(2))
			given.steadyTraffic(50)
			when.applyChanges(tc.changes...)
			then.itsStatusSays(tc.says...)
			then.executesRemedies(tc.named...)
			then.itsPodsServe()
			when.applyChanges(setImage("v2.0.0"), noEnv)
			then.allPodsRun("v2.0.0")
			then.noRequestHasFailed(1000)
			then.answersCameFrom("v1.0.0", "v2.0.0")
		})
	}
}
