package status

import (
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// Notes returns remarks on a version, the most important first.
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
	add(v.Contract, "contract")
	add(len(v.Serves) > 0, "serves callers of %s", strings.Join(v.Serves, ", "))
	add(v.RevisionNumber > 1, "revision %d", v.RevisionNumber)
	add(v.Pinned, "pinned by a rollback")
	add(v.Rejected != "", "rejected: %s", v.Rejected)
	add(v.Held != "", "reached by header only: %s", v.Held)
	add(v.Leaving != "", "%s", v.Leaving)
	add(v.DecommissionedBy != "" && v.Leaving != "", "decommissioned by %s", v.DecommissionedBy)
	add(v.OverriddenBy != "", "breaks callers; allowed by %s", v.OverriddenBy)
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

// Badge names the declared version when another one serves; empty otherwise.
func (h *Handler) Badge() string {
	switch r := h.Rollout; {
	case r == nil:
		return ""
	case r.Pinned != nil:
		return fmt.Sprintf("Spec declares %s; %s is pinned by %s", h.Version, r.Pinned.Version, r.Pinned.By)
	case r.Back && r.Stable != h.Version:
		return fmt.Sprintf("Spec declares %s; %s serves", h.Version, r.Stable)
	default:
		return ""
	}
}

// HasName reports whether a name is the version's own or a tag of its record.
func (v *Version) HasName(name string) bool {
	return v.Version == name || v.Record != nil && slices.Contains(v.Record.Tags, v1.Tag(name))
}
