package ask

import (
	"cmp"
	"fmt"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/status"
)

// undos are the commands that revert a request, or why none does. VERSION stands for the
// version that it leaves.
var undos = map[request.Verb]string{
	request.Promote:      string(remedy.Abort),
	request.Pause:        string(remedy.Resume),
	request.Resume:       string(remedy.Pause),
	request.Abort:        string(remedy.Retry),
	request.Retry:        string(remedy.Abort),
	request.Rollback:     "change the spec, or " + string(remedy.ReturnTo),
	request.Restart:      "nothing to undo: the new pods run the same template",
	request.Contract:     string(remedy.MoveContract),
	request.Decommission: "declare it again, or give it all traffic: " + string(remedy.ReturnTo),
}

// undoFor returns how to revert a request.
func undoFor(h *status.Handler, r request.Request) string {
	undo, from, pinned := undos[r.Verb], r.Argument, pinnedVersion(h)
	switch {
	case r.Verb == request.Rollback && h.Strategy == v1.StrategyManual && pinned == "":
		undo = "the version records decide the shares again after " + string(remedy.Retry)
	case r.Verb == request.Rollback && h.Rollout != nil:
		from = versionOf(cmp.Or(h.Rollout.Units.Target, h.Rollout.Units.Stable))
	case r.Verb == request.Contract:
		from = contractVersion(h)
	case r.Verb == request.Retry && pinned != "":
		undo, from = string(remedy.ReturnTo), pinned
	}
	return strings.NewReplacer("HANDLER", fmt.Sprintf("%s -n %s", h.Name, h.Namespace), "VERSION", from).Replace(undo)
}

// pinnedVersion returns the version that a rollback went to; empty if there is none.
func pinnedVersion(h *status.Handler) string {
	if h.Rollout == nil {
		return ""
	}
	return versionOf(h.Rollout.Units.Pinned)
}

func versionOf(unit *v1.UnitRef) string {
	if unit == nil {
		return ""
	}
	return unit.Version
}

// contractVersion returns the version of the contract; empty where it follows the stable
// one.
func contractVersion(h *status.Handler) string {
	for i := range h.Versions {
		if h.Versions[i].Contract {
			return h.Versions[i].Version
		}
	}
	return ""
}
