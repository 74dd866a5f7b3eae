package e2e

import (
	"testing"
	"time"

	"gati.dev/gati/pkg/remedy"
)

func TestInstallFromNothing(t *testing.T) {
	given, when, then := scenario(t)

	given.noGati()
	when.applyInstallFile(installYAML)
	then.podsRun()
	then.anApplySucceedsWithin(30 * time.Second)
	then.gatiIsUp()
	then.executesCommand(remedy.ShowControllerLog)
}

func TestInstallAgainKeepsThePods(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2))
	given.steadyTraffic(20)
	when.applyInstallFile(installYAML)
	then.gatiIsUp()
	then.anApplySucceedsWithin(30 * time.Second)
	then.itsPodsAreTheSame()
	then.noRequestHasFailed(200)
}
