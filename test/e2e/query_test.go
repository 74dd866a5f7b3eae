package e2e

import (
	"fmt"
	"net/http"
	"testing"
)

// A version in the query reaches its pods as one in the header does, also where it has no
// traffic, and a slash at the end of a path changes nothing.
func TestAVersionInTheQuery(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aProfilesHandler(setReplicas(1), useManual, inNoHurry)
	when.pairIsRecorded("v1.0.0", "v2.0.0", "profileUp", "profileDown")
	when.profilesBecome("v2.0.0")
	when.versionIs("set-traffic", "v1.0.0=100", "v2.0.0=0")
	then.theWeightIs("v1.0.0", 100)
	for _, version := range []string{"v1.0.0", "v2.0.0"} {
		then.queryIsServed("7?version="+version, version)
		then.queryIsServed("7/?version="+version, version)
	}
	then.queryIsServed("7/", "v1.0.0")
}

// queryIsServed waits until the gateway leads a path to pods of a version, which answer in its
// form.
func (n then) queryIsServed(path, version string) {
	n.t.Helper()
	check := checkShapes(n.world, profileSchemas[version][1])
	n.eventually(path+" by "+version, func() error {
		to := n.loadTargets(n.resource + path)[theGateway]
		answer, err := sendGet(n.t.Context(), to.URL, to.Host, "")
		if err != nil {
			return err
		}
		if by := answer.header.Get("X-Gati-Version"); answer.status != http.StatusOK || by != version {
			return fmt.Errorf("status %d by %q: %s", answer.status, by, answer.body)
		}
		return check(answer.body)
	})
	n.logStep("then %s is answered by %s", path, version)
}
