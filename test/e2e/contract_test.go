package e2e

import "testing"

// Callers without a version get the old form until the contract moves and the new one after
// it, never both by turns; those that name a version notice nothing. The command returns once
// all pods answer by the new contract.
func TestTheContractMovesAtOneMoment(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aProfilesHandler(setReplicas(2), useManual, inNoHurry)
	when.pairIsRecorded("v1.0.0", "v2.0.0", "profileUp", "profileDown")
	when.profilesBecome("v2.0.0")
	then.eachPinIsServed("v1.0.0", "v2.0.0")
	when.versionIs("set-traffic", "v1.0.0=0", "v2.0.0=100")
	then.theWeightIs("v2.0.0", 100)
	then.theWeightIs("v1.0.0", 0)

	forms := given.formsAreNoted(50)
	moved := when.contractMovesTo("v2.0.0", "0 of 2 pods know it", "2 of 2 pods know it")
	then.formsChangeOnce(forms, "v1.0.0", "v2.0.0", moved)
	moved = when.contractMovesTo("v1.0.0", "2 of 2 pods know it")
	then.formsChangeOnce(forms, "v2.0.0", "v1.0.0", moved)
}
