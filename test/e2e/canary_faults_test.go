package e2e

import "testing"

// What Kubernetes goes through in the middle of a canary is no fault of the version.
func TestRestartOfKubernetesInMidCanary(t *testing.T) {
	for _, component := range []string{"etcd", "kube-apiserver"} {
		t.Run(component, func(t *testing.T) {
			given, when, then := scenario(t)

			given.aHandler(setReplicas(2), useCanary)
			given.steadyTraffic(50)
			when.applyChanges(setImage("v1.1.0"))
			then.theWeightIs("v1.1.0", 10)
			when.isKilledAndStartedAgain(component)
			when.requestWithPlugin("promote")
			then.theShareIs("v1.1.0", 50)
			when.isKilledAndStartedAgain(component)
			then.theShareIs("v1.1.0", 50)
			when.requestWithPlugin("promote")
			then.theWeightIs("v1.1.0", 100)
			then.allPodsRun("v1.1.0")
			then.nothingWasRolledBack()
			then.noRequestHasFailed(2000)
			then.answersCameFrom("v1.0.0", "v1.1.0")
		})
	}
}

// The leader is killed as soon as it has taken each step, while it acts upon it, and
// once more in the drain.
func TestKillsOfGatiWebhookInMidCanary(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary)
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"))
	for _, percent := range []int32{10, 50, 100} {
		when.theLeaderIsKilled()
		then.anotherReplicaLeads()
		then.theWeightIs("v1.1.0", percent)
		then.gatiIsUp()
		if percent < 100 {
			when.requestWithPlugin("promote")
		}
	}
	when.theLeaderIsKilled()
	then.anotherReplicaLeads()
	then.allPodsRun("v1.1.0")
	then.nothingWasRolledBack()
	then.noRequestHasFailed(2000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}
