package rollout

// A version is held while it breaks callers that nothing covers. It has no weight
// and lives by its header alone. Who lets it take traffic does so for the version,
// whatever template it runs.

// holdFor returns why a version must not take weighted traffic; empty when it may.
func (m *machine) holdFor(version string) string {
	if m.findOverride(version) != "" {
		return ""
	}
	if why := m.in.Records[version].Held; why != "" {
		return why
	}
	return m.contractBar(version)
}

func (m *machine) findOverride(version string) string {
	for _, u := range m.units {
		if u.Version == version && u.OverriddenBy != "" {
			return u.OverriddenBy
		}
	}
	return ""
}

// applyOverrides takes in who lets the declared version take traffic by the handler's
// annotation.
func (m *machine) applyOverrides() {
	r := m.in.Records[m.in.Declared.Version]
	if r.AllowedBy == "" || m.holdFor(m.in.Declared.Version) == "" {
		return
	}
	d := m.declaredUnit()
	d.OverriddenBy = r.AllowedBy
	m.recordWarning(r.AllowedBy, "Overridden", "", titleFor(d), r.Held)
}

// override lets the declared version take traffic although it breaks callers.
func override(m *machine, r Request) (done, refused string) {
	why := m.holdFor(m.in.Declared.Version)
	if why == "" {
		return "", "nothing holds the declared version back"
	}
	d := m.declaredUnit()
	d.OverriddenBy = r.By
	return titleFor(d) + " may take traffic although " + why, ""
}

// declaredUnit returns the unit that the spec leads to, and makes one where there is
// none yet.
func (m *machine) declaredUnit() *unit {
	d := m.in.Declared
	if u := m.findTemplate(d.Version, d.RevisionNumber); u != nil {
		return u
	}
	return m.addUnit(d)
}
