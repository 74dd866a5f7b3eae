package rollout

import (
	"fmt"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// A client that keeps a connection stays with its pod, also after the traffic has moved on.
// The pods of a version without traffic let go of such clients, and report the file of
// transformers after that. The contract moves to a version that they do not serve only then.

// releaseInterval is how often pods without traffic are asked whether they have let go.
const releaseInterval = 30 * time.Second

// LacksTraffic reports whether nothing but pins leads to a version with pods. The stable
// version and the target of a rollout never lack it: it begins or comes back at any time.
func (s State) LacksTraffic(version string) bool {
	for _, ref := range []*v1.UnitRef{s.Rollout.Stable, s.Rollout.Target} {
		if ref != nil && ref.Version == version {
			return false
		}
	}
	return !slices.ContainsFunc(s.Versions, func(u v1.VersionStatus) bool { return u.Version == version && u.Weight > 0 })
}

// losesCallers reports whether a unit without traffic serves the callers of the contract and
// not those of another version, to which the contract may move. Pods without metrics have not
// the package, which always has some.
func (m *machine) losesCallers(u *unit, to string) bool {
	c := m.contractVersion()
	return c != "" && isLive(u) && u.Weight == 0 && u.TrafficSource != v1.TrafficSourceNone && !m.in.Transformers.Declared && m.in.Transformers.Hash != "" &&
		m.servesCallers(u.Version, c) && !m.servesCallers(u.Version, to)
}

// findKeptCallers returns which pod may still have connections of callers that it would not
// serve if the contract moved. Pods that report nothing are not of the package: they serve
// such callers as before.
func (m *machine) findKeptCallers(to string) string {
	for _, u := range m.units {
		if !m.losesCallers(u, to) {
			continue
		}
		for _, r := range m.in.Workloads[u.Workload].Reports {
			isKnown := !r.At.IsZero() && m.in.Now.Sub(r.At) <= m.in.Policy.maxAge(releaseInterval) && !m.isFromAnotherClock(r.At)
			isTold := slices.Contains(m.in.Transformers.WithoutTraffic, u.Version)
			if r.Problem != "" || isTold && isKnown && r.Hash == m.in.Transformers.Hash {
				continue
			}
			return fmt.Sprintf("pod %s of %s has not reported yet that no client without a version keeps a connection to it, and it does not serve callers of %s; a changed file reaches pods within a minute or two", r.Pod, titleFor(u), to)
		}
	}
	return ""
}

// releaseEvery returns how often the pods of a unit are asked whether they have let go; zero
// where the contract cannot lead away from them.
func (m *machine) releaseEvery(u *unit) time.Duration {
	for _, o := range m.units {
		if o.Weight > 0 && m.losesCallers(u, o.Version) {
			return releaseInterval
		}
	}
	return 0
}
