package ask

import (
	"cmp"
	"fmt"
	"strings"

	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/status"
)

// undos are the commands that revert a request, or why none does. HANDLER stands for
// its name and namespace, FROM for the version that it leaves.
var undos = map[request.Verb]string{
	request.Promote:      "kubectl gati rollout abort HANDLER",
	request.Pause:        "kubectl gati rollout resume HANDLER",
	request.Resume:       "kubectl gati rollout pause HANDLER",
	request.Abort:        "change the spec; until then it is not retried",
	request.Rollback:     "change the spec, or kubectl gati rollout rollback HANDLER --to FROM",
	request.Restart:      "nothing to undo: the new pods run the same template",
	request.Decommission: "declare it again, or give it all traffic: kubectl gati rollout rollback HANDLER --to FROM",
}

// undoFor returns how to revert a request.
func undoFor(h *status.Handler, r request.Request) string {
	from := r.Argument
	if r.Verb == request.Rollback && h.Rollout != nil {
		from, _, _ = strings.Cut(cmp.Or(h.Rollout.Target, h.Rollout.Stable), " ")
	}
	return strings.NewReplacer("HANDLER", fmt.Sprintf("%s -n %s", h.Name, h.Namespace), "FROM", from).Replace(undos[r.Verb])
}
