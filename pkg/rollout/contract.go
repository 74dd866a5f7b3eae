package rollout

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// The contract is the version that callers without a known X-Gati-Version speak. Every
// version with traffic serves its callers, so that a rollback is always possible. It
// exists once a version breaks the callers of another one.

// servesCallers reports whether a version serves the callers of another one.
func (m *machine) servesCallers(version, callers string) bool {
	return m.areOfOneRun(version, callers) || slices.Contains(m.in.Records[version].Serves, callers)
}

// areOfOneRun reports whether two versions are of one run, in which none breaks the one
// before. While there is one run only, none is named.
func (m *machine) areOfOneRun(a, b string) bool {
	return a == b || m.in.Records[a].Run == m.in.Records[b].Run
}

// hasRuns reports whether a version breaks the callers of another one.
func (m *machine) hasRuns() bool {
	return slices.ContainsFunc(m.units, func(u *unit) bool { return !m.areOfOneRun(u.Version, m.in.Declared.Version) })
}

// contractVersion returns the version of the contract; empty while there is none.
func (m *machine) contractVersion() string {
	if m.ro.Contract == nil {
		return ""
	}
	return m.ro.Contract.Version
}

// ensureContract makes the contract that of the stable version when the first version
// comes that breaks its callers. A contract that is no version any more is over.
func (m *machine) ensureContract() {
	if c := m.contractVersion(); c != "" && !m.hasVersion(c) {
		m.ro.Contract = nil
	}
	if m.ro.Contract != nil || m.ro.Stable == nil || !m.hasRuns() {
		return
	}
	version := m.ro.Stable.Version
	if wish := m.in.Policy.Contract; wish != "" && m.hasVersion(wish) && m.areOfOneRun(wish, version) {
		version = wish
	}
	m.ro.Contract = &v1.ContractStatus{Version: version, Deed: v1.Deed{By: machineName, At: *m.stampNow()}}
}

// followContract moves the contract to the version that the spec names, or within its run
// to the stable one.
func (m *machine) followContract() {
	if m.ro.Contract == nil || m.ro.Stable == nil {
		return
	}
	switch wish := m.in.Policy.Contract; {
	case wish == m.contractVersion():
	case wish != "":
		if why := m.refuseContract(wish); why != "" {
			m.notes = append(m.notes, fmt.Sprintf("spec.contract is %s and the contract stays %s: %s.", wish, m.contractVersion(), why))
			return
		}
		m.moveContract(wish, machineName, "spec.contract")
	case m.ro.Stable.Version != m.contractVersion() && m.areOfOneRun(m.ro.Stable.Version, m.contractVersion()):
		if m.refuseContract(m.ro.Stable.Version) == "" {
			m.moveContract(m.ro.Stable.Version, machineName, "it follows the stable version")
		}
	}
}

func (m *machine) moveContract(version, by, why string) {
	m.recordEvent(by, "Contract", m.contractVersion(), version, why)
	m.ro.Contract = &v1.ContractStatus{Version: version, Deed: v1.Deed{By: by, At: *m.stampNow()}}
}

// moveContractTo moves the contract to a version, without one to the stable version.
func moveContractTo(m *machine, r Request) (done, refused string) {
	to := r.Argument
	if to == "" && m.ro.Stable != nil {
		to = m.ro.Stable.Version
	}
	from := m.contractVersion()
	switch {
	case to == "":
		return "", "nothing serves yet"
	case from == "" && !m.hasVersion(to):
		return "", "no such version: " + to
	case from == "":
		return "", "no version breaks the callers of another, so the contract follows the stable version"
	case m.in.Policy.Contract != "":
		return "", fmt.Sprintf("spec.contract is %s; change it there", m.in.Policy.Contract)
	case to == from:
		return "", to + " is the contract already"
	}
	if why := m.refuseContract(to); why != "" {
		return "", why
	}
	m.ro.Contract = &v1.ContractStatus{Version: to, Deed: v1.Deed{By: r.By, At: *m.stampNow()}}
	return fmt.Sprintf("callers without a version speak %s instead of %s", to, from), ""
}

// refuseContract returns why the contract cannot move to a version now; empty when it
// can.
func (m *machine) refuseContract(to string) string {
	switch {
	case !m.hasVersion(to):
		return "no such version: " + to
	case m.ro.Phase != v1.RolloutStable:
		return "a rollout is running; move the contract once it is over"
	}
	for _, u := range m.units {
		if u.Weight > 0 && !m.servesCallers(u.Version, to) {
			return fmt.Sprintf("%s has %d %% of the traffic and does not serve callers of %s; record transformers from %s to %s, or move the traffic first", titleFor(u), u.Weight, to, to, u.Version)
		}
	}
	if m.areOfOneRun(to, m.contractVersion()) {
		return "" // Every version of the run keeps serving both.
	}
	if p := m.findUnit(m.ro.Previous); p != nil && isLive(p) && p.SupersededAt != nil && m.timeLeft(p.SupersededAt, m.in.Policy.RollbackWindow) > 0 {
		return fmt.Sprintf("rollout.rollbackWindow is not over, in which %s may serve again", titleFor(p))
	}
	return m.findKeptCallers(to)
}

// contractBar returns why a version without traffic gets none: it does not serve the
// callers of the contract. What has traffic keeps it.
func (m *machine) contractBar(version string) string {
	c := m.contractVersion()
	if c == "" || m.servesCallers(version, c) || m.versionWeight(version) > 0 {
		return ""
	}
	why := fmt.Sprintf("it does not serve callers of %s, which those without a version are", c)
	if m.sequenceOf(version) < m.sequenceOf(c) {
		return why + "; move the contract back first: kubectl gati version contract HANDLER " + version
	}
	return why + fmt.Sprintf("; record transformers from %s to %s", c, version)
}

func (m *machine) hasVersion(version string) bool {
	return slices.ContainsFunc(m.units, func(u *unit) bool { return u.Version == version })
}

func (m *machine) sequenceOf(version string) int64 { return sequenceFor(m.units, version) }

// noteRuns persists the run of each version, and whom it serves.
func (m *machine) noteRuns() {
	for _, u := range m.units {
		r := m.in.Records[u.Version]
		u.Run, u.Serves = r.Run, r.Serves
	}
}
