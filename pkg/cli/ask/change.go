package ask

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/status"
)

// Change says from where to where a request leads, as the handler is now; empty
// where that cannot be told.
func Change(h *status.Handler, r request.Request) string {
	if h.Rollout == nil {
		return ""
	}
	switch r.Verb {
	case request.Promote:
		return promoted(h.Rollout, r.Argument == request.Full)
	case request.Pause:
		return "running → paused"
	case request.Resume:
		return "paused → running"
	case request.Abort:
		if h.Rollout.Target == "" {
			return ""
		}
		return traffic(h, h.Rollout.Stable)
	case request.Rollback:
		return traffic(h, rollbackTo(h, r.Argument))
	case request.Restart:
		return "new pods of " + strings.Join(live(h), ", ")
	case request.Decommission:
		return r.Argument + " Active → Decommissioned, once it has drained"
	default:
		return ""
	}
}

// promoted is the step that follows, or the last.
func promoted(r *status.Rollout, full bool) string {
	from, last := int(r.Step), len(r.Steps)
	if from == 0 || from == last {
		return ""
	}
	to := from + 1
	if full {
		to = last
	}
	return fmt.Sprintf("%s %d%% → %d%% (step %d → %d of %d)", r.Target, r.Steps[from-1].Weight, r.Steps[to-1].Weight, from, to, last)
}

// rollbackTo is the version that a rollback goes to.
func rollbackTo(h *status.Handler, version string) string {
	switch {
	case version != "":
		return version
	case h.Rollout.Target != "":
		return h.Rollout.Stable
	default:
		return h.Rollout.Previous
	}
}

// traffic says which weights change when a version gets all of them.
func traffic(h *status.Handler, to string) string {
	if to == "" {
		return ""
	}
	var parts []string
	gets := fmt.Sprintf("%s 0%% → 100%%", to)
	for i := range h.Versions {
		switch v := &h.Versions[i]; {
		case titleOf(v) == to:
			gets = fmt.Sprintf("%s %d%% → 100%%", to, v.Weight)
		case v.Weight > 0:
			parts = append(parts, fmt.Sprintf("%s %d%% → 0%%", titleOf(v), v.Weight))
		}
	}
	return strings.Join(append(parts, gets), ", ")
}

// titleOf is how a template is called in a rollout.
func titleOf(v *status.Version) string {
	if v.RevisionNumber > 1 {
		return fmt.Sprintf("%s r%d", v.Version, v.RevisionNumber)
	}
	return v.Version
}

// live are the versions that have a workload.
func live(h *status.Handler) []string {
	var names []string
	for i := range h.Versions {
		if v := &h.Versions[i]; v.Workload != "" && v.Phase != "Decommissioned" {
			names = append(names, titleOf(v))
		}
	}
	return names
}

// Undo is the command that takes a request back, or why none does.
func Undo(h *status.Handler, r request.Request) string {
	command := func(format string, args ...any) string {
		return fmt.Sprintf("kubectl gati rollout "+format, args...) + " -n " + h.Namespace
	}
	switch r.Verb {
	case request.Promote:
		return command("abort %s", h.Name)
	case request.Pause:
		return command("resume %s", h.Name)
	case request.Resume:
		return command("pause %s", h.Name)
	case request.Abort:
		return "change the spec; until then it is not tried again"
	case request.Rollback:
		if h.Rollout == nil {
			return "change the spec"
		}
		from := h.Rollout.Stable
		if h.Rollout.Target != "" {
			from = h.Rollout.Target
		}
		version, _, _ := strings.Cut(from, " ")
		return "change the spec, or " + command("rollback %s --to %s", h.Name, version)
	case request.Restart:
		return "nothing to undo: the new pods run what the old ones ran"
	case request.Decommission:
		return "declare it again, or give it all traffic: " + command("rollback %s --to %s", h.Name, r.Argument)
	default:
		return ""
	}
}
