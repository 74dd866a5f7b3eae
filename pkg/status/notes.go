package status

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Notes are what sets a version apart, in the order in which people ask.
func (v *Version) Notes() []string {
	var notes []string
	add := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	add(v.Role == RoleStable, "stable")
	add(v.Role == RoleTarget, "being rolled out")
	add(v.Declared, "declared")
	add(v.RevisionNumber > 1, "revision %d", v.RevisionNumber)
	add(v.Pinned, "pinned by a rollback")
	add(v.Rejected != "", "rejected: %s", v.Rejected)
	add(v.Held != "", "by header alone: %s", v.Held)
	add(v.Leaving != "", "%s", v.Leaving)
	add(v.DecommissionedBy != "" && v.Leaving != "", "decommissioned by %s", v.DecommissionedBy)
	add(v.OverriddenBy != "", "breaks callers, overridden by %s", v.OverriddenBy)
	if r := v.Record; r != nil {
		for _, tag := range r.Tags {
			add(true, "#%s", tag)
		}
		add(r.Keep, "kept")
		add(r.Inactive, "inactive")
		add(r.Reason != "", "%s", r.Reason)
	}
	return notes
}

// Badge says in a few words that another version serves than the spec asks for;
// empty when none does.
func (h *Handler) Badge() string {
	switch r := h.Rollout; {
	case r == nil:
		return ""
	case r.Pinned != nil:
		return fmt.Sprintf("Git asks for %s, pinned %s by %s", h.Version, r.Pinned.Version, r.Pinned.By)
	case r.Back:
		return fmt.Sprintf("Git asks for %s, %s serves", h.Version, r.Stable)
	default:
		return ""
	}
}

// Is tells that a version goes by a name: its own, or a tag of its record.
func (v *Version) Is(name string) bool {
	return v.Version == name || v.Record != nil && slices.Contains(v.Record.Tags, v1.Tag(name))
}
