package rollout

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// nevers are what keeps a version, whatever its traffic. The first that has
// something to say is told.
var nevers = []func(*machine, *unit) string{
	isStable,
	isTarget,
	isNewest,
	hasWeight,
	isKept,
	hasProtectedTag,
	isWarm,
	isKeptWarm,
	isYoung,
	isOneOfTheLast,
	isFrozen,
}

// never says what keeps a version whatever its traffic, empty when nothing does.
func (m *machine) never(u *unit) string {
	for _, never := range nevers {
		if why := never(m, u); why != "" {
			return why
		}
	}
	return ""
}

func isStable(m *machine, u *unit) string {
	if m.isUnit(u, m.ro.Stable) {
		return "it is the stable version"
	}
	return ""
}

func isTarget(m *machine, u *unit) string {
	if m.isUnit(u, m.ro.Target) {
		return "it is being rolled out"
	}
	return ""
}

// isNewest holds for the declared version. A second workload of it may go.
func isNewest(m *machine, u *unit) string {
	if m.isDeclared(u) && m.findTemplate(u.Version, u.RevisionNumber) == u {
		return "it is the version that the spec declares"
	}
	return ""
}

func hasWeight(m *machine, u *unit) string {
	switch {
	case u.Weight > 0:
		return fmt.Sprintf("it has %d %% of the traffic", u.Weight)
	case u.ExposedWeight > 0 && m.in.Policy.Gateway:
		return fmt.Sprintf("the gateway has not accepted yet that it gets no traffic, it may get %d %%", u.ExposedWeight)
	case u.ExposedWeight > 0:
		return "its pods still get traffic"
	}
	return ""
}

func isKept(m *machine, u *unit) string {
	if m.recordFor(u).Keep {
		return "its record says keep"
	}
	return ""
}

func hasProtectedTag(m *machine, u *unit) string {
	for _, t := range m.recordFor(u).Tags {
		if slices.Contains(m.in.Policy.ProtectedTags, t) && !m.isReplaced(u) {
			return "its tag " + t + " is protected"
		}
	}
	return ""
}

func isWarm(m *machine, u *unit) string {
	if m.isWarm(u) {
		return fmt.Sprintf("a rollback to it is immediate until %s", m.timeAhead(m.timeLeft(u.SupersededAt, m.in.Policy.RollbackWindow)))
	}
	return ""
}

func isKeptWarm(m *machine, u *unit) string {
	if m.isKeptWarm(u) {
		return fmt.Sprintf("it was stable before and keeps %d pods for a rollback", m.in.Policy.Warm)
	}
	return ""
}

func isYoung(m *machine, u *unit) string {
	if u.DecommissionedBy != "" || u.AdmittedAt == nil {
		return ""
	}
	if left := m.timeLeft(u.AdmittedAt, m.in.Policy.MinAge); left > 0 {
		return fmt.Sprintf("it is younger than minAge until %s", m.timeAhead(left))
	}
	return ""
}

func isOneOfTheLast(m *machine, u *unit) string {
	others := map[string]bool{}
	for _, o := range m.units {
		if o != u && isLive(o) && !m.isBeingReplaced(o) {
			others[o.Version] = true
		}
	}
	if len(others) < m.in.Policy.MinActive {
		return fmt.Sprintf("fewer than minActive (%d) versions would be left", m.in.Policy.MinActive)
	}
	return ""
}

func isFrozen(m *machine, _ *unit) string {
	if m.ro.Frozen != nil {
		return "paused by " + m.ro.Frozen.By
	}
	return ""
}

// refuseDecommission says why a version cannot be taken out of service, empty when
// it can: its age does not matter when somebody asks.
func (m *machine) refuseDecommission(u *unit) string {
	for _, never := range []func(*machine, *unit) string{isStable, isTarget, isNewest, hasWeight, isKept, hasProtectedTag, isOneOfTheLast} {
		if why := never(m, u); why != "" {
			return why
		}
	}
	if u.Phase == v1.VersionDecommissioned {
		return "it is decommissioned already"
	}
	return ""
}
