package status

import (
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// pages is where docs/ is read by those who have the plugin alone.
const pages = "https://gati.dev/docs/"

// troubleshooting is the page with an entry for each reason.
const troubleshooting = pages + "troubleshooting.md#"

// waitingEntry returns the entry of the page about a reason to wait.
func waitingEntry(r v1.WaitingReason) string {
	return troubleshooting + "waits-for-" + strings.ToLower(string(r))
}

// conditionEntry returns the entry of the page about the reason of a condition.
func conditionEntry(r v1.ConditionReason) string {
	return troubleshooting + "condition-" + strings.ToLower(string(r))
}

// findEntry returns the entry about a link that does not hold, empty where the page has
// none: the condition's, and for a rollout the one about the reason it waits.
func findEntry(link string, item *Item, r *Rollout) string {
	switch link {
	case "seen":
		if item.Health == Deleting {
			return ""
		}
		return troubleshooting + "not-observed"
	case "rollout":
		if r != nil && r.WaitingFor != nil {
			return waitingEntry(r.WaitingFor.Reason)
		}
	case "traffic":
		return waitingEntry(v1.WaitingForGateway)
	}
	if item.isTrue(v1.ConditionStalled) {
		return conditionEntry(v1.ConditionReason(item.findCondition(v1.ConditionStalled).Reason))
	}
	return map[string]string{
		"accepted": conditionEntry(v1.ReasonInvalid),
		"pods":     conditionEntry(v1.ReasonPodsFailing),
		"rollout":  conditionEntry(v1.ReasonProgressing),
		"children": conditionEntry(v1.ReasonApplyFailed),
	}[link]
}
