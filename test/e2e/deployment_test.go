package e2e

import (
	"slices"
	"testing"
	"time"
)

// TestEveryWayToDeploy types what docs/deployment.md has, block by block, each way on a
// cluster without Gati.
func TestEveryWayToDeploy(t *testing.T) {
	given, when, then := scenario(t)

	page := deploymentPage(t)
	for _, way := range ways {
		given.noGati()
		for _, section := range way {
			when.runPageCommands(page[section])
			if removes[section] {
				then.nothingOfGatiWorks()
				continue
			}
			then.gatiIsUp()
			then.anApplySucceedsWithin(30 * time.Second)
		}
	}
	given.noGati()
	given.theFirstGati()
	when.runPageCommands(page["Take over an installation"])
	then.gatiIsUp()
	then.anApplySucceedsWithin(30 * time.Second)
	if typed := slices.Concat(append(ways, []string{"Take over an installation"})...); len(typed) != len(page) {
		t.Errorf("of %d sections with commands %d were typed: %q", len(page), len(typed), typed)
	}
}

// TestTheChartUnderTraffic holds that no pod of a handler notices what helm does, down to
// an uninstallation and the installation after it.
func TestTheChartUnderTraffic(t *testing.T) {
	given, when, then := scenario(t)

	page := deploymentPage(t)
	given.noGati()
	when.runPageCommands(page["The chart"])
	given.gatiRuns()
	given.aHandler(setReplicas(2))
	given.steadyTraffic(20)
	when.runPageCommands(page["Change the values"])
	then.theHooksHave(3)
	when.runPageCommands(page["Upgrade by Helm"])
	when.runPageCommands(page["Remove by Helm"])
	then.nothingOfGatiWorks()
	then.itsPodsAreTheSame()
	when.runPageCommands(page["The chart"])
	then.gatiIsUp()
	then.anApplySucceedsWithin(30 * time.Second)
	then.itsPodsAreTheSame()
	when.applyChanges(setImage("v1.1.0"))
	then.allPodsRun("v1.1.0")
	then.noRequestHasFailed(200)
	when.theHooksAreGone()
	then.helmTestFails()
}

// TestTheChartTakesOverTheFirst holds that the first Gati becomes a release of Helm, and
// that its handlers keep their pods.
func TestTheChartTakesOverTheFirst(t *testing.T) {
	given, when, then := scenario(t)

	page := deploymentPage(t)
	given.noGati()
	given.theFirstGati()
	given.aHandler(setReplicas(2))
	given.steadyTraffic(20)
	when.runPageCommands(page["Take over an installation"])
	then.gatiIsUp()
	then.aLeaderRuns(ours)
	then.anApplySucceedsWithin(30 * time.Second)
	when.secondsPass(20)
	then.itsPodsAreTheSame()
	when.runPageCommands(page["Upgrade by Helm"])
	when.applyChanges(setImage("v1.1.0"))
	then.allPodsRun("v1.1.0")
	then.noRequestHasFailed(500)
}
