package policy

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestChecksNeedTheRightToCreateJobs holds that an editor may not add a check or change its
// Job without that right, and may do all else with a handler that has one.
func TestChecksNeedTheRightToCreateJobs(t *testing.T) {
	makePeople(t)
	const tester = "tester-of-a"
	grantRole(t, team, tester, "gati-edit")
	grantRights(t, team, tester, makeRule("batch", []string{"jobs"}, []string{"create"}))
	h := makeHandler("v1", team, "checked", `
path: /a
image: app:v1
rollout: {strategy: Canary, checks: [
  {name: smoke, when: AfterPromotion, job: {command: [a], envFrom: [{secretRef: {name: db}}]}},
  {name: load, when: AfterPromotion, job: {image: "load:v1"}}]}
`)
	const refused = "spec.rollout.checks: the Job of check smoke can be had by whoever may create jobs.batch in namespace a, and dev-of-a may not"
	if got := describeOutcome(clientOf(editor).Create(t.Context(), h.DeepCopy(), client.DryRunAll)); !strings.Contains(got, refused) {
		t.Errorf("an editor creates it: %s", got)
	}
	if err := clientOf(tester).Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct {
		name, patch string
		asks        bool
	}{
		{"another image of the handler", `{"spec":{"image":"app:v2"}}`, false},
		{"one check left out", `{"spec":{"rollout":{"checks":[{"name":"load","when":"AfterPromotion","job":{"image":"load:v1"}}]}}}`, false},
		{"another time and timeout", `{"spec":{"rollout":{"checks":[{"name":"load","when":"Step","step":1,"timeout":"1m","job":{"image":"load:v1"}}]}}}`, false},
		{"another image of a check", `{"spec":{"rollout":{"checks":[{"name":"load","when":"AfterPromotion","job":{"image":"load:v2"}}]}}}`, true},
		{"another account", `{"spec":{"rollout":{"checks":[{"name":"load","when":"AfterPromotion","job":{"image":"load:v1","serviceAccountName":"admin"}}]}}}`, true},
		{"another Secret", `{"spec":{"rollout":{"checks":[{"name":"smoke","when":"AfterPromotion","job":{"command":["a"],"envFrom":[{"secretRef":{"name":"root"}}]}}]}}}`, true},
	} {
		patch := client.RawPatch(types.MergePatchType, []byte(p.patch))
		got := describeOutcome(clientOf(editor).Patch(t.Context(), h.DeepCopy(), patch, client.DryRunAll))
		if asked := strings.Contains(got, "may create jobs.batch"); asked != p.asks || !asked && got != "admitted" {
			t.Errorf("%s: %s", p.name, got)
		}
		if err := clientOf(tester).Patch(t.Context(), h.DeepCopy(), patch, client.DryRunAll); err != nil {
			t.Errorf("%s: refused although the right is there: %v", p.name, err)
		}
	}
}
