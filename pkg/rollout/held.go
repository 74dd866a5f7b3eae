package rollout

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A version is held while it breaks callers that nothing covers. It has no weight
// and lives by its header alone. Who lets it take traffic does so for the version,
// whatever template it runs.

// applyOverrides records the user who allows the declared version traffic by the handler's
// annotation.
func (c contracts) applyOverrides() {
	r := c.records[c.declared.Version]
	if r.AllowedBy == "" || c.holdFor(c.declared.Version) == "" {
		return
	}
	d := c.declaredUnit(c.stampNow())
	d.OverriddenBy = r.AllowedBy
	c.recordWarning(r.AllowedBy, "Overridden", "", titleFor(d), r.Held)
}

// overrideBreak lets the declared version take traffic although it breaks callers.
func overrideBreak(m *machine, r Request) (done, refused string) {
	why := m.contracts.holdFor(m.in.Declared.Version)
	if why == "" {
		return "", "nothing holds the declared version back"
	}
	d := m.declaredUnit(m.stampNow())
	d.OverriddenBy = r.By
	return titleFor(d) + " may take traffic although " + why, ""
}

// declaredUnit returns the unit that the spec leads to, and makes one where there is
// none yet.
func (r *roster) declaredUnit(at *metav1.Time) *unit {
	d := r.declared
	if u := r.findTemplate(d.Version, d.RevisionNumber); u != nil {
		return u
	}
	return r.addUnit(d, at)
}

// holdFor returns why a version must not take weighted traffic; empty when it may.
func (c contracts) holdFor(version string) string {
	if c.findOverride(version) != "" {
		return ""
	}
	if why := c.records[version].Held; why != "" {
		return why
	}
	return c.contractBar(version)
}

// findBar returns why a unit may not get weighted traffic; empty when it may.
func (c contracts) findBar(u *unit) string {
	r := c.recordFor(u)
	switch {
	case r.Inactive:
		return "its record says active: false"
	case c.holdFor(u.Version) != "":
		return c.holdFor(u.Version)
	default:
		return c.moveBar(u.Version)
	}
}

// findShareBar returns why a unit gets no share that its record requests; empty when it
// may have one.
func (c contracts) findShareBar(u *unit) string {
	if why := c.findBar(u); why != "" {
		return why
	}
	if why := c.rejectionFor(u); why != "" && u.Weight == 0 {
		return "it was rejected: " + why
	}
	return ""
}
