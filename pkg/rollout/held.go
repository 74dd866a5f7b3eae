package rollout

// A version is held while it breaks callers that nothing covers. It has no weight
// and lives by its header alone. Who lets it take traffic does so for the version,
// whatever template it runs.

// held says why a version must not take weighted traffic; empty when it may.
func (m *machine) held(version string) string {
	if m.overriddenBy(version) != "" {
		return ""
	}
	return m.in.Records[version].Held
}

func (m *machine) overriddenBy(version string) string {
	for _, u := range m.units {
		if u.Version == version && u.OverriddenBy != "" {
			return u.OverriddenBy
		}
	}
	return ""
}

// allow takes in who lets the declared version take traffic by the handler's
// annotation.
func (m *machine) allow() {
	r := m.in.Records[m.in.Declared.Version]
	if r.AllowedBy == "" || m.held(m.in.Declared.Version) == "" {
		return
	}
	d := m.declared()
	d.OverriddenBy = r.AllowedBy
	m.warn(r.AllowedBy, "Overridden", "", name(d), r.Held)
}

// override lets the declared version take traffic although it breaks callers.
func override(m *machine, r Request) (done, refused string) {
	why := m.held(m.in.Declared.Version)
	if why == "" {
		return "", "nothing holds the declared version back"
	}
	d := m.declared()
	d.OverriddenBy = r.By
	return name(d) + " may take traffic although " + why, ""
}

// declared returns the unit that the spec leads to, and makes one where there is
// none yet.
func (m *machine) declared() *unit {
	d := m.in.Declared
	if u := m.known(d.Version, d.RevisionNumber); u != nil {
		return u
	}
	return m.add(d)
}
